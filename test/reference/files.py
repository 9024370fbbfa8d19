"""Writes test/reference/files.json, which test/files reads.

The files are archives that NumPy and safetensors saved, in base64.

Run it with `python3 test/reference/files.py`; it needs NumPy and the package safetensors.
"""

import base64
import io
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save

rng = np.random.default_rng(7)
tensors = {
    "f64": rng.normal(size=(2, 3)),
    "f32": rng.normal(size=(3, 1, 2)).astype("f4"),
    "f16": rng.normal(size=4).astype("f2"),
    "i64": rng.integers(-(2**60), 2**60, 3),
    "i32": rng.integers(-9, 9, (2, 2)).astype("i4"),
    "i8": rng.integers(-9, 9, 5).astype("i1"),
    "u8": rng.integers(0, 255, 5).astype("u1"),
    "bool": rng.random(6) < 0.5,
    "scalar": np.array(2.5),
    "empty": np.zeros((0, 3)),
    "zeros": np.zeros(1000),
    "fortran": np.asfortranarray(rng.normal(size=(2, 3))),
}


def archive(writer):
    file = io.BytesIO()
    writer(file, **tensors)
    return base64.b64encode(file.getvalue()).decode()


def table(**options):
    file = io.StringIO()
    np.savetxt(file, tensors["f64"], delimiter=",", fmt="%.17g", **options)
    return base64.b64encode(file.getvalue().encode()).decode()


def cells(array):
    if array.dtype == np.int64:
        return [str(v) for v in array.flatten()]
    return [v if isinstance(v, bool) else float(v) for v in array.flatten().tolist()]


recorded = {
    "files": {
        "saved.npz": archive(np.savez),
        "compressed.npz": archive(np.savez_compressed),
        "saved.safetensors": base64.b64encode(
            save({name: array.copy(order="C") for name, array in tensors.items()})
        ).decode(),
        "table.csv": table(),
        "named.csv": table(header="a,b,c", comments=""),
    },
    "tensors": {
        name: {"shape": list(array.shape), "data": cells(array)} for name, array in tensors.items()
    },
}
Path(__file__).with_name("files.json").write_text(json.dumps(recorded, indent=1) + "\n")

"""Writes the .npy fixtures in test/reference/npy.ts, which src/host/npy.test.ts reads.

Run it with `python3 test/reference/npy.py > test/reference/npy.ts`, then format the file with
prettier. It needs NumPy.
"""

import base64
import io
import json

import numpy as np


def saved(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version, allow_pickle=True)
    return base64.b64encode(file.getvalue()).decode()


numbers = np.array([[1, -2, 3], [4, 5, -6]])
fixtures = {}
for dtype in [
    "i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"
]:
    fixtures[dtype] = saved(numbers.astype(dtype))
for dtype in ["u1", "<u2", ">u4"]:
    fixtures[dtype] = saved(np.array([0, 1, np.iinfo(dtype).max], dtype=dtype))
fixtures["bool"] = saved(np.array([True, False, True]))
fixtures["fortran"] = saved(np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
fixtures["fortran big"] = saved(np.asfortranarray(numbers.astype(">f8")))
fixtures["scalar"] = saved(np.array(2.5))
fixtures["empty"] = saved(np.zeros((2, 0, 3), dtype="<f4"))
fixtures["version 2"] = saved(np.array([1.5, -0.0, np.nan, np.inf], dtype="<f4"), version=(2, 0))
fixtures["version 3"] = saved(np.array([7], dtype="<i8"), version=(3, 0))
fixtures["half edges"] = saved(np.array([65504, 2.0**-24, -np.inf, np.nan], dtype="<f2"))
fixtures["object"] = saved(np.array([None, 1], dtype=object))
fixtures["complex"] = saved(np.array([1j]))
fixtures["text"] = saved(np.array(["a"]))
fixtures["uint64"] = saved(np.array([1], dtype="<u8"))
fixtures["records"] = saved(np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")]))

print("// Generated from NumPy by test/reference/npy.py: files that NumPy saved, in base64.")
print()
print("export const npyFiles = {")
for name, text in fixtures.items():
    print(f"  {json.dumps(name)}: {json.dumps(text)},")
print("} as const;")

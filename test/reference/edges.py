"""Records what NumPy and SciPy say about std::math at the edges, for test/std/edges.test.ts.

Run: python3 test/reference/edges.py          (needs numpy and scipy; writes test/std/edges.json)

A row is a function of one argument, with its values and slopes at poles and next to them, at zeros
of both signs, infinities and NaN, and at tiny and large numbers. Where SciPy has no function for a
slope, the slope is computed from functions that SciPy has.
"""

import json
from pathlib import Path

import numpy as np
import scipy.special as sp

FILE = Path(__file__).parent.parent / "std" / "edges.json"

points = [
    -np.inf,
    -1e10,
    -170.5,
    -20.25,
    -5.5,
    -2.0,
    -1.5,
    -1.0009765625,
    -1.0,
    -0.9990234375,
    -0.5,
    -1e-3,
    -1e-10,
    -1e-30,
    -0.0,
]
points += [
    0.0,
    1e-30,
    1e-10,
    1e-3,
    0.1,
    0.5,
    0.75,
    0.9990234375,
    1.0,
    1.0009765625,
    1.25,
    1.5,
    2.0,
    3.75,
    6.0,
    10.0,
    26.0,
    30.0,
    100.0,
]
points += [171.0, 172.0, 1e4, 1e10, np.inf, np.nan]
far = {"f64": [-1e300, -1e-300, 1e-300, 1e300], "f32": [-1e36, -1e-36, 1e-36, 1e36]}

root_pi = np.sqrt(np.pi)


def trigamma(x):
    """By reflection below 1 / 2: SciPy's zeta is for positive numbers."""
    r = x - np.round(x)
    return np.where(
        x < 0.5, (np.pi / np.sin(np.pi * r)) ** 2 - sp.polygamma(1, 1 - x), sp.polygamma(1, x)
    )


functions = {
    "square": (np.square, lambda x: 2 * x),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x: -0.5 / np.sqrt(x) ** 3),
    "exp2": (np.exp2, lambda x: np.log(2) * np.exp2(x)),
    "log2": (np.log2, lambda x: 1 / (x * np.log(2))),
    "log10": (np.log10, lambda x: 1 / (x * np.log(10))),
    "radians": (np.radians, lambda x: np.full(x.shape, np.pi / 180)),
    "degrees": (np.degrees, lambda x: np.full(x.shape, 180 / np.pi)),
    "logit": (sp.logit, lambda x: 1 / (x * (1 - x))),
    "expm1": (np.expm1, None),
    "log1p": (np.log1p, lambda x: 1 / (1 + x)),
    "tanh": (np.tanh, None),
    "sigmoid": (sp.expit, None),
    "erf": (sp.erf, lambda x: 2 / root_pi * np.exp(-x * x)),
    "cbrt": (np.cbrt, lambda x: 1 / (3 * np.cbrt(x) ** 2)),
    "atan": (np.arctan, lambda x: 1 / (1 + x * x)),
    "asin": (np.arcsin, lambda x: 1 / np.sqrt((1 - x) * (1 + x))),
    "acos": (np.arccos, lambda x: -1 / np.sqrt((1 - x) * (1 + x))),
    "sinh": (np.sinh, np.cosh),
    "cosh": (np.cosh, np.sinh),
    "asinh": (np.arcsinh, lambda x: 1 / np.hypot(1, x)),
    "acosh": (np.arccosh, lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
    "atanh": (np.arctanh, lambda x: 1 / ((1 - x) * (1 + x))),
    "erfc": (sp.erfc, lambda x: -2 / root_pi * np.exp(-x * x)),
    # Odd at 0, too: SciPy forgets the sign there.
    "erfinv": (
        lambda x: np.copysign(sp.erfinv(x), x), lambda x: root_pi / 2 * np.exp(sp.erfinv(x) ** 2)
    ),
    "normal_cdf": (sp.ndtr, lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi)),
    "lgamma": (sp.gammaln, sp.digamma),
    "digamma": (sp.digamma, trigamma),
    "trigamma": (trigamma, None),
    "gamma": (sp.gamma, lambda x: sp.gamma(x) * sp.digamma(x)),
}


def scalar(v):
    v = float(v)
    if v != v:
        return "NaN"
    if np.isinf(v):
        return "Infinity" if v > 0 else "-Infinity"
    return v


def row(name, value, slope, kind):
    dtype = np.float64 if kind == "f64" else np.float32
    x = np.array(points + far[kind], dtype=dtype)
    # What f32 should say is f64's answer for the same numbers, rounded.
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        found = {"y": value(wide).astype(dtype)}
        if slope:
            found["slope"] = slope(wide).astype(dtype)
    return {
        "name": name,
        "dtype": kind,
        "x": [scalar(v) for v in x],
        **{k: [scalar(v) for v in w] for k, w in found.items()},
    }


rows = [row(name, *of, kind) for name, of in functions.items() for kind in ("f64", "f32")]
FILE.write_text("[\n" + ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows) + "\n]\n")

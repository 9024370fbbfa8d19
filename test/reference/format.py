"""Writes test/reference/format.ts, which src/scalar/values/format-spec.test.ts reads.

Run it with `python3 test/reference/format.py > test/reference/format.ts`, then format the file with
prettier. A row is a spec, an element type, a value and the text that Python formats, or null where
Python refuses the spec for such a value. Two differences are adapted or left out: infinities and
NaN are spelled as `print` spells them; wide integers under `f`, `e`, `g` and `%` keep their digits,
where Python rounds them to a float.
"""

import itertools
import json
import struct

floats = [
    "", ".3", ".1", ".0f", ".2f", "f", ".1e", "e", ".0e", "g", ".3g", ".0g", "%", ".1%", "+.2f",
    " .1f", "010.2f", "<10.1f", "^11.1f", "*>9.1f", "x^9.1f", "=+9.1f", "012,.2f", ",.1f", ",",
    "+,.0f", "-.3e", "09.1e", "+012.1%", ",.2%", "0<9.2f", "*=9.1f", "015,.1e", "+.4g", ",g", "10",
    "<12", "+", "012", "^+14", "*>12,", " ", "d", "x", "s", "5d", ".2s",
]
values = [
    0.0, -0.0, 0.5, 1.5, 2.5, 0.125, -0.125, -1234.5678, 1234567.0, 1e-5, 0.0001, 123456.0,
    999999.5, 9.995, 1e22, 1.7e308, 5e-324, 1e-7, 1e300, 1.5e-7, -2.5e17, 1e16, 9999999999999998.0,
    123456789012345680.0, 0.00012,
]
odd = [float("inf"), float("-inf"), float("nan")]
integers = [
    "", "d", "x", "5", "05d", "<6", "^7d", "+d", " d", ",", "010,", "_>8,d", "f", ".1e", "g", ".0%",
    "+08x", "x", "6x", "06x", "+x", "*^9x", "=+6d", "0=6", ".2", ".2d", ".1x", ",x", "s", ",.2f",
    "+,d", "#>6", "-5d", "012,.1f",
]
whole = [0, 7, -42, 255, -255, 999, 1000, 1234567, -1234567, 2**53 + 1, 2**63 - 1, -2**63]
texts = [
    "",
    "s",
    "6",
    ">6",
    "^7s",
    "^6",
    ".2",
    "*<5.1s",
    "06",
    "<06",
    "0>6",
    ".0",
    "10.2",
    ">10.2s",
    "x^4.9",
    "d",
    ".2f",
    "+",
    ",",
    "=5",
    " 5",
    "%",
    "x",
]
words = ["", "abc", "größe", "日本", "e\u0301"]


def single(v):
    return struct.unpack("f", struct.pack("f", v))[0]


def half(v):
    return struct.unpack("e", struct.pack("e", v))[0]


def written(v, spec):
    try:
        return format(v, spec)
    except ValueError:
        return None


# Widths count the characters of Python's shorter words, so words need specs without a width.
wordless = [spec for spec in floats if not any(c.isdigit() for c in spec.split(".")[0])]
ours = {"inf": "Infinity", "nan": "NaN"}
rows = []
for spec, v in itertools.product(floats, values + odd):
    text = written(v, spec)
    word = next((word for word in ours if text and word in text), None)
    if word and spec not in wordless:
        continue
    value = repr(v).replace("inf", "Infinity").replace("nan", "NaN")
    rows.append([spec, "f64", value, text.replace(word, ours[word]) if word else text])
precise = [
    spec
    for spec in floats
    if written(1.5, spec) is not None
    and (spec[-1:] in list("feg%") or "." in spec)
]
rows += [
    [spec, "f32", repr(single(v)), format(single(v), spec)]
    for spec in precise
    for v in [0.1, -2.675, 16777217.0, 3e38]
]
rows += [
    [spec, "f16", repr(half(v)), format(half(v), spec)]
    for spec in precise
    for v in [0.1, -2.675, 65504.0]
]
rows += [
    [spec, "i64", repr(v), written(v, spec)]
    for spec in integers
    for v in whole
    if abs(v) < 2**53
    or spec[-1:] not in list("fge%")
]
rows += [
    [spec, "i32", repr(v), written(v, spec)]
    for spec in integers
    for v in [0, -1, 2**31 - 1, -2**31]
]
rows += [[spec, "i8", repr(v), written(v, spec)] for spec in integers for v in [-128, 127]]
rows += [[spec, "str", v, written(v, spec)] for spec in texts for v in words]

print("// Generated from Python by test/reference/format.py: spec, type, value, text or null.")
print()
print('import type { ElementType } from "../../src/scalar/types.ts";')
print()
print(
    "export const pythonFormats: "
    "readonly (readonly [string, ElementType, string, string | null])[] = ["
)
for row in rows:
    print(f"  {json.dumps(row)},")
print("];")

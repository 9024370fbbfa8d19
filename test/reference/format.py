"""Writes the table of formatted numbers in test/reference/format.ts, which src/host/formatSpec.test.ts reads.

Run it with `python3 test/reference/format.py`; each line is a spec, an element type, a value and Python's own text for it.
"""

import json

floats = ["", ".3", ".1", ".0f", ".2f", "f", ".1e", "e", ".0e", "g", ".3g", ".0g", "%", ".1%", "+.2f", " .1f", "010.2f", "<10.1f",
          "^11.1f", "*>9.1f", "x^9.1f", "=+9.1f", "012,.2f", ",.1f", ",", "+,.0f", "-.3e", "09.1e"]
values = [0.0, -0.0, 0.5, 1.5, 2.5, 0.125, -1234.5678, 1234567.0, 1e-5, 0.0001, 123456.0, 999999.5, 9.995, 1e22, 1.7e308, 5e-324]
integers = ["", "d", "x", "5", "05d", "<6", "^7d", "+d", ",", "010,", "_>8,d", "f", ".1e", "g", ".0%", "+08x"]
whole = [0, 7, -42, 255, 1234567, -1234567, 2**53 + 1]
texts = ["", "s", "6", ">6", "^7s", ".2", "*<5.1s", "06"]

rows = [[spec, "f64", repr(v), format(v, spec).replace("inf", "Infinity")] for spec in floats for v in values if not (spec in ("", ",") and (v >= 1e16 or 0 < v <= 1e-4))]
# Python formats an integer with f, e, g and % as a float; the digits of a wide i64 are kept here.
rows += [[spec, "i64", repr(v), format(v, spec)] for spec in integers for v in whole if v < 2**53 or spec[-1:] not in "fg%"]
rows += [[spec, "str", v, format(v, spec)] for spec in texts for v in ["", "abc"]]
for row in rows:
    print(f"  {json.dumps(row)},")

"""Writes the table of reference values that src/scalar/elementary.test.ts holds for erf.

Run it with `python3 test/reference/erf.py`. The values come from Python's math.erf, which calls
the C library.
"""

import math

points = [
    0.0, 1e-300, 1e-10, 0.1, 0.25, 0.5, 0.75, 0.84374, 0.84375, 0.9, 1.0, 1.1, 1.2499, 1.25, 1.5,
    2.0, 2.5, 2.857, 2.858, 3.0, 3.5, 4.0, 5.0, 5.9, 5.999, 6.0, 30.0,
]
for x in points:
    print(f"  [{x!r}, {math.erf(x)!r}],")

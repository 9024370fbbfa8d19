"""Records the output of the Python programs of docs/coming-from.md in coming-from.json.

Run it with `python3 test/reference/coming_from.py` after a change of one of the programs. It needs
numpy, torch and jax. The tests compare the records with the output of the Einlang programs, and
need no Python.
"""

import contextlib
import io
import json
import pathlib
import re
import sys

import jax
import numpy
import torch

here = pathlib.Path(__file__).parent
page = (here / "../../docs/coming-from.md").read_text()
numpy.set_printoptions(precision=8)
torch.set_printoptions(precision=8)

programs = []
for source in re.findall(r"^```python\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(source, {})
    programs.append({"source": source, "printed": printed.getvalue()})

versions = {
    "python": sys.version.split()[0],
    "numpy": numpy.__version__,
    "torch": torch.__version__.split("+")[0],
    "jax": jax.__version__,
}
(here / "coming-from.json").write_text(
    json.dumps({"versions": versions, "programs": programs}, indent=2) + "\n"
)

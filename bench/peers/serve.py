"""A contender in Python. It answers the questions of the harness (see protocol.ts) with its rows.

A row is a function of the inputs (NumPy arrays by name). It returns a pair: `run` computes
everything once, and `outputs` returns the results of the latest run, in the order of the row.
"""

import json
import os
import re
import sys
import time

# The number of threads has to be known before the libraries are loaded.
THREADS = int(os.environ.get("EIN_BENCH_THREADS", "1"))
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)

SAMPLE_S = 0.002


def best(run, budget_s):
    start = time.perf_counter()
    run()
    shortest = time.perf_counter() - start
    if shortest > budget_s:
        return shortest * 1e3
    start = time.perf_counter()
    run()
    repeat = max(1, int(SAMPLE_S / max(1e-7, time.perf_counter() - start)) + 1)
    end = time.perf_counter() + budget_s
    while True:
        start = time.perf_counter()
        for _ in range(repeat):
            run()
        now = time.perf_counter()
        shortest = min(shortest, (now - start) / repeat)
        if now >= end:
            return shortest * 1e3


def serve(load):
    """`load` imports the library and returns its versions and its rows.

    An ImportError means that the library is absent.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not stand between the answers

    def say(**answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        import numpy as np

        versions, rows = load()
    except (ImportError, OSError) as failure:
        return say(kind="absent", why=str(failure)[:200])

    def read(given):
        dtype = {"f32": np.float32, "i32": np.int32}[given["dtype"]]
        return np.fromfile(given["path"], dtype).reshape(given["shape"])

    def checksum(result):
        cells = np.asarray(result, dtype=np.float64).ravel()
        terms = cells * (1 + np.arange(cells.size) % 7)
        return {"sum": float(terms.sum()), "scale": float(np.abs(terms).sum())}

    prepared = None
    for line in sys.stdin:
        question = json.loads(line)
        try:
            match question["kind"]:
                case "hello":
                    say(kind="hello", versions=versions)
                case "prepare":
                    task = question["task"]
                    row = rows.get(re.sub(r"^gemm-\d+$", "gemm", task["id"]))
                    if row is None:
                        prepared = None
                        say(kind="unable")
                        continue
                    prepared = row(**{given["name"]: read(given) for given in task["inputs"]})
                    run, outputs = prepared
                    run()
                    say(kind="prepared", checksums=[checksum(result) for result in outputs()])
                case "time":
                    say(kind="timed", ms=best(prepared[0], question["budgetMs"] / 1e3))
                case "release":
                    prepared = None
                    say(kind="released")
        except Exception as failure:
            say(kind="failed", why=(str(failure) or repr(failure)).split("\n")[0][:200])

"""Fits the tables of this folder with scikit-learn, and writes the weights to reference.json: what the programs are compared with.

Run it with scikit-learn installed: python3 examples/tables/reference.py
"""

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

here = Path(__file__).parent
penalty = 1.0


def fitted(name):
    table = np.loadtxt(here / f"{name}.csv", delimiter=",", skiprows=1)
    x, answer = table[:, :-1], table[:, -1].astype(int)
    x = (x - x.mean(0)) / x.std(0)
    # The column that is always 1 is penalised like the others, so that there is one best fit.
    x = np.column_stack([x, np.ones(len(x))])
    solver = LogisticRegression(C=1 / penalty, fit_intercept=False, solver="lbfgs", tol=1e-12, max_iter=100_000)
    weights = solver.fit(x, answer).coef_
    check(x, answer, weights)
    return weights[0] if len(weights) == 1 else weights


def check(x, answer, weights):
    """At the best fit the slope is 0, whoever found it."""
    if len(weights) == 1:
        slope = (1 / (1 + np.exp(-x @ weights[0])) - answer) @ x + penalty * weights[0]
    else:
        share = np.exp(x @ weights.T)
        share /= share.sum(1, keepdims=True)
        slope = (share - np.eye(len(weights))[answer]).T @ x + penalty * weights
    assert abs(slope).max() < 1e-5, abs(slope).max()


weights = {name: fitted(name).round(8).tolist() for name in ("breast-cancer", "iris", "wine")}
(here / "reference.json").write_text(json.dumps({"penalty": penalty, "weights": weights}) + "\n")

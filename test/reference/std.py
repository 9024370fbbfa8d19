"""Records what NumPy, SciPy and PyTorch say about the functions of the library, for test/std.

Run: python3 test/reference/std.py            (needs numpy, scipy and torch; writes test/std/*.json)

A row is a program that calls one function, and the same in PyTorch. The inputs of the program are
drawn for several sizes of its dimensions, 0 and 1 among them. The gradient is the gradient of the
sum of all results, weighted by `weights`.
"""

import json
import re
import zlib
from pathlib import Path

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F

FOLDER = Path(__file__).parent.parent / "std"

rows = {}
torch.set_default_dtype(torch.float64)


# For functions that are told how long their result is.
counts = [{"n": n} for n in (4, 2, 7, 1, 0)]


def row(name, program, reference, sizes=None, zero=None, ranges=None, fixed=None, gradient=True):
    """Adds a row. `zero` names the dimensions that are 0 in one case, and `fixed` the dimensions
    with one size in all cases. `sizes` may also give the sizes of all cases."""
    module, function = name.split("::")
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    names = list(
        dict.fromkeys(d for _, _, dims in inputs_of(program) for d in dims if not d.isdigit())
    )
    fixed = fixed or {}

    def drawn(low, high):
        return {d: fixed.get(d, int(rng.integers(low, high))) for d in names}

    cases = sizes or [
        *different(lambda: drawn(2, 6), 3),
        {d: fixed.get(d, 1) for d in names},
        {**drawn(2, 4), **{d: 0 for d in (zero if zero is not None else names[:1])}},
    ]
    used = f"use std::{module}::*;\n"
    recorded = [
        record(used + program, reference, dims, ranges or {}, gradient, rng) for dims in cases
    ]
    rows.setdefault(module, []).append(
        {"name": function, "program": used + program.strip() + "\n", "cases": recorded}
    )


def different(draw, count):
    """As many draws, no two of them alike."""
    found = []
    while len(found) < count:
        one = draw()
        if one not in found:
            found.append(one)
    return found


def inputs_of(program):
    """Name, element type and dimensions of every input."""
    for name, kind, dims in re.findall(r"input (\w+): \[?(\w+)(?:; ([^\]]*))?\]?;", program):
        yield name, kind, [d.strip() for d in dims.split(",")] if dims else []


def record(program, reference, dims, ranges, gradient, rng):
    given = {}
    for name, kind, names in inputs_of(program):
        shape = [int(d) if d.isdigit() else dims[d] for d in names]
        low, high = ranges.get(name, (-2.0, 2.0) if kind == "f64" else (0, 2))
        if name in dims and not names:
            value = torch.tensor(dims[name])
        elif kind == "f64":
            value = torch.tensor(np.round(rng.uniform(low, high, shape), 3), requires_grad=gradient)
        else:
            high = dims[high] if isinstance(high, str) else high
            value = torch.tensor(rng.integers(low, max(high, low + 1), shape))
            if kind == "bool":
                value = value.bool()
        given[name] = value
    results = reference(**given)
    results = results if isinstance(results, dict) else {"y": results}
    case = {
        "inputs": {name: tensor(value) for name, value in given.items()},
        "values": {name: tensor(value) for name, value in results.items()},
    }
    if gradient:
        loss = sum(
            (value * weights(value)).sum()
            for value in results.values()
            if value.is_floating_point()
        )
        floats = {name: value for name, value in given.items() if value.is_floating_point()}
        if isinstance(loss, torch.Tensor) and loss.requires_grad:
            found = torch.autograd.grad(loss, list(floats.values()), allow_unused=True)
        else:
            found = [None] * len(floats)
        case["gradients"] = {
            name: numbers(torch.zeros_like(value) if g is None else g) for (name, value), g in zip(
                floats.items(), found
            )
        }
    return case


def weights(value):
    """Small exact numbers, different in neighbouring cells; test/std/recorded.ts has the same."""
    count = torch.arange(value.numel()).reshape(value.shape)
    return ((count * 7 + 3) % 11 - 5) / 4


def tensor(value):
    dtype = "bool" if value.dtype == torch.bool else "f64" if value.is_floating_point() else "i32"
    return {"dtype": dtype, "shape": list(value.shape), "data": numbers(value)}


def numbers(value):
    return [scalar(v) for v in value.detach().flatten().tolist()]


def scalar(v):
    if isinstance(v, (bool, int)):
        return v
    if v != v or v in (float("inf"), float("-inf")):
        return "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    short = float(f"{v:.15g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def known(value, *slopes):
    """A function of SciPy with its slopes by each argument, for PyTorch."""

    class Known(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            ctx.save_for_backward(*args)
            return torch.tensor(value(*(a.detach().numpy() for a in args)))

        @staticmethod
        def backward(ctx, grad):
            args = [a.detach().numpy() for a in ctx.saved_tensors]
            return tuple(grad * torch.tensor(slope(*args)) for slope in slopes)

    return Known.apply


# ── std::math ───────────────────────────────────────────────────────────────────────────────────


def elementwise(name, reference, low=-3.0, high=3.0, module="math"):
    program = f"input x: [f64; a, b];\nlet y = {name}(x);"
    row(f"{module}::{name}", program, lambda x: reference(x), ranges={"x": (low, high)})


def of_two(name, reference, low=-3.0, high=3.0, names="ab"):
    program = f"input p: [f64; a, b];\ninput q: [f64; a, b];\nlet y = {name}(p, q);"
    row(
        f"math::{name}",
        program,
        lambda p, q: reference(p, q),
        ranges={"p": (low, high), "q": (low, high)},
    )


for name in [
    "abs",
    "ceil",
    "cos",
    "erf",
    "exp",
    "expm1",
    "floor",
    "round",
    "sigmoid",
    "sign",
    "sin",
    "tan",
    "tanh",
]:
    elementwise(name, getattr(torch, name), high=1.4)
for name in ["log", "log1p", "sqrt", "rsqrt", "log2", "log10"]:
    elementwise(name, getattr(torch, name), low=0.01, high=30.0)
for name in ["square", "exp2", "sinh", "cosh", "asinh", "atan"]:
    elementwise(name, getattr(torch, name), low=-9.0, high=9.0)
for name in ["asin", "acos", "atanh"]:
    elementwise(name, getattr(torch, name), low=-0.999, high=0.999)
elementwise("acosh", torch.acosh, low=1.001, high=40.0)
elementwise("radians", torch.deg2rad, low=-400.0, high=400.0)
elementwise("degrees", torch.rad2deg, low=-7.0, high=7.0)
elementwise("sinc", torch.sinc)
elementwise("cbrt", known(np.cbrt, lambda x: 1 / (3 * np.cbrt(x) ** 2)), low=-30.0, high=30.0)
elementwise(
    "erfc",
    known(scipy.special.erfc, lambda x: -2 / np.sqrt(np.pi) * np.exp(-x * x)),
    low=-3.0,
    high=9.0,
)
elementwise("erfinv", torch.special.erfinv, low=-0.999, high=0.999)
elementwise("normal_cdf", torch.special.ndtr, low=-9.0, high=4.0)
elementwise("logit", torch.logit, low=0.001, high=0.999)
elementwise("lgamma", known(scipy.special.gammaln, scipy.special.digamma), low=-6.0, high=30.0)
elementwise(
    "digamma",
    known(scipy.special.digamma, lambda x: scipy.special.polygamma(1, x)),
    low=0.05,
    high=30.0,
)
elementwise(
    "trigamma",
    known(lambda x: scipy.special.polygamma(1, x), lambda x: scipy.special.polygamma(2, x)),
    low=0.05,
    high=30.0,
)
elementwise(
    "gamma",
    known(scipy.special.gamma, lambda x: scipy.special.gamma(x) * scipy.special.digamma(x)),
    low=-5.0,
    high=9.0,
)
of_two("pow", torch.pow, low=0.1)
of_two("max", torch.maximum)
of_two("min", torch.minimum)
of_two("hypot", torch.hypot)
of_two("atan2", torch.atan2)
of_two("logaddexp", torch.logaddexp, low=-40.0, high=40.0)
of_two("xlogy", torch.xlogy, low=0.01)
of_two(
    "beta",
    known(
        scipy.special.beta,
        lambda a, b: scipy.special.beta(a, b) * (
            scipy.special.digamma(a)
            - scipy.special.digamma(a + b)
        ),
        lambda a, b: scipy.special.beta(a, b) * (
            scipy.special.digamma(b)
            - scipy.special.digamma(a + b)
        ),
    ),
    low=0.1,
    high=6.0,
)
row(
    "math::clamp",
    "input x: [f64; a, b];\nlet y = clamp(x, -1.0, 0.5);",
    lambda x: torch.clamp(x, -1.0, 0.5),
)
for name, reference in [("gcd", torch.gcd), ("lcm", torch.lcm)]:
    row(
        f"math::{name}",
        f"input p: [i32; a];\ninput q: [i32; a];\nlet y = {name}(p, q);",
        (lambda of: lambda p, q: of(p, q))(reference),
        ranges={"p": (-60, 60), "q": (-60, 60)},
        gradient=False,
    )
row(
    "math::factorial",
    "input n: [i32; a];\nlet y = factorial(n);",
    lambda n: torch.tensor(scipy.special.factorial(n.numpy())).long(),
    ranges={"n": (0, 13)},
    gradient=False,
)

# ── std::array ──────────────────────────────────────────────────────────────────────────────────

cube = "input x: [f64; a, b, c];\n"


def along(name, reference, call=None, **more):
    row(
        f"array::{name}",
        f"{cube}let y[a, b, c] = {call or name + '[b](x[a, b, c])'};",
        reference,
        zero=["b"],
        **more,
    )


def first_max(x, axis):
    """cummax with ties to the first, as the values are all different."""
    return torch.cummax(x, axis).values if x.shape[axis] else x * 1.0


row(
    "array::range",
    "input n: i32;\nlet y = range(n);",
    lambda n: torch.arange(int(n)),
    sizes=counts,
    gradient=False,
)
row(
    "array::linspace",
    "input p: f64;\ninput q: f64;\ninput n: i32;\nlet y = linspace(p, q, n);",
    lambda p, q, n: p + (q - p) * torch.arange(int(n)) / max(int(n) - 1, 1),
    sizes=counts,
)
row(
    "array::repeat",
    "input v: f64;\ninput n: i32;\nlet y = repeat(v, n);",
    lambda v, n: v.repeat(int(n)),
    sizes=counts,
)
row(
    "array::one_hot",
    "input labels: [i32; a, b];\nlet y = one_hot(labels, 4);",
    lambda labels: F.one_hot(labels, 4) * 1.0 if labels.numel() else torch.zeros(*labels.shape, 4),
    ranges={"labels": (0, 4)},
    gradient=False,
)
row(
    "array::where_true",
    "input mask: [bool; a];\nlet y = where_true(mask);",
    lambda mask: torch.nonzero(mask)[:, 0],
    gradient=False,
)
row("array::transpose", cube + "let y = transpose[a, c](x);", lambda x: x.transpose(0, 2))
row(
    "array::merge",
    cube + "let y[a, p] = merge[b, c](x[a, b, c]);",
    lambda x: x.flatten(1),
    zero=["c"],
)
row("array::flatten", cube + "let y = flatten(x);", lambda x: x.flatten(), zero=["b"])
row(
    "array::concat",
    "input p: [f64; a, b];\ninput q: [f64; a, c];\nlet y[a, j] = concat[b, c](p[a, b], q[a, c]);",
    lambda p, q: torch.cat([p, q], 1),
    zero=["b"],
)
row(
    "array::stack",
    "input p: [f64; a, b];\ninput q: [f64; a, b];\nlet y = stack(p, q);",
    lambda p, q: torch.stack([p, q]),
)
row(
    "array::pad",
    cube + "let y[a, j, c] = pad[b](x[a, b, c], 2, 1, 0.5);",
    lambda x: F.pad(x, (0, 0, 2, 1), value=0.5),
    zero=["b"],
)
along("roll", lambda x: torch.roll(x, 7, 1), "roll[b](x[a, b, c], 7)")
along("flip", lambda x: torch.flip(x, [1]))
row("array::reverse", "input x: [f64; a];\nlet y = reverse(x);", lambda x: torch.flip(x, [0]))
along("cumsum", lambda x: torch.cumsum(x, 1))
along("cumprod", lambda x: torch.cumprod(x, 1))
along("cummax", lambda x: first_max(x, 1))
row("array::diag", "input x: [f64; a];\nlet y = diag(x);", lambda x: torch.diag(x))
row(
    "array::diagonal",
    cube + "let y[a, p] = diagonal[b, c](x[a, b, c]);",
    lambda x: x.diagonal(0, 1, 2),
    zero=["b"],
)
row(
    "array::tril",
    cube + "let y[a, b, c] = tril[b, c](x[a, b, c], 1);",
    lambda x: x.tril(1),
    zero=["c"],
)
row(
    "array::triu",
    cube + "let y[a, b, c] = triu[b, c](x[a, b, c], -1);",
    lambda x: x.triu(-1),
    zero=["b"],
)
row(
    "array::outer",
    "input p: [f64; a];\ninput q: [f64; b];\nlet y = outer(p, q);",
    lambda p, q: torch.outer(p, q),
)
many = [{"a": 2, "b": n, "c": 2} for n in (5, 8, 13, 1, 0)]
along("argsort", lambda x: torch.sort(x, stable=True, dim=1).indices, gradient=False, sizes=many)
along("sort", lambda x: torch.sort(x, stable=True, dim=1).values, sizes=many)


def topk(x):
    values, indices = torch.topk(x, min(2, x.shape[1]), 1)
    return {"v": values, "i": indices}


row(
    "array::topk",
    cube + "let k = min(2, extent(b));\nlet (v, i) = topk[b](x, k);",
    topk,
    sizes=many,
)

# ── std::linalg ─────────────────────────────────────────────────────────────────────────────────

square = "input m: [f64; batch, n, n];\n"
system = square + "input r: [f64; batch, n, k];\n"


def well(m):
    """Far from singular."""
    return m + 3 * torch.eye(m.shape[-1])


def positive(m):
    return m @ m.transpose(-1, -2) + torch.eye(m.shape[-1])


well_text = "let a[b, i, j] = m[b, i, j] + (if i == j { 3.0 } else { 0.0 });\n"
positive_text = (
    "let a[b, i, j] = sum[k](m[b, i, k] * m[b, j, k]) + (if i == j { 1.0 } else { 0.0 });\n"
)

row(
    "linalg::dot",
    "input p: [f64; a, n];\ninput q: [f64; a, n];\nlet y = dot[n](p, q);",
    lambda p, q: (p * q).sum(1),
    zero=["n"],
)
row(
    "linalg::outer",
    "input p: [f64; a];\ninput q: [f64; b];\nlet y = outer(p, q);",
    lambda p, q: torch.outer(p, q),
)
row(
    "linalg::matmul",
    "input p: [f64; i, k];\ninput q: [f64; k, j];\nlet y = matmul(p, q);",
    lambda p, q: p @ q,
    zero=["k"],
)
row(
    "linalg::matmul of batches",
    "input p: [f64; b, c, i, k];\ninput q: [f64; b, c, k, j];\nlet y = matmul(p, q);",
    lambda p, q: p @ q,
    zero=["c"],
)
row(
    "linalg::matvec",
    "input p: [f64; b, i, k];\ninput q: [f64; b, k];\nlet y = matvec(p, q);",
    lambda p, q: torch.einsum("bik,bk->bi", p, q),
)
row(
    "linalg::identity",
    "input n: i32;\nlet y = identity(n);",
    lambda n: torch.eye(int(n)),
    sizes=counts,
    gradient=False,
)
row("linalg::trace", square + "let y = trace(m);", lambda m: torch.einsum("bii->b", m), zero=["n"])
for name, reference in [
    ("norm[b](x[a, b, c])", lambda x: torch.linalg.vector_norm(x, 2, 1)),
    ("norm_1[b](x[a, b, c])", lambda x: torch.linalg.vector_norm(x, 1, 1)),
    ("norm_p[b](x[a, b, c], 3.0)", lambda x: torch.linalg.vector_norm(x, 3, 1)),
]:
    row(f"linalg::{name.split('[')[0]}", cube + f"let y[a, c] = {name};", reference, zero=["b"])
row(
    "linalg::norm_max",
    cube + "let y[a, c] = norm_max[b](x[a, b, c]);",
    lambda x: x.abs().amax(1),
    zero=["a"],
)
row(
    "linalg::frobenius_norm",
    cube + "let y[a] = frobenius_norm[b, c](x[a, b, c]);",
    lambda x: x.norm(dim=(1, 2)),
    zero=["b"],
)
row(
    "linalg::solve_lower",
    system + well_text + "let y = solve_lower(a, r);",
    lambda m, r: torch.linalg.solve_triangular(well(m).tril(), r, upper=False),
    zero=["n"],
)
row(
    "linalg::solve_upper",
    system + well_text + "let y = solve_upper(a, r);",
    lambda m, r: torch.linalg.solve_triangular(well(m).triu(), r, upper=True),
    zero=["n"],
)


row(
    "linalg::cholesky",
    square + positive_text + "let y = cholesky(a);",
    lambda m: torch.linalg.cholesky(positive(m)),
    zero=["n"],
)


def lu(m):
    p, l, u = torch.linalg.lu(m)
    return {
        "o": p.transpose(-1, -2).argmax(-1) if m.shape[-1] else torch.zeros(m.shape[:-1]).long(),
        "l": l,
        "u": u,
    }


row("linalg::lu", square + "let (o, l, u) = lu(m);", lu, zero=["n"])


def qr(m):
    q, r = torch.linalg.qr(m)
    turn = torch.where(r.diagonal(0, -2, -1) < 0, -1.0, 1.0)
    return {"q": q * turn[..., None, :], "r": r * turn[..., :, None]}


tall = [
    {"batch": 2, "n": 4, "k": 3},
    {"batch": 1, "n": 5, "k": 5},
    {"batch": 3, "n": 3, "k": 2},
    {"batch": 1, "n": 1, "k": 1},
]
row(
    "linalg::qr",
    "input m: [f64; batch, n, k];\nlet (q, r) = qr(m);",
    qr,
    sizes=[*tall, {"batch": 0, "n": 3, "k": 2}, {"batch": 2, "n": 2, "k": 0}],
)
row(
    "linalg::qr of wide matrices",
    "input m: [f64; batch, n, k];\nlet (q, r) = qr(m);",
    qr,
    sizes=[
        {"batch": 2, "n": 3, "k": 4},
        {"batch": 1, "n": 2, "k": 5},
        {"batch": 1, "n": 1, "k": 3},
        {"batch": 1, "n": 0, "k": 2},
        {"batch": 2, "n": 4, "k": 5},
    ],
    gradient=False,
)
row(
    "linalg::solve",
    system + "let y = solve(m, r);",
    lambda m, r: torch.linalg.solve(m, r),
    zero=["n"],
)
row(
    "linalg::solve for one vector",
    "input m: [f64; n, n];\ninput r: [f64; n];\nlet y = solve(m, r);",
    lambda m, r: torch.linalg.solve(m, r),
    zero=["n"],
)
row(
    "linalg::solve_positive",
    system + positive_text + "let y = solve_positive(a, r);",
    lambda m, r: torch.linalg.solve(positive(m), r),
    zero=["n"],
)
row("linalg::inverse", square + "let y = inverse(m);", lambda m: torch.linalg.inv(m), zero=["n"])
row("linalg::det", square + "let y = det(m);", lambda m: torch.linalg.det(m), zero=["n"])


def slogdet(m):
    sign, log = torch.linalg.slogdet(m)
    return {"s": sign.detach(), "l": log}


row("linalg::slogdet", square + "let (s, l) = slogdet(m);", slogdet, zero=["n"])

# ── std::ml ─────────────────────────────────────────────────────────────────────────────────────

for name, reference in [
    ("relu", F.relu),
    ("sigmoid", torch.sigmoid),
    ("tanh", torch.tanh),
    ("relu6", F.relu6),
    ("leaky_relu", F.leaky_relu),
    ("elu", F.elu),
    ("selu", F.selu),
    ("silu", F.silu),
    ("gelu", F.gelu),
    ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
    ("softplus", lambda x: F.softplus(x, threshold=1000.0)),
    ("log_sigmoid", F.logsigmoid),
    ("softsign", F.softsign),
    ("mish", F.mish),
    ("hard_tanh", F.hardtanh),
    # PyTorch has 1 / 6 as a float32.
    ("hard_sigmoid", lambda x: torch.clamp(x / 6 + 0.5, 0.0, 1.0)),
    ("hard_swish", lambda x: x * torch.clamp(x / 6 + 0.5, 0.0, 1.0)),
]:
    elementwise(name, reference, low=-7.0, high=7.0, module="ml")

row(
    "ml::softmax",
    cube + "let y[a, b, c] = softmax[b](x[a, b, c]);",
    lambda x: F.softmax(x, 1),
    zero=["b"],
)
row(
    "ml::log_softmax",
    cube + "let y[a, b, c] = log_softmax[b](x[a, b, c]);",
    lambda x: F.log_softmax(x, 1),
    zero=["b"],
)
row(
    "ml::linear",
    "input x: [f64; batch, time, in];\ninput w: [f64; out, in];\ninput b: [f64; out];\n"
    "let y = linear[in, out](x, w, b);",
    lambda x, w, b: F.linear(x, w, b),
    zero=["in"],
)

images = "input x: [f64; batch, c, h, w];\n"
kernel = "input k: [f64; o, i, r, s];\ninput b: [f64; o];\n"


def sizes_of_conv(groups, kernels):
    shapes = [
        (2, 1, 5, 6),
        (1, 2, 4, 7),
        (2, 2, 6, 4),
        (1, 1, kernels[0], kernels[1]),
        (0, 1, 4, 4),
        (1, 1, 1, 1),
    ]
    return [
        {
            "batch": n,
            "c": i * groups,
            "h": h,
            "w": w,
            "o": 2 * groups,
            "i": i,
            "r": kernels[0],
            "s": kernels[1],
        }
        for n, i, h, w in shapes
    ]


def empty_if_small(of, x, k, b, padding, dilation, **more):
    """PyTorch refuses what is smaller than the window; here there is no place for it."""
    sizes = [
        x.shape[2 + n] + 2 * padding - dilation * (k.shape[2 + n] - 1) for n in range(k.dim() - 2)
    ]
    if min(sizes) <= 0:
        count = [max((s - 1) // more["stride"] + 1, 0) for s in sizes]
        return torch.zeros(x.shape[0], k.shape[0], *count) + 0 * (x.sum() + k.sum() + b.sum())
    return of(x, k, b, padding=padding, dilation=dilation, **more)


for stride, padding, dilation, groups, kernels in [
    (1, 0, 1, 1, (3, 3)),
    (2, 1, 1, 1, (3, 2)),
    (1, 2, 2, 1, (2, 3)),
    (2, 1, 2, 2, (2, 2)),
    (3, 0, 1, 3, (1, 1)),
]:
    options = f"stride = {stride}, padding = {padding}, dilation = {dilation}, groups = {groups}"
    row(
        f"ml::conv2d with {options}",
        images + kernel + f"let y = conv2d[c, h, w](x, k, b, {options});",
        (
            lambda s, p, d, g: lambda x, k, b: empty_if_small(
                F.conv2d, x, k, b, stride=s, padding=p, dilation=d, groups=g
            )
        )(
            stride, padding, dilation, groups
        ),
        sizes=sizes_of_conv(groups, kernels),
    )
    row(
        f"ml::conv1d with {options}",
        "input x: [f64; batch, c, w];\ninput k: [f64; o, i, s];\ninput b: [f64; o];\n"
        + f"let y = conv1d[c, w](x, k, b, {options});",
        (
            lambda s, p, d, g: lambda x, k, b: empty_if_small(
                F.conv1d, x, k, b, stride=s, padding=p, dilation=d, groups=g
            )
        )(
            stride, padding, dilation, groups
        ),
        sizes=sizes_of_conv(groups, kernels),
    )

pools = [
    {"a": 2, "h": 5, "w": 6},
    {"a": 1, "h": 4, "w": 4},
    {"a": 3, "h": 7, "w": 2},
    {"a": 1, "h": 2, "w": 2},
    {"a": 0, "h": 3, "w": 3},
]
for size, stride, padding in [(2, 2, 0), (2, 1, 1), (2, 3, 1)]:
    options = f"{size}, stride = {stride}, padding = {padding}"
    for name, reference in [
        ("max_pool2d[h, w]", F.max_pool2d),
        ("avg_pool2d[h, w]", F.avg_pool2d),
    ]:
        row(
            f"ml::{name.split('[')[0]} with {options}",
            f"input x: [f64; a, h, w];\nlet y = {name}(x, {options});",
            (lambda of, k, s, p: lambda x: of(x[:, None], k, s, p)[:, 0])(
                reference, size, stride, padding
            ),
            sizes=pools,
        )
    for name, reference in [("max_pool1d[w]", F.max_pool1d), ("avg_pool1d[w]", F.avg_pool1d)]:
        row(
            f"ml::{name.split('[')[0]} with {options}",
            f"input x: [f64; a, h, w];\nlet y = {name}(x, {options});",
            (lambda of, k, s, p: lambda x: of(x, k, s, p))(reference, size, stride, padding),
            sizes=pools,
        )

row(
    "ml::normalize",
    cube + "let y[a, b, c] = normalize[b](x[a, b, c]);",
    lambda x: F.layer_norm(x.transpose(1, 2), [x.shape[1]]).transpose(1, 2),
    zero=["a"],
)
scaled = "input s: [f64; c];\ninput t: [f64; c];\n"
row(
    "ml::layer_norm",
    cube + scaled + "let y = layer_norm[c](x, s, t);",
    lambda x, s, t: F.layer_norm(x, [x.shape[2]], s, t),
)
row(
    "ml::rms_norm",
    cube + "input s: [f64; c];\nlet y = rms_norm[c](x, s);",
    lambda x, s: F.rms_norm(x, [x.shape[2]], s, 1e-5),
)
several = [
    {"batch": 2, "c": 3, "h": 2, "w": 3},
    {"batch": 3, "c": 1, "h": 1, "w": 4},
    {"batch": 1, "c": 4, "h": 3, "w": 2},
    {"batch": 2, "c": 1, "h": 1, "w": 1},
    {"batch": 3, "c": 0, "h": 2, "w": 2},
]


def batch_norm(x, s, t):
    mean = x.mean((0, 2, 3), keepdim=True)
    variance = ((x - mean) ** 2).mean((0, 2, 3), keepdim=True)
    y = (x - mean) / torch.sqrt(variance + 1e-5) * s[:, None, None] + t[:, None, None]
    if x.numel() > x.shape[1]:
        assert torch.allclose(y, F.batch_norm(x, None, None, s, t, training=True))
    return y


def batch_norm_with(x, m, v, s, t):
    """As F.batch_norm, which has no gradient for mean and variance."""
    per_channel = [each[:, None, None] for each in (m, v, s, t)]
    y = (x - per_channel[0]) / torch.sqrt(per_channel[1] + 1e-5) * per_channel[2] + per_channel[3]
    assert x.numel() == 0 or torch.allclose(y, F.batch_norm(x, m.detach(), v.detach(), s, t))
    return y


row(
    "ml::batch_norm", images + scaled + "let y = batch_norm[c](x, s, t);", batch_norm, sizes=several
)
row(
    "ml::batch_norm_with",
    images
    + "input m: [f64; c];\ninput v: [f64; c];\n"
    + scaled
    + "let y = batch_norm_with[c](x, m, v, s, t);",
    batch_norm_with,
    sizes=several,
    ranges={"v": (0.1, 2.0)},
)
for groups in [1, 2]:
    row(
        f"ml::group_norm with {groups}",
        images + scaled + f"let y = group_norm[c](x, s, t, {groups});",
        (lambda g: lambda x, s, t: F.group_norm(x, g, s, t))(groups),
        sizes=[{**size, "c": groups * 2 if size["c"] else groups} for size in several[:4]] + [
            {"batch": 0, "c": 2, "h": 2, "w": 2}
        ],
    )

qkv = "input q: [f64; b, i, d];\ninput k: [f64; b, j, d];\ninput v: [f64; b, j, e];\n"


def bce(p, t):
    return F.binary_cross_entropy(p, t) if p.numel() else (p * t).mean()


def masked(q, k, v, mask):
    score = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    weight = torch.softmax(score.masked_fill(~mask, float("-inf")), -1)
    return weight.masked_fill(~mask.any(-1, keepdim=True), 0.0) @ v


row(
    "ml::attention",
    qkv + "let y = attention[i, j](q, k, v);",
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    zero=["b"],
)
row(
    "ml::masked_attention",
    qkv + "input m: [bool; i, j];\nlet y = masked_attention[i, j](q, k, v, m);",
    lambda q, k, v, m: masked(q, k, v, m),
    zero=["b"],
)
row(
    "ml::causal_attention",
    "input q: [f64; b, t, d];\ninput k: [f64; b, t, d];\ninput v: [f64; b, t, e];\n"
    "let y = causal_attention[t](q, k, v);",
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    zero=["b"],
)
row(
    "ml::causal_mask",
    "input n: i32;\nlet y = causal_mask(n);",
    lambda n: torch.ones(int(n), int(n)).tril().bool(),
    sizes=counts,
    gradient=False,
)


def multi_head(x, memory, to_q, to_k, to_v, to_model, mask):
    q = torch.einsum("bim,hdm->bhid", x, to_q)
    k = torch.einsum("bjm,hdm->bhjd", memory, to_k)
    v = torch.einsum("bjm,hem->bhje", memory, to_v)
    return torch.einsum("bhie,mhe->bim", masked(q, k, v, mask), to_model)


row(
    "ml::multi_head_attention",
    """
input x: [f64; b, i, m];
input memory: [f64; b, j, m];
input to_q: [f64; h, d, m];
input to_k: [f64; h, d, m];
input to_v: [f64; h, e, m];
input to_model: [f64; m, h, e];
input mask: [bool; i, j];
let y = multi_head_attention[i, j](x, memory, to_q, to_k, to_v, to_model, mask);""",
    multi_head,
    zero=["b"],
)

steps = "input x: [f64; t, b, i];\ninput h0: [f64; b, h];\n"


def run_cell(layer, weights):
    """A recurrent layer of PyTorch with weights that take part in the gradient."""

    def run(*args):
        return torch.func.functional_call(layer, weights, args)

    return run


def rnn(x, h0, w, u, b):
    if 0 in x.shape[:2]:
        return torch.zeros(*x.shape[:2], h0.shape[1])
    layer = torch.nn.RNN(x.shape[2], h0.shape[1])
    weights = {"weight_ih_l0": w, "weight_hh_l0": u, "bias_ih_l0": b, "bias_hh_l0": 0 * b}
    return run_cell(layer, weights)(x, h0[None])[0]


row(
    "ml::rnn",
    steps + "input w: [f64; h, i];\ninput u: [f64; h, h];\ninput b: [f64; h];\n"
    "let y = rnn[t](x, h0, w, u, b);",
    rnn,
    zero=["t"],
)


def gru(x, h0, w, u, p, q):
    if 0 in x.shape[:2]:
        return torch.zeros(*x.shape[:2], h0.shape[1])
    layer = torch.nn.GRU(x.shape[2], h0.shape[1])
    weights = {
        "weight_ih_l0": w.flatten(0, 1),
        "weight_hh_l0": u.flatten(0, 1),
        "bias_ih_l0": p.flatten(),
        "bias_hh_l0": q.flatten(),
    }
    return run_cell(layer, weights)(x, h0[None])[0]


row(
    "ml::gru",
    steps
    + "input w: [f64; 3, h, i];\ninput u: [f64; 3, h, h];\ninput p: [f64; 3, h];\n"
    "input q: [f64; 3, h];\n"
    + "let y = gru[t](x, h0, w, u, p, q);",
    gru,
    zero=["t"],
)


def lstm(x, h0, c0, w, u, b):
    """The memory after every step is the state that shorter runs leave."""
    if 0 in x.shape[:2]:
        return {
            "y": torch.zeros(*x.shape[:2], h0.shape[1]), "c": torch.zeros(*x.shape[:2], h0.shape[1])
        }
    layer = torch.nn.LSTM(x.shape[2], h0.shape[1])
    weights = {
        "weight_ih_l0": w.flatten(0, 1),
        "weight_hh_l0": u.flatten(0, 1),
        "bias_ih_l0": b.flatten(),
        "bias_hh_l0": 0 * b.flatten(),
    }
    run = run_cell(layer, weights)
    memory = [run(x[: t + 1], (h0[None], c0[None]))[1][1][0] for t in range(len(x))]
    return {"y": run(x, (h0[None], c0[None]))[0], "c": torch.stack(memory)}


row(
    "ml::lstm",
    steps
    + "input c0: [f64; b, h];\ninput w: [f64; 4, h, i];\ninput u: [f64; 4, h, h];\n"
    "input b: [f64; 4, h];\n"
    + "let (y, c) = lstm[t](x, h0, c0, w, u, b);",
    lstm,
    zero=["t"],
)

pair = "input p: [f64; a, b];\ninput t: [f64; a, b];\n"
row("ml::mse", pair + "let y = mse(p, t);", lambda p, t: F.mse_loss(p, t))
row("ml::mae", pair + "let y = mae(p, t);", lambda p, t: F.l1_loss(p, t))
row("ml::huber", pair + "let y = huber(p, t, 0.7);", lambda p, t: F.huber_loss(p, t, delta=0.7))
labelled = "input z: [f64; a, c];\ninput l: [i32; a];\n"
row(
    "ml::cross_entropy",
    labelled + "let y = cross_entropy(z, l);",
    lambda z, l: F.cross_entropy(z, l),
    ranges={"l": (0, "c")},
)
row(
    "ml::nll",
    labelled + "let y = nll(z, l);",
    lambda z, l: F.nll_loss(z, l),
    ranges={"l": (0, "c")},
)
likely = {"p": (0.05, 0.95), "t": (0.0, 1.0)}
row(
    "ml::binary_cross_entropy",
    pair + "let y = binary_cross_entropy(p, t);",
    lambda p, t: bce(p, t),
    ranges=likely,
)
row(
    "ml::binary_cross_entropy_with_logits",
    pair + "let y = binary_cross_entropy_with_logits(p, t);",
    lambda p, t: F.binary_cross_entropy_with_logits(p, t),
    ranges={"p": (-30.0, 30.0), "t": (0.0, 1.0)},
)
row(
    "ml::kl_divergence",
    pair + "let y = kl_divergence[b](p, t);",
    lambda p, t: (t * (t.log() - p)).sum(1).mean(),
    ranges={"t": (0.01, 1.0)},
)
row("ml::hinge", pair + "let y = hinge(p, t);", lambda p, t: F.relu(1 - t * p).mean())
row(
    "ml::cosine_similarity",
    cube + "input z: [f64; a, b, c];\nlet y[a, c] = cosine_similarity[b](x[a, b, c], z[a, b, c]);",
    lambda x, z: F.cosine_similarity(x, z, 1),
)

# ── std::optim ──────────────────────────────────────────────────────────────────────────────────

# A valley that is steeper in some directions. The gradients go through all steps, to the shape of
# the valley and to the start.
valley = """
input start: [f64; n];
input target: [f64; n];
input steep: [f64; n];
fn slope(w: [f64; n]) -> [f64; n] {
  let loss = sum[i](steep[i] * (w[i] - target[i]) ** 2.0) + 0.1 * sum[i](w[i]) ** 2.0;
  (@loss / @w)[n]
}
"""


def descend(optimizer, steps, **options):
    def run(start, target, steep):
        w, state, path = start, {}, [start]
        for t in range(1, steps + 1):
            slope = 2 * steep * (w - target) + 0.2 * w.sum()
            w = optimizer(w, slope, state, t, **options)
            path.append(w)
        check(optimizer, path, start, target, steep, **options)
        return torch.stack(path)

    return run


def sgd(w, slope, state, t, rate):
    return w - rate * slope


def momentum(w, slope, state, t, rate, decay):
    state["v"] = decay * state.get("v", 0) + slope
    return w - rate * state["v"]


def adam(w, slope, state, t, rate):
    state["m"] = 0.9 * state.get("m", 0) + 0.1 * slope
    state["v"] = 0.999 * state.get("v", 0) + 0.001 * slope**2
    return w - rate * state["m"] / (1 - 0.9**t) / (torch.sqrt(state["v"] / (1 - 0.999**t)) + 1e-8)


def check(optimizer, path, start, target, steep, rate, decay=0):
    """Checks the formulas above against torch.optim, which has no gradients through its steps."""
    w = torch.nn.Parameter(start.detach().clone())
    made = {
        "sgd": lambda: torch.optim.SGD([w], lr=rate),
        "momentum": lambda: torch.optim.SGD([w], lr=rate, momentum=decay),
        "adam": lambda: torch.optim.Adam([w], lr=rate),
    }[optimizer.__name__]()
    for state in path[1:]:
        made.zero_grad()
        loss = (steep.detach() * (w - target.detach()) ** 2).sum() + 0.1 * w.sum() ** 2
        loss.backward()
        made.step()
        assert torch.allclose(w, state, rtol=1e-12, atol=1e-12), optimizer


cells = "input w: [f64; n];\ninput m: [f64; n];\ninput g: [f64; n];\n"
row("optim::sgd_step", cells + "let y = sgd_step(w, g, 0.1);", lambda w, m, g: w - 0.1 * g + 0 * m)
row(
    "optim::momentum_step",
    cells + "let y = momentum_step(m, g);",
    lambda w, m, g: 0.9 * m + g + 0 * w,
)
row(
    "optim::adam_mean",
    cells + "let y = adam_mean(m, g);",
    lambda w, m, g: 0.9 * m + 0.1 * g + 0 * w,
)
row(
    "optim::adam_square",
    cells + "let y = adam_square(m, g);",
    lambda w, m, g: 0.999 * m + 0.001 * g * g + 0 * w,
)
row(
    "optim::adam_step",
    cells + "let y = adam_step(w, m, g, 3);",
    lambda w, m, g: w - 0.001 * m / (1 - 0.9**3) / (torch.sqrt(g / (1 - 0.999**3)) + 1e-8),
    ranges={"g": (0.01, 2.0)},
)
bowl = {"steep": (0.1, 1.0)}
row(
    "optim::sgd",
    valley + "let y = sgd(slope, start, 0.1, 6);",
    descend(sgd, 6, rate=0.1),
    ranges=bowl,
)
row(
    "optim::momentum",
    valley + "let y = momentum(slope, start, 0.05, 6, 0.8);",
    descend(momentum, 6, rate=0.05, decay=0.8),
    ranges=bowl,
)
row(
    "optim::adam",
    valley + "let y = adam(slope, start, 0.1, 6);",
    descend(adam, 6, rate=0.1),
    ranges=bowl,
)

# ── Writing ─────────────────────────────────────────────────────────────────────────────────────

FOLDER.mkdir(exist_ok=True)
for module, recorded in rows.items():
    lines = [json.dumps(each, separators=(",", ":")) for each in recorded]
    (FOLDER / f"{module}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(module, len(recorded), "rows")

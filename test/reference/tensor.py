"""Records the values and gradients of PyTorch for every operation of the eager tensor.

Writes test/tensor/pytorch.json: a list of calls on random shapes, each with its operands, options,
result and gradients. Run it after adding an operation: `python3 test/reference/tensor.py` (needs
torch and numpy).
"""

import json
import pathlib

import numpy as np
import torch

torch.manual_seed(0)
random = np.random.default_rng(20261115)
calls = []


def numbers(t):
    if t.dtype == torch.bool:
        return [bool(x) for x in t.flatten().tolist()]
    if t.is_floating_point():
        return [text(float(np.float32(x))) for x in t.detach().flatten().tolist()]
    return [int(x) for x in t.flatten().tolist()]


def text(x):
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    return float(f"{x:.9g}")


def dtype(t):
    return {torch.bool: "bool", torch.float32: "f32", torch.float64: "f32"}.get(t.dtype, "i32")


def operand(t):
    return {"dtype": dtype(t), "shape": list(t.shape), "data": numbers(t)}


def draw(shape, low=-2.0, high=2.0):
    return torch.tensor(random.uniform(low, high, shape).astype(np.float32)).reshape(shape)


def integers(shape, low, high):
    return torch.tensor(random.integers(low, high, shape).astype(np.int32)).reshape(shape)


def exact(t):
    return t.double() if t.is_floating_point() else t


def distance(a, b):
    """How far PyTorch's own f32 is from its f64: what f32 accuracy means for this call."""
    difference = (a.double() - b.double()).abs()
    finite = difference[torch.isfinite(difference)]
    return 0.0 if finite.numel() == 0 else float(f"{finite.max().item():.3g}")


def call(name, f, operands, options=None, gradient=True):
    """Runs f in f64 and f32, with gradients weighted by a fixed tensor, and records the exact
    numbers and the distance."""
    leaves = [t.clone().requires_grad_(gradient and t.is_floating_point()) for t in operands]
    precise = [
        exact(t).clone().requires_grad_(gradient and t.is_floating_point()) for t in operands
    ]
    result, truth = f(*leaves), f(*precise)
    entry = {"call": name, "operands": [operand(t) for t in operands]}
    entry["result"] = {"dtype": dtype(result), "shape": list(result.shape), "data": numbers(truth)}
    if result.is_floating_point():
        entry["off"] = distance(result, truth)
    if options is not None:
        entry["options"] = options
    if result.requires_grad:
        weights = draw(tuple(result.shape), 0.5, 1.5)
        result.backward(weights)
        truth.backward(weights.double())
        entry["weights"] = numbers(weights)
        entry["gradients"] = [None if t.grad is None else numbers(t.grad) for t in precise]
        entry["gradientsOff"] = [
            0 if a.grad is None else distance(a.grad, b.grad) for a, b in zip(leaves, precise)
        ]
    calls.append(entry)


# Pairs of shapes that broadcast, extents 0 and 1 among them.
pairs = [
    ((3,), (3,)),
    ((), (2, 3)),
    ((2, 3), (3,)),
    ((4, 1), (1, 5)),
    ((2, 1, 3), (4, 1)),
    ((0, 3), (3,)),
    ((1, 1), (2, 2)),
]
torch_names = {
    "equal": "eq",
    "notEqual": "ne",
    "less": "lt",
    "lessEqual": "le",
    "greater": "gt",
    "greaterEqual": "ge",
}
shapes = [(), (5,), (2, 3), (0, 4), (1, 3, 1), (2, 3, 4)]

for a, b in pairs:
    call("add", torch.add, [draw(a), draw(b)])
    call("subtract", torch.subtract, [draw(a), draw(b)])
    call("multiply", torch.multiply, [draw(a), draw(b)])
    call("divide", torch.divide, [draw(a), draw(b, 0.5, 2)])
    call("pow", torch.pow, [draw(a, 0.5, 2), draw(b)])
    call("maximum", torch.maximum, [draw(a), draw(b)])
    call("minimum", torch.minimum, [draw(a), draw(b)])
    call("where", torch.where, [draw(a) > 0, draw(a), draw(b)])
    for name in ["equal", "notEqual", "less", "lessEqual", "greater", "greaterEqual"]:
        call(name, getattr(torch, torch_names[name]), [integers(a, 0, 3), integers(b, 0, 3)])

call("maximum", torch.maximum, [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 2.0, 2.0])])
call("minimum", torch.minimum, [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 2.0, 2.0])])

for s in shapes:
    call("negative", torch.negative, [draw(s)])
    call("exp", torch.exp, [draw(s)])
    call("log", torch.log, [draw(s, 0.1, 3)])
    call("sqrt", torch.sqrt, [draw(s, 0.1, 3)])
    call("tanh", torch.tanh, [draw(s)])
    call("sigmoid", torch.sigmoid, [draw(s)])
    call("relu", torch.relu, [draw(s)])
    call("abs", torch.abs, [draw(s)])
    call("sin", torch.sin, [draw(s)])
    call("cos", torch.cos, [draw(s)])
    call("erf", torch.erf, [draw(s)])
    call("gelu", torch.nn.functional.gelu, [draw(s)])
    call(
        "gelu",
        lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
        [draw(s)],
        {"approximate": "tanh"},
    )
    call("clamp", lambda x: x.clamp(-0.5, 0.7), [draw(s)], [-0.5, 0.7])
    call("clamp", lambda x: x.clamp(min=0.1), [draw(s)], [0.1, None])
    call("clamp", lambda x: x.clamp(max=0.1), [draw(s)], [None, 0.1])
call("abs", torch.abs, [torch.tensor([0.0, -0.0, 1.0])])
call("clamp", lambda x: x.clamp(0.0, 1.0), [torch.tensor([0.0, 1.0, 2.0, 0.5])], [0.0, 1.0])
call("clamp", lambda x: x.clamp(min=1.0), [torch.tensor([0.0, 1.0, 2.0])], [1.0, None])
call("clamp", lambda x: x.clamp(max=1.0), [torch.tensor([0.0, 1.0, 2.0])], [None, 1.0])

reductions = [
    ((2, 3, 4), None),
    ((2, 3, 4), 1),
    ((2, 3, 4), [0, 2]),
    ((2, 3, 4), -1),
    ((1, 3), 0),
    ((5,), 0),
    ((3, 1, 2), [0, 1]),
]
for s, dim in reductions:
    for keepdim in [False, True]:
        if dim is None and keepdim:
            continue
        options = {"dim": dim, "keepdim": keepdim} if dim is not None else {}
        along = {"dim": dim, "keepdim": keepdim} if dim is not None else {}
        call("sum", lambda x: torch.sum(x, **along), [draw(s)], options)
        call("mean", lambda x: torch.mean(x, **along), [draw(s)], options)
        every = dim if dim is not None else list(range(len(s)))
        call(
            "logsumexp",
            lambda x: torch.logsumexp(x, every, keepdim if dim is not None else False),
            [draw(s)],
            options,
        )
        call(
            "var",
            lambda x: torch.var(x, every, correction=0, keepdim=keepdim),
            [draw(s)],
            {**options, "correction": 0},
        )
        count = int(np.prod([s[d] for d in (every if isinstance(every, list) else [every])]))
        if count > 1:
            call(
                "var",
                lambda x: torch.var(x, every, correction=1, keepdim=keepdim),
                [draw(s)],
                options,
            )
        if dim is None:
            call("prod", torch.prod, [draw(s)], {})
            call("max", torch.max, [draw(s)], {})
            call("min", torch.min, [draw(s)], {})
            call("argmax", torch.argmax, [draw(s)], {})
            call("argmin", torch.argmin, [draw(s)], {})
        elif isinstance(dim, int):
            call("prod", lambda x: torch.prod(x, **along), [draw(s)], options)
            call("max", lambda x: torch.max(x, **along).values, [draw(s)], options)
            call("min", lambda x: torch.min(x, **along).values, [draw(s)], options)
            call("argmax", lambda x: torch.argmax(x, **along), [draw(s)], options)
            call("argmin", lambda x: torch.argmin(x, **along), [draw(s)], options)
call("sum", lambda x: torch.sum(x, 0), [draw((0, 3))], {"dim": 0})
call("prod", lambda x: torch.prod(x, 1), [draw((2, 0))], {"dim": 1})
call("prod", torch.prod, [torch.tensor([2.0, 0.0, 3.0])], {})
call("prod", torch.prod, [torch.tensor([0.0, 0.0, 3.0])], {})
call("max", torch.max, [torch.tensor([3.0, 1.0, 3.0])], {})
call("min", torch.min, [torch.tensor([1.0, 1.0, 3.0])], {})
call("sum", torch.sum, [draw(())], {})

for s, dim in [((5,), 0), ((2, 3), -1), ((2, 3), 0), ((2, 3, 4), 1), ((0, 3), 1), ((2, 1), 1)]:
    call("softmax", lambda x: torch.softmax(x, dim), [draw(s)], dim)
    call("logSoftmax", lambda x: torch.log_softmax(x, dim), [draw(s)], dim)

for a, b in [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((3,), (2, 3, 4)),
    ((2, 0), (0, 3)),
    ((1, 1), (1, 1)),
    ((17, 33), (33, 19)),
]:
    call("matmul", torch.matmul, [draw(a), draw(b)])
for equation, operands in [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
    ("ij->ji", [(2, 3)]),
    ("ii->i", [(3, 3)]),
    ("ii", [(3, 3)]),
    ("i,j->ij", [(2,), (3,)]),
    ("ijk,jil->kl", [(2, 3, 4), (3, 2, 5)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
    ("...ij,...jk->...ik", [(5, 2, 3), (3, 2)]),
    ("bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 5, 4)]),
]:
    call("einsum", lambda *xs: torch.einsum(equation, *xs), [draw(s) for s in operands], equation)

call("reshape", lambda x: x.reshape(3, 2), [draw((2, 3))], [3, 2])
call("reshape", lambda x: x.reshape(-1), [draw((2, 3, 2))], [-1])
call("reshape", lambda x: x.reshape(4, -1), [draw((2, 2, 3))], [4, -1])
call("reshape", lambda x: x.reshape(()), [draw((1,))], [])
call("permute", lambda x: x.permute(2, 0, 1), [draw((2, 3, 4))], [2, 0, 1])
call("permute", lambda x: x.permute(1, 0), [draw((0, 4))], [1, 0])
call("transpose", lambda x: x.mT, [draw((2, 3, 4))])
call("squeeze", lambda x: x.squeeze(), [draw((1, 3, 1))])
call("squeeze", lambda x: x.squeeze(2), [draw((1, 3, 1))], 2)
call("unsqueeze", lambda x: x.unsqueeze(1), [draw((2, 3))], 1)
call("unsqueeze", lambda x: x.unsqueeze(-1), [draw((2,))], -1)
call("expand", lambda x: x.expand(4, 2, 3), [draw((2, 1))], [4, 2, 3])
call("expand", lambda x: x.expand(2, 3), [draw(())], [2, 3])
call("expand", lambda x: x.expand(0, 3), [draw((1, 3))], [0, 3])
for dim in [0, 1, -1]:
    call(
        "concat",
        lambda *xs: torch.cat(xs, dim),
        [draw((2, 3, 2)), draw((2, 3, 2)), draw((2, 3, 2))],
        dim,
    )
    call("stack", lambda *xs: torch.stack(xs, dim), [draw((2, 3)), draw((2, 3))], dim)
call("concat", lambda *xs: torch.cat(xs, 0), [draw((2, 3)), draw((0, 3)), draw((1, 3))], 0)
call("flip", lambda x: x.flip(0), [draw((3, 2))], [0])
call("flip", lambda x: x.flip(0, 2), [draw((3, 2, 4))], [0, 2])
call(
    "pad",
    lambda x: torch.nn.functional.pad(x, (1, 2, 0, 1), value=3.0),
    [draw((2, 3))],
    {"amounts": [[0, 1], [1, 2]], "value": 3.0},
)
call(
    "pad",
    lambda x: torch.nn.functional.pad(x, (2, 0), value=0.0),
    [draw((2, 3))],
    {"amounts": [[0, 0], [2, 0]], "value": 0.0},
)
call("split", lambda x: torch.split(x, 2, 1)[1], [draw((2, 5))], {"sizes": 2, "dim": 1, "part": 1})
call(
    "split",
    lambda x: torch.split(x, [1, 3], 0)[1],
    [draw((4, 2))],
    {"sizes": [1, 3], "dim": 0, "part": 1},
)

indices = [
    (((4,), lambda x: x[2]), [2]),
    (((4, 3), lambda x: x[-1]), [-1]),
    (((4, 3), lambda x: x[1:3, 0:3:2]), [[1, 3, 1], [0, 3, 2]]),
    (((4, 3), lambda x: x[:, 1]), [[None, None, 1], 1]),
    (((2, 3, 4), lambda x: x[1, 1:, 2]), [1, [1, None, 1], 2]),
    (((5,), lambda x: x[3:3]), [[3, 3, 1]]),
]
for (s, f), items in indices:
    call("index", f, [draw(s)], items)
i = integers((3,), 0, 4)
j = integers((3,), 0, 3)
call("index", lambda x: x[i.long()], [draw((4, 3))], [{"tensor": operand(i)}])
call(
    "index",
    lambda x: x[i.long(), j.long()],
    [draw((4, 3))],
    [{"tensor": operand(i)}, {"tensor": operand(j)}],
)
call("index", lambda x: x[:, j.long()], [draw((4, 3))], [[None, None, 1], {"tensor": operand(j)}])
k = integers((2, 2), 0, 4)
call("index", lambda x: x[k.long()], [draw((4, 3))], [{"tensor": operand(k)}])
call(
    "index",
    lambda x: x[j.long(), :, i.long()],
    [draw((3, 2, 4))],
    [{"tensor": operand(j)}, [None, None, 1], {"tensor": operand(i)}],
)
m = draw((4,)) > 0
call("index", lambda x: x[m], [draw((4, 3))], [{"tensor": operand(m)}])
m2 = draw((4, 3)) > 0
call("index", lambda x: x[m2], [draw((4, 3))], [{"tensor": operand(m2)}])

for shape, classes in [((4, 3), (4,)), ((3,), ()), ((2, 3, 2), (2, 2)), ((1, 5), (1,))]:
    for reduction in ["mean", "sum", "none"]:
        target = integers(classes, 0, 3)
        call(
            "crossEntropy",
            lambda x: torch.nn.functional.cross_entropy(x, target.long(), reduction=reduction),
            [draw(shape)],
            {"classes": operand(target), "reduction": reduction},
        )
for s, own in [((2, 3), [3]), ((4, 2, 3), [2, 3]), ((5,), [5]), ((0, 3), [3])]:
    call(
        "layerNorm",
        lambda x, w, b: torch.nn.functional.layer_norm(x, own, w, b, 1e-5),
        [draw(s), draw(tuple(own)), draw(tuple(own))],
        {"shape": own},
    )
    call("layerNorm", lambda x: torch.nn.functional.layer_norm(x, own), [draw(s)], {"shape": own})

for x, w, options in [
    ((1, 1, 4, 4), (1, 1, 2, 2), {}),
    ((2, 3, 5, 5), (4, 3, 3, 3), {"padding": 1}),
    ((2, 3, 6, 5), (2, 3, 3, 2), {"stride": 2, "padding": [1, 0]}),
    ((1, 2, 7, 7), (2, 2, 3, 3), {"dilation": 2}),
    ((2, 4, 5, 5), (6, 2, 3, 3), {"groups": 2, "padding": 1}),
    ((1, 4, 5, 5), (4, 1, 3, 3), {"groups": 4, "stride": 2, "padding": 1}),
    ((1, 3, 4, 4), (2, 3, 1, 1), {}),
]:
    call(
        "conv2d",
        lambda a, b: torch.nn.functional.conv2d(a, b, **options),
        [draw(x), draw(w)],
        options,
    )
    call(
        "conv2d",
        lambda a, b, c: torch.nn.functional.conv2d(a, b, c, **options),
        [draw(x), draw(w), draw((w[0],))],
        {**options, "bias": True},
    )
for x, window, options in [
    ((1, 1, 4, 4), 2, {}),
    ((2, 3, 5, 6), [2, 3], {}),
    ((1, 2, 5, 5), 3, {"stride": 2, "padding": 1}),
    ((1, 1, 6, 6), 2, {"stride": 1, "dilation": 2}),
]:
    call(
        "maxPool2d",
        lambda a: torch.nn.functional.max_pool2d(a, window, **options),
        [draw(x)],
        {"window": window, **options},
    )
rows = integers((2, 3), 0, 5)
call(
    "embedding",
    lambda t: torch.nn.functional.embedding(rows.long(), t),
    [draw((5, 4))],
    operand(rows),
)

# Extents 0 and 1, several axes at once, axes counted from the end.
for s, dim in [
    ((0, 3), 0),
    ((0, 3), 1),
    ((2, 0, 3), [0, 2]),
    ((1,), 0),
    ((1, 1), [0, 1]),
    ((2, 3, 4), [-1, 0]),
    ((2, 3, 4), [-3, -2, -1]),
]:
    for keepdim in [False, True]:
        along = {"dim": dim, "keepdim": keepdim}
        call("sum", lambda x: torch.sum(x, **along), [draw(s)], along)
        call("mean", lambda x: torch.mean(x, **along), [draw(s)], along)
        call("logsumexp", lambda x: torch.logsumexp(x, **along), [draw(s)], along)
        call(
            "var",
            lambda x: torch.var(x, correction=0, **along),
            [draw(s)],
            {**along, "correction": 0},
        )
        if 0 not in [s[d] for d in (dim if isinstance(dim, list) else [dim])]:
            call("max", lambda x: torch.amax(x, **along), [draw(s)], along)
            call("min", lambda x: torch.amin(x, **along), [draw(s)], along)


def prod_of(x, dims, keepdim):
    for d in sorted((d % x.dim() for d in dims), reverse=True):
        x = torch.prod(x, d, keepdim)
    return x


for dims in [[0, 2], [-1, 1], [0, 1, 2]]:
    for keepdim in [False, True]:
        call(
            "prod",
            lambda x: prod_of(x, dims, keepdim),
            [draw((2, 3, 2))],
            {"dim": dims, "keepdim": keepdim},
        )
for s in [(2, 3), (1, 4)]:
    every = list(range(len(s)))
    call("sum", lambda x: torch.sum(x, every, True), [draw(s)], {"keepdim": True})
    call("mean", lambda x: torch.mean(x, every, True), [draw(s)], {"keepdim": True})
    call("prod", lambda x: prod_of(x, every, True), [draw(s)], {"keepdim": True})
    call("logsumexp", lambda x: torch.logsumexp(x, every, True), [draw(s)], {"keepdim": True})
    call(
        "var",
        lambda x: torch.var(x, every, correction=1, keepdim=True),
        [draw(s)],
        {"keepdim": True},
    )
    call(
        "argmax",
        lambda x: torch.argmax(x.flatten()).reshape([1] * len(s)),
        [draw(s)],
        {"keepdim": True},
    )
    call(
        "argmin",
        lambda x: torch.argmin(x.flatten()).reshape([1] * len(s)),
        [draw(s)],
        {"keepdim": True},
    )
for correction in [2, 0.5, 0]:
    call(
        "var",
        lambda x: torch.var(x, 1, correction=correction),
        [draw((3, 4))],
        {"dim": 1, "correction": correction},
    )
    call(
        "var",
        lambda x: torch.var(x, [0, 1], correction=correction),
        [draw((3, 4))],
        {"correction": correction},
    )
call("var", lambda x: torch.var(x, 0), [draw((1, 3))], {"dim": 0})
# Where cells tie along an axis the first one wins; the whole tensor shares.
tied = torch.tensor([[3.0, 1.0, 3.0], [2.0, 2.0, 0.0]])
for name in ["max", "min"]:
    call(name, lambda x: getattr(torch, name)(x, 1).values, [tied], {"dim": 1})
    call(name, getattr(torch, name), [tied], {})
    call(name, getattr(torch, name), [torch.tensor([1.0, float("nan"), 3.0])], {})
    call(
        name,
        lambda x: getattr(torch, name)(x, 0).values,
        [torch.tensor([1.0, float("nan"), 3.0])],
        {"dim": 0},
    )
    call(f"arg{name}", lambda x: getattr(torch, f"arg{name}")(x, 1), [tied], {"dim": 1})
    call(
        f"arg{name}",
        lambda x: getattr(torch, f"arg{name}")(x, -1, True),
        [tied],
        {"dim": -1, "keepdim": True},
    )
    call(f"arg{name}", getattr(torch, f"arg{name}"), [torch.tensor([1.0, float("nan"), 3.0])], {})
    call(
        f"{name}imum",
        getattr(torch, f"{name}imum"),
        [torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([2.0, 0.0, -1.0])],
        gradient=False,
    )

# The ends of the numbers.
inf = float("inf")
ends = [0.0, -0.0, 1e-30, -1e-30, 30.0, -30.0, 100.0, -100.0, inf, -inf, float("nan")]
for name in ["negative", "exp", "log", "sqrt", "tanh", "sigmoid", "abs", "erf"]:
    call(name, getattr(torch, name), [torch.tensor(ends)], gradient=False)
call("relu", torch.relu, [torch.tensor(ends)], gradient=False)
call("clamp", lambda x: x.clamp(-1.0, 1.0), [torch.tensor(ends)], [-1.0, 1.0], gradient=False)
call("exp", torch.exp, [torch.tensor([0.0, -100.0, 50.0])])
call("log", torch.log, [torch.tensor([1e-30, 1e30])])
call("sqrt", torch.sqrt, [torch.tensor([0.0, 4.0])])
call("tanh", torch.tanh, [torch.tensor([0.0, 30.0, -30.0])])
call("sigmoid", torch.sigmoid, [torch.tensor([0.0, 30.0, -100.0, 100.0])])
call("divide", torch.divide, [torch.tensor([1.0, -1.0, 0.0]), torch.tensor([0.0, 0.0, 2.0])])
call(
    "pow",
    torch.pow,
    [torch.tensor([0.0, 0.0, 2.0, -2.0, -2.0]), torch.tensor([0.0, 2.0, 0.0, 2.0, 3.0])],
    gradient=False,
)
call("pow", lambda x: x.pow(2), [torch.tensor([0.0, -2.0, 3.0])], 2)
call("pow", lambda x: x.pow(3), [torch.tensor([0.0, -2.0, 3.0])], 3)
call("pow", lambda x: x.pow(0), [torch.tensor([0.0, -2.0, 3.0])], 0)
call("pow", lambda x: x.pow(0.5), [torch.tensor([4.0, 2.0])], 0.5)
call("pow", lambda x: x.pow(-1), [torch.tensor([4.0, -2.0])], -1)
call(
    "logsumexp", lambda x: torch.logsumexp(x, 0), [torch.tensor([1000.0, 1000.0, -inf])], {"dim": 0}
)
call("softmax", lambda x: torch.softmax(x, 0), [torch.tensor([1000.0, 999.0, -inf])], 0)
call("logSoftmax", lambda x: torch.log_softmax(x, 0), [torch.tensor([1000.0, 999.0, -1000.0])], 0)
for name in ["equal", "notEqual", "less", "lessEqual", "greater", "greaterEqual"]:
    call(
        name,
        getattr(torch, torch_names[name]),
        [
            torch.tensor([1.0, float("nan"), inf, 0.0]),
            torch.tensor([1.0, float("nan"), -inf, -0.0]),
        ],
    )

# Integers and bools, and what comes of them beside floats.
a, b = integers((2, 3), -5, 6), integers((3,), 1, 6)
for name in ["add", "subtract", "multiply", "divide", "maximum", "minimum"]:
    call(name, getattr(torch, name), [a, b])
    call(name, getattr(torch, name), [a, draw((3,), 0.5, 2)])
call("negative", torch.negative, [a])
call("abs", torch.abs, [a])
call("relu", torch.relu, [a])
call("pow", torch.pow, [a, integers((3,), 0, 4)])
for options in [{}, {"dim": 1}, {"dim": 0, "keepdim": True}]:
    call("sum", lambda x: torch.sum(x, **options), [a], options)
    call("sum", lambda x: torch.sum(x, **options), [a > 0], options)
    call(
        "max",
        lambda x: torch.amax(x, options.get("dim", [0, 1]), options.get("keepdim", False)),
        [a],
        options,
    )
call("where", torch.where, [torch.tensor([[True], [False]]), draw((3,)), draw((2, 1))])
call("where", torch.where, [torch.tensor(True), draw((0, 3)), draw((3,))])
call("where", torch.where, [a > 0, a, draw((3,))])
call(
    "clamp",
    lambda x, low, high: x.clamp(low, high),
    [draw((2, 3)), draw((3,), -1, 0), draw((2, 1), 0, 1)],
    "tensors",
)

for x, y in [
    ((1, 0), (0, 1)),
    ((0, 2), (2, 3)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 3)),
    ((1, 2, 3), (5, 3, 2)),
    ((2, 1, 1, 3), (1, 4, 3, 1)),
    ((0, 2, 3), (3, 2)),
]:
    call("matmul", torch.matmul, [draw(x), draw(y)])
for equation, operands in [
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ba", [(2, 3)]),
    ("i,i", [(3,), (3,)]),
    ("ijk->j", [(2, 3, 4)]),
    ("iij->j", [(2, 2, 3)]),
    ("ii,i->i", [(3, 3), (3,)]),
    ("...i->...", [(2, 3, 4)]),
    ("...->", [(2, 3)]),
    ("i...,i...->...", [(2, 3, 1), (2, 4)]),
    (" b i , b j -> b i j ", [(2, 3), (2, 1)]),
    (",ij->ji", [(), (2, 3)]),
    ("ij,ij,ij->i", [(2, 3), (2, 3), (2, 3)]),
    ("ij,jk->ik", [(2, 0), (0, 3)]),
    ("aB,Bc->ac", [(2, 3), (3, 2)]),
]:
    call("einsum", lambda *xs: torch.einsum(equation, *xs), [draw(s) for s in operands], equation)

call("reshape", lambda x: x.reshape(3, 0), [draw((0, 4))], [3, 0])
call("reshape", lambda x: x.reshape(1, 1, 1), [draw(())], [1, 1, 1])
call("permute", lambda x: x.permute(-1, 0, -2), [draw((2, 3, 4))], [-1, 0, -2])
call("permute", lambda x: x.permute(1, 2, 0), [draw((1, 3, 1))], [1, 2, 0])
call("transpose", lambda x: x.mT, [draw((2, 3))])
call("transpose", lambda x: x.mT, [draw((0, 3))])
call("squeeze", lambda x: x.squeeze(-1), [draw((1, 3, 1))], -1)
call("squeeze", lambda x: x.squeeze(1), [draw((1, 3, 1))], 1)
call("squeeze", lambda x: x.squeeze(), [draw((2, 0))])
call("unsqueeze", lambda x: x.unsqueeze(-2), [draw((2, 3))], -2)
call("unsqueeze", lambda x: x.unsqueeze(0), [draw(())], 0)
call("expand", lambda x: x.expand(4, -1, 3), [draw((2, 1))], [4, -1, 3])
call("expand", lambda x: x.expand(-1, -1), [draw((2, 1))], [-1, -1])
call("concat", lambda *xs: torch.cat(xs, -2), [draw((2, 3)), draw((1, 3))], -2)
call("concat", lambda *xs: torch.cat(xs, 0), [draw((2,))], 0)
call("stack", lambda *xs: torch.stack(xs, -2), [draw((2, 3)), draw((2, 3))], -2)
call("stack", lambda *xs: torch.stack(xs, 0), [draw(()), draw(())], 0)
call("stack", lambda *xs: torch.stack(xs, 1), [draw((2, 0)), draw((2, 0))], 1)
call("flip", lambda x: x.flip(-1), [draw((3, 2))], [-1])
call("flip", lambda x: x.flip([]), [draw((3, 2))], [])
call("flip", lambda x: x.flip(0), [draw((0, 2))], [0])
call("flip", lambda x: x.flip(0, 1), [draw((1, 3))], [0, 1])
call(
    "pad",
    lambda x: torch.nn.functional.pad(x, (-1, 1, 1, -1), value=2.0),
    [draw((3, 4))],
    {"amounts": [[1, -1], [-1, 1]], "value": 2.0},
)
call(
    "pad",
    lambda x: torch.nn.functional.pad(x, (1, 0), value=-1.0),
    [draw((2, 0))],
    {"amounts": [[0, 0], [1, 0]], "value": -1.0},
)
call(
    "pad",
    lambda x: torch.nn.functional.pad(x, (0, 0, 0, 0, 2, 1)),
    [draw((1, 2, 2))],
    {"amounts": [[2, 1]], "value": 0.0},
)
for part in [0, 1, 2]:
    call(
        "split",
        lambda x: torch.split(x, 2, -1)[part],
        [draw((2, 5))],
        {"sizes": 2, "dim": -1, "part": part},
    )
call(
    "split",
    lambda x: torch.split(x, [0, 3], 0)[0],
    [draw((3, 2))],
    {"sizes": [0, 3], "dim": 0, "part": 0},
)
call("split", lambda x: torch.split(x, 7, 0)[0], [draw((3, 2))], {"sizes": 7, "dim": 0, "part": 0})

whole = [None, None, 1]
for s, f, items in [
    ((4, 3), lambda x: x[-2:, :-1], [[-2, None, 1], [None, -1, 1]]),
    ((4, 3), lambda x: x[-100:100, 5:], [[-100, 100, 1], [5, None, 1]]),
    ((7,), lambda x: x[1:6:3], [[1, 6, 3]]),
    ((5,), lambda x: x.flip(0)[::2], [[None, None, -2]]),
    ((2, 3, 4), lambda x: x[:, :, -1], [whole, whole, -1]),
    ((2, 3, 4), lambda x: x[1, 2, 3], [1, 2, 3]),
    ((0, 3), lambda x: x[:, 1], [whole, 1]),
    ((1, 1), lambda x: x[0], [0]),
]:
    call("index", f, [draw(s)], items)


def listed(*data):
    return torch.tensor(data, dtype=torch.int32)


rows, twice, column = listed(0, -1, 0), listed(1, 1, 1), torch.tensor([[0], [2]], dtype=torch.int32)
none, one = torch.zeros(4, dtype=torch.bool), torch.tensor([True, False, True, True])
flat = draw((2, 3)) > 0
for s, f, items in [
    ((4, 3), lambda x: x[rows.long()], [rows]),
    ((4, 3), lambda x: x[twice.long(), twice.long()], [twice, twice]),
    ((4, 3), lambda x: x[column.long(), rows.long()], [column, rows]),
    ((2, 3, 4), lambda x: x[0, :, rows.long()], [0, whole, rows]),
    ((2, 3, 4), lambda x: x[:, 1, rows.long()], [whole, 1, rows]),
    ((2, 3, 4), lambda x: x[:, column.long(), 1:3], [whole, column, [1, 3, 1]]),
    ((4, 3), lambda x: x[listed().long()], [listed()]),
    ((4, 3), lambda x: x[none], [none]),
    ((4, 3), lambda x: x[one, 1], [one, 1]),
    ((4, 3), lambda x: x[one, :2], [one, [None, 2, 1]]),
    ((4, 3), lambda x: x[one, rows.long()], [one, rows]),
    ((2, 3, 4), lambda x: x[flat], [flat]),
    ((2, 3, 4), lambda x: x[flat, -1], [flat, -1]),
    ((2, 4), lambda x: x[:, one], [whole, one]),
]:
    call(
        "index",
        f,
        [draw(s)],
        [{"tensor": operand(i)} if isinstance(i, torch.Tensor) else i for i in items],
    )

for size, reduction in [(1000.0, "mean"), (-1000.0, "sum")]:
    target = integers((2,), 0, 3)
    call(
        "crossEntropy",
        lambda x: torch.nn.functional.cross_entropy(x, target.long(), reduction=reduction),
        [size * draw((2, 3))],
        {"classes": operand(target), "reduction": reduction},
    )
call(
    "layerNorm",
    lambda x, w: torch.nn.functional.layer_norm(x, [3], w),
    [draw((2, 3)), draw((3,))],
    {"shape": [3]},
)
call(
    "layerNorm",
    lambda x, b: torch.nn.functional.layer_norm(x, [3], None, b),
    [draw((2, 3)), draw((3,))],
    {"shape": [3], "biasOnly": True},
)
for eps in [1e-12, 0.1]:
    call(
        "layerNorm",
        lambda x: torch.nn.functional.layer_norm(x, [2, 3], eps=eps),
        [draw((4, 2, 3))],
        {"shape": [2, 3], "eps": eps},
    )
call("layerNorm", lambda x: torch.nn.functional.layer_norm(x, [1]), [draw((2, 1))], {"shape": [1]})
for x, w, options in [
    ((1, 2, 6, 7), (3, 2, 2, 3), {"stride": [2, 3], "padding": [0, 2], "dilation": [2, 1]}),
    ((2, 4, 6, 6), (4, 2, 2, 2), {"groups": 2, "dilation": 2, "stride": 2, "padding": 1}),
    ((0, 2, 4, 4), (3, 2, 2, 2), {}),
    ((1, 1, 3, 3), (1, 1, 3, 3), {}),
    ((1, 3, 5, 5), (2, 3, 1, 1), {"stride": 2}),
    ((1, 1, 1, 1), (1, 1, 3, 3), {"padding": 1}),
]:
    call(
        "conv2d",
        lambda a, b: torch.nn.functional.conv2d(a, b, **options),
        [draw(x), draw(w)],
        options,
    )
    call(
        "conv2d",
        lambda a, b, c: torch.nn.functional.conv2d(a, b, c, **options),
        [draw(x), draw(w), draw((w[0],))],
        {**options, "bias": True},
    )
for image, window, options in [
    (draw((1, 2, 7, 7)), 2, {"stride": 3}),
    (draw((1, 1, 6, 5)), [3, 2], {"stride": [2, 1], "padding": [1, 0], "dilation": [1, 2]}),
    (-1 - draw((1, 1, 3, 3), 0, 1), 3, {"stride": 1, "padding": 1}),
    (torch.ones(1, 1, 4, 4), 2, {}),
    (torch.ones(1, 1, 3, 3), 2, {"stride": 1}),
    (draw((0, 2, 4, 4)), 2, {}),
    (draw((1, 1, 1, 1)), 1, {}),
]:
    call(
        "maxPool2d",
        lambda a: torch.nn.functional.max_pool2d(a, window, **options),
        [image],
        {"window": window, **options},
    )
for rows in [
    listed(1, 1, 0, 1), torch.tensor(2, dtype=torch.int32), listed(), integers((2, 1, 3), 0, 5)
]:
    call(
        "embedding",
        lambda t: torch.nn.functional.embedding(rows.long(), t),
        [draw((5, 4))],
        operand(rows),
    )

out = pathlib.Path(__file__).parent.parent / "tensor" / "pytorch.json"
out.parent.mkdir(exist_ok=True)
out.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in calls) + "\n]\n")
print(len(calls), "calls")

"""Records what PyTorch computes for every operation of the eager tensor, values and gradients, on random shapes.

Writes test/tensor/pytorch.json: a list of calls, each with its operands, options, result and gradients. Run it after adding an
operation: `python3 test/reference/tensor.py` (needs torch and numpy).
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


def call(name, f, operands, options=None):
    """Runs f in f64 and in f32, with gradients weighed by a fixed tensor, and writes the exact numbers and the distance down."""
    leaves = [t.clone().requires_grad_(t.is_floating_point()) for t in operands]
    precise = [exact(t).clone().requires_grad_(t.is_floating_point()) for t in operands]
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
        entry["gradientsOff"] = [0 if a.grad is None else distance(a.grad, b.grad) for a, b in zip(leaves, precise)]
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
        torch_name = {
            "equal": "eq",
            "notEqual": "ne",
            "less": "lt",
            "lessEqual": "le",
            "greater": "gt",
            "greaterEqual": "ge",
        }[name]
        call(name, getattr(torch, torch_name), [integers(a, 0, 3), integers(b, 0, 3)])

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
    call("gelu", lambda x: torch.nn.functional.gelu(x, approximate="tanh"), [draw(s)], {"approximate": "tanh"})
    call("clamp", lambda x: x.clamp(-0.5, 0.7), [draw(s)], [-0.5, 0.7])
    call("clamp", lambda x: x.clamp(min=0.1), [draw(s)], [0.1, None])
    call("clamp", lambda x: x.clamp(max=0.1), [draw(s)], [None, 0.1])
call("abs", torch.abs, [torch.tensor([0.0, -0.0, 1.0])])
call("clamp", lambda x: x.clamp(0.0, 1.0), [torch.tensor([0.0, 1.0, 2.0, 0.5])], [0.0, 1.0])
call("clamp", lambda x: x.clamp(min=1.0), [torch.tensor([0.0, 1.0, 2.0])], [1.0, None])
call("clamp", lambda x: x.clamp(max=1.0), [torch.tensor([0.0, 1.0, 2.0])], [None, 1.0])

reductions = [((2, 3, 4), None), ((2, 3, 4), 1), ((2, 3, 4), [0, 2]), ((2, 3, 4), -1), ((1, 3), 0), ((5,), 0), ((3, 1, 2), [0, 1])]
for s, dim in reductions:
    for keepdim in [False, True]:
        if dim is None and keepdim:
            continue
        options = {"dim": dim, "keepdim": keepdim} if dim is not None else {}
        along = {"dim": dim, "keepdim": keepdim} if dim is not None else {}
        call("sum", lambda x: torch.sum(x, **along), [draw(s)], options)
        call("mean", lambda x: torch.mean(x, **along), [draw(s)], options)
        every = dim if dim is not None else list(range(len(s)))
        call("logsumexp", lambda x: torch.logsumexp(x, every, keepdim if dim is not None else False), [draw(s)], options)
        call("var", lambda x: torch.var(x, every, correction=0, keepdim=keepdim), [draw(s)], {**options, "correction": 0})
        count = int(np.prod([s[d] for d in (every if isinstance(every, list) else [every])]))
        if count > 1:
            call("var", lambda x: torch.var(x, every, correction=1, keepdim=keepdim), [draw(s)], options)
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
    call("concat", lambda *xs: torch.cat(xs, dim), [draw((2, 3, 2)), draw((2, 3, 2)), draw((2, 3, 2))], dim)
    call("stack", lambda *xs: torch.stack(xs, dim), [draw((2, 3)), draw((2, 3))], dim)
call("concat", lambda *xs: torch.cat(xs, 0), [draw((2, 3)), draw((0, 3)), draw((1, 3))], 0)
call("flip", lambda x: x.flip(0), [draw((3, 2))], [0])
call("flip", lambda x: x.flip(0, 2), [draw((3, 2, 4))], [0, 2])
call("pad", lambda x: torch.nn.functional.pad(x, (1, 2, 0, 1), value=3.0), [draw((2, 3))], {"amounts": [[0, 1], [1, 2]], "value": 3.0})
call("pad", lambda x: torch.nn.functional.pad(x, (2, 0), value=0.0), [draw((2, 3))], {"amounts": [[0, 0], [2, 0]], "value": 0.0})
call("split", lambda x: torch.split(x, 2, 1)[1], [draw((2, 5))], {"sizes": 2, "dim": 1, "part": 1})
call("split", lambda x: torch.split(x, [1, 3], 0)[1], [draw((4, 2))], {"sizes": [1, 3], "dim": 0, "part": 1})

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
call("index", lambda x: x[i.long(), j.long()], [draw((4, 3))], [{"tensor": operand(i)}, {"tensor": operand(j)}])
call("index", lambda x: x[:, j.long()], [draw((4, 3))], [[None, None, 1], {"tensor": operand(j)}])
k = integers((2, 2), 0, 4)
call("index", lambda x: x[k.long()], [draw((4, 3))], [{"tensor": operand(k)}])
call("index", lambda x: x[j.long(), :, i.long()], [draw((3, 2, 4))], [{"tensor": operand(j)}, [None, None, 1], {"tensor": operand(i)}])
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
    call("layerNorm", lambda x, w, b: torch.nn.functional.layer_norm(x, own, w, b, 1e-5), [draw(s), draw(tuple(own)), draw(tuple(own))], {"shape": own})
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
    call("conv2d", lambda a, b: torch.nn.functional.conv2d(a, b, **options), [draw(x), draw(w)], options)
    call("conv2d", lambda a, b, c: torch.nn.functional.conv2d(a, b, c, **options), [draw(x), draw(w), draw((w[0],))], {**options, "bias": True})
for x, window, options in [
    ((1, 1, 4, 4), 2, {}),
    ((2, 3, 5, 6), [2, 3], {}),
    ((1, 2, 5, 5), 3, {"stride": 2, "padding": 1}),
    ((1, 1, 6, 6), 2, {"stride": 1, "dilation": 2}),
]:
    call("maxPool2d", lambda a: torch.nn.functional.max_pool2d(a, window, **options), [draw(x)], {"window": window, **options})
rows = integers((2, 3), 0, 5)
call("embedding", lambda t: torch.nn.functional.embedding(rows.long(), t), [draw((5, 4))], operand(rows))

out = pathlib.Path(__file__).parent.parent / "tensor" / "pytorch.json"
out.parent.mkdir(exist_ok=True)
out.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in calls) + "\n]\n")
print(len(calls), "calls")

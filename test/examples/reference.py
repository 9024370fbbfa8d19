"""Computes the results of the programs in examples/ with NumPy: test/examples/expected.json.

Run it with
  python3 test/examples/reference.py && npx prettier --write test/examples/expected.json
It needs NumPy. Where NumPy has a routine for the task, the expectation comes from that routine.
Everything is computed in double precision; the test compares f32 values with a tolerance.
"""

import json
from pathlib import Path

import numpy as np

examples = {}


def example(compute):
    """Registers what a program is given, what it computes, and (optionally) what it prints."""
    name = compute.__name__.replace("_", "-")
    inputs, values, *printed = compute()
    examples[name] = {
        "inputs": {key: stored(value) for key, value in inputs.items()},
        "values": {key: stored(value) for key, value in values.items()},
        **({"printed": printed} if printed else {}),
    }


class Double:
    """A value that the program computes in f64."""

    def __init__(self, value):
        self.value = value


def stored(value):
    dtype = None
    if isinstance(value, Double):
        value, dtype = value.value, "f64"
    array = np.asarray(value)
    dtype = dtype or {"b": "bool", "i": "i32", "f": "f32"}[array.dtype.kind]
    cells = [float(f"{x:.9g}") if array.dtype.kind == "f" else x for x in array.ravel().tolist()]
    return {"dtype": dtype, "shape": list(array.shape), "data": cells}


def data(seed, *shape):
    """Small multiples of 1/4, exact in f32. Their pattern changes when axes are transposed."""
    k = np.arange(int(np.prod(shape)))
    return ((k * k * 7 + k * 13 + seed * 5) % 23 - 11).reshape(shape) / 4


def philox(seed, counter):
    """The four output words of Philox 4x32-10 (Salmon et al., SC 2011)."""
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    c = [counter & 0xFFFFFFFF, counter >> 32 & 0xFFFFFFFF, 0, 0]
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c[0], 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c[2], 2**32)
        c = [high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def uniform(seed, n):
    return (philox(seed, n)[0] >> 8) * 2.0**-24


def softmax(x, axis):
    weight = np.exp(x - x.max(axis=axis, keepdims=True))
    return weight / weight.sum(axis=axis, keepdims=True)


def windows(image, shape, step=1):
    return np.lib.stride_tricks.sliding_window_view(image, shape)[::step, ::step]


def unfold(start, steps, advance):
    """The states of a recurrence that looks back one step."""
    states = [np.asarray(start)]
    while len(states) < steps:
        states.append(advance(states[-1]))
    return np.stack(states)


# Sums, products and broadcasting


@example
def demo():
    code = np.sin(0.3 * np.outer(np.arange(6), np.arange(8) + 1))
    power = np.tril(np.exp(code @ code.T / np.sqrt(8)))
    attention = power / power.sum(axis=1, keepdims=True)
    surprise = -np.log(attention.diagonal()).mean()
    # The gradient of the cross-entropy of a softmax: what was given less what was wanted.
    d_score = (attention - np.eye(6)) / 6
    near, far = (np.exp(-0.2 * (np.arange(32) - centre) ** 2) for centre in (11, 23))
    drops = np.outer(near, near) + np.outer(far, far)
    pond = [drops, drops]
    for _ in range(2, 48):
        here, before = pond[-1], pond[-2]
        around = here[:-2, 1:-1] + here[2:, 1:-1] + here[1:-1, :-2] + here[1:-1, 2:]
        after = drops.copy()
        after[1:-1, 1:-1] = 2 * here[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.4 * (
            around - 4 * here[1:-1, 1:-1]
        )
        pond.append(after)
    buoy = np.array(pond)[:, 16, 27]
    values = {
        "attention": attention,
        "surprise": surprise,
        "d_score": d_score,
        "buoy": buoy,
        "crest": buoy.max(),
    }
    return {}, values


@example
def linear_map():
    weight = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
    return {}, {"y": weight @ [2.0, -1.0, 4.0]}, "[-4.0, 13.0]"


@example
def matmul():
    A, B = data(1, 3, 4), data(2, 4, 2)
    return {"A": A, "B": B}, {"C": A @ B}


@example
def batched_matmul():
    A, B = data(3, 2, 3, 2, 4), data(4, 2, 3, 4, 3)
    return {"A": A, "B": B}, {"C": A @ B}


@example
def batched_matmul_named():
    A, B, S = data(5, 3, 2, 4), data(6, 3, 4, 2), data(7, 4, 3)
    return {"A": A, "B": B, "S": S}, {"C": A @ B, "shared": A @ S}


@example
def biases():
    x, per_feature, per_batch, everywhere = data(8, 2, 3), data(9, 3), data(10, 2), np.float64(0.75)
    inputs = {"x": x, "per_feature": per_feature, "per_batch": per_batch, "everywhere": everywhere}
    return inputs, {"a": x + per_feature, "b": x + per_batch[:, None], "c": x + everywhere}


@example
def dense_layer():
    x, weight, bias = data(11, 3, 5), data(12, 4, 5), data(13, 4)
    z = x @ weight.T + bias
    return {"x": x, "weight": weight, "bias": bias}, {"z": z, "y": np.maximum(z, 0)}


@example
def distance_matrix():
    point = np.array([[uniform(7, 2 * i + axis) for axis in range(2)] for i in range(6)])
    distance = np.hypot(*(point[:, None] - point).transpose(2, 0, 1))
    nearest = np.argmin(distance + np.diag(np.full(6, np.inf)), axis=1)
    return {}, {"point": point, "distance": distance, "nearest": nearest}


@example
def linear_regression():
    x, y = np.arange(1.0, 6.0), np.array([2.1, 3.9, 6.2, 7.8, 10.1])
    slope, intercept = np.polyfit(x, y, 1)
    r_squared = np.corrcoef(x, y)[0, 1] ** 2
    values = {"slope": slope, "intercept": intercept, "r_squared": r_squared}
    return {}, values, f"y = {intercept:.3f} + {slope:.3f} x   (R squared {r_squared:.4f})"


@example
def trapezoid():
    grid = np.linspace(0, 3, 65)
    area = np.trapezoid(grid * np.sin(grid), grid)
    return {}, {
        "grid": grid, "area": area
    }, f"the integral of x sin x from 0 to 3 is about {area:.4f}"


# Convolutions and windows


@example
def convolution():
    image, kernel = data(14, 2, 3, 5, 6), data(15, 2, 3, 2, 3)
    view = np.lib.stride_tricks.sliding_window_view(image, (2, 3), axis=(2, 3))
    feature = np.einsum("bcyxij,fcij->bfyx", view, kernel)
    return {"image": image, "kernel": kernel}, {"feature": feature}


@example
def padded_convolution():
    image, kernel = data(16, 4, 5), data(17, 3, 3)
    feature = np.einsum("yxij,ij->yx", windows(np.pad(image, 1), (3, 3)), kernel)
    return {"image": image, "kernel": kernel}, {"feature": feature}


@example
def strided_convolution():
    image, kernel = data(18, 6, 7), data(19, 2, 2)
    feature = np.einsum("yxij,ij->yx", windows(image, (2, 2), step=2), kernel)
    return {"image": image, "kernel": kernel}, {"feature": feature}


@example
def moving_average():
    price = np.array([4.0, 8.0, 6.0, -1.0, -2.0, -3.0, -1.0, 3.0, 4.0, 5.0])
    smooth = np.convolve(price, np.ones(3) / 3, mode="valid")
    centred = np.convolve(price, np.ones(3), mode="same") / np.convolve(
        np.ones(10), np.ones(3), mode="same"
    )
    return {}, {"smooth": smooth, "centred": centred}


@example
def depth_to_space():
    deep = 100 * np.arange(2)[:, None, None] + 10 * np.arange(3)[:, None] + np.arange(4)
    picture = deep.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3).reshape(4, 6)
    return {}, {"deep": deep, "picture": picture}


# Guards, gathers and scatters


@example
def filtered_sums():
    gain = np.array([3.0, -1.5, 0.0, 4.5, -2.0])
    return {}, {
        "earned": gain[gain > 0].sum(),
        "large": np.count_nonzero(gain >= 1),
        "average_loss": gain[gain < 0].mean(),
        "roots": np.sqrt(gain[gain >= 0]).sum(),
        "kept": np.maximum(gain, 0),
        "clipped": np.minimum(gain, 1),
    }


@example
def gathers():
    m = np.add.outer([0, 10, 20], np.arange(4))
    idx, col = np.array([2, 0, 1]), np.array([3, 1, 1])
    return {}, {"pairwise": m[idx, col], "outer": m[np.ix_(idx, col)], "rows": m[idx]}


@example
def histogram():
    bins = np.array([3, 1, 4, 1, 5, 2, 1, 3])
    amount = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    return {}, {
        "number": np.bincount(bins, minlength=6), "weight": np.bincount(bins, amount, minlength=6)
    }


@example
def one_hot():
    label = np.array([2, 0, 3, 2])
    return {}, {
        "hot": np.eye(4)[label], "back": label, "per_class": np.bincount(label, minlength=4) * 1.0
    }


@example
def nearest_neighbours():
    point, query = np.array([0.5, 9.0, 3.25, 4.0, 7.5, 1.0]), np.array([3.0, 8.0])
    found = np.argsort(np.abs(query[:, None] - point), axis=1, kind="stable")[:, :3]
    return {}, {"found": found, "at": point[found]}


# Parts of neural networks


@example
def masked_softmax():
    logits = data(20, 3, 4)
    valid = np.array(
        [[True, True, False, True], [False, True, True, True], [True, False, False, False]]
    )
    masked = softmax(np.where(valid, logits, -np.inf), axis=1)
    return {"logits": logits, "valid": valid}, {"plain": softmax(logits, axis=1), "masked": masked}


@example
def layer_norm():
    x, gain, shift = data(21, 2, 3, 4), data(22, 4), data(23, 4)
    y = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(
        x.var(axis=-1, keepdims=True) + 1e-5
    ) * gain + shift
    return {"x": x, "gain": gain, "shift": shift}, {
        "centre": x.mean(axis=-1), "variance": x.var(axis=-1), "y": y
    }


@example
def attention():
    Q, K, V = data(24, 2, 3, 4), data(25, 2, 5, 4), data(26, 2, 5, 2)
    attention = softmax(Q @ K.transpose(0, 2, 1) / 2, axis=2)
    return {"Q": Q, "K": K, "V": V}, {"attention": attention, "read": attention @ V}


@example
def rnn():
    x, W, U, bias = data(27, 5, 3), data(28, 4, 3) / 4, data(29, 4, 4) / 4, data(30, 4) / 4
    h = [np.zeros(4)]
    for row in x:
        h.append(np.tanh(W @ row + U @ h[-1] + bias))
    return {"x": x, "W": W, "U": U, "bias": bias}, {"h": np.stack(h)}


# Recurrences


@example
def accumulator():
    return {}, {"balance": np.cumsum([100.0, 20.5, -30.0, 4.25, -1.0])}, "final balance: 93.75"


@example
def affine_recurrence():
    a, b, start = 0.75, 2.0, -4.0
    t = np.arange(12)
    h = a**t * start + b * (1 - a**t) / (1 - a)
    return {"a": a, "b": b, "start": start}, {"h": h, "limit": b / (1 - a)}


@example
def overlapping_clauses():
    steps = np.array([0, 1, 2, 0, 1, 2])
    return {}, {"state": np.outer(2.0**steps, [1.0, 2.0, 3.0])}


@example
def fibonacci():
    golden = (1 + np.sqrt(5)) / 2
    fib = np.rint(golden ** np.arange(20) / np.sqrt(5)).astype(int)
    return {}, {"fib": fib}, str(
        fib.tolist()
    ), f"the ratio of the last two is {fib[19] / fib[18]:.6f}"


@example
def prefix_sums():
    rain = data(31, 7)
    return {"rain": rain}, {"total": np.cumsum(rain), "remaining": np.cumsum(rain[::-1])[::-1]}


@example
def cumulative_maximum():
    height = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    record = np.maximum.accumulate(height)
    is_new = np.diff(record, prepend=0) > 0
    return {}, {"record": record, "is_new": is_new, "records": np.count_nonzero(is_new)}


@example
def heat_equation():
    start = data(32, 8)
    step = np.eye(8)
    for x in range(1, 7):
        step[x, x - 1 : x + 2] = [0.25, 0.5, 0.25]
    final = np.linalg.matrix_power(step, 39) @ start
    return {"start": start}, {"final_state": final}


@example
def advection():
    start = np.exp(-0.5 * (np.arange(16.0) - 4) ** 2)
    u = unfold(start, 24, lambda u: 0.5 * u + 0.5 * np.roll(u, 1))
    return {}, {"u": u, "mass": np.full(24, start.sum())}


@example
def wave_equation():
    bump = np.zeros((9, 9))
    bump[4, 3] = 1
    before, now = bump, bump
    for _ in range(18):
        neighbours = np.zeros((9, 9))
        neighbours[1:-1, 1:-1] = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
        before, now = now, 2 * now - before + 0.25 * (neighbours - 4 * now)
    return {}, {"last": now}


@example
def cholesky():
    A = np.array([[4.0, 12, -16, 2], [12, 37, -43, 5], [-16, -43, 98, 1], [2, 5, 1, 40]])
    return {}, {"L": np.linalg.cholesky(A), "product": A}


@example
def longest_common_subsequence():
    a, b = [1, 3, 2, 4, 5, 3, 1], [3, 4, 1, 2, 5, 1, 3]

    def is_subsequence(part, whole):
        rest = iter(whole)
        return all(x in rest for x in part)

    subsets = ([x for k, x in enumerate(a) if mask >> k & 1] for mask in range(2 ** len(a)))
    answer = max(len(part) for part in subsets if is_subsequence(part, b))
    return {}, {"answer": answer}, f"the longest common subsequence has {answer} members"


@example
def lorenz():
    beta = 2.6666667

    def advance(state):
        x, y, z = state
        return state + 0.01 * np.array([10 * (y - x), x * (28 - z) - y, x * y - beta * z])

    x, y, z = unfold([1.0, 1.0, 1.0], 100, advance).T
    return {}, {"x": x, "y": y, "z": z}


@example
def n_body():
    mass = np.array([10.0, 1.0, 0.5])
    position = [np.array([[0.0, 0.0], [3.0, 0.0], [0.0, -4.0]])]
    velocity = [np.array([[0.0, 0.0], [0.0, 1.8], [1.5, 0.0]])]
    squared, acceleration = [], []
    for _ in range(20):
        towards = position[-1] - position[-1][:, None]
        distance = np.linalg.norm(towards, axis=2)
        squared.append(distance**2)
        acceleration.append(np.einsum("o,boa,bo->ba", mass, towards, 1 / (distance**3 + np.eye(3))))
        velocity.append(velocity[-1] + 0.01 * acceleration[-1])
        position.append(position[-1] + 0.01 * velocity[-1])
    return {}, {
        "position": np.stack(position[:20]),
        "velocity": np.stack(velocity[:20]),
        "squared": np.stack(squared),
        "acceleration": np.stack(acceleration),
        "momentum": np.tile([0.75, 1.8], (20, 1)),
    }


@example
def value_iteration():
    move = np.zeros((2, 4, 4))
    for room in range(4):
        move[0, room, max(room - 1, 0)] += 0.8
        move[1, room, min(room + 1, 3)] += 0.8
        move[:, room, room] += 0.2
    reward = np.zeros((2, 4))
    reward[1, 3] = 1
    value = unfold(np.zeros(4), 30, lambda v: (reward + 0.9 * move @ v).max(axis=0))
    return {}, {"value": value, "settled": value[-1], "best": np.array([1, 1, 1, 1])}


@example
def logistic_map():
    rate = np.array([2.8, 3.2, 3.5, 3.9])
    x = unfold(np.full(4, 0.25), 32, lambda x: rate * x * (1 - x))
    return {}, {"x": Double(x), "last": Double(x[-1])}


@example
def game_of_life():
    world = np.zeros((8, 8), dtype=int)
    world[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    shifts = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]

    def advance(world):
        around = sum(np.roll(world, shift, axis=(0, 1)) for shift in shifts)
        return ((around == 3) | (world & (around == 2))).astype(int)

    cell = unfold(world, 5, advance)
    assert (cell[4] == np.roll(cell[0], (1, 1), axis=(0, 1))).all()
    return {}, {"cell": cell, "population": cell.sum(axis=(1, 2))}, str(cell[4].tolist())


@example
def matrix_power():
    step = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0]])
    power = np.stack([np.linalg.matrix_power(step, n) for n in range(9)])
    return {}, {"power": power, "closed_paths": np.trace(power, axis1=1, axis2=2)}


@example
def mandelbrot():
    def escape(real, complex_):
        c = (real(-2.1) + real(0.24) * np.arange(13, dtype=real)).astype(complex_) + 1j * (
            real(-1.1) + real(0.37) * np.arange(7, dtype=real)[:, None]
        ).astype(complex_)
        with np.errstate(all="ignore"):
            z = unfold(np.zeros_like(c), 24, lambda z: z * z + c)
            return (np.abs(z) <= 2).sum(axis=0)

    counts = escape(np.float64, np.complex128)
    assert (
        counts == escape(np.float32, np.complex64)
    ).all(), "a cell too near to the border for f32"
    return {}, {"escape": counts}, str(counts.tolist())


@example
def horner():
    return {}, {"value": np.polyval([2.0, -6.0, 2.0, -1.0], [0.0, 1.0, 3.0, -0.5])}


@example
def random_walk():
    step = np.array([2 * (philox(1, t)[0] % 2) - 1 for t in range(32)])
    inside = sum(uniform(2, 2 * k) ** 2 + uniform(2, 2 * k + 1) ** 2 < 1 for k in range(1000))
    place = np.concatenate([[0], np.cumsum(step)])
    return {}, {"step": step, "place": place, "inside": inside, "estimate": 4 * inside / 1000}


@example
def table():
    n = np.array([1, 10, 100, 1000])
    rows = [f"{k:>6,d} |{np.sqrt(k):9.4f} |{k / 1111:>8.1%}" for k in n.tolist()]
    return {}, {"root": np.sqrt(n), "share": n / 1111}, "     n |     root |   share", *rows


# The gradients are written out as mathematics has them, not derived.


@example
def gradient_linear_map():
    W, x = np.array([[1.0, 2, -1], [0.5, -1.5, 2]]), np.array([2.0, -1, 0.5])
    y = W @ x
    return {}, {"loss": y @ y, "dW": np.outer(2 * y, x), "dx": 2 * W.T @ y}


@example
def gradient_matmul():
    A, B, G = data(1, 2, 3), data(2, 3, 4), data(3, 2, 4)
    return {"A": A, "B": B, "G": G}, {"loss": np.sum(G * (A @ B)), "dA": G @ B.T, "dB": A.T @ G}


@example
def gradient_batched_matmul():
    A, B = data(1, 2, 2, 3, 4), data(2, 2, 2, 4, 2)
    C = A @ B
    return {"A": A, "B": B}, {
        "dA": 2 * C @ np.swapaxes(B, -1, -2), "dB": 2 * np.swapaxes(A, -1, -2) @ C
    }


@example
def gradient_biases():
    x, f, b, e = data(1, 3, 4), data(2, 4), data(3, 3), np.float64(0.5)
    y = x + f + b[:, None] + e
    values = {
        "d_per_feature": 2 * y.sum(0), "d_per_batch": 2 * y.sum(1), "d_everywhere": 2 * y.sum()
    }
    return {"x": x, "per_feature": f, "per_batch": b, "everywhere": e}, values


@example
def gradient_dense_layer():
    x, W, bias = data(1, 3, 4), data(2, 2, 4), data(3, 2)
    z = x @ W.T + bias
    return {"x": x, "W": W, "bias": bias}, {
        "d_bias": 2 * z.sum(0), "dW": 2 * z.T @ x, "dx": 2 * z @ W
    }


@example
def gradient_relu_rule():
    x = np.array([-1.0, 0.5, 2, -3])
    return {}, {"dx": 2 * np.maximum(x, 0)}


@example
def gradient_softmax_rule():
    x, t = data(1, 2, 4), data(2, 2, 4)
    p = softmax(x, axis=1)
    return {"logits": x, "target": t}, {
        "p": p, "d_logits": p * (t - (p * t).sum(-1, keepdims=True))
    }


@example
def gradient_straight_through():
    score, value = data(1, 3, 4), data(2, 4)
    choice = np.eye(4)[np.argmax(score, 1)]
    return {"score": score, "value": value}, {"choice": choice, "d_score": np.tile(value, (3, 1))}


@example
def gradient_guarded_sums():
    gain = np.array([3, -1.5, 0, 4, -2])
    earned = gain[gain > 0].sum()
    slope = np.array([2 * earned * (g > 0) + (2 / np.sqrt(g) if g >= 1 else 0) for g in gain])
    return {}, {"loss": earned**2 + 4 * np.sqrt(gain[gain >= 1]).sum(), "d_gain": slope}


@example
def gradient_masked_softmax():
    x, t = data(1, 2, 4), data(2, 2, 4)
    valid = np.array([[True, False, True, True], [True, True, False, True]])
    p = softmax(np.where(valid, x, -np.inf), axis=1)
    values = {"p": p, "d_logits": p * (t - (p * t).sum(-1, keepdims=True))}
    return {"logits": x, "valid": valid, "target": t}, values


@example
def gradient_layer_norm():
    x, gain, shift, G = data(1, 3, 4), data(2, 4), data(3, 4), data(4, 3, 4)
    sigma = np.sqrt(x.var(1, keepdims=True) + 0.25)
    unit = (x - x.mean(1, keepdims=True)) / sigma
    g = G * gain
    dx = (g - g.mean(1, keepdims=True) - unit * (g * unit).mean(1, keepdims=True)) / sigma
    values = {"y": unit * gain + shift, "dx": dx, "d_gain": (G * unit).sum(0), "d_shift": G.sum(0)}
    return {"x": x, "gain": gain, "shift": shift, "G": G}, values


@example
def gradient_gathers():
    table = np.array([[1.0, 2, -1], [0.5, -1.5, 2], [2, 0, 1], [-1, 1, 3]])
    at, column = [2, 0, 2, 3, 2], [1, 1, 0, 2, 1]
    d = np.zeros_like(table)
    np.add.at(d, at, 2 * table[at])
    np.add.at(d, (at, column), np.arange(1, 6))
    return {}, {"d_table": d}


@example
def gradient_product():
    others = lambda x: np.array([np.prod(np.delete(x, k)) for k in range(len(x))])
    return {}, {"da": others([2.0, 3, 4]), "db": others([2.0, 0, 4]), "dc": others([0.0, 3, 0])}


@example
def gradient_maximum():
    d = np.array([[0.0, 10, 0], [8, 0, 0]])
    return {}, {"d_peak": d, "d_found": d}


@example
def gradient_permute_and_reshape():
    x, weight = data(1, 2, 3, 4), data(2, 12, 2)
    w = weight.reshape(4, 3, 2).transpose(2, 1, 0)
    return {"x": x, "weight": weight}, {"loss": np.sum(w * x**2), "dx": 2 * w * x}


@example
def gradient_convolution():
    image, kernel = data(1, 2, 2, 6, 6), data(2, 3, 2, 2, 2)
    windows = np.lib.stride_tricks.sliding_window_view(image, (2, 2), (2, 3))
    conv = np.einsum("bihwkl,oikl->bohw", windows, kernel)
    around = np.pad(2 * conv, ((0, 0), (0, 0), (1, 1), (1, 1)))
    back = np.lib.stride_tricks.sliding_window_view(around, (2, 2), (2, 3))
    values = {
        "d_image": np.einsum("bohwkl,oikl->bihw", back, kernel[:, :, ::-1, ::-1]),
        "d_kernel": np.einsum("bohw,bihwkl->oikl", 2 * conv, windows),
    }
    return {"image": image, "kernel": kernel}, values


@example
def gradient_attention_values():
    weight, V, G = data(1, 2, 3, 4), data(2, 2, 4, 2), data(3, 2, 3, 2)
    return {"weight": weight, "V": V, "G": G}, {"dV": np.swapaxes(weight, 1, 2) @ G}


@example
def gradient_local():
    return {}, {"dx": np.array([6.0, 0]), "first": np.float64(6)}
# Gradients are computed by the complex step (Squire and Trapp, SIAM Review 40, 1998):
# Im f(x + ih) / h is the derivative to machine precision. It uses no rule of differentiation.


def gradient(f, at):
    """The derivative of a number in every cell of an argument."""
    at = np.asarray(at, dtype=float)
    found = np.empty(at.shape)
    for cell in np.ndindex(at.shape):
        moved = at.astype(complex)
        moved[cell] += 1e-30j
        found[cell] = np.imag(f(moved)) / 1e-30
    return found


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


@example
def gradient_descent():
    x, y = np.arange(5) / 2, np.array([1.1, 1.4, 2.1, 2.4, 3.1])
    design = np.stack([np.ones(5), x], axis=1)

    def run(rate):
        w = unfold(
            np.zeros(2, dtype=type(rate)),
            25,
            lambda w: w - rate * 2 * design.T @ (design @ w - y) / 5,
        )
        return w, ((w @ design.T - y) ** 2).mean(axis=1)

    w, loss = run(0.1)
    return {}, {
        "w": w,
        "loss": loss,
        "last": loss[-1],
        "by_rate": gradient(lambda rate: run(rate[()])[1][-1], 0.1),
    }


@example
def momentum():
    curvature = np.array([1.0, 10.0])

    def run(memory):
        w, v = [np.ones(2)], [np.zeros(2)]
        for _ in range(19):
            v.append(memory * v[-1] - 0.05 * curvature * w[-1])
            w.append(w[-1] + v[-1])
        return np.stack(w), np.stack(v), (curvature * np.stack(w) ** 2).sum(axis=1) / 2

    w, v, loss = run(0.8)
    return {}, {
        "w": w, "v": v, "loss": loss, "by_memory": gradient(lambda memory: run(memory)[2][-1], 0.8)
    }


@example
def adam():
    x, y = np.array([0.1, 0.6, 1.1, 1.6]), np.array([0.5, 1.5, 2.5, 3.5])

    def run(rate):
        w, m, v = [np.zeros(2)], np.zeros(2), np.zeros(2)
        for t in range(1, 20):
            rest = w[-1][0] * x + w[-1][1] - y
            g = np.array([(2 * rest * x).mean(), (2 * rest).mean()])
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            w.append(w[-1] - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6))
        w = np.stack(w)
        return w, ((w[:, :1] * x + w[:, 1:] - y) ** 2).mean(axis=1)

    w, loss = run(0.1)
    return {}, {"w": w, "loss": loss, "by_rate": gradient(lambda rate: run(rate)[1][-1], 0.1)}


@example
def newton_method():
    def advance(p):
        slope = np.array([4 * (p[0] - 1) ** 3 + 2 * (p[0] - p[1]), -2 * (p[0] - p[1]) + 2 * p[1]])
        bend = np.array([[12 * (p[0] - 1) ** 2 + 2, -2], [-2, 4]])
        return p - np.linalg.solve(bend, slope)

    p = unfold([-1.0, -1.0], 7, advance)
    f = (p[:, 0] - 1) ** 4 + (p[:, 0] - p[:, 1]) ** 2 + p[:, 1] ** 2
    return {}, {"p": p, "f": f, "lowest": p[-1]}


@example
def mini_batch_training():
    x, y = data(1, 5, 2) / 2, data(2, 5, 1) / 2
    start = {
        "W1": data(3, 3, 2) / 4, "b1": data(4, 3) / 4, "W2": data(5, 1, 3) / 4, "b2": data(6, 1) / 4
    }

    def run(rate, start):
        parameters = {name: value.astype(complex) for name, value in start.items()}
        losses = []
        for t in range(6):
            rows = [(2 * t + b) % 5 for b in range(2)]
            h = np.tanh(x[rows] @ parameters["W1"].T + parameters["b1"])
            rest = h @ parameters["W2"].T + parameters["b2"] - y[rows]
            losses.append((rest**2).mean())
            dz = rest
            da = dz @ parameters["W2"] * (1 - h**2)
            slopes = {
                "W1": da.T @ x[rows], "b1": da.sum(axis=0), "W2": dz.T @ h, "b2": dz.sum(axis=0)
            }
            parameters = {name: value - rate * slopes[name] for name, value in parameters.items()}
        return np.stack(losses)

    inputs = {"x": x, "y": y, **{f"{name}_start": value for name, value in start.items()}}
    return inputs, {
        "loss": run(0.2, start).real,
        "by_rate": gradient(lambda rate: run(rate, start)[-1], 0.2),
        "by_start": gradient(lambda W1: run(0.2, {**start, "W1": W1})[-1], start["W1"]),
    }


@example
def recurrence_gradients():
    x = np.array([1.0, 2.0, 0.5, -1.0])
    rest, gain = np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.5, 0.25])

    def affine(W, b, start, bump=np.zeros(4)):
        h = [start + bump[0]]
        for t in range(1, 4):
            h.append(h[-1] * W + b + bump[t])
        return np.stack(h)

    def energy(rest, gain):
        return (unfold(rest, 4, lambda u: np.tanh(u * gain) + rest) ** 2).sum()

    return {}, {
        "dx": gradient(lambda x: (np.cumsum(x) ** 2).sum(), x),
        "h": affine(0.8, 0.25, 0.5),
        "dh": gradient(lambda bump: (affine(0.8, 0.25, 0.5, bump) ** 2).sum(), np.zeros(4)),
        "dW": gradient(lambda W: (affine(W, 0.25, 0.5) ** 2).sum(), 0.8),
        "db": gradient(lambda b: (affine(0.8, b, 0.5) ** 2).sum(), 0.25),
        "dstart": gradient(lambda start: (affine(0.8, 0.25, start) ** 2).sum(), 0.5),
        "drest": gradient(lambda rest: energy(rest, gain), rest),
        "dgain": gradient(lambda gain: energy(rest, gain), gain),
    }


@example
def rnn_gradients():
    given = {
        "W_h": data(1, 3, 3) / 4,
        "W_x": data(2, 3, 2) / 4,
        "W_y": data(3, 2, 3) / 4,
        "b": data(4, 3) / 4,
    }
    x, target = data(5, 7, 2) / 2, data(6, 7, 2) / 2

    def loss(W_h, W_x, W_y, b):
        h = [np.zeros(3)]
        for row in x[1:]:
            h.append(np.tanh(W_h @ h[-1] + W_x @ row + b))
        return ((np.stack(h) @ W_y.T - target) ** 2).mean()

    slopes = {
        f"d_{name}": gradient(lambda moved: loss(**{**given, name: moved}), value)
        for name, value in given.items()
    }
    return {"x": x, "target": target, **given}, {"loss": loss(**given), **slopes}


@example
def lstm():
    given = {"W": data(1, 4, 3, 2) / 4, "U": data(2, 4, 3, 3) / 4, "b": data(3, 4, 3) / 4}
    x = data(4, 5, 2) / 2

    def run(W, U, b):
        c = h = np.zeros(3)
        for row in x:
            forget, take, value, show = W @ row + U @ h + b
            c = sigmoid(forget) * c + sigmoid(take) * np.tanh(value)
            h = sigmoid(show) * np.tanh(c)
        return h

    slopes = {
        f"d_{name}": gradient(lambda moved: (run(**{**given, name: moved}) ** 2).sum(), value)
        for name, value in given.items()
    }
    return {"x": x, **given}, {"last": run(**given), **slopes}


@example
def lorenz_sensitivity():
    def end(theta):
        def advance(s):
            x, y, z = s
            return s + 0.005 * np.array(
                [theta[0] * (y - x), x * (theta[1] - z) - y, x * y - theta[2] * z]
            )

        return unfold(np.ones(3), 200, advance)[-1]

    theta = np.array([10.0, 28.0, 2.6666667])
    return {}, {"end": end(theta), "sensitivity": gradient(lambda theta: end(theta)[2], theta)}


@example
def heat_diffusivity():
    start, measured = data(1, 9), data(2, 9) / 4
    diffusivity = 0.1 + np.arange(9) / 64

    def misfit(diffusivity):
        u = start.astype(diffusivity.dtype)
        for _ in range(29):
            u = u + np.pad(diffusivity[1:-1] * (u[:-2] - 2 * u[1:-1] + u[2:]), 1)
        return ((u - measured) ** 2).sum()

    inputs = {"start": start, "measured": measured, "diffusivity": diffusivity}
    return inputs, {"misfit": misfit(diffusivity), "by_diffusivity": gradient(misfit, diffusivity)}


@example
def kalman_filter():
    seen = data(3, 12) / 2
    given = {"drift": 0.3, "noise": 0.5, "keep": 0.95}

    def likelihood(drift, noise, keep):
        guess, doubt, total = 0.0, 1.0, 0.0
        for value in seen:
            spread = doubt + noise
            total += np.log(2 * np.pi * spread) + (value - guess) ** 2 / spread
            gain = doubt / spread
            guess, doubt = keep * (guess + gain * (value - guess)), keep**2 * (
                1 - gain
            ) * doubt + drift
        return -total / 2

    slopes = {
        f"by_{name}": gradient(lambda moved: likelihood(**{**given, name: moved[()]}), value)
        for name, value in given.items()
    }
    return {"seen": seen}, {"likelihood": likelihood(**given), **slopes}


@example
def value_iteration_gradient():
    room = np.arange(4)
    target = np.stack([np.maximum(room - 1, 0), np.minimum(room + 1, 3)])

    def settled(reward):
        def sweep(value):
            action = reward + 0.9 * value[target]
            return action[action.real.argmax(axis=0), room]

        return unfold(np.zeros(4), 40, sweep)[-1]

    reward = np.array([[0.3, 0, 0, 0], [0, 0, 0.1, 1]])
    return {}, {
        "settled": settled(reward),
        "by_reward": gradient(lambda reward: settled(reward).sum(), reward),
    }



target = Path(__file__).with_name("expected.json")
target.write_text(json.dumps(dict(sorted(examples.items()))) + "\n")

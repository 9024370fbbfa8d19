"""The rows in NumPy, with gradients written by hand and buffers reused where NumPy users would."""

from serve import serve


def load():
    import numpy as np

    f32 = np.float32

    def kept(compute):
        """A row whose `run` keeps the results of one function."""
        results = []

        def run():
            results[:] = compute()

        return run, lambda: results

    def matmul(A, B):
        C = np.empty((*A.shape[:-1], B.shape[-1]), f32)
        return (lambda: np.matmul(A, B, out=C)), (lambda: [C])

    def tanh_chain(x):
        y = np.empty_like(x)
        block = 1 << 14

        def run():
            for at in range(0, x.size, block):
                part = y[at : at + block]
                np.multiply(x[at : at + block], f32(1.3), out=part)
                np.add(part, f32(0.1), out=part)
                np.tanh(part, out=part)
                np.multiply(part, f32(0.7), out=part)

        return run, lambda: [y]

    def total(x):
        return kept(lambda: [x.sum()])

    def cross_entropy(z, label):
        rows = np.arange(len(label))
        z = z - z.max(1, keepdims=True)
        e = np.exp(z)
        s = e.sum(1, keepdims=True)
        loss = (np.log(s[:, 0]) - z[rows, label]).mean()
        return loss, e, s, rows

    def mlp_forward(x, label, W1, b1, W2, b2):
        return kept(lambda: [cross_entropy(np.maximum(x @ W1 + b1, 0) @ W2 + b2, label)[0]])

    def mlp_step(x, label, W1, b1, W2, b2):
        def step():
            nonlocal W1, b1, W2, b2
            h = np.maximum(x @ W1 + b1, 0)
            loss, e, s, rows = cross_entropy(h @ W2 + b2, label)
            d = e / s
            d[rows, label] -= 1
            d *= f32(1 / len(x))
            dh = (d @ W2.T) * (h > 0)
            W2 -= f32(0.1) * (h.T @ d)
            b2 -= f32(0.1) * d.sum(0)
            W1 -= f32(0.1) * (x.T @ dh)
            b1 -= f32(0.1) * dh.sum(0)
            return [loss, W1, b1, W2, b2]

        return kept(step)

    def softmax_norm(x, scale, shift):
        e = np.exp(x - x.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        c = p - p.mean(1, keepdims=True)
        r = 1 / np.sqrt((c * c).mean(1, keepdims=True) + f32(1e-5))
        n = c * r
        return n * scale + shift, p, r, n

    def norm_forward(x, scale, shift, weight):
        return kept(lambda: [softmax_norm(x, scale, shift)[0]])

    def norm_both(x, scale, shift, weight):
        def compute():
            y, p, r, n = softmax_norm(x, scale, shift)
            d = weight * scale
            dp = (d - d.mean(1, keepdims=True) - n * (d * n).mean(1, keepdims=True)) * r
            dx = p * (dp - (dp * p).sum(1, keepdims=True))
            return [y, dx, (weight * n).sum(0), weight.sum(0)]

        return kept(compute)

    def rnn_states(x, Wx, Wh, b):
        time, batch, width = x.shape
        xw = (x.reshape(time * batch, width) @ Wx + b).reshape(time, batch, width)
        h = np.zeros((time + 1, batch, width), f32)
        for t in range(time):
            np.tanh(xw[t] + h[t] @ Wh, out=h[t + 1])
        return h

    def rnn_loss(h):
        return f32(0.5) * np.dot(h.ravel(), h.ravel())

    def rnn_forward(x, Wx, Wh, b):
        return kept(lambda: [rnn_loss(rnn_states(x, Wx, Wh, b))])

    def rnn_both(x, Wx, Wh, b):
        time, batch, width = x.shape

        def compute():
            h = rnn_states(x, Wx, Wh, b)
            g = np.empty((time, batch, width), f32)
            back = np.ascontiguousarray(Wh.T)
            dh = np.zeros((batch, width), f32)
            for t in range(time - 1, -1, -1):
                np.multiply(dh + h[t + 1], 1 - h[t + 1] * h[t + 1], out=g[t])
                dh = g[t] @ back
            flat = g.reshape(time * batch, width)
            before = h[:-1].reshape(time * batch, width)
            return [
                rnn_loss(h),
                x.reshape(time * batch, width).T @ flat,
                before.T @ flat,
                flat.sum(0),
            ]

        return kept(compute)

    def heat(start, steps):
        between = np.empty(len(start) - 2, f32)

        def compute():
            u = start.copy()
            inner = u[1:-1]
            for _ in range(int(steps)):
                np.add(u[:-2], u[2:], out=between)
                np.multiply(between, f32(0.25), out=between)
                np.multiply(inner, f32(0.5), out=inner)
                np.add(inner, between, out=inner)
            return [u]

        return kept(compute)

    def shares(Q, K):
        score = Q @ K.transpose(0, 2, 1)
        score *= f32(Q.shape[2] ** -0.5)
        score -= score.max(2, keepdims=True)
        np.exp(score, out=score)
        score /= score.sum(2, keepdims=True)
        return score

    def attention_forward(Q, K, V, weight):
        return kept(lambda: [shares(Q, K) @ V])

    def attention_both(Q, K, V, weight):
        def compute():
            p = shares(Q, K)
            dp = weight @ V.transpose(0, 2, 1)
            ds = p * (dp - (dp * p).sum(2, keepdims=True)) * f32(Q.shape[2] ** -0.5)
            return [p @ V, ds @ K, ds.transpose(0, 2, 1) @ Q, p.transpose(0, 2, 1) @ weight]

        return kept(compute)

    def embedding_forward(table, token, weight):
        return kept(lambda: [np.vdot(table[token], weight)])

    def embedding(table, token, weight):
        def compute():
            loss = np.vdot(table[token], weight)
            d = np.zeros_like(table)
            np.add.at(d, token, weight)
            return [loss, d]

        return kept(compute)

    def prefix_sums(x):
        y = np.empty_like(x)
        return (lambda: np.cumsum(x, out=y)), (lambda: [y])

    def tiny(x):
        return kept(lambda: [x * f32(1.3) + f32(0.1)])

    rows = {
        "gemm": matmul,
        "tanh-chain": tanh_chain,
        "sum": total,
        "mlp-forward": mlp_forward,
        "mlp-step": mlp_step,
        "norm-forward": norm_forward,
        "norm-both": norm_both,
        "rnn-forward": rnn_forward,
        "rnn-both": rnn_both,
        "heat": heat,
        "attention-forward": attention_forward,
        "attention-both": attention_both,
        "batched-matmul": matmul,
        "embedding-forward": embedding_forward,
        "embedding": embedding,
        "cholesky": lambda A: kept(lambda: [np.linalg.cholesky(A)]),
        "prefix-sums": prefix_sums,
        "tiny": tiny,
        "tiny-forward": lambda x, weight: kept(lambda: [x * weight]),
    }
    return {"numpy": np.__version__}, rows



serve(load)

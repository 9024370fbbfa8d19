"""The rows in JAX: functions by `jit`, gradients by `value_and_grad`, recurrences by `lax.scan`."""

from serve import THREADS, serve


def load():
    import os

    if THREADS == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp
    from jax import lax

    def compiled(function, *arrays):
        function = jax.jit(function)
        arrays = [jnp.asarray(array) for array in arrays]
        results = []

        def run():
            results[:] = [jax.block_until_ready(function(*arrays))]

        return run, lambda: jax.tree.leaves(results)

    def training(loss, P, *fixed):
        """Parameters are donated, so that a step may write the new ones over the old."""
        names = list(P)

        def step(P):
            value, grads = jax.value_and_grad(loss)(P, *fixed)
            return value, {name: P[name] - 0.1 * grads[name] for name in names}

        step = jax.jit(step, donate_argnums=0)
        state = {name: jnp.array(P[name]) for name in names}
        results = []

        def run():
            nonlocal state
            value, state = step(state)
            results[:] = [value, *(state[name] for name in names)]
            jax.block_until_ready(results)

        return run, lambda: results

    def matmul(A, B):
        return compiled(jnp.matmul, A, B)

    def tiny(x):
        return compiled(lambda x: 1.3 * x + 0.1, x)

    def tanh_chain(x):
        return compiled(lambda x: jnp.tanh(1.3 * x + 0.1) * 0.7, x)

    def total(x):
        return compiled(jnp.sum, x)

    def cross_entropy(z, label):
        chosen = jnp.take_along_axis(z, label[..., None], -1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(z, -1) - chosen)

    def mlp_loss(P, x, label):
        return cross_entropy(jax.nn.relu(x @ P["W1"] + P["b1"]) @ P["W2"] + P["b2"], label)

    def mlp_forward(x, label, **P):
        loss = lambda x, label, *values: mlp_loss(dict(zip(P, values)), x, label)
        return compiled(loss, x, label, *P.values())

    def mlp_step(x, label, **P):
        return training(mlp_loss, P, jnp.asarray(x), jnp.asarray(label))

    def convolve(image, kernel):
        return lax.conv_general_dilated(image, kernel, (1, 1), "SAME")

    def conv_forward(image, kernel, weight):
        return compiled(convolve, image, kernel)

    def conv_back(arguments):
        def row(image, kernel, weight):
            def compute(image, kernel, weight):
                def loss(image, kernel):
                    feature = convolve(image, kernel)
                    return jnp.sum(feature * weight), feature

                loss_and_grads = jax.value_and_grad(loss, arguments, has_aux=True)
                (_, feature), grads = loss_and_grads(image, kernel)
                return feature, grads

            return compiled(compute, image, kernel, weight)

        return row

    def layer_norm(x, scale, shift):
        c = x - x.mean(-1, keepdims=True)
        return c / jnp.sqrt((c * c).mean(-1, keepdims=True) + 1e-5) * scale + shift

    def norm(x, scale, shift):
        return layer_norm(jax.nn.softmax(x, -1), scale, shift)

    def norm_forward(x, scale, shift, weight):
        return compiled(norm, x, scale, shift)

    def norm_both(x, scale, shift, weight):
        def loss(x, scale, shift, weight):
            y = norm(x, scale, shift)
            return jnp.sum(y * weight), y

        def compute(*arguments):
            (_, y), grads = jax.value_and_grad(loss, (0, 1, 2), has_aux=True)(*arguments)
            return y, grads

        return compiled(compute, x, scale, shift, weight)

    def rnn_loss(Wx, Wh, b, x):
        def step(h, xw):
            h = jnp.tanh(xw + h @ Wh)
            return h, h

        _, h = lax.scan(step, jnp.zeros(x.shape[1:]), x @ Wx + b)
        return 0.5 * jnp.sum(h * h)

    def rnn_forward(x, Wx, Wh, b):
        return compiled(rnn_loss, Wx, Wh, b, x)

    def rnn_both(x, Wx, Wh, b):
        return compiled(jax.value_and_grad(rnn_loss, (0, 1, 2)), Wx, Wh, b, x)

    def heat(start, steps):
        def step(_, u):
            return u.at[1:-1].set(u[1:-1] + 0.25 * (u[:-2] - 2 * u[1:-1] + u[2:]))

        return compiled(lambda u: lax.fori_loop(0, int(steps), step, u), start)

    def attend(Q, K, V):
        score = jnp.einsum("hqd,hkd->hqk", Q, K) * Q.shape[2] ** -0.5
        return jnp.einsum("hqk,hkc->hqc", jax.nn.softmax(score, -1), V)

    def attention_forward(Q, K, V, weight):
        return compiled(attend, Q, K, V)

    def attention_both(Q, K, V, weight):
        def loss(Q, K, V, weight):
            read = attend(Q, K, V)
            return jnp.sum(read * weight), read

        def compute(*arguments):
            (_, read), grads = jax.value_and_grad(loss, (0, 1, 2), has_aux=True)(*arguments)
            return read, grads

        return compiled(compute, Q, K, V, weight)

    def transformer_loss(P, token, target):
        x = P["table"][token] + P["position"]
        place = jnp.arange(token.shape[1])
        causal = place[None, :] <= place[:, None]
        for l in range(2):
            calm = layer_norm(x, P["scale1"][l], P["shift1"][l])
            q, k, v = (jnp.einsum("bpd,dhe->bhpe", calm, P[name][l]) for name in ("Wq", "Wk", "Wv"))
            score = jnp.einsum("bhie,bhje->bhij", q, k) * q.shape[-1] ** -0.5
            score = jnp.where(causal, score, -jnp.inf)
            read = jnp.einsum("bhij,bhje->bihe", jax.nn.softmax(score, -1), v)
            x = x + jnp.einsum("bihe,hed->bid", read, P["Wo"][l])
            calm = layer_norm(x, P["scale2"][l], P["shift2"][l])
            hidden = jax.nn.gelu(calm @ P["W1"][l] + P["b1"][l], approximate=False)
            x = x + hidden @ P["W2"][l] + P["b2"][l]
        return cross_entropy(x @ P["table"].T, target)

    def transformer_forward(token, target, **P):
        token, target = jnp.asarray(token), jnp.asarray(target)
        names = list(P)
        return compiled(
            lambda *all: transformer_loss(dict(zip(names, all)), token, target), *P.values()
        )

    def transformer_step(token, target, **P):
        return training(transformer_loss, P, jnp.asarray(token), jnp.asarray(target))

    def compile_transformer(token, target, **P):
        """A fresh step each time: tracing and compilation are what is measured."""
        results = []

        def run():
            step, outputs = transformer_step(token, target, **P)
            step()
            results[:] = outputs()

        return run, lambda: results

    def embedding_loss(table, token, weight):
        return jnp.sum(table[token] * weight)

    def embedding_forward(table, token, weight):
        return compiled(embedding_loss, table, token, weight)

    def embedding(table, token, weight):
        return compiled(jax.value_and_grad(embedding_loss), table, token, weight)

    def cholesky(A):
        return compiled(jnp.linalg.cholesky, A)

    def prefix_sums(x):
        return compiled(jnp.cumsum, x)

    def compile_latency(x, W, b):
        """A fresh function each time: tracing and compilation are what is measured."""
        x, W, b = jnp.asarray(x), jnp.asarray(W), jnp.asarray(b)
        results = []
        runs = 0

        def run():
            nonlocal runs
            seed = float(runs)

            def loss(W, b):
                h = jnp.tanh(jnp.tanh(x @ W + b) @ W + b)
                p = jax.nn.softmax(h, -1)

                def step(s, q):
                    s = 0.5 * s + q
                    return s, s

                _, rest = lax.scan(step, p[0], p[1:])
                power = jnp.sum(jnp.concatenate([p[:1], rest]) ** 2, -1)
                return jnp.sum(power) / jnp.max(power) + seed

            value, grads = jax.block_until_ready(jax.jit(jax.value_and_grad(loss, (0, 1)))(W, b))
            results[:] = [value, *grads]
            runs += 1

        return run, lambda: results

    rows = {
        "gemm": matmul,
        "tiny": tiny,
        "tanh-chain": tanh_chain,
        "sum": total,
        "mlp-forward": mlp_forward,
        "mlp-step": mlp_step,
        "conv-forward": conv_forward,
        "conv-weight": conv_back((1,)),
        "conv-both": conv_back((1, 0)),
        "norm-forward": norm_forward,
        "norm-both": norm_both,
        "rnn-forward": rnn_forward,
        "rnn-both": rnn_both,
        "heat": heat,
        "attention-forward": attention_forward,
        "attention-both": attention_both,
        "transformer-forward": transformer_forward,
        "transformer-step": transformer_step,
        "batched-matmul": matmul,
        "embedding-forward": embedding_forward,
        "embedding": embedding,
        "cholesky": cholesky,
        "prefix-sums": prefix_sums,
        "compile": compile_latency,
        "compile-transformer": compile_transformer,
    }
    return {"jax": jax.__version__}, rows


serve(load)

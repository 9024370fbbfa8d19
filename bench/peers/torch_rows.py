"""The rows in PyTorch: eager operations, gradients by autograd, fused operations where possible."""

from serve import THREADS, serve


def load():
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(THREADS)

    def tensors(*arrays):
        return [torch.from_numpy(array) for array in arrays]

    def leaves(*arrays):
        return [torch.from_numpy(array).requires_grad_() for array in arrays]

    def kept(compute):
        results = []

        def run():
            results[:] = compute()

        return run, lambda: [result.detach().contiguous().numpy() for result in results]

    def forward(compute):
        def run():
            with torch.no_grad():
                return [compute()]

        return kept(run)

    def backward(wanted, parameters, compute):
        """`compute` returns the result to show and the scalar to differentiate."""

        def run():
            for parameter in parameters:
                parameter.grad = None
            shown, loss = compute()
            loss.backward()
            return [shown, *(parameter.grad for parameter in wanted)]

        return kept(run)

    def training(parameters, compute):
        def run():
            for parameter in parameters:
                parameter.grad = None
            loss = compute()
            loss.backward()
            with torch.no_grad():
                for parameter in parameters:
                    parameter -= 0.1 * parameter.grad
            return [loss, *parameters]

        return kept(run)

    def matmul(A, B):
        A, B = tensors(A, B)
        C = torch.empty(*A.shape[:-1], B.shape[-1])
        return (lambda: torch.matmul(A, B, out=C)), (lambda: [C.numpy()])

    def tiny(x):
        (x,) = tensors(x)
        y = torch.empty_like(x)
        return (lambda: torch.mul(x, 1.3, out=y).add_(0.1)), (lambda: [y.numpy()])

    def tiny_forward(x, weight):
        x, weight = tensors(x, weight)
        return forward(lambda: x * weight)

    def tiny_both(x, weight):
        (x,) = leaves(x)
        (weight,) = tensors(weight)

        def compute():
            y = x * weight
            return y, y.sum()

        return backward([x], [x], compute)

    def tanh_chain(x):
        (x,) = tensors(x)
        y = torch.empty_like(x)

        def run():
            torch.mul(x, 1.3, out=y)
            y.add_(0.1).tanh_().mul_(0.7)

        return run, lambda: [y.numpy()]

    def total(x):
        (x,) = tensors(x)
        return forward(lambda: x.sum())

    def mlp_loss(x, label, P):
        hidden = torch.relu(torch.addmm(P[1], x, P[0]))
        return F.cross_entropy(torch.addmm(P[3], hidden, P[2]), label)

    def mlp_forward(x, label, **P):
        x, *P = tensors(x, *P.values())
        label = torch.from_numpy(label).long()
        return forward(lambda: mlp_loss(x, label, P))

    def mlp_step(x, label, **P):
        (x,) = tensors(x)
        P = leaves(*P.values())
        label = torch.from_numpy(label).long()
        return training(P, lambda: mlp_loss(x, label, P))

    def conv_forward(image, kernel, weight):
        image, kernel = tensors(image, kernel)
        return forward(lambda: F.conv2d(image, kernel, padding=1))

    def conv_back(wanted, image, kernel, weight):
        weight = torch.from_numpy(weight)

        def run():
            image.grad = kernel.grad = None
            feature = F.conv2d(image, kernel, padding=1)
            feature.backward(weight)
            return [feature, *(each.grad for each in wanted)]

        return kept(run)

    def conv_weight(image, kernel, weight):
        image, kernel = torch.from_numpy(image), *leaves(kernel)
        return conv_back([kernel], image, kernel, weight)

    def conv_both(image, kernel, weight):
        image, kernel = leaves(image, kernel)
        return conv_back([kernel, image], image, kernel, weight)

    def norm(x, scale, shift):
        return F.layer_norm(torch.softmax(x, -1), (x.shape[-1],), scale, shift)

    def norm_forward(x, scale, shift, weight):
        x, scale, shift = tensors(x, scale, shift)
        return forward(lambda: norm(x, scale, shift))

    def norm_both(x, scale, shift, weight):
        x, scale, shift = leaves(x, scale, shift)
        weight = torch.from_numpy(weight)

        def run():
            x.grad = scale.grad = shift.grad = None
            y = norm(x, scale, shift)
            y.backward(weight)
            return [y, x.grad, scale.grad, shift.grad]

        return kept(run)

    def rnn_of(x, Wx, Wh, b):
        cell = torch.nn.RNN(x.shape[2], Wx.shape[1])
        Wx, Wh, b = tensors(Wx, Wh, b)
        with torch.no_grad():
            cell.weight_ih_l0.copy_(Wx.t())
            cell.weight_hh_l0.copy_(Wh.t())
            cell.bias_ih_l0.copy_(b)
            cell.bias_hh_l0.zero_()
        x = torch.from_numpy(x)

        def loss():
            y, _ = cell(x)
            return 0.5 * (y * y).sum()

        return cell, loss

    def rnn_forward(**inputs):
        _, loss = rnn_of(**inputs)
        return forward(loss)

    def rnn_both(**inputs):
        cell, loss = rnn_of(**inputs)

        def run():
            cell.zero_grad(set_to_none=True)
            value = loss()
            value.backward()
            return [
                value,
                cell.weight_ih_l0.grad.t(),
                cell.weight_hh_l0.grad.t(),
                cell.bias_ih_l0.grad,
            ]

        return kept(run)

    def heat(start, steps):
        (start,) = tensors(start)
        between = torch.empty(len(start) - 2)

        def compute():
            u = start.clone()
            left, inner, right = u[:-2], u[1:-1], u[2:]
            for _ in range(int(steps)):
                torch.add(left, right, out=between)
                between.mul_(0.25)
                inner.mul_(0.5).add_(between)
            return u

        return forward(compute)

    def attention_forward(Q, K, V, weight):
        Q, K, V = tensors(Q, K, V)
        return forward(lambda: F.scaled_dot_product_attention(Q[None], K[None], V[None])[0])

    def attention_both(Q, K, V, weight):
        Q, K, V = leaves(Q, K, V)
        weight = torch.from_numpy(weight)

        def run():
            Q.grad = K.grad = V.grad = None
            read = F.scaled_dot_product_attention(Q[None], K[None], V[None])[0]
            read.backward(weight)
            return [read, Q.grad, K.grad, V.grad]

        return kept(run)

    def transformer_loss(token, target, P):
        token, target = torch.from_numpy(token).long(), torch.from_numpy(target).long()
        d = P["table"].shape[1]

        def loss():
            x = P["table"][token] + P["position"]
            for l in range(2):
                calm = F.layer_norm(x, (d,), P["scale1"][l], P["shift1"][l])
                q, k, v = (
                    torch.einsum("bpd,dhe->bhpe", calm, P[name][l]) for name in ("Wq", "Wk", "Wv")
                )
                read = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + torch.einsum("bhpe,hed->bpd", read, P["Wo"][l])
                calm = F.layer_norm(x, (d,), P["scale2"][l], P["shift2"][l])
                x = x + F.gelu(calm @ P["W1"][l] + P["b1"][l]) @ P["W2"][l] + P["b2"][l]
            return F.cross_entropy((x @ P["table"].t()).flatten(0, 1), target.flatten())

        return loss

    def transformer_forward(token, target, **P):
        return forward(transformer_loss(token, target, dict(zip(P, tensors(*P.values())))))

    def transformer_step(token, target, **P):
        P = dict(zip(P, leaves(*P.values())))
        return training(list(P.values()), transformer_loss(token, target, P))

    def embedding_forward(table, token, weight):
        table, weight = tensors(table, weight)
        token = torch.from_numpy(token).long()
        return forward(lambda: (F.embedding(token, table) * weight).sum())

    def embedding(table, token, weight):
        (table,) = leaves(table)
        token, weight = torch.from_numpy(token).long(), torch.from_numpy(weight)

        def compute():
            loss = (F.embedding(token, table) * weight).sum()
            return loss, loss

        return backward([table], [table], compute)

    def cholesky(A):
        (A,) = tensors(A)
        return forward(lambda: torch.linalg.cholesky(A))

    def prefix_sums(x):
        (x,) = tensors(x)
        y = torch.empty_like(x)
        return (lambda: torch.cumsum(x, 0, out=y)), (lambda: [y.numpy()])

    rows = {
        "gemm": matmul,
        "tiny": tiny,
        "tiny-forward": tiny_forward,
        "tiny-both": tiny_both,
        "tanh-chain": tanh_chain,
        "sum": total,
        "mlp-forward": mlp_forward,
        "mlp-step": mlp_step,
        "conv-forward": conv_forward,
        "conv-weight": conv_weight,
        "conv-both": conv_both,
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
    }
    return {"torch": torch.__version__}, rows


serve(load)

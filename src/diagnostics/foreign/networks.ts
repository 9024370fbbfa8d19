// Rows of the table: operators of ONNX, layers of PyTorch, and operations that move many cells at
// once.

import type { Group } from "./row.ts";

const seedIs1 = "1 is the seed";
const perChannel = "for each channel, `let r[c] = mean[i, j](x[c, i, j]);`";
const widened = "small integers are widened by `as`; multiply by both scales behind the sum";
const besideX = "sum[j](x[i - j] * w[j] where i - j in 0..len(x))";
const box = "[p in 0..n, q in 0..n, u in 0..n](x[n * i + p, n * j + q, n * l + u])";
const layersAreFunctions = "a layer is a function, and its parameters are values that are passed";

export const networkGroups: readonly Group[] = [
  {
    title: "Convolution, pooling and resizing",
    rows: [
      [
        "qconv(x, w)",
        "let r[i in 0..len(x) - len(w) + 1] = sum[j](x[i + j] as i32 * (w[j] as i32));",
        widened,
      ],
      ["qlinear(A, B)", "let r[i, j] = sum[k](A[i, k] as i32 * (B[j, k] as i32));", widened],
      ["qmatmul(A, B)", "let r[i, j] = sum[k](A[i, k] as i32 * (B[k, j] as i32));", widened],
      [
        "conv_transpose(x, w)",
        `let r[i in 0..len(x) + len(w) - 1] = ${besideX};`,
        "with a stride, spread the cells of `x` first",
      ],
      [
        "F.conv_transpose1d(x, w)",
        `let r[i in 0..len(x) + len(w) - 1] = ${besideX};`,
        "with a stride, spread the cells of `x` first",
      ],
      [
        "depthwise_conv(A, B)",
        "let r[c, i in 0..shape(A)[1] - shape(B)[1] + 1] = sum[j](A[c, i + j] * B[c, j]);",
        "or `std::ml::conv1d` with as many `groups` as there are channels",
      ],
      [
        "lp_pool(x, n)",
        "let r[i in 0..len(x) - n + 1] = sqrt(sum[j in 0..n](x[i + j] ** 2.0));",
        "with a stride of 2, `x[2 * i + j]`",
      ],
      [
        "max_roi_pool(A, p)",
        "",
        "take the maximum over the region's own ranges: `max[i in 2..6, j in 0..4](A[i, j])`",
      ],
      ["global_avg_pool(x)", "mean[i](x[i])", perChannel],
      [
        "global_max_pool(x)",
        "max[i](x[i])",
        "for each channel, `let r[c] = max[i, j](x[c, i, j]);`",
      ],
      ["F.adaptive_avg_pool2d(x, 1)", "mean[i](x[i])", perChannel],
      ["average_pool3d(x, n)", `let r[i, j, l] = mean${box};`, "a channel is one coordinate more"],
      ["avg_pool3d(x, n)", `let r[i, j, l] = mean${box};`, "a channel is one coordinate more"],
      ["max_pool3d(x, n)", `let r[i, j, l] = max${box};`, "a channel is one coordinate more"],
      [
        "resize(A, n, m)",
        "let r[i in 0..n, j in 0..m] = A[i * len(A) / n, j * shape(A)[1] / m];",
        "the nearest cell is taken",
      ],
      ["upsample(x, n)", "let r[i in 0..n * len(x)] = x[i / n];"],
      ["F.upsample(A, n)", "let r[i in 0..n * len(A), j in 0..n * shape(A)[1]] = A[i / n, j / n];"],
      ["F.interpolate(x, n)", "let r[i in 0..n * len(x)] = x[i / n];", "the nearest cell is taken"],
      [
        "torch.nn.functional.interpolate(A, n)",
        "let r[i in 0..n * len(A), j in 0..n * shape(A)[1]] = A[i / n, j / n];",
        "the nearest cell is taken",
      ],
      [
        "depth_to_space(x, n)",
        `let r[c in 0..len(x) / (n * n), i in 0..shape(x)[1] * n, j in 0..shape(x)[2] * n] = ` +
          "x[(i % n * n + j % n) * (len(x) / (n * n)) + c, i / n, j / n];",
        "`x` has the axes channel, row and column",
      ],
      [
        "F.pixel_shuffle(x, n)",
        `let r[c in 0..len(x) / (n * n), i in 0..shape(x)[1] * n, j in 0..shape(x)[2] * n] = ` +
          "x[c * n * n + i % n * n + j % n, i / n, j / n];",
        "`x` has the axes channel, row and column",
      ],
      [
        "space_to_depth(x, n)",
        "let r[c in 0..len(x) * n * n, i in 0..shape(x)[1] / n, j in 0..shape(x)[2] / n] = " +
          "x[c % len(x), i * n + c / len(x) / n, j * n + c / len(x) % n];",
        "`x` has the axes channel, row and column",
      ],
      [
        "F.unfold(x, n)",
        "let r[i in 0..len(x) - n + 1, j in 0..n] = x[i + j];",
        "mostly nothing is to be copied: the sum reads `x[i + j]` itself",
      ],
      [
        "sliding_window_view(x, n)",
        "let r[i in 0..len(x) - n + 1, j in 0..n] = x[i + j];",
        "mostly nothing is to be copied: the sum reads `x[i + j]` itself",
      ],
      [
        "F.grid_sample(A, B)",
        "",
        "read at computed places, and weigh the cells around: `A[floor(u) as i32, j]`",
      ],
    ],
  },
  {
    title: "Normalisation and activations",
    rows: [
      [
        "instance_normalization(x, y, w)",
        "std::ml::group_norm(x, y, w, len(y))",
        "a group for each channel; `y` scales, `w` shifts",
      ],
      ["lp_normalization(x)", "let r[i] = x[i] / std::linalg::norm(x);"],
      [
        "lp_normalize(A)",
        "let r[i, j] = A[i, j] / std::linalg::norm[k](A[i, k]);",
        "along the last axis",
      ],
      ["l2_normalize(x)", "let r[i] = x[i] / std::linalg::norm(x);"],
      [
        "tf.l2_normalize(A)",
        "let r[i, j] = A[i, j] / std::linalg::norm[k](A[i, k]);",
        "along the last axis",
      ],
      [
        "mean_variance_normalization(x)",
        "std::ml::normalize(x)",
        "of several axes, `std::ml::normalize[j](x[i, j])` says which one",
      ],
      [
        "lrn(x)",
        "let r[i] = x[i] / (1.0 + 1e-4 * sum[j](x[j] ** 2.0 where abs(i - j) <= 2)) ** 0.75;",
        "2 neighbours on either side",
      ],
      ["F.threshold(s, a, b)", "if s > a { s } else { b }"],
      ["thresholded_relu(s, a)", "if s > a { s } else { 0.0 }"],
      ["F.glu(x)", "let r[i in 0..len(x) / 2] = x[i] * sigmoid(x[i + len(x) / 2]);"],
      [
        "F.gumbel_softmax(x)",
        "let r[i] = x[i] - log(-log(uniform(1, i)));",
        "1 is the seed; then `std::ml::softmax(r)`",
      ],
      [
        "F.triplet_margin_loss(x, y, w)",
        "max(0.0, 1.0 + std::linalg::norm(x - y) - std::linalg::norm(x - w))",
      ],
      [
        "F.cosine_embedding_loss(x, y, 1)",
        "1.0 - std::ml::cosine_similarity(x, y)",
        "of a pair that is unlike, `max(0.0, std::ml::cosine_similarity(x, y))`",
      ],
      ["F.bce_loss(x, y)", "std::ml::binary_cross_entropy(x, y)"],
      ["bce_with_logits(x, y)", "std::ml::binary_cross_entropy_with_logits(x, y)"],
    ],
  },
  {
    title: "Layers that are objects",
    rows: [
      ["nn.Linear(n, m)", "", `${layersAreFunctions}: \`std::ml::linear(x, weight, bias)\``],
      ["nn.Dense(n)", "", `${layersAreFunctions}: \`std::ml::linear(x, weight, bias)\``],
      ["nn.Conv1d(n, m, 3)", "", `${layersAreFunctions}: \`std::ml::conv1d(x, weight, bias)\``],
      ["nn.Conv2d(n, m, 3)", "", `${layersAreFunctions}: \`std::ml::conv2d(x, weight, bias)\``],
      [
        "nn.LSTM(n, m)",
        "",
        `${layersAreFunctions}: \`std::ml::lstm\` takes the states and the weights`,
      ],
      [
        "nn.GRU(n, m)",
        "",
        `${layersAreFunctions}: \`std::ml::gru\` takes the state and the weights`,
      ],
      ["nn.Embedding(n, m)", "", "a row is read by its number: `let r[i, j] = table[k[i], j];`"],
      [
        "nn.Dropout(s)",
        "",
        "write the choice: `let r[i] = if uniform(1, i) < 0.5 { 0.0 } else { 2.0 * x[i] };`",
      ],
      ["nn.LayerNorm(n)", "", `${layersAreFunctions}: \`std::ml::layer_norm(x, scale, shift)\``],
      ["nn.BatchNorm1d(n)", "", `${layersAreFunctions}: \`std::ml::batch_norm(x, scale, shift)\``],
      ["nn.BatchNorm2d(n)", "", `${layersAreFunctions}: \`std::ml::batch_norm(x, scale, shift)\``],
      ["nn.ReLU()", "", "it is a function, and there without `use`: `relu(x)`"],
      ["nn.Sigmoid()", "", "it is a function, and there without `use`: `sigmoid(x)`"],
      ["nn.Tanh()", "", "it is a function, and there without `use`: `tanh(x)`"],
      ["nn.GELU()", "", "it is a function: `std::ml::gelu(x)`"],
      ["nn.Softmax(1)", "", "it is a function: `let p[i, j] = std::ml::softmax[j](x[i, j]);`"],
      ["nn.Sequential(f, f)", "", "functions are called one behind the other: `x |> f |> g`"],
      ["nn.CrossEntropyLoss()", "", "it is a function: `std::ml::cross_entropy(logits, labels)`"],
      ["nn.MSELoss()", "", "it is a function: `std::ml::mse(prediction, target)`"],
      ["nn.Parameter(x)", "x", "a gradient by any float value can be asked for, `@loss / @x`"],
      ["optim.SGD(x)", "", "a step is `std::optim::sgd_step`, a whole descent `std::optim::sgd`"],
      [
        "optim.Adam(x)",
        "",
        "a step is `std::optim::adam_step`, a whole descent `std::optim::adam`",
      ],
    ],
  },
  {
    title: "Many cells at once",
    rows: [
      ["expand(x, n)", "let r[b in 0..n, i] = x[i];", "mostly nothing: a term is repeated"],
      ["gather_nd(A, k)", "let r[i] = A[k[i, 0], k[i, 1]];"],
      [
        "gather_elements(A, k)",
        "let r[i, j] = A[i, k[i, j]];",
        "along the other axis, `A[k[i, j], j]`",
      ],
      [
        "scatter_nd(x, k, y)",
        "let r[i] = if any[j](k[j] == i) { sum[j](y[j] where k[j] == i) } else { x[i] };",
        "what goes to one place is added up",
      ],
      [
        "scatter_elements(x, k, y)",
        "let r[i] = if any[j](k[j] == i) { sum[j](y[j] where k[j] == i) } else { x[i] };",
        "what goes to one place is added up",
      ],
      ["torch.masked_fill(x, c, a)", "let r[i] = if c[i] { a } else { x[i] };"],
      ["torch.masked_select(x, c)", "[x[i] | i in 0..len(x), c[i]]"],
      ["np.compress(c, x)", "[x[i] | i in 0..len(x), c[i]]"],
      ["np.delete(x, n)", "[x[i] | i in 0..len(x), i != n]"],
      ["torch.full_like(x, a)", "[a | _ in x]"],
      ["torch.rand_like(x)", "[uniform(1, i) | i in 0..len(x)]", seedIs1],
      ["torch.randn_like(x)", "[normal(1, i) | i in 0..len(x)]", seedIs1],
      ["torch.randperm(n)", "std::array::argsort([uniform(1, i) | i in 0..n])", seedIs1],
      ["slice(x, n, m)", "[x[i] | i in n..m]"],
      ["torch.narrow(x, 0, n, m)", "[x[i] | i in n..n + m]"],
      ["torch.chunk(x, n)", "let r[i in 0..n, j in 0..len(x) / n] = x[i * (len(x) / n) + j];"],
      [
        "torch.unbind(A)",
        "",
        "a row of `A` is `A[0]`; all of them are read by a coordinate, `A[i, j]`",
      ],
      ["argmax_all(A)", "argmax[i](std::array::flatten(A)[i])", "counted row by row"],
    ],
  },
];

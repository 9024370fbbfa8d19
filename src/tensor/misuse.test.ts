// Calls that plain JavaScript may write and that TypeScript refuses. They give an error with
// advice, never a wrong number.

import { expect, test } from "vitest";
import * as t from "./index.ts";
import { ones, slice, tensor, zeros } from "./index.ts";

/** The library without types. */
const loose = t as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
const images = ones([1, 2, 4, 4]);
const kernels = ones([2, 2, 2, 2]);
const x23 = ones([2, 3]);

test.each<readonly [string, () => unknown, string]>([
  [
    "options that are not an object",
    () => loose["sum"]!(x23, 0),
    "sum: options are an object, { dim, keepdim }, and 0",
  ],
  [
    "an option of another library",
    () => loose["sum"]!(x23, { axis: 0 }),
    "there is no option `axis`",
  ],
  [
    "an option of another operation",
    () => loose["conv2d"]!(images, kernels, { strides: 2 }),
    "no option `strides`",
  ],
  [
    "a choice that is none",
    () => loose["gelu"]!(x23, { approximate: "erf" }),
    '`approximate` is one of "none", "tanh"',
  ],
  [
    "a stride of 0",
    () => t.conv2d(images, kernels, { stride: 0 }),
    "conv2d: `stride` is whole and at least 1, and 0",
  ],
  [
    "half a stride",
    () => t.conv2d(images, kernels, { stride: [1, 1.5] }),
    "at least 1, and 1.5 came",
  ],
  [
    "negative padding",
    () => t.conv2d(images, kernels, { padding: -1 }),
    "`padding` is whole and at least 0",
  ],
  [
    "no dilation",
    () => t.conv2d(images, kernels, { dilation: 0 }),
    "`dilation` is whole and at least 1",
  ],
  [
    "padding without a cell",
    () => t.maxPool2d(images, 2, { padding: 2 }),
    "more than half of the window",
  ],
  [
    "types that differ",
    () => t.layerNorm(x23, 3, { weight: ones([3], { dtype: "f64" }) }),
    "are f32, f64; cast them",
  ],
  [
    "dropout of integers",
    () => t.dropout(tensor(Int32Array.of(1)), 0.5, 1),
    "dropout: the tensor is i32",
  ],
  ["classes that are floats", () => t.crossEntropy(x23, tensor([0, 1])), "the classes are f32"],
  [
    "a reduction that is none",
    () => loose["crossEntropy"]!(x23, [0, 1], { reduction: "avg" }),
    "`reduction` is one of",
  ],
  [
    "a correction that is no number",
    () => x23.var({ correction: Number.NaN }),
    "`correction` is a number",
  ],
  [
    "an extent for an axis that is not there",
    () => zeros([3]).expand(-1, 3),
    "stands for an axis that [3] does not",
  ],
  [
    "sizes below 0",
    () => zeros([4]).split([5, -1]),
    "split: `sizes` is whole and at least 0, and -1 came",
  ],
  ["half a cell", () => zeros([4]).pad([[0.5, 0]]), "pad: 0.5 is not a number of cells"],
  ["nothing to stack", () => t.stack([]), "stack: there is nothing to put together"],
  ["an equation that is no text", () => loose["einsum"]!(x23), "einsum: there is no text"],
  [
    "a list as an index",
    () => loose["index"]!(x23, [[0, 1]]),
    "[0,1] is neither an integer nor a `slice(…)` nor a tensor",
  ],
  [
    "nothing as an index",
    () => loose["index"]!(x23, [undefined]),
    "undefined is neither an integer",
  ],
  ["half a position", () => slice(0.5), "slice: 0.5 is not a position"],
  [
    "a shape that is a number",
    () => loose["zeros"]!(3),
    "a shape is a list of extents, such as [2, 3], and 3 came",
  ],
  [
    "a type of another library",
    () => loose["tensor"]!([1], { dtype: "float32" }),
    "`dtype` is one of f32, f64",
  ],
  ["no values", () => loose["tensor"]!(undefined), "undefined is not a number"],
  [
    "an array without a type of ours",
    () => loose["tensor"]!(Uint16Array.of(3)),
    "Uint16Array holds no type of ours",
  ],
  [
    "bytes that are no bools",
    () => tensor(Uint8Array.of(1, 200)),
    "the cell 1 is 200, and bools are 0 or 1",
  ],
  [
    "not a number as an integer",
    () => t.full([2], Number.NaN, { dtype: "i64" }),
    "NaN is not a number of i64",
  ],
  [
    "a float into integers",
    () => tensor(Int32Array.of(1)).add_(0.5),
    "add_: the result is f32 and does not fit into i32",
  ],
  [
    "a tangent too few",
    () => t.jvp((x) => x, [x23], []),
    "jvp: 1 inputs want as many tangents, and 0 came",
  ],
  ["a tangent of another shape", () => t.jvp((x) => x, [x23], [ones([3])]), "its tangent [3]"],
])("%s", (_, run, message) => {
  expect(run).toThrow(t.TensorError);
  expect(run).toThrow(message);
});

test("lists and tensors where they make sense", () => {
  expect(zeros([6]).reshape([2, 3]).permute([1, 0]).shape).toEqual([3, 2]);
  expect(t.embedding(x23, [0, 1, 1]).shape).toEqual([3, 3]);
  expect(tensor(Int32Array.of(1, 2)).add([1, 2]).dtype).toBe("i32");
  const copy = tensor(x23);
  copy.zero_();
  expect(x23.sum().item()).toBe(6);
});

test("integers have a maximum too", () => {
  const x = tensor(Int32Array.of(-1, 0, 5));
  expect(
    [x.relu(), x.maximum(1), x.minimum(1), x.clamp(0, 3)].map((y) => [y.dtype, ...y.data]),
  ).toEqual([
    ["i32", 0, 0, 5],
    ["i32", 1, 1, 5],
    ["i32", -1, 0, 1],
    ["i32", 0, 0, 3],
  ]);
});

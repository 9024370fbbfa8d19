// Every operation of the eager tensor, compared with PyTorch on the same operands: values and
// gradients, to f32 accuracy. `test/reference/tensor.py` records the expectations. `relu` at 0 is
// left out: its slope is 0 in PyTorch and one half in Einlang.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as t from "../../src/tensor/index.ts";
import type { IndexItem, Tensor, TensorType } from "../../src/tensor/index.ts";

type Datum = number | boolean | "NaN" | "Infinity" | "-Infinity";

interface Value {
  readonly dtype: TensorType;
  readonly shape: readonly number[];
  readonly data: readonly Datum[];
}

interface Call {
  readonly call: string;
  readonly operands: readonly Value[];
  readonly options?: unknown;
  readonly result: Value;
  readonly weights?: readonly Datum[];
  readonly gradients?: readonly (readonly Datum[] | null)[];
  /** How far PyTorch's f32 is from its f64, for the result and for each gradient. */
  readonly off?: number;
  readonly gradientsOff?: readonly number[];
}

const calls = JSON.parse(
  readFileSync(new URL("pytorch.json", import.meta.url), "utf8"),
) as readonly Call[];

function tensorOf({ dtype, shape, data }: Value, requiresGrad: boolean): Tensor {
  const store = { f32: Float32Array, i32: Int32Array, bool: Uint8Array }[
    dtype as "f32" | "i32" | "bool"
  ];
  return t.fromTypedArray(store.from(data.map(Number)), shape, {
    requiresGrad: requiresGrad && dtype === "f32",
  });
}

/** How a recorded call is written in this half; the options are those of the script. */
// oxlint-disable-next-line typescript/no-explicit-any -- options differ from call to call
const written: Record<string, (x: readonly Tensor[], options: any) => Tensor> = {
  where: ([c, a, b]) => t.where(c!, a!, b!),
  gelu: ([x], options) => t.gelu(x!, options),
  clamp: ([x, ...bounds], options) => {
    const [least, greatest] = options === "tensors" ? bounds : options;
    return t.clamp(x!, least ?? undefined, greatest ?? undefined);
  },
  var: ([x], options) => t.variance(x!, options),
  einsum: (operands, equation) => t.einsum(equation, ...operands),
  concat: (operands, dim) => t.concat(operands, dim),
  stack: (operands, dim) => t.stack(operands, dim),
  pad: ([x], { amounts, value }) => t.pad(x!, amounts, value),
  split: ([x], { sizes, dim, part }) => t.split(x!, sizes, dim)[part]!,
  index: ([x], items) => t.index(x!, items.map(itemOf)),
  crossEntropy: ([x], { classes, reduction }) =>
    t.crossEntropy(x!, tensorOf(classes, false), { reduction }),
  layerNorm: ([x, ...given], { shape, biasOnly, ...options }) => {
    const [weight, bias] = biasOnly ? [undefined, given[0]] : given;
    return t.layerNorm(x!, shape, { ...options, weight, bias });
  },
  conv2d: ([x, w, bias], options) => t.conv2d(x!, w!, { ...options, bias }),
  maxPool2d: ([x], { window, ...options }) => t.maxPool2d(x!, window, options),
  embedding: ([table], rows) => t.embedding(table!, tensorOf(rows, false)),
};

function itemOf(item: number | readonly (number | null)[] | { readonly tensor: Value }): IndexItem {
  if (typeof item === "number") return item;
  if ("tensor" in item) return tensorOf(item.tensor, false);
  const [start, stop, step] = item;
  return t.slice(start ?? undefined, stop ?? undefined, step ?? 1);
}

function computed({ call, options }: Call, operands: readonly Tensor[]): Tensor {
  const own = written[call];
  if (own) return own(operands, options);
  const operation = (t as unknown as Record<string, (...args: readonly unknown[]) => Tensor>)[
    call
  ]!;
  return operation(...operands, ...(options === undefined ? [] : [options]));
}

/**
 * As near to the exact number as f32 can be: within a few roundings, or a few times as far as
 * PyTorch's own f32.
 */
function expectClose(found: Tensor, expected: readonly Datum[], off: number, what: string): void {
  const wanted = expected.map(Number);
  const scale = Math.max(0, ...wanted.filter(Number.isFinite).map(Math.abs));
  expect(found.size, what).toBe(wanted.length);
  wanted.forEach((x, n) => {
    const y = Number(found.data[n]!);
    if (Object.is(x, y) || x === y || Math.abs(x - y) <= 1e-6 * scale + 4 * off) return;
    expect(y, `${what}, cell ${n}`).toBe(x);
  });
}

const names = [...new Set(calls.map(({ call }) => call))];

describe.each(names)("%s", (name) => {
  const group = calls.filter(({ call }) => call === name);
  test.each(
    group.map(
      (call) =>
        [
          (
            `${call.operands.map(({ shape }) => `[${shape.join()}]`).join(" ")} ` +
            JSON.stringify(call.options ?? "")
          ).slice(0, 90),
          call,
        ] as const,
    ),
  )("%s", (_, call) => {
    const operands = call.operands.map((operand) => tensorOf(operand, true));
    const result = computed(call, operands);
    expect(result.shape).toEqual(call.result.shape);
    expect(result.dtype).toBe(call.result.dtype);
    expectClose(result, call.result.data, call.off ?? 0, "value");
    if (!call.gradients) return;
    result.backward(tensorOf({ ...call.result, data: call.weights! }, false));
    call.gradients.forEach((gradient, k) => {
      if (gradient)
        expectClose(
          operands[k]!.grad!,
          gradient,
          call.gradientsOff![k]!,
          `gradient of operand ${k}`,
        );
    });
  });
});

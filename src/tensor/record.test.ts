// A session becomes a program that computes the same numbers: whole training steps, with
// overwritten and detached tensors.

import { expect, test } from "vitest";
import { compile } from "../driver/compile.ts";
import type { Recording } from "./record.ts";
import {
  crossEntropy,
  define,
  defineFunction,
  gradientsOf,
  jvp,
  maxPool2d,
  nn,
  optim,
  rand,
  record,
  tensor,
  type Tensor,
} from "./index.ts";

/** The values of the recorded program, by name. */
function computed({ source, inputs }: Recording): (name: string) => readonly number[] {
  const { program, diagnostics } = compile({ name: "recorded.ein", text: source });
  expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  const given = new Map(
    [...inputs].map(([name, { dtype, shape, data }]) => [name, { dtype, shape, data }]),
  );
  const { values } = program!.run({ inputs: given });
  return (name) => Array.from(values.get(name)!.value.data as Float32Array);
}

const leaf = (values: readonly number[], name: string): Tensor =>
  tensor(values, { requiresGrad: true }).named(name);

test.each([
  [
    "SGD",
    (p: readonly Tensor[]) =>
      new optim.SGD(p, 0.1, { momentum: 0.9, nesterov: true, weightDecay: 0.1 }),
    3,
  ],
  ["AdamW", (p: readonly Tensor[]) => new optim.AdamW(p, 0.1), 5],
] as const)("two training steps with %s", (_, make, versions) => {
  const net = new nn.Sequential(
    new nn.Linear(2, 3, { seed: 1 }),
    (x) => x.relu(),
    new nn.Linear(3, 2, { seed: 3 }),
  );
  for (const [k, parameter] of net.parameters().entries()) parameter.named(`w${k}`);
  const optimiser = make(net.parameters());
  const x = rand([4, 2], { seed: 1 }).named("x");
  const recording = record(() => {
    for (let step = 0; step < 2; step++) {
      optimiser.zeroGrad();
      crossEntropy(net.forward(x), [0, 1, 1, 0]).named("loss").backward();
      optim.clipGradNorm(net.parameters(), 0.1);
      optimiser.step();
    }
  });
  const value = computed(recording);
  for (const [k, parameter] of net.parameters().entries())
    expect(value(`w${k}_${versions}`)).toEqual([...parameter.data]);
  // The inputs have the values from before, although they were overwritten later.
  expect(recording.inputs.get("w0")!.data).not.toEqual(net.parameters()[0]!.data);
});

test("gradients add up, and what is detached stops them", () => {
  const x = leaf([1, 2], "x");
  const value = computed(
    record(() => {
      x.multiply(x.detach()).sum().backward();
      x.multiply(3).sum().backward();
      x.grad!.multiply(1).named("end");
    }),
  );
  expect(value("end")).toEqual([4, 5]);
  expect([...x.grad!.data]).toEqual([4, 5]);
});

test("gradients of gradients, and pushforwards", () => {
  const x = leaf([1, 2], "x");
  const second = computed(
    record(() => {
      const first = gradientsOf(x.pow(3).sum(), undefined, { createGraph: true }).get(x)!;
      first.sum().backward();
    }),
  );
  expect(second("d_x")).toEqual([6, 12]);
  const pushed = computed(
    record(
      () =>
        void jvp((y) => y.multiply(y), [x], [tensor([1, 10])])
          .tangent.multiply(1)
          .named("end"),
    ),
  );
  expect(pushed("end")).toEqual([2, 40]);
});

test("an operation from source is written out at each call", () => {
  const ball = define(
    "ball",
    "fn sq(a: f32) -> f32 { a * a }\ninput x: [f32; n];\nlet half[i] = x[i] / 2.0;\n" +
      "let y = sum[i](sq(half[i])) / extent(n) as f32;",
  );
  const x = leaf([1, 2], "x");
  const recording = record(() =>
    ball(x)
      .add(ball(x.multiply(2)))
      .named("s")
      .backward(),
  );
  expect(computed(recording)("d_x")).toEqual([...x.grad!.data]);
  expect(recording.source).toContain("let ball = sum[i](ball_sq(ball_half[i])) / 2 as f32;");
});

test("names that coordinates, the language or other values have are changed", () => {
  const [i, image, half] = [
    leaf([1, 2], "i"),
    rand([1, 1, 2, 2], { seed: 1 }).named("image"),
    leaf([3, 4], "2nd half"),
  ];
  const total = leaf([1], "loss_total");
  const value = computed(
    record(() => {
      i.multiply(half).add(total).sum().add(maxPool2d(image, 2).sum()).named("let").backward();
      crossEntropy(i, tensor(0, { dtype: "i32" }))
        .named("loss")
        .backward();
    }),
  );
  expect(value("d_i_1")).toEqual([3, 4]);
  expect(value("d_t2nd_half")).toEqual([1, 2]);
});

test("what has no Einlang is said", () => {
  const plain = defineFunction("plain", ([x]) => x!.multiply(2));
  expect(() => record(() => plain([tensor(1)], undefined))).toThrow(
    "record: plain is a plain function",
  );
  const before = leaf([1, 2], "x").pow(2);
  expect(() => record(() => before.sum().backward())).toThrow(
    "record: gradients go back through pow, which was computed before the recording",
  );
});

// The tools around eager tensors: user-defined operations, derivatives of functions, recorded
// programs, drawings.

import { expect, test } from "vitest";
import { compile } from "../driver/compile.ts";
import { compiledCount } from "./core/kernel.ts";
import { registeredNames } from "./core/registry.ts";
import {
  define,
  defineFunction,
  embedding,
  gradcheck,
  gradientsOf,
  graph,
  jvp,
  matmul,
  noGrad,
  ones,
  rand,
  record,
  registerBackward,
  softmax,
  tensor,
  type Tensor,
  vjp,
} from "./index.ts";

test("an operation from source has a derived backward", () => {
  const swish = define("swish", "input x: [f32; n];\nlet y[i] = x[i] * sigmoid(x[i]);");
  const x = tensor([0, 1], { requiresGrad: true });
  swish(x).sum().backward();
  expect(x.grad!.data[0]).toBe(0.5);
  expect(x.grad!.data[1]).toBeCloseTo(0.92767, 4);
});

test("an operation from a function has the backward that is registered", () => {
  const double = defineFunction("double", ([x]) => x!.multiply(2));
  const x = tensor([1, 2], { requiresGrad: true });
  const y = double([x], undefined);
  expect(y.toArray()).toEqual([2, 4]);
  expect(() => y.sum().backward()).toThrow("no backward registered for double argument 0");
  registerBackward("double", 0, (gradient) => gradient.multiply(2));
  y.sum().backward();
  expect(x.grad!.toArray()).toEqual([2, 2]);
});

test("an operation from source has gradients of gradients", () => {
  const cube = define("cube", "input x: [f32; n]; let y[i] = x[i] * x[i] * x[i];");
  const x = tensor([2], { requiresGrad: true });
  const first = gradientsOf(cube(x), undefined, { createGraph: true }).get(x)!;
  expect([first.item(), gradientsOf(first.sum()).get(x)!.item()]).toEqual([12, 12]);
  expect(() => cube(ones([2, 2]))).toThrow("cube: the input `x` has rank 1");
});

test("third derivatives", () => {
  const x = tensor([2], { requiresGrad: true });
  let y = x.pow(5).sum();
  const found = [0, 1, 2].map(() => {
    const slope = gradientsOf(y, undefined, { createGraph: true }).get(x)!;
    y = slope.sum();
    return slope.item();
  });
  expect(found).toEqual([80, 160, 240]);
});

test("a backward of one's own needs the operands that it reads, and gives what fits", () => {
  const square = defineFunction("square", ([x]) => x!.multiply(x!));
  registerBackward("square", 0, (gradient, _, [x]) => gradient.multiply(x!).multiply(2));
  const x = tensor([3], { requiresGrad: true });
  const [left, kept] = [x.multiply(1), x.multiply(1)];
  const [y, z] = [square([left], undefined), square([kept], undefined)];
  noGrad(() => left.add_(100));
  expect(() => y.backward()).toThrow(
    "the pullback of square needs the value that its argument 0 had, and add_ has",
  );
  z.backward();
  expect(x.grad!.item()).toBe(6);
  registerBackward("square", 0, () => ones([7]));
  expect(() => z.backward()).toThrow("the backward of square to argument 0 gave f32 of shape [7]");
});

test("gradients that are kept are nobody else's", () => {
  const both = defineFunction("both", ([a, b]) => a!.add(b!));
  for (const argument of [0, 1]) registerBackward("both", argument, (gradient) => gradient);
  const [a, b, seed] = [
    tensor([1], { requiresGrad: true }),
    tensor([1], { requiresGrad: true }),
    tensor([2]),
  ];
  both([a, b], undefined).backward(seed);
  a.grad!.mul_(5);
  expect([a.grad!.item(), b.grad!.item(), seed.item()]).toEqual([10, 2, 2]);
});

test("hooks look, change, and go away by themselves", () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const y = x.multiply(2);
  const seen: string[] = [];
  const leave = y.registerHook((gradient) => gradient.multiply(10));
  y.registerHook((gradient) => void seen.push(String(gradient.toArray())));
  y.sum().backward();
  leave();
  leave();
  y.sum().backward();
  expect(seen).toEqual(["10,10", "1,1"]);
  expect(x.grad!.toArray()).toEqual([22, 22]);
  y.registerHook(() => ones([3]));
  expect(() => y.sum().backward()).toThrow(
    "a hook gave f32 of shape [3] as the gradient of f32 of shape [2]",
  );
});

test("inputs that are no floats have no gradients to check", () => {
  expect(
    gradcheck(
      (w, rows) => embedding(w, rows),
      [rand([3, 2], { seed: 1 }), tensor(Int32Array.of(0, 2))],
    ),
  ).toBe(true);
});

test("vjp, jvp and differences agree", () => {
  const f = (...[x, w]: readonly Tensor[]) => softmax(matmul(x!, w!).tanh());
  const x = rand([2, 3], { seed: 1, dtype: "f64" });
  const w = rand([3, 4], { seed: 2, dtype: "f64" });
  expect(gradcheck(f, [x, w])).toBe(true);
  const tangents = [
    rand([2, 3], { seed: 3, dtype: "f64" }),
    rand([3, 4], { seed: 4, dtype: "f64" }),
  ];
  const { tangent } = jvp(f, [x, w], tangents);
  const u = rand([2, 4], { seed: 5, dtype: "f64" });
  const parts = vjp(f, [x, w]).pullback(u);
  const forward = tangent.multiply(u).sum().item();
  const reverse = parts.reduce(
    (total, part, k) => total + part.multiply(tangents[k]!).sum().item(),
    0,
  );
  expect(forward).toBeCloseTo(reverse, 12);
});

test("a session becomes a program that computes the same", () => {
  const W = rand([3, 2], { seed: 1, requiresGrad: true }).named("W");
  const x = ones([4, 3]).named("x");
  let loss: Tensor | undefined;
  const { source, inputs } = record(() => {
    loss = x
      .matmul(W)
      .relu()
      .add(1)
      .reshape(8)
      .get(tensor(Int32Array.of(0, 2)))
      .mean()
      .named("loss");
    loss.backward();
  });
  const { program, diagnostics } = compile({ name: "recorded.ein", text: source });
  expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  const given = new Map(
    [...inputs].map(([name, { dtype, shape, data }]) => [name, { dtype, shape, data }]),
  );
  const { values } = program!.run({ inputs: given });
  expect(values.get("d_W")!.value.data).toEqual(W.grad!.data);
  // The rule of `maximum` is one long line, which is broken here.
  expect(source.replaceAll(" else ", "\nelse ")).toMatchInlineSnapshot(`
    "fn maximum(a: num, b: num) -> num { max(a, b) }
    @fn maximum(a: num, b: num) { if a == b || a != a && b != b { 0.5 * @a + 0.5 * @b }
    else if a < b || b != b { @b }
    else { @a } }
    input x: [f32; 4, 3];
    input W: [f32; 3, 2];
    let matmul[i, k] = sum[j](x[i, j] * W[j, k]);
    let relu_1[i, j] = maximum(matmul[i, j], 0);
    let c: f32 = 1.0;
    let add[i, j] = relu_1[i, j] + c;
    let reshape[i0 in 0..8] = add[(i0) / 2, (i0) % 2];
    let at: [i32; 2] = [0, 2];
    let index[t0] = reshape[at[t0]];
    let loss = mean[i](index[i]);
    let d_W = @loss / @W;
    "
  `);
});

test("the recorded graph can be drawn", () => {
  const a = tensor(2, { requiresGrad: true }).named("a");
  const { nodes, edges, toSvg, toDot } = graph(a.multiply(a).log());
  expect(nodes.map(({ operation }) => operation)).toEqual([undefined, "multiply", "log"]);
  expect(edges.map(({ from, to, argument }) => [from, to, argument])).toEqual([
    [0, 1, 0],
    [0, 1, 1],
    [1, 2, 0],
  ]);
  expect(toSvg()).toContain("multiply #1");
  expect(toDot()).toContain("log #2");
});

test("no operation of ours has a registered backward", () => {
  const own = ["double 0", "square 0", "both 0", "both 1"];
  expect(registeredNames().filter((entry) => !own.includes(entry))).toEqual([]);
});

test("the second call of an operation compiles nothing, whatever the extents", () => {
  const run = (rows: number): void => {
    const x = rand([rows, 3], { seed: rows, requiresGrad: true });
    x.multiply(x).sum({ dim: 1 }).mean().backward();
  };
  run(4);
  const before = compiledCount();
  run(4);
  run(7);
  expect(compiledCount()).toBe(before);
});

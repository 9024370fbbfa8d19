// The eager tensor: recipes, leaves, backpropagation, and the messages for mistakes.

import { describe, expect, test } from "vitest";
import { arange, noGrad, ones, slice, tensor, type Tensor, traceOps, zeros } from "./index.ts";
import * as f from "./functions.ts";

const numbers = (t: Tensor | undefined): readonly number[] => Array.from(t!.data as Float32Array);

describe("backpropagation", () => {
  test("the product of a·b and log c, and its logarithm", () => {
    const a = tensor([2, 3], { requiresGrad: true });
    const b = tensor([4, 5], { requiresGrad: true });
    const c = tensor([3, 10], { requiresGrad: true });
    const g = a.multiply(b).multiply(c.log()).log();
    g.backward(ones([2]));
    for (const [k, x] of [2, 3].entries()) expect(numbers(a.grad)[k]).toBeCloseTo(1 / x, 6);
    for (const [k, x] of [4, 5].entries()) expect(numbers(b.grad)[k]).toBeCloseTo(1 / x, 6);
    for (const [k, x] of [3, 10].entries())
      expect(numbers(c.grad)[k]).toBeCloseTo(1 / (x * Math.log(x)), 6);
  });

  test("broadcasting is summed over", () => {
    const x = tensor([1, 2], { requiresGrad: true });
    const y = tensor([[1], [2], [3]], { requiresGrad: true });
    x.multiply(y).sum().backward();
    expect(numbers(x.grad)).toEqual([6, 6]);
    expect(numbers(y.grad)).toEqual([3, 3, 3]);
  });

  test("gradients accumulate, only in leaves", () => {
    const x = tensor(3, { requiresGrad: true });
    const y = x.multiply(x);
    y.backward();
    y.backward();
    expect(x.grad!.item()).toBe(12);
    expect(y.grad).toBeUndefined();
  });

  test("a chain of 100,000 operations", () => {
    const x = tensor(1, { requiresGrad: true });
    let y: Tensor = x;
    for (let k = 0; k < 100_000; k++) y = y.add(1);
    y.backward();
    expect(x.grad!.item()).toBe(1);
  }, 60_000);

  test("gradients of gradients", () => {
    const x = tensor([1, 2, 3], { requiresGrad: true });
    x.pow(3).sum().backward(undefined, { createGraph: true });
    const first = x.grad!;
    expect(numbers(first)).toEqual([3, 12, 27]);
    x.grad = undefined;
    first.sum().backward();
    expect(numbers(x.grad)).toEqual([6, 12, 18]);
  });

  test("a cycle", () => {
    const a = tensor(1, { requiresGrad: true });
    const b = a.multiply(2);
    const c = b.add(1);
    (b.recipe!.parents as Map<number, Tensor>).set(0, c);
    expect(() => c.backward()).toThrow("the recorded graph has a cycle through add");
  });

  test("through what is overwritten", () => {
    const a = tensor([1, 2], { requiresGrad: true });
    const b = a.multiply(2);
    b.mul_(a).add_(a, 3);
    b.sum().backward();
    expect(numbers(b)).toEqual([5, 14]);
    expect(numbers(a.grad)).toEqual([7, 11]);
  });

  test("the greatest of all is not a number", () => {
    const x = tensor([1, Number.NaN, 3], { requiresGrad: true });
    x.max().backward();
    expect(numbers(x.grad)).toEqual([0, 1, 0]);
  });

  test("an operand of a maximum or minimum is not a number", () => {
    for (const extreme of ["maximum", "minimum"] as const) {
      const a = tensor([Number.NaN, 1, Number.NaN], { requiresGrad: true });
      const b = tensor([1, Number.NaN, Number.NaN], { requiresGrad: true });
      a[extreme](b).sum().backward();
      expect([numbers(a.grad), numbers(b.grad)]).toEqual([
        [1, 0, 0.5],
        [0, 1, 0.5],
      ]);
    }
    const x = tensor([Number.NaN], { requiresGrad: true });
    x.relu().sum().backward();
    expect(numbers(x.grad)).toEqual([1]);
  });

  test("ties", () => {
    const a = tensor([1, 2, 3], { requiresGrad: true });
    const b = tensor([2, 2, 2], { requiresGrad: true });
    a.maximum(b).sum().backward();
    expect(numbers(a.grad)).toEqual([0, 0.5, 1]);
    expect(numbers(b.grad)).toEqual([1, 0.5, 0]);
    const x = tensor([0, -1, 1], { requiresGrad: true });
    x.relu().sum().backward();
    expect(numbers(x.grad)).toEqual([0.5, 0, 1]);
    const m = tensor(
      [
        [3, 1, 3],
        [2, 3, 0],
      ],
      { requiresGrad: true },
    );
    m.max().backward();
    expect(numbers(m.grad)).toEqual([1 / 3, 0, 1 / 3, 0, 1 / 3, 0].map(Math.fround));
    m.grad = undefined;
    m.max({ dim: 1 }).sum().backward();
    expect(numbers(m.grad)).toEqual([1, 0, 0, 0, 1, 0]);
  });
});

describe("operations", () => {
  test("reductions", () => {
    const x = arange(6).reshape(2, 3);
    expect(x.sum().item()).toBe(15);
    expect(x.sum({ dim: 0 }).toArray()).toEqual([3, 5, 7]);
    expect(x.mean({ dim: 1, keepdim: true }).toArray()).toEqual([[1], [4]]);
    expect(x.var({ dim: 1 }).toArray()).toEqual([1, 1]);
    expect(x.argmax().item()).toBe(5);
    expect(x.argmax({ dim: 0 }).toArray()).toEqual([1, 1, 1]);
    expect(tensor(5).sum().item()).toBe(5);
    expect(zeros([0, 3]).sum({ dim: 0 }).toArray()).toEqual([0, 0, 0]);
    expect(zeros([2, 1]).argmax({ dim: 1 }).toArray()).toEqual([0, 0]);
    expect(x.greater(2).sum().item()).toBe(3);
  });

  test("products", () => {
    const a = arange(6).reshape(2, 3);
    const b = arange(12).reshape(3, 4);
    expect(a.matmul(b).toArray()).toEqual([
      [20, 23, 26, 29],
      [56, 68, 80, 92],
    ]);
    expect(a.matmul(arange(3)).toArray()).toEqual([5, 14]);
    expect(arange(24).reshape(2, 2, 2, 3).matmul(b).shape).toEqual([2, 2, 2, 4]);
    expect(f.einsum("ij,ij->", a, a).item()).toBe(55);
    expect(f.einsum("ii->i", arange(9).reshape(3, 3)).toArray()).toEqual([0, 4, 8]);
  });

  test("moving cells", () => {
    const x = arange(6).reshape(2, 3);
    expect(x.T.toArray()).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
    expect(x.flip(1).toArray()).toEqual([
      [2, 1, 0],
      [5, 4, 3],
    ]);
    expect(x.unsqueeze(0).expand(2, 2, 3).shape).toEqual([2, 2, 3]);
    expect(
      x
        .pad(
          [
            [0, 1],
            [1, 0],
          ],
          9,
        )
        .toArray(),
    ).toEqual([
      [9, 0, 1, 2],
      [9, 3, 4, 5],
      [9, 9, 9, 9],
    ]);
    expect(f.concat([x, x.add(10)], 1).toArray()).toEqual([
      [0, 1, 2, 10, 11, 12],
      [3, 4, 5, 13, 14, 15],
    ]);
    expect(f.stack([x, x]).shape).toEqual([2, 2, 3]);
    expect(x.split(2, 1).map((part) => part.toArray())).toEqual([
      [
        [0, 1],
        [3, 4],
      ],
      [[2], [5]],
    ]);
  });

  test("indexing", () => {
    const x = arange(24).reshape(2, 3, 4);
    expect(x.get(1).shape).toEqual([3, 4]);
    expect(x.get(1, slice(), slice(0, 4, 2)).toArray()).toEqual([
      [12, 14],
      [16, 18],
      [20, 22],
    ]);
    expect(x.get(-1, -1, -1).item()).toBe(23);
    expect(x.get(slice(), tensor(Int32Array.of(2, 0))).toArray()).toEqual([
      [
        [8, 9, 10, 11],
        [0, 1, 2, 3],
      ],
      [
        [20, 21, 22, 23],
        [12, 13, 14, 15],
      ],
    ]);
    expect(x.get(x.greater(20)).toArray()).toEqual([21, 22, 23]);
    const y = tensor([1, 2, 3], { requiresGrad: true });
    y.get(tensor(Int32Array.of(0, 0, 2)))
      .sum()
      .backward();
    expect(numbers(y.grad)).toEqual([2, 0, 1]);
  });

  test("networks", () => {
    const x = f.reshape(arange(16), [1, 1, 4, 4]);
    expect(f.conv2d(x, ones([1, 1, 3, 3]), { padding: 1, stride: 2 }).toArray()).toEqual([
      [
        [
          [10, 24],
          [51, 90],
        ],
      ],
    ]);
    expect(f.maxPool2d(x, 2).toArray()).toEqual([
      [
        [
          [5, 7],
          [13, 15],
        ],
      ],
    ]);
    expect(f.softmax([1, 1]).toArray()).toEqual([0.5, 0.5]);
    expect(f.crossEntropy([[0, 0]], tensor(Int32Array.of(1))).item()).toBeCloseTo(Math.log(2), 6);
    expect(f.layerNorm([[1, 3]], [2], { eps: 0 }).toArray()).toEqual([[-1, 1]]);
    expect(
      f
        .dropout(ones([1000]), 0.5, 1)
        .sum()
        .item(),
    ).toBeGreaterThan(800);
    expect(f.embedding(arange(6).reshape(3, 2), tensor(Int32Array.of(2, 2))).toArray()).toEqual([
      [4, 5],
      [4, 5],
    ]);
  });
});

describe("what is said", () => {
  test("overwriting a value that a pullback needs", () => {
    const x = tensor([1, 2], { requiresGrad: true });
    const y = tensor([3, 4]);
    const z = x.multiply(y).sum();
    y.add_(1);
    expect(() => z.backward()).toThrow(
      /pullback of multiply needs the value that its argument 1 had, and add_ has overwritten it/,
    );
    const w = x.add(y).sum();
    y.add_(1);
    expect(() => w.backward()).not.toThrow();
    const traced = traceOps(() => {
      const product = x.multiply(y).sum();
      y.add_(1);
      return product;
    });
    expect(() => traced.backward()).toThrow(
      /multiply \(.*tensor\.test\.ts.*add_ \(.*tensor\.test\.ts/,
    );
  });

  test("shapes that do not fit", () => {
    expect(() => zeros([2, 3]).add(zeros([2]))).toThrow(
      "add: the shapes [2, 3] and [2] do not fit: their last axes are 3 and 2",
    );
    expect(() => zeros([2, 3]).matmul(zeros([2, 3]))).toThrow("rows of 3 meet columns of 2");
    expect(() => zeros([2, 3]).reshape(4, 2)).toThrow("has 6 cells");
    expect(() => zeros([2]).get(5)).toThrow("5 is outside axis 0, which has the extent 2");
    expect(() => zeros([]).length).toThrow("no length");
    expect(() => zeros([2]).bool()).toThrow("ambiguous");
    expect(() => noGrad(() => zeros([2], { requiresGrad: true }).add(1)).backward()).toThrow(
      "requires no gradients",
    );
  });
});

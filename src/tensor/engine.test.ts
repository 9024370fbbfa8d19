// Eager tensors use the compiler's engine: their gradients are the compiler's own.

import { afterEach, expect, test } from "vitest";
import { operationRow } from "../scalar/operations.ts";
import { tensor } from "./index.ts";

const sound = operationRow("tanh") as { derivative: unknown };
const derivative = sound.derivative;

afterEach(() => {
  sound.derivative = derivative;
});

test("without its row in the compiler's table of derivatives, an operation has no backward", () => {
  sound.derivative = undefined;
  const x = tensor([0.5], { requiresGrad: true });
  const y = x.tanh();
  expect(y.item()).toBeCloseTo(Math.tanh(0.5), 6);
  expect(() => y.backward()).toThrow();
});

test("with it, it has", () => {
  const x = tensor([[0.5]], { requiresGrad: true });
  x.tanh().backward();
  expect(x.grad!.item()).toBeCloseTo(1 - Math.tanh(0.5) ** 2, 6);
});

// Random programs that request derivatives of derivatives, two and three levels deep. Each is made
// from one number.
//
// A program has a loss over tensors of rank 0 to 2, its gradient by one of them, a number made of
// that gradient, the gradient of that number by another name, and so on. Some inputs are zeros on
// purpose.

import { chance, integer, pick, randomOf, type Random } from "../random.ts";
import type { Tensor, World } from "./expressions.ts";
import { functionOf } from "./functions.ts";
import { stepsOf } from "./steps.ts";
import { at, fresh, range, tensorOf } from "./tensors.ts";
import { shapeOf, type Expression, type Program, type Statement } from "./program.ts";

export function ordersProgram(seed: number): Program {
  const random = randomOf(seed);
  const world: World = {
    random,
    statements: [],
    tensors: [],
    lookups: [],
    functions: [],
    parts: [],
    names: 0,
  };
  const inputs = Array.from({ length: integer(random, 1, 2) }, () => input(world));
  for (let n = integer(random, 0, 1); n > 0; n--) lookup(world);
  if (chance(random, 0.35)) functionOf(world);
  const made = Array.from({ length: integer(random, 1, 3) }, () => tensorOf(world));
  if (chance(random, 0.12)) made.push(...stepsOf(world));
  // Names in the middle of the program are requested more often than its inputs.
  const named = [...inputs, ...made, ...made];
  let of = total(world, "loss", made);
  const depth = chance(random, 0.4) ? 3 : 2;
  for (let order = 1; order <= depth; order++) {
    const { answer, by } = request(world, order, of, made, named);
    if (order === depth) break;
    // Sometimes later definitions read the answer.
    if (chance(random, 0.2)) named.push(answer);
    const between = chance(random, 0.25) ? [tensorOf(world, answer)] : [];
    named.push(...between);
    of = total(world, "q", [answer, ...between, ...(chance(random, 0.3) ? [by] : [])]);
  }
  return world.statements;
}

interface Asked {
  readonly answer: Tensor;
  readonly by: Tensor;
}

/** The derivative of a number, or sometimes of a tensor, by one of the names. */
function request(
  world: World,
  order: number,
  total: Tensor,
  made: readonly Tensor[],
  named: readonly Tensor[],
): Asked {
  const { random } = world;
  const by = pick(random, named);
  const wide = made.filter(({ shape }) => shape.length === 1);
  const of =
    order === 1 && by.shape.length <= 1 && wide.length > 0 && chance(random, 0.2)
      ? pick(random, wide)
      : total;
  const name = fresh(world, "ghk"[order - 1]!);
  const isIndexed = chance(random, 0.4);
  const cell =
    of.shape.length > 0 && chance(random, 0.3)
      ? of.shape.map((extent) => integer(random, 0, extent - 1))
      : undefined;
  const asked: Statement = {
    kind: "request",
    name,
    of: of.name,
    by: by.name,
    ofShape: cell ? [] : of.shape,
    byShape: by.shape,
    isIndexed,
    ...(cell ? { cell } : {}),
  };
  world.statements.push(asked);
  const answer = { name, shape: shapeOf(asked)! };
  world.tensors.push(answer);
  return { answer, by };
}

/** A number made of all cells of some tensors. */
function total(world: World, stem: string, tensors: readonly Tensor[]): Tensor {
  const { random } = world;
  const parts = tensors.map((tensor) => summed(random, tensor));
  const body = parts.reduce((left, right): Expression => ({
    kind: "binary",
    operation: chance(random, 0.2) ? "*" : "+",
    left,
    right,
  }));
  const tensor = { name: fresh(world, stem), shape: [] };
  world.statements.push({
    kind: "define",
    name: tensor.name,
    shape: [],
    clauses: [{ slots: [], body }],
  });
  world.tensors.push(tensor);
  return tensor;
}

function summed(random: Random, { name, shape }: Tensor): Expression {
  const along = shape.map((extent, axis) => range("klmnop"[axis]!, extent));
  const cell: Expression = { kind: "read", name, at: along.map((loop) => at(loop.name)) };
  const weight = along.reduce<Expression>(
    (left, loop, k) => ({
      kind: "binary",
      operation: "+",
      left,
      right: {
        kind: "binary",
        operation: "*",
        left: { kind: "number", value: 0.25 * (k + 1) },
        right: { kind: "position", index: at(loop.name) },
      },
    }),
    { kind: "number", value: 0.5 },
  );
  const whole = (exponent: number): Expression => ({
    kind: "binary",
    operation: "**",
    left: cell,
    right: { kind: "number", value: exponent },
  });
  const of = pick<Expression>(random, [
    whole(2),
    whole(2),
    whole(3),
    { kind: "binary", operation: "*", left: weight, right: cell },
    {
      kind: "binary",
      operation: "*",
      left: weight,
      right: { kind: "unary", operation: "sin", of: cell },
    },
    { kind: "binary", operation: "*", left: cell, right: whole(1) },
  ]);
  if (along.length === 0) return of;
  // A request may ask for one cell.
  if (chance(random, 0.15))
    return {
      kind: "read",
      name,
      at: shape.map((extent) => ({ kind: "number", value: integer(random, 0, extent - 1) })),
    };
  return { kind: "reduce", operation: pick(random, ["sum", "sum", "sum", "mean"]), along, of };
}

function input(world: World): Tensor {
  const { random } = world;
  const rank = pick(random, [0, 1, 1, 1, 2]);
  const shape = Array.from({ length: rank }, () => integer(random, 2, 3));
  const size = shape.reduce((a, b) => a * b, 1);
  const cells = Array.from({ length: size }, () => number(random));
  const tensor = { name: fresh(world, "x"), shape };
  world.statements.push({ kind: "input", ...tensor, cells, isLiteral: chance(random, 0.3) });
  world.tensors.push(tensor);
  return tensor;
}

function number(random: Random): number {
  if (chance(random, 0.2)) return pick(random, [0, 0, 1, -1]);
  return Math.round((0.2 + 1.2 * random()) * 1000) / (chance(random, 0.4) ? -1000 : 1000);
}

function lookup(world: World): void {
  const { random } = world;
  const [length, below] = [integer(random, 2, 3), integer(random, 2, 3)];
  const name = fresh(world, "at");
  const cells = Array.from({ length }, () => integer(random, 0, below - 1));
  world.statements.push({ kind: "integers", name, cells, isLiteral: chance(random, 0.3) });
  world.lookups.push({ name, length, below });
}

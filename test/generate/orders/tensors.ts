// Random definitions for the derivative fuzzer: equations, several clauses, guards, running
// reductions, scatters and recurrences.

import { chance, integer, pick } from "../random.ts";
import {
  apart,
  at,
  cellOf,
  conditionOf,
  expressionOf,
  fresh,
  range,
  type Coordinate,
  type Site,
  type Tensor,
  type World,
} from "./expressions.ts";
import type { Clause, Expression, Index, Loop, Reduction } from "./program.ts";

export { at, fresh, range };

/** A tensor. It reads `beside` if that is given. */
export function tensorOf(world: World, beside?: Tensor): Tensor {
  const { random } = world;
  const shape = Array.from({ length: pick(random, [0, 1, 1, 1, 2]) }, () => integer(random, 2, 3));
  const tensor = { name: fresh(world, "y"), shape };
  const coordinates = shape.map((extent, axis) => ({ name: "ij"[axis]!, extent }));
  const site: Site = { coordinates, locals: [] };
  const form = random();
  const clauses = ((): readonly Clause[] => {
    if (shape.length > 0 && form < 0.15) return severalOf(world, site);
    if (shape.length > 0 && form < 0.35) return recurrence(world, tensor, site);
    if (shape.length === 1 && form < 0.55) return [running(world, coordinates[0]!)];
    const scattered =
      shape.length === 1 && form < 0.65 ? scatter(world, coordinates[0]!) : undefined;
    return [scattered ?? equation(world, site, beside)];
  })();
  world.statements.push({ kind: "define", ...tensor, clauses });
  world.tensors.push(tensor);
  return tensor;
}

function slotsOf({ coordinates }: Site): readonly Loop[] {
  return coordinates.map(({ name, extent }) => range(name, extent));
}

function equation(world: World, site: Site, beside: Tensor | undefined): Clause {
  const { random } = world;
  const own = expressionOf(world, site, 3);
  const body: Expression = beside
    ? {
        kind: "binary",
        operation: pick(random, ["*", "+", "-"]),
        left: own,
        right: cellOf(world, beside, site),
      }
    : own;
  const slots = slotsOf(site);
  if (site.coordinates.length === 0 || !chance(random, 0.2)) return { slots, body };
  const otherwise = chance(random, 0.5) ? expressionOf(world, site, 1) : undefined;
  return { slots, body, guard: conditionOf(world, site), otherwise };
}

/** Two clauses, for the first part and for the rest, which may overlap. */
function severalOf(world: World, site: Site): readonly Clause[] {
  const { random } = world;
  const [first, ...others] = slotsOf(site);
  const extent = site.coordinates[0]!.extent;
  const cut = integer(random, 1, extent - 1);
  const part = (from: number, to: number): Clause => ({
    slots: [
      {
        name: first!.name,
        from: { kind: "number", value: from },
        to: { kind: "number", value: to },
      },
      ...others,
    ],
    body: expressionOf(world, site, 2),
  });
  const whole = chance(random, 0.5);
  const rest = part(cut, extent);
  return [
    part(0, whole ? extent : cut),
    whole && chance(random, 0.4) ? { ...rest, guard: conditionOf(world, site) } : rest,
  ];
}

/** A first row, and a step that reads the row before. */
function recurrence(world: World, { name }: Tensor, site: Site): readonly Clause[] {
  const { random } = world;
  const [time, ...others] = site.coordinates;
  const rest = others.map((each) => range(each.name, each.extent));
  const inside = expressionOf(world, site, 2);
  const before: Expression = {
    kind: "read",
    name,
    at: [at(time!.name, -1), ...others.map((each) => besides(world, each))],
  };
  const step = pick<Expression>(random, [
    times({ kind: "number", value: 0.7 }, times(before, inside)),
    { kind: "unary", operation: "tanh", of: plus(before, inside) },
    plus(times(before, before), inside),
    plus({ kind: "unary", operation: "sin", of: before }, inside),
    {
      kind: "if",
      condition: conditionOf(world, site),
      then: before,
      otherwise: times(before, inside),
    },
    { kind: "binary", operation: "max", left: before, right: inside },
    {
      kind: "unary",
      operation: "exp",
      of: times({ kind: "number", value: -0.5 }, times(before, before)),
    },
    {
      kind: "binary",
      operation: "/",
      left: inside,
      right: plus({ kind: "number", value: 2 }, times(before, before)),
    },
  ]);
  const first = expressionOf(world, { ...site, coordinates: others }, 2);
  const from: Index = { kind: "number", value: 1 };
  const later: Clause = {
    slots: [{ name: time!.name, from, to: { kind: "number", value: time!.extent } }, ...rest],
    body: step,
  };
  const start: Clause = chance(random, 0.6)
    ? { slots: [0, ...rest], body: first }
    : { slots: slotsOf(site), body: expressionOf(world, site, 2) };
  return [start, later];
}

function besides(world: World, { name, extent }: Coordinate): Index {
  return chance(world.random, 0.7)
    ? at(name)
    : { kind: "coordinate", name, plus: 1, modulo: extent };
}

function times(left: Expression, right: Expression): Expression {
  return { kind: "binary", operation: "*", left, right };
}

function plus(left: Expression, right: Expression): Expression {
  return { kind: "binary", operation: "+", left, right };
}

/** A reduction whose range grows from cell to cell. */
function running(world: World, coordinate: Coordinate): Clause {
  const { random } = world;
  const { name, extent } = coordinate;
  const operation = pick<Reduction>(random, [
    "sum",
    "prod",
    "prod",
    "logsumexp",
    "logsumexp",
    "max",
    "min",
    "mean",
  ]);
  const [low, high]: readonly [Index, Index] = chance(random, 0.7)
    ? [{ kind: "number", value: 0 }, at(name, 1)]
    : [at(name), { kind: "number", value: extent }];
  const inside: Site = { coordinates: [{ name: "s", extent }], locals: [] };
  const of = apart(world, expressionOf(world, inside, 2), "s");
  const isFree = operation === "sum" || operation === "prod";
  const guard = isFree && chance(random, 0.25) ? conditionOf(world, inside) : undefined;
  return {
    slots: [range(name, extent)],
    body: { kind: "reduce", operation, along: [{ name: "s", from: low, to: high }], guard, of },
  };
}

function scatter(world: World, { name, extent }: Coordinate): Clause | undefined {
  const { random } = world;
  const looked = world.lookups.filter(({ below }) => below <= extent);
  if (looked.length === 0) return undefined;
  const table = pick(random, looked);
  const inside: Site = { coordinates: [{ name: "s", extent: table.length }], locals: [] };
  const body: Expression = {
    kind: "reduce",
    operation: pick<Reduction>(random, ["sum", "sum", "prod"]),
    along: [range("s", table.length)],
    guard: {
      kind: "compare",
      operation: "==",
      left: { kind: "lookup", name: table.name, at: at("s") },
      right: at(name),
    },
    of: expressionOf(world, inside, 2),
  };
  return { slots: [range(name, extent)], body };
}

// Random expressions for the derivative fuzzer. Every index is in bounds, and functions stay where
// they are defined. The evaluation detects kinks and infinities.

import { chance, integer, pick, type Random } from "../random.ts";
import type { Condition, Expression, Index, Loop, Reduction, Statement } from "./program.ts";

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
}

export interface Coordinate {
  readonly name: string;
  readonly extent: number;
}

/** The surroundings of an expression. */
export interface Site {
  readonly coordinates: readonly Coordinate[];
  readonly locals: readonly string[];
}

/** An expression, and what its site must offer. */
interface Part {
  readonly expression: Expression;
  readonly site: Site;
}

export interface World {
  readonly random: Random;
  readonly statements: Statement[];
  /** The float tensors in scope. */
  readonly tensors: Tensor[];
  /** Integer vectors, with an upper bound of their cells. */
  readonly lookups: { readonly name: string; readonly length: number; readonly below: number }[];
  readonly functions: {
    readonly name: string;
    readonly integers: number;
    readonly floats: number;
  }[];
  /**
   * All expressions so far. Equal expressions in several definitions test common subexpressions.
   */
  readonly parts: Part[];
  names: number;
}

const number = (value: number): Expression => ({ kind: "number", value });
const unary = (
  operation: Extract<Expression, { kind: "unary" }>["operation"],
  of: Expression,
): Expression => ({
  kind: "unary",
  operation,
  of,
});
const binary = (
  operation: Extract<Expression, { kind: "binary" }>["operation"],
  left: Expression,
  right: Expression,
): Expression => ({ kind: "binary", operation, left, right });
const square = (a: Expression): Expression => binary("**", a, number(2));
const constantAt = (value: number): Index => ({ kind: "number", value });

export function range(name: string, extent: number): Loop {
  return { name, from: constantAt(0), to: constantAt(extent) };
}

export function at(name: string, plus = 0): Index {
  return { kind: "coordinate", name, plus };
}

/** Every operation on any number. */
const wrappers: readonly ((a: Expression) => Expression)[] = [
  (a) => unary("sin", a),
  (a) => unary("cos", a),
  (a) => unary("tanh", a),
  (a) => unary("sigmoid", a),
  (a) => unary("exp", unary("tanh", a)),
  (a) => unary("exp", binary("*", number(0.5), a)),
  (a) => unary("log", binary("+", number(1.2), square(a))),
  (a) => unary("sqrt", binary("+", number(0.5), square(a))),
  (a) => unary("log1p", square(a)),
  (a) => unary("expm1", binary("*", number(0.4), a)),
  (a) => unary("tan", binary("*", number(0.3), unary("sin", a))),
  (a) => unary("erf", a),
  (a) => unary("abs", a),
  (a) => unary("relu", a),
  (a) => ({ kind: "clamp", of: a, low: -0.7, high: 0.9 }),
  (a) => unary("negate", a),
  (a) => binary("**", binary("+", number(1.1), square(a)), number(0.7)),
  (a) => binary("**", number(1.7), a),
  (a) => square(a),
  (a) => binary("**", a, number(3)),
  (a) => binary("/", number(1), binary("+", number(1.5), square(a))),
  (a) => binary("%", a, number(0.77)),
  (a) => binary("+", a, unary("floor", a)),
];

const pairs: readonly ((a: Expression, b: Expression) => Expression)[] = [
  (a, b) => binary("+", a, b),
  (a, b) => binary("-", a, b),
  (a, b) => binary("*", a, b),
  (a, b) => binary("*", a, b),
  (a, b) => binary("*", a, binary("*", a, b)),
  (a, b) => binary("/", a, binary("+", number(1.5), square(b))),
  (a, b) => binary("/", a, unary("exp", b)),
  (a, b) => binary("max", a, b),
  (a, b) => binary("min", a, b),
  (a, b) => binary("**", binary("+", number(1.3), square(a)), b),
];

/** Operations that are only defined for positive numbers, behind a test for that. */
const positive: readonly ((a: Expression) => Expression)[] = [
  (a) => unary("log", a),
  (a) => unary("sqrt", a),
  (a) => binary("/", number(1), a),
  (a) => binary("**", a, number(0.5)),
  (a) => binary("**", a, number(-1)),
  (a) => binary("**", a, a),
];

export function expressionOf(world: World, site: Site, depth: number): Expression {
  const expression = made(world, site, depth);
  if (depth > 0 && site.locals.length === 0) world.parts.push({ expression, site });
  return expression;
}

function made(world: World, site: Site, depth: number): Expression {
  const { random } = world;
  const form = random();
  const inner = (): Expression => expressionOf(world, site, depth - 1);
  if (depth <= 0 || form < 0.1) return atom(world, site);
  if (form < 0.32) return pick(random, wrappers)(inner());
  if (form < 0.58) return pick(random, pairs)(inner(), inner());
  if (form < 0.66) return branch(world, site, depth);
  if (form < 0.7) return guardedBranch(world, site, inner);
  if (form < 0.75) return block(world, site, depth);
  if (form < 0.82) return called(world, site, depth) ?? again(world, site) ?? inner();
  if (form < 0.89) return again(world, site) ?? inner();
  return reduction(world, site, depth);
}

/** An expression that stands elsewhere too. */
function again(world: World, site: Site): Expression | undefined {
  const names = new Map(site.coordinates.map(({ name, extent }) => [name, extent]));
  const fitting = world.parts.filter((part) =>
    part.site.coordinates.every(({ name, extent }) => (names.get(name) ?? Infinity) <= extent),
  );
  return fitting.length > 0 ? pick(world.random, fitting).expression : undefined;
}

function branch(world: World, site: Site, depth: number): Expression {
  const [then, otherwise] = [0, 1].map(() => expressionOf(world, site, depth - 1)) as [
    Expression,
    Expression,
  ];
  const zero = chance(world.random, 0.3) ? number(0) : otherwise;
  return { kind: "if", condition: conditionOf(world, site), then, otherwise: zero };
}

/** `if x > 0.1 { log(x) } else { … }`: the branch that is not taken may be NaN. */
function guardedBranch(world: World, site: Site, other: () => Expression): Expression {
  const read = readOf(world, site);
  if (!read) return other();
  const condition: Condition = { kind: "above", of: read, than: 0.1 };
  return { kind: "if", condition, then: pick(world.random, positive)(read), otherwise: other() };
}

function block(world: World, site: Site, depth: number): Expression {
  const { random } = world;
  const name = fresh(world, "t");
  const value = expressionOf(world, site, depth - 1);
  const inside = { ...site, locals: [...site.locals, name] };
  const local: Expression = { kind: "local", name };
  if (!chance(random, 0.3))
    return {
      kind: "let",
      name,
      value,
      body: binary("*", local, expressionOf(world, inside, depth - 1)),
    };
  // A derivative within the block.
  const [of, slope] = [fresh(world, "t"), fresh(world, "t")];
  return {
    kind: "let",
    name,
    value,
    body: {
      kind: "let",
      name: of,
      value: binary("*", local, expressionOf(world, inside, depth - 1)),
      body: {
        kind: "let",
        name: slope,
        value: { kind: "slope", of, by: name },
        body: pick(random, [
          { kind: "local", name: slope },
          binary("*", { kind: "local", name: slope }, local),
        ]),
      },
    },
  };
}

function called(world: World, site: Site, depth: number): Expression | undefined {
  if (world.functions.length === 0) return undefined;
  const { name, integers, floats } = pick(world.random, world.functions);
  return {
    kind: "call",
    name,
    integers: Array.from({ length: integers }, () => constantAt(integer(world.random, 0, 2))),
    floats: Array.from({ length: floats }, () => expressionOf(world, site, depth - 1)),
  };
}

function reduction(world: World, site: Site, depth: number): Expression {
  const { random } = world;
  const operation = pick<Reduction>(random, [
    "sum",
    "sum",
    "prod",
    "prod",
    "mean",
    "max",
    "min",
    "logsumexp",
  ]);
  const extent = integer(random, 2, 3);
  const name = fresh(world, "r");
  const inside: Site = { ...site, coordinates: [...site.coordinates, { name, extent }] };
  const along = [range(name, extent)];
  const needsOne = operation !== "sum" && operation !== "prod";
  if (!needsOne && chance(random, 0.2)) {
    const read = readOf(world, inside);
    if (read) {
      const guard: Condition = { kind: "above", of: read, than: 0.1 };
      const of = chance(random, 0.5)
        ? pick(random, positive)(read)
        : expressionOf(world, inside, depth - 1);
      return { kind: "reduce", operation, along, guard, of };
    }
  }
  const of = apart(world, expressionOf(world, inside, depth - 1), name);
  const guard = !needsOne && chance(random, 0.2) ? conditionOf(world, inside) : undefined;
  return { kind: "reduce", operation, along, guard, of };
}

/** Adds a part that depends on the coordinate, because equal elements would tie. */
export function apart(world: World, of: Expression, name: string): Expression {
  const mentions = JSON.stringify(of).includes(`"${name}"`);
  if (mentions && chance(world.random, 0.7)) return of;
  return binary("+", of, binary("*", number(0.31), { kind: "position", index: at(name) }));
}

export function conditionOf(world: World, { coordinates }: Site): Condition {
  const { random } = world;
  const scalars = world.tensors.filter(({ shape }) => shape.length === 0);
  if (coordinates.length === 0 || (scalars.length > 0 && chance(random, 0.2))) {
    const of: Expression =
      scalars.length > 0 ? { kind: "read", name: pick(random, scalars).name, at: [] } : number(1);
    return { kind: "above", of, than: pick(random, [-0.45, 0.15, 0.55]) };
  }
  const { name, extent } = pick(random, coordinates);
  const [other] = coordinates.filter((each) => each.name !== name);
  const right =
    other && chance(random, 0.4) ? at(other.name) : constantAt(integer(random, 0, extent - 1));
  const looked = world.lookups.filter(({ length }) => extent <= length);
  const left: Index =
    looked.length > 0 && chance(random, 0.3)
      ? { kind: "lookup", name: pick(random, looked).name, at: at(name) }
      : at(name);
  return { kind: "compare", operation: pick(random, ["<", "<=", "==", "!="]), left, right };
}

function atom(world: World, site: Site): Expression {
  const { random } = world;
  const form = random();
  if (site.locals.length > 0 && form < 0.5)
    return { kind: "local", name: pick(random, site.locals) };
  if (form > 0.93) return number(pick(random, [0.5, 1.25, 2, 0]));
  if (form > 0.88 && site.coordinates.length > 0)
    return {
      kind: "position",
      index: at(pick(random, site.coordinates).name, pick(random, [0, 1])),
    };
  return readOf(world, site) ?? number(0.75);
}

export function readOf(world: World, site: Site): Expression | undefined {
  const { random } = world;
  if (world.tensors.length === 0) return undefined;
  // The last tensors are read more often than the others.
  const tensor = chance(random, 0.4) ? world.tensors.at(-1)! : pick(random, world.tensors);
  return cellOf(world, tensor, site);
}

/** A cell of a tensor, at random within its bounds. */
export function cellOf(world: World, { name, shape }: Tensor, site: Site): Expression {
  return { kind: "read", name, at: shape.map((extent) => indexOf(world, extent, site)) };
}

function indexOf(world: World, extent: number, { coordinates }: Site): Index {
  const { random } = world;
  const form = random();
  const fitting = coordinates.filter((each) => each.extent <= extent);
  if (fitting.length > 0 && form < 0.65) return at(pick(random, fitting).name);
  const looked = world.lookups.flatMap(({ name, length, below }) =>
    below <= extent
      ? coordinates.filter((each) => each.extent <= length).map((each) => ({ name, by: each.name }))
      : [],
  );
  if (looked.length > 0 && form < 0.85) {
    const { name, by } = pick(random, looked);
    return { kind: "lookup", name, at: at(by) };
  }
  if (coordinates.length > 0 && form < 0.93)
    return {
      kind: "coordinate",
      name: pick(random, coordinates).name,
      plus: integer(random, 0, 1),
      modulo: extent,
    };
  return constantAt(integer(random, 0, extent - 1));
}

export function fresh(world: World, stem: string): string {
  return `${stem}${++world.names}`;
}

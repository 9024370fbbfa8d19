// Random scalar expressions of every element type over coordinates, for the programs on which
// backends are compared.

import type { ElementType } from "../../src/scalar/types.ts";
import { chance, integer, pick, type Random } from "./random.ts";

export interface Tensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

/** A coordinate in scope. It lies in 0..extent. */
export interface Coordinate {
  readonly name: string;
  readonly extent: number;
}

export interface Scale {
  readonly extents: readonly number[];
  readonly given: number;
  readonly cells: number;
  readonly terms: number;
  readonly definitions: readonly [from: number, to: number];
}

export interface World {
  readonly random: Random;
  readonly sizes: Scale;
  readonly lines: string[];
  readonly tensors: Tensor[];
  /** Integer vectors with their length, and an upper bound of their cells. */
  readonly lookups: { readonly name: string; readonly length: number; readonly below: number }[];
  names: number;
}

type Coordinates = readonly Coordinate[];

const elementary = [
  "exp",
  "log",
  "sin",
  "cos",
  "tan",
  "tanh",
  "sigmoid",
  "erf",
  "log1p",
  "expm1",
] as const;

const isFloatType = (type: ElementType): boolean => type.includes("f");

export function expression(
  world: World,
  type: ElementType,
  coordinates: Coordinates,
  depth: number,
  budget: number,
): string {
  const { random } = world;
  if (depth <= 0 || chance(random, 0.15)) return atom(world, type, coordinates);
  const inside = (of: ElementType = type): string =>
    expression(world, of, coordinates, depth - 1, budget);
  const form = random();
  if (form < 0.1)
    return `(if ${condition(world, coordinates, depth - 1)} { ${inside()} } else { ${inside()} })`;
  if (form < 0.2) return cast(world, type, coordinates, depth, budget);
  if (form < 0.3 && budget >= 3) return nested(world, type, coordinates, depth, budget);
  if (form < 0.36)
    return (
      `{ let t = ${inside()}; ` +
      `${type === "bool" ? `(t || ${inside()}) && t` : `(t + ${inside()}) * t`} }`
    );
  if (type === "bool") return condition(world, coordinates, depth);
  const [a, b] = [`(${inside()})`, `(${inside()})`];
  return isFloatType(type) ? ofFloats(random, type, a, b) : ofIntegers(random, type, a, b);
}

function ofFloats(random: Random, type: ElementType, a: string, b: string): string {
  const one = literalOf(type, "1.5");
  return pick(random, [
    () => `${a} + ${b}`,
    () => `${a} - ${b}`,
    () => `${a} * ${b}`,
    () => `${a} * ${b}`,
    () => `${a} / ${b}`,
    () => `${a} % ${b}`,
    () => `max(${a}, ${b})`,
    () => `min(${a}, ${b})`,
    () => `clamp(${a}, ${literalOf(type, "-1.0")}, ${b})`,
    () => `-${a}`,
    () => `${a} ** ${literalOf(type, pick(random, ["2.0", "3.0", "0.5", "-1.0", "0.0"]))}`,
    () => `abs(${a}) ** ${b}`,
    () => `sqrt(${a})`,
    () => `${pick(random, elementary)}(${a})`,
    () => `${pick(random, ["exp", "tanh", "sigmoid", "log"])}(abs(${a}) + ${one})`,
    () => `${pick(random, ["abs", "sign", "relu", "floor", "ceil", "round"])}(${a})`,
  ])();
}

function ofIntegers(random: Random, type: ElementType, a: string, b: string): string {
  const by = (): string =>
    chance(random, 0.95) ? literalOf(type, String(pick(random, [1, 2, 3, 4, 7, -1, -3]))) : b;
  return pick(random, [
    () => `${a} + ${b}`,
    () => `${a} - ${b}`,
    () => `${a} * ${b}`,
    () => `${a} / ${by()}`,
    () => `${a} % ${by()}`,
    () => `max(${a}, ${b})`,
    () => `min(${a}, ${b})`,
    () => `clamp(${a}, ${literalOf(type, "-3")}, ${b})`,
    () => `-${a}`,
    () => `${pick(random, ["abs", "sign", "relu"])}(${a})`,
    () => `${a} ** ${literalOf(type, pick(random, ["2", "3", "0", "5"]))}`,
  ])();
}

/** A number of exactly this type. */
function literalOf(type: ElementType, text: string): string {
  if (type === "f32" || type === "i32") return text.startsWith("-") ? `(${text})` : text;
  return `(${text} as ${type})`;
}

function cast(
  world: World,
  type: ElementType,
  coordinates: Coordinates,
  depth: number,
  budget: number,
): string {
  const from = pick(world.random, [
    "f32",
    "f64",
    "i32",
    "i64",
    "i8",
    "f16",
    "bf16",
    "bool",
  ] as const);
  const inside = expression(world, from, coordinates, depth - 1, budget);
  if (type === "bool")
    return from === "bool"
      ? `(${inside})`
      : `((${inside}) == ${literalOf(from, isFloatType(from) ? "1.0" : "1")})`;
  return from === type ? `(${inside})` : `((${inside}) as ${type})`;
}

function nested(
  world: World,
  type: ElementType,
  coordinates: Coordinates,
  depth: number,
  budget: number,
): string {
  const { random } = world;
  const k: Coordinate = {
    name: `r${++world.names}`,
    extent: pick(
      random,
      [1, 3, 4, 8, 17].filter((each) => each <= budget),
    ),
  };
  const names =
    type === "bool"
      ? ["any", "all"]
      : isFloatType(type)
        ? ["sum", "max", "min", "mean", "prod", "logsumexp"]
        : ["sum", "max", "min"];
  const body = expression(world, type, [...coordinates, k], depth - 1, budget / k.extent);
  return `${pick(random, names)}[${k.name} in 0..${k.extent}](${body})`;
}

function atom(world: World, type: ElementType, coordinates: Coordinates): string {
  const { random } = world;
  const readable = world.tensors.filter(
    (tensor) =>
      tensor.type === type &&
      tensor.shape.every((extent) => extent > 0 || coordinates.some((each) => each.extent === 0)),
  );
  if (readable.length > 0 && chance(random, 0.8)) {
    const { name, shape } = pick(random, readable);
    return shape.length === 0
      ? name
      : `${name}[${shape.map((extent) => index(world, coordinates, extent)).join(", ")}]`;
  }
  if (coordinates.length > 0 && chance(random, 0.5) && type !== "bool") {
    const { name } = pick(random, coordinates);
    return type === "i32" ? name : `(${name} as ${type})`;
  }
  if (type === "bool")
    return coordinates.length > 0
      ? condition(world, coordinates, 0)
      : pick(random, ["true", "false"]);
  return literalOf(
    type,
    isFloatType(type) ? (4 * random() - 2).toFixed(2) : String(integer(random, -4, 9)),
  );
}

/** An integer expression of the coordinates that lies in 0..extent. The extent is not 0. */
function index(world: World, coordinates: Coordinates, extent: number): string {
  const { random } = world;
  if (extent === 0)
    return pick(
      random,
      coordinates.filter((each) => each.extent === 0),
    ).name;
  const candidates: (() => string)[] = [() => String(integer(random, 0, extent - 1))];
  for (const { name, extent: size } of coordinates) {
    if (size === extent) for (let n = 0; n < 6; n++) candidates.push(() => name);
    if (size <= extent) {
      candidates.push(
        () => `${extent - 1} - ${name}`,
        () => `(${name} + ${integer(random, 1, extent)}) % ${extent}`,
        () => `max(${name} - 1, 0)`,
        () => `min(${name} + 1, ${extent - 1})`,
      );
    }
    if (size > extent)
      candidates.push(
        () => `${name} % ${extent}`,
        () => `min(${name}, ${extent - 1})`,
        () => `${name} * ${extent} / ${size}`,
      );
    if (size < extent) candidates.push(() => `${name} + ${integer(random, 1, extent - size)}`);
    if (2 * (size - 1) < extent) candidates.push(() => `2 * ${name}`);
    if (2 * (size - 1) + 1 < extent) candidates.push(() => `2 * ${name} + 1`);
    if (Math.floor((size - 1) / 2) < extent) candidates.push(() => `${name} / 2`);
    for (const other of coordinates) {
      if (other.name === name) continue;
      if (size + other.extent - 1 <= extent) candidates.push(() => `${name} + ${other.name}`);
      if (size * other.extent <= extent)
        candidates.push(() => `${name} * ${other.extent} + ${other.name}`);
      if (size <= extent) candidates.push(() => `(${name} + ${other.name}) % ${extent}`);
    }
    for (const { name: at, length, below } of world.lookups) {
      if (length < size) continue;
      if (below <= extent) candidates.push(() => `${at}[${name}]`);
      else if (chance(random, 0.02)) candidates.push(() => `${at}[${name}]`);
    }
  }
  for (const { name, type, shape } of world.tensors) {
    if (type === "i32" && shape.length === 0)
      candidates.push(() => `clamp(${name}, 0, ${extent - 1})`);
  }
  return pick(random, candidates)();
}

export function condition(world: World, coordinates: Coordinates, depth: number): string {
  const { random } = world;
  const compared = (): string => {
    const type = pick(random, ["f32", "f32", "f64", "i32", "i64", "i8"] as const);
    const [a, b] = [
      atom(world, type, coordinates),
      depth > 0
        ? expression(world, type, coordinates, depth - 1, 1)
        : atom(world, type, coordinates),
    ];
    return `(${a}) ${pick(random, ["<", "<=", ">", ">=", "==", "!="])} (${b})`;
  };
  if (depth > 0 && chance(random, 0.2)) {
    const [a, b] = [
      condition(world, coordinates, depth - 1),
      condition(world, coordinates, depth - 1),
    ];
    return pick(random, [`((${a}) && (${b}))`, `((${a}) || (${b}))`, `!(${a})`]);
  }
  if (coordinates.length === 0 || chance(random, 0.3)) return `(${compared()})`;
  const { name, extent } = pick(random, coordinates);
  const other = pick(random, coordinates);
  const at = integer(random, 0, Math.max(0, extent - 1));
  return `(${pick(random, [
    `${name} > ${at}`,
    `${name} < ${at}`,
    `${name} != ${at}`,
    `${name} == ${at}`,
    `${name} % 2 == 0`,
    `${name} / 3 == 1`,
    `${name} <= ${other.name}`,
    `${name} + ${other.name} < ${extent}`,
    `${name} - ${other.name} in 0..3`,
    `2 * ${name} >= ${extent}`,
    `max(${name}, ${other.name}) > ${at}`,
  ])})`;
}

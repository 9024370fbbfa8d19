// Random programs for backends, each made from one number: every type, every reduction, extents
// around the widths of vectors, and values at which arithmetic has special cases.
//
// Every program compiles by construction. A run may fail, by a division by zero or an index out of
// bounds. It must then fail in the same way on every backend.

import type { JsonTensor } from "../../src/host/json.ts";
import type { ElementType } from "../../src/scalar/types.ts";
import {
  expression,
  condition,
  type Coordinate,
  type Scale,
  type Tensor,
  type World,
} from "./kernel-expressions.ts";
import { chance, integer, pick, randomOf, type Random } from "./random.ts";

export interface KernelProgram {
  readonly text: string;
  /** Two sets of values for the inputs. The second run finds the memory of the first. */
  readonly inputs: readonly Readonly<Record<string, JsonTensor>>[];
  /** All floats are computed in f64. */
  readonly f64: boolean;
}

/**
 * The sizes of programs: cells of an input and of a definition, rough bounds on the terms of a
 * definition, and the number of definitions.
 */
const scales: Readonly<Record<"small" | "large", Scale>> = {
  // Around the widths of vectors and tiles, and the extents 0 and 1.
  small: {
    extents: [0, 1, 1, 3, 4, 5, 7, 8, 16, 17, 33],
    given: 300,
    cells: 400,
    terms: 8000,
    definitions: [1, 3],
  },
  // Large enough for several threads and for strips of rows.
  large: {
    extents: [1, 3, 16, 33, 40, 64, 100, 257],
    given: 20_000,
    cells: 30_000,
    terms: 400_000,
    definitions: [3, 7],
  },
};

export function kernelProgram(seed: number, scale: keyof typeof scales = "small"): KernelProgram {
  const random = randomOf(seed);
  const sizes = scales[scale];
  const world: World = { random, sizes, lines: [], tensors: [], lookups: [], names: 0 };
  const declared = Array.from({ length: integer(random, 1, 3) }, () => input(world));
  for (let n = integer(random, 1, 2); n > 0; n--) declared.push(lookup(world));
  const made = Array.from({ length: integer(random, ...sizes.definitions) }, () =>
    definition(world),
  ).flat();
  gradient(world, made);
  const draw = (): Readonly<Record<string, JsonTensor>> =>
    Object.fromEntries(declared.map((each) => [each.tensor.name, values(random, each)]));
  return { text: world.lines.join("\n"), inputs: [draw(), draw()], f64: chance(random, 0.1) };
}

function fresh(world: World, stem: string): string {
  return `${stem}${++world.names}`;
}

function shapeOf(
  { random, sizes: { extents } }: World,
  rank: number,
  most: number,
): readonly number[] {
  const shape: number[] = [];
  let left = most;
  for (let axis = 0; axis < rank; axis++) {
    const fitting = extents.filter((extent) => extent <= left);
    const extent = pick(random, fitting);
    shape.push(extent);
    left = Math.max(1, Math.floor(left / Math.max(1, extent)));
  }
  // Long axes must not always come first.
  return shape.sort(() => random() - 0.5);
}

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────

interface Declared {
  readonly tensor: Tensor;
  /** An upper bound of the cells, which are positions. */
  readonly below?: number;
}

const inputTypes: readonly ElementType[] = [
  "f32",
  "f32",
  "f32",
  "f32",
  "f64",
  "i32",
  "i64",
  "bool",
  "f16",
  "bf16",
  "i8",
];

function input(world: World): Declared {
  const { random } = world;
  const shape = shapeOf(world, pick(random, [0, 1, 1, 2, 2, 2, 3, 4, 5]), world.sizes.given);
  const tensor: Tensor = { name: fresh(world, "x"), type: pick(random, inputTypes), shape };
  const named = chance(random, 0.3);
  const axes = shape.map((extent) => (named ? fresh(world, "n") : String(extent)));
  world.lines.push(
    `input ${tensor.name}: ` +
      `${shape.length === 0 ? tensor.type : `[${tensor.type}; ${axes.join(", ")}]`};`,
  );
  world.tensors.push(tensor);
  return { tensor };
}

function lookup(world: World): Declared {
  const { random, sizes } = world;
  const [length, below] = [
    pick(random, sizes.extents.slice(1)),
    pick(random, sizes.extents.slice(1)),
  ];
  const tensor: Tensor = {
    name: fresh(world, "at"),
    type: chance(random, 0.8) ? "i32" : "i64",
    shape: [length],
  };
  world.lines.push(`input ${tensor.name}: [${tensor.type}; ${length}];`);
  world.lookups.push({ name: tensor.name, length, below });
  return { tensor, below };
}

const floats: readonly (number | string)[] = [
  "NaN",
  "Infinity",
  "-Infinity",
  -0,
  0,
  1e-40,
  -1e-45,
  3e38,
  1e-20,
  1e10,
  65504,
  0.5,
  -1,
];
/** The numbers that fit into an f16. */
const narrowFloats = floats.filter((each) => typeof each === "string" || Math.abs(each) <= 65504);

const integers: Partial<Record<ElementType, readonly (number | string)[]>> = {
  i8: [-128, 127, 0, -1, 1],
  i32: [-2147483648, 2147483647, 0, -1, 1, 65536],
  i64: ["-9223372036854775808", "9223372036854775807", 0, -1, 1, "4294967296"],
};

function values(random: Random, { tensor: { type, shape }, below }: Declared): JsonTensor {
  const special = chance(random, 0.2);
  const cell = (): number | string | boolean => {
    if (below !== undefined) return integer(random, 0, below - 1);
    if (type === "bool") return chance(random, 0.5);
    const limits = integers[type];
    if (limits)
      return special && chance(random, 0.3) ? pick(random, limits) : integer(random, -5, 5);
    if (special && chance(random, 0.3)) return pick(random, type === "f16" ? narrowFloats : floats);
    return chance(random, 0.2) ? integer(random, -2, 2) : Math.fround(4 * random() - 2);
  };
  const size = shape.reduce((a, b) => a * b, 1);
  return { dtype: type, shape: [...shape], data: Array.from({ length: size }, cell) };
}

// ── definitions ─────────────────────────────────────────────────────────────────────────────────

const types: readonly ElementType[] = [
  "f32",
  "f32",
  "f32",
  "f32",
  "f32",
  "f64",
  "i32",
  "i32",
  "i64",
  "bool",
  "f16",
  "bf16",
  "i8",
];

function definition(world: World): readonly Tensor[] {
  const { random, sizes } = world;
  const shape = shapeOf(world, pick(random, [0, 1, 1, 2, 2, 2, 3, 3, 4, 5]), sizes.cells);
  const coordinates = shape.map((extent, axis): Coordinate => ({ name: "ijklm"[axis]!, extent }));
  const tensor: Tensor = { name: fresh(world, "y"), type: pick(random, types), shape };
  const budget =
    sizes.terms /
    Math.max(
      1,
      shape.reduce((a, b) => a * b, 1),
    );
  const form = random();
  const steps = shape[0] ?? 0;
  if (steps > 3 && form < 0.22 && !shape.includes(0))
    return recurrence(world, tensor, coordinates, budget);
  if (steps > 1 && shape.length > 1 && shape[1]! > 1 && form < 0.28)
    grid(world, tensor, coordinates);
  else if (steps > 1 && form < 0.45) clauses(world, tensor, coordinates, budget);
  else if (shape.length > 0 && form < 0.58) special(world, tensor, coordinates, budget);
  else if (form < 0.8) {
    world.lines.push(
      `let ${left(tensor, coordinates)} = ${reduction(world, tensor.type, coordinates, budget)};`,
    );
  } else {
    const body = expression(world, tensor.type, coordinates, 3, budget);
    const guard =
      shape.length > 0 && chance(random, 0.3) ? where(world, tensor.type, coordinates, budget) : "";
    world.lines.push(`let ${left(tensor, coordinates)} = ${body}${guard};`);
  }
  world.tensors.push(tensor);
  return [tensor];
}

function left({ name }: Tensor, coordinates: readonly Coordinate[]): string {
  if (coordinates.length === 0) return name;
  return `${name}[${coordinates.map((each) => `${each.name} in 0..${each.extent}`).join(", ")}]`;
}

function where(
  world: World,
  type: ElementType,
  coordinates: readonly Coordinate[],
  budget: number,
): string {
  const otherwise = chance(world.random, 0.5)
    ? ` else ${expression(world, type, coordinates, 1, budget)}`
    : "";
  const more = chance(world.random, 0.3) ? `, ${condition(world, coordinates, 1)}` : "";
  return ` where ${condition(world, coordinates, 1)}${more}${otherwise}`;
}

/** Two to four clauses that overlap, some with guards, some for one position. */
function clauses(
  world: World,
  tensor: Tensor,
  coordinates: readonly Coordinate[],
  budget: number,
): void {
  const { random } = world;
  const axis = integer(random, 0, coordinates.length - 1);
  const cut = coordinates[axis]!;
  const clause = (from: number, to: number, guarded: boolean): void => {
    const own = coordinates.map((each) => (each === cut ? { ...each, extent: to } : each));
    const slots = own.map(
      (each) => `${each.name} in ${each.name === cut.name ? from : 0}..${each.extent}`,
    );
    const body = expression(world, tensor.type, own, 2, budget);
    const guard = guarded ? where(world, tensor.type, own, budget) : "";
    world.lines.push(`let ${tensor.name}[${slots.join(", ")}] = ${body}${guard};`);
  };
  clause(0, cut.extent, chance(random, 0.4));
  for (let n = integer(random, 1, 2); n > 0; n--) {
    const from = integer(random, 0, cut.extent - 1);
    clause(from, integer(random, from, cut.extent), chance(random, 0.4));
  }
  if (cut.extent > 0 && chance(random, 0.4)) {
    const at = integer(random, 0, cut.extent - 1);
    const others = coordinates.filter((each) => each !== cut);
    const slots = coordinates.map((each) =>
      each === cut ? at : `${each.name} in 0..${each.extent}`,
    );
    world.lines.push(
      `let ${tensor.name}[${slots.join(", ")}] = ` +
        `${expression(world, tensor.type, others, 2, budget)};`,
    );
  }
}

// ── recurrences ─────────────────────────────────────────────────────────────────────────────────

/** A position beside the position of a coordinate, inside its range. */
function beside(random: Random, { name, extent }: Coordinate): string {
  return pick(random, [
    name,
    name,
    name,
    `(${name} + 1) % ${extent}`,
    `(${name} + ${extent - 1}) % ${extent}`,
    `max(${name} - 1, 0)`,
    `min(${name} + 1, ${extent - 1})`,
    `${extent - 1} - ${name}`,
  ]);
}

/**
 * One or two tensors that read each other some steps back, upward or downward, and a value of the
 * last step.
 */
function recurrence(
  world: World,
  tensor: Tensor,
  coordinates: readonly Coordinate[],
  budget: number,
): readonly Tensor[] {
  const { random } = world;
  const [time, ...others] = coordinates;
  const { name, extent } = time!;
  const isDown = chance(random, 0.25);
  const lookback = integer(random, 1, Math.min(3, extent - 1));
  const members = chance(random, 0.3) ? [tensor, { ...tensor, name: fresh(world, "y") }] : [tensor];
  const rest = others.map((other) => `, ${other.name} in 0..${other.extent}`).join("");
  const read = (member: Tensor, back: number): string => {
    const stepBack = `${name} ${isDown ? "+" : "-"} ${back}`;
    const indices = [stepBack, ...others.map((other) => beside(random, other))];
    return `${member.name}[${indices.join(", ")}]`;
  };
  const first: string[] = [];
  const steps: string[] = [];
  for (const member of members) {
    const isWhole = chance(random, 0.2);
    for (let at = 0; at < (isWhole ? 0 : lookback); at++) {
      const slot = isDown ? extent - 1 - at : at;
      first.push(
        `let ${member.name}[${slot}${rest}] = ` +
          `${expression(world, tensor.type, others, 2, budget)};`,
      );
    }
    if (isWhole)
      first.push(
        `let ${member.name}[${name} in 0..${extent}${rest}] = ` +
          `${expression(world, tensor.type, others, 2, budget)};`,
      );
    const before = (): string =>
      read(members.find((each) => each !== member) ?? member, integer(random, 1, lookback));
    const inside = expression(world, tensor.type, coordinates, 2, budget);
    const step = combined(
      world,
      tensor.type,
      read(member, lookback),
      before(),
      inside,
      coordinates,
      others,
      (at) => {
        const where = others.map((other, k) => (k === 0 ? at : other.name));
        return `${member.name}[${[`${name} ${isDown ? "+" : "-"} 1`, ...where].join(", ")}]`;
      },
    );
    const range = isDown ? `rev(0..${extent - lookback})` : `${lookback}..${extent}`;
    const guard = chance(random, 0.15) ? ` where ${condition(world, coordinates, 1)}` : "";
    steps.push(`let ${member.name}[${name} in ${range}${rest}] = ${step}${guard};`);
  }
  world.lines.push(...first, ...steps);
  if (chance(random, 0.3)) {
    world.tensors.push(...members);
    return members;
  }
  // Only the last step is read. A window of the other steps is kept.
  const last: Tensor = {
    name: fresh(world, "last"),
    type: tensor.type,
    shape: tensor.shape.slice(1),
  };
  const indices = [String(isDown ? 0 : extent - 1), ...others.map((other) => other.name)].join(
    ", ",
  );
  world.lines.push(`let ${left(last, others)} = ${tensor.name}[${indices}];`);
  world.tensors.push(last);
  return [last];
}

function combined(
  world: World,
  type: ElementType,
  far: string,
  near: string,
  inside: string,
  coordinates: readonly Coordinate[],
  others: readonly Coordinate[],
  along: (at: string) => string,
): string {
  const { random } = world;
  const test = condition(world, coordinates, 1);
  if (type === "bool")
    return pick(random, [
      `(${far} && ${inside}) || ${near}`,
      `(if ${test} { !${near} } else { ${inside} })`,
    ]);
  const forms = [
    `${near} + ${inside}`,
    `max(${far}, ${inside}) - ${near}`,
    `(if ${test} { ${near} } else { ${inside} })`,
  ];
  const [width] = others;
  if (width && width.extent > 0)
    forms.push(
      `sum[w in 0..${width.extent}](${along("w")}) - ${near}`,
      `max[w in 0..${width.extent}](${along("w")})`,
    );
  if (type === "f32" || type === "f64")
    forms.push(`0.5 * ${near} + 0.25 * ${far}`, `tanh(${near} + ${inside})`);
  return pick(random, forms);
}

/** Each cell depends on the cell above and the cell on the left. */
function grid(world: World, tensor: Tensor, coordinates: readonly Coordinate[]): void {
  const { random } = world;
  const [i, j, ...others] = coordinates;
  const rest = others.map((other) => `, ${other.name} in 0..${other.extent}`).join("");
  const inner = others.map((other) => `, ${other.name}`).join("");
  const whole = expression(world, tensor.type, coordinates, 1, 8);
  const [above, beside] = [`${tensor.name}[i - 1, j${inner}]`, `${tensor.name}[i, j - 1${inner}]`];
  const step =
    tensor.type === "bool"
      ? `${above} != ${beside}`
      : pick(random, [
          `max(${above}, ${beside})`,
          `${above} - ${beside}`,
          `min(${above}, ${beside}) + ${whole}`,
        ]);
  world.lines.push(
    `let ${tensor.name}[i in 0..${i!.extent}, j in 0..${j!.extent}${rest}] = ${whole};`,
  );
  world.lines.push(
    `let ${tensor.name}[i in 1..${i!.extent}, j in 1..${j!.extent}${rest}] = ${step};`,
  );
}

// ── reductions ──────────────────────────────────────────────────────────────────────────────────

const numericReductions = ["sum", "sum", "sum", "prod", "max", "min"];

function namesFor(type: ElementType): readonly string[] {
  switch (type) {
    case "f32":
    case "f64":
    case "f16":
    case "bf16":
      return [...numericReductions, "mean", "logsumexp"];
    case "i32":
      return [...numericReductions, "argmax", "argmin", "count"];
    case "bool":
      return ["any", "all"];
    default:
      return numericReductions;
  }
}

/**
 * A reduction over one to three coordinates, with fixed, prefix or triangular ranges, often with a
 * guard.
 */
function reduction(
  world: World,
  type: ElementType,
  coordinates: readonly Coordinate[],
  budget: number,
): string {
  const { random } = world;
  const name = pick(random, namesFor(type));
  const isOne = name === "argmax" || name === "argmin";
  const inner: Coordinate[] = [];
  const ranges: string[] = [];
  let left = Math.max(1, budget);
  for (let n = isOne ? 1 : integer(random, 1, 3); n > 0; n--) {
    const k = fresh(world, "r");
    const around = [...coordinates, ...inner].filter(
      (each) => each.extent > 0 && each.extent <= left,
    );
    const outer = around.length > 0 && chance(random, 0.3) ? pick(random, around) : undefined;
    const fitting = world.sizes.extents.filter(
      (each) => each <= left && (each > 0 || chance(random, 0.3)),
    );
    const extent = outer?.extent ?? pick(random, fitting.length > 0 ? fitting : [1]);
    const range = outer
      ? pick(random, [
          `0..${outer.name} + 1`,
          `${outer.name}..${extent}`,
          `0..${outer.name}`,
          `${outer.name} + 1..${extent}`,
        ])
      : `${extent > 2 && chance(random, 0.15) ? 1 : 0}..${extent}`;
    inner.push({ name: k, extent });
    ranges.push(`${k} in ${range}`);
    left = Math.max(1, left / Math.max(1, extent));
  }
  const of: ElementType =
    name === "count"
      ? "bool"
      : isOne
        ? pick(random, ["f32", "f32", "f64", "i32", "i64", "f16"] as const)
        : type;
  const all = [...coordinates, ...inner];
  const body = expression(world, of, all, 2, left);
  const guards = chance(random, 0.35)
    ? [condition(world, all, 1), ...(chance(random, 0.3) ? [condition(world, all, 1)] : [])]
    : [];
  const where = guards.length > 0 ? ` where ${guards.join(", ")}` : "";
  return `${name}[${ranges.join(", ")}](${body}${where})`;
}

/** Scatters, running reductions, products of matrices, sliding windows and jagged rows. */
function special(
  world: World,
  tensor: Tensor,
  coordinates: readonly Coordinate[],
  budget: number,
): void {
  const { random } = world;
  const [first] = coordinates;
  const numeric = tensor.type !== "bool";
  const { name: at, length } = pick(random, world.lookups);
  const others = coordinates.slice(1);
  const form = integer(random, 0, 4);
  const cast = world.lines.some((line) => line.startsWith(`input ${at}: [i64`)) ? ` as i32` : "";
  if (form === 0) {
    const s: Coordinate = { name: "s", extent: length };
    const filter = chance(random, 0.4) ? `, ${condition(world, [...others, s], 1)}` : "";
    const name = numeric ? pick(random, ["sum", "sum", "max", "prod"]) : "any";
    const body = expression(world, tensor.type, [...others, s], 2, budget / Math.max(1, length));
    const isInteger = !tensor.type.includes("f");
    const safe = name === "max" && isInteger ? "sum" : name;
    world.lines.push(
      `let ${left(tensor, coordinates)} = ` +
        `${safe}[s in 0..${length}](${body} where (${at}[s]${cast}) == ` +
        `${first!.name}${filter});`,
    );
  } else if (form === 3) {
    // Ties on two axes, or intervals, with the tied position in the body.
    const s: Coordinate = { name: "s", extent: length };
    const [second] = others;
    const ties = pick(random, [
      [
        `(${at}[s]${cast}) == ${first!.name}`,
        ...(second ? [`s % ${Math.max(1, second.extent)} == ${second.name}`] : []),
      ],
      [`(${at}[s]${cast}) - 2 <= ${first!.name}`, `${first!.name} < (${at}[s]${cast}) + 3`],
    ]);
    const body = expression(
      world,
      tensor.type,
      [...coordinates, s],
      1,
      budget / Math.max(1, length),
    );
    const name = numeric ? pick(random, ["sum", "prod"]) : pick(random, ["any", "all"]);
    world.lines.push(
      `let ${left(tensor, coordinates)} = ` +
        `${name}[s in 0..${length}](${body} where ${ties.join(", ")});`,
    );
  } else if (form === 4) {
    const moved = pick(random, coordinates);
    const { name: i, extent } = moved;
    const fixed = coordinates.filter((each) => each !== moved);
    const s: Coordinate = { name: "s", extent };
    const range = pick(random, [
      `0..${i} + 1`,
      `0..${i}`,
      `${i}..${extent}`,
      `0..${extent} - ${i}`,
      `0..(${i} + 1) / 2`,
      `0..${extent}`,
    ]);
    const guards = [
      ...(range === `0..${extent}` ? [`s <= ${i}`] : []),
      ...(chance(random, 0.3) ? [condition(world, [...fixed, s], 1)] : []),
    ];
    const body = expression(world, tensor.type, [...fixed, s], 2, budget / Math.max(1, extent));
    const float = tensor.type.includes("f");
    const name = pick(
      random,
      numeric
        ? ["sum", "prod", ...(float ? ["max", "min", "mean", "logsumexp"] : [])]
        : ["any", "all"],
    );
    const where = guards.length > 0 ? ` where ${guards.join(", ")}` : "";
    world.lines.push(`let ${left(tensor, coordinates)} = ${name}[s in ${range}](${body}${where});`);
  } else if (form === 1) {
    const s: Coordinate = {
      name: "s",
      extent: pick(
        random,
        [1, 4, 7, 16, 33].filter((each) => each <= Math.max(1, budget)),
      ),
    };
    const factor = (): string => `(${expression(world, tensor.type, [...coordinates, s], 1, 1)})`;
    const body = numeric ? `${factor()} * ${factor()}` : `${factor()} != ${factor()}`;
    world.lines.push(
      `let ${left(tensor, coordinates)} = ` +
        `${numeric ? "sum" : "all"}[s in 0..${s.extent}](${body});`,
    );
  } else {
    const s: Coordinate = { name: "s", extent: 3 };
    const width = first!.extent;
    const body = expression(world, tensor.type, [...coordinates, s], 1, budget / 3);
    const guard = pick(random, [
      `${first!.name} + s - 1 in 0..${width}`,
      `(${first!.name} - s) % 2 == 0, s <= ${first!.name}`,
      `2 * s + ${first!.name} < ${width}`,
    ]);
    world.lines.push(
      `let ${left(tensor, coordinates)} = ` +
        `${numeric ? "sum" : "any"}[s in 0..3](${body} where ${guard});`,
    );
  }
}

// ── gradients ───────────────────────────────────────────────────────────────────────────────────

/** A loss of the float tensors of one type, and its derivatives by the inputs of that type. */
function gradient(world: World, made: readonly Tensor[]): void {
  const { random } = world;
  const type = pick(random, ["f32", "f32", "f64"] as const);
  const summed = made.filter((tensor) => tensor.type === type);
  const wrt = world.tensors.filter(
    (tensor) => tensor.type === type && (tensor.name.startsWith("x") || chance(random, 0.2)),
  );
  if (summed.length === 0 || wrt.length === 0 || chance(random, 0.3)) return;
  const total = summed.map(({ name, shape }) => {
    const indices = shape.map((_, axis) => "ijklm"[axis]!);
    if (indices.length === 0) return `${name} * ${name}`;
    const read = `${name}[${indices.join(", ")}]`;
    const term = pick(random, [`${read} * ${read}`, read, `sin(${read})`]);
    return `sum[${indices.join(", ")}](${term})`;
  });
  world.lines.push(`let loss = ${total.join(" + ")};`);
  for (const { name } of wrt) world.lines.push(`let d_${name} = @loss / @${name};`);
}

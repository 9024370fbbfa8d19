// Random well-typed tensor programs with a scalar loss and requests for its derivatives. Each is
// made from one number.
//
// Every index is in bounds and every range agrees by construction. Functions stay in ranges where
// they are smooth and bounded, so that differences can be taken. A program may have tensors of rank
// 0 to 3, affine and looked-up indices, guards, reductions, branches, blocks, calls, several
// clauses, scatters, and running and jagged sums.

import { chance, integer, pick, randomOf, type Random } from "./random.ts";

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
}

/**
 * A coordinate in scope. `bare` is set once the coordinate alone is an index, so that its range can
 * be inferred.
 */
interface Coordinate {
  readonly name: string;
  readonly extent: number;
  bare: boolean;
}

interface World {
  readonly random: Random;
  readonly lines: string[];
  /** The float tensors in scope. */
  readonly tensors: Tensor[];
  /** Integer vectors: name, length, and an upper bound of their cells. */
  readonly lookups: { readonly name: string; readonly length: number; readonly below: number }[];
  /** The names of functions of one float. */
  readonly functions: string[];
  names: number;
}

export function gradientProgram(seed: number): string {
  const random = randomOf(seed);
  const world: World = { random, lines: [], tensors: [], lookups: [], functions: [], names: 0 };
  const leaves = Array.from({ length: integer(random, 1, 3) }, () => leaf(world));
  for (let n = integer(random, 0, 2); n > 0; n--) lookup(world);
  if (chance(random, 0.5)) scalarFunction(world);
  if (chance(random, 0.3)) world.lines.push(softmax);
  const made = Array.from({ length: integer(random, 2, 5) }, () => definition(world));
  world.lines.push(`let loss = ${made.map((tensor) => total(world, tensor)).join(" + ")};`);
  const denominators = [...leaves, ...made.filter(() => chance(random, 0.25))];
  for (const [k, { name }] of denominators.entries())
    world.lines.push(`let gradient_${k} = @loss / @${name};`);
  if (chance(random, 0.15)) {
    const [first] = leaves;
    const indices = first!.shape.map((_, axis) => "ijk"[axis]!).join(", ");
    const body =
      first!.shape.length === 0
        ? "gradient_0 ** 2"
        : `sum[${indices}](gradient_0[${indices}] ** 2)`;
    world.lines.push(
      `let slope = ${body};`,
      `let second = @slope / @${pick(random, leaves).name};`,
    );
  }
  return world.lines.join("\n");
}

function fresh(world: World, stem: string): string {
  return `${stem}${++world.names}`;
}

// ── leaves ──────────────────────────────────────────────────────────────────────────────────────

function number(random: Random): string {
  const size = 0.2 + 1.3 * random();
  return `${chance(random, 0.4) ? "-" : ""}${size.toFixed(3)}`;
}

function leaf(world: World): Tensor {
  const { random } = world;
  const rank = pick(random, [0, 1, 1, 1, 2, 2, 3]);
  const shape = Array.from({ length: rank }, () => integer(random, 2, rank === 3 ? 3 : 4));
  const nested = (axis: number): string =>
    axis === rank
      ? number(random)
      : `[${Array.from({ length: shape[axis]! }, () => nested(axis + 1)).join(", ")}]`;
  const tensor = { name: fresh(world, "x"), shape };
  world.lines.push(`let ${tensor.name} = ${nested(0)};`);
  world.tensors.push(tensor);
  return tensor;
}

function lookup(world: World): void {
  const { random } = world;
  const [length, below] = [integer(random, 2, 4), integer(random, 2, 4)];
  const name = fresh(world, "at");
  const cells = Array.from({ length }, () => integer(random, 0, below - 1));
  world.lines.push(`let ${name} = [${cells.join(", ")}];`);
  world.lookups.push({ name, length, below });
}

function scalarFunction(world: World): void {
  const name = fresh(world, "f");
  const body = pick(world.random, [
    "v * sin(v)",
    "{ let t = tanh(v); t * t + t }",
    "if v > 0.1 { v * v } else { 0.5 * v }",
    "{ let l = v ** 3; let d = @l / @v; d + v }",
  ]);
  world.lines.push(`fn ${name}(v) { ${body} }`);
  world.functions.push(name);
}

const softmax =
  "fn softmax[j](v: [f32; ..l, j]) -> [f32; ..l, j] { let m[..l] = max[j](v[..l, j]); " +
  "let e[..l, j] = exp(v[..l, j] - m[..l]); let s[..l] = sum[j](e[..l, j]); " +
  "e[..l, j] / s[..l] }";

// ── definitions ─────────────────────────────────────────────────────────────────────────────────

/**
 * Makes equal cells different. Equal cells tie in every comparison: min(max(…), mean(…)) may equal
 * the mean everywhere, smooth for every difference, while its derivative is that of the maximum,
 * which stands first.
 */
function apart(body: string, coordinates: readonly Coordinate[]): string {
  if (
    coordinates.length === 0 ||
    coordinates.some(({ name }) => new RegExp(`\\b${name}\\b`).test(body))
  )
    return body;
  const places = coordinates.map(({ name }, k) => `${k + 1} * ${name}`).join(" + ");
  return `(${body}) + 0.013 * (${places}) as f32`;
}

function definition(world: World): Tensor {
  const { random } = world;
  const rank = pick(random, [0, 1, 1, 2, 2, 3]);
  const coordinates = Array.from({ length: rank }, (_, k): Coordinate => ({
    name: "ijk"[k]!,
    extent: integer(random, 2, rank === 3 ? 3 : 4),
    bare: false,
  }));
  const tensor = { name: fresh(world, "y"), shape: coordinates.map(({ extent }) => extent) };
  const form = random();
  const rows = world.lines.includes(softmax)
    ? world.tensors.filter(({ shape }) => shape.length > 0)
    : [];
  if (rows.length > 0 && chance(random, 0.2)) return normalised(world, pick(random, rows));
  if (rank > 0 && form < 0.2) clauses(world, tensor, coordinates);
  else if (rank > 0 && form < 0.3) recurrence(world, tensor, coordinates);
  else if (rank === 1 && form < 0.45) special(world, tensor, coordinates[0]!);
  else {
    const body = apart(expression(world, coordinates, 3), coordinates);
    const left = rank === 0 ? tensor.name : `${tensor.name}[${slots(random, coordinates)}]`;
    const guard = rank > 0 && chance(random, 0.15) ? guarded(world, coordinates) : "";
    world.lines.push(`let ${left} = ${body}${guard};`);
  }
  world.tensors.push(tensor);
  return tensor;
}

function guarded(world: World, coordinates: readonly Coordinate[]): string {
  const otherwise = chance(world.random, 0.5)
    ? ` else ${expression(world, explicit(coordinates), 1)}`
    : "";
  return ` where ${condition(world, explicit(coordinates))}${otherwise}`;
}

/** The coordinates at places where a bare use must not count. Ranges are written out anyway. */
function explicit(coordinates: readonly Coordinate[]): readonly Coordinate[] {
  return coordinates.map((coordinate) => ({ ...coordinate }));
}

function slots(random: Random, coordinates: readonly Coordinate[]): string {
  return coordinates.map((coordinate) => slot(random, coordinate)).join(", ");
}

function slot(random: Random, { name, extent, bare }: Coordinate): string {
  return bare && chance(random, 0.7) ? name : `${name} in 0..${extent}`;
}

/** Two or three clauses: disjoint, overlapping, or with one cell overridden. */
function clauses(world: World, tensor: Tensor, coordinates: readonly Coordinate[]): void {
  const { random } = world;
  const [first, ...others] = coordinates;
  const clause = (from: number, to: number, where: string): void => {
    const own: Coordinate = { ...first!, extent: to };
    const body = expression(world, explicit([own, ...others]), 2);
    const rest = others.map(({ name, extent }) => `, ${name} in 0..${extent}`).join("");
    world.lines.push(`let ${tensor.name}[${own.name} in ${from}..${to}${rest}] = ${body}${where};`);
  };
  const cut = integer(random, 1, first!.extent - 1);
  clause(0, chance(random, 0.5) ? cut : first!.extent, "");
  const guard = chance(random, 0.4) && world.lines.at(-1)!.includes(`0..${first!.extent}`);
  clause(cut, first!.extent, guard ? ` where ${condition(world, explicit(coordinates))}` : "");
  if (chance(random, 0.3)) {
    const at = integer(random, 0, first!.extent - 1);
    const rest = others.map(({ name, extent }) => `, ${name} in 0..${extent}`).join("");
    world.lines.push(
      `let ${tensor.name}[${at}${rest}] = ${expression(world, explicit(others), 2)};`,
    );
  }
}

/** The softmax of a tensor along its last axis, sometimes with a mask. */
function normalised(world: World, { name, shape }: Tensor): Tensor {
  const coordinates = shape.map((extent, axis): Coordinate => ({
    name: "ijk"[axis]!,
    extent,
    bare: true,
  }));
  const indices = coordinates.map((coordinate) => coordinate.name).join(", ");
  const last = coordinates.at(-1)!;
  const mask = chance(world.random, 0.5)
    ? ` where ${last.name} != ${integer(world.random, 0, last.extent - 1)}`
    : "";
  const tensor = { name: fresh(world, "p"), shape };
  world.lines.push(
    `let ${tensor.name}[${indices}] = softmax[${last.name}](${name}[${indices}])${mask};`,
  );
  world.tensors.push(tensor);
  return tensor;
}

/**
 * A first row, and a step that reads the row before it or the two rows before it, upward or
 * downward.
 */
function recurrence(world: World, tensor: Tensor, coordinates: readonly Coordinate[]): void {
  const { random } = world;
  const [time, ...others] = coordinates;
  const { name, extent } = time!;
  const down = chance(random, 0.25);
  const lookback = !down && extent > 2 && chance(random, 0.3) ? 2 : 1;
  const rest = others.map((other) => `, ${other.name} in 0..${other.extent}`).join("");
  for (let at = 0; at < lookback; at++) {
    const first = down ? extent - 1 : at;
    world.lines.push(
      `let ${tensor.name}[${first}${rest}] = ${expression(world, explicit(others), 2)};`,
    );
  }
  const read = (back: number): string => {
    const where = others.map((other) =>
      pick(random, [other.name, other.name, `(${other.name} + 1) % ${other.extent}`]),
    );
    return `${tensor.name}[${[`${name} ${down ? "+" : "-"} ${back}`, ...where].join(", ")}]`;
  };
  const inside = expression(world, explicit(coordinates), 2);
  const step = pick(random, [
    () => `tanh(${read(1)} + ${inside})`,
    () => `0.5 * ${read(1)} * (${inside})`,
    () => `0.7 * ${read(lookback)} + sin(${read(1)}) * (${inside})`,
    () => `(if ${condition(world, explicit(coordinates))} { ${read(1)} } else { ${inside} })`,
    () => `max(${read(1)}, ${inside})`,
  ])();
  const range = down ? `rev(0..${extent - 1})` : `${lookback}..${extent}`;
  const guard = chance(random, 0.15) ? ` where ${condition(world, explicit(coordinates))}` : "";
  world.lines.push(`let ${tensor.name}[${name} in ${range}${rest}] = ${step}${guard};`);
}

/** Scatters, running sums and jagged rows. */
function special(world: World, tensor: Tensor, { name, extent }: Coordinate): void {
  const { random } = world;
  const form = integer(random, 0, 2);
  const left = `${tensor.name}[${name} in 0..${extent}]`;
  const looked = world.lookups.filter((each) => each.below <= extent);
  if (form === 0 && looked.length > 0) {
    const { name: at, length } = pick(random, looked);
    const k: Coordinate = { name: "s", extent: length, bare: true };
    const filter = chance(random, 0.3) ? `, ${condition(world, [k])}` : "";
    world.lines.push(
      `let ${left} = sum[s](${expression(world, [k], 2)} where ${at}[s] == ${name}${filter});`,
    );
  } else if (form === 1) {
    const k: Coordinate = { name: "s", extent, bare: false };
    const reduction = pick(random, ["sum", "sum", "mean", "max", "logsumexp"]);
    const range = chance(random, 0.5) ? `0..${name} + 1` : `${name}..${extent}`;
    world.lines.push(`let ${left} = ${reduction}[s in ${range}](${expression(world, [k], 2)});`);
  } else {
    const cuts = Array.from({ length: extent }, () => integer(random, 0, 4)).sort((a, b) => a - b);
    const ends = fresh(world, "ends");
    world.lines.push(`let ${ends} = [0, ${cuts.join(", ")}];`);
    const k: Coordinate = { name: "s", extent: 4, bare: false };
    const range = `${ends}[${name}]..${ends}[${name} + 1]`;
    world.lines.push(`let ${left} = sum[s in ${range}](${expression(world, [k], 2)});`);
  }
}

function total(world: World, { name, shape }: Tensor): string {
  const { random } = world;
  if (shape.length === 0) return pick(random, [`${name} ** 2`, `sin(${name})`, `0.5 * ${name}`]);
  const indices = shape.map((_, axis) => "ijk"[axis]!);
  const read = `${name}[${indices.join(", ")}]`;
  const weight = `(0.3 + 0.2 * (${indices.map((i, k) => `${k + 1} * ${i}`).join(" + ")}) as f32)`;
  const body = pick(random, [`${read} ** 2`, `${weight} * ${read}`, `${weight} * sin(${read})`]);
  return `${pick(random, ["sum", "sum", "mean"])}[${indices.join(", ")}](${body})`;
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────

const wrappers: readonly ((a: string) => string)[] = [
  (a) => `sin(${a})`,
  (a) => `cos(${a})`,
  (a) => `tanh(${a})`,
  (a) => `sigmoid(${a})`,
  (a) => `exp(tanh(${a}))`,
  (a) => `log(1.2 + (${a}) ** 2)`,
  (a) => `sqrt(0.5 + (${a}) ** 2)`,
  (a) => `abs(${a})`,
  (a) => `relu(${a})`,
  (a) => `erf(${a})`,
  (a) => `log1p((${a}) ** 2)`,
  (a) => `expm1(0.3 * tanh(${a}))`,
  (a) => `tan(0.3 * sin(${a}))`,
  (a) => `clamp(${a}, -0.7, 0.9)`,
  (a) => `-(${a})`,
  (a) => `(1.1 + (${a}) ** 2) ** 0.7`,
  (a) => `tanh(${a}) ** 3`,
  (a) => `{ let t = ${a}; t * t + 0.5 * t }`,
];

const pairs: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `(${a} + ${b})`,
  (a, b) => `(${a} - ${b})`,
  (a, b) => `${a} * ${b}`,
  (a, b) => `${a} * ${b}`,
  (a, b) => `${a} / (1.5 + (${b}) ** 2)`,
  (a, b) => `max(${a}, ${b})`,
  (a, b) => `min(${a}, ${b})`,
];

function expression(world: World, coordinates: readonly Coordinate[], depth: number): string {
  const { random } = world;
  const form = random();
  if (depth <= 0 || form < 0.12) return atom(world, coordinates);
  if (form < 0.35) return pick(random, wrappers)(expression(world, coordinates, depth - 1));
  if (form < 0.62) {
    const operand = (): string => `(${expression(world, coordinates, depth - 1)})`;
    return pick(random, pairs)(operand(), operand());
  }
  if (form < 0.7) {
    const test = condition(world, explicit(coordinates));
    const branch = (): string => expression(world, explicit(coordinates), depth - 1);
    return `(if ${test} { ${branch()} } else { ${branch()} })`;
  }
  if (form < 0.75 && world.functions.length > 0)
    return `${pick(random, world.functions)}(${expression(world, coordinates, depth - 1)})`;
  if (form < 0.95) return reduction(world, coordinates, depth);
  return atom(world, coordinates);
}

function atom(world: World, coordinates: readonly Coordinate[]): string {
  const { random } = world;
  if (chance(random, 0.1)) return number(random);
  if (coordinates.length > 0 && chance(random, 0.07))
    return `(${pick(random, coordinates).name} as f32 * 0.3 - 0.2)`;
  const tensor = pick(random, world.tensors);
  if (tensor.shape.length === 0) return tensor.name;
  const indices = tensor.shape.map((extent) => index(world, coordinates, extent));
  return `${tensor.name}[${indices.join(", ")}]`;
}

/** An integer expression of the coordinates that lies in 0..extent. */
function index(world: World, coordinates: readonly Coordinate[], extent: number): string {
  const { random } = world;
  const candidates: (() => string)[] = [() => String(integer(random, 0, extent - 1))];
  for (const coordinate of coordinates) {
    const { name, extent: size } = coordinate;
    const bare = (): string => {
      coordinate.bare = true;
      return name;
    };
    if (size === extent) candidates.push(bare, bare, bare, bare);
    if (size <= extent) {
      candidates.push(
        () => `${extent - 1} - ${name}`,
        () => `(${name} + ${integer(random, 1, extent)}) % ${extent}`,
        () => `max(${name} - 1, 0)`,
        () => `min(${name} + 1, ${extent - 1})`,
      );
    }
    if (size < extent) candidates.push(() => `${name} + ${integer(random, 1, extent - size)}`);
    if (2 * (size - 1) < extent) candidates.push(() => `2 * ${name}`);
    if (Math.floor((size - 1) / 2) < extent) candidates.push(() => `${name} / 2`);
    if (extent === 2) candidates.push(() => `${name} % 2`);
    for (const other of coordinates) {
      if (other === coordinate) continue;
      if (size + other.extent - 1 <= extent) candidates.push(() => `${name} + ${other.name}`);
      if (size * other.extent <= extent)
        candidates.push(() => `${name} * ${other.extent} + ${other.name}`);
      if (size <= extent) candidates.push(() => `(${name} + ${other.name}) % ${extent}`);
    }
    for (const { name: at, length, below } of world.lookups) {
      if (length !== size) continue;
      if (below <= extent) candidates.push(() => `${at}[${name}]`);
      if (below < extent) candidates.push(() => `${at}[${name}] + 1`);
    }
  }
  return pick(random, candidates)();
}

function condition(world: World, coordinates: readonly Coordinate[]): string {
  const { random } = world;
  const ofData = (): string => `${atom(world, coordinates)} > ${number(random)}`;
  if (coordinates.length === 0) return ofData();
  const { name, extent } = pick(random, coordinates);
  const other = pick(random, coordinates).name;
  return pick(random, [
    ofData,
    () => `${name} > ${integer(random, 0, extent - 2)}`,
    () => `${name} != ${integer(random, 0, extent - 1)}`,
    () => `${name} % 2 == 0`,
    () => `${name} <= ${other}`,
    () => `${name} + ${other} in 1..${extent}`,
  ])();
}

/**
 * Only an empty sum or product is finite. The guards of other reductions keep at least one element.
 */
function filter(
  world: World,
  name: string,
  outer: readonly Coordinate[],
  inner: readonly Coordinate[],
): string {
  const { random } = world;
  if (name === "sum" || name === "prod") return condition(world, explicit([...outer, ...inner]));
  const { name: k, extent } = inner[0]!;
  const around = outer.map((coordinate) => `${k} <= ${coordinate.name}`);
  return pick(random, [
    `${k} != ${integer(random, 0, extent - 1)}`,
    `${k} > ${integer(random, 0, extent - 2)}`,
    ...around,
  ]);
}

const reductions = ["sum", "sum", "sum", "mean", "max", "min", "prod", "logsumexp"];

function reduction(world: World, coordinates: readonly Coordinate[], depth: number): string {
  const { random } = world;
  const inner = Array.from({ length: chance(random, 0.25) ? 2 : 1 }, (): Coordinate => ({
    name: fresh(world, "r"),
    extent: integer(random, 2, 4),
    bare: false,
  }));
  const body = expression(world, [...coordinates, ...inner], depth - 1);
  const name = pick(random, reductions);
  const guard = chance(random, 0.3) ? ` where ${filter(world, name, coordinates, inner)}` : "";
  const range = (coordinate: Coordinate): string => slot(random, coordinate);
  // A product of many growing factors becomes so large that its sine turns faster than any step of
  // a difference.
  const tame = name === "prod" && inner.length > 1 ? `tanh(${body})` : body;
  return `${name}[${inner.map(range).join(", ")}](${tame}${guard})`;
}

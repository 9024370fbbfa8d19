// Random recurrences over batches, each made from one number: states with and without reads of
// their neighbours, products, maxima and choices in a step, sums along the steps and over the
// batch, and gradients of all of them.

import { chance, integer, pick, randomOf, type Random } from "./random.ts";

/** The sizes of a program, and the direction of its steps. */
interface Shape {
  readonly random: Random;
  readonly steps: number;
  readonly batch: number;
  readonly width: number;
  /** How many steps back a step reads. */
  readonly back: number;
  readonly reversed: boolean;
}

/**
 * The oracle computes the small programs quickly. The large programs are large enough for several
 * threads.
 */
const sizes = {
  small: { steps: 8, batch: 9, widths: [1, 2, 3, 4, 5] },
  large: { steps: 60, batch: 60, widths: [1, 5, 8, 13, 16, 21, 33] },
} as const;

export function sequenceProgram(seed: number, size: keyof typeof sizes): string {
  const random = randomOf(seed);
  const most = sizes[size];
  const shape: Shape = {
    random,
    steps: integer(random, 4, most.steps),
    batch: integer(random, 2, most.batch),
    width: pick(random, most.widths),
    back: integer(random, 1, 2),
    reversed: chance(random, 0.3),
  };
  const { steps, batch, width } = shape;
  const type = pick(random, ["f32", "f32", "f64"]);
  const states = chance(random, 0.6) ? ["u", "v"] : ["u"];
  const some = (): string => pick(random, states);
  const all = `t in 0..${steps}, b in 0..${batch}`;
  const lines = [
    `input x: [${type}; ${steps}, ${batch}, ${width}]; input w: ` +
      `[${type}; ${width}, ${width}]; input c: [${type}; ${batch}]; input s: ` +
      `[${type}; ${steps}];`,
    ...states.flatMap((state) => firstSteps(shape, state)),
    // The second state reads the first. If the first reads the second too, both are one recurrence.
    ...states.map((state, k) =>
      recurrence(shape, state, states, k > 0 ? " + 0.1 * u[t, b, j]" : ""),
    ),
  ];
  if (chance(random, 0.6)) lines.push(`let e[${all}] = sum[j](${some()}[t, b, j] ** 2);`);
  if (chance(random, 0.6))
    lines.push(`let q[t in 0..${steps}] = sum[b, j](${some()}[t, b, j] * x[t, b, j]);`);
  if (chance(random, 0.5)) lines.push(`let m[j in 0..${width}] = sum[${all}](${some()}[t, b, j]);`);
  const last = shape.reversed ? 0 : steps - 1;
  const loss = ["sum[t, b, j](u[t, b, j] * x[t, b, j])", `sum[b, j](u[${last}, b, j] ** 2)`];
  lines.push(`let loss = ${pick(random, loss)};`);
  for (const input of ["w", "c", "x", "s"])
    if (chance(random, 0.5)) lines.push(`let d_${input} = @loss / @${input};`);
  return lines.join("\n");
}

function firstSteps(
  { random, steps, batch, width, back, reversed }: Shape,
  state: string,
): readonly string[] {
  return Array.from({ length: back }, (_, step) => {
    const at = reversed ? steps - 1 - step : step;
    return (
      `let ${state}[${at}, b in 0..${batch}, j in 0..${width}] = ` +
      `${pick(random, ["0.1 * c[b]", "c[b]", "x[0, b, j]"])};`
    );
  });
}

function recurrence(shape: Shape, state: string, states: readonly string[], also: string): string {
  const { steps, batch, width, back, reversed } = shape;
  const range = reversed ? `rev(0..${steps - back})` : `${back}..${steps}`;
  return (
    `let ${state}[t in ${range}, b in 0..${batch}, j in 0..${width}] = ` +
    `${stepOf(shape, states, 3)}${also};`
  );
}

function stepOf(shape: Shape, states: readonly string[], depth: number): string {
  const { random, batch, width, back, reversed } = shape;
  const inner = (): string => stepOf(shape, states, depth - 1);
  const before = (b = "b", j = "j"): string =>
    `${pick(random, states)}[t ${reversed ? "+" : "-"} ${integer(random, 1, back)}, ${b}, ${j}]`;
  const guard = (): string =>
    chance(random, 0.3) ? ` where ${pick(random, ["t > k", "k != j", "x[t, b, k] > 0.0"])}` : "";
  const leaf = (): string => pick(random, [before(), "x[t, b, j]", "c[b]", "s[t]", "0.5"]);
  if (depth === 0) return leaf();
  const forms: readonly (() => string)[] = [
    leaf,
    () => `tanh(${inner()})`,
    () => `sin(${inner()})`,
    () => `(${inner()} + ${inner()})`,
    () => `0.5 * (${inner()} - ${inner()})`,
    () => `0.3 * sum[k in 0..${width}](${before("b", "k")} * w[k, j]${guard()})`,
    () => `0.2 * sum[k in 0..${width}](x[t, b, k] * w[k, j])`,
    () => `0.1 * max[k in 0..${width}](${before("b", "k")} where k >= j)`,
    () =>
      `(if ${pick(random, ["b > 3", "j < 2", "c[b] > 0.0", "x[t, b, j] > 0.0"])} ` +
      `{ ${inner()} } else { ${inner()} })`,
    () => (chance(random, 0.3) ? `0.1 * ${before(`(b + 1) % ${batch}`)}` : before()),
  ];
  return pick(random, forms)();
}

// Random recurrences with a loss and requests for its derivatives. Each is made from one number.
//
// A program may have one or two states that read each other, upward or downward, up to three steps
// back, with sums over the state, reads of the same step, shifted and looked-up positions,
// looked-up steps, overlapping clauses, guards, wavefronts, running sums over all earlier steps,
// states under `checkpoint`, and steps along the slope of a loss of their own.

import { chance, integer, pick, randomOf, type Random } from "./random.ts";

export function recurrenceProgram(seed: number): string {
  const random = randomOf(seed);
  const lines = ["let p = [0.4, -0.7, 0.9];", "let q = 0.6;"];
  const form = pick(random, [states, states, states, wavefront, triangle, lookedUp, descent]);
  const loss = form(random, lines);
  lines.push(`let loss = ${loss};`, "let by_p = @loss / @p;", "let by_q = @loss / @q;");
  if (chance(random, 0.2))
    lines.push("let bend = sum[i](by_p[i] ** 2) + by_q ** 2;", "let second = @bend / @q;");
  return lines.join("\n");
}

function number(random: Random): string {
  return (0.2 + 0.7 * random()).toFixed(3);
}

/** A smooth, bounded function of some values. */
function mixed(random: Random, values: readonly string[]): string {
  const [first, ...others] = values;
  const rest = others
    .map((value) => `${pick(random, ["+", "-"])} ${number(random)} * ${value}`)
    .join(" ");
  const whole = `${number(random)} * ${first!} ${rest}`;
  return pick(random, [`tanh(${whole})`, `sin(${whole})`, whole, `(${first!}) * cos(${whole})`]);
}

/** One or two states of rank 1 or 2 that read each other. */
function states(random: Random, lines: string[]): string {
  const steps = integer(random, 3, 6);
  const down = chance(random, 0.3);
  const width = chance(random, 0.6) ? 3 : 0;
  const lookback = steps > 4 ? integer(random, 1, 3) : 1;
  const names = chance(random, 0.5) ? ["a"] : ["a", "b"];
  const mark = chance(random, 0.3) ? "checkpoint " : "";
  const slot = width > 0 ? `, i in 0..${width}` : "";
  const place = (): string =>
    width === 0 ? "" : `, ${pick(random, ["i", "i", "(i + 1) % 3", "2 - i"])}`;
  const parameter = width === 0 ? "p[1]" : "p[i]";
  const everywhere = chance(random, 0.3);
  for (const name of names) {
    if (everywhere) {
      lines.push(`let ${name}[t in 0..${steps}${slot}] = ${mixed(random, [parameter, "q"])};`);
      continue;
    }
    for (let at = 0; at < lookback; at++) {
      const first = down ? steps - 1 - at : at;
      lines.push(`let ${name}[${first}${slot}] = ${mixed(random, [parameter, "q"])};`);
    }
  }
  const back = (): string => `t ${down ? "+" : "-"} ${integer(random, 1, lookback)}`;
  const range = down ? `rev(0..${steps - lookback})` : `${lookback}..${steps}`;
  for (const [k, name] of names.entries()) {
    const reads = names.map((other) => `${other}[${back()}${place()}]`);
    if (k > 0 && chance(random, 0.5)) reads.push(`${names[0]!}[t${place()}]`);
    if (width > 0 && chance(random, 0.5))
      reads.push(`sum[j](p[(i + j) % 3] * ${name}[${back()}, j])`);
    if (chance(random, 0.2)) reads.push(`max(${reads[0]!}, ${parameter})`);
    const value = mixed(random, [...reads, parameter, "q"]);
    const step = chance(random, 0.2)
      ? `(if t % 2 == 0 { ${value} } else { ${reads[0]!} * q })`
      : value;
    const guard = chance(random, 0.15) ? ` where t % 3 != 1 else ${parameter} * 0.5` : "";
    lines.push(`${mark}let ${name}[t in ${range}${slot}] = ${step}${guard};`);
  }
  const [last] = names.slice(-1);
  const whole = width > 0 ? `sum[t, i](${last!}[t, i] ** 2)` : `sum[t](${last!}[t] ** 2)`;
  const end = down ? 0 : steps - 1;
  const final = width > 0 ? `sum[i](${last!}[${end}, i] ** 2)` : `${last!}[${end}] ** 2`;
  const along = width > 0 ? `mean[t, i](o[t, i] * sin(o[t, i]))` : `mean[t](o[t] * sin(o[t]))`;
  const kind = integer(random, 0, 2);
  if (kind === 2) {
    const inner = width > 0 ? ", i" : "";
    lines.push(`let o[t${inner}] = ${last!}[t${inner}] * q + ${names[0]!}[t${inner}];`);
  }
  return [whole, final, along][kind]!;
}

/** Each cell depends on its earlier neighbours in two directions. */
function wavefront(random: Random, lines: string[]): string {
  const size = integer(random, 3, 4);
  const reads = ["w[i - 1, j]", "w[i, j - 1]", "w[i - 1, j - 1]"].slice(0, integer(random, 2, 3));
  lines.push(
    `let w[i in 0..${size}, j in 0..${size}] = q * (i + 2 * j) as f32 * 0.3 + p[0];`,
    `let w[i in 1..${size}, j in 1..${size}] = ${mixed(random, [...reads, "p[(i + j) % 3]"])};`,
  );
  return chance(random, 0.5) ? `w[${size - 1}, ${size - 1}]` : "sum[i, j](w[i, j] ** 2)";
}

/** Each cell depends on all earlier cells. */
function triangle(random: Random, lines: string[]): string {
  const size = integer(random, 3, 5);
  const reduction = pick(random, ["sum", "sum", "mean", "max", "logsumexp"]);
  lines.push(
    "let s[0] = p[0] + q;",
    `let s[k in 1..${size}] = ` +
      `${mixed(random, [`${reduction}[m in 0..k](s[m] * p[(k + m) % 3])`, "p[k % 3]", "q"])};`,
  );
  return chance(random, 0.5) ? `s[${size - 1}]` : "sum[k](s[k] ** 2)";
}

/** Data chooses the step, and the positions within the state. */
function lookedUp(random: Random, lines: string[]): string {
  const steps = integer(random, 3, 6);
  const earlier = Array.from({ length: steps }, (_, t) =>
    t === 0 ? 0 : integer(random, 0, t - 1),
  );
  const places = Array.from({ length: 3 }, () => integer(random, 0, 2));
  lines.push(`let before = [${earlier.join(", ")}];`, `let at = [${places.join(", ")}];`);
  lines.push(
    "let u[0, i in 0..3] = p[i] * q;",
    `let u[t in 1..${steps}, i in 0..3] = ` +
      `${mixed(random, ["u[before[t], i]", "u[t - 1, at[i]]", "p[i]", "q"])};`,
  );
  return "sum[t, i](u[t, i] ** 2)";
}

/** Steps along the slope of a loss inside the recurrence. */
function descent(random: Random, lines: string[]): string {
  const steps = integer(random, 3, 5);
  const velocity = chance(random, 0.5);
  lines.push(
    `let cost[t in 0..${steps}] = ` +
      `sum[i](${mixed(random, ["w[t, i]", "p[i]", "w[t, (i + 1) % 3]"])} ** 2);`,
    "let w[0, i in 0..3] = q * (i + 1) as f32 * 0.5;",
  );
  const slope = "@cost[t - 1] / @w[t - 1, i]";
  if (velocity) {
    lines.push(
      "let v[0, i in 0..3] = 0.0;",
      `let v[t in 1..${steps}, i in 0..3] = 0.5 * v[t - 1, i] + ${slope};`,
      `let w[t in 1..${steps}, i in 0..3] = w[t - 1, i] - 0.1 * v[t, i];`,
    );
  } else lines.push(`let w[t in 1..${steps}, i in 0..3] = w[t - 1, i] - 0.2 * q * ${slope};`);
  return chance(random, 0.5) ? `cost[${steps - 1}]` : "sum[t](cost[t])";
}

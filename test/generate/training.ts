// Random recurrences that train: every step requests derivatives within itself, by its states and
// by values between the states and the loss. Some are derivatives of derivatives.

import { chance, integer, pick, randomOf, type Random } from "./random.ts";

export function trainingProgram(seed: number): string {
  const random = randomOf(seed);
  const steps = integer(random, 2, 3);
  const all = `t in 0..${steps}`;
  const states = chance(random, 0.5) ? ["W", "V"] : ["W"];
  const lines = states.map(
    (state, k) => `let ${state}[0, i in 0..3] = ${0.4 + 0.3 * k} + 0.2 * (i as f32);`,
  );
  const h = curve(random, `W[t, i] * ${number(random)} + ${states.at(-1)}[t, i]`);
  lines.push(`let h[${all}, i in 0..3] = ${h};`);
  lines.push(
    `let k[${all}] = sum[i](${curve(random, "h[t, i]")} * ${pick(random, states)}[t, i]);`,
  );
  const loss = pick(random, [
    "k[t] ** 2",
    "k[t] * h[t, 0]",
    "k[t] + sum[i](h[t, i] ** 2)",
    "sin(k[t]) + sum[i](W[t, i] ** 4)",
  ]);
  lines.push(`let loss[${all}] = ${loss};`);
  const asked = ["W", "h"].map((name) => ({
    at: `@loss[t - 1] / @${name}[t - 1, i]`,
    name: `g_${name}`,
  }));
  if (chance(random, 0.5))
    for (const { name } of asked)
      lines.push(`let ${name}[${all}, i in 0..3] = @loss[t] / @${name.slice(2)}[t, i];`);
  const isNamed = lines.length > states.length + 3;
  if (chance(random, 0.5)) lines.push(...penalty(random, all, isNamed));
  const isPunished = lines.at(-1)!.startsWith("let pen");
  const terms = [
    ...asked.map(({ at, name }) => (isNamed && chance(random, 0.5) ? `${name}[t - 1, i]` : at)),
    "@loss[t - 1] / @k[t - 1]",
    ...(isPunished ? ["@pen[t - 1] / @W[t - 1, i]", "@pen[t - 1] / @h[t - 1, i]"] : []),
    ...(states.length > 1 ? ["@loss[t - 1] / @V[t - 1, i]"] : []),
  ];
  // Definitions between the clauses of a recurrence must belong to the recurrence.
  const named = [
    ...(isNamed ? asked.map(({ name }) => `${name}[t - 1, i]`) : []),
    ...(isPunished ? ["pen[t - 1]"] : []),
  ];
  for (const [k, state] of states.entries()) {
    const chosen = [...terms.filter(() => chance(random, 0.6)), ...(k === 0 ? named : [])];
    const moved = (chosen.length > 0 ? chosen : terms).map(
      (term) => `${number(random)} * (${term})`,
    );
    const sum = moved.join(" + ");
    // Steps are bounded. If a state grows without bound, a sine of 10^13 turns many times within
    // any step of a difference.
    lines.push(
      `let ${state}[t in 1..${steps}, i in 0..3] = ` +
        `${state}[t - 1, i] - 0.3 * tanh(0.001 * (${sum}));`,
    );
  }
  lines.push(`let last = sum[i](W[${steps - 1}, i]);`);
  return lines.join("\n");
}

/** A term that is small where the gradient is small. */
function penalty(random: Random, all: string, isNamed: boolean): readonly string[] {
  if (isNamed) return [`let pen[${all}] = sum[i](${pick(random, ["g_W", "g_h"])}[t, i] ** 2);`];
  return [
    `let slope[${all}, i in 0..3] = @loss[t] / @W[t, i];`,
    `let pen[${all}] = sum[i](slope[t, i] ** 2);`,
  ];
}

function curve(random: Random, of: string): string {
  return pick(random, [
    `sin(${of})`,
    `tanh(${of})`,
    `(${of}) ** 2`,
    `exp(0.3 * (${of}))`,
    `(${of})`,
  ]);
}

function number(random: Random): string {
  return (integer(random, 2, 30) / 10).toFixed(1);
}

// Random programs of comprehensions, running reductions, scatters and lookups, with a loss and
// requests for its derivatives. Each is made from one number.
//
// Bounds and guards depend on the position: generators run as far as other generators say,
// reductions inside a list end where an accepted position says, running reductions go upward and
// downward, and guards select one position of a coordinate.

import { chance, integer, pick, randomOf, type Random } from "./random.ts";

export function listProgram(seed: number): string {
  const random = randomOf(seed);
  const lines = [
    "let p = [0.4, -0.7, 0.9];",
    "let q = 0.6;",
    `let at = [${Array.from({ length: 4 }, () => integer(random, -1, 3)).join(", ")}];`,
  ];
  const losses = Array.from({ length: integer(random, 1, 2) }, (_, n) =>
    pick(random, [list, list, list, running, scatter, lookup])(random, lines, `${n}`),
  );
  lines.push(
    `let loss = ${losses.join(" + ")};`,
    "let by_p = @loss / @p;",
    "let by_q = @loss / @q;",
  );
  if (chance(random, 0.25))
    lines.push("let bend = sum[i](by_p[i] ** 2) + by_q ** 2;", "let second = @bend / @p;");
  return lines.join("\n");
}

function number(random: Random): string {
  return (0.2 + 0.7 * random()).toFixed(3);
}

/** A smooth expression of a position. */
function smooth(random: Random, position: string): string {
  const own = `p[(${position}) % 3]`;
  return pick(random, [
    own,
    `${own} * q`,
    `sin(${own} + q)`,
    `(${own} + ${number(random)}) ** 2`,
    "q",
  ]);
}

const reductions = ["sum", "sum", "mean", "max", "logsumexp"];

/** A reduction over `0..` a bound of at least 1. */
function reduced(random: Random, bound: string, around: string): string {
  const op = pick(random, reductions);
  const from = op === "sum" ? pick(random, ["0", "0", "1"]) : "0";
  const guard =
    op === "sum" && chance(random, 0.4)
      ? ` where ${pick(random, [`k != ${around}`, `k == at[${around} % 4]`, `p[k % 3] > 0.1`])}`
      : "";
  return (
    `${op}[k in ${from}..${bound}](${smooth(random, `k + ${around}`)} * ` +
    `${number(random)}${guard})`
  );
}

/** A comprehension with up to three generators, and filters and bindings between them. */
function list(random: Random, lines: string[], n: string): string {
  const names = ["i", "j", "m"].slice(0, integer(random, 1, 3));
  const items: string[] = [];
  for (const [k, name] of names.entries()) {
    const before = names[k - 1];
    const end = before && chance(random, 0.3) ? `${before} + 1` : `${integer(random, 1, 4)}`;
    items.push(`${name} in 0..${end}`);
    if (chance(random, 0.35)) items.push(filter(random, name, before));
  }
  const last = names.at(-1)!;
  if (chance(random, 0.3)) items.push(`x in p`, ...(chance(random, 0.5) ? ["x > 0.0"] : []));
  const walks = items.includes("x in p");
  if (chance(random, 0.3)) items.push(`v = ${smooth(random, last)}`);
  const named = items.some((item) => item.startsWith("v ="));
  if (chance(random, 0.4)) items.push(filter(random, last, names.at(-2)));
  const position = pick(random, names);
  const factors = [
    chance(random, 0.7) ? reduced(random, `${position} + 1`, last) : smooth(random, position),
    ...(walks ? ["x"] : []),
    ...(named ? ["v"] : []),
  ];
  lines.push(`let l${n} = [${factors.join(" * ")} | ${items.join(", ")}];`);
  if (!chance(random, 0.4)) return pick(random, [`sum[a](l${n}[a])`, `sum[a](sin(l${n}[a]) * q)`]);
  lines.push(
    `let c${n}[a in 0..len(l${n})] = ${pick(random, ["sum", "prod"])}[b in ` +
      `${pick(random, ["0..a + 1", "0..a", `a..len(l${n})`])}](l${n}[b]);`,
  );
  return `sum[a](c${n}[a] ** 2)`;
}

function filter(random: Random, name: string, other: string | undefined): string {
  const choices = [
    `p[${name} % 3] > 0.1`,
    `${name} != 1`,
    `q * p[${name} % 3] < 0.5`,
    `at[${name} % 4] >= 0`,
  ];
  return pick(
    random,
    other ? [...choices, `${name} != ${other}`, `(${name} + ${other}) % 2 == 0`] : choices,
  );
}

/** A reduction with an end that depends on the cell, and an expression that runs over it. */
function running(random: Random, lines: string[], n: string): string {
  const size = integer(random, 2, 6);
  const range = pick(random, ["0..a + 1", "0..a + 1", `a..${size}`, `0..${size} - a`, "0..a"]);
  const guard = chance(random, 0.3)
    ? ` where ${pick(random, ["b != 1", "p[b % 3] > 0.1", "b % 2 == 0"])}`
    : "";
  const op =
    guard || range === "0..a"
      ? pick(random, ["sum", "prod"])
      : pick(random, [...reductions, "prod"]);
  lines.push(`let r${n}[a in 0..${size}] = ${op}[b in ${range}](${smooth(random, "b")}${guard});`);
  if (chance(random, 0.4))
    lines.push(`let u${n}[a in 0..${size}] = sum[b in 0..a + 1](r${n}[b] * q);`);
  return lines.at(-1)!.startsWith("let u") ? `sum[a](u${n}[a] ** 2)` : `sum[a](r${n}[a] ** 2)`;
}

/** A scatter. */
function scatter(random: Random, lines: string[], n: string): string {
  const guard = chance(random, 0.4) ? `${pick(random, ["i > 0", "p[i % 3] > 0.1"])}, ` : "";
  const op = pick(random, ["sum", "sum", "prod"]);
  lines.push(
    `let s${n}[c in 0..3] = ${op}[i in 0..4](${smooth(random, "i")} where ${guard}at[i] == c);`,
  );
  return `sum[c](s${n}[c] ** 2 * (c + 1) as f32)`;
}

/** A sum of which data selects one term. */
function lookup(random: Random, lines: string[], n: string): string {
  const guard = pick(random, ["", "i > 0, ", "c > 0, ", "p[c % 3] > 0.1, "]);
  const second = chance(random, 0.4);
  const value = second ? `${smooth(random, "c")} * ${smooth(random, "d")}` : smooth(random, "c");
  const also = second ? pick(random, [", at[c] == d", ", d == i", ", d <= c", ""]) : "";
  lines.push(
    `let w${n}[i in 0..4] = sum[c in 0..4${second ? ", d in 0..3" : ""}](${value} where ` +
      `${guard}at[i] == c${also});`,
  );
  return `sum[i](w${n}[i] * (w${n}[i] + q))`;
}

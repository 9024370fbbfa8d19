// Prints the optimised definitions as lines that read like Einlang: boxes with their cases,
// scatters, scans and products. A region of `h` that is a scan prints as
// `let h[t in 1..9] = …; // goes on upward along t`.

import { namesAt } from "../print/print.ts";
import { nameAll } from "../print/names.ts";
import { scalarText, termText, type Names } from "../print/scalar.ts";
import type { Definition, Local, Program, Scalar } from "../ir/program.ts";
import type { Schedule } from "../analyse/schedule.ts";
import type { Contraction } from "./reductions/contraction.ts";
import {
  cellsAt,
  type Case,
  type Reduced,
  type Reduction,
  type Region,
  type Side,
  type Sized,
} from "./regions/regions.ts";
import { ruleNames, rules, type Listener, type RuleName, type Says } from "./rules.ts";
import type { Scatter } from "./reductions/scatter.ts";
import { isVariable } from "./same.ts";
import { reductionText, textOfScalar } from "./text.ts";

/** One change that a rule made to a definition. */
interface Rewrite {
  readonly rule: RuleName;
  readonly definition: string;
  readonly says: string;
}

/**
 * A listener that keeps what it is told and gives it as text: the whole program, or the changes of
 * one rule.
 */
export interface Heard extends Listener {
  text(pass: string): string;
}

/** The passes of `--dump` that need a run, because sizes must be known. */
export const optimiserPasses: readonly string[] = ["optimise", ...ruleNames];

export function newHeard(program: Program, schedules: readonly Schedule[]): Heard {
  const naming = nameAll(
    schedules.map((schedule) => schedule.definitions),
    program,
  );
  const names = namesAt(naming);
  const rewrites = new Map<string, Rewrite>();
  const definitions = new Map<Definition, readonly string[]>();
  const linesOf = (rule: RuleName): readonly string[] =>
    [...rewrites.values()]
      .filter((each) => each.rule === rule)
      .map(({ definition, says }) => `${definition}: ${says}`);
  return {
    rewrote(rule, definition, says: Says) {
      const rewrite: Rewrite = {
        rule,
        definition: names.definition(definition),
        says: says(names),
      };
      if (rewrite.says === "") return;
      rewrites.set(`${rewrite.rule} ${rewrite.definition} ${rewrite.says}`, rewrite);
    },
    became(sized) {
      definitions.delete(sized.definition);
      definitions.set(sized.definition, sizedLines(names, sized));
    },
    text(pass) {
      if (pass !== "optimise") return linesOf(pass as RuleName).join("\n");
      const applied = ruleNames.filter((rule) => linesOf(rule).length > 0);
      const said = applied.flatMap((rule) => [
        `// ${rule}: ${rules[rule]}`,
        ...linesOf(rule).map((line) => `//   ${line}`),
      ]);
      return [...[...definitions.values()].flat(), ...said].join("\n");
    },
  };
}

// ── definitions ─────────────────────────────────────────────────────────────────────────────────

function sizedLines(names: Names, sized: Sized): readonly string[] {
  const { blocks, contractions, regions, shares } = sized;
  const name = names.definition(sized.definition);
  return [
    ...(blocks ? sizedLines(names, blocks.parts) : []),
    ...(contractions?.all ?? []).flatMap((each) => contractionLines(names, each)),
    ...regions.flatMap((region) => regionLines(names, name, region)),
    ...(shares ? [`// ${names.definition(shares.definition)} is computed along with ${name}`] : []),
  ];
}

function regionLines(names: Names, name: string, region: Region): readonly string[] {
  const { sides, cases, scatters = [], scan } = region;
  const going = scan
    ? `  // goes on ${scan.down ? "downward" : "upward"} along ${sides[scan.axis]!.variable.name}`
    : "";
  const running = new Map((scan?.runs ?? []).map(({ name: local, body }) => [local, body]));
  return [
    ...scatters.map((scatter) => scatterText(names, scatter)),
    ...(cases.length > 0
      ? [`let ${name}${slotsText(names, region)} = ${casesText(names, cases, running)};${going}`]
      : []),
  ];
}

function slotsText(names: Names, region: Region): string {
  const slots = cellsAt(region).map((cell, axis) => {
    const { variable, from, to } = region.sides[axis]!;
    const { term } = cell as Extract<Scalar, { kind: "integer" }>;
    const range = `${variable.name} in ${from}..${to}`;
    return isVariable(term, variable) ? range : `${termText(names, term).text} for ${range}`;
  });
  return slots.length === 0 ? "" : `[${slots.join(", ")}]`;
}

/** The value of the first case whose guards hold. */
function casesText(
  names: Names,
  cases: readonly Case[],
  running: ReadonlyMap<Local, Reduction>,
): string {
  const [first, ...rest] = cases;
  const value = caseText(names, first!, running);
  if (rest.length === 0) return value;
  const guards = first!.guards.map((guard) => textOfScalar(names, guard)).join(" && ");
  return `if ${guards} { ${value} } else { ${casesText(names, rest, running)} }`;
}

function caseText(
  names: Names,
  { reductions, value }: Case,
  running: ReadonlyMap<Local, Reduction>,
): string {
  return scalarText(withReductions(names, reductions, running), value, "alone").text;
}

/** Names that print a reduction in full where its name is read. */
function withReductions(
  names: Names,
  reductions: readonly Reduced[],
  running: ReadonlyMap<Local, Reduction>,
): Names {
  const bodies = new Map([
    ...running,
    ...reductions.map(({ name, body }) => [name, body] as const),
  ]);
  const inside: Names = {
    ...names,
    local: (local) => {
      const body = bodies.get(local);
      return body && reductionText(inside, body);
    },
  };
  return inside;
}

function scatterText(names: Names, { totals, body, ties, sides }: Scatter): string {
  const slots = sides.map(({ variable, from, to }, axis) => {
    const tie = ties.find((each) => each.axis === axis);
    if (!tie) return `${variable.name} in ${from}..${to}`;
    return tie.only
      ? textOfScalar(names, tie.only)
      : `${textOfScalar(names, tie.from)}..${textOfScalar(names, tie.to)}`;
  });
  return (
    `${names.definition(totals.definition)}[${slots.join(", ")}] <- ` +
    `${reductionText(names, body)};`
  );
}

function contractionLines(names: Names, contraction: Contraction): readonly string[] {
  const { target, indices, sides, rows, columns, batch, depth, left, right } = contraction;
  const operandLines = [left, right].flatMap((operand) =>
    operand.made ? sizedLines(names, operand.made) : [],
  );
  const roles = Object.entries({ batch, rows, columns, depth }).flatMap(([role, loops]) =>
    loops.length > 0 ? [`${role} ${loops.map(({ variable }) => variable.name).join(" ")}`] : [],
  );
  const cells = (indices as readonly Extract<Scalar, { kind: "integer" }>[]).map(
    ({ term }) => term,
  );
  const slots = slotsText(names, { sides: sidesOf(indices, sides), cells, cases: [] });
  const summed = depth
    .map(({ variable, from, to }) => `${variable.name} in ${from}..${to}`)
    .join(", ");
  const product = `${textOfScalar(names, left.read)} * ${textOfScalar(names, right.read)}`;
  return [
    ...operandLines,
    `let ${names.definition(target)}${slots} = sum[${summed}](${product});  // ${roles.join(", ")}`,
  ];
}

/**
 * For each axis of a target, the side that moves along it; a single position for an axis without a
 * side.
 */
function sidesOf(indices: readonly Scalar[], sides: readonly Side[]): readonly Side[] {
  return indices.map(
    (_, axis) => sides[axis] ?? { variable: { id: 0, name: "at" }, from: 0, to: 1 },
  );
}

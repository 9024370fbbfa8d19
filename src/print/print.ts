// The indexed IR as Einlang source that compiles again; this folder writes source and changes no
// program.
//
// Inputs come first, then the definitions, one a line, each after the definitions that it reads.

import { constantText } from "./constant.ts";
import { clauseNames, clauseText } from "./clause.ts";
import type { DataWords } from "./data.ts";
import { cellsText, functionLines } from "./functions.ts";
import { actionText, partsText } from "./host.ts";
import { functionsIn, inReadingOrder, nameAll, type Naming } from "./names.ts";
import { scalarText, termText, type Names } from "./scalar.ts";
import { rootsOf } from "../ir/roots.ts";
import { constantOf, equal, ofVariable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { partsOf } from "../ir/parts.ts";
import type { Clause, Definition, Local, Program, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { reachable, type Schedule } from "../analyse/schedule.ts";
import type { Scalar as Value } from "../scalar/types.ts";

/** How much of large things is shown. */
interface PrintLimits {
  /** A literal with more cells is replaced by an input of its shape, with a comment. */
  readonly literalCells: number;
}

/** For a reader: no page of numbers. */
const forReading: PrintLimits = { literalCells: 64 };

/** For compiling again as it stands. */
export const complete: PrintLimits = { literalCells: Infinity };

export function printProgram(
  program: Program,
  schedules?: readonly Schedule[],
  limits: PrintLimits = forReading,
): string {
  const groups = schedules
    ? schedules.map((schedule) => schedule.definitions)
    : inReadingOrder(reachable(rootsOf(program)));
  const known = new Set(groups.flat());
  const all = [
    ...program.inputs.filter((input) => !known.has(input)).map((input) => [input]),
    ...groups,
  ];
  const naming = nameAll(all, program);
  const early = program.inputs.filter(needsOnlyInputs);
  const rest = all.filter(([first]) => !early.includes(first!));
  const lines = [
    ...functionLines(naming, [...naming.functions.keys()]),
    ...[...early.map((input) => [input]), ...rest].flatMap((group) =>
      groupLines(naming, group, limits),
    ),
  ];
  for (const action of program.actions)
    lines.push(actionText((definition) => naming.definitions.get(definition)!, action));
  // A name of an input or a dimension can be given to an output only at the end, when no line below
  // means the old one.
  for (const [name, { definition }] of program.outputs) {
    const printed = naming.definitions.get(definition)!;
    if (name !== "_" && name !== printed) lines.push(`let ${name} = ${printed};`);
  }
  for (const [name, { parts }] of program.texts) {
    const text = partsText((definition) => naming.definitions.get(definition)!, parts);
    lines.push(name === "_" ? `${text};` : `let ${name} = ${text};`);
  }
  const last = program.outputs.get("_");
  if (last) lines.push(`${naming.definitions.get(last.definition)!};`);
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * Names that exist beside the lines: names at the top of the text, which functions must avoid, and
 * names that modules bring, which nothing else may have.
 */
interface NamesThere {
  readonly top: ReadonlySet<string>;
  readonly brought: readonly string[];
}

/**
 * Lines for some definitions of a program, each after those that it reads, and for the functions
 * that they call. All other definitions are taken to exist under their names.
 */
export function printDefinitions(
  program: Program,
  inputs: readonly Definition[],
  definitions: readonly Definition[],
  { top, brought }: NamesThere,
  wordsFor?: (taken: ReadonlySet<string>) => DataWords,
): { readonly lines: readonly string[]; readonly names: ReadonlyMap<Definition, string> } {
  const wanted = new Set(definitions);
  // If some members of a recurrence exist already, the other members need not be a recurrence.
  const groups = inReadingOrder(reachable([...inputs, ...definitions])).flatMap((group) => [
    ...group.filter((definition) => !wanted.has(definition)).map((definition) => [definition]),
    ...inReadingOrder(group.filter((definition) => wanted.has(definition))),
  ]);
  const named = nameAll(
    [...inputs.map((input) => [input]), ...groups],
    program,
    top,
    wanted,
    brought,
  );
  const data = wordsFor?.(
    new Set([...top, ...named.words, ...named.definitions.values(), ...named.functions.values()]),
  );
  const naming: Naming = data ? { ...named, data } : named;
  const called = functionsIn(definitions);
  const at = (group: readonly Definition[]): number =>
    Math.min(...group.map((definition) => definitions.indexOf(definition)));
  const lines = groups
    .filter(([first]) => wanted.has(first!))
    .sort((a, b) => at(a) - at(b))
    .flatMap((group) => groupLines(naming, group, complete));
  const functions = functionLines(naming, called);
  return { lines: [...(data?.lines() ?? []), ...functions, ...lines], names: named.definitions };
}

/**
 * How some definitions of a program are written, for further texts about them in the same words.
 */
export interface Wording {
  /** The lines of one definition. */
  readonly lines: (definition: Definition) => readonly string[];
  readonly name: (definition: Definition) => string;
  /**
   * The text of scalars inside a clause of a definition. A local that is too long to write out is
   * written by its name.
   */
  readonly within: (definition: Definition, clause: Clause) => (scalar: Scalar) => string;
}

/**
 * The locals of a scalar that a wording writes by their names. Each comes after those that it uses.
 */
export function namedLocals(scalar: Scalar): readonly Local[] {
  const found = new Set<Local>();
  const visit = (part: Scalar): void => {
    if (part.kind === "local") {
      if (found.has(part.local) || nodesOf(part.local.value) <= longestLocal) return;
      visit(part.local.value);
      found.add(part.local);
      return;
    }
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(scalar);
  return [...found];
}

/** A local with more nodes than this is written by its name. */
const longestLocal = 60;

const lengths = new WeakMap<Local, number>();

/** How many nodes a scalar has if its locals are written out at every use. */
function nodesOf(scalar: Scalar): number {
  if (scalar.kind === "local") {
    let known = lengths.get(scalar.local);
    if (known === undefined) lengths.set(scalar.local, (known = nodesOf(scalar.local.value)));
    return known;
  }
  return partsOf(scalar).reduce((total, part) => total + nodesOf(part), 1);
}

/** The wording with which `printDefinitions` prints the same definitions. */
export function wordingOf(
  program: Program,
  inputs: readonly Definition[],
  definitions: readonly Definition[],
): Wording {
  const groups = inReadingOrder(reachable([...inputs, ...definitions]));
  const naming = nameAll([...inputs.map((input) => [input]), ...groups], program);
  return {
    lines: (definition) => linesOf(naming, definition, complete),
    name: (definition) => naming.definitions.get(definition) ?? definition.name,
    within: (definition, clause) => {
      const local = (each: Local): string | undefined =>
        nodesOf(each.value) > longestLocal ? each.name : undefined;
      const names = { ...clauseNames(naming, definition, clause), local };
      return (scalar) => scalarText(names, scalar, "known").text;
    },
  };
}

/** A scalar beside others that tell its type: its literals need no suffix. */
export function printOperand(scalar: Scalar): string {
  return scalarText(ownNames, scalar, "known").text;
}

/** A scalar under the own names of its coordinates and definitions. */
export function printScalar(scalar: Scalar): string {
  return scalarText(ownNames, scalar, "alone").text;
}

const ownNames: Names = {
  definition: (other) => other.name,
  variable: (v) => v.name,
  local: (local) => local.name,
  function: (other) => other.name,
  facts: [],
};

function needsOnlyInputs(input: Definition): boolean {
  return [...readsOf(input)].every((read) => read.origin === "input" && needsOnlyInputs(read));
}

/**
 * The lines of a recurrence, base cases first: as far as possible, a clause comes after the first
 * clause of each other definition that it reads.
 */
function groupLines(
  naming: Naming,
  group: readonly Definition[],
  limits: PrintLimits,
): readonly string[] {
  const lines: string[] = [];
  const waiting = group.map((definition) => {
    const reads = definition.clauses.map((clause) =>
      [...readsOf({ ...definition, clauses: [clause] })].filter(
        (read) => read !== definition && group.includes(read),
      ),
    );
    return { definition, lines: linesOf(naming, definition, limits), reads, next: 0 };
  });
  const begun = (definition: Definition): boolean =>
    waiting.some((other) => other.definition === definition && other.next > 0);
  for (;;) {
    const open = waiting.filter((member) => member.next < member.lines.length);
    const member = open.find(({ reads, next }) => (reads[next] ?? []).every(begun)) ?? open[0];
    if (!member) return lines;
    lines.push(member.lines[member.next++]!);
  }
}

function linesOf(naming: Naming, definition: Definition, limits: PrintLimits): readonly string[] {
  switch (definition.origin) {
    case "input":
      return inputLines(naming, definition);
    case "literal":
      return [literalLine(naming, definition, limits)];
    case "declared":
    case "helper":
      if (naming.data && definition.element === "data" && definition.axes.length > 0)
        return [cellsText(naming, definition)];
      return definition.clauses.map((clause) => clauseText(naming, definition, clause));
    default:
      return definition.origin satisfies never;
  }
}

/** The names outside of every clause, where nothing is bound. */
export function namesAt({ definitions, outside, functions, data }: Naming): Names {
  return {
    data,
    definition: (other) => definitions.get(other) ?? other.name,
    variable: (v) => outside.get(v)?.text ?? v.name,
    local: () => undefined,
    function: (other) => functions.get(other) ?? other.name,
    facts: [],
  };
}

function inputLines(naming: Naming, definition: Definition): readonly string[] {
  const name = naming.definitions.get(definition)!;
  const before: string[] = [];
  const names = namesAt(naming);
  const extents = definition.axes.map(({ extent }, axis) => {
    const fixed = constantOf(extent);
    if (fixed !== undefined) return String(fixed);
    const [v] = variablesOf(extent);
    if (v && equal(extent, ofVariable(v))) {
      const outside = naming.outside.get(v);
      if (!outside) return "?";
      const text = outside.text;
      return text === outside.name || text === `extent(${outside.name})` ? outside.name : "?";
    }
    // A type can only name extents, so a computed extent gets a name first.
    before.push(`let ${name}_extent_${axis} = ${termText(names, extent).text};`);
    return `${name}_extent_${axis}`;
  });
  const type =
    extents.length === 0 ? definition.element : `[${definition.element}; ${extents.join(", ")}]`;
  return [...before, `input ${name}: ${type};`];
}

function literalLine(naming: Naming, definition: Definition, limits: PrintLimits): string {
  const name = naming.definitions.get(definition)!;
  const shape = definition.axes.map((axis) => constantOf(axis.extent)!);
  const cells = definition.cells!;
  if (cells.length > limits.literalCells) {
    return (
      `input ${name}: [${definition.element}; ${shape.join(", ")}]; ` +
      `// a literal of ${cells.length} cells`
    );
  }
  const cell = (value: Value, at: number): string => {
    const { text } = constantText(definition.element, value, "alone");
    // One suffix is enough: the elements of an array have one type.
    return at === 0 ? text : text.replace(new RegExp(`${definition.element}(?= /|$)`), "");
  };
  if (cells.length === 0) {
    // Empty brackets alone would tell neither the type nor the inner extents.
    const slots = shape.map((extent, axis) => `${"ijklmnpq"[axis] ?? `i${axis}`} in 0..${extent}`);
    return `let ${name}[${slots.join(", ")}] = ${zeroText(definition)};`;
  }
  let next = 0;
  const nested = (axis: number): string => {
    if (axis === shape.length) return cell(cells[next]!, next++);
    return `[${Array.from({ length: shape[axis]! }, () => nested(axis + 1)).join(", ")}]`;
  };
  return `let ${name} = ${nested(0)};`;
}

function zeroText(definition: Definition): string {
  const zero =
    definition.element === "bool"
      ? false
      : definition.element === "str"
        ? ""
        : definition.element === "i64"
          ? 0n
          : 0;
  return constantText(definition.element, zero, "alone").text;
}

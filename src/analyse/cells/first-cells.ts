// The message for a recurrence that reads before its first cell. Of several reads of one clause,
// the one that reaches furthest back has the message: its repair is right for all of them.
//
//   let f[i in 0..8] = f[i - 1] + f[i - 2];     needs f[0] and f[1], and starts at 2

import { error, type Diagnostic, type DiagnosticParts } from "../../diagnostics/diagnostic.ts";
import { fixed, replace } from "../../diagnostics/fixes.ts";
import { span, textOf } from "../../base/source.ts";
import { constantOf, type Term, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Clause, Definition, Loop } from "../../ir/program.ts";
import type { Access } from "../facts.ts";
import { nameInSource } from "../name-in-source.ts";

/** A read of a tensor in its own clause, at a position below 0. */
export interface ReadBehind {
  readonly access: Access;
  readonly axis: number;
  /** The coordinates at which it reads there. */
  readonly at: ReadonlyMap<Variable, Term>;
  readonly position: number;
  /** The same coordinates for the message. */
  readonly where: string;
}

/** The longest statement that a help repeats. */
const longest = 100;

/** One message for each axis along which a clause reads before the first cell. */
export function withoutFirstCells(
  definition: Definition,
  clause: Clause,
  reads: readonly ReadBehind[],
): readonly Diagnostic[] {
  const axes = new Set(reads.map(({ axis }) => axis));
  return [...axes].map((axis) => {
    const own = reads.filter((read) => read.axis === axis);
    const back = Math.max(...own.map(stepsBack));
    return firstCellsMessage(
      definition,
      clause,
      own.find((read) => stepsBack(read) === back)!,
    );
  });
}

/** How many cells have to be there before the step that reads. */
function stepsBack({ access, axis, at, position }: ReadBehind): number {
  const { variable: v } = access.loops[axis]!;
  const start = at.get(v);
  // The first position of the step that reads too far back. A later start reads later.
  return (start && mentionsLoop(access, axis, v) ? (constantOf(start) ?? 0) : 0) - position;
}

function firstCellsMessage(definition: Definition, clause: Clause, read: ReadBehind): Diagnostic {
  const { access, axis, position, where } = read;
  const name = nameInSource(definition);
  const shown = textOf(access.read.span);
  return error(
    "E0602",
    `the recurrence \`${name}\` has no base case for \`${shown}\``,
    access.read.span,
    {
      text: `${where ? `${where}, ` : ""}it reads position ${position}`,
      labels: [{ span: definition.span, text: `\`${name}\` is declared here` }],
      ...repairOf(definition, clause, access, axis, stepsBack(read)),
    },
  );
}

/** The clauses of the first cells that are not there, and the range that starts behind them. */
function repairOf(
  definition: Definition,
  clause: Clause,
  access: Access,
  axis: number,
  back: number,
): Pick<DiagnosticParts, "help" | "fixes"> {
  const name = nameInSource(definition);
  const loop = access.loops[axis]!;
  const { name: coordinate } = loop.variable;
  const isThere = (at: number): boolean =>
    definition.clauses.some((other) => other !== clause && reaches(other.loops[axis]!, at));
  const missing = [...Array(back).keys()].filter((at) => !isThere(at));
  const isLong = missing.length > 2 && missing.length === back;
  const positions = isLong ? [`${coordinate} in 0..${back}`] : missing;
  const bases = positions.map((at) => `let ${name}[${slotsWith(access, axis, at)}] = …;`);
  const written = writtenRange(clause, coordinate);
  const end = loop.to.kind === "integer" ? constantOf(loop.to.term) : undefined;
  const last = end === undefined ? (written?.end ?? "…") : end > back ? String(end) : "…";
  const slots = slotsWith(access, axis, `${coordinate} in ${back}..${last}`);
  const step = `let ${name}[${slots}] = ${rightSide(clause)};`;
  const note = last === "…" ? ", with the number of cells for the `…` behind `..`" : "";
  if (missing.length > 0) {
    const which = missing.length < back ? "the other first cells" : "the first cells";
    const lead = `give ${which} a clause of their own, and start the range behind them`;
    return { help: `${lead}: \`${[...bases, step].join(" ")}\`${note}` };
  }
  return {
    help:
      "the first cells have clauses of their own, so start the range behind them: " +
      `\`${step}\`${note}`,
    ...(written && !loop.reversed
      ? fixed(`start at ${back}`, replace(written.start, String(back)))
      : {}),
  };
}

/** Whether a clause defines a position, as far as numbers say. */
function reaches({ from, to }: Loop, at: number): boolean {
  const [first, end] = [from, to].map((bound) =>
    bound.kind === "integer" ? constantOf(bound.term) : undefined,
  );
  return first !== undefined && end !== undefined && first <= at && at < end;
}

/** The right side of a clause if it is short, and otherwise `…`. */
function rightSide({ span: whole }: Clause): string {
  const [, value] = /^let\s+\w+\[[^[\]]*\]\s*=(?!=)\s*([^;]*);?$/.exec(textOf(whole)) ?? [];
  const isShort = value !== undefined && value.length <= longest && !/\n|\/\//.test(value);
  return isShort ? value.trim() : "…";
}

/** The range that a clause writes for a coordinate: where it starts, and the text of its end. */
function writtenRange({ span: whole }: Clause, name: string) {
  const text = textOf(whole);
  const found = new RegExp(`^let\\s+\\w+\\[[^=]*?\\b${name}\\s+in\\s+(\\w+)\\.\\.([^=,\\]]+)`).exec(
    text,
  );
  if (!found) return undefined;
  const [head, start = "", end = ""] = found;
  const at = whole.start + head.length - end.length - "..".length - start.length;
  const isBalanced = end.split("(").length === end.split(")").length;
  return {
    start: span(whole.source, at, at + start.length),
    end: isBalanced && !end.includes("[") ? end.trim() : "…",
  };
}

/**
 * The left side of a clause for one position of an axis. Ranges are written if they are numbers.
 */
export function slotsWith(
  { read, loops }: Access,
  axis: number,
  position: number | string,
): string {
  const slots = read.indices.map((_, k) => {
    if (k === axis) return String(position);
    const { variable, from, to } = loops[k]!;
    const bounds = [from, to].map((bound) =>
      bound.kind === "integer" ? constantOf(bound.term) : undefined,
    );
    return bounds.includes(undefined) ? variable.name : `${variable.name} in ${bounds.join("..")}`;
  });
  return slots.join(", ");
}

/** Whether the index of a read along an axis mentions a coordinate. */
export function mentionsLoop(access: Access, axis: number, v: Variable): boolean {
  let found = false;
  eachScalar(access.read.indices[axis]!, (part) => {
    if (part.kind === "integer" && variablesOf(part.term).has(v)) found = true;
  });
  return found;
}

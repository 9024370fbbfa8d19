// The message for cells that no clause defines. It names all of them, and the shortest clause that
// defines them.
//
//   u[t in 1..3, 0] and u[t in 1..3, 3]     one clause above the others:
//                                           let u[t in 0..3, i in 0..4] = 0.0;
//   mp[0, i], which no tensor reads         any number: let mp[0, i in 0..2] = 0.0;

import { error, type Diagnostic, type DiagnosticParts } from "../../diagnostics/diagnostic.ts";
import { fix, fixed, replace, statementBefore, type Repair } from "../../diagnostics/fixes.ts";
import { constantOf, plus, subtract, zero, type Variable } from "../../affine/term.ts";
import { atMost, holds, type Fact } from "../../affine/prove.ts";
import { coverage, showBox, slotsText, type Box } from "./coverage.ts";
import { textOf } from "../../base/source.ts";
import { accessesOf, boundsOf, termOf, type Opaque } from "../facts.ts";
import { nameInSource } from "../name-in-source.ts";
import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { isRecurrent } from "../schedule.ts";
import { isFloat } from "../../scalar/types.ts";
import { shiftedClause, type Shift } from "../../ir/shifted-clause.ts";
import { stencilsOf } from "./stencils.ts";
import { writtenSize } from "../../check/types/written-size.ts";

/** Further gaps are counted and not listed. */
const mostShown = 4;

interface Setting {
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly sizes: ReadonlySet<Variable>;
  /** All definitions, if they are known. */
  readonly readers: readonly Definition[] | undefined;
}

/** The message for a definition with missing cells. */
export function gapMessage(
  setting: Setting,
  definition: Definition,
  missing: readonly Box[],
): Diagnostic {
  const { opaque, known } = setting;
  const stencils = stencilsOf(opaque, definition, known);
  // The tensor was meant to be as long as the tensor that its stencil reads.
  const extents = definition.axes.map(
    (axis, k) => stencils.find((stencil) => stencil.axis === k)?.extent ?? axis.extent,
  );
  const whole = {
    ...definition,
    axes: definition.axes.map((axis, k) => ({ ...axis, extent: extents[k]! })),
  };
  const facts = [...known, ...stencils.map(({ running }) => running)];
  const found = stencils.length > 0 ? coverage(opaque, whole, facts).missing : missing;
  const boxes = found.filter(
    (box, k) => !found.some((other, j) => j !== k && isPart(box, other, facts)),
  );
  const shown = [...new Set(boxes.map((box) => `\`${showBox(whole, box)}\``))];
  const name = nameInSource(definition);
  const readsItself = readsOf(definition).has(definition);
  const title = `${listedBoxes(shown)} ${shown.length > 1 ? "are" : "is"} never defined`;
  const parts: DiagnosticParts = {
    ...(readsItself ? {} : { text: "no clause reaches these cells" }),
    labels: stencils.map(({ read, loop }) => ({
      span: read.span,
      text: `\`${loop.variable.name}\` ends where this read does`,
    })),
    ...withInnerFirst(
      // A shift of a recurrence would change all definitions in it.
      isRecurrent(definition) || boxes.every((box) => isUnread(setting, definition, box))
        ? undefined
        : innerCells(setting, definition),
      shown.length > 1 ? wholeClause(setting, whole) : oneClause(setting, definition, boxes[0]!),
      definition,
    ),
  };
  if (!readsItself) return error("E0601", title, definition.span, parts);
  // If a clause starts the recurrence, several gaps are forgotten borders.
  const isStarted = definition.clauses.some(
    (clause) => !readsOf({ ...definition, clauses: [clause] }).has(definition),
  );
  const lacks = isStarted && shown.length > 1 ? "lacks cells" : "has no base case";
  return error("E0602", `the recurrence \`${name}\` ${lacks}: ${title}`, definition.span, parts);
}

/** Whether a box lies in another one that has more cells. */
function isPart(box: Box, other: Box, facts: readonly Fact[]): boolean {
  const isInside = (a: Box, b: Box): boolean =>
    a.every(
      ({ from, to }, k) =>
        holds(atMost(b[k]!.from, from), facts) && holds(atMost(to, b[k]!.to), facts),
    );
  return isInside(box, other) && !isInside(other, box);
}

function listedBoxes(texts: readonly string[]): string {
  const more = texts.length - mostShown;
  if (more > 0) return `${texts.slice(0, mostShown).join(", ")} and ${more} more`;
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)!}`;
}

/** The defined cells as a tensor that counts from 0: for a tensor that should not be padded. */
function innerCells(
  { opaque, known, sizes }: Setting,
  { clauses, outer }: Definition,
): string | undefined {
  const [clause, ...others] = clauses;
  if (!clause || others.length > 0 || clause.guards.length > 0 || clause.otherwise)
    return undefined;
  const shifts = clause.loops.slice(outer).flatMap((loop): readonly (Shift | undefined)[] => {
    const { from, to } = boundsOf(opaque, loop, known);
    const by = constantOf(from);
    if (by === 0) return [];
    const size = writtenSize(sizes, subtract(to, from));
    const isPlain = by !== undefined && by > 0 && !loop.fixed && !loop.reversed;
    return [isPlain && size !== undefined ? { name: loop.variable.name, by, size } : undefined];
  });
  const own = shifts.filter((shift) => shift !== undefined);
  if (own.length === 0 || own.length < shifts.length) return undefined;
  return shiftedClause(textOf(clause.span), own);
}

/**
 * Offers the shorter tensor first, like a slice in NumPy, then the clause that fills the border.
 */
function withInnerFirst(
  inner: string | undefined,
  { help, fixes = [] }: Repair,
  { clauses }: Definition,
): Repair {
  if (inner === undefined) return { help, fixes };
  return {
    help: `for the inner cells alone, shift the indices: \`${inner}\`; to fill the border, ${help}`,
    fixes: [fix("shift the indices", replace(clauses[0]!.span, inner)), ...fixes],
  };
}

/** One clause for many gaps. The clauses below it win in their own cells. */
function wholeClause(
  { sizes }: Setting,
  definition: Definition,
): Pick<DiagnosticParts, "help" | "fixes"> {
  const left = leftSide(sizes, definition, allCells(definition));
  const value = zeroText(definition);
  const help = "one clause above the others is enough, they override it in their cells";
  if (value === undefined) return { help: `${help}: \`${left} = …;\`` };
  const statement = `${left} = ${value};`;
  return { help: `${help}: \`${statement}\``, ...insertionOf(definition, statement) };
}

function oneClause(
  setting: Setting,
  definition: Definition,
  box: Box,
): Pick<DiagnosticParts, "help" | "fixes"> {
  const { sizes } = setting;
  const value = zeroText(definition);
  if (value === undefined || !isUnread(setting, definition, box))
    return {
      help: `add a clause for them: \`${leftSide(sizes, definition, box, { packed: true })} = …;\``,
    };
  const statement = `${leftSide(sizes, definition, box)} = ${value};`;
  return {
    help: `no tensor reads these cells, and any number will do: \`${statement}\``,
    ...insertionOf(definition, statement),
  };
}

function leftSide(
  sizes: ReadonlySet<Variable>,
  definition: Definition,
  box: Box,
  options: { readonly packed?: boolean } = {},
): string {
  return `let ${nameInSource(definition)}[${slotsText(sizes, definition, box, options)}]`;
}

/**
 * The edit that puts a clause above the others. If a clause has a guard there is no edit: the cells
 * where the guard fails would get their value from the new clause.
 */
function insertionOf({ clauses }: Definition, statement: string): Pick<DiagnosticParts, "fixes"> {
  if (clauses.some(({ guards }) => guards.length > 0)) return {};
  return fixed(`write \`${statement}\``, statementBefore(clauses[0]!.span, statement));
}

function allCells({ axes, outer }: Definition): Box {
  return axes.slice(outer).map(({ extent }) => ({ from: zero, to: extent }));
}

function zeroText({ element }: Definition): string | undefined {
  if (element === "bool") return "false";
  if (element === "str" || element === "data") return undefined;
  return isFloat(element) ? "0.0" : "0";
}

/** Whether every read of a tensor provably avoids the cells of a box. */
function isUnread({ opaque, known, readers }: Setting, definition: Definition, box: Box): boolean {
  // A tensor that no definition reads is there to be looked at.
  if (!readers?.some((reader) => reader !== definition && readsOf(reader).has(definition)))
    return false;
  return readers.every((reader) => {
    if (!readsOf(reader).has(definition)) return true;
    const reads = reader.clauses
      .flatMap((clause) => accessesOf(opaque, clause, known))
      .filter(({ read }) => read.definition === definition);
    // A read inside a function, or of a scalar's value in a term, is not among these reads.
    return (
      reads.length > 0 &&
      reads.every(({ read, facts }) =>
        box.some(({ from, to }, k) => {
          const index = termOf(opaque, read.indices[k + definition.outer]!, facts);
          return holds(atMost(to, index), facts) || holds(atMost(plus(index, 1), from), facts);
        }),
      )
    );
  });
}

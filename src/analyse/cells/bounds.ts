// Every read is proved to stay inside its tensor, is shown to leave it, or becomes a check for the
// run.
//
// For an index e of an axis with extent n, the prover is asked for 0 <= e < n under all facts that
// hold at the read. If the proof fails, the corners of the loops around the read are tried. If the
// read provably leaves at a corner whenever its loops run at all, the program is wrong for every
// extent, and the corner is the counterexample:
//
//   let y[i in 0..extent(n)] = x[i + 1];      leaves at i = n - 1

import { isWritten } from "../written-names.ts";
import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { textOf, type Span } from "../../base/source.ts";
import {
  constant,
  constantOf,
  equal,
  ofVariable,
  plus,
  unlessByZero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { show } from "../../affine/show.ts";
import { atMost, holds, lessThan, prove, type Fact } from "../../affine/prove.ts";
import { evaluate, someVariable, substitute, variablesOf } from "../../affine/visit.ts";
import { accessesOf, boundsOf, isOpaque, termOf, type Access, type Opaque } from "../facts.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import { mentionsLoop, slotsWith, withoutFirstCells, type ReadBehind } from "./first-cells.ts";
import { guardFor, type Leaving } from "./guard-help.ts";
import { nameInSource } from "../name-in-source.ts";
import { operationRow } from "../../scalar/operations.ts";

/** A condition that only a run can decide, or the compiler once extents are known. */
export interface RunCheck {
  readonly text: string;
  readonly span: Span;
}

interface Bounds {
  readonly diagnostics: readonly Diagnostic[];
  readonly checks: readonly RunCheck[];
}

/** `pinned` are the variables whose values are known. */
export function checkBounds(
  opaque: Opaque,
  definition: Definition,
  known: readonly Fact[],
  pinned: ReadonlyMap<Variable, number>,
): Bounds {
  const diagnostics: Diagnostic[] = [];
  const checks: RunCheck[] = [];
  for (const clause of definition.clauses) {
    const behind: ReadBehind[] = [];
    const found = { diagnostics, checks, behind };
    for (const access of accessesOf(opaque, clause, known)) {
      for (const axis of access.read.indices.keys())
        checkAxis({ opaque, pinned, reader: definition }, access, axis, found);
    }
    diagnostics.push(...withoutFirstCells(definition, clause, behind));
  }
  return { diagnostics, checks };
}

interface Found {
  readonly diagnostics: Diagnostic[];
  readonly checks: RunCheck[];
  /** The reads before the first cell of the tensor itself. */
  readonly behind: ReadBehind[];
}

interface Setting {
  readonly opaque: Opaque;
  readonly pinned: ReadonlyMap<Variable, number>;
  readonly reader: Definition;
}

function checkAxis(
  setting: Setting,
  access: Access,
  axis: number,
  { diagnostics, checks, behind }: Found,
): void {
  const { opaque } = setting;
  const { read, facts } = access;
  // The reads that the compiler makes of its own definitions are right by construction. A row that
  // does not exist is reported by the run.
  const { origin, outer, axes } = read.definition;
  if (origin === "helper" && (!read.written || axis < outer || !axes[axis] || axes[axis].rows))
    return;
  const index = termOf(opaque, read.indices[axis]!, facts);
  const extent = extentAt(opaque, access, axis);
  const name = textOf(read.span);
  if (!extent) {
    // An opaque variable has no name that a reader knows.
    const what = isOpaque(opaque, index) ? `the index of axis ${axis}` : `\`${show(index)}\``;
    return void checks.push({ text: `${name}: ${what} stays in its row`, span: read.span });
  }
  if (walksWholeAxis(access, index, extent)) return;
  const low = holds(atMost(zeroTerm, index), facts);
  const high = holds(lessThan(index, extent), facts);
  if (low && high) return;
  if (access.exact) {
    const scalar = read.indices[axis]!;
    const corner = isOpaque(opaque, index)
      ? leavingPosition(setting, access, scalar, extent)
      : leavingCorner(setting, access, scalar, index, extent, low, high);
    const values = new Map([...setting.pinned].map(([v, value]) => [v, constant(value)]));
    const position = corner && constantOf(substitute(corner.index, values));
    if (corner && position !== undefined && position < 0 && read.definition === setting.reader) {
      const where = whereOf(setting.reader, access, axis, corner, extent);
      behind.push({ access, axis, at: corner.at, position, where });
      return;
    }
    if (corner) {
      diagnostics.push(leavesMessage(setting, access, axis, corner, extent));
      return;
    }
  }
  const side = low ? "<" : high ? ">=" : "in";
  const shown = isOpaque(opaque, index) ? `the index of axis ${axis}` : `\`${show(index)}\``;
  checks.push({
    text:
      `${name}: ` +
      `${shown} ` +
      (side === "<" ? `< ${show(extent)}` : side === ">=" ? ">= 0" : `in 0..${show(extent)}`),
    span: read.span,
  });
}

/** `x[i]` with `i` in `0..extent`: most reads are of this form, and need no proof. */
function walksWholeAxis({ loops }: Access, index: Term, extent: Term): boolean {
  const loop = loops.find(({ variable }) => equal(index, ofVariable(variable)));
  if (loop?.from.kind !== "integer" || loop.to.kind !== "integer") return false;
  return equal(loop.from.term, zeroTerm) && equal(loop.to.term, extent);
}

/** The extent of an axis at the place of a read. Undefined if the extent is looked up there. */
function extentAt(opaque: Opaque, { read, facts }: Access, axis: number): Term | undefined {
  const { extent, ragged } = read.definition.axes[axis]!;
  if (!ragged) return extent;
  const positions = ragged.around.map(
    (v, k) => [v, termOf(opaque, read.indices[k]!, facts)] as const,
  );
  return ragged.extent && substitute(ragged.extent, new Map(positions));
}

const zeroTerm: Term = { constant: 0, parts: [] };

interface Corner {
  readonly index: Term;
  readonly at: ReadonlyMap<Variable, Term>;
}

/** A corner of the loops at which the index is outside whenever the loops run at all. */
function leavingCorner(
  setting: Setting,
  access: Access,
  scalar: Scalar,
  index: Term,
  extent: Term,
  low: boolean,
  high: boolean,
): Corner | undefined {
  const { opaque } = setting;
  const loops = access.loops.filter((loop) => dependsOnLoop(index, loop.variable, access));
  if (loops.length > 6) return leavingPosition(setting, access, scalar, extent);
  const leavesAt = (corner: number): Corner | undefined => {
    const at = new Map<Variable, Term>();
    // Inner bounds may mention outer coordinates, so the outermost loop comes first.
    for (const loop of access.loops) {
      const { from, to } = boundsOf(opaque, loop, access.facts);
      const k = loops.indexOf(loop);
      const chosen = k >= 0 && (corner >> k) & 1 ? plus(to, -1) : from;
      at.set(loop.variable, substitute(chosen, at));
    }
    const value = substitute(index, at);
    const end = substitute(extent, at);
    const facts = access.facts
      .filter((fact) => !isOpaqueFact(opaque, fact))
      .map((fact) => ({ ...fact, term: substitute(fact.term, at) }));
    // The corner must be a cell that exists: every fact must hold there, without further
    // assumptions.
    if (!facts.every((fact) => holds(fact, nonEmpty(access, opaque, at)))) return undefined;
    const where = nonEmpty(access, opaque, at);
    if (!low && prove(atMost(zeroTerm, value), where) === "false") return { index: value, at };
    if (!high && prove(lessThan(value, end), where) === "false") return { index: value, at };
    return undefined;
  };
  // Where an extent divides by 0, the index has no value.
  for (let corner = 0; corner < 1 << loops.length; corner++) {
    const found = unlessByZero(() => leavesAt(corner));
    if (found) return found;
  }
  return leavingPosition(setting, access, scalar, extent);
}

/** Tries every position, if they are few and all known: a condition may cut the corners off. */
function leavingPosition(
  { opaque, pinned }: Setting,
  access: Access,
  index: Scalar,
  extent: Term,
): Corner | undefined {
  const most = 4096;
  const facts = access.facts.filter((fact) => !isOpaqueFact(opaque, fact));
  const bounds = access.loops.map((loop) => boundsOf(opaque, loop, access.facts));
  const values = new Map<Variable, number>(pinned);
  const valueOf = (v: Variable): number => values.get(v) ?? NaN;
  const terms = [
    ...facts.map((fact) => fact.term),
    extent,
    ...bounds.flatMap(({ from, to }) => [from, to]),
  ];
  const own = new Set(access.loops.map((loop) => loop.variable));
  if (terms.some((term) => [...variablesOf(term)].some((v) => !own.has(v) && !pinned.has(v))))
    return undefined;
  let tried = 0;
  const descend = (depth: number): Corner | undefined => {
    if (depth < access.loops.length) {
      const { from, to } = bounds[depth]!;
      const ends = unlessByZero(() => [evaluate(from, valueOf), evaluate(to, valueOf)] as const);
      if (!ends) return undefined;
      for (let at = ends[0]; at < ends[1]; at++) {
        if (tried > most) return undefined;
        values.set(access.loops[depth]!.variable, at);
        const found = descend(depth + 1);
        if (found) return found;
      }
      return undefined;
    }
    tried++;
    const isMade = facts.every(({ term, relation }) => {
      const value = unlessByZero(() => evaluate(term, valueOf)) ?? -1;
      return relation === ">" ? value > 0 : relation === ">=" ? value >= 0 : value === 0;
    });
    const at = isMade ? integerAt(index, valueOf) : undefined;
    if (at === undefined || (at >= 0 && at < evaluate(extent, valueOf))) return undefined;
    return {
      index: constant(at),
      at: new Map([...values].map(([v, position]) => [v, constant(position)])),
    };
  };
  const found = descend(0);
  return tried > most ? undefined : found;
}

/**
 * The value of an integer scalar at a position. Undefined if the scalar reads a tensor or has no
 * value.
 */
function integerAt(scalar: Scalar, valueOf: (v: Variable) => number): number | undefined {
  switch (scalar.kind) {
    case "constant":
      return typeof scalar.value === "number" ? scalar.value : undefined;
    case "integer":
      if ([...variablesOf(scalar.term)].some((v) => Number.isNaN(valueOf(v)))) return undefined;
      return evaluate(scalar.term, valueOf) | 0;
    case "local":
      return integerAt(scalar.local.value, valueOf);
    case "apply": {
      if (scalar.within !== "i32" || scalar.type !== "i32") return undefined;
      const operands = scalar.operands.map((operand) => integerAt(operand, valueOf));
      if (operands.some((operand) => operand === undefined)) return undefined;
      try {
        return operationRow(scalar.operation).evaluate("i32", ...(operands as number[])) as number;
      } catch {
        return undefined;
      }
    }
    default:
      return undefined;
  }
}

function isOpaqueFact(opaque: Opaque, fact: Fact): boolean {
  return isOpaque(opaque, fact.term);
}

/** The facts that the loops around a read run at least once. */
function nonEmpty(
  access: Access,
  opaque: Opaque,
  at: ReadonlyMap<Variable, Term>,
): readonly Fact[] {
  const isOuter = (v: Variable): boolean => !access.loops.some((loop) => loop.variable === v);
  const facts = access.facts.filter((fact) => !someVariable(fact.term, (v) => !isOuter(v)));
  for (const loop of access.loops) {
    const { from, to } = boundsOf(opaque, loop, access.facts);
    facts.push(lessThan(substitute(from, at), substitute(to, at)));
  }
  return facts;
}

function dependsOnLoop(index: Term, v: Variable, access: Access): boolean {
  if (variablesOf(index).has(v)) return true;
  // A bound of an inner loop may carry the dependence.
  return access.loops.some((loop) => loop.variable !== v && variablesOf(index).has(loop.variable));
}

/** The coordinates of a corner that count for a read, for a message. */
function whereOf(
  reader: Definition,
  access: Access,
  axis: number,
  { at }: Corner,
  extent: Term,
): string {
  return access.loops
    .filter(({ fixed, variable: v }) => !fixed && at.has(v))
    .filter(({ variable: v }) => mentionsLoop(access, axis, v) || variablesOf(extent).has(v))
    .map(({ variable: v }) => {
      const value = show(at.get(v)!);
      return isWritten(v.name, [access.read.span, reader.span])
        ? `where \`${v.name}\` is ${value}`
        : `at position ${value}`;
    })
    .join(", ")
    .replaceAll(", where ", ", ");
}

function leavesMessage(
  { opaque, pinned, reader }: Setting,
  access: Access,
  axis: number,
  corner: Corner,
  symbolic: Term,
): Diagnostic {
  const values = new Map([...pinned].map(([v, value]) => [v, constant(value)]));
  const extent = substitute(substitute(symbolic, corner.at), values);
  const { read } = access;
  const { definition } = read;
  const name = nameInSource(definition);
  const named = definition.axes[axis]?.name;
  const place = named ? `axis \`${named}\`` : `axis ${axis}`;
  const where = whereOf(reader, access, axis, corner, symbolic);
  const index = substitute(corner.index, values);
  const value = constantOf(index);
  const shown = value === undefined ? `\`${show(index)}\`` : String(value);
  const isDownward = access.loops[axis]?.reversed === true;
  if (definition === reader && isDownward) {
    const clause =
      value === undefined ? "" : `: \`let ${name}[${slotsWith(access, axis, value)}] = …;\``;
    return error(
      "E0602",
      `the recurrence \`${name}\` has no base case for \`${textOf(read.span)}\``,
      read.span,
      {
        text:
          `${where ? `${where}, ` : ""}it reads position ${shown}, ` +
          `and ${place} ends before ${show(extent)}`,
        labels: [{ span: definition.span, text: `\`${name}\` is declared here` }],
        help: `it runs downward: give the last cells a clause of their own${clause}`,
      },
    );
  }
  const guard = guardFor(
    read.span,
    read.indices.length,
    leavingAxes(opaque, access, axis),
    reader.span,
  );
  return error("E0305", `\`${textOf(read.span)}\` leaves \`${name}\``, read.span, {
    text:
      `${where ? `${where}, ` : ""}the index of ${place} is ${shown}, ` +
      `its extent is ${show(extent)}`,
    labels: [{ span: definition.span, text: `\`${name}\` is declared here` }],
    help: guard
      ? `shorten the range, or guard the access: \`${guard}\``
      : "shorten the range, or guard the access with `where` or `if`",
  });
}

/**
 * The axes that need a guard, with the axis that the read leaves among them. Empty if one of their
 * indices is data.
 */
function leavingAxes(opaque: Opaque, access: Access, left: number): readonly Leaving[] {
  const { read, facts } = access;
  const leaving = read.indices.flatMap((scalar, axis): readonly Leaving[] => {
    const index = termOf(opaque, scalar, facts);
    const extent = extentAt(opaque, access, axis) ?? zeroTerm;
    const isInside = holds(atMost(zeroTerm, index), facts) && holds(lessThan(index, extent), facts);
    const isFixed = axis !== left && variablesOf(index).size === 0;
    return isInside || isFixed || walksWholeAxis(access, index, extent)
      ? []
      : [{ axis, index, extent }];
  });
  return leaving.some(({ index }) => isOpaque(opaque, index)) ? [] : leaving;
}

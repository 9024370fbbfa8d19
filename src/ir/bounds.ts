// Every access is proved to stay inside, shown to leave, or listed as a check for the run.
//
// For an index e of an axis with extent n, 0 <= e < n is put to the prover under everything known at the access. Where that
// fails, the corners of the loops around it are tried: if the access provably leaves at a corner whenever its loops run at
// all, the program is wrong for every extent, and the corner is the counterexample.

import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { constantOf, plus, type Term, type Variable } from "./affine/term.ts";
import { show } from "./affine/show.ts";
import { atMost, holds, lessThan, prove, type Fact } from "./affine/prove.ts";
import { substitute, variablesOf } from "./affine/visit.ts";
import { accessesOf, boundsOf, isOpaque, termOf, type Access, type Opaque } from "./facts.ts";
import type { Definition } from "./program.ts";

/** Something that only a run, or known extents, can decide. */
export interface RunCheck {
  readonly text: string;
  readonly span: Span;
}

export interface Bounds {
  readonly diagnostics: readonly Diagnostic[];
  readonly checks: readonly RunCheck[];
}

export function checkBounds(opaque: Opaque, definitions: readonly Definition[], known: readonly Fact[]): Bounds {
  const diagnostics: Diagnostic[] = [];
  const checks: RunCheck[] = [];
  for (const definition of definitions) {
    for (const clause of definition.clauses) {
      for (const access of accessesOf(opaque, clause, known)) {
        for (const axis of access.read.indices.keys()) checkAxis(opaque, access, axis, diagnostics, checks);
      }
    }
  }
  return { diagnostics, checks };
}

function checkAxis(opaque: Opaque, access: Access, axis: number, diagnostics: Diagnostic[], checks: RunCheck[]): void {
  const { read, facts } = access;
  // The compiler's own definitions are read exactly where they were made.
  if (read.definition.origin === "helper") return;
  const index = termOf(opaque, read.indices[axis]!, facts);
  const extent = read.definition.axes[axis]!.extent;
  const low = holds(atMost(constant0, index), facts);
  const high = holds(lessThan(index, extent), facts);
  if (low && high) return;
  if (access.exact && !isOpaque(opaque, index)) {
    const corner = leaves(opaque, access, index, extent, low, high);
    if (corner) {
      diagnostics.push(outside(access, axis, corner, extent));
      return;
    }
  }
  const name = textOf(read.span);
  const side = low ? "<" : high ? ">=" : "in";
  const shown = isOpaque(opaque, index) ? `the index of axis ${axis}` : `\`${show(index)}\``;
  checks.push({
    text: `${name}: ${shown} ${side === "<" ? `< ${show(extent)}` : side === ">=" ? ">= 0" : `in 0..${show(extent)}`}`,
    span: read.span,
  });
}

const constant0: Term = { constant: 0, parts: [] };

interface Corner {
  readonly index: Term;
  readonly at: ReadonlyMap<Variable, Term>;
}

/** A corner of the loops at which the index is outside whenever they run at all. */
function leaves(
  opaque: Opaque,
  access: Access,
  index: Term,
  extent: Term,
  low: boolean,
  high: boolean,
): Corner | undefined {
  const loops = access.loops.filter((loop) => dependsOn(index, loop.variable, access));
  if (loops.length > 6) return undefined;
  for (let corner = 0; corner < 1 << loops.length; corner++) {
    const at = new Map<Variable, Term>();
    // Inner bounds may mention outer coordinates: outermost first, each put in its place.
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
    // The corner must be a cell that exists: no fact may fail there outright, and none may need an assumption of its own.
    if (!facts.every((fact) => holds(fact, nonEmpty(access, opaque, at)))) continue;
    const where = nonEmpty(access, opaque, at);
    if (!low && prove(atMost(constant0, value), where) === "false") return { index: value, at };
    if (!high && prove(lessThan(value, end), where) === "false") return { index: value, at };
  }
  return undefined;
}

function isOpaqueFact(opaque: Opaque, fact: Fact): boolean {
  return isOpaque(opaque, fact.term);
}

/** The loops around the access run at least once. */
function nonEmpty(access: Access, opaque: Opaque, at: ReadonlyMap<Variable, Term>): readonly Fact[] {
  const facts: Fact[] = [
    ...access.facts.filter((fact) =>
      [...variablesOf(fact.term)].every((v) => !access.loops.some((loop) => loop.variable === v)),
    ),
  ];
  for (const loop of access.loops) {
    const { from, to } = boundsOf(opaque, loop, access.facts);
    facts.push(lessThan(substitute(from, at), substitute(to, at)));
  }
  return facts;
}

function dependsOn(index: Term, v: Variable, access: Access): boolean {
  if (variablesOf(index).has(v)) return true;
  // A bound of an inner loop may carry the dependence.
  return access.loops.some((loop) => loop.variable !== v && variablesOf(index).has(loop.variable));
}

function outside(access: Access, axis: number, corner: Corner, extent: Term): Diagnostic {
  const { read } = access;
  const { definition } = read;
  const named = definition.axes[axis]?.name;
  const place = named ? `axis \`${named}\`` : `axis ${axis}`;
  const where = access.loops
    .filter((loop) => corner.at.has(loop.variable) && mentionsLoop(access, axis, loop.variable))
    .map((loop) => `\`${loop.variable.name}\` is ${show(corner.at.get(loop.variable)!)}`)
    .join(", ");
  const value = constantOf(corner.index);
  const shown = value === undefined ? `\`${show(corner.index)}\`` : String(value);
  return error("E0305", `\`${textOf(read.span)}\` leaves \`${definition.name}\``, read.span, {
    text: `${where ? `where ${where}, ` : ""}the index of ${place} is ${shown}, its extent is ${show(extent)}`,
    labels: [{ span: definition.span, text: `\`${definition.name}\` is declared here` }],
    help: "shorten the range, or guard the access with `where` or `if`",
  });
}

function mentionsLoop(access: Access, axis: number, v: Variable): boolean {
  const index = access.read.indices[axis]!;
  return index.kind === "integer" ? variablesOf(index.term).has(v) : true;
}

// Which cells the clauses of a tensor claim: cells that none does are an error, and so are reads of
// them.
//
// The box of all cells is cut by the box of each clause. What a cut leaves is at most two boxes for
// each axis; a leftover that is provably empty is dropped, one that provably has cells is "never
// defined", the rest is checked with known extents.

import {
  constantOf,
  keyOf,
  maximum,
  minimum,
  ofVariable,
  zero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import type { Range } from "../../affine/range.ts";
import { substitute } from "../../affine/visit.ts";
import { show } from "../../affine/show.ts";
import {
  atMost,
  contradictory,
  holds,
  lessThan,
  nonNegative,
  prove,
  type Fact,
} from "../../affine/prove.ts";
import { boundsOf, type Opaque } from "../facts.ts";
import { nameInSource } from "../name-in-source.ts";
import type { Clause, Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { reachable } from "../schedule.ts";
import { writtenSize } from "../../check/types/written-size.ts";

export type Box = readonly Range[];

export interface Coverage {
  /** Provably there, claimed by no clause. */
  readonly missing: readonly Box[];
  /** Perhaps there. */
  readonly doubtful: readonly Box[];
}

export function coverage(opaque: Opaque, definition: Definition, given: readonly Fact[]): Coverage {
  if (definition.clauses.some((clause) => claimsEverything(definition, clause)))
    return { missing: [], doubtful: [] };
  // A local name is there wherever the coordinates around it are: only its own axes are at stake.
  const whole: Box = definition.axes
    .slice(definition.outer)
    .map((axis) => ({ from: zero, to: axis.ragged?.extent ?? axis.extent }));
  const around = definition.axes.find((axis) => axis.ragged)?.ragged?.around ?? [];
  const known = [
    ...given,
    ...around.flatMap((v, k) => positionFacts(v, definition.axes[k]!.extent)),
  ];
  const claims = definition.clauses.map((clause): Box => {
    const positions = new Map(around.map((v, k) => [clause.loops[k]!.variable, ofVariable(v)]));
    return clause.loops.slice(definition.outer).map((loop): Range => {
      const { from, to } = boundsOf(opaque, loop, known);
      return { from: substitute(from, positions), to: substitute(to, positions) };
    });
  });
  const left = leftOver(whole, claims, known);
  if (left.length === 0) return { missing: [], doubtful: [] };
  const missing = [
    ...left.filter((box) => hasCells(box, known)),
    ...claims.flatMap((claim, k) =>
      isExpected(definition, definition.clauses[k]!) ? missingBelow(claim, claims, known) : [],
    ),
  ];
  return { missing, doubtful: left.filter((box) => !hasCells(box, known)) };
}

function leftOver(whole: Box, claims: readonly Box[], known: readonly Fact[]): readonly Box[] {
  let left = [whole];
  for (const claimed of claims) {
    left = left.flatMap((box) => cut(box, claimed, known));
    if (left.length > 64) break;
  }
  return left;
}

function hasCells(box: Box, known: readonly Fact[]): boolean {
  return box.every((range) => prove(lessThan(range.from, range.to), known) === "true");
}

/**
 * Whether a clause without any cell is a corner case: a recurrence that never steps, an axis too
 * short for what is read along it.
 */
function isExpected(definition: Definition, { loops }: Clause): boolean {
  return loops.some(({ inferred }) => inferred) || isRecurrent(definition);
}

/**
 * Whether it reads itself: in its clauses, in sums that stand inside of them, or through the other
 * tensors of the recurrence.
 */
function isRecurrent(definition: Definition): boolean {
  return reachable([...readsOf(definition)]).includes(definition);
}

/**
 * Cells that are missing as soon as one clause has any: all before its end must belong to somebody.
 */
function missingBelow(claim: Box, claims: readonly Box[], known: readonly Fact[]): readonly Box[] {
  const facts = [...known, ...claim.map((range) => lessThan(range.from, range.to))];
  if (contradictory(facts)) return [];
  const before = claim.map((range): Range => ({ from: zero, to: range.to }));
  return leftOver(before, claims, facts).filter((box) => hasCells(box, facts));
}

/** One clause over all of every axis, as most tensors have: there is nothing to cut. */
function claimsEverything({ axes, outer }: Definition, { loops }: Clause): boolean {
  return loops.slice(outer).every(({ from, to }, k) => {
    const { extent, ragged } = axes[k + outer]!;
    if (ragged || from.kind !== "integer" || to.kind !== "integer") return false;
    return isZeroTerm(from.term) && keyOf(to.term) === keyOf(extent);
  });
}

function positionFacts(v: Variable, extent: Term): readonly Fact[] {
  return [nonNegative(ofVariable(v)), lessThan(ofVariable(v), extent)];
}

/**
 * What remains of a box when another is taken out of it, without the parts that are provably empty.
 */
function cut(box: Box, taken: Box, known: readonly Fact[]): Box[] {
  const rest: Box[] = [];
  const middle: Range[] = [...box];
  for (const [axis, range] of box.entries()) {
    const { from, to } = taken[axis]!;
    const below: Range = { from: range.from, to: lesser(from, range.to, known) };
    const above: Range = { from: greater(to, range.from, known), to: range.to };
    for (const part of [below, above]) {
      if (isEmpty(part, known)) continue;
      rest.push(middle.map((other, k) => (k === axis ? part : other)));
    }
    middle[axis] = { from: greater(from, range.from, known), to: lesser(to, range.to, known) };
    // Nothing in common along this axis: the box stays whole.
    if (isEmpty(middle[axis], known)) return [box];
  }
  return rest;
}

function isEmpty(range: Range, known: readonly Fact[]): boolean {
  return holds(atMost(range.to, range.from), known);
}

function lesser(a: Term, b: Term, known: readonly Fact[]): Term {
  return holds(atMost(a, b), known) ? a : holds(atMost(b, a), known) ? b : minimum(a, b);
}

function greater(a: Term, b: Term, known: readonly Fact[]): Term {
  return holds(atMost(b, a), known) ? a : holds(atMost(a, b), known) ? b : maximum(a, b);
}

function isZeroTerm(term: Term): boolean {
  return term.parts.length === 0 && term.constant === 0;
}

/** `h[0, i]`, `h[t in 0..2, i]`, and `h[0, ..b]` where a pack stands on the left. */
export function showBox(definition: Definition, box: Box): string {
  const slots = box.map((range, k) => {
    const { name, extent } = axisAt(definition, k);
    const whole = isZeroTerm(range.from) && keyOf(range.to) === keyOf(extent);
    return whole
      ? name
      : (onlyPosition(range) ?? `${name} in ${show(range.from)}..${show(range.to)}`);
  });
  return `${nameInSource(definition)}[${withPacks(definition, slots).join(", ")}]`;
}

/** The slots of a clause that defines a box, with each range that has to be written. */
export function slotsText(
  sizes: ReadonlySet<Variable>,
  definition: Definition,
  box: Box,
  { packed = false } = {},
): string {
  const slots = box.map((range, k) => {
    const { name, extent } = axisAt(definition, k);
    const isWhole = isZeroTerm(range.from) && keyOf(range.to) === keyOf(extent);
    if (packed && isWhole && packAt(definition, k) !== undefined) return name;
    const bounds = [range.from, range.to].map((bound) => writtenSize(sizes, bound));
    return (
      onlyPosition(range) ?? (bounds.includes(undefined) ? name : `${name} in ${bounds.join("..")}`)
    );
  });
  return (packed ? withPacks(definition, slots) : slots).join(", ");
}

function axisAt(
  { axes, outer }: Definition,
  k: number,
): { readonly name: string; readonly extent: Term } {
  const axis = k + outer;
  const { name, extent } = axes[axis]!;
  return { name: name ?? "ijklmnpq"[axis] ?? `i${axis}`, extent };
}

/** `0` for the range 0..1. */
function onlyPosition({ from, to }: Range): string | undefined {
  const at = constantOf(from);
  return at !== undefined && constantOf(to) === at + 1 ? String(at) : undefined;
}

/** The pack that an axis is a member of on the left side of a clause. */
function packAt({ clauses, outer }: Definition, k: number): string | undefined {
  const packs = clauses.map(({ loops }) => loops[k + outer]!.variable.pack);
  return packs.find((pack) => pack !== undefined);
}

/** The members of a pack that are whole stand as the pack: `b0, b1` is `..b`. */
function withPacks(definition: Definition, slots: readonly string[]): readonly string[] {
  const packs = slots.map((_, k) => packAt(definition, k));
  const isWhole = (pack: string): boolean =>
    slots.every((slot, k) => packs[k] !== pack || slot === axisAt(definition, k).name);
  return slots.flatMap((slot, k) => {
    const pack = packs[k];
    if (pack === undefined || !isWhole(pack)) return [slot];
    return packs.indexOf(pack) === k ? [`..${pack}`] : [];
  });
}

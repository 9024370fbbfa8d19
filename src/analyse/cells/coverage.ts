// Which cells the clauses of a tensor define. A cell that no clause defines is an error.
//
// The boxes of the clauses are cut out of the box of all cells. One cut leaves at most two boxes
// for each axis. A remaining box that is provably empty is dropped, a box that provably has cells
// is missing, and the others are checked when extents are known.
//
//   let h[0] = 1.0; let h[t in 2..4] = h[t - 1];      0..4 without 0..1 and 2..4 leaves h[1]

import {
  constantOf,
  keyOf,
  maximum,
  minimum,
  ofVariable,
  zero,
  isZero,
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
import { isRecurrent } from "../schedule.ts";
import { writtenSize } from "../../check/types/written-size.ts";

export type Box = readonly Range[];

interface Coverage {
  /** Provably not empty, and defined by no clause. */
  readonly missing: readonly Box[];
  /** Perhaps not empty. */
  readonly doubtful: readonly Box[];
}

export function coverage(opaque: Opaque, definition: Definition, given: readonly Fact[]): Coverage {
  if (definition.clauses.some((clause) => claimsEverything(definition, clause)))
    return { missing: [], doubtful: [] };
  // A local name exists wherever the coordinates around it do, so only its own axes are examined.
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
 * Whether a clause without any cell is a corner case and no mistake: a recurrence that never steps,
 * or an axis too short for the reads along it.
 */
function isExpected(definition: Definition, { loops }: Clause): boolean {
  return loops.some(({ inferred }) => inferred) || isRecurrent(definition);
}

/**
 * Cells that are missing as soon as a clause has any cell. All cells before the end of the clause
 * must be defined.
 */
function missingBelow(claim: Box, claims: readonly Box[], known: readonly Fact[]): readonly Box[] {
  const facts = [...known, ...claim.map((range) => lessThan(range.from, range.to))];
  if (contradictory(facts)) return [];
  const before = claim.map((range): Range => ({ from: zero, to: range.to }));
  return leftOver(before, claims, facts).filter((box) => hasCells(box, facts));
}

/** Whether one clause covers every axis, as in most tensors: then nothing needs to be cut. */
function claimsEverything({ axes, outer }: Definition, { loops }: Clause): boolean {
  return loops.slice(outer).every(({ from, to }, k) => {
    const { extent, ragged } = axes[k + outer]!;
    if (ragged || from.kind !== "integer" || to.kind !== "integer") return false;
    return isZero(from.term) && keyOf(to.term) === keyOf(extent);
  });
}

function positionFacts(v: Variable, extent: Term): readonly Fact[] {
  return [nonNegative(ofVariable(v)), lessThan(ofVariable(v), extent)];
}

/** A box without another one, as boxes. Parts that are provably empty are dropped. */
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
    // The boxes have no cell in common, so the box stays whole.
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

/** `h[0, i]` or `h[t in 0..2, i]`, and `h[0, ..b]` if the left side has a pack. */
export function showBox(definition: Definition, box: Box): string {
  const slots = box.map((range, k) => {
    const { name, extent } = axisAt(definition, k);
    const whole = isZero(range.from) && keyOf(range.to) === keyOf(extent);
    return whole
      ? name
      : (onlyPosition(range) ?? `${name} in ${show(range.from)}..${show(range.to)}`);
  });
  return `${nameInSource(definition)}[${withPacks(definition, slots).join(", ")}]`;
}

/** The left side of a clause that defines a box. Ranges that cannot be inferred are written. */
export function slotsText(
  sizes: ReadonlySet<Variable>,
  definition: Definition,
  box: Box,
  { packed = false } = {},
): string {
  const slots = box.map((range, k) => {
    const { name, extent } = axisAt(definition, k);
    const isWhole = isZero(range.from) && keyOf(range.to) === keyOf(extent);
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

/** The pack that an axis belongs to on the left side of a clause. */
function packAt({ clauses, outer }: Definition, k: number): string | undefined {
  const packs = clauses.map(({ loops }) => loops[k + outer]!.variable.pack);
  return packs.find((pack) => pack !== undefined);
}

/** A pack whose members are all whole is written as the pack: `b0, b1` is `..b`. */
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

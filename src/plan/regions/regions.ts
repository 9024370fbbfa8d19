// This folder divides the cells of a definition into regions and simplifies what is computed in
// each of them; how reductions are computed is in `reductions/`.
//
// This file turns the clauses of a definition into regions: disjoint boxes of cells, each with the
// cases that decide its cells.
//
//   let h[0] = 1.0;
//   let h[t in 1..9] = 0.5 * h[t - 1];    // two boxes: 0..1 and 1..9
//
// Several clauses may define the same cell, and a guard may hold for some cells only. So all cells
// start as one region with a list of cases: the last clause first, and at the end the value of
// cells that no clause defines. This region is cut along each coordinate where the outcome of a
// comparison changes. Most boxes then have a single case without guards: borders of stencils, base
// cases of recurrences and overlapping clauses become boxes of their own.

import {
  constant,
  constantOf,
  ofVariable,
  subtract,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, eachAtom, variablesOf, withoutVariable } from "../../affine/visit.ts";
import { eachScalar, isAnywhere } from "../../ir/parts.ts";
import type { Body, Clause, Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import type { OperationName } from "../../scalar/operations.ts";
import { reductionRow, typeReduction } from "../../scalar/reductions.ts";
import { type ElementType } from "../../scalar/types.ts";
import {
  instantiate,
  instantiateLoop,
  integerScalar,
  type Replacements,
} from "../../ir/substitute.ts";
import type { Span } from "../../base/source.ts";
import type { Interval } from "./intervals.ts";
import type { Contractions } from "../reductions/contraction.ts";
import { hoisted } from "../reductions/hoist.ts";
import { widened } from "../narrow.ts";
import { rewriteScalar, type Replace } from "../rewrite.ts";
import { concerning, noted } from "../rules.ts";
import { isRefused, valueOf } from "../../analyse/can-fail.ts";
import { folded, type Place } from "./simplify.ts";
import type { Scan } from "../reductions/scan.ts";
import type { Scatter } from "../reductions/scatter.ts";
import type { Shares } from "../reductions/shares.ts";
import { reductionText } from "../text.ts";
import { tightened } from "./tighten.ts";
import type { Totals } from "../reductions/totals.ts";
import { zeroScalar } from "../../ir/simple-scalars.ts";
import { compared } from "../../ir/integers.ts";

/** A coordinate of a definition, from `from` to just before `to`. */
export interface Side {
  readonly variable: Variable;
  readonly from: number;
  readonly to: number;
}

/** The number of positions of some coordinates together. */
export function cellsIn(sides: readonly Side[]): number {
  return sides.reduce((total, { from, to }) => total * (to - from), 1);
}

export interface Region {
  readonly sides: readonly Side[];
  /** The cell of each position, if it differs from the position. */
  readonly cells?: readonly Term[];
  /**
   * The first case whose guards hold gives the value of a cell. The last case has no guards. If
   * there are no cases, the scatters give the cells.
   */
  readonly cases: readonly Case[];
  /** Scatters are added up before the cases, which read their totals. */
  readonly scatters?: readonly Scatter[];
  /** The scan walks one coordinate and carries totals from cell to cell, which the cases read. */
  readonly scan?: Scan;
}

export interface Case {
  readonly guards: readonly Scalar[];
  /** The reductions are computed in their order before the value, which reads them by name. */
  readonly reductions: readonly Reduced[];
  readonly value: Scalar;
}

/** A reduction with the name of its result. */
export interface Reduced {
  readonly name: Local;
  readonly body: Reduction;
}

export type Reduction = Extract<Body, { kind: "reduce" }> & {
  /** The result need not be NaN if a term is NaN. */
  readonly passesOverNaN?: true;
  /**
   * The reduction was written as a sum of products of different tensors. It may be computed as a
   * matrix product, in the type that its terms had before they were widened.
   */
  readonly isOfProducts?: true;
};

/** A long reduction in blocks of `size` positions, along a coordinate of `length` positions. */
export interface Blocks {
  /** The reductions of the blocks; the block is the first coordinate. */
  readonly parts: Sized;
  readonly length: number;
  readonly size: number;
  /** The index of the divided coordinate among the reduced ones. */
  readonly at: number;
}

/** A definition with known sizes, as kernels compute it. */
export interface Sized {
  readonly definition: Definition;
  readonly element: ElementType;
  readonly shape: readonly number[];
  readonly regions: readonly Region[];
  /** Totals beside the definition's own cells. */
  readonly scratch?: readonly Totals[];
  /** Blocks are reduced before the regions, which read their results. */
  readonly blocks?: Blocks | undefined;
  /** Shares that are computed together with the definition. */
  readonly shares?: Shares;
  /** Contractions are multiplied before the regions, which read their sums. */
  readonly contractions?: Contractions;
}

/** The code of more boxes than this is not worth its size. */
const mostRegions = 64;

/** What is known when a definition gets its sizes. */
export interface Sizing {
  /** The values of sizes, and of integers that sizes and indices use. */
  readonly known: Replacements;
  readonly typeOf: Place["typeOf"];
  readonly clausesOf: (definition: Definition) => readonly Clause[];
  /** Reductions that are computed in the map that reads them. */
  readonly merged: ReadonlyMap<Definition, Definition>;
}

/** Divides a region before it is cut into boxes. */
type Divide = (whole: Region, typeOf: Place["typeOf"]) => readonly Region[];

export function sized(
  definition: Definition,
  shape: readonly number[],
  sizing: Sizing,
  divide: Divide = (whole) => [whole],
): Sized {
  const { typeOf } = sizing;
  const regions = concerning(definition, () =>
    divide(asOneRegion(definition, shape, sizing), typeOf).flatMap((part) => boxesOf(part, typeOf)),
  );
  return { definition, element: sizing.typeOf(definition.element), shape, regions };
}

/** The cell of each position of a region. */
export function cellsAt({ sides, cells }: Region): readonly Scalar[] {
  return (cells ?? sides.map(({ variable }) => ofVariable(variable))).map(integerScalar);
}

/** The number of positions that the regions have along an axis. */
export function extentAlong({ regions }: Sized, axis: number): number {
  return Math.max(0, ...regions.map(({ sides }) => sides[axis]!.to));
}

/** All cells of a definition as one region, with all cases that may decide them. */
export function asOneRegion(
  definition: Definition,
  shape: readonly number[],
  sizing: Sizing,
): Region {
  const element = sizing.typeOf(definition.element);
  const sides = definition.axes.map((axis, k): Side => {
    const name = sizing.clausesOf(definition).at(-1)?.loops[k]?.variable.name ?? axis.name ?? "at";
    return { variable: freshVariable(name), from: 0, to: shape[k]! };
  });
  return { sides, cases: casesOf(definition, sides, shape, sizing, element) };
}

/** A definition whose cells are those of one region, cut into boxes. */
export function inBoxes(
  definition: Definition,
  element: ElementType,
  whole: Region,
  typeOf: Place["typeOf"],
): Sized {
  return {
    definition,
    element,
    shape: whole.sides.map(({ to }) => to),
    regions: boxesOf(whole, typeOf),
  };
}

/** Cuts a region wherever a case begins or ends. */
export function boxesOf(whole: Region, typeOf: Place["typeOf"]): readonly Region[] {
  let regions: readonly Region[] = whole.sides.some(({ to }) => to === 0)
    ? []
    : [simplifiedFor(whole, typeOf)];
  for (const axis of whole.sides.keys()) {
    const split = regions.flatMap((region) => splitAxis(region, axis, typeOf));
    if (split.length <= mostRegions) regions = split;
  }
  if (regions.length > 1) noted("boxes", () => regions.map(boxText).join(", "));
  return regions;
}

function boxText({ sides }: Region): string {
  return sides.map(({ from, to }) => `${from}..${to}`).join(" × ");
}

let ids = 0;

/** A new variable with a negative id, so that it differs from the variables of the program. */
export function freshVariable(name: string): Variable {
  return { id: --ids, name };
}

function casesOf(
  definition: Definition,
  sides: readonly Side[],
  shape: readonly number[],
  sizing: Sizing,
  element: ElementType,
): readonly Case[] {
  const owned: Case[] = [];
  const fallbacks: Case[] = [];
  for (const [k, clause] of [...sizing.clausesOf(definition).entries()].reverse()) {
    const values: Replacements = new Map([
      ...sizing.known,
      ...clause.loops.map((loop, k): [Variable, Scalar] => [
        loop.variable,
        scalarOfVariable(sides[k]!.variable),
      ]),
    ]);
    const ranges = clause.loops.flatMap((loop, k) =>
      rangeGuards(loop, sides[k]!, shape[k]!, values, clause.span),
    );
    const guards = clause.guards.map((guard) => instantiate(guard, values));
    owned.push({
      guards: [...ranges, ...guards],
      ...withMerged(
        definition,
        caseOfBody(
          instantiateBody(clause.body, values),
          bodyAsWritten(definition, k),
          definition,
          sides,
          element,
          sizing.typeOf,
        ),
        sides,
        sizing,
      ),
    });
    if (guards.length > 0) {
      const value = clause.otherwise ? instantiate(clause.otherwise, values) : zeroScalar(element);
      fallbacks.push({
        guards: ranges,
        ...withMerged(definition, { reductions: [], value }, sides, sizing),
      });
    }
  }
  return [...owned, ...fallbacks, { guards: [], reductions: [], value: zeroScalar(element) }];
}

/** The body of a clause before other definitions were inlined into it. */
function bodyAsWritten({ clauses }: Definition, k: number): Body {
  return clauses[k]!.body;
}

function caseOfBody(
  body: Body,
  written: Body,
  definition: Definition,
  sides: readonly Side[],
  element: ElementType,
  typeOf: Place["typeOf"],
): Pick<Case, "reductions" | "value"> {
  if (body.kind === "map") return { reductions: [], value: body.value };
  const indices = sides.map((side) => scalarOfVariable(side.variable));
  const name: Local = {
    name: definition.name,
    value: { kind: "read", type: element, definition, indices, span: body.span },
  };
  const { body: wide, result } = widened(body, written as Reduction, typeOf, element);
  if (body.reduction !== "logsumexp")
    return {
      reductions: [{ name, body: wide }],
      value: result((type) => ({ kind: "local", type, local: name })),
    };
  const { reductions, value } = logSumExp(wide, name, typeOf(wide.value.type));
  return { reductions, value: result(() => value) };
}

/**
 * Adds the merged reductions that a case reads: each read becomes the name of the reduction's
 * result.
 */
function withMerged(
  definition: Definition,
  part: Pick<Case, "reductions" | "value">,
  sides: readonly Side[],
  sizing: Sizing,
): Pick<Case, "reductions" | "value"> {
  const reductions = [...part.reductions];
  const names = new Map<Definition, Local>();
  const results = new Map<Definition, Scalar>();
  const replace: Replace = (scalar) => {
    if (scalar.kind !== "read" || !sizing.merged.has(scalar.definition)) return undefined;
    let local = names.get(scalar.definition);
    if (!local) {
      const [clause] = sizing.clausesOf(scalar.definition);
      const at: Replacements = new Map([
        ...sizing.known,
        ...clause!.loops.map((loop, k): [Variable, Scalar] => [
          loop.variable,
          scalarOfVariable(sides[k]!.variable),
        ]),
      ]);
      const body = instantiateBody(clause!.body, at) as Reduction;
      const guards = [...clause!.guards.map((guard) => instantiate(guard, at)), ...body.guards];
      // As for every reduction, the local's value is a cell of the definition, so that it depends
      // on the coordinates of the cell.
      local = { name: scalar.definition.name, value: { ...scalar, definition } };
      names.set(scalar.definition, local);
      const written = bodyAsWritten(scalar.definition, 0) as Reduction;
      const wide = widened({ ...body, guards }, written, sizing.typeOf, sizing.typeOf(scalar.type));
      const result = local;
      reductions.push({ name: local, body: wide.body });
      results.set(
        scalar.definition,
        wide.result((type) => ({ kind: "local", type, local: result })),
      );
    }
    return results.get(scalar.definition);
  };
  const value = rewriteScalar(
    part.value,
    replace,
    new Map(part.reductions.map(({ name }) => [name, name])),
  );
  return { reductions, value };
}

/**
 * A logsumexp as two reductions: with m = max x, it is m + log Σ exp(x - m). If m is not finite, 0
 * replaces it, so that ∞ - ∞ never occurs. A NaN among the terms makes the sum NaN, so the maximum
 * itself may ignore NaN.
 */
function logSumExp(
  body: Reduction,
  name: Local,
  element: ElementType,
): Pick<Case, "reductions" | "value"> {
  const { span, value: x } = body;
  const greatest: Local = { name: `${name.name}_greatest`, value: name.value };
  const m: Scalar = { kind: "local", type: element, local: greatest };
  const number = (value: number): Scalar => ({ kind: "constant", type: element, value });
  const apply = (
    operation: OperationName,
    type: ElementType,
    ...operands: readonly Scalar[]
  ): Scalar => ({
    kind: "apply",
    type,
    within: element,
    operation,
    operands,
    span,
  });
  const isFinite = apply("less", "bool", apply("abs", element, m), number(Infinity));
  const base: Scalar = {
    kind: "select",
    type: element,
    condition: isFinite,
    then: m,
    otherwise: number(0),
  };
  const term = apply("exp", element, apply("subtract", element, x, base));
  const sum: Reduction = { ...body, reduction: "sum", value: term };
  const { body: wide, result } = widened(sum, sum, (type) => type, element);
  const s = result((type) => ({ kind: "local", type, local: name }));
  return {
    reductions: [
      { name: greatest, body: { ...body, reduction: "max", passesOverNaN: true } },
      { name, body: wide },
    ],
    value: apply("add", element, base, apply("log", element, s)),
  };
}

function scalarOfVariable(variable: Variable): Scalar {
  return integerScalar(ofVariable(variable));
}

function rangeGuards(
  loop: Loop,
  side: Side,
  extent: number,
  at: Replacements,
  span: Span,
): readonly Scalar[] {
  const [from, to] = [instantiate(loop.from, at), instantiate(loop.to, at)];
  const here = scalarOfVariable(side.variable);
  return [
    ...(Number(valueOf(from)) <= 0 ? [] : [compared("lessEqual", from, here, span)]),
    ...(Number(valueOf(to)) >= extent ? [] : [compared("less", here, to, span)]),
  ];
}

function instantiateBody(body: Body, at: Replacements): Body {
  if (body.kind === "map") return { kind: "map", value: instantiate(body.value, at) };
  // Each copy gets reduced coordinates of its own.
  const inner = new Map(at);
  const loops = body.loops.map((loop) => {
    const bounded = instantiateLoop(loop, inner);
    const variable = freshVariable(loop.variable.name);
    inner.set(loop.variable, scalarOfVariable(variable));
    return { ...bounded, variable };
  });
  return {
    ...body,
    loops,
    guards: body.guards.map((guard) => instantiate(guard, inner)),
    value: instantiate(body.value, inner),
  };
}

// ── cutting ─────────────────────────────────────────────────────────────────────────────────────

/** Simplifies the cases of a region for its box. */
function simplifiedFor(region: Region, typeOf: Place["typeOf"]): Region {
  const { sides, cases } = region;
  const known = intervalsOfSides(sides);
  const place = (): Place => ({ known, typeOf, locals: new Map() });
  const left: Case[] = [];
  for (const each of cases) {
    const guards = each.guards.map((guard) => folded(guard, place()));
    if (isRefused(guards)) continue;
    const open = guards.filter((guard) => valueOf(guard) !== true);
    left.push({ guards: open, ...simplifiedCase(each, loopsOfSides(sides), place()) });
    if (open.length === 0) break;
  }
  return { ...region, cases: left };
}

export function intervalsOfSides(sides: readonly Side[]): ReadonlyMap<Variable, Interval> {
  return new Map(sides.map(({ variable, from, to }) => [variable, { least: from, most: to - 1 }]));
}

/** The sides of a region as loops. */
export function loopsOfSides(sides: readonly Side[]): readonly Loop[] {
  return sides.map(({ variable, from, to }) => ({
    variable,
    from: integerScalar(constant(from)),
    to: integerScalar(constant(to)),
    reversed: false,
  }));
}

/**
 * Simplifies a case; the reductions keep their names. A reduction over an empty range is replaced
 * by its value, if it has one: an empty sum is 0.
 */
function simplifiedCase(
  original: Case,
  around: readonly Loop[],
  place: Place,
): Pick<Case, "reductions" | "value"> {
  const reductions: Reduced[] = [];
  for (const { name, body } of original.reductions) {
    const tight = tightened(body, around, place);
    const nothing = isEmpty(tight)
      ? reductionRow(body.reduction).onNothing(tight.value.type)
      : undefined;
    if (nothing && "value" in nothing) {
      const type = typeReduction(body.reduction, tight.value.type)!;
      place.locals.set(name, {
        name: name.name,
        value: { kind: "constant", type, value: nothing.value },
      });
      continue;
    }
    const split = hoisted(name, tight);
    if (split)
      noted(
        "hoist",
        (names) =>
          `${reductionText(names, tight)} leaves ${reductionText(names, split.reduced.body)}`,
      );
    const reduced = split?.reduced ?? { name, body: tight };
    reductions.push(reduced);
    place.locals.set(reduced.name, reduced.name);
    if (split) place.locals.set(name, { name: name.name, value: split.value });
  }
  return { reductions, value: folded(original.value, place) };
}

function isEmpty({ loops, guards }: Reduction): boolean {
  if (isRefused(guards)) return true;
  return loops.some(({ from, to }) => {
    const [first, end] = [valueOf(from), valueOf(to)];
    return first !== undefined && end !== undefined && first >= end;
  });
}

/** Cuts a region along one axis, where the outcome of a comparison changes. */
function splitAxis(region: Region, axis: number, typeOf: Place["typeOf"]): readonly Region[] {
  const side = region.sides[axis]!;
  const points = new Set<number>();
  for (const each of region.cases) {
    for (const scalar of scalarsIn(each)) {
      eachScalar(scalar, (part) => {
        if (part.kind === "integer") {
          eachAtom(part.term, (atom) => {
            if (atom.kind !== "min" && atom.kind !== "max") return;
            const [first, ...rest] = atom.members;
            for (const other of rest) addSignChanges(subtract(first!, other), side, points);
          });
        }
        if (part.kind !== "apply" || part.type !== "bool") return;
        const [a, b] = part.operands;
        if (a?.kind === "integer" && b?.kind === "integer")
          addSignChanges(subtract(a.term, b.term), side, points);
      });
    }
  }
  if (points.size === 0 || points.size > 8) return [region];
  const cuts = [side.from, ...[...points].sort((a, b) => a - b), side.to];
  return cuts.slice(1).flatMap((to, k) => {
    const from = cuts[k]!;
    if (from >= to) return [];
    const sides = region.sides.map((each, at) => (at === axis ? { ...each, from, to } : each));
    return [simplifiedFor({ ...region, sides }, typeOf)];
  });
}

export function scalarsIn({ guards, reductions, value }: Case): readonly Scalar[] {
  return [...guards, ...reductions.flatMap(({ body }) => scalarsInReduction(body)), value];
}

export function scalarsInReduction({ loops, guards, value }: Reduction): readonly Scalar[] {
  return [...loops.flatMap((loop) => [loop.from, loop.to]), ...guards, value];
}

/** Whether a reduction reads the result of one of the others. */
export function readsAnyName(body: Reduction, names: ReadonlySet<Local>): boolean {
  return scalarsInReduction(body).some((scalar) =>
    isAnywhere(scalar, (part) => part.kind === "local" && names.has(part.local)),
  );
}

export function scalarsInRegion({ cases, scatters = [], scan }: Region): readonly Scalar[] {
  const apart = [...scatters, ...(scan?.runs ?? [])].flatMap(({ body }) =>
    scalarsInReduction(body),
  );
  return [...apart, ...cases.flatMap(scalarsIn)];
}

/**
 * Adds the positions inside a side at which `difference` changes from negative to 0 or from 0 to
 * positive, if it depends on this coordinate alone.
 */
function addSignChanges(difference: Term, { variable, from, to }: Side, points: Set<number>): void {
  const coefficient = constantOf(coefficientOf(difference, variable) ?? ofVariable(variable));
  if (coefficient === undefined || coefficient === 0) return;
  if (variablesOf(difference).size !== 1) return;
  const offset = constantOf(withoutVariable(difference, variable));
  if (offset === undefined) return;
  const root = -offset / coefficient;
  for (const point of [Math.ceil(root), Math.floor(root) + 1])
    if (point > from && point < to) points.add(point);
}

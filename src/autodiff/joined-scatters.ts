// Several scatters into one tensor are one: the lookups of a table in several places send back to the cells that they have looked up, and a tensor of the table's
// size for each of them, to be added up, could be far more work than all of the lookups.
//
//   d_E[p] = sum[k](f(k) where a[k] == p) + sum[k](g(k) where b[k] == p)
//          = sum[k, part in 0..2](if part == 0 { f(k) } else if part == 1 { g(k) } else { 0 }
//                                 where (if part == 0 { a[k] } else if part == 1 { b[k] } else { -1 }) == p)
//
// Of walks that differ because some terms go to one position along an axis and others to all of them, the others walk the axis too:
//
//   d_P[p, a] = sum[k](f(k, a) where at[k] == p, a < 2) + sum[k, a_2 in 0..2](g(k, a_2) where at[k] == p, 2 == a)
//             = sum[k, a_2 in 0..2, part in 0..2](… where at[k] == p, (if part == 0 { a_2 } else if part == 1 { 2 } else { -1 }) == a)
//
// Other terms along different walks are numbered, one walk after another. A term that its guards filter goes to no cell.

import { isOff } from "../ir/rewrites.ts";
import {
  add,
  constant,
  ofVariable,
  renewed,
  subtract,
  variable,
  zero,
  type Term,
} from "../affine/term.ts";
import { pointsOf } from "../ir/cost/points.ts";
import { exceeds, number, scaled } from "../ir/cost/polynomial.ts";
import { keyOf } from "../ir/keys.ts";
import type { Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { usesAny } from "../ir/ties.ts";
import { compared } from "../ir/integers.ts";
import { flattened, tightenedLoop } from "./box.ts";
import { readCell } from "./cells.ts";
import { looksUp } from "./choices.ts";
import { whereAll } from "./frames.ts";
import { tangentType } from "./handed-on.ts";
import { hoisted } from "./hoist.ts";
import { numbersOf, type Pin } from "./pinned-cells.ts";
import { asItIs } from "./seeds.ts";
import { withShared } from "./share.ts";
import { isStepGraph } from "./step-graph.ts";
import { axesFor, type Arrived, type Sweep } from "./sweep.ts";
import { clauseOf, conditionsOf, keyOfPiece, type Piece } from "./transpose.ts";

/** A contribution that lookups send to its cells: where each term goes, along the axes that it is sent along. */
interface Scatter {
  readonly arrived: Arrived;
  readonly piece: Piece;
  readonly to: ReadonlyMap<number, Scalar>;
}

/** What arrives at a definition, with scatters that can be joined as one contribution. */
export function inOneScatter(
  sweep: Sweep,
  definition: Definition,
  arrived: readonly Arrived[],
): readonly Arrived[] {
  // In a recurrence it has to be seen from which step to which a term goes.
  if (isStepGraph(sweep.graph) || sweep.loops.has(definition) || isOff("joined-scatters"))
    return arrived;
  const scatters = arrived.flatMap((each) => scatterOf(each) ?? []);
  const joined = new Map<Arrived, Arrived | undefined>();
  for (const set of setsOf(sweep, scatters)) {
    if (set.length < 2) continue;
    for (const { arrived: part } of set) joined.set(part, undefined);
    joined.set(set[0]!.arrived, join(sweep, definition, set));
  }
  return arrived.flatMap((each) => (joined.has(each) ? (joined.get(each) ?? []) : [each]));
}

/** Sets of scatters that can be joined: all of them where they go along one walk, or those that go along the same axes. */
function setsOf(sweep: Sweep, scatters: readonly Scatter[]): readonly (readonly Scatter[])[] {
  const open = walkingAxes(scatters);
  const isOne = (all: readonly Scatter[]): boolean =>
    new Set(all.map(axesOf)).size === 1 && isOneWalk(all);
  if (scatters.some(({ piece }) => piece.ties.length > 0)) {
    if (isOne(scatters)) return [scatters];
    if (isOne(open)) return [open];
  }
  const sets = new Map<string, Scatter[]>();
  for (const each of scatters) sets.set(axesOf(each), [...(sets.get(axesOf(each)) ?? []), each]);
  return [...sets.values()].flatMap((alike) => joinable(sweep, alike));
}

function axesOf({ to }: Scatter): string {
  return [...to].map(([axis, { type }]) => `${axis} ${type}`).join();
}

function scatterOf(arrived: Arrived): Scatter | undefined {
  const { piece } = arrived;
  if (piece.summed.length === 0) return scatterToCell(arrived);
  if (!piece.ties.some(looksUp)) return undefined;
  const to = new Map<number, Scalar>();
  for (const tie of piece.ties) {
    if (tie.kind !== "apply" || tie.operation !== "equal") return undefined;
    const [place, cell] = tie.operands as [Scalar, Scalar];
    const axis = piece.axes.findIndex((loop) => usesAny(cell, [loop]));
    if (axis < 0 || to.has(axis)) return undefined;
    to.set(axis, place);
  }
  return { arrived, piece, to };
}

/** Tensors of so few cells are added up as they are: that is easier to read. */
const few = 64;

/** What goes to a cell by its number is a scatter of one term. */
function scatterToCell(arrived: Arrived): Scatter | undefined {
  const cells = pointsOf(arrived.piece.axes, []).count;
  if (!exceeds(cells, number(few))) return undefined;
  const pins = numbersOf(arrived.piece);
  const said = new Set(pins.map((pin) => pin.said));
  const ranges = arrived.piece.ranges.filter((range) => !said.has(range));
  const to = new Map(pins.map(({ axis, at }) => [axis, integerScalar(at)]));
  return pins.length > 0 ? { arrived, piece: { ...arrived.piece, ranges }, to } : undefined;
}

/** Sets of scatters: all of them, or those along one walk where others cannot be numbered. */
function joinable(sweep: Sweep, alike: readonly Scatter[]): readonly (readonly Scatter[])[] {
  if (!alike.some(({ piece }) => piece.ties.length > 0)) return [];
  const walks = new Map<string, Scatter[]>();
  for (const each of alike) walks.set(walkOf(each), [...(walks.get(walkOf(each)) ?? []), each]);
  if (walks.size === 1) return [alike];
  const open = walkingAxes(alike);
  if (new Set(open.map(walkOf)).size === 1) return [open];
  // What comes out of the steps of a recurrence is added up step by step.
  const isNumbered = alike.every(
    ({ arrived: { from }, piece }) =>
      !sweep.loops.has(from) && !isNarrowed(piece) && isOneForAll(piece) && flattened(piece.summed),
  );
  return isNumbered ? [alike] : [...walks.values()];
}

/** Scatters that are sent along an axis where one of them is: those that go to a number there, and those that walk the axis because they go to all of it. */
function walkingAxes(scatters: readonly Scatter[]): readonly Scatter[] {
  const pinned = scatters.map(({ piece }) => numbersOf(piece));
  const said = scatters.flatMap(({ to }, k) => [
    ...to.keys(),
    ...pinned[k]!.map(({ axis }) => axis),
  ]);
  const axes = [...new Set(said)].sort((a, b) => a - b);
  return scatters.map((scatter, k) => {
    const open = axes.reduce((each, axis) => {
      const pin = pinned[k]!.find((other) => other.axis === axis);
      if (each.to.has(axis)) return each;
      return pin ? sentTo(each, pin) : walkingAlong(each, axis);
    }, scatter);
    return {
      ...open,
      to: new Map(
        axes.flatMap((axis) => (open.to.has(axis) ? [[axis, open.to.get(axis)!] as const] : [])),
      ),
    };
  });
}

function sentTo({ arrived, piece, to }: Scatter, { axis, at, said }: Pin): Scatter {
  const ranges = piece.ranges.filter((range) => range !== said);
  return { arrived, piece: { ...piece, ranges }, to: new Map([...to, [axis, integerScalar(at)]]) };
}

/** The axis is one more coordinate that is walked, and each term says where it stands. */
function walkingAlong(scatter: Scatter, axis: number): Scatter {
  const { arrived, piece, to } = scatter;
  const along = piece.axes[axis]!;
  if (!isOneForAll({ ...piece, axes: [along] })) return scatter;
  const walked = renewed(along.variable);
  const by = new Map([[along.variable, integerScalar(ofVariable(walked))]]);
  const said = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const others = piece.axes.filter((loop) => loop !== along);
  const { loop, guards } = tightenedLoop(
    others,
    { ...along, variable: walked },
    piece.summed,
    piece.ranges.map(said),
  );
  const open = {
    summed: [...piece.summed, loop],
    ranges: guards,
    guards: piece.guards.map(said),
    ties: piece.ties.map(said),
    value: said(piece.value),
  };
  const places = [...to].map(([other, place]) => [other, said(place)] as const);
  return {
    arrived,
    piece: { ...piece, ...open },
    to: new Map([...places, [axis, integerScalar(ofVariable(walked))]]),
  };
}

/** The same for scatters whose terms are found in the same way: conditions that leave out most points of the walk are part of it. */
function walkOf({ piece }: Scatter): string {
  const conditions = isNarrowed(piece) ? {} : { ranges: [], guards: [] };
  return keyOfPiece({ ...piece, ...conditions, ties: [], value: integerScalar(zero) });
}

/** Whether the walk is the same for every cell. */
function isOneForAll({ axes, summed }: Pick<Piece, "axes" | "summed">): boolean {
  return !summed.some(({ from, to }) => usesAny(from, axes) || usesAny(to, axes));
}

function isNarrowed({ summed, ranges, guards }: Piece): boolean {
  const { count } = pointsOf(summed, [...ranges, ...guards]);
  return exceeds(pointsOf(summed, []).count, scaled(count, 3));
}

/** The terms of one scatter, in the coordinates of the walk over all of them. */
interface Part {
  /** Which terms are its own, unless they are those of a part before it. */
  readonly condition: Scalar;
  readonly conditions: readonly Scalar[];
  readonly to: ReadonlyMap<number, Scalar>;
  readonly value: Scalar;
}

function join(sweep: Sweep, definition: Definition, scatters: readonly Scatter[]): Arrived {
  const [{ arrived, piece }] = scatters as [Scatter];
  const { span } = definition;
  const { summed, parts } = isOneWalk(scatters)
    ? alongOneWalk(sweep, scatters, definition)
    : oneAfterAnother(sweep, scatters, definition);
  const common = inCommon(parts);
  const isCommon = (condition: Scalar): boolean => common.has(keyOf(condition));
  const chosen = (of: (part: Part) => Scalar, none: Scalar): Scalar =>
    parts.reduceRight(
      (otherwise, part): Scalar => ({
        kind: "select",
        type: none.type,
        condition: part.condition,
        then: of(part),
        otherwise,
      }),
      none,
    );
  const axes = [...parts[0]!.to.keys()];
  const placeOf = (part: Part, axis: number): Scalar => {
    const place = part.to.get(axis)!;
    // What is filtered has no place along one axis; along others, what is looked up or divided there may need the protection.
    if (axis !== axes[0] && place.kind === "integer") return place;
    const outcomes = part.conditions
      .filter((each) => !isCommon(each))
      .map((value) => ({ value, holds: true }));
    return whereAll(outcomes, place, nowhereOf(place));
  };
  const ties = axes.map((axis): Scalar => {
    const places = new Set(parts.map((part) => keyOf(placeOf(part, axis))));
    const place =
      places.size === 1
        ? placeOf(parts[0]!, axis)
        : chosen((part) => placeOf(part, axis), nowhereOf(parts[0]!.to.get(axis)!));
    const cell = integerScalar(ofVariable(piece.axes[axis]!.variable));
    const position: Scalar =
      place.type === "i32" ? cell : { kind: "cast", type: place.type, operand: cell };
    return {
      kind: "apply",
      type: "bool",
      within: place.type,
      operation: "equal",
      operands: [place, position],
      span,
    };
  });
  const { type } = parts[0]!.value;
  const value = withShared(chosen((part) => part.value, { kind: "constant", type, value: 0 }));
  const clause = clauseOf({
    ...piece,
    summed,
    ranges: [],
    guards: [...common.values()],
    ties,
    value,
  });
  const name = `d_${definition.name}_from_${arrived.from.name}`;
  const made = sweep.define(
    name,
    tangentType(definition),
    axesFor(sweep, definition),
    [clause],
    span,
  );
  for (const each of scatters) sweep.trace.parts.set(each.arrived.piece, made);
  const loops = piece.axes.map((loop): Loop => ({ ...loop, variable: renewed(loop.variable) }));
  return { ...arrived, piece: asItIs(loops, readCell(made, loops, span), span) };
}

/** The conditions that every part has, by their keys. Those that look something up stay behind the conditions before them, which may protect the lookup. */
function inCommon(parts: readonly Part[]): ReadonlyMap<string, Scalar> {
  const common = new Map<string, Scalar>();
  const all = parts.map(({ conditions }) => conditions.map(keyOf));
  for (const condition of parts[0]!.conditions) {
    const key = keyOf(condition);
    const isFree = !looksUp(condition);
    const isIn = (keys: readonly string[]): boolean =>
      keys.includes(key) &&
      (isFree || keys.slice(0, keys.indexOf(key)).every((before) => common.has(before)));
    if (all.every(isIn)) common.set(key, condition);
  }
  return common;
}

/** A place that is no cell's. */
function nowhereOf({ type }: Scalar): Scalar {
  return type === "i32" ? integerScalar(constant(-1)) : { kind: "constant", type, value: -1n };
}

function isOneWalk(scatters: readonly Scatter[]): boolean {
  return new Set(scatters.map(walkOf)).size === 1;
}

interface Walk {
  readonly summed: readonly Loop[];
  readonly parts: readonly Part[];
}

/** Every point of the walk has a term of each. */
function alongOneWalk(sweep: Sweep, scatters: readonly Scatter[], definition: Definition): Walk {
  const { summed } = scatters[0]!.piece;
  const part = variable("part");
  const which: Loop = {
    variable: part,
    from: integerScalar(zero),
    to: integerScalar(constant(scatters.length)),
    reversed: false,
  };
  const own = summed.map((loop) => ofVariable(loop.variable));
  const parts = scatters.map((scatter, k) => {
    const condition = compared(
      "equal",
      integerScalar(ofVariable(part)),
      integerScalar(constant(k)),
      definition.span,
    );
    return partAt(sweep, scatter, definition, scatters[0]!.piece.axes, own, condition);
  });
  return { summed: [...summed, which], parts };
}

/** The terms of each are numbered behind those of the others. */
function oneAfterAnother(sweep: Sweep, scatters: readonly Scatter[], definition: Definition): Walk {
  const term = variable("term");
  let start: Term = zero;
  const parts = scatters.map((scatter) => {
    const { size, at } = flattened(scatter.piece.summed)!;
    const positions = at(subtract(ofVariable(term), start));
    start = add(start, size);
    const condition = compared(
      "less",
      integerScalar(ofVariable(term)),
      integerScalar(start),
      definition.span,
    );
    return partAt(sweep, scatter, definition, scatters[0]!.piece.axes, positions, condition);
  });
  const all: Loop = {
    variable: term,
    from: integerScalar(zero),
    to: integerScalar(start),
    reversed: false,
  };
  return { summed: [all], parts };
}

function partAt(
  sweep: Sweep,
  { piece, to }: Scatter,
  { name }: Definition,
  cells: readonly Loop[],
  positions: readonly Term[],
  condition: Scalar,
): Part {
  const { axes, summed } = piece;
  const by = new Map([
    ...axes.map(
      (loop, k) => [loop.variable, integerScalar(ofVariable(cells[k]!.variable))] as const,
    ),
    ...summed.map((loop, k) => [loop.variable, integerScalar(positions[k]!)] as const),
  ]);
  const said = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const value = hoisted(sweep, name, axes, summed, piece.value, conditionsOf(piece));
  return {
    condition,
    conditions: [...piece.ranges, ...piece.guards].map(said),
    to: new Map([...to].map(([axis, place]) => [axis, said(place)])),
    value: said(value),
  };
}

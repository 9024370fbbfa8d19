// This folder transposes reads: it turns them around, from the cells of the reader to the cells
// that are read. It finds no coefficients; that is done in `scalar` and `rules`.
//
// A read x[e(v)] with the coefficient c(v), in a clause of y, sends
//
//    x̄[p] += Σ { v : e(v) = p } c(v)·ȳ[o(v)]
//
//    y[i, j] = x[i] * b[j]   sends   d_x[p] += sum[j](b[j]·d_y[p, j])
//
// The index equations p = e(v) are solved. Solved coordinates are kept, with guards for their
// ranges and for divisibility. The other coordinates are path coordinates and are summed. An index
// that is data cannot be solved. It becomes a guard that ties the cell to the summed coordinates,
// which makes a scatter. Guards and conditions of branches stay outermost.

import {
  constantOf,
  equal,
  multiply,
  ofVariable,
  plus,
  renewed,
  subtract,
  variable,
  type Term as Integer,
  type Variable,
} from "../../affine/term.ts";
import type { Range } from "../../affine/range.ts";
import { eachAtom, mentions } from "../../affine/visit.ts";
import { contradictory, holds, sameValue, type Fact } from "../../affine/prove.ts";
import { solve, type Coordinate, type Guard } from "../../affine/solve.ts";
import {
  boundsOf,
  factsOf,
  isOpaque,
  loopFacts,
  termOf,
  type Opaque,
} from "../../analyse/facts.ts";
import { halfOf, pointsOf } from "../../cost/points.ts";
import { exceeds, scaled } from "../../cost/polynomial.ts";
import { withoutImplied } from "../../analyse/implied.ts";
import { compared, integerOf } from "../../ir/integers.ts";
import { negation } from "../../analyse/opposite.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import {
  instantiate,
  integerScalar,
  replacing,
  arithmetic,
  coordinateScalar,
} from "../../ir/substitute.ts";
import { lookedUpIn } from "../../analyse/pins.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { isAnywhere, isOfCoordinates } from "../../ir/parts.ts";
import type { Span } from "../../base/source.ts";
import type { CoordinateName } from "../sweep/coordinate-names.ts";
import { rebuilt } from "../rewrites/expression-parts.ts";
import { asDecided } from "./decided-pieces.ts";
import { pinned } from "./pinned.ts";
import { keyOf, numberOf, onceEach, placeholder } from "../../ir/keys.ts";
import { type Condition } from "../scalar/products.ts";
import { applied } from "../../ir/simple-scalars.ts";

/**
 * One contribution to x̄: for the cell at `axes`, the sum of `value` over `summed`, where the
 * conditions hold.
 */
export interface Piece {
  readonly axes: readonly Loop[];
  readonly summed: readonly Loop[];
  /** Conditions from solving the index equations. They only say which cells exist. */
  readonly ranges: readonly Scalar[];
  /** Guards and conditions of the primal. They filter. */
  readonly guards: readonly Scalar[];
  /**
   * Index equations that were not solved. They are tested last: a lookup in them is valid only
   * where the primal makes it.
   */
  readonly ties: readonly Scalar[];
  readonly value: Scalar;
  /**
   * The solution: each coordinate of the primal's clause, in terms of the coordinates of the cell
   * and of the sum.
   */
  readonly inverse: ReadonlyMap<Variable, Scalar>;
  readonly span: Span;
}

interface Contribution {
  readonly read: Extract<Scalar, { kind: "read" }>;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly conditions: readonly Condition[];
  /**
   * Conditions that hold wherever the read is made. They are written down so that later proofs can
   * use them.
   */
  readonly certain?: readonly Scalar[];
  readonly value: Scalar;
  readonly span: Span;
}

/** A coordinate for one of several pullbacks that run at once. */
export interface Lane {
  readonly loop: Loop;
  /** The coordinate of the primal's own cell, if each cell has a lane of its own. */
  readonly cell?: Variable;
}

/**
 * Transposes one read. `names` are the names of x's coordinates. The coordinates of the lanes come
 * first.
 *
 * The inverse of a quotient or remainder may have far more points than the primal: for x[(2·i + k)
 * % n], all i for each cell. Then the index is not inverted. It says where terms go, as a lookup
 * does.
 */
export function transpose(
  opaque: Opaque,
  sent: Contribution,
  names: readonly CoordinateName[],
  known: readonly Fact[],
  lanes: readonly Lane[] = [],
): Piece {
  const inverted = transposeWith(opaque, sent, names, known, lanes, () => true);
  const { axes, summed, ranges } = inverted;
  if (lanes.length > 0 || summed.length === 0 || !sent.read.indices.some(isDividing))
    return inverted;
  const gathered = pointsOf([...axes, ...summed], ranges).count;
  const own = pointsOf(sent.loops, sent.guards).count;
  return exceeds(gathered, scaled(own, 2))
    ? transposeWith(opaque, sent, names, known, lanes, (term) => !isDivided(term))
    : inverted;
}

function transposeWith(
  opaque: Opaque,
  sent: Contribution,
  names: readonly CoordinateName[],
  known: readonly Fact[],
  lanes: readonly Lane[],
  isInverted: (term: Integer) => boolean,
): Piece {
  const { read, loops } = sent;
  const target = read.definition;
  const cells = target.axes.map((axis, k): Loop => ({
    variable: variable(names[k]!.name, names[k]!.pack),
    from: integerScalar({ constant: 0, parts: [] }),
    to: integerScalar(axis.extent),
    reversed: false,
  }));
  const axes = [...lanes.map((lane) => lane.loop), ...cells];
  const by = new Map<Variable, Scalar>();
  const { left, ranges: there, guards, conditions } = pinned({ opaque, known }, loops, sent, by);
  const contribution: Contribution = { ...sent, guards, conditions };
  const held = [...by];
  // A coordinate may have the position of another coordinate, which is known only at the end.
  const settle = (): void => held.forEach(([v, position]) => by.set(v, instantiate(position, by)));
  const pins = there.map((guard) => guardScalar(guard, sent.span));
  const facts = [...known, ...loopFacts(opaque, axes, known)];
  const indices = read.indices.map((index) => instantiate(index, by));

  const inside = [...facts, ...loopFacts(opaque, left, facts)];
  const terms = indices.map((index) => termOf(opaque, index, inside));
  const own = lanes.flatMap(({ loop, cell }) =>
    cell ? [{ left: ofVariable(loop.variable), right: cellTerm(cell, by) }] : [],
  );
  const { unknowns, walked } = coordinatesOf(opaque, left, inside);
  const isWalked = (term: Integer): boolean => walked.some((loop) => mentions(term, loop.variable));
  // If the cell depends on one coordinate that is walked, all coordinates are walked.
  const sides = [...terms, ...own.map(({ right }) => right)];
  const solvable =
    walked.length === 0 ||
    (terms.length > 0 && !sides.some((term) => isOpaque(opaque, term) || isWalked(term)));
  // If a lookup scatters the terms anyway, a quotient or remainder is not inverted either. The
  // points are then those of the primal.
  const isSent = terms.some((term) => isOpaque(opaque, term));
  const isSolved = (term: Integer): boolean =>
    !isOpaque(opaque, term) && isInverted(term) && !(isSent && isDivided(term));
  const equations = terms.flatMap((term, k) =>
    solvable && isSolved(term) ? [{ k, left: ofVariable(cells[k]!.variable), right: term }] : [],
  );
  const solved = solvable ? solve(unknowns, [...own, ...equations], facts) : undefined;
  // A range that data bounds is looked up before any guard is tested. So the lookup must be valid
  // for every cell, and the solution must have no guards.
  const solution = walked.length === 0 || solved?.guards.length === 0 ? solved : undefined;

  const summed: Loop[] = [];
  if (solution) {
    for (const [v, term] of solution.solved) by.set(v, integerScalar(term));
    const renamed = new Map<Variable, Scalar>();
    for (const { variable: v, range } of solution.remaining) {
      const loop = freshLoop(v, range, renamed);
      renamed.set(v, coordinateScalar(loop));
      by.set(v, coordinateScalar(loop));
      summed.push(loop);
    }
    for (const [v, scalar] of by) by.set(v, instantiate(scalar, renamed));
    summed.push(...walkedLoops(walked, by));
    settle();
    const unsolved = new Set(solution.unsolved.map((equation) => equation.left));
    const ties = terms.flatMap((_, k) => {
      const equation = equations.find((each) => each.k === k);
      return !equation || unsolved.has(equation.left)
        ? [
            equality(
              instantiate(indices[k]!, by),
              ofVariable(cells[k]!.variable),
              contribution.span,
            ),
          ]
        : [];
    });
    const inverted = solution.guards.map((guard) =>
      instantiate(guardScalar(guard, contribution.span), renamed),
    );
    const ranges = [...pins.map((pin) => instantiate(pin, by)), ...inverted];
    // An equation that is only tested does not hold before its test.
    const isFound = (k: number): boolean =>
      equations.some((each) => each.k === k && !unsolved.has(each.left));
    const there = inTermsOf(cells, contribution, isFound);
    return asDecided(opaque, pieceOf(there, axes, summed, ranges, ties, by), facts);
  }
  summed.push(...walkedLoops(left, by));
  settle();
  const ties = indices.map((index, k) =>
    equality(instantiate(index, by), ofVariable(cells[k]!.variable), contribution.span),
  );
  const sameCells = lanes.flatMap(({ loop, cell }) =>
    cell
      ? [
          equality(
            instantiate(integerScalar(ofVariable(cell)), by),
            ofVariable(loop.variable),
            contribution.span,
          ),
        ]
      : [],
  );
  return pieceOf(
    contribution,
    axes,
    summed,
    [...pins.map((pin) => instantiate(pin, by)), ...sameCells],
    ties,
    by,
  );
}

function isDividing(index: Scalar): boolean {
  return isAnywhere(
    index,
    (part) => part.kind === "apply" && ["divide", "remainder"].includes(part.operation),
  );
}

/** Does the term contain quotients or remainders? */
function isDivided(term: Integer): boolean {
  let found = false;
  eachAtom(term, ({ kind }) => void (found ||= kind === "floor"));
  return found;
}

/**
 * The coordinates that can be solved for, and those that can only be walked: their ranges depend on
 * data, or on other coordinates that are walked.
 */
function coordinatesOf(
  opaque: Opaque,
  loops: readonly Loop[],
  facts: readonly Fact[],
): { readonly unknowns: readonly Coordinate[]; readonly walked: readonly Loop[] } {
  const unknowns: Coordinate[] = [];
  const walked: Loop[] = [];
  for (const loop of loops) {
    const range = boundsOf(opaque, loop, facts);
    const isOpen = (bound: Integer): boolean =>
      isOpaque(opaque, bound) || walked.some((other) => mentions(bound, other.variable));
    if (isOpen(range.from) || isOpen(range.to)) walked.push(loop);
    else unknowns.push({ variable: loop.variable, range });
  }
  return { unknowns, walked };
}

/** Copies of the primal's loops with new coordinates. */
function walkedLoops(loops: readonly Loop[], by: Map<Variable, Scalar>): readonly Loop[] {
  return loops.map((loop) => {
    const copy: Loop = {
      ...loop,
      variable: renewed(loop.variable),
      from: instantiate(loop.from, by),
      to: instantiate(loop.to, by),
    };
    by.set(loop.variable, coordinateScalar(copy));
    return copy;
  });
}

/** A coordinate of the primal's cell. It may have been replaced by a number. */
function cellTerm(cell: Variable, by: ReadonlyMap<Variable, Scalar>): Integer {
  const pinned = by.get(cell);
  return pinned?.kind === "integer" ? pinned.term : ofVariable(cell);
}

function pieceOf(
  contribution: Contribution,
  axes: readonly Loop[],
  summed: readonly Loop[],
  ranges: readonly Scalar[],
  ties: readonly Scalar[],
  by: ReadonlyMap<Variable, Scalar>,
): Piece {
  const conditions = contribution.conditions.map(({ value, holds }) =>
    holds ? value : negation(value, contribution.span),
  );
  // A part of an expression has the guards of its clause. Sent back through both, a guard would
  // occur twice.
  const written = withoutImplied([...onceEach(contribution.guards), ...conditions]);
  const settled = replacing(by);
  const guards = written.map((guard) => settled(guard));
  const filters = guards.filter((guard) => !(guard.kind === "constant" && guard.value === true));
  const certain = (contribution.certain ?? []).map((guard) => instantiate(guard, by));
  // The reads in `certain` are valid only where the primal makes its read. So they come after its
  // guards.
  const isBehind = filters.length > 0;
  return {
    axes,
    summed,
    ranges: isBehind ? ranges : [...ranges, ...certain],
    ties,
    guards: isBehind ? [...filters, ...certain] : filters,
    value: instantiate(contribution.value, by),
    inverse: by,
    span: contribution.span,
  };
}

/**
 * Writes the contribution in terms of the cell. If x[i / 4] is read, the index of y[i / 4] is the
 * cell p of x: y[p].
 */
function inTermsOf(
  cells: readonly Loop[],
  contribution: Contribution,
  isSolved: (index: number) => boolean,
): Contribution {
  const { read, value, guards, conditions } = contribution;
  const places = new Map<string, Scalar>();
  for (const [k, index] of read.indices.entries())
    if (index.kind === "apply" && isSolved(k) && isOfCoordinates(index))
      places.set(keyOf(index), coordinateScalar(cells[k]!));
  if (places.size === 0) return contribution;
  const inTerms = (scalar: Scalar): Scalar => rebuilt(scalar, (part) => places.get(keyOf(part)));
  return {
    ...contribution,
    value: inTerms(value),
    guards: guards.map(inTerms),
    conditions: conditions.map((condition) => ({ ...condition, value: inTerms(condition.value) })),
  };
}

/** Does the piece contribute to no cell? `where 1 == r` leaves no r in 0..1. */
export function isEmpty(opaque: Opaque, piece: Piece, known: readonly Fact[]): boolean {
  const conditions = conditionsOf(piece).flatMap(conjuncts);
  const loops = [...piece.axes, ...piece.summed];
  if (conditions.some((condition) => isNever(condition) || putsBeforeStart(condition, loops)))
    return true;
  if (conditions.length === 0) return false;
  const around = [...known, ...loopFacts(opaque, loops, known)];
  const facts = [
    ...around,
    ...conditions.flatMap((condition) => factsOf(opaque, condition, true, around)),
  ];
  if (contradictory(facts)) return true;
  const excluding = conditions.flatMap((condition) => excludedBy(condition) ?? []);
  return excluding.some(({ left, right }) => holds(sameValue(left, right), facts));
}

function isNever(guard: Scalar): boolean {
  if (guard.kind !== "apply") return guard.kind === "constant" && guard.value === false;
  const [a, b] = guard.operands.map(integerOf);
  const gap = a && b && constantOf(subtract(a, b));
  if (guard.operation === "equal" && gap !== undefined) return gap !== 0;
  const half = halfOf(guard);
  return half !== undefined && (constantOf(half) ?? 0) < 0;
}

/** Does an equation put a coordinate before its first position? An example is 0 == i + 1. */
function putsBeforeStart(guard: Scalar, loops: readonly Loop[]): boolean {
  if (guard.kind !== "apply" || guard.operation !== "equal" || guard.within !== "i32") return false;
  const [a, b] = guard.operands.map(integerOf);
  if (!a || !b) return false;
  return loops.some(({ variable: v, from }) => {
    const first = integerOf(from);
    // The distance of the coordinate from its first position, by the equation.
    const gaps = first
      ? [subtract(a, b), subtract(b, a)].map((gap) => subtract(subtract(ofVariable(v), first), gap))
      : [];
    return gaps.some((gap) => (constantOf(gap) ?? 0) < 0);
  });
}

/** The two integers of a guard `a != b`. */
function excludedBy(
  guard: Scalar,
): { readonly left: Integer; readonly right: Integer } | undefined {
  if (guard.kind !== "apply" || guard.operation !== "notEqual" || guard.within !== "i32")
    return undefined;
  const [left, right] = guard.operands.map(integerOf);
  return left && right ? { left, right } : undefined;
}

/** The definition that the piece passes on without a change. */
export function aliasOf({
  axes,
  summed,
  ranges,
  guards,
  ties,
  value,
}: Piece): Definition | undefined {
  if (
    summed.length > 0 ||
    conditionsOf({ ranges, guards, ties }).length > 0 ||
    value.kind !== "read"
  )
    return undefined;
  const isWholeRead =
    value.indices.length === axes.length &&
    value.indices.every(
      (index, k) => index.kind === "integer" && equal(index.term, ofVariable(axes[k]!.variable)),
    );
  return isWholeRead ? value.definition : undefined;
}

/** The conditions in the order in which they are tested. */
export function conditionsOf({
  ranges,
  guards,
  ties,
}: Pick<Piece, "ranges" | "guards" | "ties">): readonly Scalar[] {
  return [...ranges, ...guards, ...ties];
}

export function clauseOf(piece: Piece): Clause {
  const { axes, summed, value, span } = piece;
  const conditions = conditionsOf(piece);
  if (summed.length === 0)
    return { loops: axes, guards: conditions, body: { kind: "map", value }, span };
  return {
    loops: axes,
    guards: [],
    body: {
      kind: "reduce",
      reduction: "sum",
      loops: afterLookups(summed, conditions),
      guards: conditions,
      value,
      span,
    },
    span,
  };
}

/**
 * Puts a coordinate that a lookup determines, as i in `dst[c] == i`, after the coordinates of the
 * lookup. Then one position of i is visited for each c. Otherwise each c would be visited for every
 * i.
 */
function afterLookups(summed: readonly Loop[], conditions: readonly Scalar[]): readonly Loop[] {
  const equations = conditions.flatMap(conjuncts);
  const lookups = (loop: Loop): readonly Scalar[] =>
    equations.flatMap((each) => lookedUpIn(each, loop) ?? []);
  let loops = summed;
  for (const loop of summed) {
    const others = loops.filter((each) => each !== loop);
    const lookup = lookups(loop).find((at) => usesAny(at, others));
    const isUsed = others.some((other) =>
      [other.from, other.to, ...lookups(other)].some((each) => usesAny(each, [loop])),
    );
    if (!lookup || isUsed) continue;
    const last = others.findLastIndex((other) => usesAny(lookup, [other]));
    loops = [...others.slice(0, last + 1), loop, ...others.slice(last + 1)];
  }
  return loops;
}

/** A text that is equal for pieces that differ only in the names of their coordinates. */
export function keyOfPiece(piece: Piece): string {
  const by = new Map<Variable, Scalar>();
  const loops = [...piece.axes, ...piece.summed].map((loop, k) => {
    const text = [loop.from, loop.to].map((bound) => numberOf(instantiate(bound, by))).join("..");
    by.set(loop.variable, integerScalar(ofVariable(placeholder(k))));
    return text;
  });
  const parts = [...conditionsOf(piece), piece.value].map((scalar) =>
    numberOf(instantiate(scalar, by)),
  );
  return `${piece.axes.length} ${loops.join()} ${parts.join(" ")}`;
}

function freshLoop(of: Variable, range: Range, by: ReadonlyMap<Variable, Scalar>): Loop {
  return {
    variable: renewed(of),
    from: instantiate(integerScalar(range.from), by),
    to: instantiate(integerScalar(range.to), by),
    reversed: false,
  };
}

/**
 * ⌊dividend / divisor⌋ + more, with a small divisor. A small multiple of a position is still an
 * i32, whatever the size of its tensor.
 */
interface Quotient {
  readonly dividend: Integer;
  readonly divisor: Integer;
  readonly more: number;
}

const largestDivisor = 4;

function quotientIn(term: Integer): Quotient | undefined {
  const [only, another] = term.parts;
  const [atom, factor] = only?.factors ?? [];
  if (another || factor || only?.coefficient !== 1 || atom?.kind !== "floor") return undefined;
  const { dividend, divisor } = atom;
  const by = constantOf(divisor) ?? 0;
  return by > 0 && by <= largestDivisor ? { dividend, divisor, more: term.constant } : undefined;
}

function guardScalar(guard: Guard, span: Span): Scalar {
  const compare = (operation: "lessEqual" | "less" | "equal", a: Integer, b: Integer): Scalar =>
    compared(operation, integerScalar(a), integerScalar(b), span);
  switch (guard.kind) {
    case "in": {
      // p < ⌊e / d⌋ + c   is   d·(p - c + 1) <= e,   and   ⌊e / d⌋ + c <= p   is   e < d·(p - c +
      // 1). In this form, the bound limits the coordinates of e.
      const [low, high] = [quotientIn(guard.range.from), quotientIn(guard.range.to)];
      const times = ({ divisor, more }: Quotient): Integer =>
        multiply(divisor, plus(guard.value, 1 - more));
      const operands = [
        low
          ? compare("less", low.dividend, times(low))
          : compare("lessEqual", guard.range.from, guard.value),
        high
          ? compare("lessEqual", times(high), high.dividend)
          : compare("less", guard.value, guard.range.to),
      ];
      // If the range is not empty, its first and last position are inside.
      if (equal(guard.range.from, guard.value)) return operands[1]!;
      if (equal(plus(guard.value, 1), guard.range.to)) return operands[0]!;
      return applied("and", operands, span);
    }
    case "divisible": {
      const [value, by] = [integerScalar(guard.value), integerScalar(guard.by)];
      const rest = arithmetic("remainder", value, by, span);
      return compared("equal", rest, integerScalar({ constant: 0, parts: [] }), span);
    }
    case "equal":
      return compare("equal", guard.left, guard.right);
    default:
      return guard satisfies never;
  }
}

/**
 * The condition that a value is a position. A coordinate is an i32, and is compared in the type of
 * the value.
 */
function equality(value: Scalar, at: Integer, span: Span): Scalar {
  const { type } = value;
  const position: Scalar =
    type === "i32" ? integerScalar(at) : { kind: "cast", type, operand: integerScalar(at) };
  return {
    kind: "apply",
    type: "bool",
    within: type,
    operation: "equal",
    operands: [value, position],
    span,
  };
}

// This folder rewrites reductions so that kernels compute them with less work; regions, and guards
// as bounds, are in `regions/`.
//
// This file finds contractions: sums of products that can be computed as matrix products.
//
//   C[b, i, j] = sum[k](A[b, i, k] * B[b, k, j])
//
// The factors of a term are divided among two operands. Rows are the coordinates of the result that
// only the left operand uses, columns those that only the right operand uses, and batch those that
// both use; the summed coordinates are the depth. In the example, rows are i, columns j, batch b
// and depth k. Only the used coordinates count, not how the indices are written. So convolutions,
// transposed and strided operands, and the sums of derivatives are all handled alike. The sums are
// written into cells, which the rest of the definition reads.

import { isOff } from "../../ir/rewrites.ts";
import type { Variable } from "../../affine/term.ts";
import { constantOf, ofVariable, subtract } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar, isAnywhere, withoutLocals } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { conjuncts, tiesOf } from "../../analyse/ties.ts";
import { intervalOf } from "../regions/intervals.ts";
import { withoutWidening, inType } from "../narrow.ts";
import { isMultiplied, operandOf, type Operand } from "./operand.ts";
import { inPhases } from "../regions/phases.ts";
import { productOf } from "./product.ts";
import {
  boxesOf,
  cellsAt,
  cellsIn,
  loopsOfSides,
  scalarsIn,
  sized,
  asOneRegion,
  intervalsOfSides,
  type Case,
  type Reduced,
  type Region,
  type Side,
  type Sized,
  type Sizing,
} from "../regions/regions.ts";
import { rewriteReduction, rewriteScalar } from "../rewrite.ts";
import { isSameScalar } from "../same.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { simplify, type Place } from "../regions/simplify.ts";
import { newTotals, readTotalsAt, type Totals } from "./totals.ts";
import { compared } from "../../ir/integers.ts";

export interface Contraction {
  /**
   * The definition whose cells get the sums: the contracted definition itself, or totals beside it.
   */
  readonly target: Definition;
  /** The cell that a sum is written to. */
  readonly indices: readonly Scalar[];
  readonly element: "f32" | "f64";
  /** The coordinates of the target, in the order of its axes. */
  readonly sides: readonly Side[];
  readonly batch: readonly Side[];
  readonly rows: readonly Side[];
  readonly columns: readonly Side[];
  readonly depth: readonly Side[];
  readonly left: Operand;
  readonly right: Operand;
}

export interface Contractions {
  readonly all: readonly Contraction[];
  /**
   * The definition computed term by term instead. A guard leaves a term out even if the other
   * factor is infinite, but a product 0 * ∞ in a matrix product is NaN.
   */
  readonly exactly: () => Sized;
}

/**
 * With fewer rows, columns or terms than this, the panels of the matrix product are mostly padding.
 */
const leastSide = 4;
/** An operand that is not read in place is not computed if it has more cells than this. */
const mostCells = 1 << 26;

/**
 * Separates the contractions of a definition from the rest. Gives `undefined` where no contraction
 * has at least `leastProducts` products.
 */
export function contracted(
  definition: Definition,
  shape: readonly number[],
  sizing: Sizing,
  leastProducts: number,
): Sized | undefined {
  const element = sizing.typeOf(definition.element);
  if (isOff("multiply") || !isMultiplied(element) || shape.includes(0)) return undefined;
  const whole = asOneRegion(definition, shape, sizing);
  if (
    !whole.cases.some(({ reductions }) => reductions.some(({ body }) => body.reduction === "sum"))
  )
    return undefined;
  const own: Totals = { definition, element, shape, start: 0 };
  const phases = inPhases(whole, sizing.typeOf);
  const contractIn = (regions: readonly Region[]): readonly ContractedRegion[] | undefined => {
    const contracted = regions.map((region) =>
      contractedRegion(own, region, sizing.typeOf, leastProducts),
    );
    return contracted.every((part) => part !== undefined) &&
      contracted.some((part) => part.all.length > 0)
      ? contracted
      : undefined;
  };
  // Some sums exist only in some of the cells. Cutting the region into boxes finds them.
  const parts =
    contractIn(phases) ?? contractIn(phases.flatMap((phase) => boxesOf(phase, sizing.typeOf)));
  if (!parts) return undefined;
  const all = parts.flatMap((part) => part.all);
  const operandsToCompute = all.flatMap(({ left, right }) =>
    [left, right].flatMap((operand) => operand.made ?? []),
  );
  return {
    definition,
    element,
    shape,
    regions: parts.flatMap((part) => part.rest),
    scratch: [
      ...parts.flatMap((part) => part.scratch),
      ...operandsToCompute.map((each) => ({
        definition: each.definition,
        element: each.element,
        shape: each.shape,
        start: 0,
      })),
    ],
    contractions: { all, exactly: () => sized(definition, shape, sizing, inPhases) },
  };
}

/** The contractions of a region, the extra cells for their sums, and the regions that remain. */
interface ContractedRegion {
  readonly all: readonly Contraction[];
  readonly scratch: readonly Totals[];
  readonly rest: readonly Region[];
}

/** `undefined` where the first case has guards, so that the cells have several cases. */
function contractedRegion(
  own: Totals,
  region: Region,
  typeOf: Place["typeOf"],
  leastProducts: number,
): ContractedRegion | undefined {
  const { sides, cases } = region;
  const { definition } = own;
  const known = intervalsOfSides(sides);
  const place: Place = { known, typeOf, locals: new Map() };
  const [first] = cases;
  if (!first!.guards.every((guard) => valueOf(simplify(guard, place)) === true)) return undefined;
  const all: Contraction[] = [];
  const scratch: Totals[] = [];
  const indices = cellsAt(region);
  const names = new Map<Local, Local>(first!.reductions.map(({ name }) => [name, name]));
  const remaining = first!.reductions.filter((reduced) => {
    const found = contractionOf(definition, sides, [], reduced, names, place, leastProducts);
    if (!found) return true;
    const isOwn = all.length === 0 && found.element === own.element;
    const totals = isOwn ? own : newTotals(definition, found.element, own.shape, 0);
    if (!isOwn) scratch.push(totals);
    all.push({ ...found, target: totals.definition, indices });
    names.set(reduced.name, namedProducts(totals, indices, found, reduced));
    return false;
  });
  if (all.length === 0) return { all, scratch, rest: boxesOf(region, typeOf) };
  const { reductions, value } = withValuesOfNames(remaining, first!.value, names);
  const isOnly = isOwnCell(withoutCastThereAndBack(value), definition, indices);
  const rest = isOnly
    ? []
    : boxesOf({ ...region, cases: [{ guards: [], reductions, value }] }, typeOf);
  return { all, scratch, rest };
}

/** A local that reads the sums of products, in the type of the reduction that they replace. */
function namedProducts(
  totals: Totals,
  indices: readonly Scalar[],
  { element }: Found,
  { name, body }: Reduced,
): Local {
  return {
    name: name.name,
    value: inType(body.value.type, readTotalsAt(totals, indices, element, body)),
  };
}

/** The remaining reductions and the value of a case, where other values replace some names. */
function withValuesOfNames(
  left: readonly Reduced[],
  value: Scalar,
  names: Map<Local, Local>,
): Omit<Case, "guards"> {
  const reading = (scalar: Scalar): Scalar => rewriteScalar(scalar, () => undefined, names);
  const reductions = left.map(({ name, body }): Reduced => ({
    name,
    body: rewriteReduction(body, reading),
  }));
  return { reductions, value: reading(value) };
}

/** Removes a cast to a wider type that is followed by the cast back. */
function withoutCastThereAndBack(scalar: Scalar): Scalar {
  const value = withoutLocals(scalar);
  const wide = value.kind === "cast" ? withoutLocals(value.operand) : value;
  const narrow = wide.kind === "cast" ? withoutLocals(withoutWidening(wide)) : wide;
  return narrow.type === value.type ? narrow : value;
}

function isOwnCell(value: Scalar, definition: Definition, indices: readonly Scalar[]): boolean {
  return (
    value.kind === "read" &&
    value.definition === definition &&
    value.indices.every((index, axis) => isSameScalar(index, indices[axis]!))
  );
}

/**
 * A contraction inside the steps of a recurrence. `held` has the sides that the loops of the
 * recurrence hold, by axis; `sides` has the others.
 */
export interface StepContraction extends Contraction {
  readonly held: ReadonlyMap<number, Side>;
}

interface StepContractions {
  /** What remains to be computed in each step. */
  readonly rest: Sized;
  readonly steps: readonly StepContraction[];
  /** The totals that are not the definition's own cells. */
  readonly beside: readonly Totals[];
}

/**
 * Separates the contractions of each step from the rest, for a definition that is computed step by
 * step. Gives `undefined` where there is no contraction.
 */
export function contractedSteps(
  sized: Sized,
  heldAxes: ReadonlySet<number>,
  keptSteps: number,
  typeOf: Place["typeOf"],
  leastProducts: number,
): StepContractions | undefined {
  const { definition, element, shape } = sized;
  const own: Totals = { definition, element, shape, start: 0 };
  const [heldAt, another] = heldAxes;
  const steps: StepContraction[] = [];
  const beside: Totals[] = [];
  // The first sum of a cell goes to the cell. Each further sum gets totals of its own, which hold
  // one step at a time.
  const totalsOf = (sum: number): Totals | undefined => {
    if (sum === 0) return own;
    return another === undefined
      ? (beside[sum - 1] ??= { ...newTotals(definition, element, shape, 0), heldAt: heldAt! })
      : undefined;
  };
  const regions = sized.regions.map((region): Region => {
    const [only, ...more] = region.cases;
    if (!only || more.length > 0 || region.scan || region.scatters) return region;
    const held = new Map([...heldAxes].map((axis) => [axis, region.sides[axis]!]));
    // The sums are stored in the cells of the step for a while, so no term may read these cells
    // before they are final.
    if (readsOwnStep(definition, only, held, keptSteps)) return region;
    const free = region.sides.filter((_, axis) => !heldAxes.has(axis));
    const known = intervalsOfSides(region.sides);
    const place: Place = { known, typeOf, locals: new Map() };
    const names = new Map<Local, Local>(only.reductions.map(({ name }) => [name, name]));
    const indices = cellsAt(region);
    let sums = 0;
    const remaining = only.reductions.filter((reduced) => {
      const found = contractionOf(
        definition,
        free,
        [...held.values()],
        reduced,
        names,
        place,
        leastProducts,
      );
      if (found?.element !== element || !isReadInPlace(found.left) || !isReadInPlace(found.right))
        return true;
      const totals = totalsOf(sums);
      if (!totals) return true;
      sums++;
      steps.push({ ...found, target: totals.definition, indices, held });
      names.set(reduced.name, namedProducts(totals, indices, found, reduced));
      return false;
    });
    if (sums === 0) return region;
    return {
      ...region,
      cases: [{ guards: [], ...withValuesOfNames(remaining, only.value, names) }],
    };
  });
  return steps.length > 0 ? { rest: { ...sized, regions }, steps, beside } : undefined;
}

function isReadInPlace({ made, isMasked }: Operand): boolean {
  return !made && !isMasked;
}

/**
 * Whether a case reads cells that its own step computes. This includes cells of earlier steps whose
 * memory the step reuses, because only `keptSteps` steps are kept.
 */
function readsOwnStep(
  definition: Definition,
  only: Case,
  held: ReadonlyMap<number, Side>,
  keptSteps: number,
): boolean {
  let found = false;
  for (const scalar of scalarsIn(only))
    eachScalar(scalar, (part) => {
      if (
        part.kind !== "read" ||
        part.definition !== definition ||
        only.reductions.some(({ name }) => name.value === part)
      )
        return;
      const isEarlier = [...held].some(([axis, { variable }]) => {
        const index = part.indices[axis];
        const distance =
          index?.kind === "integer"
            ? constantOf(subtract(index.term, ofVariable(variable)))
            : undefined;
        return distance !== undefined && distance !== 0 && Math.abs(distance) < keptSteps;
      });
      if (!isEarlier) found = true;
    });
  return found;
}

/** The number of products that a contraction adds up. */
export function productsOf({ sides, depth }: Contraction): number {
  return cellsIn(sides) * cellsIn(depth);
}

type Found = Omit<Contraction, "target" | "indices">;

/** A factor or a guard of the terms, with the coordinates that it depends on. */
interface Piece {
  readonly scalar: Scalar;
  readonly uses: ReadonlySet<Variable>;
}

function contractionOf(
  definition: Definition,
  sides: readonly Side[],
  held: readonly Side[],
  { body }: Reduced,
  names: ReadonlyMap<Local, Local>,
  place: Place,
  leastProducts: number,
): Found | undefined {
  if (body.reduction !== "sum") return undefined;
  const known = new Map(place.known);
  const inner: Place = { ...place, known, locals: new Map(place.locals) };
  const depth: Side[] = [];
  const guards: Scalar[] = body.guards.flatMap(conjuncts);
  for (const loop of body.loops) {
    const range = constantRangeOf(loop, inner, guards);
    if (!range) return undefined;
    depth.push({ variable: loop.variable, ...range });
    known.set(loop.variable, { least: range.from, most: range.to - 1 });
  }
  if (cellsIn(sides) * cellsIn(depth) < leastProducts) return undefined;
  const value = simplify(body.isOfProducts ? withoutWidening(body.value) : body.value, inner);
  const open = guards
    .map((guard) => simplify(guard, inner))
    .filter((guard) => valueOf(guard) !== true);
  if (!isMultiplied(value.type) || open.some((guard) => valueOf(guard) === false)) return undefined;
  if (tiesOf(loopsOfSides(sides), loopsOfSides(depth), open).length > 0) return undefined;
  const { factors, masks } = productOf(value, open);
  const coordinates = [...sides, ...depth];
  const piece = (scalar: Scalar): Piece => ({
    scalar,
    uses: coordinatesUsedBy(scalar, coordinates),
  });
  const readsNames = [...factors, ...open].some((scalar) =>
    isAnywhere(
      scalar,
      (part) =>
        (part.kind === "local" && names.has(part.local)) ||
        part.kind === "call" ||
        part.kind === "text" ||
        part.kind === "data",
    ),
  );
  if (readsNames) return undefined;
  const best = cheapestDivision(
    factors.map((factor): Factor => ({
      ...piece(factor),
      isMask: masks.some((mask) => isSameScalar(mask, factor)),
    })),
    open.map(piece),
    sides,
    depth,
  );
  return best && asContraction(definition, best, value.type, sides, depth, held, place);
}

/**
 * The range of a loop as two numbers. An end that depends on other coordinates becomes a guard, and
 * the number is its extreme: `k in 0..i` becomes `k in 0..n` with the guard `k < i`.
 */
function constantRangeOf(
  { variable, from, to }: Loop,
  place: Place,
  guards: Scalar[],
): { from: number; to: number } | undefined {
  const [start, end] = [simplify(from, place), simplify(to, place)];
  if (start.kind !== "integer" || end.kind !== "integer") return undefined;
  const { least } = intervalOf(start.term, place.known);
  const { most } = intervalOf(end.term, place.known);
  if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || most <= least)
    return undefined;
  const own = integerScalar(ofVariable(variable));
  if (start.term.parts.length > 0) guards.push(compared("lessEqual", start, own));
  if (end.term.parts.length > 0) guards.push(compared("less", own, end));
  return { from: least, to: most };
}

function coordinatesUsedBy(scalar: Scalar, coordinates: readonly Side[]): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "integer") return;
    const mentioned = variablesOf(part.term);
    for (const { variable } of coordinates) if (mentioned.has(variable)) found.add(variable);
  });
  return found;
}

interface Factor extends Piece {
  /** Whether there is no term where this factor is 0. */
  readonly isMask: boolean;
}

interface Division {
  readonly groups: readonly [Group, Group];
  readonly cost: number;
}

interface Group {
  readonly factors: readonly Factor[];
  readonly guards: readonly Piece[];
  readonly uses: ReadonlySet<Variable>;
}

const mostFactors = 6;

/** Tries all ways to give each factor and guard to one of two operands, and takes the cheapest. */
function cheapestDivision(
  factors: readonly Factor[],
  guards: readonly Piece[],
  sides: readonly Side[],
  depth: readonly Side[],
): Division | undefined {
  if (factors.length < 2 || factors.length > mostFactors) return undefined;
  let best: Division | undefined;
  for (let mask = 1; mask < 1 << (factors.length - 1); mask++) {
    const halves = [0, 1].map((which) => factors.filter((_, k) => ((mask >> k) & 1) === which));
    const uses = halves.map((half) => new Set(half.flatMap((piece) => [...piece.uses])));
    const owners = guards.map((guard) =>
      uses.findIndex((own) => [...guard.uses].every((variable) => own.has(variable))),
    );
    if (owners.includes(-1)) continue;
    const group = (which: 0 | 1): Group => ({
      factors: halves[which]!,
      guards: guards.filter((_, k) => owners[k] === which),
      uses: uses[which]!,
    });
    const groups = [group(0), group(1)] as const;
    const cost = costOfDivision(groups, sides, depth);
    if (cost < (best?.cost ?? Infinity)) best = { groups, cost };
  }
  return best;
}

/**
 * The cost of a division: the number of products, plus the cells of operands that have to be
 * computed. Infinite where there are too few rows, columns or terms.
 */
function costOfDivision(
  groups: readonly [Group, Group],
  sides: readonly Side[],
  depth: readonly Side[],
): number {
  const [a, b] = groups;
  if (
    sides.some(
      ({ variable, from, to }) => to - from > 1 && !a.uses.has(variable) && !b.uses.has(variable),
    )
  )
    return Infinity;
  const only = (own: Group, other: Group): number =>
    cellsIn(sides.filter(({ variable }) => own.uses.has(variable) && !other.uses.has(variable)));
  if (only(a, b) < leastSide || only(b, a) < leastSide || cellsIn(depth) < leastSide)
    return Infinity;
  const products = cellsIn(sides) * cellsIn(depth);
  return groups.reduce((total, { factors, guards, uses }) => {
    const isPlain =
      factors.length === 1 && guards.length === 0 && factors[0]!.scalar.kind === "read";
    const cells = cellsIn([...sides, ...depth].filter(({ variable }) => uses.has(variable)));
    return total + (isPlain ? 0 : 4 * cells);
  }, products);
}

function asContraction(
  definition: Definition,
  { groups }: Division,
  element: "f32" | "f64",
  sides: readonly Side[],
  depth: readonly Side[],
  held: readonly Side[],
  place: Place,
): Found | undefined {
  // The kernel writes vectors along the columns, so that the innermost coordinate has to be a
  // column.
  const innermost = sides.findLast(({ from, to }) => to - from > 1)!;
  const [a, b] = groups[1].uses.has(innermost.variable) ? groups : [groups[1], groups[0]];
  const operand = ({ factors, guards, uses }: Group): Operand | undefined => {
    const coordinates = [...sides, ...depth].filter(({ variable }) => uses.has(variable));
    const value = factors
      .map(({ scalar }) => scalar)
      .reduce((x, y): Scalar => ({
        kind: "apply",
        type: element,
        within: element,
        operation: "multiply",
        operands: [x, y],
        span: definition.span,
      }));
    const found = operandOf(
      definition,
      value,
      guards.map(({ scalar }) => scalar),
      coordinates,
      held,
      place.typeOf,
      mostCells,
    );
    return found && { ...found, isMasked: found.isMasked || factors.some(({ isMask }) => isMask) };
  };
  const [left, right] = [operand(a), operand(b)];
  if (!left || !right) return undefined;
  const has = (group: Group, { variable }: Side): boolean => group.uses.has(variable);
  return {
    element,
    sides,
    batch: sides.filter((side) => has(a, side) === has(b, side)),
    rows: sides.filter((side) => has(a, side) && !has(b, side)),
    columns: sides.filter((side) => !has(a, side) && has(b, side)),
    depth,
    left,
    right,
  };
}

// Contractions: sums of products that can be multiplied out as matrices.
//
//   C[b, i, j] = sum[k](A[b, i, k] * B[b, k, j])
//
// The factors are divided among two operands so that each cell of the result needs all of both:
// coordinates of the result that only one operand has are its rows or columns, those that both have
// make a batch, and everything summed is depth. Which coordinates these are decides, not how they
// are written, so windows, transposed and strided operands and the sums that derivation makes are
// all the same. The sums are written into cells that what is left of the definition then reads.

import { isOff } from "../../ir/rewrites.ts";
import type { Variable } from "../../affine/term.ts";
import { constantOf, ofVariable, subtract } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { conjuncts, tiesOf } from "../../analyse/ties.ts";
import { intervalOf, type Interval } from "../regions/intervals.ts";
import { withoutWidening, inType } from "../narrow.ts";
import { isMultiplied, operandOf, type Operand } from "./operand.ts";
import { inPhases } from "../regions/phases.ts";
import { productOf } from "./product.ts";
import {
  boxesOf,
  cellsAt,
  cellsIn,
  loopsOf,
  scalarsIn,
  sized,
  uncut,
  type Case,
  type Reduced,
  type Region,
  type Side,
  type Sized,
  type Sizing,
} from "../regions/regions.ts";
import { rewriteReduction, rewriteScalar } from "../rewrite.ts";
import { isSameScalar, withoutLocals } from "../same.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { simplify, type Place } from "../regions/simplify.ts";
import { newTotals, readTotalsAt, type Totals } from "./totals.ts";
import { nowhere } from "../../base/source.ts";

export interface Contraction {
  /** Where the sums are written: the definition's own cells, or some beside them. */
  readonly target: Definition;
  /** Which cell a sum goes to. */
  readonly indices: readonly Scalar[];
  readonly element: "f32" | "f64";
  /** Coordinates of the target, in its order. */
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
   * The definition as it is computed term by term. Guards leave out terms even where the other
   * factor is infinite; zeros don't.
   */
  readonly exactly: () => Sized;
}

/** With fewer rows, columns or terms than this panels would be mostly empty. */
const leastSide = 4;
/** Operands that would have to be made larger than this are left alone. */
const mostCells = 1 << 26;

/**
 * A definition with its contractions apart; nothing where it has none of at least so many products.
 */
export function contracted(
  definition: Definition,
  shape: readonly number[],
  sizing: Sizing,
  leastProducts: number,
): Sized | undefined {
  const element = sizing.typeOf(definition.element);
  if (isOff("multiply") || !isMultiplied(element) || shape.includes(0)) return undefined;
  const whole = uncut(definition, shape, sizing);
  if (
    !whole.cases.some(({ reductions }) => reductions.some(({ body }) => body.reduction === "sum"))
  )
    return undefined;
  const own: Totals = { definition, element, shape, start: 0 };
  const phases = inPhases(whole, sizing.typeOf);
  const among = (regions: readonly Region[]): readonly ContractedRegion[] | undefined => {
    const found = regions.map((region) =>
      contractedRegion(own, region, sizing.typeOf, leastProducts),
    );
    return found.every((part) => part !== undefined) && found.some((part) => part.all.length > 0)
      ? found
      : undefined;
  };
  // Sums that only some of the cells have are found in the boxes of these cells.
  const parts = among(phases) ?? among(phases.flatMap((phase) => boxesOf(phase, sizing.typeOf)));
  if (!parts) return undefined;
  const all = parts.flatMap((part) => part.all);
  const made = all.flatMap(({ left, right }) =>
    [left, right].flatMap((operand) => operand.made ?? []),
  );
  return {
    definition,
    element,
    shape,
    regions: parts.flatMap((part) => part.rest),
    scratch: [
      ...parts.flatMap((part) => part.scratch),
      ...made.map((each) => ({
        definition: each.definition,
        element: each.element,
        shape: each.shape,
        start: 0,
      })),
    ],
    contractions: { all, exactly: () => sized(definition, shape, sizing, inPhases) },
  };
}

/**
 * The contractions of a region, the cells beside the definition's own that they are summed in, and
 * what is left to do with them.
 */
interface ContractedRegion {
  readonly all: readonly Contraction[];
  readonly scratch: readonly Totals[];
  readonly rest: readonly Region[];
}

/** Nothing where the cells have more than one case. */
function contractedRegion(
  own: Totals,
  region: Region,
  typeOf: Place["typeOf"],
  leastProducts: number,
): ContractedRegion | undefined {
  const { sides, cases } = region;
  const { definition } = own;
  const known = new Map<Variable, Interval>(
    sides.map(({ variable, from, to }) => [variable, { least: from, most: to - 1 }]),
  );
  const place: Place = { known, typeOf, locals: new Map() };
  const [first] = cases;
  if (!first!.guards.every((guard) => valueOf(simplify(guard, place)) === true)) return undefined;
  const all: Contraction[] = [];
  const scratch: Totals[] = [];
  const indices = cellsAt(region);
  const names = new Map<Local, Local>(first!.reductions.map(({ name }) => [name, name]));
  const left = first!.reductions.filter((reduced) => {
    const found = contractionOf(definition, sides, [], reduced, names, place, leastProducts);
    if (!found) return true;
    const isOwn = all.length === 0 && found.element === own.element;
    const totals = isOwn ? own : newTotals(definition, found.element, own.shape, 0);
    if (!isOwn) scratch.push(totals);
    all.push({ ...found, target: totals.definition, indices });
    names.set(reduced.name, productsIn(totals, indices, found, reduced));
    return false;
  });
  if (all.length === 0) return { all, scratch, rest: boxesOf(region, typeOf) };
  const { reductions, value } = readingNames(left, first!.value, names);
  const isOnly = isOwnCell(withoutDetour(value), definition, indices);
  const rest = isOnly
    ? []
    : boxesOf({ ...region, cases: [{ guards: [], reductions, value }] }, typeOf);
  return { all, scratch, rest };
}

/** The sums of products under the name of the reduction that they are, in its type. */
function productsIn(
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

/** What is left of a case, with other values under the names of its reductions. */
function readingNames(
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

/** A value that went to a wider type and came back. */
function withoutDetour(scalar: Scalar): Scalar {
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
 * A contraction inside the steps of a recurrence: `sides` are those that no loop holds, `held` the
 * others, by their axes.
 */
export interface StepContraction extends Contraction {
  readonly held: ReadonlyMap<number, Side>;
}

export interface StepContractions {
  /** What is left to do in each step. */
  readonly rest: Sized;
  readonly steps: readonly StepContraction[];
  /** Where sums are beside the definition's own cells. */
  readonly beside: readonly Totals[];
}

/**
 * A definition whose cells come step by step, with the contractions of each step apart; nothing
 * where there are none.
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
  // A cell's sums after the first one lie beside the cells, a step at a time.
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
    // The sums lie in the step's own cells for a while: nothing may read those before they are
    // done.
    if (readsOwnStep(definition, only, held, keptSteps)) return region;
    const free = region.sides.filter((_, axis) => !heldAxes.has(axis));
    const known = new Map<Variable, Interval>(
      region.sides.map(({ variable, from, to }) => [variable, { least: from, most: to - 1 }]),
    );
    const place: Place = { known, typeOf, locals: new Map() };
    const names = new Map<Local, Local>(only.reductions.map(({ name }) => [name, name]));
    const indices = cellsAt(region);
    let sums = 0;
    const left = only.reductions.filter((reduced) => {
      const found = contractionOf(
        definition,
        free,
        [...held.values()],
        reduced,
        names,
        place,
        leastProducts,
      );
      if (found?.element !== element || !isAsItLies(found.left) || !isAsItLies(found.right))
        return true;
      const totals = totalsOf(sums);
      if (!totals) return true;
      sums++;
      steps.push({ ...found, target: totals.definition, indices, held });
      names.set(reduced.name, productsIn(totals, indices, found, reduced));
      return false;
    });
    if (sums === 0) return region;
    return { ...region, cases: [{ guards: [], ...readingNames(left, only.value, names) }] };
  });
  return steps.length > 0 ? { rest: { ...sized, regions }, steps, beside } : undefined;
}

function isAsItLies({ made, isMasked }: Operand): boolean {
  return !made && !isMasked;
}

/**
 * Whether a case reads cells of its own definition that its own step computes, or that lie where
 * those go because few steps are kept.
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

/** How many products a contraction sums. */
export function productsOf({ sides, depth }: Contraction): number {
  return cellsIn(sides) * cellsIn(depth);
}

type Found = Omit<Contraction, "target" | "indices">;

/** A factor of the products, or one of their guards, and the coordinates that it depends on. */
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
    const range = hullOf(loop, inner, guards);
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
  if (tiesOf(loopsOf(sides), loopsOf(depth), open).length > 0) return undefined;
  const { factors, masks } = productOf(value, open);
  const coordinates = [...sides, ...depth];
  const piece = (scalar: Scalar): Piece => ({ scalar, uses: usesOf(scalar, coordinates) });
  const readsNames = [...factors, ...open].some((scalar) => {
    let found = false;
    eachScalar(
      scalar,
      (part) => void (part.kind === "local" && names.has(part.local) && (found = true)),
    );
    eachScalar(
      scalar,
      (part) =>
        void (
          (part.kind === "call" || part.kind === "text" || part.kind === "data") &&
          (found = true)
        ),
    );
    return found;
  });
  if (readsNames) return undefined;
  const best = divided(
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

/** The range of a loop as two numbers; what of it depends on other coordinates becomes a guard. */
function hullOf(
  { variable, from, to }: Loop,
  place: Place,
  guards: Scalar[],
): { from: number; to: number } | undefined {
  const [first, end] = [simplify(from, place), simplify(to, place)];
  if (first.kind !== "integer" || end.kind !== "integer") return undefined;
  const { least } = intervalOf(first.term, place.known);
  const { most } = intervalOf(end.term, place.known);
  if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || most <= least)
    return undefined;
  const own = integerScalar(ofVariable(variable));
  const guard = (operation: "lessEqual" | "less", a: Scalar, b: Scalar): Scalar => {
    return {
      kind: "apply",
      type: "bool",
      within: "i32",
      operation,
      operands: [a, b],
      span: nowhere,
    };
  };
  if (first.term.parts.length > 0) guards.push(guard("lessEqual", first, own));
  if (end.term.parts.length > 0) guards.push(guard("less", own, end));
  return { from: least, to: most };
}

function usesOf(scalar: Scalar, coordinates: readonly Side[]): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "integer") return;
    const mentioned = variablesOf(part.term);
    for (const { variable } of coordinates) if (mentioned.has(variable)) found.add(variable);
  });
  return found;
}

interface Factor extends Piece {
  /** Whether there is no term where it is 0. */
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

/** The cheapest way to give every factor and guard to one of two operands. */
function divided(
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
    const cost = costOf(groups, sides, depth);
    if (cost < (best?.cost ?? Infinity)) best = { groups, cost };
  }
  return best;
}

/**
 * Products, and what has to be made for them; infinite where there are no rows or no columns to
 * speak of.
 */
function costOf(
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
  // Columns are written as vectors: they are what the innermost coordinate belongs to.
  const innermost = sides.findLast(({ from, to }) => to - from > 1)!;
  const [a, b] = groups[1].uses.has(innermost.variable) ? groups : [groups[1], groups[0]];
  const operand = ({ factors, guards, uses }: Group): Operand | undefined => {
    const own = [...sides, ...depth].filter(({ variable }) => uses.has(variable));
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
    const made = operandOf(
      definition,
      value,
      guards.map(({ scalar }) => scalar),
      own,
      held,
      place.typeOf,
      mostCells,
    );
    return made && { ...made, isMasked: made.isMasked || factors.some(({ isMask }) => isMask) };
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

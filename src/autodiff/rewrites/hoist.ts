// What does not change while a sum runs, or from cell to cell, is computed before it: an expression
// that omits a coordinate becomes a definition over the coordinates that it mentions, so that a sum
// visits each of its points with little to do.

import { isOff } from "../../ir/rewrites.ts";
import { constantOf, ofVariable, renewed, zero, type Variable } from "../../affine/term.ts";
import { holds, within, type Fact } from "../../affine/prove.ts";
import { pointsOf } from "../../cost/points.ts";
import { exceeds } from "../../cost/polynomial.ts";
import { isOpaque, loopFacts, termOf, type Opaque } from "../../analyse/facts.ts";
import { mentioning, usesAny } from "../../analyse/ties.ts";
import { eachScalar, mapParts, partsOf } from "../../ir/parts.ts";
import { permutations } from "../../ir/permutations.ts";
import type { Axis, Clause, Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { copied, instantiate, integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { isFloat } from "../../scalar/types.ts";
import { keyOf, numberOf } from "../../ir/keys.ts";
import { sizeOf } from "../transpose/box.ts";
import { definingOnce, keyOfCells } from "./expression-parts.ts";
import { factorsOf, isProduct } from "../scalar/products.ts";
import { isWorthNaming } from "./share.ts";
import type { Span } from "../../base/source.ts";
import type { Define } from "../sweep/cells.ts";

/** What hoisting may rely on, and how it makes definitions. */
interface Hoisting {
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly define: Define;
  /** What was moved out of sums, by what it computes. */
  readonly factors: Map<string, Definition>;
  /** Definitions that are still being made: what reads them stays where it is. */
  readonly isOpen: (definition: Definition) => boolean;
}

/**
 * The value of a sum over `summed`, for the cell at `axes`, with what omits a coordinate read from
 * definitions of its own. What mentions a coordinate that conditions find, `p` where `at[k] + a ==
 * p`, and others beside it has as many values as there are points, in a box that is larger: it
 * stays.
 */
export function hoisted(
  { opaque, known, define, factors, isOpen }: Hoisting,
  name: string,
  axes: readonly Loop[],
  summed: readonly Loop[],
  value: Scalar,
  conditions: readonly Scalar[],
): Scalar {
  // Without a sum nothing is computed again.
  if (summed.length === 0 || isOff("loop-invariant")) return value;
  const loops = [...axes, ...summed];
  const { determined, count } = pointsOf(loops, conditions);
  const made = new Map<string, Scalar>();
  const once = definingOnce(factors, define);
  const along = loops.map((loop) => mentioning([loop]));
  const move = (scalar: Scalar): Scalar | undefined => {
    const kept = loops.filter((_, k) => along[k]!(scalar));
    const isOmitted = (loop: Loop): boolean => !kept.includes(loop);
    // Along an axis of few cells, or of cells that conditions find, little is computed again.
    const isWalked = (loop: Loop): boolean =>
      !determined.has(loop.variable) && constantOf(sizeOf(loop) ?? zero) === undefined;
    const isShort =
      summed.length > 0 &&
      !isChosen &&
      kept.length === 1 &&
      loops.some((loop) => isOmitted(loop) && isWalked(loop));
    if ((isInLocal || !summed.some(isOmitted)) && !isShort) return undefined;
    if (!startAtZero(kept, loops)) return undefined;
    const found = kept.filter((loop) => determined.has(loop.variable));
    if (found.length > 0 && found.length < kept.length) return undefined;
    // Of many cells, a sum may come to but a few.
    if (!isTotal(scalar, kept) || exceeds(pointsOf(kept, []).count, count)) return undefined;
    const span = "span" in scalar ? scalar.span : undefined;
    if (!span) return undefined;
    const parts = new Set(factors.values());
    const isKnown = (order: readonly Loop[]): boolean => {
      const { axes, clause } = cellsOf(scalar, order, span);
      return factors.has(keyOfCells(scalar.type, axes, [clause], parts));
    };
    const order = kept.length <= mostTurned ? (permutations(kept).find(isKnown) ?? kept) : kept;
    const { axes, clause } = cellsOf(scalar, order, span);
    const definition = once(`${name}_factor`, scalar.type, axes, [clause], span);
    const indices = order.map(coordinateScalar);
    return { kind: "read", type: scalar.type, definition, indices, span };
  };
  /** Every access is inside, for all values of the coordinates: no guard is needed for it. */
  const isTotal = (scalar: Scalar, kept: readonly Loop[]): boolean => {
    const facts = [...known, ...loopFacts(opaque, kept, known)];
    let fine = true;
    eachScalar(scalar, (part) => {
      if (!fine) return;
      if (part.kind === "call") fine = false;
      if (part.kind === "apply" && !isFloat(part.within) && part.type !== "bool") fine = false;
      if (part.kind !== "read") return;
      fine = !isOpen(part.definition);
      for (const [axis, index] of part.indices.entries()) {
        const term = termOf(opaque, index, facts);
        const range = { from: { constant: 0, parts: [] }, to: part.definition.axes[axis]!.extent };
        fine &&= !isOpaque(opaque, term) && within(term, range).every((fact) => holds(fact, facts));
      }
    });
    return fine;
  };
  const visit = (scalar: Scalar): Scalar => {
    if (isWorthNaming(scalar) && isFloat(scalar.type)) {
      const key = keyOf(scalar);
      const known = made.get(key) ?? move(scalar);
      if (known) {
        made.set(key, known);
        return known;
      }
    }
    if (scalar.kind === "local") return inLocal(scalar);
    return scalar.kind === "select"
      ? inBranches(scalar)
      : (withFactor(scalar) ?? mapParts(scalar, visit));
  };
  let isChosen = false;
  const inBranches = (scalar: Extract<Scalar, { kind: "select" }>): Scalar => {
    const condition = visit(scalar.condition);
    const before = isChosen;
    isChosen = true;
    const [then, otherwise] = [visit(scalar.then), visit(scalar.otherwise)];
    isChosen = before;
    return { ...scalar, condition, then, otherwise };
  };
  const locals = new Map<Local, Local>();
  let isInLocal = false;
  const inLocal = (scalar: Extract<Scalar, { kind: "local" }>): Scalar => {
    const before = isInLocal;
    isInLocal = true;
    const local = copied(scalar.local, visit, locals);
    isInLocal = before;
    if (numberOf(local.value) === numberOf(scalar.local.value)) return scalar;
    return local.value.kind === "read" ? local.value : { ...scalar, local };
  };
  const isSummed = mentioning(summed);
  const read = readsIn();
  // Where a product has no two factors to be one, or no others, its first factors have not either.
  const looked = new Set<Scalar>();
  /** A product with several of its factors as one. */
  const withFactor = (scalar: Scalar): Scalar | undefined => {
    if (!isProduct(scalar) || looked.has(scalar)) return undefined;
    const factors = factorsOf(scalar);
    const together = togetherIn(factors, isSummed, read);
    const others = factors.filter((factor) => !together.includes(factor));
    if (together.length < 2 || others.length === 0) {
      for (let [first] = scalar.operands; first && isProduct(first); [first] = first.operands)
        looked.add(first);
      return undefined;
    }
    const multiplied = (a: Scalar, b: Scalar): Scalar => ({
      ...scalar,
      operands: [a, b],
    });
    const factor = move(together.reduce(multiplied));
    return factor && multiplied(visit(others.reduce(multiplied)), factor);
  };
  return visit(value);
}

/** What is there already is looked for in all orders of so many coordinates. */
const mostTurned = 3;

/** What has the values of an expression as its cells, along some loops. */
function cellsOf(
  value: Scalar,
  kept: readonly Loop[],
  span: Span,
): { readonly axes: readonly Axis[]; readonly clause: Clause } {
  const by = new Map<Variable, Scalar>();
  const loops = kept.map((loop): Loop => {
    const v = renewed(loop.variable);
    by.set(loop.variable, integerScalar(ofVariable(v)));
    return { ...loop, variable: v, reversed: false };
  });
  const axes = loops.map((loop): Axis => ({
    name: loop.variable.name,
    extent: (loop.to as Integer).term,
  }));
  return {
    axes,
    clause: { loops, guards: [], body: { kind: "map", value: instantiate(value, by) }, span },
  };
}

/**
 * Factors of a product that are computed before the sum: a dear one with those beside it that it is
 * made of, n·kⁿ⁻¹ in d·n·kⁿ⁻¹. The product with others may leave the range that the factors of the
 * sum keep it in.
 */
function togetherIn(
  factors: readonly Scalar[],
  isSummed: (factor: Scalar) => boolean,
  readsOf: (factor: Scalar) => ReadonlySet<string>,
): readonly Scalar[] {
  const fixed = factors.filter((factor) => factor.kind !== "constant" && !isSummed(factor));
  const dear = fixed.find(isWorthNaming);
  if (!dear || dear.type === "f16") return [];
  const made = readsOf(dear);
  return fixed.filter((factor) => [...readsOf(factor)].every((read) => made.has(read)));
}

/**
 * The cells that an expression reads, by their structure; what is in one part alone is not listed
 * again.
 */
function readsIn(): (scalar: Scalar) => ReadonlySet<string> {
  const known = new Map<Scalar, ReadonlySet<string>>();
  const ask = (scalar: Scalar): ReadonlySet<string> => {
    let found = known.get(scalar);
    if (!found) {
      const inside = partsOf(scalar)
        .map(ask)
        .filter(({ size }) => size > 0);
      const own = scalar.kind === "read" ? [keyOf(scalar)] : [];
      const [only = new Set<string>(), another] = inside;
      found =
        another || own.length > 0 ? new Set([...inside, own].flatMap((each) => [...each])) : only;
      known.set(scalar, found);
    }
    return found;
  };
  return ask;
}

type Integer = Extract<Scalar, { kind: "integer" }>;

/** Cells are counted from 0, and a range may not depend on data or other coordinates. */
function startAtZero(kept: readonly Loop[], loops: readonly Loop[]): boolean {
  return kept.every(
    ({ from, to }) =>
      from.kind === "integer" &&
      from.term.parts.length === 0 &&
      from.term.constant === 0 &&
      to.kind === "integer" &&
      !usesAny(to, loops),
  );
}

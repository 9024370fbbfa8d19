// Sends the adjoint of one definition back: every clause is linearized and transposed, and each
// definition that it reads gets its contribution.

import { workAtPoint } from "../../cost/tally.ts";
import { holding } from "../../analyse/opposite.ts";
import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import { keyOf } from "../../ir/keys.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import {
  madeOfTogether,
  movedPoints,
  waits,
  weighedTerms,
} from "../data/within/along-gradients.ts";
import { isKept, pullCallsBack } from "../data/calls.ts";
import { asType, readCell, type Define } from "./cells.ts";
import { coordinateNames } from "./coordinate-names.ts";
import { adjointOf, summedClause } from "./collect.ts";
import { asFormula, readsWithFormulas, setBefore, setOnlyFormula } from "./formulas.ts";
import { tangentType } from "../legality/handed-on.ts";
import { linearize, type Coefficient } from "../scalar/linearize.ts";
import { earlierConditions } from "./order.ts";
import type { Others } from "../rules/other-factors.ts";
import { fallbackGuards, ownershipGuards } from "./ownership.ts";
import {
  algebraOf,
  isConstantProduct,
  isSingular,
  one,
  productScalar,
  unlessZero,
  whereHolds,
  withQuotients,
  type Condition,
  type Product,
} from "../scalar/products.ts";
import { asItIs, lanesAt, ownContribution } from "./seeds.ts";
import { withShared } from "../rewrites/share.ts";
import { keptSlopes, type Points } from "../data/within/step-calls.ts";
import { isStepGraph, type AtStep } from "../requests/step-graph.ts";
import {
  rowsOf,
  sendGathered,
  type ByPlace,
  type Point,
  type Send,
} from "../data/within/step-totals.ts";
import {
  loopsFor,
  most,
  supportAt,
  zerosOf,
  type Adjoint,
  type Arrived,
  type Sweep,
} from "./sweep.ts";
import { termsOf, type Term } from "../rules/terms.ts";
import { rowTotals } from "../rules/row-totals.ts";
import { isSparse, sparseOthers } from "../rules/sparse-products.ts";
import { fromTotals } from "../data/totals.ts";
import { isEmpty, transpose, type Lane } from "../transpose/transpose.ts";
import { coordinateScalar } from "../../ir/substitute.ts";

export function sendAllBack(
  sweep: Sweep,
  definition: Definition,
  adjoint: Adjoint | undefined,
): void {
  // A definition with a rule passes its adjoint to the tangent of the rule. The stand-in of a
  // parameter passes its adjoint to the parameter.
  const onward = definition.rule?.tangent ?? sweep.graph.parameterOf(definition);
  if (onward) {
    passOn(sweep, definition, onward, adjoint);
    return;
  }
  // A read of an integer or bool must be visited, too: its use as a number may have no derivative.
  const leads = (read: Definition): boolean =>
    sweep.activity.isActive(read) || !isFloat(read.element);
  if (![...readsWithFormulas(definition)].some(leads)) return;
  if (adjoint && waits(sweep, definition)) {
    sendTogether(sweep, definition, adjoint);
    return;
  }
  for (const [k, clause] of definition.clauses.entries()) {
    if (isKept(clause)) sendKeptBack(sweep, definition, clause, k, adjoint);
    else if (isSparse(clause) && sweep.lanes.length === 0)
      sendSparseBack(sweep, definition, clause, k, adjoint);
    else sendBack(sweep, definition, asFormula(clause), k, adjoint);
  }
}

/**
 * A cotangent of a slope, or of a gradient that came with it, waits for the cotangents of the same
 * points. Contributions that depend only on weights do not wait.
 */
function sendTogether(sweep: Sweep, definition: Definition, adjoint: Adjoint): void {
  const { arrived, formulas, held } = [...sweep.together.values()].find(({ awaited }) =>
    awaited.has(definition),
  )!;
  arrived.set(definition, adjoint);
  const { behind, weights } = madeOfTogether(sweep, definition)!;
  const terms = weighedTerms(sweep, definition, adjoint);
  const run: Sweep["pieces"] = terms ? sentByAll(sweep, terms) : new Map();
  const isEnd = (target: Definition): boolean => behind.has(target) || weights.has(target);
  for (const [target, pieces] of sentByFormulas(sweep, definition, adjoint, isEnd)) {
    const found = run.get(target) ?? [];
    if (behind.has(target)) {
      formulas.set(target, [...(formulas.get(target) ?? []), ...pieces]);
      held.set(target, [...(held.get(target) ?? []), ...found]);
    } else if (found.length > 0) sendComputed(sweep, definition, target, found, pieces);
  }
}

/**
 * The contributions of a definition by its formula, through all definitions that stand for parts of
 * it.
 */
function sentByFormulas(
  sweep: Sweep,
  definition: Definition,
  adjoint: Adjoint,
  isEnd: (target: Definition) => boolean,
): Sweep["pieces"] {
  const apart: Sweep = { ...sweep, pieces: new Map() };
  const send = (part: Definition, incoming: Adjoint): void => {
    for (const [k, clause] of part.clauses.entries())
      sendBack(apart, part, asFormula(clause), k, incoming);
  };
  send(definition, adjoint);
  for (const target of apart.pieces.keys()) {
    if (isEnd(target)) continue;
    const incoming = adjointOf(apart, target);
    apart.pieces.delete(target);
    if (incoming) send(target, incoming);
  }
  return apart.pieces;
}

/**
 * Removes visited definitions from those that are awaited. Points for which nothing else is awaited
 * are sent back.
 */
export function settleTogether(sweep: Sweep, visited: readonly Definition[]): void {
  for (const [points, together] of sweep.together) {
    const { awaited, arrived, formulas, held } = together;
    for (const definition of visited) awaited.delete(definition);
    if (awaited.size > 0) continue;
    sweep.together.delete(points);
    if (arrived.size === 0) continue;
    const run = sentByAll(sweep, movedPoints(sweep, points, together));
    for (const [target, pieces] of formulas) {
      const found = [...held.get(target)!, ...(run.get(target) ?? [])];
      if (found.length > 0) sendComputed(sweep, visited[0]!, target, found, pieces);
    }
  }
}

/** The contributions of the sum of all cells of a definition. They are collected separately. */
function sentByAll(sweep: Sweep, definition: Definition): Sweep["pieces"] {
  const trace = { pullbacks: [], adjoints: new Map(), parts: new Map() };
  const apart: Sweep = { ...sweep, pieces: new Map(), trace };
  sendAllBack(apart, definition, { definition, zeros: "none", constant: 1 });
  return apart.pieces;
}

/**
 * A contribution that is computed in one way (`run`) and shown to readers in another way
 * (`written`).
 */
function sendComputed(
  sweep: Sweep,
  from: Definition,
  target: Definition,
  run: readonly Arrived[],
  written: readonly Arrived[],
): void {
  const summed = summedClause(sweep, target, run);
  setBefore(summed, summedClause(sweep, target, written));
  const { piece } = ownContribution(sweep, from, target, summed);
  sweep.pieces.set(target, [
    ...(sweep.pieces.get(target) ?? []),
    { from, piece, zeros: zerosOf(written) },
  ]);
}

/**
 * Contributions through kept calls come from the pullbacks of the calls. Readers see the formulas
 * beside them.
 */
function sendKeptBack(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  position: number,
  adjoint: Adjoint | undefined,
): void {
  const formulas = sentByFormula(sweep, definition, asFormula(clause), position, adjoint);
  for (const [target, arrived] of pullCallsBack(
    sweep,
    definition,
    clause,
    adjoint,
    formulas.pieces,
  ))
    sweep.pieces.set(target, [...(sweep.pieces.get(target) ?? []), ...arrived]);
}

/** The contributions of a formula. They are collected separately. */
function sentByFormula(
  sweep: Sweep,
  definition: Definition,
  written: Clause,
  position: number,
  adjoint: Adjoint | undefined,
): Sweep {
  const apart: Sweep = { ...sweep, pieces: new Map() };
  sendBack(apart, definition, written, position, adjoint);
  return apart;
}

/**
 * A product whose factors data chooses. What runs uses the kept partial products. Readers see the
 * formula over a box of all positions, and the lanes of a Jacobian use that formula as well.
 */
function sendSparseBack(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  position: number,
  adjoint: Adjoint | undefined,
): void {
  const written = asFormula(clause);
  const formulas = sentByFormula(sweep, definition, written, position, adjoint);
  // New definitions on the way belong to what runs. Further derivatives go through the formula.
  const define: Define = (name, element, axes, clauses, span) => {
    for (const each of clauses) setOnlyFormula(each, each);
    return sweep.define(name, element, axes, clauses, span);
  };
  const trace = { pullbacks: [], adjoints: new Map(), parts: new Map() };
  const run: Sweep = { ...sweep, pieces: new Map(), trace, define };
  const targets = [...formulas.pieces.keys()];
  const totals = rowTotals(run, definition, clause, adjoint, targets);
  if (!totals)
    sendBack(run, definition, written, position, adjoint, () =>
      sparseOthers(definition, clause, define),
    );
  for (const [k, target] of targets.entries()) {
    const [sent, ran] = [formulas.pieces.get(target)!, run.pieces.get(target) ?? []];
    const summed = totals ? fromTotals(run, target, totals, k) : summedClause(run, target, ran);
    setOnlyFormula(summed, summedClause(formulas, target, sent));
    const { piece } = ownContribution(sweep, definition, target, summed);
    sweep.pieces.set(target, [
      ...(sweep.pieces.get(target) ?? []),
      { from: definition, piece, zeros: zerosOf(sent) },
    ]);
  }
}

/** Passes the adjoint of one definition on to another definition with the same axes. */
function passOn(
  sweep: Sweep,
  from: Definition,
  to: Definition,
  adjoint: Adjoint | undefined,
): void {
  const axes = loopsFor(sweep, to);
  const type = tangentType(to);
  const value: Scalar =
    adjoint && adjoint.constant === undefined
      ? asType(readCell(adjoint.definition, axes, from.span), type)
      : { kind: "constant", type, value: adjoint?.constant ?? 1 };
  const piece = asItIs(axes, value, from.span);
  const arrived = sweep.pieces.get(to) ?? [];
  arrived.push({ from, by: "adjoint", piece, zeros: adjoint?.zeros ?? "none" });
  sweep.pieces.set(to, arrived);
  sweep.trace.pullbacks.push({
    output: from,
    through: { kind: "rule" },
    read: readCell(to, axes, from.span),
    loops: axes,
    ...(adjoint ? { incoming: value } : {}),
    local: { kind: "constant", type, value: 1 },
    piece,
  });
}

/**
 * Linearizes and transposes one clause. Without `adjoint` the definition is the numerator, and its
 * cotangent is 1. `others` is a special rule for the other factors of a product.
 */
function sendBack(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  position: number,
  adjoint: Adjoint | undefined,
  others?: () => Others,
): void {
  const { activity } = sweep;
  const terms = termsOf(definition, clause, sweep.define, sweep.graph.running(definition), others);
  if (!terms) return;
  const owned = ownershipGuards(sweep.opaque, definition, position, sweep.known);
  if (owned.some((guard) => guard.kind === "constant" && guard.value === false)) return;
  const fallback: readonly Term[] = clause.otherwise
    ? [
        {
          value: clause.otherwise,
          loops: clause.loops,
          guards: fallbackGuards(definition, position),
          factor: { product: one, conditions: [] },
          span: clause.span,
        },
      ]
    : [];
  for (const term of [...terms, ...fallback]) {
    const { coefficients, stopped } = linearize(
      term.value,
      activity.variesFor(definition),
      activity.stopsFor(definition),
      term.result,
    );
    for (const each of stopped) sweep.problems.push({ stopped: each, through: definition });
    const kept =
      term.value === clause.body.value ? keptFor(sweep, clause, coefficients) : undefined;
    const led = coefficients.length > 0 ? ledBy(sweep, term, clause, adjoint) : undefined;
    /** The incoming gradient at a point, times the local derivative. */
    const weighed = (product: Product, type: FloatType, lanes: readonly Lane[]): Weighed => {
      const here = [...lanes.map((lane) => lane.loop), ...clause.loops];
      const incoming =
        adjoint && adjoint.constant === undefined
          ? asType(readCell(adjoint.definition, here, clause.span), type)
          : undefined;
      const local: Product = {
        constant: product.constant * term.factor.product.constant * (adjoint?.constant ?? 1),
        factors: [...term.factor.product.factors, ...product.factors],
        divisors: [...term.factor.product.divisors, ...product.divisors],
      };
      const factors = led ?? [...(incoming ? [incoming] : []), ...term.factor.product.factors];
      const behind: Product = {
        ...local,
        factors: [...factors.map((factor) => asType(factor, type)), ...product.factors],
      };
      const varies = !isConstantProduct(local);
      const guards =
        varies && adjoint?.support ? supportAt(adjoint.support, here.map(coordinateScalar)) : [];
      // The gradient is 0 outside of its support. If a test of the support costs more than a test
      // of the gradient, which is read anyway, the gradient is tested.
      const support = incoming && workAtPoint(guards) > cheap ? [] : guards;
      const plain = productScalar(withQuotients(behind), type, term.span);
      const isUnread = adjoint?.zeros === "unread";
      const isLeftUntested = support.length < guards.length;
      const isTested =
        varies &&
        (isLeftUntested || adjoint?.zeros === "guarded" || (isUnread && isSingular(local)));
      const value =
        isTested && incoming ? unlessZero(incoming, withShared(plain), type, term.span) : plain;
      return { value, support, incoming, local, varies };
    };
    const send: Send = (found, into) => {
      const { graph } = sweep;
      const everywhere: AtStep = { coefficient: found, where: [], written: found.read };
      const at = isStepGraph(graph) ? graph.atStep(definition, clause, found) : everywhere;
      if (!at) return;
      const { read, product, conditions, over } = at.coefficient;
      const inStep = { loops: term.loops, guards: [...term.guards, ...at.where] };
      const type = tangentType(read.definition);
      const lanes = lanesAt(sweep, definition, clause, adjoint);
      const { value, support, incoming, local, varies } = weighed(product, type, lanes);
      const isLeftOut = ({ unlessOf }: Condition): boolean => unlessOf !== undefined;
      const leaving = conditions.filter(isLeftOut);
      const algebra = algebraOf(type, term.span);
      const piece = transpose(
        sweep.opaque,
        {
          read,
          loops: [...term.loops, ...(over ?? [])],
          guards: [...(fallback.includes(term) ? [] : owned), ...support, ...term.guards],
          conditions: [
            ...term.factor.conditions,
            ...conditions.filter((each) => !isLeftOut(each)),
            ...at.where.map((value) => ({ value, holds: true })),
          ],
          certain: earlierConditions(
            sweep,
            sweep.loops.get(definition) ?? [],
            definition,
            inStep,
            at.written,
          ),
          value: leaving.reduceRight((inner, each) => whereHolds(inner, each, algebra), value),
          span: term.span,
        },
        coordinateNames(activity, read.definition),
        sweep.known,
        lanes,
      );
      if (isEmpty(sweep.opaque, piece, sweep.known)) return;
      const arrived = into.get(read.definition) ?? [];
      // If the support was not tested here, the next definition must still know that the gradient
      // may be 0.
      const passed =
        (!varies && adjoint?.support !== undefined) || leaving.length > 0 ? "guarded" : "none";
      arrived.push({
        from: definition,
        by: position,
        piece,
        zeros: most([adjoint?.zeros ?? "none", passed]),
      });
      into.set(read.definition, arrived);
      const constant = adjoint?.constant;
      const gradient: Scalar | undefined =
        constant === undefined ? incoming : { kind: "constant", type, value: constant };
      sweep.trace.pullbacks.push({
        output: definition,
        through: { kind: "clause", clause },
        read,
        loops: term.loops,
        ...(gradient ? { incoming: gradient } : {}),
        local: productScalar(
          { ...local, constant: local.constant / (constant ?? 1) },
          type,
          term.span,
        ),
        piece,
      });
    };
    for (const each of kept?.ofCells ?? coefficients) send(each, sweep.pieces);
    if (!kept || kept.byPlace.length === 0) continue;
    const { value: weight, support } = weighed(one, tangentType(definition), []);
    const conditions = [
      ...owned,
      ...support,
      ...term.guards,
      ...term.factor.conditions.map(holding),
    ];
    const { points } = kept;
    const point: Point = {
      definition,
      clause,
      loops: term.loops,
      conditions,
      weight,
      points,
      send,
      span: term.span,
    };
    sendGathered(sweep, point, kept.byPlace);
  }
}

/**
 * Coefficients made of kept results of calls. `ofCells` belong to reads of single cells. `byPlace`
 * belong to tensors of which a function reads many cells.
 */
interface KeptCoefficients {
  readonly ofCells: readonly Coefficient[];
  readonly byPlace: readonly ByPlace[];
  readonly points: Points;
}

/** The same coefficients, made of kept results, if all of them can be. */
function keptFor(
  sweep: Sweep,
  clause: Clause,
  written: readonly Coefficient[],
): KeptCoefficients | undefined {
  const kept = sweep.workshop.keepCalls && keptSlopes(clause);
  if (!kept) return undefined;
  const reads = new Set(written.map(({ read }) => keyOf(read)));
  const ofCells = kept.ofCells.filter(({ read }) => reads.delete(keyOf(read)));
  const others = written.filter(({ read }) => reads.has(keyOf(read)));
  if (others.some(({ read }) => !kept.gathered.has(read.definition))) return undefined;
  if (others.length > 0 && sweep.lanes.length > 0) return undefined;
  const byPlace = [...new Set(others.map(({ read }) => read.definition))].map((target) => ({
    target,
    gathered: kept.gathered.get(target)!,
    formulas: others.filter(({ read }) => read.definition === target),
  }));
  if (isStepGraph(sweep.graph) && byPlace.some(({ formulas }) => !rowsOf(formulas)))
    return undefined;
  return { ofCells, byPlace, points: kept.points };
}

/**
 * The factors of a term that already contain the incoming gradient, if the rule of the term has
 * them. In three cases the gradient is a separate factor:
 *
 * - It has lanes.
 * - It is a half float and still being defined. The factors are multiplied in f32, and one
 *   recurrence cannot mix the two types.
 * - It is differentiated again. `if d == 0 { 0 } else { d * … }` moves with d even where d is 0.
 */
function ledBy(
  sweep: Sweep,
  term: Term,
  { loops, span }: Clause,
  adjoint: Adjoint | undefined,
): readonly Scalar[] | undefined {
  if (!term.incoming || !adjoint || adjoint.constant !== undefined) return undefined;
  if (sweep.workshop.isDerivedAgain) return undefined;
  const isHalf = adjoint.definition.element === "f16" || adjoint.definition.element === "bf16";
  if (sweep.lanes.length > 0 || (isHalf && sweep.isOpen(adjoint.definition))) return undefined;
  return term.incoming(readCell(adjoint.definition, loops, span), adjoint.definition.name);
}

/** A product with the incoming gradient as a factor, and what the product is made of. */
interface Weighed {
  readonly value: Scalar;
  readonly support: readonly Scalar[];
  readonly incoming: Scalar | undefined;
  readonly local: Product;
  /** Whether the factors other than the incoming gradient are more than a constant. */
  readonly varies: boolean;
}

/** The work of a test that reads one cell and compares it. */
const cheap = 2;

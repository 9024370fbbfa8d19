// One definition sends its adjoint back: every clause is linearized and transposed, and each read
// gets its piece.

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
import { earlier } from "./order.ts";
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
  // Where a rule takes over, the adjoint goes to the rule's tangent as it is, and from a stand-in
  // to its parameter.
  const onward = definition.rule?.tangent ?? sweep.graph.parameterOf(definition);
  if (onward) {
    handOn(sweep, definition, onward, adjoint);
    return;
  }
  // An integer or a bool that is used as a number has to be looked at too: it may have to be
  // refused.
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
 * What comes in at a slope, or at a gradient that came together, waits for the others of the same
 * points; what moves with weights alone need not wait.
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
    } else if (found.length > 0) sendRun(sweep, definition, target, found, pieces);
  }
}

/** What a definition sends back by its formula, through all that stands for parts of it. */
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
 * The sweep has come to some definitions: points for which nothing else is awaited are taken back.
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
      if (found.length > 0) sendRun(sweep, visited[0]!, target, found, pieces);
    }
  }
}

/**
 * What the sum of all cells of a definition sends back, apart from everything else that arrives.
 */
function sentByAll(sweep: Sweep, definition: Definition): Sweep["pieces"] {
  const trace = { pullbacks: [], adjoints: new Map(), parts: new Map() };
  const apart: Sweep = { ...sweep, pieces: new Map(), trace };
  sendAllBack(apart, definition, { definition, zeros: "none", constant: 1 });
  return apart.pieces;
}

/** What is sent to a definition in one way, and read in another. */
function sendRun(
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
 * Where calls were kept, the formulas of what is sent back stand beside what their pullbacks give.
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

/** What a formula sends back, apart from everything else that arrives. */
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
 * Where data chooses the factors of a product, each contribution is run from what was held of them
 * and has the formula of their box beside it. In the lanes of a Jacobian it is the formula.
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
  // What is made on the way is part of what is run: nothing further goes through it.
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

/** The adjoint of one definition as a contribution to another of the same layout. */
function handOn(
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
 * Linearizes and transposes one clause; `adjoint` is absent for the numerator, whose own is 1. A
 * product may have a rule of its own.
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
    /** What comes in at a point, times its factors and some more. */
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
      const first = led ?? [...(incoming ? [incoming] : []), ...term.factor.product.factors];
      const behind: Product = {
        ...local,
        factors: [...first.map((factor) => asType(factor, type)), ...product.factors],
      };
      const varies = !isConstantProduct(local);
      const where =
        varies && adjoint?.support ? supportAt(adjoint.support, here.map(coordinateScalar)) : [];
      // What is dearer to test than a number that is read anyway is 0 there.
      const support = incoming && workAtPoint(where) > cheap ? [] : where;
      const plain = productScalar(withQuotients(behind), type, term.span);
      const isUnread = adjoint?.zeros === "unread";
      const isLeft = support.length < where.length;
      const isTested =
        varies && (isLeft || adjoint?.zeros === "guarded" || (isUnread && isSingular(local)));
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
          certain: earlier(
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
      // Where the support was not needed here, whoever comes next still has to know of it.
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
 * Coefficients from what the calls in them have kept: those of cells, and those that are the
 * formula of what comes together by place.
 */
interface KeptCoefficients {
  readonly ofCells: readonly Coefficient[];
  readonly byPlace: readonly ByPlace[];
  readonly points: Points;
}

/** The same coefficients, from what was kept. */
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
 * The factors of a term that begin with the gradient, where it has them; one that has lanes is
 * multiplied by, and so is one of half floats that is still being made: its type and that of the
 * factors, which are multiplied in f32, would have to be told apart in one recurrence. A gradient
 * that is differentiated again stays a factor of its own: `if d == 0 { 0 } else { d * … }` moves
 * with d where d is 0.
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

/** A product with what comes in before it, where that is known to count, and what it is made of. */
interface Weighed {
  readonly value: Scalar;
  readonly support: readonly Scalar[];
  readonly incoming: Scalar | undefined;
  readonly local: Product;
  /** Whether the factors beside what comes in are more than a number. */
  readonly varies: boolean;
}

/** A cell and a comparison. */
const cheap = 2;

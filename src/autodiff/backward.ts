// The backward program of one number: from the numerator back to the denominators, one adjoint for each definition between.
//
// Definitions are visited in an order in which every reader of one comes before it. Each clause is linearized and transposed;
// what arrives at a definition is summed into its adjoint. The adjoint of a denominator is an answer; the sweep goes on behind it
// where it was made from another denominator.

import { components } from "../ir/components.ts";
import { nonNegative, type Fact } from "../ir/affine/prove.ts";
import { ofVariable, variable, type Variable } from "../ir/affine/term.ts";
import { newOpaque, type Opaque } from "../ir/facts.ts";
import { eachScalar, readsOf, type Axis, type Clause, type Definition, type Loop, type Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { isFloat, type ElementType, type FloatType } from "../ir/scalar/types.ts";
import type { Span } from "../syntax/source.ts";
import { activityOf, type Activity } from "./activity.ts";
import { splitContractions } from "./split-contractions.ts";
import { coordinateNames } from "./coordinate-names.ts";
import { graphOf, type Graph } from "./graph.ts";
import { stepGraphOf, type StepGraph } from "./step-graph.ts";
import { hoisted } from "./hoist.ts";
import { linearize, type Stopped } from "./linearize.ts";
import { fallbackGuards, ownershipGuards } from "./ownership.ts";
import { algebraOf, isConstantProduct, one, productScalar, type Product } from "./products.ts";
import { earlier, loopsOf, orient, type LoopStep } from "./order.ts";
import { withShared } from "./share.ts";
import { freshLoops, readCell, UnsupportedRule, type Define } from "./cells.ts";
import { termsOf, type Term } from "./terms.ts";
import { aliasOf, clauseOf, conditionsOf, transpose, type Lane, type Piece } from "./transpose.ts";

/** Where new definitions get their names. */
export interface Workshop {
  readonly claim: (wanted: string) => string;
  /** Extents that are known not to be negative. */
  readonly extents: Iterable<Variable>;
}

export type Problem =
  | { readonly kind: "stopped"; readonly stopped: Stopped; readonly through: Definition }
  | { readonly kind: "unsupported"; readonly what: string; readonly span: Span };

export interface Backward {
  /** The adjoint of each denominator; none where no path leads to it. */
  readonly adjoints: ReadonlyMap<Definition, Definition>;
  readonly problems: readonly Problem[];
}

/** A backward program that also tells how it came about. */
export interface Swept extends Backward {
  readonly trace: Trace;
}

/** How the sweep went, for those who explain it. */
export interface Trace {
  /** Every read that was passed back through, from the numerator on. */
  readonly pullbacks: readonly Pullback[];
  /** The adjoint of each definition on the way. */
  readonly adjoints: ReadonlyMap<Definition, Definition>;
  /** Definitions of pieces that are summed on their own before they are added up. */
  readonly parts: ReadonlyMap<Piece, Definition>;
}

/** One read, transposed. */
export interface Pullback {
  readonly output: Definition;
  readonly through: Passing;
  readonly read: Extract<Scalar, { kind: "read" }>;
  /** The coordinates of the output's clause, then those of its reduction. */
  readonly loops: readonly Loop[];
  /** The output's adjoint in these coordinates; absent for the numerator, whose own is 1. */
  readonly incoming?: Scalar;
  /** The local derivative, in these coordinates. */
  readonly local: Scalar;
  readonly piece: Piece;
}

/** What a gradient passes through: a clause, a tangent rule, or the gate at which it comes in. */
export type Passing =
  { readonly kind: "clause"; readonly clause: Clause } | { readonly kind: "rule" } | { readonly kind: "start" };

/**
 * Whether an adjoint may be 0 in some cells whatever comes in: because a guard filters them that its coordinates do not decide, or
 * because nothing reads them.
 */
type Zeros = "none" | "unread" | "guarded";

const order: readonly Zeros[] = ["none", "unread", "guarded"];

function most(kinds: readonly Zeros[]): Zeros {
  return order[Math.max(0, ...kinds.map((kind) => order.indexOf(kind)))]!;
}

/** An adjoint, and where it is known to be 0 because of a guard. */
interface Adjoint {
  readonly definition: Definition;
  /** Guards in the adjoint's own coordinates outside of which it is 0. */
  readonly support?: { readonly loops: readonly Loop[]; readonly guards: readonly Scalar[] };
  readonly zeros: Zeros;
  /** The same number in every cell: a factor that need not be read. */
  readonly constant?: number;
}

function isStepGraph(graph: Graph): graph is StepGraph {
  return "isSameStep" in graph;
}

interface Sweep {
  /** Axes of the numerator that are no lanes. */
  readonly common: ReadonlySet<number>;
  readonly denominators: ReadonlySet<Definition>;
  readonly graph: Graph;
  readonly activity: Activity;
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly define: Define;
  readonly workshop: Workshop;
  readonly pieces: Map<Definition, Arrived[]>;
  /** Axes before those of every adjoint, where many gradients are sent back at once. */
  readonly lanes: readonly Axis[];
  /** The numerator, where each of its cells sends back a gradient of its own, in the lane of that cell. */
  readonly cells?: Definition;
  /** What is known of each adjoint, by its definition. */
  readonly adjoints: Map<Definition, Adjoint>;
  /** The loops of the recurrences that the sweep has come to. */
  readonly loops: Map<Definition, readonly LoopStep[]>;
  readonly problems: Problem[];
  readonly trace: {
    readonly pullbacks: Pullback[];
    readonly adjoints: Map<Definition, Definition>;
    readonly parts: Map<Piece, Definition>;
  };
  /** Adjoints of the recurrence that the sweep is in. */
  readonly isOpen: (definition: Definition) => boolean;
}

interface Arrived {
  /** The definition that sends it. */
  readonly from: Definition;
  readonly piece: Piece;
  readonly zeros: Zeros;
}

/** What the conditions of pieces that are summed say about zeros: a cell that one of them always reaches is read. */
function zerosOf(arrived: readonly Arrived[]): Zeros {
  const own = arrived.map(({ piece }): Zeros =>
    piece.guards.length > 0 ? "guarded" : piece.ranges.length + piece.ties.length > 0 ? "unread" : "none",
  );
  const some = own.includes("guarded") ? "guarded" : own.every((kind) => kind === "unread") ? "unread" : "none";
  return most([some, ...arrived.map((each) => each.zeros)]);
}

/** How a sweep begins. A scalar numerator has the gradient 1 coming in. */
export interface Start {
  /** The gradients that come in at a tensor numerator: its axes, behind one for each lane. */
  readonly seed?: Definition | undefined;
  /**
   * Every cell of the numerator sends back a gradient of its own: the answers are Jacobians. Axes of the numerator along which it
   * is the denominator's own position that counts have no lanes: those around a local name are listed, the step is known.
   */
  readonly eachCell?: readonly number[] | undefined;
  /** The numerator's axis that is the step of the recurrence in which the question stands. */
  readonly step?: number | undefined;
  /** What the derivative follows, where that is not all that the numerator depends on. */
  readonly along?: Graph;
}

export function backward(
  numerator: Definition,
  denominators: readonly Definition[],
  workshop: Workshop,
  { seed, eachCell, step, along }: Start = {},
): Swept {
  const made = new Set<Definition>();
  const define: Define = (name, element, axes, clauses, span) => {
    const definition = newDefinition(workshop.claim(name), element, axes, clauses, span);
    made.add(definition);
    return definition;
  };
  const whole = along ?? (step === undefined ? graphOf(numerator) : stepGraphOf(numerator, step));
  const passed = activityOf(whole, new Set(denominators));
  const splits = step === undefined && !along;
  if (splits)
    for (const definition of whole.all) if (passed.isActive(definition)) splitContractions(definition, define);
  const graph = splits ? graphOf(numerator) : whole;
  const activity = activityOf(graph, new Set(denominators));
  const common = new Set([...(eachCell ?? []), ...(step === undefined ? [] : [step])]);
  const sweep: Sweep = {
    common,
    denominators: new Set(denominators),
    graph,
    activity,
    opaque: newOpaque(),
    known: [...workshop.extents].map((v) => nonNegative(ofVariable(v))),
    define,
    workshop,
    pieces: new Map(),
    lanes: lanesOf(numerator, seed, eachCell !== undefined, common),
    ...(eachCell ? { cells: numerator } : {}),
    adjoints: new Map(),
    loops: new Map(),
    problems: [],
    trace: { pullbacks: [], adjoints: new Map(), parts: new Map() },
    isOpen: (definition) => definition.clauses.length === 0 && made.has(definition),
  };
  if (seed) begin(sweep, numerator, seed);
  const adjoints = new Map<Definition, Definition>();
  for (const group of readersFirst(graph, activity)) {
    const [definition] = group;
    const recurrent = group.length > 1 || graph.ways(definition!).includes(definition!);
    if (eachCell && group.includes(numerator) && (recurrent || numerator.rule || denominators.includes(numerator)))
      begin(sweep, numerator, unitDefinition(sweep, numerator));
    const found = recurrent ? adjointGroup(sweep, group) : adjointAlone(sweep, definition!, numerator);
    for (const [member, adjoint] of found) {
      sweep.trace.adjoints.set(member, adjoint);
      if (denominators.includes(member)) adjoints.set(member, adjoint);
    }
  }
  return { adjoints, problems: sweep.problems, trace: sweep.trace };
}

type Found = readonly (readonly [Definition, Definition])[];

function adjointAlone(sweep: Sweep, definition: Definition, numerator: Definition): Found {
  const adjoint = adjointOf(sweep, definition);
  if (definition !== numerator && !adjoint) return [];
  if (adjoint) sweep.adjoints.set(adjoint.definition, adjoint);
  sendAllBack(sweep, definition, adjoint);
  if (!adjoint && sweep.lanes.length > 0) return [];
  return [[definition, adjoint?.definition ?? seedDefinition(sweep, definition)]];
}

/** One axis for each lane: those of the numerator, or those that a seed has before the numerator's. */
function lanesOf(
  numerator: Definition,
  seed: Definition | undefined,
  eachCell: boolean,
  common: ReadonlySet<number>,
): readonly Axis[] {
  if (eachCell) return numerator.axes.filter((_, axis) => !common.has(axis));
  return seed ? seed.axes.slice(0, seed.axes.length - numerator.axes.length) : [];
}

/** Gradients that come in at the numerator, as they are. */
function begin(sweep: Sweep, numerator: Definition, seed: Definition): void {
  sweep.adjoints.set(seed, { definition: seed, zeros: "none" });
  const axes = loopsFor(sweep, numerator);
  const value = readCell(seed, axes, numerator.span);
  const piece = asItIs(axes, value, numerator.span);
  sweep.pieces.set(numerator, [{ from: numerator, piece, zeros: "none" }]);
  sweep.trace.pullbacks.push({
    output: numerator,
    through: { kind: "start" },
    read: readCell(numerator, axes, numerator.span),
    loops: axes,
    incoming: value,
    local: { kind: "constant", type: tangentType(numerator), value: 1 },
    piece,
  });
}

/** A gradient that stays where it is. */
function asItIs(axes: readonly Loop[], value: Scalar, span: Span): Piece {
  const inverse = new Map(axes.map((axis) => [axis.variable, integerScalar(ofVariable(axis.variable))]));
  return { axes, summed: [], ranges: [], guards: [], ties: [], value, inverse, span };
}

/** 1 in the lane of each cell, 0 in the others. */
function unitDefinition(sweep: Sweep, numerator: Definition): Definition {
  const axes = [...sweep.lanes, ...numerator.axes];
  const loops = loopsFor(sweep, numerator);
  const own = loops.slice(sweep.lanes.length).filter((_, axis) => !sweep.common.has(axis));
  const type = tangentType(numerator);
  const guards = own.map((loop, k): Scalar => ({
    kind: "apply",
    type: "bool",
    within: "i32",
    operation: "equal",
    operands: [integerScalar(ofVariable(loops[k]!.variable)), integerScalar(ofVariable(loop.variable))],
    span: numerator.span,
  }));
  const one: Scalar = { kind: "constant", type, value: 1 };
  const clause: Clause = { loops, guards, body: { kind: "map", value: one }, span: numerator.span };
  return sweep.define(`d_${numerator.name}`, type, axes, [clause], numerator.span);
}

/** Loops over the lanes and every cell of a definition. */
function loopsFor(sweep: Sweep, definition: Definition): readonly Loop[] {
  return wholeLoops({ axes: [...sweep.lanes, ...definition.axes] });
}

/** The axes of what is sent back to a definition. */
function axesFor(sweep: Sweep, definition: Definition): readonly Axis[] {
  return [...sweep.lanes, ...definition.axes];
}

/**
 * The adjoint of a recurrence is a recurrence: h[t - 1] inverts to t = p + 1, so that each adjoint reads those of later
 * steps. All of them get their names first; then every clause sends back to members and to what lies before the group.
 */
function adjointGroup(sweep: Sweep, group: readonly Definition[]): Found {
  const arrived = group.flatMap((member) => sweep.pieces.get(member) ?? []);
  if (arrived.length === 0) return [];
  const isGuarded = group.some((member) =>
    member.clauses.some(
      (clause) => clause.guards.length > 0 || (clause.body.kind === "reduce" && clause.body.guards.length > 0),
    ),
  );
  // Along a recurrence some cells are not read by any other.
  const zeros = isGuarded ? "guarded" : most(["unread", zerosOf(arrived)]);
  const adjoints = group.map((member): Adjoint => ({
    definition: sweep.define(`d_${member.name}`, member.element, axesFor(sweep, member), [], member.span),
    zeros,
  }));
  for (const adjoint of adjoints) sweep.adjoints.set(adjoint.definition, adjoint);
  for (const [member, loops] of loopsOf(sweep, group)) sweep.loops.set(member, loops);
  for (const [k, member] of group.entries()) sendAllBack(sweep, member, adjoints[k]);
  for (const [k, member] of group.entries())
    adjoints[k]!.definition.clauses = [summedClause(sweep, member, sweep.pieces.get(member) ?? [])];
  orient(
    sweep,
    adjoints.map((adjoint) => adjoint.definition),
  );
  return group.map((member, k) => [member, adjoints[k]!.definition] as const);
}

function sendAllBack(sweep: Sweep, definition: Definition, adjoint: Adjoint | undefined): void {
  // Where a rule takes over, the adjoint goes to the rule's tangent as it is, and from a stand-in to its parameter.
  const onward = definition.rule?.tangent ?? sweep.graph.parameterOf(definition);
  if (onward) {
    handOn(sweep, definition, onward, adjoint);
    return;
  }
  // An integer or a bool that is used as a number has to be looked at too: it may have to be refused.
  const leads = (read: Definition): boolean => sweep.activity.isActive(read) || !isFloat(read.element);
  if (![...readsOf(definition)].some(leads)) return;
  // Within a step, a denominator is independent: what made it belongs to earlier steps.
  if (isStepGraph(sweep.graph) && sweep.denominators.has(definition)) return;
  try {
    for (const [k, clause] of definition.clauses.entries()) sendBack(sweep, definition, clause, k, adjoint);
  } catch (failure) {
    if (!(failure instanceof UnsupportedRule)) throw failure;
    sweep.problems.push({ kind: "unsupported", what: failure.what, span: failure.span });
  }
}

export function newDefinition(
  name: string,
  element: ElementType,
  axes: readonly Axis[],
  clauses: readonly Clause[],
  span: Span,
): Definition {
  return { name, element, axes, origin: "helper", outer: 0, clauses, needs: new Set(), span };
}

/** Active definitions, each group after every group that reads it. */
function readersFirst({ all, ways }: Graph, activity: Activity): readonly (readonly Definition[])[] {
  const active = all.filter((definition) => activity.isActive(definition));
  const at = new Map(active.map((definition, k) => [definition, k]));
  const edges = active.map((definition) => ways(definition).flatMap((read) => at.get(read) ?? []));
  return components(active.length, (k) => edges[k]!)
    .map((group) => group.map((k) => active[k]!))
    .reverse();
}

/** The derivative of a number by itself. */
function seedDefinition(sweep: Sweep, definition: Definition): Definition {
  const one: Scalar = { kind: "constant", type: definition.element, value: 1 };
  return sweep.define(
    `d_${definition.name}`,
    definition.element,
    [],
    [{ loops: [], guards: [], body: { kind: "map", value: one }, span: definition.span }],
    definition.span,
  );
}

/** The adjoint of one definition as a contribution to another of the same layout. */
function handOn(sweep: Sweep, from: Definition, to: Definition, adjoint: Adjoint | undefined): void {
  const axes = loopsFor(sweep, to);
  const type = tangentType(to);
  const value: Scalar =
    adjoint && adjoint.constant === undefined
      ? asType(readCell(adjoint.definition, axes, from.span), type)
      : { kind: "constant", type, value: adjoint?.constant ?? 1 };
  const piece = asItIs(axes, value, from.span);
  const arrived = sweep.pieces.get(to) ?? [];
  arrived.push({ from, piece, zeros: adjoint?.zeros ?? "none" });
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

/** Linearizes and transposes one clause; `adjoint` is absent for the numerator, whose own is 1. */
function sendBack(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  position: number,
  adjoint: Adjoint | undefined,
): void {
  const { activity } = sweep;
  const terms = termsOf(definition, clause, sweep.define);
  if (!terms) return;
  const owned = ownershipGuards(sweep.opaque, definition, position, sweep.known);
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
    for (const each of stopped) sweep.problems.push({ kind: "stopped", stopped: each, through: definition });
    for (const { read, product, conditions, over } of coefficients) {
      if (isStepGraph(sweep.graph) && !sweep.graph.isSameStep(definition, clause, read)) continue;
      const type = tangentType(read.definition);
      const lanes = lanesAt(sweep, definition, clause, adjoint);
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
      const whole: Product = { ...local, factors: [...(incoming ? [incoming] : []), ...local.factors] };
      const varies = !isConstantProduct(local);
      const support = varies && adjoint?.support ? supportAt(adjoint.support, here) : [];
      const plain = productScalar(whole, type, term.span);
      // In the lanes of a Jacobian most cells are 0, and no cell is left out because of that.
      const isUnread = adjoint?.zeros === "unread" && lanes.length === 0;
      const isTested = varies && (adjoint?.zeros === "guarded" || (isUnread && isSingular(local)));
      const value = isTested && incoming ? unlessZero(incoming, withShared(plain), type, term.span) : plain;
      const piece = transpose(
        sweep.opaque,
        {
          read,
          loops: [...term.loops, ...(over ?? [])],
          guards: [...(fallback.includes(term) ? [] : owned), ...support, ...term.guards],
          conditions: [...term.factor.conditions, ...conditions],
          certain: earlier(sweep.opaque, sweep.loops.get(definition) ?? [], definition, clause, read),
          value,
          span: term.span,
        },
        coordinateNames(activity, read.definition),
        sweep.known,
        lanes,
      );
      const arrived = sweep.pieces.get(read.definition) ?? [];
      // Where the support was not needed here, whoever comes next still has to know of it.
      const passed = !varies && adjoint?.support !== undefined ? "guarded" : "none";
      arrived.push({ from: definition, piece, zeros: most([adjoint?.zeros ?? "none", passed]) });
      sweep.pieces.set(read.definition, arrived);
      const constant = adjoint?.constant;
      const gradient: Scalar | undefined =
        constant === undefined ? incoming : { kind: "constant", type, value: constant };
      sweep.trace.pullbacks.push({
        output: definition,
        through: { kind: "clause", clause },
        read,
        loops: term.loops,
        ...(gradient ? { incoming: gradient } : {}),
        local: productScalar({ ...local, constant: local.constant / (constant ?? 1) }, type, term.span),
        piece,
      });
    }
  }
}

/** A coordinate for each lane; without an incoming gradient, each cell of the numerator stands in its own. */
function lanesAt(sweep: Sweep, definition: Definition, clause: Clause, adjoint: Adjoint | undefined): readonly Lane[] {
  const loops = wholeLoops({ axes: sweep.lanes });
  if (adjoint || definition !== sweep.cells) return loops.map((loop) => ({ loop }));
  const own = clause.loops.filter((_, axis) => !sweep.common.has(axis));
  return loops.map((loop, k) => ({ loop, cell: own[k]!.variable }));
}

/** The type of a definition's tangents: an integer with a rule of its own has floats for them. */
export function tangentType(definition: Definition): FloatType {
  return (definition.rule?.tangent.element ?? definition.element) as FloatType;
}

export function asType(value: Scalar, type: ElementType): Scalar {
  return value.type === type ? value : { kind: "cast", type, operand: value };
}

function supportAt(support: NonNullable<Adjoint["support"]>, loops: readonly Loop[]): readonly Scalar[] {
  const by = new Map(support.loops.map((loop, k) => [loop.variable, integerScalar(ofVariable(loops[k]!.variable))]));
  return support.guards.map((guard) => instantiate(guard, by));
}

/** Can the product be infinite where everything in it is finite? */
function isSingular({ factors, divisors }: Product): boolean {
  let found = divisors.length > 0;
  for (const factor of factors) {
    eachScalar(factor, (part) => {
      if (part.kind === "apply" && singular.has(part.operation) && isFloat(part.within) && !isWholePower(part))
        found = true;
      if (part.kind === "call") found = true;
    });
  }
  return found;
}

function isWholePower({ operation, operands }: Extract<Scalar, { kind: "apply" }>): boolean {
  const [, exponent] = operands;
  return operation === "power" && exponent?.kind === "constant" && (exponent.value as number) >= 0;
}

const singular: ReadonlySet<string> = new Set(["divide", "remainder", "power", "log", "log1p", "sqrt", "tan"]);

/** An adjoint of exactly 0 that came through a guard contributes nothing, whatever the local derivative is. */
function unlessZero(incoming: Scalar, value: Scalar, type: FloatType, span: Span): Scalar {
  const algebra = algebraOf(type, span);
  return algebra.select(algebra.apply("equal", incoming, algebra.number(0)), algebra.number(0), value);
}

// ── summing what arrives ────────────────────────────────────────────────────────────────────────

function adjointOf(sweep: Sweep, definition: Definition): Adjoint | undefined {
  const arrived = sweep.pieces.get(definition);
  if (!arrived || !isFloat(tangentType(definition))) return undefined;
  const name = `d_${definition.name}`;
  const [only] = arrived;
  if (arrived.length === 1) {
    const { piece } = only!;
    const same = aliasOf(piece);
    const known = same && sweep.adjoints.get(same);
    // What is asked for has a name of its own.
    if (known && !sweep.denominators.has(definition)) return known;
    const made = sweep.define(
      name,
      tangentType(definition),
      axesFor(sweep, definition),
      [summingClause(sweep, piece, definition.name)],
      definition.span,
    );
    const constant = constantOf(piece);
    if (constant !== undefined) return { definition: made, zeros: "none", constant };
    const filters = piece.guards.length > 0;
    if (filters && piece.summed.length === 0)
      return { definition: made, zeros: only!.zeros, support: { loops: piece.axes, guards: piece.guards } };
    return { definition: made, zeros: zerosOf(arrived) };
  }
  // It has its name before its parts have theirs.
  const made = sweep.define(name, tangentType(definition), axesFor(sweep, definition), [], definition.span);
  made.clauses = [summedClause(sweep, definition, arrived)];
  return { definition: made, zeros: zerosOf(arrived) };
}

/** Several contributions, added up cell by cell. */
function summedClause(sweep: Sweep, definition: Definition, arrived: readonly Arrived[]): Clause {
  const [first] = arrived;
  const algebra = algebraOf(tangentType(definition), definition.span);
  if (!first)
    return {
      loops: loopsFor(sweep, definition),
      guards: [],
      body: { kind: "map", value: algebra.number(0) },
      span: definition.span,
    };
  if (arrived.length === 1) return summingClause(sweep, first.piece, definition.name);
  const loops = freshLoops(first.piece.axes, new Map());
  const value = arrived
    .map((each) => partOf(sweep, definition, each, loops))
    .reduce((a, b) => algebra.apply("add", a, b));
  return { loops, guards: [], body: { kind: "map", value: withShared(value) }, span: definition.span };
}

/** Loops over every cell of a definition. */
export function wholeLoops({ axes }: Pick<Definition, "axes">): readonly Loop[] {
  return axes.map((axis, k) => ({
    variable: variable(axis.name ?? "ijklmnpq"[k] ?? "i"),
    from: integerScalar({ constant: 0, parts: [] }),
    to: integerScalar(axis.extent),
    reversed: false,
  }));
}

/** The number that a piece puts into every cell. */
function constantOf({ summed, value, ...conditions }: Piece): number | undefined {
  if (summed.length > 0 || conditionsOf(conditions).length > 0 || value.kind !== "constant") return undefined;
  return value.value as number;
}

/** A piece as a clause that computes nothing twice, and nothing in its sum that could be computed before it. */
function summingClause(sweep: Sweep, piece: Piece, name: string): Clause {
  const moved = isStepGraph(sweep.graph) ? piece.value : hoisted(sweep, name, piece.axes, piece.summed, piece.value);
  return clauseOf({ ...piece, value: withShared(moved) });
}

/** One of several contributions, as a scalar at the adjoint's coordinates; a sum gets a definition of its own. */
function partOf(sweep: Sweep, definition: Definition, { from, piece }: Arrived, loops: readonly Loop[]): Scalar {
  if (piece.summed.length > 0) {
    const made = sweep.define(
      `d_${definition.name}_from_${from.name}`,
      tangentType(definition),
      axesFor(sweep, definition),
      [summingClause(sweep, piece, definition.name)],
      definition.span,
    );
    sweep.trace.parts.set(piece, made);
    return readCell(made, loops, piece.span);
  }
  const by = new Map(piece.axes.map((axis, k) => [axis.variable, integerScalar(ofVariable(loops[k]!.variable))]));
  const value = instantiate(piece.value, by);
  const algebra = algebraOf(tangentType(definition), piece.span);
  return conditionsOf(piece).reduceRight(
    (inner, guard) => algebra.select(instantiate(guard, by), inner, algebra.number(0)),
    value,
  );
}

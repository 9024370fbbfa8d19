// `[e | i in 0..n, x in xs, guard, v = e2]`: generators nest left to right and make one axis, which is walked by one coordinate.
//
// Without a filter a position p of that axis is taken apart into the positions of the generators: with lengths n1, n2, n3 the
// second one stands at p / n3 % n2. With a filter the same positions are numbered as if nothing were filtered, and the list of
// the accepted ones says at which of them element k stands (accepted-positions.ts): values and derivatives gather through it.

import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import {
  add,
  floorDiv,
  maximum,
  mod,
  multiply,
  ofVariable,
  plus,
  subtract,
  zero,
  constant,
  constantOf,
} from "../ir/affine/term.ts";
import type { Term, Variable } from "../ir/affine/term.ts";
import { holds, nonNegative } from "../ir/affine/prove.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { freeVariables, outerVariables } from "../ir/outer-variables.ts";
import { uncovered } from "./exhaustive.ts";
import { attempt, type Attempt } from "./attempt.ts";
import { ragged } from "./brought-ragged.ts";
import { rowCount } from "./rows-of.ts";
import { constructorsOf, layOver, newPatterns } from "./patterns.ts";
import type { Remade } from "./function-lists.ts";
import { holdsFunctions } from "./tuples.ts";
import { elementAt, listOver, walkedAxes } from "./lists.ts";
import { share } from "./share.ts";
import { asScalar, isText } from "./strings.ts";
import { acceptedArray } from "./arrays.ts";
import { acceptedPositions, countOf, type Accepted } from "./accepted-positions.ts";
import { extentFacts } from "./agree.ts";
import { notBuilt, refuse, report, wrongAt, type Checker, type Place } from "./context.ts";
import { explicitRange, newBinder } from "./coordinates.ts";
import { dependsOnOthers } from "./enclosing.ts";
import { conditionOf, expression, underCondition } from "./expressions.ts";
import { termOf, valueBinding } from "./integers.ts";
import { apply } from "./operators.ts";
import { scopeInside } from "./scope.ts";
import type { Binder, Item, TensorBinding, Typed, ValueBinding } from "./typed.ts";
import { openElement, scalar, showType, tensor, type Axis } from "./types.ts";

type Generator = Extract<ast.ComprehensionClause, { kind: "generator" }>;

/** What a generator walks. */
type Source =
  | { readonly kind: "range"; readonly from: Typed; readonly to: Typed; readonly reversed: boolean }
  | { readonly kind: "tensor"; readonly value: Typed };

interface Planned {
  readonly length: Term;
  /** The source, where it is the same for all positions of the generators before it. */
  readonly fixed?: Source;
  /** Shorter at some positions of the generators before it: those beyond its end are filtered. */
  readonly varies: boolean;
}

/** A generator's coordinate, and the condition that there is an element at it, where that depends on those before it. */
interface Walked {
  readonly binder: Binder;
  readonly exists?: Typed;
}

interface Plan {
  readonly generators: ReadonlyMap<Generator, Planned>;
  /** Names for what is computed once. */
  readonly bindings: (ValueBinding | TensorBinding)[];
}

/** A tensor; or ragged rows, where the elements are rows whose length depends on the generators. */
export function comprehensionOf(place: Place, e: ast.Comprehension): Typed {
  if (place.indexed) return rectangular(place, e);
  const whole = attempt(place, () => rectangular(place, e));
  if (!isVarying(whole)) return whole.keep();
  whole.undo();
  const { comprehendedRows } = ragged();
  const rows = attempt(place, () => comprehendedRows(place, e, openElement()));
  if (!rows.isWrong) return rows.keep();
  rows.undo();
  return whole.keep();
}

/** Whether nothing else is wrong than that the rows of the result have no common length. */
function isVarying({ isWrong, said }: Attempt): boolean {
  const errors = said.filter(({ level }) => level === "error");
  return isWrong && errors.length > 0 && errors.every(({ code }) => code === "E0408");
}

/** A tensor whose elements have one shape. */
export function rectangular(place: Place, e: ast.Comprehension): Typed {
  const inside: Place = { ...place, scope: scopeInside(place.scope), indexed: place.indexed ?? e.span, inner: true };
  const plan = planOf(place, inside, e);
  if (!plan) return wrongAt(e.span);
  const planned = [...plan.generators.values()];
  const total = sizeOf(planned);
  if (dependsOnOthers(place.checker, [integerAt(total, e.span)], parametersAround(place)))
    return refuseVarying(place, e.span);

  const isFiltered = e.clauses.some((clause) => clause.kind === "guard") || planned.some((each) => each.varies);
  // A function among the elements is made again where it is called, for the position that it has without a filter.
  const again = (at: Place, code: Typed): Typed => {
    const there = amongNamesOf(inside, at);
    return walk(there, e, plan, positionsFrom(there, planned, code, e.span), "element");
  };
  const element = (binder: Binder, code: Typed, positions: readonly Typed[]): Typed =>
    elementsOver(place, e, binder, walk(inside, e, plan, positions, "element"), { code, again });
  if (!isFiltered) {
    const binder = binderOver("p", total, e.span);
    const at = ofVariable(binder.variable);
    const made = element(binder, integerAt(at, e.span), positionsAt(planned, at, e.span));
    return made.kind === "wrong" ? made : inBlock(plan.bindings, made);
  }
  const tested = binderOver("p", total, e.span);
  const test = walk(inside, e, plan, positionsAt(planned, ofVariable(tested.variable), e.span), "test");
  if (test.kind === "wrong") return test;
  const own = new Set([tested.variable]);
  if (dependsOnOthers(place.checker, [test], new Set([...own, ...parametersAround(place)])))
    return refuseVarying(place, e.span);
  const isOfRun = dependsOnOthers(place.checker, [test, integerAt(total, e.span)], own);
  if (isOfRun && !place.arrays)
    return notBuilt(place, "a filter inside a recursive function that depends on its parameters", e.span);
  const accepted = isOfRun
    ? acceptedByRun(place, tested, test, e.span)
    : acceptedPositions(place, tested, test, total, e.span);
  plan.bindings.push(...accepted.bindings);
  const binder = binderOver("k", accepted.count, e.span);
  const code = accepted.at(binder);
  const made = element(binder, code, positionsFrom(inside, planned, code, e.span));
  return made.kind === "wrong" ? made : inBlock(plan.bindings, made);
}

/** Another place, with the names that are known here. */
function amongNamesOf({ scope, signature, words }: Place, at: Place): Place {
  return { ...at, scope, signature: signature ?? new Map(), words: words ?? new Map() };
}

/** The same inside a function, where what a filter accepts may be something else in each call. */
function acceptedByRun(place: Place, tested: Binder, test: Typed, span: Span): Accepted {
  const { binding, cells } = acceptedArray(place, tested, test, span);
  const at = ({ variable }: Binder): Typed => ({
    kind: "read",
    base: cells,
    indices: [integerAt(ofVariable(variable), span)],
    type: scalar("i32"),
    span,
  });
  return { bindings: [binding], count: cells.type.axes[0]!.extent!, at };
}

/** `len([… | …])` beside coordinates, on which the filter may depend: the positions that it accepts are counted where it stands. */
export function lengthInPlace(place: Place, e: ast.Comprehension): Typed {
  const { span } = e;
  const inside: Place = { ...place, scope: scopeInside(place.scope), inner: true };
  const plan = planOf(place, inside, e);
  if (!plan) return wrongAt(span);
  const planned = [...plan.generators.values()];
  const total = sizeOf(planned);
  const isVaried = planned.some((each) => each.varies);
  if (isVaried && dependsOnOthers(place.checker, [integerAt(total, span)], new Set()))
    return refuseVarying(place, span);
  const binder = binderOver("p", total, span);
  const positions = positionsAt(planned, ofVariable(binder.variable), span);
  const condition = walk(inside, e, plan, positions, "test");
  if (condition.kind === "wrong" || walk(inside, e, plan, positions, "element").kind === "wrong") return wrongAt(span);
  return inBlock(plan.bindings, {
    kind: "reduce",
    reduction: "sum",
    binders: [binder],
    items: [{ kind: "guard", condition }],
    body: { kind: "constant", value: 1, type: scalar("i32"), span },
    type: scalar("i32"),
    span,
  });
}

/** Inside a recursive function a length may depend on its parameters: the elements are then a window of another tensor, or no function has them. */
function parametersAround({ checker, recursion }: Place): ReadonlySet<Variable> {
  return new Set(recursion ? checker.parameters.keys() : []);
}

function refuseVarying(place: Place, span: Span): Typed {
  return refuse(place, "E0408", "the length of this comprehension depends on a coordinate around it", span, {
    help: "reduce with a guard instead: `sum[k](x[i, k] where x[i, k] > 0)`; rows of their own lengths are a `jagged` value: `[[… | j in 0..i] | i in 0..n]`",
  });
}

function inBlock(bindings: readonly (ValueBinding | TensorBinding)[], value: Typed): Typed {
  return bindings.length === 0 ? value : { kind: "block", bindings, value, type: value.type, span: value.span };
}

function binderOver(name: string, length: Term, span: Span): Binder {
  const binder = newBinder(name, span, true);
  binder.from = integerAt(zero, span);
  binder.to = integerAt(length, span);
  return binder;
}

function integerAt(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

/** The elements as one tensor: the new axis in front of those that they have themselves. */
function elementsOver(place: Place, e: ast.Comprehension, binder: Binder, body: Typed, made: Remade): Typed {
  if (body.kind === "wrong") return body;
  const { type } = body;
  const own = new Set([binder.variable]);
  if (isText(type) && !asScalar(place, body)) return wrongAt(e.span);
  if (walkedAxes(type).some((axis) => axis.extent && dependsOn(place.checker, axis.extent, own))) {
    return refuse(place, "E0408", "the elements of a comprehension must have one shape", e.element.span, {
      text: "how long this one is depends on its generators",
      help: "give every element the same length, or reduce it to a scalar",
    });
  }
  const length = termOf(place.checker, binder.to!);
  const axis: Axis = { extent: length, origin: { span: e.span, text: "as many as the comprehension has elements" } };
  if (type.kind !== "tensor") return listOver(place, binder, axis, body, made, e.span);
  return { kind: "abstract", binders: [binder], body, type: tensor(type.element, [axis, ...type.axes]), span: e.span };
}

// ── generators ──────────────────────────────────────────────────────────────────────────────────

/** How long each generator is, found with coordinates in place of those before it. */
function planOf(outside: Place, place: Place, e: ast.Comprehension): Plan | undefined {
  const plan: Plan & { generators: Map<Generator, Planned> } = { generators: new Map(), bindings: [] };
  const before: Walked[] = [];
  let inside = place;
  for (const clause of e.clauses) {
    if (clause.kind === "guard") continue;
    if (clause.kind === "binding") {
      const value = expression(inside, clause.value);
      if (value.kind === "wrong") return undefined;
      inside = bound(inside, clause.name, value).place;
      continue;
    }
    // What the first generator walks depends on no other: it may be ragged.
    const source = sourceOf(
      before.length === 0 ? { ...outside, scope: inside.scope, inner: true } : inside,
      clause.source,
    );
    if (!source) return undefined;
    const planned = planGenerator(inside, source, [...before], plan, clause);
    plan.generators.set(clause, planned);
    const binder = binderOver("p", planned.length, clause.span);
    const position = integerAt(ofVariable(binder.variable), clause.span);
    const next = entered(inside, clause, source, position);
    if (!next) return undefined;
    const length = planned.varies ? lengthValue(inside, source, clause.span) : undefined;
    before.push({ binder, ...(length ? { exists: apply(inside, "less", [position, length], clause.span) } : {}) });
    inside = next.place;
  }
  return plan;
}

function planGenerator(
  place: Place,
  source: Source,
  before: readonly Walked[],
  plan: Plan,
  clause: Generator,
): Planned {
  const walked = new Set(before.map(({ binder }) => binder.variable));
  const length = lengthOf(place.checker, source);
  const parts = source.kind === "range" ? [source.from, source.to] : [source.value];
  const isFixed = !parts.some(holdsFunctions) && outerVariables(parts, walked).length === 0;
  if (dependsOn(place.checker, length, walked)) {
    const greatest = countOf(place, "longest", greatestOver(before, lengthValue(place, source, clause.span)));
    plan.bindings.push(greatest.binding);
    return { length: greatest.term, varies: true };
  }
  if (!isFixed) return { length, varies: false };
  if (source.kind === "range") return { length, varies: false, fixed: source };
  const name: ast.Name = { text: "source", span: clause.source.span };
  const shared = share(place, name, source.value);
  const binding = valueBinding(place, "let", name, shared.value);
  plan.bindings.push(...shared.bindings, binding);
  const value: Typed = { kind: "reference", binding, type: binding.type, span: clause.source.span };
  return { length, varies: false, fixed: { kind: "tensor", value } };
}

/** The greatest of some lengths, 0 where there is none. As a float, because nothing has no greatest integer. */
function greatestOver(before: readonly Walked[], length: Typed): Typed {
  const { span } = length;
  const binders = before.map(({ binder }) => binder);
  const items = before.flatMap(({ exists }): readonly Item[] => (exists ? [{ kind: "guard", condition: exists }] : []));
  const body: Typed = { kind: "cast", operand: length, type: scalar("f64"), span };
  const type = scalar("f64");
  const most: Typed = { kind: "reduce", reduction: "max", binders, items, body, type, span };
  const none: Typed = { kind: "constant", value: 0, type: scalar("f64"), span };
  const operands = [most, none];
  const held: Typed = { kind: "apply", operation: "max", operands, type: scalar("f64"), span };
  return { kind: "cast", operand: held, type: scalar("i32"), span };
}

function sourceOf(place: Place, e: ast.Expression): Source | undefined {
  if (e.kind === "range" || isReversed(e)) {
    const binder = newBinder("i", e.span, true);
    if (!explicitRange(place, binder, e)) return undefined;
    return { kind: "range", from: binder.from!, to: binder.to!, reversed: binder.reversed };
  }
  const value = expression(place, e);
  if (value.kind === "wrong") return undefined;
  if (value.kind === "range") return value;
  if (walkedAxes(value.type).length > 0 || value.type.kind === "jagged") return { kind: "tensor", value };
  refuse(place, "E0401", `a generator walks a range or a tensor, this is ${showType(value.type)}`, e.span, {
    help: isText(value.type)
      ? `walk its characters: \`${textOf(e.span)}.split("")\``
      : "write `i in 0..n` or `x in xs`",
  });
  return undefined;
}

function isReversed(e: ast.Expression): boolean {
  return e.kind === "call" && e.callee.kind === "path" && e.callee.segments.map((each) => each.text).join() === "rev";
}

function lengthOf(checker: Checker, source: Source): Term {
  if (source.kind === "tensor") {
    const { value } = source;
    return value.type.kind === "jagged" ? rowCount(value) : (walkedAxes(value.type)[0]!.extent ?? zero);
  }
  const length = subtract(termOf(checker, source.to), termOf(checker, source.from));
  return holds(nonNegative(length), extentFacts(checker, [length])) ? length : maximum(zero, length);
}

function lengthValue(place: Place, source: Source, span: Span): Typed {
  if (source.kind === "range") {
    const isFromZero = constantOf(termOf(place.checker, source.from)) === 0;
    return isFromZero ? source.to : apply(place, "subtract", [source.to, source.from], span);
  }
  return integerAt(lengthOf(place.checker, source), span);
}

// ── positions ───────────────────────────────────────────────────────────────────────────────────

function sizeOf(planned: readonly Planned[]): Term {
  return planned.map((each) => each.length).reduce(multiply, constant(1));
}

/** Where a length is 0 there are no positions, so what they are divided by does not matter. */
function divisor(length: Term): Term {
  return constantOf(length) === 0 ? constant(1) : length;
}

/** The positions of the generators at a coordinate of the axis, as the solver understands them. */
function positionsAt(planned: readonly Planned[], at: Term, span: Span): readonly Typed[] {
  return planned.map(({ length }, k): Typed => {
    const outer = k === planned.length - 1 ? at : floorDiv(at, divisor(sizeOf(planned.slice(k + 1))));
    return integerAt(k === 0 ? outer : mod(outer, divisor(length)), span);
  });
}

/** The same from a position that was looked up. */
function positionsFrom(place: Place, planned: readonly Planned[], at: Typed, span: Span): readonly Typed[] {
  return planned.map(({ length }, k): Typed => {
    const inner = integerAt(divisor(sizeOf(planned.slice(k + 1))), span);
    const outer = k === planned.length - 1 ? at : apply(place, "divide", [at, inner], span);
    return k === 0 ? outer : apply(place, "remainder", [outer, integerAt(divisor(length), span)], span);
  });
}

/** Binds what the clauses name and gives the element there, or whether the guards hold there. */
function walk(
  place: Place,
  e: ast.Comprehension,
  plan: Plan,
  positions: readonly Typed[],
  wanted: "element" | "test",
): Typed {
  const generators = [...plan.generators.keys()];
  const no = (span: Span): Typed => ({ kind: "constant", value: false, type: scalar("bool"), span });
  const tested = (condition: Typed, then: Typed): Typed => {
    const otherwise = no(then.span);
    return { kind: "select", condition, then, otherwise, type: scalar("bool"), span: then.span };
  };
  const from = (inside: Place, n: number): Typed => {
    const clause = e.clauses[n];
    if (!clause) {
      if (wanted === "element") return expression(inside, e.element);
      return { kind: "constant", value: true, type: scalar("bool"), span: e.span };
    }
    switch (clause.kind) {
      case "guard": {
        if (wanted === "element") return from(inside, n + 1);
        const condition = conditionOf(inside, clause.condition, "a filter");
        if (condition.kind === "wrong") return condition;
        const rest = from(underCondition(inside, condition), n + 1);
        return rest.kind === "wrong" ? rest : tested(condition, rest);
      }
      case "binding": {
        const value = expression(inside, clause.value);
        if (value.kind === "wrong") return value;
        const next = bound(inside, clause.name, value);
        const rest = from(next.place, n + 1);
        return rest.kind === "wrong" ? rest : inBlock([next.binding], rest);
      }
      case "generator": {
        const planned = plan.generators.get(clause)!;
        const source = planned.fixed ?? sourceOf(inside, clause.source);
        const position = positions[generators.indexOf(clause)]!;
        const next = source && entered(inside, clause, source, position);
        if (!next) return wrongAt(e.span);
        const rest = from(next.place, n + 1);
        if (rest.kind === "wrong") return rest;
        const whole = inBlock(next.bindings, rest);
        if (wanted === "element" || !planned.varies) return whole;
        const length = lengthValue(inside, source, clause.span);
        return tested(apply(inside, "less", [position, length], clause.span), whole);
      }
      default:
        return clause satisfies never;
    }
  };
  return from(place, 0);
}

interface Entered {
  readonly place: Place;
  readonly bindings: readonly ValueBinding[];
}

/** With the generator's names bound to what stands at a position. */
function entered(place: Place, { pattern, span }: Generator, source: Source, position: Typed): Entered | undefined {
  if (pattern.kind === "wildcard") return { place, bindings: [] };
  const value =
    source.kind === "tensor"
      ? elementAt(place, source.value, [position], span, [span])
      : shifted(place, source, position, span);
  if (pattern.kind === "name") {
    const next = bound(place, pattern.name, value);
    return { place: next.place, bindings: [next.binding] };
  }
  return takenApart(place, pattern, value);
}

/** A pattern that fits every element gives its names; one that may not belongs in a filter. */
function takenApart(place: Place, pattern: ast.Pattern, value: Typed): Entered | undefined {
  const patterns = newPatterns(place);
  const { condition, names } = layOver(patterns, pattern, value);
  if (condition.kind === "wrong") return undefined;
  const missing = uncovered([pattern], constructorsOf(patterns));
  if (missing !== undefined) {
    report(place, "E0412", `this generator may fail: it does not match \`${missing}\``, pattern.span, {
      help: "bind a name and ask in a filter: `x in xs, match x { … => true, _ => false }`",
    });
    return undefined;
  }
  const bindings: ValueBinding[] = [];
  let inside = place;
  for (const { name, value: part } of names.values()) {
    const next = bound(inside, name, part);
    inside = next.place;
    bindings.push(next.binding);
  }
  return { place: inside, bindings };
}

function shifted(place: Place, range: Extract<Source, { kind: "range" }>, position: Typed, span: Span): Typed {
  const { checker } = place;
  const [from, to] = [termOf(checker, range.from), termOf(checker, range.to)];
  const start = range.reversed ? plus(to, -1) : from;
  const isLookedUp = [...variablesOf(start)].some((v) => checker.opaqueValue.has(v));
  if (position.kind === "integer" && !isLookedUp)
    return integerAt(range.reversed ? subtract(start, position.term) : add(start, position.term), span);
  const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span };
  if (!range.reversed) return constantOf(from) === 0 ? position : apply(place, "add", [range.from, position], span);
  return apply(place, "subtract", [apply(place, "subtract", [range.to, one], span), position], span);
}

function bound(place: Place, name: ast.Name, value: Typed): { readonly place: Place; readonly binding: ValueBinding } {
  const scope = scopeInside(place.scope);
  const binding = valueBinding(place, "let", name, value);
  scope.names.set(name.text, binding);
  return { place: { ...place, scope }, binding };
}

// ── what depends on what ────────────────────────────────────────────────────────────────────────

function dependsOn(checker: Checker, term: Term, variables: ReadonlySet<Variable>): boolean {
  const value: Typed = { kind: "integer", term, type: scalar("i32"), span: nowhere };
  return [...freeVariables([value], checker.opaqueValue)].some((v) => variables.has(v));
}

const nowhere: Span = { source: { name: "", text: "" }, start: 0, end: 0 };

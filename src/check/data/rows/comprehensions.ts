// `[e | i in 0..n, x in xs, guard, v = e2]`: generators nest left to right and make one axis, which
// is walked by one coordinate.
//
// Without a filter a position p of that axis is taken apart into the positions of the generators:
// with lengths n1, n2, n3 the second one stands at p / n3 % n2. With a filter the same positions
// are numbered as if nothing were filtered, and the list of the accepted ones says at which of them
// element k stands (accepted-positions.ts): values and derivatives gather through it.

import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../../base/source.ts";
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
} from "../../../affine/term.ts";
import type { Term, Variable } from "../../../affine/term.ts";
import { holds, nonNegative } from "../../../affine/prove.ts";
import { variablesOf } from "../../../affine/visit.ts";
import { freeVariables } from "../../ranges/outer-variables.ts";
import { uncovered } from "../patterns/exhaustive.ts";
import { rowCount } from "./rows-of.ts";
import { constructorsOf, layOver, newPatterns } from "../patterns/patterns.ts";
import type { Remade } from "../../calls/held/function-lists.ts";
import { boxedIn, functionsIn, holdsFunctions, membersOf, windowOf } from "../../values/tuples.ts";
import { isEndless } from "../../types/declared-types.ts";
import { elementAt, listOver, walkedAxes } from "../lists.ts";
import { inBlock, share } from "../../values/share.ts";
import { canBeCell } from "../../expressions/strings.ts";
import { acceptedArray } from "../arrays.ts";
import { acceptedPositions, type Accepted } from "./accepted-positions.ts";
import { extentFacts } from "../../statements/agree.ts";
import { refuseBoundAgain } from "../../lints/bound-again.ts";
import { notBuilt, refuse, report, wrongAt, type Checker, type Place } from "../../context.ts";
import { explicitRange, newBinder } from "../../ranges/coordinates.ts";
import { dependsOnOthers } from "../../ranges/enclosing.ts";
import { termOf, valueBinding } from "../../types/integers.ts";
import { apply } from "../../expressions/operators.ts";
import { scopeInside } from "../../names/scope.ts";
import type { Binder, TensorBinding, Typed, ValueBinding } from "../../types/typed.ts";
import { isCompound, isText, scalar, showType, tensor, type Axis } from "../../types/types.ts";
import { longestOf, rowsBeside, type Rows, type Walked } from "./rows-beside.ts";
import { cellInWindow } from "./windows.ts";
import { underCondition } from "../../ranges/under-condition.ts";
import { costsNothing } from "../../values/plain-values.ts";
import { conditionOf, expression } from "../../elaborate.ts";

type Generator = Extract<ast.ComprehensionClause, { kind: "generator" }>;

/** What a generator walks. */
type Source =
  | { readonly kind: "range"; readonly from: Typed; readonly to: Typed; readonly reversed: boolean }
  | { readonly kind: "tensor"; readonly value: Typed };

interface Planned {
  readonly length: Term;
  /** The source, where it is the same for all positions of the generators before it. */
  readonly fixed?: Source;
  /** Where it is another one at each of them and is computed: all of them, one beside another. */
  readonly rows?: Rows;
  /** Shorter at some positions of the generators before it: those beyond its end are filtered. */
  readonly varies: boolean;
}

interface Plan {
  readonly generators: ReadonlyMap<Generator, Planned>;
  /** Names for what is computed once. */
  readonly bindings: (ValueBinding | TensorBinding)[];
}

/** A tensor whose elements have one shape. */
export function rectangular(place: Place, e: ast.Comprehension): Typed {
  const scope = scopeInside(place.scope);
  const inside: Place = {
    ...place,
    scope,
    indexed: place.indexed ?? e.span,
    inner: true,
    rows: true,
  };
  const plan = planOf(place, inside, e);
  if (!plan) return wrongAt(e.span);
  const planned = [...plan.generators.values()];
  const total = sizeOf(planned);
  const isFiltered =
    e.clauses.some((clause) => clause.kind === "guard") || planned.some((each) => each.varies);
  // A function among the elements is made again where it is called, for the position that it has
  // without a filter.
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
  const test = walk(
    inside,
    e,
    plan,
    positionsAt(planned, ofVariable(tested.variable), e.span),
    "test",
  );
  if (test.kind === "wrong") return test;
  const own = new Set([tested.variable]);
  const isOfRun =
    place.recursion !== undefined &&
    dependsOnOthers(place.checker, [test, integerAt(total, e.span)], own);
  if (isOfRun && !place.arrays)
    return notBuilt(
      place,
      "a filter inside a recursive function that depends on its parameters",
      e.span,
    );
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

export function binderOver(name: string, length: Term, span: Span): Binder {
  const binder = newBinder(name, span, true);
  binder.from = integerAt(zero, span);
  binder.to = integerAt(length, span);
  return binder;
}

function integerAt(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

/** The elements as one tensor: the new axis in front of those that they have themselves. */
function elementsOver(
  place: Place,
  e: ast.Comprehension,
  binder: Binder,
  body: Typed,
  made: Remade,
): Typed {
  if (body.kind === "wrong") return body;
  const { type } = body;
  const own = new Set([binder.variable]);
  if (isText(type) && !canBeCell(place, body)) return wrongAt(e.span);
  const isRagged = axesWithin(place, body).some(
    ({ extent }) => extent && dependsOn(place.checker, extent, own),
  );
  if (isRagged || type.kind === "jagged") {
    return refuse(
      place,
      "E0408",
      "the elements of a comprehension must have one shape",
      e.element.span,
      {
        text: "how long this one is depends on its generators",
        help:
          isCompound(type) && type.kind !== "jagged"
            ? "rows of other lengths are `jagged`, of numbers, bools or texts: " +
              "keep one such value for each part"
            : "give every element the same length, or reduce it to a scalar",
      },
    );
  }
  const length = termOf(place.checker, binder.to!);
  const axis: Axis = {
    extent: length,
    origin: { span: e.span, text: "as many as the comprehension has elements" },
  };
  if (type.kind !== "tensor") return listOver(place, binder, axis, body, made, e.span);
  return {
    kind: "abstract",
    binders: [binder],
    body,
    type: tensor(type.element, [axis, ...type.axes]),
    span: e.span,
  };
}

/** The axes of a value, or of what it is made of, unless that is behind references. */
function axesWithin(place: Place, value: Typed): readonly Axis[] {
  const { type } = value;
  const isReferred =
    boxedIn(value) || functionsIn(value) || (type.kind === "data" && isEndless(place, type));
  const parts = isReferred ? [] : (membersOf(value) ?? []);
  return [...walkedAxes(type), ...parts.flatMap((part) => axesWithin(place, part))];
}

// ── generators ──────────────────────────────────────────────────────────────────────────────────

/** How long each generator is, found with coordinates in place of those before it. */
export function planOf(outside: Place, place: Place, e: ast.Comprehension): Plan | undefined {
  if (refuseBoundAgain(place, e)) return undefined;
  const plan: Plan & { generators: Map<Generator, Planned> } = {
    generators: new Map(),
    bindings: [],
  };
  const last = e.clauses.findLastIndex(({ kind }) => kind === "generator");
  let walked: Walked = { binders: [], conditions: [] };
  let inside = place;
  for (const [n, clause] of e.clauses.entries()) {
    if (clause.kind === "guard") {
      // What is filtered out has no elements for the generators behind it.
      if (n > last) continue;
      const condition = conditionOf(inside, clause.condition, "a filter");
      if (condition.kind === "wrong") return undefined;
      walked = { ...walked, conditions: [...walked.conditions, condition] };
      inside = underCondition(inside, condition);
      continue;
    }
    if (clause.kind === "binding") {
      const value = expression(inside, clause.value);
      if (value.kind === "wrong") return undefined;
      inside = bound(inside, clause.name, value).place;
      continue;
    }
    // What the first generator walks depends on no other: it may be ragged.
    const source = sourceOf(
      walked.binders.length === 0
        ? { ...outside, scope: inside.scope, inner: true, rows: true }
        : inside,
      clause.source,
    );
    if (!source) return undefined;
    const planned = planGenerator(inside, source, walked, plan, clause);
    if (!planned) return undefined;
    plan.generators.set(clause, planned);
    const binder = binderOver("p", planned.length, clause.span);
    const position = integerAt(ofVariable(binder.variable), clause.span);
    const before = walked.binders.map(({ variable }) =>
      integerAt(ofVariable(variable), clause.span),
    );
    const { value, length } = stepOf(inside, clause.span, planned.rows ?? source, before, position);
    const next = entered(inside, clause, value);
    if (!next) return undefined;
    const exists = planned.varies ? [apply(inside, "less", [position, length()], clause.span)] : [];
    walked = {
      binders: [...walked.binders, binder],
      conditions: [...walked.conditions, ...exists],
    };
    inside = next.place;
  }
  return plan;
}

function planGenerator(
  place: Place,
  source: Source,
  walked: Walked,
  plan: Plan,
  clause: Generator,
): Planned | undefined {
  const variables = new Set(walked.binders.map(({ variable }) => variable));
  const own = lengthOf(place.checker, source);
  const parts = source.kind === "range" ? [source.from, source.to] : [source.value];
  const isFixed = !parts.some(holdsFunctions) && !anyDependsOn(place.checker, parts, variables);
  const varies = dependsOn(place.checker, own, variables);
  const longest = varies
    ? longestOf(place, walked, lengthValue(place, source, clause.span))
    : undefined;
  if (longest) plan.bindings.push(longest.binding);
  const length = longest?.term ?? own;
  if (source.kind === "range")
    return { length, varies, ...(isFixed && !varies ? { fixed: source } : {}) };
  const name: ast.Name = { text: "source", span: clause.source.span };
  if (isFixed && !varies) {
    const shared = share(place, name, source.value);
    const binding = valueBinding(place, "let", name, shared.value);
    plan.bindings.push(...shared.bindings, binding);
    const value: Typed = {
      kind: "reference",
      binding,
      type: binding.type,
      span: clause.source.span,
    };
    return { length, varies, fixed: { kind: "tensor", value } };
  }
  if (place.recursion || !isComputed(place.checker, source.value, variables))
    return { length, varies };
  const made = rowsBeside(place, walked, source.value, length, name);
  if (made.value.kind === "wrong") return undefined;
  plan.bindings.push(...made.bindings);
  return { length, varies, rows: made };
}

/**
 * Whether a source is worth computing once for all positions that it depends on, rather than read
 * where it lies.
 */
function isComputed(checker: Checker, value: Typed, walked: ReadonlySet<Variable>): boolean {
  if (
    value.type.kind === "jagged" ||
    holdsFunctions(value) ||
    costsNothing(value) ||
    windowOf(value)
  )
    return false;
  const elements = walkedAxes(value.type).slice(1);
  if (elements.some(({ extent }) => extent && dependsOn(checker, extent, walked))) return false;
  const members = boxedIn(value) ? undefined : membersOf(value);
  return (
    !members ||
    members.some((member) => member.type.kind !== "absent" && isComputed(checker, member, walked))
  );
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
  if (walkedAxes(value.type).length > 0 || value.type.kind === "jagged")
    return { kind: "tensor", value };
  refuse(
    place,
    "E0401",
    `a generator walks a range or a tensor, this is ${showType(value.type)}`,
    e.span,
    {
      help: isText(value.type)
        ? `walk its characters: \`${textOf(e.span)}.split("")\``
        : "write `i in 0..n` or `x in xs`",
    },
  );
  return undefined;
}

function isReversed(e: ast.Expression): boolean {
  return (
    e.kind === "call" &&
    e.callee.kind === "path" &&
    e.callee.segments.map((each) => each.text).join() === "rev"
  );
}

function lengthOf(checker: Checker, source: Source): Term {
  if (source.kind === "tensor") {
    const { value } = source;
    return value.type.kind === "jagged"
      ? rowCount(value)
      : (walkedAxes(value.type)[0]!.extent ?? zero);
  }
  const length = subtract(termOf(checker, source.to), termOf(checker, source.from));
  return holds(nonNegative(length), extentFacts(checker, [length]))
    ? length
    : maximum(zero, length);
}

function lengthValue(place: Place, source: Source, span: Span): Typed {
  if (source.kind === "range") {
    const isFromZero = constantOf(termOf(place.checker, source.from)) === 0;
    return isFromZero ? source.to : apply(place, "subtract", [source.to, source.from], span);
  }
  return integerAt(lengthOf(place.checker, source), span);
}

// ── positions ───────────────────────────────────────────────────────────────────────────────────

export function sizeOf(planned: readonly Planned[]): Term {
  return planned.map((each) => each.length).reduce(multiply, constant(1));
}

/** Where a length is 0 there are no positions, so what they are divided by does not matter. */
function divisor(length: Term): Term {
  return constantOf(length) === 0 ? constant(1) : length;
}

/** The positions of the generators at a coordinate of the axis, as the solver understands them. */
export function positionsAt(planned: readonly Planned[], at: Term, span: Span): readonly Typed[] {
  return planned.map(({ length }, k): Typed => {
    const outer =
      k === planned.length - 1 ? at : floorDiv(at, divisor(sizeOf(planned.slice(k + 1))));
    return integerAt(k === 0 ? outer : mod(outer, divisor(length)), span);
  });
}

/** The same from a position that was looked up. */
function positionsFrom(
  place: Place,
  planned: readonly Planned[],
  at: Typed,
  span: Span,
): readonly Typed[] {
  return planned.map(({ length }, k): Typed => {
    const inner = integerAt(divisor(sizeOf(planned.slice(k + 1))), span);
    const outer = k === planned.length - 1 ? at : apply(place, "divide", [at, inner], span);
    return k === 0
      ? outer
      : apply(place, "remainder", [outer, integerAt(divisor(length), span)], span);
  });
}

/** Binds what the clauses name and gives the element there, or whether the guards hold there. */
export function walk(
  place: Place,
  e: ast.Comprehension,
  plan: Plan,
  positions: readonly Typed[],
  wanted: "element" | "test",
): Typed {
  const generators = [...plan.generators.keys()];
  const no = (span: Span): Typed => ({
    kind: "constant",
    value: false,
    type: scalar("bool"),
    span,
  });
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
        const at = generators.indexOf(clause);
        const walked = planned.rows ?? planned.fixed ?? sourceOf(inside, clause.source);
        if (!walked) return wrongAt(e.span);
        const { source, bindings } = namedRows(inside, walked, clause);
        const { value, length } = stepOf(
          inside,
          clause.span,
          source,
          positions.slice(0, at),
          positions[at]!,
        );
        const next = entered(inside, clause, value);
        if (!next) return wrongAt(e.span);
        const rest = from(next.place, n + 1);
        if (rest.kind === "wrong") return rest;
        const whole = inBlock(next.bindings, rest);
        if (wanted === "element" || !planned.varies) return inBlock(bindings, whole);
        return inBlock(
          bindings,
          tested(apply(inside, "less", [positions[at]!, length()], clause.span), whole),
        );
      }
      default:
        return clause satisfies never;
    }
  };
  return from(place, 0);
}

/**
 * Ragged rows that are others at each position have a name there: how long they are is asked under
 * conditions.
 */
function namedRows(
  place: Place,
  source: Source | Rows,
  { source: { span } }: Generator,
): { readonly source: Source | Rows; readonly bindings: readonly ValueBinding[] } {
  if ("lengths" in source || source.kind !== "tensor" || source.value.type.kind !== "jagged")
    return { source, bindings: [] };
  const { value, bindings } = share(place, { text: "rows", span }, source.value);
  return { source: { ...source, value }, bindings };
}

/**
 * What stands at a position of a generator, and how long it is at those of the generators before
 * it.
 */
interface Step {
  readonly value: Typed;
  readonly length: () => Typed;
}

function stepOf(
  place: Place,
  span: Span,
  source: Source | Rows,
  before: readonly Typed[],
  position: Typed,
): Step {
  const at = (of: Typed, indices: readonly Typed[]): Typed => {
    const spans = indices.map(() => span);
    return elementAt(place, of, indices, span, spans);
  };
  if ("lengths" in source)
    return {
      value: at(source.value, [...before, position]),
      length: () => at(source.lengths, before),
    };
  const value =
    source.kind === "tensor"
      ? (cellInWindow(place, source.value, position, span) ?? at(source.value, [position]))
      : shifted(place, source, position, span);
  return { value, length: () => lengthValue(place, source, span) };
}

interface Entered {
  readonly place: Place;
  readonly bindings: readonly ValueBinding[];
}

/** With the generator's names bound to what stands at a position. */
function entered(place: Place, { pattern }: Generator, value: Typed): Entered | undefined {
  if (pattern.kind === "wildcard") return { place, bindings: [] };
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
    report(
      place,
      "E0412",
      `this generator may fail: it does not match \`${missing}\``,
      pattern.span,
      {
        help: "bind a name and ask in a filter: `x in xs, match x { … => true, _ => false }`",
      },
    );
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

function shifted(
  place: Place,
  range: Extract<Source, { kind: "range" }>,
  position: Typed,
  span: Span,
): Typed {
  const { checker } = place;
  const [from, to] = [termOf(checker, range.from), termOf(checker, range.to)];
  const start = range.reversed ? plus(to, -1) : from;
  const isLookedUp = [...variablesOf(start)].some((v) => checker.opaqueValue.has(v));
  if (position.kind === "integer" && !isLookedUp)
    return integerAt(
      range.reversed ? subtract(start, position.term) : add(start, position.term),
      span,
    );
  const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span };
  if (!range.reversed)
    return constantOf(from) === 0 ? position : apply(place, "add", [range.from, position], span);
  return apply(
    place,
    "subtract",
    [apply(place, "subtract", [range.to, one], span), position],
    span,
  );
}

function bound(
  place: Place,
  name: ast.Name,
  value: Typed,
): { readonly place: Place; readonly binding: ValueBinding } {
  const scope = scopeInside(place.scope);
  const binding = valueBinding(place, "let", name, value);
  scope.names.set(name.text, binding);
  return { place: { ...place, scope }, binding };
}

// ── what depends on what ────────────────────────────────────────────────────────────────────────

function dependsOn(checker: Checker, term: Term, variables: ReadonlySet<Variable>): boolean {
  return anyDependsOn(checker, [integerAt(term, nowhere)], variables);
}

function anyDependsOn(
  checker: Checker,
  values: readonly Typed[],
  variables: ReadonlySet<Variable>,
): boolean {
  return [...freeVariables(values, checker.opaqueValue)].some((v) => variables.has(v));
}

const nowhere: Span = { source: { name: "", text: "" }, start: 0, end: 0 };

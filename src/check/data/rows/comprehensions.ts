// Comprehensions as tensors. `[e | i in 0..n, x in xs, guard, v = e2]` nests its generators from
// left to right. The result has one axis, with one coordinate p.
//
// Without a filter, p gives the position of each generator. With the lengths n1, n2, n3:
//
//   first: p / (n2 * n3)      second: p / n3 % n2      third: p % n3
//
// With a filter, p counts all positions, accepted or not. A list of the accepted positions says
// which of them is element k (`accepted-positions.ts`). Values and derivatives gather through this
// list.

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
import { constructorsOf, matchPattern, newPatterns } from "../patterns/patterns.ts";
import type { Remade } from "../../calls/held/function-lists.ts";
import { boxedIn, functionsIn, holdsFunctions, membersOf, windowOf } from "../../values/tuples.ts";
import { isRecursiveType } from "../../types/declared-types.ts";
import { elementAt, listOver, walkedAxes } from "../lists.ts";
import { inBlock, share } from "../../values/share.ts";
import { canBeCell } from "../../expressions/strings.ts";
import { acceptedArray } from "../arrays.ts";
import { acceptedPositions, type Accepted } from "./accepted-positions.ts";
import { extentFacts } from "../../statements/agree.ts";
import { refuseBoundAgain } from "../../lints/bound-again.ts";
import { notBuilt, refuse, report, wrongAt, type Checker, type Place } from "../../context.ts";
import { setExplicitRange, newBinder } from "../../ranges/coordinates.ts";
import { dependsOnOthers } from "../../ranges/enclosing.ts";
import { integerTerm, valueBinding } from "../../types/integers.ts";
import { apply } from "../../expressions/operators.ts";
import { scopeInside } from "../../names/scope.ts";
import type { Binder, TensorBinding, Typed, ValueBinding } from "../../types/typed.ts";
import { integerValue } from "../../values/integer-value.ts";
import { isCompound, isText, scalar, showType, tensor, type Axis } from "../../types/types.ts";
import { longestOf, rowsBeside, type Rows, type Walked } from "./rows-beside.ts";
import { cellInWindow } from "./windows.ts";
import { underCondition } from "../../ranges/under-condition.ts";
import { costsNothing } from "../../values/plain-values.ts";
import { conditionOf, expression } from "../../elaborate.ts";

type Generator = Extract<ast.ComprehensionClause, { kind: "generator" }>;

/** The range or tensor that a generator walks. */
type Source =
  | { readonly kind: "range"; readonly from: Typed; readonly to: Typed; readonly reversed: boolean }
  | { readonly kind: "tensor"; readonly value: Typed };

interface Planned {
  readonly length: Term;
  /** The source, if it is the same for all positions of the generators before it. */
  readonly fixed?: Source;
  /** If the source is computed anew for each of these positions: the sources of all positions. */
  readonly rows?: Rows;
  /**
   * Whether the source is shorter at some of these positions. Positions beyond its end are
   * filtered.
   */
  readonly varies: boolean;
}

interface Plan {
  readonly generators: ReadonlyMap<Generator, Planned>;
  /** Bindings of values that are computed once. */
  readonly bindings: (ValueBinding | TensorBinding)[];
}

/** A comprehension whose elements have one shape. */
export function rectangular(place: Place, e: ast.Comprehension): Typed {
  const scope = scopeInside(place.scope);
  const inside: Place = {
    ...place,
    scope,
    indexed: place.indexed ?? e.span,
    inner: true,
    rows: true,
  };
  const plan = planGenerators(place, inside, e);
  if (!plan) return wrongAt(e.span);
  const planned = [...plan.generators.values()];
  const total = productOfLengths(planned);
  const isFiltered =
    e.clauses.some((clause) => clause.kind === "guard") || planned.some((each) => each.varies);
  // A function among the elements is made again where it is called. Its code is the position among
  // all positions, accepted or not.
  const again = (at: Place, code: Typed): Typed => {
    const elsewhere = withNamesOf(inside, at);
    return elementOrTest(
      elsewhere,
      e,
      plan,
      positionsFrom(elsewhere, planned, code, e.span),
      "element",
    );
  };
  const element = (binder: Binder, code: Typed, positions: readonly Typed[]): Typed =>
    elementsOver(place, e, binder, elementOrTest(inside, e, plan, positions, "element"), {
      code,
      again,
    });
  if (!isFiltered) {
    const binder = binderOver("p", total, e.span);
    const at = ofVariable(binder.variable);
    const elements = element(binder, integerValue(at, e.span), positionsAt(planned, at, e.span));
    return elements.kind === "wrong" ? elements : inBlock(plan.bindings, elements);
  }
  const tested = binderOver("p", total, e.span);
  const test = elementOrTest(
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
    dependsOnOthers(place.checker, [test, integerValue(total, e.span)], own);
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
  const elements = element(binder, code, positionsFrom(inside, planned, code, e.span));
  return elements.kind === "wrong" ? elements : inBlock(plan.bindings, elements);
}

/** Another place with the names of this one. */
function withNamesOf({ scope, signature, words }: Place, at: Place): Place {
  return { ...at, scope, signature: signature ?? new Map(), words: words ?? new Map() };
}

/** The accepted positions in a function whose filter may depend on the call. */
function acceptedByRun(place: Place, tested: Binder, test: Typed, span: Span): Accepted {
  const { binding, cells } = acceptedArray(place, tested, test, span);
  const at = ({ variable }: Binder): Typed => ({
    kind: "read",
    base: cells,
    indices: [integerValue(ofVariable(variable), span)],
    type: scalar("i32"),
    span,
  });
  return { bindings: [binding], count: cells.type.axes[0]!.extent!, at };
}

export function binderOver(name: string, length: Term, span: Span): Binder {
  const binder = newBinder(name, span, true);
  binder.from = integerValue(zero, span);
  binder.to = integerValue(length, span);
  return binder;
}

/** The elements as one tensor or list. The new axis comes before the axes of the element. */
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
    ({ extent }) => extent && termDependsOn(place.checker, extent, own),
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
  const length = integerTerm(place.checker, binder.to!);
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

/** The axes of a value and of its parts, except of parts behind references. */
function axesWithin(place: Place, value: Typed): readonly Axis[] {
  const { type } = value;
  const isReferred =
    boxedIn(value) || functionsIn(value) || (type.kind === "data" && isRecursiveType(place, type));
  const parts = isReferred ? [] : (membersOf(value) ?? []);
  return [...walkedAxes(type), ...parts.flatMap((part) => axesWithin(place, part))];
}

// ── generators ──────────────────────────────────────────────────────────────────────────────────

/**
 * Plans the generators in order. Coordinates stand for the positions of the generators before each.
 */
export function planGenerators(
  outside: Place,
  place: Place,
  e: ast.Comprehension,
): Plan | undefined {
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
      // A filter before a generator leaves no elements for it, so it restricts the generator.
      // Filters after the last generator restrict none.
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
      inside = bindName(inside, clause.name, value).place;
      continue;
    }
    // The source of the first generator depends on no other generator, so it may be ragged rows.
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
    const position = integerValue(ofVariable(binder.variable), clause.span);
    const before = walked.binders.map(({ variable }) =>
      integerValue(ofVariable(variable), clause.span),
    );
    const { value, length } = valueAtPosition(
      inside,
      clause.span,
      planned.rows ?? source,
      before,
      position,
    );
    const next = bindPattern(inside, clause, value);
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
  const own = lengthOfSource(place.checker, source);
  const parts = source.kind === "range" ? [source.from, source.to] : [source.value];
  const isFixed = !parts.some(holdsFunctions) && !anyDependsOn(place.checker, parts, variables);
  const varies = termDependsOn(place.checker, own, variables);
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
  const rows = rowsBeside(place, walked, source.value, length, name);
  if (rows.value.kind === "wrong") return undefined;
  plan.bindings.push(...rows.bindings);
  return { length, varies, rows: rows };
}

/**
 * Whether a source should be computed once for all positions that it depends on. A source that only
 * reads another tensor is read in place instead.
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
  if (elements.some(({ extent }) => extent && termDependsOn(checker, extent, walked))) return false;
  const members = boxedIn(value) ? undefined : membersOf(value);
  return (
    !members ||
    members.some((member) => member.type.kind !== "absent" && isComputed(checker, member, walked))
  );
}

function sourceOf(place: Place, e: ast.Expression): Source | undefined {
  if (e.kind === "range" || isReversed(e)) {
    const binder = newBinder("i", e.span, true);
    if (!setExplicitRange(place, binder, e)) return undefined;
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

function lengthOfSource(checker: Checker, source: Source): Term {
  if (source.kind === "tensor") {
    const { value } = source;
    return value.type.kind === "jagged"
      ? rowCount(value)
      : (walkedAxes(value.type)[0]!.extent ?? zero);
  }
  const length = subtract(integerTerm(checker, source.to), integerTerm(checker, source.from));
  return holds(nonNegative(length), extentFacts(checker, [length]))
    ? length
    : maximum(zero, length);
}

function lengthValue(place: Place, source: Source, span: Span): Typed {
  if (source.kind === "range") {
    const isFromZero = constantOf(integerTerm(place.checker, source.from)) === 0;
    return isFromZero ? source.to : apply(place, "subtract", [source.to, source.from], span);
  }
  return integerValue(lengthOfSource(place.checker, source), span);
}

// ── positions ───────────────────────────────────────────────────────────────────────────────────

export function productOfLengths(planned: readonly Planned[]): Term {
  return planned.map((each) => each.length).reduce(multiply, constant(1));
}

/** A length to divide by. If it is 0, there are no positions, and any divisor will do. */
export function divisor(length: Term): Term {
  return constantOf(length) === 0 ? constant(1) : length;
}

/** The positions of the generators as terms of the coordinate `at`. */
export function positionsAt(planned: readonly Planned[], at: Term, span: Span): readonly Typed[] {
  return planned.map(({ length }, k): Typed => {
    const outer =
      k === planned.length - 1 ? at : floorDiv(at, divisor(productOfLengths(planned.slice(k + 1))));
    return integerValue(k === 0 ? outer : mod(outer, divisor(length)), span);
  });
}

/** The positions of the generators from a position that is data. */
function positionsFrom(
  place: Place,
  planned: readonly Planned[],
  at: Typed,
  span: Span,
): readonly Typed[] {
  return planned.map(({ length }, k): Typed => {
    const inner = integerValue(divisor(productOfLengths(planned.slice(k + 1))), span);
    const outer = k === planned.length - 1 ? at : apply(place, "divide", [at, inner], span);
    return k === 0
      ? outer
      : apply(place, "remainder", [outer, integerValue(divisor(length), span)], span);
  });
}

/** The element at some positions of the generators, or whether all guards hold there. */
export function elementOrTest(
  place: Place,
  e: ast.Comprehension,
  plan: Plan,
  positions: readonly Typed[],
  wanted: "element" | "test",
): Typed {
  const generators = [...plan.generators.keys()];
  const falseAt = (span: Span): Typed => ({
    kind: "constant",
    value: false,
    type: scalar("bool"),
    span,
  });
  const underTest = (condition: Typed, then: Typed): Typed => {
    const otherwise = falseAt(then.span);
    return { kind: "select", condition, then, otherwise, type: scalar("bool"), span: then.span };
  };
  const visitFrom = (inside: Place, n: number): Typed => {
    const clause = e.clauses[n];
    if (!clause) {
      if (wanted === "element") return expression(inside, e.element);
      return { kind: "constant", value: true, type: scalar("bool"), span: e.span };
    }
    switch (clause.kind) {
      case "guard": {
        if (wanted === "element") return visitFrom(inside, n + 1);
        const condition = conditionOf(inside, clause.condition, "a filter");
        if (condition.kind === "wrong") return condition;
        const rest = visitFrom(underCondition(inside, condition), n + 1);
        return rest.kind === "wrong" ? rest : underTest(condition, rest);
      }
      case "binding": {
        const value = expression(inside, clause.value);
        if (value.kind === "wrong") return value;
        const next = bindName(inside, clause.name, value);
        const rest = visitFrom(next.place, n + 1);
        return rest.kind === "wrong" ? rest : inBlock([next.binding], rest);
      }
      case "generator": {
        const planned = plan.generators.get(clause)!;
        const at = generators.indexOf(clause);
        const walked = planned.rows ?? planned.fixed ?? sourceOf(inside, clause.source);
        if (!walked) return wrongAt(e.span);
        const { source, bindings } = nameRaggedRows(inside, walked, clause);
        const { value, length } = valueAtPosition(
          inside,
          clause.span,
          source,
          positions.slice(0, at),
          positions[at]!,
        );
        const next = bindPattern(inside, clause, value);
        if (!next) return wrongAt(e.span);
        const rest = visitFrom(next.place, n + 1);
        if (rest.kind === "wrong") return rest;
        const whole = inBlock(next.bindings, rest);
        if (wanted === "element" || !planned.varies) return inBlock(bindings, whole);
        return inBlock(
          bindings,
          underTest(apply(inside, "less", [positions[at]!, length()], clause.span), whole),
        );
      }
      default:
        return clause satisfies never;
    }
  };
  return visitFrom(place, 0);
}

/**
 * Gives ragged rows that differ from position to position a name, because their length is read
 * under conditions.
 */
function nameRaggedRows(
  place: Place,
  source: Source | Rows,
  { source: { span } }: Generator,
): { readonly source: Source | Rows; readonly bindings: readonly ValueBinding[] } {
  if ("lengths" in source || source.kind !== "tensor" || source.value.type.kind !== "jagged")
    return { source, bindings: [] };
  const { value, bindings } = share(place, { text: "rows", span }, source.value);
  return { source: { ...source, value }, bindings };
}

/** The value at a position of a generator, and the length of its source. */
interface ValueAtPosition {
  readonly value: Typed;
  readonly length: () => Typed;
}

function valueAtPosition(
  place: Place,
  span: Span,
  source: Source | Rows,
  before: readonly Typed[],
  position: Typed,
): ValueAtPosition {
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
      : valueOfRange(place, source, position, span);
  return { value, length: () => lengthValue(place, source, span) };
}

interface BoundPattern {
  readonly place: Place;
  readonly bindings: readonly ValueBinding[];
}

/** Binds the names of a generator's pattern to the value at a position. */
function bindPattern(place: Place, { pattern }: Generator, value: Typed): BoundPattern | undefined {
  if (pattern.kind === "wildcard") return { place, bindings: [] };
  if (pattern.kind === "name") {
    const next = bindName(place, pattern.name, value);
    return { place: next.place, bindings: [next.binding] };
  }
  return bindParts(place, pattern, value);
}

/**
 * Binds the names of a pattern that matches every element. Another pattern is reported: it belongs
 * in a filter.
 */
function bindParts(place: Place, pattern: ast.Pattern, value: Typed): BoundPattern | undefined {
  const patterns = newPatterns(place);
  const { condition, names } = matchPattern(patterns, pattern, value);
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
    const next = bindName(inside, name, part);
    inside = next.place;
    bindings.push(next.binding);
  }
  return { place: inside, bindings };
}

function valueOfRange(
  place: Place,
  range: Extract<Source, { kind: "range" }>,
  position: Typed,
  span: Span,
): Typed {
  const { checker } = place;
  const [from, to] = [integerTerm(checker, range.from), integerTerm(checker, range.to)];
  const start = range.reversed ? plus(to, -1) : from;
  const isLookedUp = [...variablesOf(start)].some((v) => checker.opaqueValue.has(v));
  if (position.kind === "integer" && !isLookedUp)
    return integerValue(
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

function bindName(
  place: Place,
  name: ast.Name,
  value: Typed,
): { readonly place: Place; readonly binding: ValueBinding } {
  const scope = scopeInside(place.scope);
  const binding = valueBinding(place, "let", name, value);
  scope.names.set(name.text, binding);
  return { place: { ...place, scope }, binding };
}

// ── dependencies ───────────────────────────────────────────────────────────────────────────────

function termDependsOn(checker: Checker, term: Term, variables: ReadonlySet<Variable>): boolean {
  return anyDependsOn(checker, [integerValue(term, nowhere)], variables);
}

function anyDependsOn(
  checker: Checker,
  values: readonly Typed[],
  variables: ReadonlySet<Variable>,
): boolean {
  return [...freeVariables(values, checker.opaqueValue)].some((v) => variables.has(v));
}

const nowhere: Span = { source: { name: "", text: "" }, start: 0, end: 0 };

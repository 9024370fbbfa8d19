// Matches a pattern with a value. The result is the condition under which the pattern matches, and
// the values of its names:
//
//   (0, y)  and the value p      matches if p.0 == 0;  y is p.1

import type { DiagnosticParts } from "../../../diagnostics/diagnostic.ts";
import { after, before, fixed } from "../../../diagnostics/fixes.ts";
import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../../base/source.ts";
import { constant, constantOf, ofVariable, plus, subtract } from "../../../affine/term.ts";
import { isInteger, type IntegerType } from "../../../scalar/types.ts";
import { choose } from "../../values/choose.ts";
import {
  both,
  either,
  knownNumber,
  knownTruth,
  negation,
  truth,
} from "../../expressions/conditions.ts";
import { windowIn, windowOver, withinWindow } from "../rows/windows.ts";
import { newFrame, refuse, report, wrongAt, type Place } from "../../context.ts";
import { counted } from "../../lints/count.ts";
import { patternNames } from "../../names/free-names.ts";
import { isEnum, isStruct, noField, payloadAt, unknownType, variantOf } from "../data.ts";
import { forAllFields, forAllMembers } from "./pattern-help.ts";
import { isVariant } from "./is-variant.ts";
import { dataAt, variantAt } from "../data-at.ts";
import type { StructBinding, VariantOf } from "../data.ts";
import { fieldPattern, type Constructors } from "./exhaustive.ts";
import { elementAt, listOver, walkedAxes } from "../lists.ts";
import { apply } from "../../expressions/operators.ts";
import { lookUp, type Scope } from "../../names/scope.ts";
import { sameText } from "../../expressions/strings.ts";
import { functionsIn, membersOf, windowOf } from "../../values/tuples.ts";
import type { Typed } from "../../types/typed.ts";
import {
  decided,
  isScalar,
  scalar,
  showType,
  tensor,
  unify,
  type Axis,
  type ListType,
  type TensorType,
} from "../../types/types.ts";
import { expression } from "../../elaborate.ts";
import { integerValue } from "../../values/integer-value.ts";
import { binderAlong } from "../../ranges/ranges.ts";

/** A pattern matched with a value. */
export interface Match {
  /** True or false if the outcome is known; otherwise a condition for the run. */
  readonly condition: Typed;
  readonly names: ReadonlyMap<string, Named>;
}

interface Named {
  readonly name: ast.Name;
  readonly value: Typed;
}

/** The meaning of the patterns that have been matched. The check for missing cases uses it. */
export interface Patterns {
  readonly place: Place;
  readonly variants: Map<ast.Pattern, VariantOf>;
  readonly lengths: Map<ast.Pattern, number>;
  /**
   * Patterns of arrays whose type leaves the length open. The length may differ in another call or
   * for another value.
   */
  readonly open: Set<ast.Pattern>;
  readonly integers: Map<ast.Pattern, IntegerType>;
}

export function newPatterns(place: Place): Patterns {
  return { place, variants: new Map(), lengths: new Map(), open: new Set(), integers: new Map() };
}

export function constructorsOf({ place, variants, lengths, integers }: Patterns): Constructors {
  return {
    variant: (pattern) =>
      variants.get(pattern) ??
      (pattern.kind === "variant" ? variantSomewhere(place, pattern.path) : undefined),
    struct: (pattern) => (pattern.kind === "struct" ? structAt(place, pattern.path) : undefined),
    length: (pattern) => lengths.get(pattern),
    integer: (pattern) => integers.get(pattern),
  };
}

/**
 * The same constructors without the lengths that hold in one call only. The declared types decide
 * what has to be covered.
 */
export function declaredConstructors(patterns: Patterns): Constructors {
  const { lengths, open } = patterns;
  return {
    ...constructorsOf(patterns),
    length: (pattern) => (open.has(pattern) ? undefined : lengths.get(pattern)),
  };
}

/** The variant of a pattern that has not been matched with a value. */
function variantSomewhere(place: Place, path: ast.Path): VariantOf | undefined {
  if (path.segments.length > 1) {
    const found = variantAt(place, path);
    return found === "wrong" ? undefined : found;
  }
  for (let around: Scope | undefined = place.scope; around; around = around.parent) {
    for (const of of around.types.values()) {
      if (!isEnum(of)) continue;
      const index = of.declaration.variants.findIndex(
        (variant) => variant.name.text === path.segments[0]!.text,
      );
      if (index >= 0) return { of, index };
    }
  }
  return undefined;
}

function structAt(place: Place, path: ast.Path): StructBinding | undefined {
  const of = dataAt(place, path);
  return of && of !== "wrong" && isStruct(of) ? of : undefined;
}

/** Matches a pattern with a value. If the condition is wrong, that has been reported. */
export function matchPattern(patterns: Patterns, pattern: ast.Pattern, value: Typed): Match {
  const { place } = patterns;
  const { span } = pattern;
  if (value.kind === "wrong") return noMatch(span);
  // The value is another variant, so the pattern never matches, and its names are never read.
  if (value.type.kind === "absent") return { condition: truth(false, span), names: new Map() };
  switch (pattern.kind) {
    case "wildcard":
      return matchAlways(span);
    case "missing":
      return noMatch(span);
    case "name":
      return matchNameOrVariant(place, pattern.name, value);
    case "at": {
      const inside = matchPattern(patterns, pattern.pattern, value);
      return withUniqueNames(place, inside.condition, [inside, matchName(pattern.name, value)]);
    }
    case "literal":
      return matchScalar(patterns, pattern, value, literalCondition(place, pattern.value, value));
    case "range":
      return matchScalar(patterns, pattern, value, rangeCondition(place, pattern, value));
    case "tuple": {
      const members = value.type.kind === "tuple" ? membersOf(value) : undefined;
      if (members?.length !== pattern.members.length) {
        const repair = forAllMembers(pattern, value);
        return refusePattern(place, span, `a tuple of ${pattern.members.length}`, value, repair);
      }
      return matchParts(patterns, pattern.members, members, span);
    }
    case "array":
      return matchArray(patterns, pattern, value);
    case "or":
      return matchAlternatives(patterns, pattern.alternatives, value, span);
    case "variant":
      return matchVariant(patterns, pattern, value);
    case "struct":
      return matchStruct(patterns, pattern, value);
    default:
      return pattern satisfies never;
  }
}

function matchAlways(span: Span): Match {
  return matchIf(truth(true, span));
}

function matchIf(condition: Typed): Match {
  return { condition, names: new Map() };
}

function noMatch(span: Span): Match {
  return matchIf(wrongAt(span));
}

function matchName(name: ast.Name, value: Typed): Match {
  return { condition: truth(true, name.span), names: new Map([[name.text, { name, value }]]) };
}

function refusePattern(
  place: Place,
  span: Span,
  wanted: string,
  value: Typed,
  repair: DiagnosticParts = {},
): Match {
  return matchIf(
    refuse(
      place,
      "E0413",
      `this pattern is for ${wanted}, the value is ${showType(value.type)}`,
      span,
      {
        labels: [{ span: value.span, text: `this is ${showType(value.type)}` }],
        ...repair,
      },
    ),
  );
}

/**
 * A name is bound to the value. The bare name of a variant is reported, because it would match
 * every value.
 */
function matchNameOrVariant(place: Place, name: ast.Name, value: Typed): Match {
  if (value.type.kind === "data" && isEnum(value.type.of)) {
    const { of } = value.type;
    if (value.type.of.declaration.variants.some((variant) => variant.name.text === name.text)) {
      report(
        place,
        "E0413",
        `\`${name.text}\` alone would match everything and be a new name`,
        name.span,
        {
          help: `for the variant write \`${of.name}::${name.text}\``,
          ...fixed(`write \`${of.name}::${name.text}\``, before(name.span, `${of.name}::`)),
        },
      );
      return noMatch(name.span);
    }
  }
  return matchName(name, value);
}

/** All parts must match; they are tested in order. */
function matchParts(
  patterns: Patterns,
  parts: readonly (ast.Pattern | undefined)[],
  values: readonly Typed[],
  span: Span,
): Match {
  const matches = parts.map((part, k) =>
    part ? matchPattern(patterns, part, values[k]!) : matchAlways(span),
  );
  const condition = matches.reduce(
    (before, match) => both(before, match.condition),
    truth(true, span),
  );
  const wrong = matches.find((match) => match.condition.kind === "wrong");
  return withUniqueNames(patterns.place, wrong?.condition ?? condition, matches);
}

function withUniqueNames(place: Place, condition: Typed, matches: readonly Match[]): Match {
  const names = new Map<string, Named>();
  let isUnique = true;
  for (const [text, one] of matches.flatMap((match) => [...match.names])) {
    const first = names.get(text);
    if (first) {
      report(place, "E0413", `\`${text}\` stands twice in one pattern`, one.name.span, {
        labels: [{ span: first.name.span, text: "and here" }],
        help: "use two names and compare them: `where a == b`",
      });
      isUnique = false;
    }
    names.set(text, one);
  }
  return isUnique ? { condition, names } : noMatch(condition.span);
}

// ── scalars ─────────────────────────────────────────────────────────────────────────────────────

/** The match of a literal or range. It notes the type of the integers. */
function matchScalar(
  { integers }: Patterns,
  pattern: ast.Pattern,
  { type }: Typed,
  condition: Typed,
): Match {
  const cell = type.kind === "tensor" ? decided(type.element) : undefined;
  if (cell && isInteger(cell)) integers.set(pattern, cell);
  return matchIf(condition);
}

function literalCondition(place: Place, e: ast.Expression, value: Typed): Typed {
  const literal = expression(place, e);
  if (!literalFits(place, literal, value, e.span)) return wrongAt(e.span);
  if (e.kind === "bool") return e.value ? value : negation(value);
  if (e.kind === "string") return sameText(place, value, literal, e.span);
  return compareNumbers(place, "equal", value, literal, e.span);
}

function rangeCondition(
  place: Place,
  pattern: Extract<ast.Pattern, { kind: "range" }>,
  value: Typed,
): Typed {
  const [from, to] = [expression(place, pattern.from), expression(place, pattern.to)];
  if (
    !literalFits(place, from, value, pattern.from.span) ||
    !literalFits(place, to, value, pattern.to.span)
  )
    return wrongAt(pattern.span);
  const low = compareNumbers(place, "greaterEqual", value, from, pattern.span);
  const high = compareNumbers(
    place,
    pattern.inclusive ? "lessEqual" : "less",
    value,
    to,
    pattern.span,
  );
  return both(low, high);
}

function literalFits(place: Place, literal: Typed, value: Typed, span: Span): boolean {
  if (literal.kind === "wrong") return false;
  const have = literal.type as TensorType;
  if (isScalar(literal.type) && isScalar(value.type) && unify(value.type.element, have.element))
    return true;
  refusePattern(place, span, showType(have), value);
  return false;
}

const compares = {
  equal: (a: number, b: number) => a === b,
  less: (a: number, b: number) => a < b,
  lessEqual: (a: number, b: number) => a <= b,
  greaterEqual: (a: number, b: number) => a >= b,
} as const;

function compareNumbers(
  place: Place,
  operation: keyof typeof compares,
  value: Typed,
  other: Typed,
  span: Span,
): Typed {
  const [a, b] = [knownNumber(place.checker, value), knownNumber(place.checker, other)];
  if (a !== undefined && b !== undefined) return truth(compares[operation](a, b), span);
  return apply(place, operation, [value, other], span);
}

// ── arrays ──────────────────────────────────────────────────────────────────────────────────────

function matchArray(
  patterns: Patterns,
  pattern: Extract<ast.Pattern, { kind: "array" }>,
  value: Typed,
): Match {
  const { place, lengths, open } = patterns;
  const { before, rest, after, span } = pattern;
  const [axis] = walkedAxes(value.type);
  if (!axis) return refusePattern(place, span, "an array", value);
  const extent = axis.extent!;
  const length = integerValue(extent, value.span);
  const size = constantOf(extent);
  if (size !== undefined) lengths.set(pattern, size);
  if (axis.given) open.add(pattern);
  const count = before.length + after.length;
  const wanted: Typed = { kind: "constant", value: count, type: scalar("i32"), span };
  const fitsLength = compareNumbers(place, rest ? "greaterEqual" : "equal", length, wanted, span);
  // Elements that do not exist are not read.
  if (knownTruth(fitsLength) === false) return matchIf(fitsLength);
  // The length is tested before these reads, so they do not restrict ranges.
  const unnoticed: Place = { ...place, frame: newFrame() };
  const cell = (index: Typed): Typed =>
    elementAt(unnoticed, value, [index], value.span, [value.span]);
  const constantIndex = (k: number): Typed => ({
    kind: "constant",
    value: k,
    type: scalar("i32"),
    span: value.span,
  });
  const fromEnd = (k: number): Typed => integerValue(plus(extent, -k), value.span);
  const inside = matchParts(
    patterns,
    [...before, ...after],
    [
      ...before.map((_, k) => cell(constantIndex(k))),
      ...after.map((_, k) => cell(fromEnd(after.length - k))),
    ],
    span,
  );
  const condition = both(fitsLength, inside.condition);
  if (!rest?.name) return { condition, names: inside.names };
  return withUniqueNames(place, condition, [
    inside,
    matchName(rest.name, restOf(unnoticed, value, axis, before.length, count)),
  ]);
}

/** The elements between the first and the last ones, as an array. */
function restOf(place: Place, value: Typed, walked: Axis, skipped: number, taken: number): Typed {
  const { span } = value;
  const extent = subtract(walked.extent!, constant(taken));
  const { given } = walked;
  const axis: Axis = {
    extent,
    domain: {},
    origin: { span, text: "the rest" },
    ...(given ? { given } : {}),
  };
  const window =
    value.type.kind !== "tensor"
      ? undefined
      : place.arrays
        ? windowIn(place, value)
        : windowOf(value);
  if (window) return windowOver(withinWindow(place, window, skipped, taken), axis, span);
  const functions = functionsIn(value);
  if (functions) {
    const codes = functions.codes.map((code) => restOf(place, code, walked, skipped, taken));
    const type = functions.type as ListType;
    return { ...functions, codes, type: { ...type, axes: [axis, ...type.axes.slice(1)] }, span };
  }
  const binder = binderAlong(axis, span, "i");
  const index: Typed = integerValue(plus(ofVariable(binder.variable), skipped), span);
  const body = elementAt(place, value, [index], span, [span]);
  const again = (elsewhere: Place, code: Typed): Typed =>
    elementAt(elsewhere, value, [code], span, [span]);
  if (body.type.kind !== "tensor")
    return listOver(place, binder, axis, body, { code: index, again }, span);
  const type = tensor(body.type.element, [axis, ...body.type.axes]);
  return { kind: "abstract", binders: [binder], body, type, span };
}

// ── alternatives ────────────────────────────────────────────────────────────────────────────────

/**
 * The match of a pattern with alternatives. All alternatives bind the same names; the first one
 * that matches gives the values.
 */
function matchAlternatives(
  patterns: Patterns,
  parts: readonly ast.Pattern[],
  value: Typed,
  span: Span,
): Match {
  const { place } = patterns;
  const first = patternNames(parts[0]!);
  for (const part of parts) {
    const own = patternNames(part);
    const odd = [...first, ...own].find((name) => !first.includes(name) || !own.includes(name));
    if (odd === undefined) continue;
    report(place, "E0413", `not every alternative binds \`${odd}\``, part.span, {
      help: "the arm does not know which alternative matched: bind the same names in each",
    });
    return noMatch(span);
  }
  const matches = parts.map((part) => matchPattern(patterns, part, value));
  const wrong = matches.find((match) => match.condition.kind === "wrong");
  if (wrong) return wrong;
  const possible = matches.filter((match) => knownTruth(match.condition) !== false);
  if (possible.length === 0) return matches[0]!;
  const names = new Map<string, Named>();
  for (const [text, { name }] of possible.flatMap((match) => [...match.names])) {
    if (names.has(text)) continue;
    const values = possible.map((match) => match.names.get(text)!.value);
    let chosen = values.at(-1)!;
    for (let k = values.length - 2; k >= 0; k--) {
      const condition = possible[k]!.condition;
      if (knownTruth(condition) === true) chosen = values[k]!;
      else
        chosen = choose(place, condition, values[k]!, chosen, span, "alternatives of this pattern");
    }
    names.set(text, { name, value: chosen });
  }
  const condition = matches.reduce(
    (before, match) => either(before, match.condition),
    truth(false, span),
  );
  return { condition, names };
}

// ── enums and structs ───────────────────────────────────────────────────────────────────────────

function matchVariant(
  patterns: Patterns,
  pattern: Extract<ast.Pattern, { kind: "variant" }>,
  value: Typed,
): Match {
  const { place } = patterns;
  const { path, span } = pattern;
  if (value.type.kind !== "data")
    return refusePattern(place, span, `\`${textOf(path.span)}\``, value);
  const { of } = value.type;
  const found =
    path.segments.length === 1 ? variantOf(place, of, path.segments[0]!) : variantAt(place, path);
  if (found === "wrong") return noMatch(span);
  if (!found) return matchIf(unknownType(place, { ...path, segments: path.segments.slice(0, -1) }));
  if (found.of.declaration !== of.declaration)
    return refusePattern(place, span, `\`${found.of.name}\``, value);
  patterns.variants.set(pattern, found);
  const { fields, name, span: declared } = found.of.declaration.variants[found.index]!;
  const stray = pattern.fields.find(
    (field) => field.name && !fields.some((own) => own.name?.text === field.name!.text),
  );
  if (stray || pattern.fields.length !== fields.length) {
    const title = stray
      ? `\`${name.text}\` has no field \`${stray.name!.text}\``
      : `\`${name.text}\` has ${counted(fields.length, "field")}, ` +
        `the pattern has ${pattern.fields.length}`;
    report(place, "E0413", title, span, {
      labels: [{ span: declared, text: "declared here" }],
      ...forAllFields(
        pattern,
        fields.map((field) => field.name?.text),
      ),
    });
    return noMatch(span);
  }
  const parts = fields.map((field, k) => fieldPattern(pattern.fields, field.name?.text, k));
  for (const [k, { type }] of fields.entries()) noteLength(patterns, parts[k], type);
  const condition = isVariant(place, value, found.index);
  // The parts of another variant are not matched.
  if (knownTruth(condition) === false) return matchIf(condition);
  const from = payloadAt(found.of, found.index);
  const payload = membersOf(value)!.slice(from, from + fields.length);
  const inside = matchParts(patterns, parts, payload, span);
  return { condition: both(condition, inside.condition), names: inside.names };
}

/**
 * Notes the declared length of an array in a payload, even if the value is known to be another
 * variant.
 */
function noteLength(
  { lengths, open, place }: Patterns,
  pattern: ast.Pattern | undefined,
  type: ast.Type,
): void {
  if (pattern?.kind !== "array" || type.kind !== "tensor") return;
  const [dim] = type.dims ?? [];
  if (dim?.kind === "number") lengths.set(pattern, dim.value);
  else if (dim?.kind !== "name" || !lookUp(place.scope, dim.name.text)) open.add(pattern);
}

function matchStruct(
  patterns: Patterns,
  pattern: Extract<ast.Pattern, { kind: "struct" }>,
  value: Typed,
): Match {
  const { place } = patterns;
  const of = structAt(place, pattern.path);
  if (!of) return matchIf(unknownType(place, pattern.path));
  if (value.type.kind !== "data" || value.type.of.declaration !== of.declaration)
    return refusePattern(place, pattern.span, `\`${of.name}\``, value);
  const { fields } = of.declaration;
  for (const { name } of pattern.fields) {
    if (!fields.some((field) => field.name.text === name.text))
      return matchIf(noField(place, of, name));
  }
  const parts = fields.map(
    (field) => pattern.fields.find((own) => own.name.text === field.name.text)?.pattern,
  );
  const left = fields.filter((_, k) => !parts[k]).map((field) => `\`${field.name.text}\``);
  if (left.length > 0 && !pattern.rest) {
    report(
      place,
      "E0413",
      `the pattern says nothing about ${left.join(", ")} of \`${of.name}\``,
      pattern.span,
      {
        help: "end it with `..` to leave the others out",
        ...fixed(
          "add `..`",
          ...(pattern.fields.length > 0
            ? [after(pattern.fields.at(-1)!.pattern.span, ", ..")]
            : []),
        ),
      },
    );
    return noMatch(pattern.span);
  }
  for (const [k, { type }] of fields.entries()) noteLength(patterns, parts[k], type);
  return matchParts(patterns, parts, membersOf(value)!, pattern.span);
}

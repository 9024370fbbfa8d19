// Laying a pattern over a value: the condition under which it matches, as far as that has to be
// asked, and what its names stand for where it does.

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
import { newBinder } from "../../ranges/coordinates.ts";
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
import { extentRange } from "../../ranges/ranges.ts";
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

/** One pattern laid over one value. */
export interface Match {
  /** Known to hold or not to hold, or a question for the run. */
  readonly condition: Typed;
  readonly names: ReadonlyMap<string, Named>;
}

interface Named {
  readonly name: ast.Name;
  readonly value: Typed;
}

/** Remembers what the paths in patterns stand for, for the check that all cases are covered. */
export interface Patterns {
  readonly place: Place;
  readonly variants: Map<ast.Pattern, VariantOf>;
  readonly lengths: Map<ast.Pattern, number>;
  /**
   * Patterns of arrays whose types leave the length open: another call, or another value, may have
   * another one.
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
 * The same where what is covered is a matter of the declared types, whatever the lengths in one
 * call.
 */
export function declaredConstructors(patterns: Patterns): Constructors {
  const { lengths, open } = patterns;
  return {
    ...constructorsOf(patterns),
    length: (pattern) => (open.has(pattern) ? undefined : lengths.get(pattern)),
  };
}

/** For a pattern that no value has been laid under. */
function variantSomewhere(place: Place, path: ast.Path): VariantOf | undefined {
  if (path.segments.length > 1) {
    const found = variantAt(place, path);
    return found === "wrong" ? undefined : found;
  }
  for (let at: Scope | undefined = place.scope; at; at = at.parent) {
    for (const of of at.types.values()) {
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

/** A condition that is wrong has been reported. */
export function layOver(patterns: Patterns, pattern: ast.Pattern, value: Typed): Match {
  const { place } = patterns;
  const { span } = pattern;
  if (value.kind === "wrong") return failed(span);
  // Nobody has this payload: the pattern never matches, and the names in it are never read.
  if (value.type.kind === "absent") return { condition: truth(false, span), names: new Map() };
  switch (pattern.kind) {
    case "wildcard":
      return always(span);
    case "missing":
      return failed(span);
    case "name":
      return nameOver(place, pattern.name, value);
    case "at": {
      const inside = layOver(patterns, pattern.pattern, value);
      return withNames(place, inside.condition, [inside, named(pattern.name, value)]);
    }
    case "literal":
      return scalarOver(patterns, pattern, value, literalOver(place, pattern.value, value));
    case "range":
      return scalarOver(patterns, pattern, value, rangeOver(place, pattern, value));
    case "tuple": {
      const members = value.type.kind === "tuple" ? membersOf(value) : undefined;
      if (members?.length !== pattern.members.length) {
        const repair = forAllMembers(pattern, value);
        return unfit(place, span, `a tuple of ${pattern.members.length}`, value, repair);
      }
      return all(patterns, pattern.members, members, span);
    }
    case "array":
      return arrayOver(patterns, pattern, value);
    case "or":
      return alternativesOver(patterns, pattern.alternatives, value, span);
    case "variant":
      return variantOver(patterns, pattern, value);
    case "struct":
      return structOver(patterns, pattern, value);
    default:
      return pattern satisfies never;
  }
}

function always(span: Span): Match {
  return only(truth(true, span));
}

function only(condition: Typed): Match {
  return { condition, names: new Map() };
}

function failed(span: Span): Match {
  return only(wrongAt(span));
}

function named(name: ast.Name, value: Typed): Match {
  return { condition: truth(true, name.span), names: new Map([[name.text, { name, value }]]) };
}

function unfit(
  place: Place,
  span: Span,
  wanted: string,
  value: Typed,
  repair: DiagnosticParts = {},
): Match {
  return only(
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

/** A name stands for the value, unless it is surely meant for a variant. */
function nameOver(place: Place, name: ast.Name, value: Typed): Match {
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
      return failed(name.span);
    }
  }
  return named(name, value);
}

/** Every part must match; the parts are asked in order. */
function all(
  patterns: Patterns,
  parts: readonly (ast.Pattern | undefined)[],
  values: readonly Typed[],
  span: Span,
): Match {
  const matches = parts.map((part, k) =>
    part ? layOver(patterns, part, values[k]!) : always(span),
  );
  const condition = matches.reduce(
    (before, match) => both(before, match.condition),
    truth(true, span),
  );
  const wrong = matches.find((match) => match.condition.kind === "wrong");
  return withNames(patterns.place, wrong?.condition ?? condition, matches);
}

function withNames(place: Place, condition: Typed, matches: readonly Match[]): Match {
  const names = new Map<string, Named>();
  let fine = true;
  for (const [text, one] of matches.flatMap((match) => [...match.names])) {
    const first = names.get(text);
    if (first) {
      report(place, "E0413", `\`${text}\` stands twice in one pattern`, one.name.span, {
        labels: [{ span: first.name.span, text: "and here" }],
        help: "use two names and compare them: `where a == b`",
      });
      fine = false;
    }
    names.set(text, one);
  }
  return fine ? { condition, names } : failed(condition.span);
}

// ── scalars ─────────────────────────────────────────────────────────────────────────────────────

/** Remembers the type of the integers that a pattern is laid over. */
function scalarOver(
  { integers }: Patterns,
  pattern: ast.Pattern,
  { type }: Typed,
  condition: Typed,
): Match {
  const cell = type.kind === "tensor" ? decided(type.element) : undefined;
  if (cell && isInteger(cell)) integers.set(pattern, cell);
  return only(condition);
}

function literalOver(place: Place, e: ast.Expression, value: Typed): Typed {
  const literal = expression(place, e);
  if (!fits(place, literal, value, e.span)) return wrongAt(e.span);
  if (e.kind === "bool") return e.value ? value : negation(value);
  if (e.kind === "string") return sameText(place, value, literal, e.span);
  return compared(place, "equal", value, literal, e.span);
}

function rangeOver(
  place: Place,
  pattern: Extract<ast.Pattern, { kind: "range" }>,
  value: Typed,
): Typed {
  const [from, to] = [expression(place, pattern.from), expression(place, pattern.to)];
  if (!fits(place, from, value, pattern.from.span) || !fits(place, to, value, pattern.to.span))
    return wrongAt(pattern.span);
  const low = compared(place, "greaterEqual", value, from, pattern.span);
  const high = compared(place, pattern.inclusive ? "lessEqual" : "less", value, to, pattern.span);
  return both(low, high);
}

function fits(place: Place, literal: Typed, value: Typed, span: Span): boolean {
  if (literal.kind === "wrong") return false;
  const have = literal.type as TensorType;
  if (isScalar(literal.type) && isScalar(value.type) && unify(value.type.element, have.element))
    return true;
  unfit(place, span, showType(have), value);
  return false;
}

const compares = {
  equal: (a: number, b: number) => a === b,
  less: (a: number, b: number) => a < b,
  lessEqual: (a: number, b: number) => a <= b,
  greaterEqual: (a: number, b: number) => a >= b,
} as const;

function compared(
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

function arrayOver(
  patterns: Patterns,
  pattern: Extract<ast.Pattern, { kind: "array" }>,
  value: Typed,
): Match {
  const { place, lengths, open } = patterns;
  const { before, rest, after, span } = pattern;
  const [axis] = walkedAxes(value.type);
  if (!axis) return unfit(place, span, "an array", value);
  const extent = axis.extent!;
  const length: Typed = { kind: "integer", term: extent, type: scalar("i32"), span: value.span };
  const size = constantOf(extent);
  if (size !== undefined) lengths.set(pattern, size);
  if (axis.given) open.add(pattern);
  const count = before.length + after.length;
  const wanted: Typed = { kind: "constant", value: count, type: scalar("i32"), span };
  const fitsLength = compared(place, rest ? "greaterEqual" : "equal", length, wanted, span);
  // Elements that are known not to be there are not read.
  if (knownTruth(fitsLength) === false) return only(fitsLength);
  // The length has been compared, so that these reads restrict no range.
  const unnoticed: Place = { ...place, frame: newFrame() };
  const cell = (index: Typed): Typed =>
    elementAt(unnoticed, value, [index], value.span, [value.span]);
  const at = (k: number): Typed => ({
    kind: "constant",
    value: k,
    type: scalar("i32"),
    span: value.span,
  });
  const fromEnd = (k: number): Typed => ({
    kind: "integer",
    term: plus(extent, -k),
    type: scalar("i32"),
    span: value.span,
  });
  const inside = all(
    patterns,
    [...before, ...after],
    [...before.map((_, k) => cell(at(k))), ...after.map((_, k) => cell(fromEnd(after.length - k)))],
    span,
  );
  const condition = both(fitsLength, inside.condition);
  if (!rest?.name) return { condition, names: inside.names };
  return withNames(place, condition, [
    inside,
    named(rest.name, restOf(unnoticed, value, axis, before.length, count)),
  ]);
}

/** The elements between the first and the last ones, as an array of their own. */
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
  const binder = newBinder("i", span, true);
  extentRange(binder, axis);
  const index: Typed = {
    kind: "integer",
    term: plus(ofVariable(binder.variable), skipped),
    type: scalar("i32"),
    span,
  };
  const body = elementAt(place, value, [index], span, [span]);
  const again = (at: Place, code: Typed): Typed => elementAt(at, value, [code], span, [span]);
  if (body.type.kind !== "tensor")
    return listOver(place, binder, axis, body, { code: index, again }, span);
  const type = tensor(body.type.element, [axis, ...body.type.axes]);
  return { kind: "abstract", binders: [binder], body, type, span };
}

// ── alternatives ────────────────────────────────────────────────────────────────────────────────

/** The first alternative that matches says what the names stand for; all have the same ones. */
function alternativesOver(
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
    return failed(span);
  }
  const matches = parts.map((part) => layOver(patterns, part, value));
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

function variantOver(
  patterns: Patterns,
  pattern: Extract<ast.Pattern, { kind: "variant" }>,
  value: Typed,
): Match {
  const { place } = patterns;
  const { path, span } = pattern;
  if (value.type.kind !== "data") return unfit(place, span, `\`${textOf(path.span)}\``, value);
  const { of } = value.type;
  const found =
    path.segments.length === 1 ? variantOf(place, of, path.segments[0]!) : variantAt(place, path);
  if (found === "wrong") return failed(span);
  if (!found) return only(unknownType(place, { ...path, segments: path.segments.slice(0, -1) }));
  if (found.of.declaration !== of.declaration)
    return unfit(place, span, `\`${found.of.name}\``, value);
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
    return failed(span);
  }
  const parts = fields.map((field, k) => fieldPattern(pattern.fields, field.name?.text, k));
  for (const [k, { type }] of fields.entries()) noteLength(patterns, parts[k], type);
  const condition = isVariant(place, value, found.index);
  // Parts of a value that is surely something else are not looked at.
  if (knownTruth(condition) === false) return only(condition);
  const from = payloadAt(found.of, found.index);
  const payload = membersOf(value)!.slice(from, from + fields.length);
  const inside = all(patterns, parts, payload, span);
  return { condition: both(condition, inside.condition), names: inside.names };
}

/**
 * The length of an array that a declaration gives, also where the value is known to be another
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

function structOver(
  patterns: Patterns,
  pattern: Extract<ast.Pattern, { kind: "struct" }>,
  value: Typed,
): Match {
  const { place } = patterns;
  const of = structAt(place, pattern.path);
  if (!of) return only(unknownType(place, pattern.path));
  if (value.type.kind !== "data" || value.type.of.declaration !== of.declaration)
    return unfit(place, pattern.span, `\`${of.name}\``, value);
  const { fields } = of.declaration;
  for (const { name } of pattern.fields) {
    if (!fields.some((field) => field.name.text === name.text))
      return only(noField(place, of, name));
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
    return failed(pattern.span);
  }
  for (const [k, { type }] of fields.entries()) noteLength(patterns, parts[k], type);
  return all(patterns, parts, membersOf(value)!, pattern.span);
}

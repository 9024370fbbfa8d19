// The solver's view of integer expressions: quasi-affine terms. An expression that the solver
// cannot see into becomes an opaque variable:
//
//   2 * i + n / 2    // the term 2i + floor(n / 2)
//   at[i] + 1        // the term v + 1, where v stands for `at[i]`

import { attempt, constant, keyOf, ofVariable, variable, type Term } from "../../affine/term.ts";
import { termOfOperation, isSmall } from "../../affine/arithmetic.ts";
import { holds, nonNegative, positive, type Fact } from "../../affine/prove.ts";
import { show } from "../../affine/show.ts";
import { variablesOf } from "../../affine/visit.ts";
import { extentFacts } from "../statements/agree.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import type { Checker, Place } from "../context.ts";
import type { Typed, ValueBinding } from "./typed.ts";
import { resolved } from "./sizes.ts";
import { isIntegerScalar, known, settle, showType } from "./types.ts";

export function integerTerm(checker: Checker, value: Typed): Term {
  return attempt(() => termOrOpaque(checker, value)) ?? opaque(checker, value);
}

function termOrOpaque(checker: Checker, value: Typed): Term {
  switch (value.kind) {
    case "constant":
      return typeof value.value === "number" && Number.isSafeInteger(value.value)
        ? constant(value.value)
        : opaque(checker, value);
    case "integer":
      return resolved(value.term);
    case "reference":
      return value.binding.kind === "value" && value.binding.term
        ? resolved(value.binding.term)
        : opaque(checker, value);
    case "apply": {
      // An `i8` wraps around too early for its terms to be compared with extents.
      if (value.type.kind !== "tensor" || known(value.type.element) === "i8")
        return opaque(checker, value);
      const operands = value.operands.map((operand) => termOrOpaque(checker, operand));
      const facts = (): readonly Fact[] => extentFacts(checker, operands);
      // The ranges of coordinates are not known yet. A quotient becomes a term only if its dividend
      // consists of extents.
      const term = termOfOperation(value.operation, operands, {
        isNonNegative: (term) => holds(nonNegative(term), facts()),
        isPositive: (term) => holds(positive(term), facts()),
        fits: (term) => isSmall(term, 2 ** 20),
      });
      return term ?? opaque(checker, value);
    }
    default:
      return opaque(checker, value);
  }
}

/** Whether this is a statement at the top of the file. */
export function isGlobal(place: Place): boolean {
  return place.scope.parent === undefined && !place.indexed;
}

/**
 * The binding of a name to a checked value. An integer scalar that the solver cannot see into gets
 * a variable of its own, under its name.
 */
export function valueBinding(
  place: Place,
  role: ValueBinding["role"],
  name: ast.Name,
  value: Typed,
): ValueBinding {
  // An argument keeps its open element type. A `let` decides it.
  if (role === "let") settle(value.type);
  const global = role === "let" && isGlobal(place) ? { global: true } : {};
  const asked = role === "let" && place.asked?.has(name.text) ? ({ asked: true } as const) : {};
  const plain: ValueBinding = {
    kind: "value",
    ...global,
    ...asked,
    ...(place.call ? { call: place.call } : {}),
    role,
    name: name.text,
    span: name.span,
    type: value.type,
    value,
  };
  if (!isIntegerScalar(value.type)) return plain;
  const term = integerTerm(place.checker, value);
  const opaqueValues = [...variablesOf(term)].flatMap(
    (v) => place.checker.opaqueValue.get(v) ?? [],
  );
  const hasOpaque = opaqueValues.length > 0;
  // In an instance that makes arrays, a named value is computed once. The solver therefore knows it
  // by its name only.
  if (place.arrays && opaqueValues.some(({ kind }) => kind !== "data" && kind !== "reference"))
    return plain;
  if (!hasOpaque || place.indexed) return { ...plain, term };
  const ownVariable = variable(name.text);
  const binding: ValueBinding = { ...plain, term: ofVariable(ownVariable) };
  place.checker.scalars.set(ownVariable, binding);
  return binding;
}

/**
 * The opaque variable of an expression. Expressions of equal structure share one, so `ptr[i]`
 * equals itself wherever it stands.
 */
function opaque(checker: Checker, value: Typed): Term {
  const key = structureOf(value);
  let opaqueVariable = checker.opaque.get(key);
  if (!opaqueVariable) {
    opaqueVariable = variable(shownAs(value));
    checker.opaque.set(key, opaqueVariable);
    checker.opaqueValue.set(opaqueVariable, value);
  }
  return ofVariable(opaqueVariable);
}

const numbered = new WeakMap<object, number>();
let count = 0;

export function identity(of: object): number {
  let id = numbered.get(of);
  if (id === undefined) numbered.set(of, (id = count++));
  return id;
}

/** The value as a message shows it in a range or extent: `at[0]`. */
function shownAs(value: Typed): string {
  switch (value.kind) {
    case "constant":
      return String(value.value);
    case "integer":
      return show(value.term);
    case "reference":
      return value.binding.name;
    case "read":
      return `${shownAs(value.base)}[${value.indices.map(shownAs).join(", ")}]`;
    case "apply":
      return `${value.operation}(${value.operands.map(shownAs).join(", ")})`;
    default:
      return value.kind;
  }
}

/** A text that is equal for expressions of equal structure over the same names. */
export function structureOf(value: Typed): string {
  switch (value.kind) {
    case "constant":
      return `${Object.is(value.value, -0) ? "-0" : String(value.value)}${showType(value.type)}`;
    case "integer":
      return `(${keyOf(value.term)})`;
    case "reference":
      return `${value.binding.name}#${identity(value.binding)}`;
    case "read":
      return `${structureOf(value.base)}[${value.indices.map(structureOf).join(", ")}]`;
    case "apply":
      return `${value.operation}(${value.operands.map(structureOf).join(", ")})`;
    default:
      return `${value.kind}#${identity(value)}`;
  }
}

// The solver's view of an integer expression: a quasi-affine term, with variables in place of what
// it does not understand.

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

export function termOf(checker: Checker, value: Typed): Term {
  return attempt(() => read(checker, value)) ?? opaque(checker, value);
}

function read(checker: Checker, value: Typed): Term {
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
      // They wrap long before anything that a term could be compared with.
      if (value.type.kind !== "tensor" || known(value.type.element) === "i8")
        return opaque(checker, value);
      const operands = value.operands.map((operand) => read(checker, operand));
      const facts = (): readonly Fact[] => extentFacts(checker, operands);
      // Ranges of coordinates are not known yet: a quotient counts only where its dividend is made
      // of extents.
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

/** Is this a statement at the top of the file? */
export function isGlobal(place: Place): boolean {
  return place.scope.parent === undefined && !place.indexed;
}

/**
 * A binding of a checked value; an integer scalar that the solver cannot look into is known to it
 * by its name.
 */
export function valueBinding(
  place: Place,
  role: ValueBinding["role"],
  name: ast.Name,
  value: Typed,
): ValueBinding {
  // An argument stays as open as it was written; a `let` makes a value of it.
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
  const term = termOf(place.checker, value);
  const looked = [...variablesOf(term)].flatMap((v) => place.checker.opaqueValue.get(v) ?? []);
  const lookedUp = looked.length > 0;
  // In a function that makes arrays, what is computed for a name is computed once: it is known by
  // that name.
  if (place.arrays && looked.some(({ kind }) => kind !== "data" && kind !== "reference"))
    return plain;
  if (!lookedUp || place.indexed) return { ...plain, term };
  const stand = variable(name.text);
  const binding: ValueBinding = { ...plain, term: ofVariable(stand) };
  place.checker.scalars.set(stand, binding);
  return binding;
}

/** One variable for each structure, so that `ptr[i]` is equal to itself wherever it stands. */
function opaque(checker: Checker, value: Typed): Term {
  const key = structureOf(value);
  let stand = checker.opaque.get(key);
  if (!stand) {
    stand = variable(shownAs(value));
    checker.opaque.set(key, stand);
    checker.opaqueValue.set(stand, value);
  }
  return ofVariable(stand);
}

const numbered = new WeakMap<object, number>();
let count = 0;

export function identity(of: object): number {
  let id = numbered.get(of);
  if (id === undefined) numbered.set(of, (id = count++));
  return id;
}

/** The value as messages show it, in a range or an extent: `at[0]`. */
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

/** A text that is the same for expressions of the same structure over the same names. */
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

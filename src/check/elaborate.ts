// Elaborates expressions and statements. The elaborator for each form of the syntax comes from the
// table in the checker, so this file imports no form. Some callers want a condition, an integer or
// a part with a value; the functions for these also report what does not fit.

import { textOf, type Span } from "../base/source.ts";
import { fixed, replace, write } from "../diagnostics/fixes.ts";
import { isInteger } from "../scalar/types.ts";
import type * as ast from "../syntax/tree/ast.ts";
import { effectIn, isRecursive } from "./calls/instances/call-graph.ts";
import { conditionHelp } from "./expressions/condition-help.ts";
import { refuse, silent, type Place } from "./context.ts";
import { isDamaged } from "./statements/damaged.ts";
import type { ExpressionKind, ExpressionOf } from "./elaborators.ts";
import { asText } from "./names/fresh-names.ts";
import { lookUp, lookUpFunction } from "./names/scope.ts";
import type { Action, Typed } from "./types/typed.ts";
import { decided, element, isScalar, known, showType, unify, unit } from "./types/types.ts";

export function expression(place: Place, e: ast.Expression): Typed {
  return elaborateForm(place, e.kind, e);
}

function elaborateForm<K extends ExpressionKind>(place: Place, kind: K, e: ExpressionOf<K>): Typed {
  return place.checker.elaborators.expressions[kind](place, e);
}

/** The actions of the statements of a block or file, in order. */
export function statements(place: Place, list: readonly ast.Statement[]): readonly Action[] {
  return place.checker.elaborators.statements(place, list);
}

/**
 * The value of a part of another expression. A part must have a value: `1 + print(x)` is wrong.
 */
export function partWithValue(place: Place, e: ast.Expression): Typed {
  const value = expression(place, e);
  if (value.type !== unit) return value;
  const { start, end } = value.span;
  if (isDamaged(place.checker, { start, end: end + 1 })) return silent(place, e.span);
  const { title, help } = withoutValue(place, e);
  return refuse(place, "E0505", title, e.span, { help });
}

/** Why an expression has no value: it prints, or its function does nothing but call itself. */
function withoutValue(
  { scope }: Place,
  e: ast.Expression,
): { readonly title: string; readonly help: string } {
  const name = e.kind === "call" && e.callee.kind === "path" ? e.callee.segments.at(-1)!.text : "";
  const callee = lookUpFunction(scope, name);
  // A function that is passed as an argument may be the one that prints.
  const takesFunction =
    e.kind === "call" &&
    e.arguments.some(({ value: { kind } }) => kind === "lambda" || kind === "path");
  if (callee && isRecursive(callee) && !takesFunction && !effectIn(callee, [])) {
    const help = "let a condition end it: `if n == 0 { … } else { … }`";
    return { title: `\`${name}\` does nothing but call itself, and comes to no value`, help };
  }
  if (callee && !takesFunction && !isRecursive(callee) && !effectIn(callee, [])) {
    const help =
      "the last expression of a function is its value: " +
      `leave out the \`;\` behind that of \`${name}\``;
    return { title: "this gives no value", help };
  }
  const help = `it prints or asserts: write it as a statement of its own, \`${textOf(e.span)};\``;
  return { title: "this gives no value", help };
}

/** The value of a condition. It must be a bool scalar. */
export function conditionOf(place: Place, e: ast.Expression, what: string): Typed {
  return checkIsBool(place, e, expression(place, e), what);
}

/** Reports an elaborated value that is not a bool scalar. */
export function checkIsBool(place: Place, e: ast.Expression, value: Typed, what: string): Typed {
  if (value.kind === "wrong") return value;
  if (!isScalar(value.type) || !unify(value.type.element, element("bool"))) {
    const title = `${what} must be a bool, this is ${showType(value.type)}`;
    return refuse(place, "E0406", title, e.span, conditionHelp(place, e, value.type));
  }
  return value;
}

/** The value of an index or of the bound of a range. It must be an integer scalar. */
export function integerOf(place: Place, e: ast.Expression, what: string): Typed {
  if (e.kind === "path" && e.segments.length === 1) {
    const binding = lookUp(place.scope, e.segments[0]!.text);
    if (binding?.kind === "dimension") return dimensionAsNumber(place, binding.name, e.span);
  }
  const value = expression(place, e);
  if (value.kind === "wrong") return value;
  if (!isScalar(value.type))
    return refuse(
      place,
      "E0402",
      `${what} must be a scalar, this is ${showType(value.type)}`,
      e.span,
    );
  const cell = value.type.element;
  const type = known(cell);
  if (type ? !isInteger(type) : decided(cell) !== "i32") {
    return refuse(place, "E0401", `${what} must be an integer, this is ${decided(cell)}`, e.span, {
      ...write(e.span, `${asText(e)} as i32`),
    });
  }
  if (!type) unify(cell, element("i32"));
  return value;
}

export function dimensionAsNumber(place: Place, name: string, span: Span): Typed {
  return refuse(place, "E0311", `\`${name}\` is a dimension name, not a number`, span, {
    help: `write \`extent(${name})\` for its size`,
    ...fixed(`write \`extent(${name})\``, replace(span, `extent(${name})`)),
  });
}

// The help for a condition that is no bool: `x != 0` for `if x { … }`, and `x[i] > 1` for `where x
// > 1`.

import type { DiagnosticParts } from "../../diagnostics/diagnostic.ts";
import { isNumeric } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import type { Place } from "../context.ts";
import { hasCall, namesOf } from "../names/free-names.ts";
import { lookUp, type Scope } from "../names/scope.ts";
import { decided, type Type } from "../types/types.ts";

/** The repair for an expression in the place of a condition. */
export function conditionHelp(place: Place, e: ast.Expression, type: Type): DiagnosticParts {
  if (type.kind !== "tensor") return {};
  const cell = decided(type.element);
  const rank = type.axes.length;
  if (cell !== "bool" && !isNumeric(cell)) return {};
  const test = cell === "bool" ? "" : " != 0";
  if (rank === 0) return repair(e, `${operand(e)}${test}`);
  const names = coordinatesInSight(place.scope);
  if (names.length === rank) return repair(e, `${cellText(place, e, rank, names)}${test}`);
  const words = new Set(textOf(e.span).match(/\w+/g));
  const letters = [..."ijklmnpq"]
    .filter((letter) => !words.has(letter) && !names.includes(letter))
    .slice(0, rank);
  const cellTest = `${cellText(place, e, rank, letters)}${test}`;
  const asked = `[${letters.join(", ")}](${cellTest})`;
  const quantified = `for all cells write \`all${asked}\`, for at least one \`any${asked}\``;
  const declaration = `let r[${letters.join(", ")}] = if ${cellTest} { … } else { … };`;
  return { help: `${quantified}; to choose cell by cell, declare \`${declaration}\`` };
}

function repair(e: ast.Expression, text: string): DiagnosticParts {
  return {
    help: `write \`${text}\``,
    fixes: [{ title: `write \`${text}\``, edits: [{ span: e.span, text }] }],
  };
}

/** The text of an expression as the left side of a comparison. */
function operand(e: ast.Expression): string {
  const isLoose =
    e.kind === "if" || e.kind === "match" || e.kind === "block" || e.kind === "lambda";
  const isPipeline = e.kind === "binary" && e.operator === "|>";
  return isLoose || isPipeline ? `(${textOf(e.span)})` : textOf(e.span);
}

/**
 * One cell of an elementwise expression: `x > 1` at `i` is `x[i] > 1`. Any other expression is
 * indexed as a whole: `(f(x))[i]`.
 */
export function cellText(
  place: Place,
  e: ast.Expression,
  rank: number,
  names: readonly string[],
): string {
  const index = `[${names.join(", ")}]`;
  const whole = `(${textOf(e.span)})${index}`;
  if (hasCall(e)) return whole;
  const tensors = namesOf(e).read.flatMap(({ text, span }) => {
    const binding = lookUp(place.scope, text);
    const type = binding?.kind === "value" || binding?.kind === "tensor" ? binding.type : undefined;
    return type?.kind === "tensor" && type.axes.length > 0
      ? [{ end: span.end, rank: type.axes.length }]
      : [];
  });
  if (tensors.length === 0 || tensors.some((each) => each.rank !== rank)) return whole;
  const { start } = e.span;
  return tensors
    .sort((a, b) => b.end - a.end)
    .reduce(
      (text, { end }) => text.slice(0, end - start) + index + text.slice(end - start),
      operand(e),
    );
}

/** A cell of a value: `X[i, j]` for `X`, and also for the row `X[i]`. */
export function cellOfValue(
  place: Place,
  e: ast.Expression,
  rank: number,
  names: readonly string[],
): string {
  const text = textOf(e.span);
  if (e.kind === "index" && text.endsWith("]")) return `${text.slice(0, -1)}, ${names.join(", ")}]`;
  return cellText(place, e, rank, names);
}

/** The coordinates of the statement and of the reductions around a place, outermost first. */
export function coordinatesInSight(scope: Scope): readonly string[] {
  const found: string[] = [];
  for (let inner: Scope | undefined = scope; inner; inner = inner.parent) {
    const own = [...inner.names].flatMap(([name, { kind }]) =>
      kind === "coordinate" ? [name] : [],
    );
    found.unshift(...own.filter((name) => !found.includes(name)));
  }
  return found;
}

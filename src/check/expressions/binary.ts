// `a + b`, `a < b`, `a && b`: operators with two operands, which may be numbers, texts or data.
// `operators.ts` applies operations to tensors.

import { textOf, type Span } from "../../base/source.ts";
import { fixed, interpolated, replace } from "../../diagnostics/fixes.ts";
import type { OperationName } from "../../scalar/operations.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { negation } from "./conditions.ts";
import { amongPositions, refuse, type Place } from "../context.ts";
import { findRequest } from "../derivatives/differentials.ts";
import { expression } from "../elaborate.ts";
import { compareParts } from "../values/equality.ts";
import { apply } from "./operators.ts";
import { requestOf } from "../derivatives/requests.ts";
import { joinTexts, knownText, orderedTexts, sameText } from "./strings.ts";
import { lintTypeText, type Side } from "../lints/type-texts.ts";
import type { Typed } from "../types/typed.ts";
import { isCompound, isScalar, isText, mayBe, showType, type Type } from "../types/types.ts";
import { underCondition } from "../ranges/under-condition.ts";
import { membership } from "./membership.ts";
import { pipeline } from "./pipeline.ts";

const infix: Record<Exclude<ast.BinaryOperator, "|>" | "in">, OperationName> = {
  "||": "or",
  "&&": "and",
  "==": "equal",
  "!=": "notEqual",
  "<": "less",
  "<=": "lessEqual",
  ">": "greater",
  ">=": "greaterEqual",
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "remainder",
  "**": "power",
};

const comparing: ReadonlySet<ast.BinaryOperator> = new Set<ast.BinaryOperator>([
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
]);

export function binaryOf(place: Place, e: ast.Binary): Typed {
  const request = findRequest(place, e);
  if (request) return requestOf(place, request);
  switch (e.operator) {
    case "|>":
      return pipeline(place, e);
    case "in":
      return membership(place, e);
    case "&&":
    case "||": {
      const left = expression(place, e.left);
      const holds = e.operator === "&&";
      const inside = holds ? underCondition(place, left) : place;
      // The right side is evaluated only where the left side does not decide, and so are its
      // effects.
      const when = isScalar(left.type) ? [...place.when, { condition: left, holds }] : place.when;
      const right = expression({ ...inside, when }, e.right);
      return apply(place, infix[e.operator], [left, right], e.span);
    }
    default:
      return chain(place, e);
  }
}

/**
 * A chain `a + b - c + …` leans left and can be very long. It is walked in a loop, without
 * recursion.
 */
function chain(place: Place, e: ast.Binary): Typed {
  const spine: ast.Binary[] = [];
  let rest: ast.Expression = e;
  while (
    rest.kind === "binary" &&
    rest.operator !== "|>" &&
    rest.operator !== "in" &&
    rest.operator !== "&&" &&
    rest.operator !== "||" &&
    !findRequest(place, rest)
  ) {
    spine.push(rest);
    rest = rest.left;
  }
  // Comparisons bind loosest in a chain, so the whole chain lies inside of one.
  const inside = spine.some(({ operator }) => comparing.has(operator))
    ? amongPositions(place)
    : place;
  let value =
    rest.kind === "unary" && rest.operator === "!"
      ? denied(inside, rest, spine)
      : expression(inside, rest);
  for (let k = spine.length - 1; k >= 0; k--) {
    const link = spine[k]!;
    const operator = link.operator as keyof typeof infix;
    value = infixOf(inside, operator, value, expression(inside, link.right), link.span);
  }
  return value;
}

/** `!x > 3` where `!(x > 3)` was probably meant: `!` binds tighter than `>`. */
function denied(place: Place, e: ast.Unary, spine: readonly ast.Binary[]): Typed {
  const operand = expression(place, e.operand);
  const compared = spine.findLast(({ operator }) => comparing.has(operator));
  const { type } = operand;
  if (!compared || type.kind !== "tensor" || mayBe(type.element, (cell) => cell === "bool"))
    return apply(place, "not", [operand], e.span);
  const title = `\`!\` wants bool, this is ${showType(type)}`;
  const { source, start } = e.operand.span;
  const way = `!(${textOf({ source, start, end: compared.span.end })})`;
  const help = `\`!\` binds tighter than \`${compared.operator}\`: write \`${way}\``;
  const whole = { source, start: e.span.start, end: compared.span.end };
  return refuse(place, "E0401", title, e.operand.span, {
    help,
    ...fixed(`write \`${way}\``, replace(whole, way)),
  });
}

/**
 * Texts are joined and compared by their own functions, data part by part, and numbers by
 * operations.
 */
function infixOf(
  place: Place,
  operator: keyof typeof infix,
  left: Typed,
  right: Typed,
  span: Span,
): Typed {
  if (isText(left.type) && isText(right.type)) {
    if (operator === "+") return joinTexts(left, right, span);
    if (operator === "==" || operator === "!=")
      lintTypeText(place, sideOf(left), sideOf(right), span);
    if (operator === "==") return sameText(place, left, right, span);
    if (operator === "!=") return negation(sameText(place, left, right, span));
    if (isOrder(operator)) return orderedTexts(place, infix[operator], left, right, span);
  }
  if (
    operator === "+" &&
    isText(left.type) !== isText(right.type) &&
    right.kind !== "wrong" &&
    left.kind !== "wrong"
  ) {
    const odd = isText(left.type) ? right : left;
    return refuse(
      place,
      "E0401",
      `a text is joined with a text, this is ${showType(odd.type)}`,
      odd.span,
      {
        ...interpolated("", odd.span),
        help: `write it into the text: \`"… {${textOf(odd.span)}}"\``,
      },
    );
  }
  if ((operator === "==" || operator === "!=") && comparesParts(left.type, right.type)) {
    const equal = compareParts(place, left, right, span);
    return operator === "==" ? equal : negation(equal);
  }
  return apply(place, infix[operator], [left, right], span);
}

function isOrder(operator: string): boolean {
  return operator === "<" || operator === "<=" || operator === ">" || operator === ">=";
}

function sideOf(value: Typed): Side {
  return { value, text: knownText(value) };
}

function comparesParts(left: Type, right: Type): boolean {
  return (
    (isCompound(left) && isCompound(right)) ||
    (left.kind === "function" && right.kind === "function")
  );
}

// `@y / @x`: a question about two named values. The left side is linear in its `@`, the right side names a float.

import type * as ast from "../syntax/ast.ts";
import { textOf } from "../syntax/source.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { notBuilt, refuse, wrongAt, type Place } from "./context.ts";
import { expression } from "./expressions.ts";
import { undefinedName } from "./names.ts";
import { lookUp } from "./scope.ts";
import type { Request, Typed } from "./typed.ts";
import { decided, mayBe, showType, tensor, type TensorType } from "./types.ts";

/** Is this a quotient by a differential? */
export function isRequest(e: ast.Expression): boolean {
  return e.kind === "binary" && e.operator === "/" && e.right.kind === "unary" && e.right.operator === "@";
}

export function requestOf(place: Place, e: ast.Binary): Typed {
  const bottom = (e.right as ast.Unary).operand;
  const primal = withoutDifferentials(e.left);
  if (!primal) {
    return refuse(place, "E0702", "the numerator of a derivative must be linear in its `@`", e.left.span, {
      help: "write `@y`, a sum of such terms, or a constant times one: `(2.0 * @y) / @x`",
    });
  }
  if (bottom.kind === "index" || (bottom.kind === "path" && bottom.segments.length > 1))
    return notBuilt(place, "a derivative by one cell", bottom.span, "ask for the whole tensor and index the answer");
  if (bottom.kind !== "path") {
    return refuse(place, "E0703", "a derivative is taken by a name", bottom.span, {
      help: "bind the expression with `let` and use it through that name",
    });
  }
  const name = bottom.segments[0]!;
  const binding = lookUp(place.scope, name.text);
  if (!binding) return undefinedName(place, name);
  if (binding.kind === "wrong") return wrongAt(e.span);
  if (
    (binding.kind !== "value" && binding.kind !== "tensor") ||
    binding.type.kind !== "tensor" ||
    !mayBe(binding.type.element, isFloat) ||
    !isFloat(decided(binding.type.element))
  ) {
    const shown = binding.kind === "value" || binding.kind === "tensor" ? showType(binding.type) : binding.kind;
    return refuse(place, "E0704", `\`${name.text}\` is ${shown}, and a derivative is taken by floats`, bottom.span, {
      labels: [{ span: binding.span, text: "declared here" }],
      help:
        binding.kind === "value" && binding.value?.kind === "constant"
          ? `write \`let ${name.text} = ${textOf(binding.value.span)}.0;\``
          : `make it a float: \`${name.text} as f32\``,
    });
  }
  const numerator = expression(place, primal);
  if (numerator.kind === "wrong") return numerator;
  if (numerator.type.kind !== "tensor" || !isFloat(decided(numerator.type.element))) {
    return refuse(
      place,
      "E0704",
      `the numerator is ${showType(numerator.type)}, and derivatives are of floats`,
      e.left.span,
    );
  }
  if (numerator.type.axes.length > 0) {
    return notBuilt(
      place,
      "the derivative of a tensor",
      e.span,
      `reduce the numerator to one number, for example \`sum[i](${textOf(e.left.span).replace(/^@/, "")}[i])\``,
    );
  }
  place.checker.denominators.add(binding);
  if (numerator.kind === "reference") place.checker.denominators.add(numerator.binding);
  const { axes, element } = binding.type as TensorType;
  const request: Request = {
    kind: "request",
    numerator,
    denominator: binding,
    type: tensor(element, axes),
    span: e.span,
  };
  return request;
}

/** The numerator as an expression of values; its tangent-free factors are constants. Nothing where it is not linear. */
function withoutDifferentials(e: ast.Expression): ast.Expression | undefined {
  if (e.kind === "unary" && e.operator === "@") return e.operand;
  if (e.kind === "unary" && e.operator === "-") {
    const operand = withoutDifferentials(e.operand);
    return operand && { ...e, operand };
  }
  if (isRequest(e)) return undefined;
  if (e.kind !== "binary") return undefined;
  const [left, right] = [withoutDifferentials(e.left), withoutDifferentials(e.right)];
  switch (e.operator) {
    case "+":
    case "-":
      return left && right && { ...e, left, right };
    case "*":
      if (left && !right) return { ...e, left, right: constant(e.right) };
      return right && !left ? { ...e, left: constant(e.left), right } : undefined;
    case "/":
      return left && !right ? { ...e, left, right: constant(e.right) } : undefined;
    default:
      return undefined;
  }
}

/** `stop(e)`, as far as derivatives are concerned. */
function constant(e: ast.Expression): ast.Expression {
  const callee: ast.Path = { kind: "path", segments: [{ text: "stop", span: e.span }], span: e.span };
  return { kind: "call", callee, arguments: [{ value: e, span: e.span }], span: e.span };
}

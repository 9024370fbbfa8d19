// Requests for derivatives (`@y / @x`) and tangent rules (`@fn f`) are checked in this folder; the
// derivatives themselves are derived in `src/autodiff`.
//
// In a request, the numerator is linear in its `@`, and the denominator names a float:
//
//   (2.0 * @y - @z) / @x    =    2.0 * (@y / @x) - @z / @x
//   @y / @x[i]              =    (@y / @x)[i]

import type * as ast from "../../syntax/tree/ast.ts";
import { after, fixed } from "../../diagnostics/fixes.ts";
import { textOf } from "../../base/source.ts";
import { equal } from "../../affine/term.ts";
import { outerVariables } from "../ranges/outer-variables.ts";
import { isFloat, isNumeric } from "../../scalar/types.ts";
import { accessOf } from "../expressions/access.ts";
import { integerTerm } from "../types/integers.ts";
import { refuse, wrongAt, type Place } from "../context.ts";
import { coordinateValue } from "../ranges/coordinates.ts";
import { coordinatesAround } from "../ranges/enclosing.ts";
import { carries, isSign, isRequest } from "./differentials.ts";
import { calledNumerator } from "./gradient-help.ts";
import { undefinedName } from "../names/names.ts";
import { lookUp } from "../names/scope.ts";
import type { Request, TensorBinding, Typed } from "../types/typed.ts";
import { decided, mayBe, showType, tensor } from "../types/types.ts";
import { refuseSteps, stepNumerator } from "./step-numerators.ts";
import { expression } from "../elaborate.ts";
import { binderAlong } from "../ranges/ranges.ts";

/**
 * `@C[i, j] / @A[p, q]`, where `i`, `j`, `p` and `q` stand for nothing else, is the whole Jacobian
 * `@C / @A`, and the indices name its axes.
 */
export function withoutCoordinates(
  place: Place,
  e: ast.Binary,
): { readonly whole: ast.Binary; readonly names?: readonly (string | undefined)[] } {
  const [top, bottom] = [e.left, e.right].map((side) =>
    side.kind === "unary" ? side.operand : side,
  );
  const [of, wrt] = [top!, bottom!].map((side) => coordinatesOnly(place, side));
  if (!of && !wrt) return { whole: e };
  const named = of?.names ?? Array.from({ length: rankOfPath(place, top!) }, () => undefined);
  const left = of && e.left.kind === "unary" ? { ...e.left, operand: of.base } : e.left;
  const right = wrt && e.right.kind === "unary" ? { ...e.right, operand: wrt.base } : e.right;
  return { whole: { ...e, left, right }, names: [...named, ...(wrt?.names ?? [])] };
}

/** A tensor with one unbound name as index for each of its axes: `C[i, j]`. */
function coordinatesOnly(
  place: Place,
  e: ast.Expression,
): { readonly base: ast.Expression; readonly names: readonly string[] } | undefined {
  if (e.kind !== "index" || e.base.kind !== "path") return undefined;
  const names = e.items.map((index) =>
    index.kind === "expression" && index.value.kind === "path" && index.value.segments.length === 1
      ? index.value.segments[0]!.text
      : undefined,
  );
  if (names.length !== rankOfPath(place, e.base)) return undefined;
  const free = names.flatMap((name) =>
    name === undefined || lookUp(place.scope, name) ? [] : [name],
  );
  return free.length === names.length ? { base: e.base, names: free } : undefined;
}

function rankOfPath(place: Place, e: ast.Expression): number {
  const binding = e.kind === "path" ? lookUp(place.scope, e.segments[0]!.text) : undefined;
  return (binding?.kind === "value" || binding?.kind === "tensor") && binding.type.kind === "tensor"
    ? binding.type.axes.length
    : 0;
}

export function requestOf(place: Place, e: ast.Binary): Typed {
  const bottom = (e.right as ast.Unary).operand;
  const parts = distributedOverSum(e);
  if (parts) return expression(place, parts);
  if (e.left.kind !== "unary" || e.left.operator !== "@") {
    if (place.tangents && !carries(e.left))
      return refuse(place, "E0705", "a tangent rule must be linear in its tangents", e.span, {
        help:
          "tangents may be multiplied and divided by things without `@`; " +
          "nothing may be divided by them",
      });
    return refuse(
      place,
      "E0702",
      "the numerator of a derivative must be linear in its `@`",
      e.left.span,
      {
        help: "write `@y`, a sum of such terms, or a constant times one: `(2.0 * @y) / @x`",
      },
    );
  }
  const primal = e.left.operand;
  const within = stepRequest(place, e, primal, bottom);
  if (within) return within;
  if (bottom.kind === "index") {
    // `@y / @x[i]` is `@y / @x`, read at `i`.
    const whole = requestOf(place, {
      ...e,
      right: { ...(e.right as ast.Unary), operand: bottom.base },
    });
    const cell = whole.kind === "wrong" ? whole : accessOf(place, bottom);
    if (whole.kind === "wrong" || whole.type.kind !== "tensor" || cell.kind !== "read")
      return wrongAt(e.span);
    if (whole.kind === "read") {
      const indices = [...whole.indices, ...cell.indices];
      return {
        ...whole,
        indices,
        type: tensor(whole.type.element, whole.type.axes.slice(cell.indices.length)),
        span: e.span,
      };
    }
    if (whole.kind === "request" && whole.jacobian) {
      const rank = (whole.numerator.type as typeof whole.type).axes.length;
      const { element, axes } = whole.type;
      const count = cell.indices.length;
      const rest = [...axes.slice(0, rank), ...axes.slice(rank + count)];
      const type = tensor(element, [...axes.slice(rank, rank + count), ...rest]);
      const turned: Request = { ...whole, turned: { whole, count }, type };
      return { ...cell, base: turned, type: tensor(element, rest), span: e.span };
    }
    return { ...cell, base: whole, span: e.span };
  }
  if (bottom.kind !== "path" || bottom.segments.length > 1) {
    return refuse(place, "E0703", "a derivative is taken by a name", bottom.span, {
      help: "bind the expression with `let` and use it through that name",
    });
  }
  const name = bottom.segments[0]!;
  const binding = lookUp(place.scope, name.text);
  if (!binding) {
    // The numerator may contain an undefined name too, which is a mistake of its own.
    expression(place, primal);
    return undefinedName(place, name);
  }
  if (binding.kind === "wrong") return wrongAt(e.span);
  if (
    (binding.kind !== "value" && binding.kind !== "tensor") ||
    binding.type.kind !== "tensor" ||
    !mayBe(binding.type.element, isFloat) ||
    !isFloat(decided(binding.type.element))
  ) {
    const type = binding.kind === "value" || binding.kind === "tensor" ? binding.type : undefined;
    const shown = type ? showType(type) : binding.kind;
    const isNumber = type?.kind === "tensor" && mayBe(type.element, isNumeric);
    const literal =
      binding.kind === "value" && binding.value?.kind === "constant"
        ? binding.value.span
        : undefined;
    return refuse(
      place,
      "E0704",
      `\`${name.text}\` is ${shown}, and a derivative is taken by floats`,
      bottom.span,
      {
        labels: [{ span: binding.span, text: "declared here" }],
        help: literal
          ? `write \`let ${name.text} = ${textOf(literal)}.0;\``
          : isNumber
            ? `make it a float: \`${name.text} as f32\``
            : "give the number that it is about a name of its own, `let w = …`, " +
              "before it is used, and take the derivative by that",
        ...(literal && /^-?[\d_]+$/.test(textOf(literal))
          ? fixed(`write \`${textOf(literal)}.0\``, after(literal, ".0"))
          : {}),
      },
    );
  }
  const numerator = expression(place, primal);
  if (numerator.kind === "wrong") return numerator;
  if (numerator.type.kind !== "tensor" || !isFloat(decided(numerator.type.element))) {
    return refuse(
      place,
      "E0704",
      `the numerator is ${showType(numerator.type)}, and derivatives are of floats`,
      e.left.span,
      calledNumerator(primal, numerator, name),
    );
  }
  const around = coordinatesAround(place.scope);
  const own = outerVariables(
    [{ kind: "reference", binding, type: binding.type, span: bottom.span }],
    around,
  );
  const varies = outerVariables([numerator], around).some((v) => !own.includes(v));
  if (varies && isCell(primal, numerator))
    return cellsOfJacobian(place, e, primal, numerator, bottom);
  place.checker.denominators.add(binding);
  if (numerator.kind === "reference") place.checker.denominators.add(numerator.binding);
  const { axes, element } = binding.type;
  const request: Request = {
    kind: "request",
    numerator,
    denominator: binding,
    ...(numerator.type.axes.length > 0 ? { jacobian: true } : {}),
    type: tensor(element, [...numerator.type.axes, ...axes]),
    span: e.span,
  };
  return request;
}

/** `C[i, j]`: a cell of a named tensor. */
function isCell(primal: ast.Expression, numerator: Typed): boolean {
  return primal.kind === "index" && primal.base.kind === "path" && numerator.kind === "read";
}

/** `@C[i, j] / @A`, where `i` and `j` are coordinates: the Jacobian `@C / @A`, read at `[i, j]`. */
function cellsOfJacobian(
  place: Place,
  e: ast.Binary,
  primal: ast.Expression,
  numerator: Typed,
  bottom: ast.Expression,
): Typed {
  if (primal.kind !== "index" || numerator.kind !== "read") return wrongAt(e.span);
  const whole = requestOf(place, {
    ...e,
    left: { ...(e.left as ast.Unary), operand: primal.base },
    right: { ...(e.right as ast.Unary), operand: bottom },
  });
  if (whole.kind === "wrong" || whole.type.kind !== "tensor") return wrongAt(e.span);
  const axes = whole.type.axes.slice(numerator.indices.length);
  return { ...numerator, base: whole, type: tensor(whole.type.element, axes), span: e.span };
}

/**
 * `@loss[t - 1] / @W[t - 1, i]` in a recurrence that computes both: the request is answered within
 * one step, for all steps at once, and read at this one. Undefined for any other request.
 */
function stepRequest(
  place: Place,
  e: ast.Binary,
  top: ast.Expression,
  bottom: ast.Expression,
): Typed | undefined {
  const wrt = findMember(place, bottom);
  if (!wrt || bottom.kind !== "index") return undefined;
  const parts = requestsOfSummands(e, top);
  if (parts && isSumOfRecurrence(place, top)) return expression(place, parts);
  const denominator = accessOf(place, bottom);
  if (denominator.kind !== "read") return denominator.kind === "wrong" ? denominator : undefined;
  const of = isOfRecurrence(place, top) ? expression(place, top) : undefined;
  if (of?.kind === "wrong") return of;
  if (of?.kind === "read") {
    const step = findCommonStep(place, of.indices, denominator.indices);
    return step
      ? answerWithinStep(place, e, of, denominator, wrt, step.axis)
      : refuseSteps(place, e.span, top.span, bottom.span);
  }
  const stepped = stepNumerator(place, e, top, bottom, denominator.indices);
  if (stepped === "wrong") return wrongAt(e.span);
  return stepped && stepped.around(answerWithinStep(place, e, stepped.read, denominator, wrt, 0));
}

type Read = Extract<Typed, { kind: "read" }>;

/**
 * The answer for all steps, read at the cells of the numerator and the denominator. If an index of
 * the numerator is missing, the answer keeps that axis.
 */
function answerWithinStep(
  place: Place,
  e: ast.Binary,
  of: Read,
  denominator: Read,
  wrt: TensorBinding,
  axis: number,
): Typed {
  place.checker.denominators.add(wrt);
  if (of.base.kind === "reference") place.checker.denominators.add(of.base.binding);
  const { type } = of.base;
  if (type.kind !== "tensor") return wrongAt(e.span);
  const others = type.axes.filter((_, k) => k !== axis);
  const whole: Request = {
    kind: "request",
    numerator: of.base,
    denominator: wrt,
    step: axis,
    ...(others.length > 0 ? { jacobian: true } : {}),
    type: tensor(wrt.type.element, [...others, ...wrt.type.axes]),
    span: e.span,
  };
  const binders = type.axes.slice(of.indices.length).map((own) => binderAlong(own, e.span));
  const free = binders.map((binder) =>
    coordinateValue({ kind: "coordinate", name: binder.name, span: e.span, binder }, e.span),
  );
  const indices = [...of.indices.filter((_, k) => k !== axis), ...free, ...denominator.indices];
  const read: Typed = { ...denominator, base: whole, indices, span: e.span };
  if (binders.length === 0 || denominator.type.kind !== "tensor") return read;
  const layout = tensor(wrt.type.element, [
    ...type.axes.slice(of.indices.length),
    ...denominator.type.axes,
  ]);
  return { kind: "abstract", binders, body: read, type: layout, span: e.span };
}

/** Whether an expression is a cell of a tensor of the recurrence, or a derivative of one. */
function isOfRecurrence(place: Place, e: ast.Expression): boolean {
  if (!isRequest(e)) return findMember(place, e) !== undefined;
  const { left, right } = e as ast.Binary;
  return (
    isOfRecurrence(place, numeratorOf(left)) && findMember(place, numeratorOf(right)) !== undefined
  );
}

function isSumOfRecurrence(place: Place, e: ast.Expression): boolean {
  if (e.kind !== "binary" || (e.operator !== "+" && e.operator !== "-"))
    return isOfRecurrence(place, e);
  return isSumOfRecurrence(place, e.left) && isSumOfRecurrence(place, e.right);
}

/** `y` for `@y`. */
function numeratorOf(e: ast.Expression): ast.Expression {
  return e.kind === "unary" ? e.operand : e;
}

/** `@(a + b) / @x` is `@a / @x + @b / @x`. */
function requestsOfSummands(e: ast.Binary, top: ast.Expression): ast.Binary | undefined {
  if (top.kind !== "binary" || (top.operator !== "+" && top.operator !== "-")) return undefined;
  const over = (operand: ast.Expression): ast.Expression => ({
    ...e,
    left: { ...(e.left as ast.Unary), operand },
  });
  return { ...top, left: over(top.left), right: over(top.right), span: e.span };
}

/**
 * The axis of the numerator that has the same index as an axis of the denominator. A shifted index
 * wins over a bare coordinate: in `@loss[t - 1, i] / @W[t - 1, i]` the step is `t`.
 */
function findCommonStep(
  place: Place,
  numerator: readonly Typed[],
  denominator: readonly Typed[],
): { readonly axis: number } | undefined {
  const terms = denominator.map((index) => integerTerm(place.checker, index));
  const shared = numerator.flatMap((index, axis) => {
    const term = integerTerm(place.checker, index);
    return terms.some((other) => equal(term, other)) ? [{ axis, term }] : [];
  });
  return shared.find(({ term }) => term.constant !== 0) ?? shared[0];
}

/** The tensor of the recurrence around this place that an expression reads with indices. */
function findMember(place: Place, e: ast.Expression): TensorBinding | undefined {
  if (e.kind !== "index" || e.base.kind !== "path" || e.base.segments.length !== 1)
    return undefined;
  const binding = lookUp(place.scope, e.base.segments[0]!.text);
  return binding?.kind === "tensor" && place.group?.has(binding) ? binding : undefined;
}

/**
 * Distributes a quotient over a linear combination:
 *
 *   (c * @y + @z) / @x   =   c * (@y / @x) + @z / @x
 */
function distributedOverSum(e: ast.Binary): ast.Expression | undefined {
  const over = (left: ast.Expression): ast.Expression => ({ ...e, left, span: e.span });
  const { left } = e;
  if (left.kind === "unary" && isSign(left.operator) && carries(left.operand))
    return { ...left, operand: over(left.operand) };
  if (left.kind !== "binary" || isRequest(left)) return undefined;
  const [first, second] = [carries(left.left), carries(left.right)];
  switch (left.operator) {
    case "+":
    case "-":
      return first && second
        ? { ...left, left: over(left.left), right: over(left.right), span: e.span }
        : undefined;
    case "*":
      if (first === second) return undefined;
      return first
        ? { ...left, left: over(left.left), span: e.span }
        : { ...left, right: over(left.right), span: e.span };
    case "/":
      return first && !second ? { ...left, left: over(left.left), span: e.span } : undefined;
    default:
      return undefined;
  }
}

// `@y / @x`: a question about two named values. The left side is linear in its `@`, the right side
// names a float.

import type * as ast from "../syntax/ast.ts";
import { after, fixed } from "../diagnostics/fixes.ts";
import { textOf } from "../base/source.ts";
import { equal } from "../affine/term.ts";
import { outerVariables } from "../ir/outer-variables.ts";
import { isFloat, isNumeric } from "../scalar/types.ts";
import { accessOf } from "./access.ts";
import { termOf } from "./integers.ts";
import { extentRange } from "./ranges.ts";
import { refuse, wrongAt, type Place } from "./context.ts";
import { coordinateValue, newBinder } from "./coordinates.ts";
import { coordinatesAround } from "./enclosing.ts";
import { carries, isSign, isRequest } from "./differentials.ts";
import { undefinedName } from "./names.ts";
import { lookUp } from "./scope.ts";
import type { Request, TensorBinding, Typed } from "./typed.ts";
import { calledNumerator } from "./gradient-help.ts";
import { decided, mayBe, showType, tensor } from "./types.ts";
import { refuseSteps, stepNumerator } from "./step-numerators.ts";
import { expression } from "./elaborate.ts";

/**
 * `@C[i, j] / @A[p, q]` where these are coordinates of nothing: the whole Jacobian, under their
 * names.
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
  const named = of?.names ?? Array.from({ length: rankOf(place, top!) }, () => undefined);
  const left = of && e.left.kind === "unary" ? { ...e.left, operand: of.base } : e.left;
  const right = wrt && e.right.kind === "unary" ? { ...e.right, operand: wrt.base } : e.right;
  return { whole: { ...e, left, right }, names: [...named, ...(wrt?.names ?? [])] };
}

/** A tensor at names that stand for nothing yet, one for each of its axes. */
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
  if (names.length !== rankOf(place, e.base)) return undefined;
  const free = names.flatMap((name) =>
    name === undefined || lookUp(place.scope, name) ? [] : [name],
  );
  return free.length === names.length ? { base: e.base, names: free } : undefined;
}

function rankOf(place: Place, e: ast.Expression): number {
  const binding = e.kind === "path" ? lookUp(place.scope, e.segments[0]!.text) : undefined;
  return (binding?.kind === "value" || binding?.kind === "tensor") && binding.type.kind === "tensor"
    ? binding.type.axes.length
    : 0;
}

export function requestOf(place: Place, e: ast.Binary): Typed {
  const bottom = (e.right as ast.Unary).operand;
  const parts = distributed(e);
  if (parts) return expression(place, parts);
  if (e.left.kind !== "unary" || e.left.operator !== "@") {
    if (place.tangents && !carries(e.left))
      return refuse(place, "E0705", "a tangent rule must be linear in its tangents", e.span, {
        help: "tangents may be multiplied and divided by things without `@`; nothing may be divided by them",
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
    // By one cell: the whole answer, read there.
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
    // A numerator that is undefined too is a mistake of its own.
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
            : "give the number that it is about a name of its own, `let w = …`, before it is used, and take the derivative by that",
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
  if (varies && isCell(primal, numerator)) return cellsOf(place, e, primal, numerator, bottom);
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

/** `C[i, j]`: a cell of something that has a name. */
function isCell(primal: ast.Expression, numerator: Typed): boolean {
  return primal.kind === "index" && primal.base.kind === "path" && numerator.kind === "read";
}

/** `@C[i, j] / @A` with coordinates in the numerator: a cell of the Jacobian for each of them. */
function cellsOf(
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
 * `@loss[t - 1] / @W[t - 1, i]` in a recurrence that both belong to: answered within that step, for
 * all steps at once, and read at this one.
 */
function stepRequest(
  place: Place,
  e: ast.Binary,
  top: ast.Expression,
  bottom: ast.Expression,
): Typed | undefined {
  const wrt = memberOf(place, bottom);
  if (!wrt || bottom.kind !== "index") return undefined;
  const parts = summands(e, top);
  if (parts && isSumWithin(place, top)) return expression(place, parts);
  const denominator = accessOf(place, bottom);
  if (denominator.kind !== "read") return denominator.kind === "wrong" ? denominator : undefined;
  const of = isWithin(place, top) ? expression(place, top) : undefined;
  if (of?.kind === "wrong") return of;
  if (of?.kind === "read") {
    const step = sameStep(place, of.indices, denominator.indices);
    return step
      ? answeredWithin(place, e, of, denominator, wrt, step.axis)
      : refuseSteps(place, e.span, top.span, bottom.span);
  }
  const made = stepNumerator(place, e, top, bottom, denominator.indices);
  if (made === "wrong") return wrongAt(e.span);
  return made && made.around(answeredWithin(place, e, made.read, denominator, wrt, 0));
}

type Read = Extract<Typed, { kind: "read" }>;

/**
 * The answer for all steps, read at the cells of numerator and denominator; axes that neither is
 * read at are the answer's own.
 */
function answeredWithin(
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
  const binders = type.axes.slice(of.indices.length).map((own) => {
    const binder = newBinder(own.name ?? "i", e.span, true);
    extentRange(binder, own);
    return binder;
  });
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

/** Is this a cell of a tensor of the recurrence, or the derivative of one again? */
function isWithin(place: Place, e: ast.Expression): boolean {
  if (!isRequest(e)) return memberOf(place, e) !== undefined;
  const { left, right } = e as ast.Binary;
  return isWithin(place, numeratorOf(left)) && memberOf(place, numeratorOf(right)) !== undefined;
}

function isSumWithin(place: Place, e: ast.Expression): boolean {
  if (e.kind !== "binary" || (e.operator !== "+" && e.operator !== "-")) return isWithin(place, e);
  return isSumWithin(place, e.left) && isSumWithin(place, e.right);
}

/** What stands behind an `@`. */
function numeratorOf(e: ast.Expression): ast.Expression {
  return e.kind === "unary" ? e.operand : e;
}

/** `@(a + b) / @x` is `@a / @x + @b / @x`. */
function summands(e: ast.Binary, top: ast.Expression): ast.Binary | undefined {
  if (top.kind !== "binary" || (top.operator !== "+" && top.operator !== "-")) return undefined;
  const over = (operand: ast.Expression): ast.Expression => ({
    ...e,
    left: { ...(e.left as ast.Unary), operand },
  });
  return { ...top, left: over(top.left), right: over(top.right), span: e.span };
}

/**
 * The numerator's axis at which both stand at one position: a shifted one rather than a coordinate
 * that they share.
 */
function sameStep(
  place: Place,
  numerator: readonly Typed[],
  denominator: readonly Typed[],
): { readonly axis: number } | undefined {
  const terms = denominator.map((index) => termOf(place.checker, index));
  const shared = numerator.flatMap((index, axis) => {
    const term = termOf(place.checker, index);
    return terms.some((other) => equal(term, other)) ? [{ axis, term }] : [];
  });
  return shared.find(({ term }) => term.constant !== 0) ?? shared[0];
}

/** The tensor of the recurrence around this place that an expression reads. */
function memberOf(place: Place, e: ast.Expression): TensorBinding | undefined {
  if (e.kind !== "index" || e.base.kind !== "path" || e.base.segments.length !== 1)
    return undefined;
  const binding = lookUp(place.scope, e.base.segments[0]!.text);
  return binding?.kind === "tensor" && place.group?.has(binding) ? binding : undefined;
}

/**
 * A quotient of a linear combination is that combination of quotients: `(c * @y + @z) / @x` is `c *
 * (@y / @x) + @z / @x`.
 */
function distributed(e: ast.Binary): ast.Expression | undefined {
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

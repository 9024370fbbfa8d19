// Scalars: one cell of an expression at given indices. `A + b` at `[i, j]` is `A[i, j] + b`.

import { resolved } from "../check/types/sizes.ts";
import type { Item, TensorBinding, Typed, ValueBinding } from "../check/types/typed.ts";
import { decided, type TensorType, type Type } from "../check/types/types.ts";
import type { Span } from "../base/source.ts";
import { ofVariable, type Term, type Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { callAt, captured, parameterOf } from "./functions/calls.ts";
import { loopOf, outerIndices } from "./around.ts";
import { guardsOf } from "./conditions.ts";
import { conditionItems, declare, declareItems, enclosing, siteInCall, type Site } from "./site.ts";
import { isOfStep } from "./functions/calls-in-steps.ts";
import { isKept, isMade } from "./functions/made.ts";
import { define, lower, materialise } from "./forms.ts";
import { agreed, evaluable, termHere } from "./terms.ts";
import { outerVariables } from "../check/ranges/outer-variables.ts";
import { fromFloats } from "../analyse/from-floats.ts";
import type { Body, Scalar } from "../ir/program.ts";
import { claim } from "../base/claim.ts";
import { literal } from "../ir/simple-scalars.ts";
import { instantiateTerm, integerScalar } from "../ir/substitute.ts";
import { operations } from "../scalar/operations.ts";
import { takenAlong } from "./functions/folds.ts";
import { acceptedAt, cellsAt, keptAt, madeAt, namedCell, readMade } from "./functions/arrays.ts";
import { slopeAt } from "./functions/slopes.ts";

/** The body of a clause. A reduction that is the whole body stays a reduction. */
export function bodyAt(site: Site, value: Typed, indices: readonly Scalar[]): Body {
  if (value.kind === "block") {
    declare(site, value.bindings);
    return bodyAt(siteInCall(site, value), value.value, indices);
  }
  if (value.kind === "reduce" && !isMade(site, value)) return reduction(site, value, indices);
  if (value.kind === "cells") return { kind: "map", value: cellsAt(site, value, indices) };
  return { kind: "map", value: scalarAt(site, value, indices) };
}

function reduction(
  site: Site,
  value: Extract<Typed, { kind: "reduce" }>,
  indices: readonly Scalar[],
): Body {
  const here = new Map(site.here);
  const inside: Site = { ...site, here };
  for (const binder of value.binders) site.lowering.reductions.set(binder.variable, value);
  const loops = value.binders.map((binder) => loopOf(inside, binder, here));
  const filters = value.binders
    .flatMap((binder) => binder.filters ?? [])
    .map((condition): Item => ({ kind: "guard", condition }));
  const items = [...filters, ...value.items];
  declareItems(inside, items);
  const guards = guardsOf(inside, items);
  const conditioned: Site = {
    ...inside,
    conditions: [...site.conditions, ...conditionItems(items)],
  };
  return {
    kind: "reduce",
    reduction: value.reduction,
    loops,
    guards,
    value: scalarAt(conditioned, value.body, indices),
    span: value.span,
  };
}

/** One cell of an expression of rank r, at r indices. */
export function scalarAt(site: Site, value: Typed, indices: readonly Scalar[]): Scalar {
  switch (value.kind) {
    case "constant":
      return literal(value.value, decided(value.type.element));
    case "integer":
      return integerAt(site, resolved(value.term));
    case "reference":
      return reference(site, value.binding, indices, value.span);
    case "read": {
      if (isMade(site, value.base) || (isKept(value.base) && isOfStep(site, value.base)))
        return readMade(site, value, indices);
      // A condition in an index may mention the length of the base, so the base's names are
      // declared first.
      if (value.base.kind === "block") declare(site, value.base.bindings);
      const whole = [...value.indices.map((index) => lower(site, index)), ...indices];
      // The span of a read is all of `x[i, j]`, not `x` alone.
      const { base, span } = value;
      const cell =
        base.kind === "reference"
          ? reference(site, base.binding, whole, span)
          : scalarAt(site, base, whole);
      if (cell.kind !== "read" || (cell.definition.origin !== "helper" && !isLiteral(base)))
        return cell;
      return { ...cell, span, ...(span.end > base.span.end ? { written: true } : {}) };
    }
    case "apply":
      return application(site, value, indices);
    case "cast":
      return {
        kind: "cast",
        type: decided(value.type.element),
        operand: scalarAt(site, value.operand, indicesFor(value.operand, indices)),
        span: value.span,
      };
    case "select": {
      const condition = lower(site, value.condition);
      const when = (holds: boolean): Site => ({
        ...site,
        conditions: [...site.conditions, { value: value.condition, holds }],
      });
      return {
        kind: "select",
        type: decided((value.type as TensorType).element),
        condition,
        then: scalarAt(when(true), value.then, indices),
        otherwise: scalarAt(when(false), value.otherwise, indices),
      };
    }
    case "block":
      declare(site, value.bindings);
      return scalarAt(siteInCall(site, value), value.value, indices);
    case "reduce":
    case "abstract":
    case "array":
      return isMade(site, value) ? madeAt(site, value, indices) : helper(site, value, indices);
    case "cells":
      return isMade(site, value) || isOfStep(site, value)
        ? cellsAt(site, value, indices)
        : helper(site, value, indices);
    case "request":
      return (site.function && slopeAt(site, value, indices)) ?? helper(site, value, indices);
    case "ruled":
      return helper(site, value, indices);
    case "kept":
      return keptAt(site, value.of);
    case "accepted":
      return acceptedAt(site, value);
    case "call":
      return callAt(site, value);
    case "text":
      return textAt(site, value);
    case "text-call":
      return {
        kind: "text",
        type: decided(value.type.element),
        function: value.method,
        operands: value.operands.map((operand) => lower(site, operand)),
      };
    case "data":
      return {
        kind: "data",
        type: decided(value.type.element),
        function: value.function,
        operands: value.operands.map((operand) =>
          scalarAt(site, operand, indicesFor(operand, indices)),
        ),
        member: value.member,
        layout: value.layout,
      };
    case "boxed":
    case "tuple":
    case "closure":
    case "functions":
    case "absent":
    case "range":
    case "wrong":
      throw new Error(`a ${value.kind} cannot be lowered to a scalar`);
    default:
      return value satisfies never;
  }
}

/** A string with interpolated values: each value is shown, and the pieces are joined. */
function textAt(site: Site, { parts }: Extract<Typed, { kind: "text" }>): Scalar {
  const pieces = parts.map((part): Scalar => {
    if (typeof part === "string") return { kind: "constant", type: "str", value: part };
    if (!("value" in part)) throw new Error("a derivation is shown by `print` alone");
    if (part.whole) return lower(site, part.whole);
    const shown = lower(site, part.value);
    if (shown.type === "str" && part.format === undefined) return shown;
    const format = part.format === undefined ? {} : { format: part.format };
    return { kind: "text", type: "str", function: "show", operands: [shown], ...format };
  });
  const [only] = pieces;
  if (pieces.length === 0) return { kind: "constant", type: "str", value: "" };
  return pieces.length === 1
    ? only!
    : { kind: "text", type: "str", function: "concat", operands: pieces };
}

/** The indices of an operand: a scalar beside a tensor is the same in every cell. */
function indicesFor(operand: Typed, indices: readonly Scalar[]): readonly Scalar[] {
  return (operand.type as TensorType).axes.length === 0 ? [] : indices;
}

function application(
  site: Site,
  value: Extract<Typed, { kind: "apply" }>,
  indices: readonly Scalar[],
): Scalar {
  const { signature } = operations[value.operation];
  const slot = signature.operands.indexOf("T");
  const first = value.operands[Math.max(slot, 0)]!;
  const [left, right] = value.operands;
  // The right side of `&&` and `||` is evaluated only if the left side does not decide the result.
  const sites = value.operands.map((_, k): Site => {
    if (k === 0 || (value.operation !== "and" && value.operation !== "or") || !left || !right)
      return site;
    return {
      ...site,
      conditions: [...site.conditions, { value: left, holds: value.operation === "and" }],
    };
  });
  return agreed(site, value.agreements, {
    kind: "apply",
    operation: value.operation,
    type: decided(value.type.element),
    within: decided((first.type as TensorType).element),
    operands: value.operands.map((operand, k) =>
      scalarAt(sites[k]!, operand, indicesFor(operand, indices)),
    ),
    span: value.span,
  });
}

/**
 * An integer term. If it contains lookups by coordinates, they are read here and the arithmetic
 * around them is written out.
 */
function integerAt(site: Site, term: Term): Scalar {
  return evaluable(site, term) ? integerScalar(termHere(site, term)) : asArithmetic(site, term);
}

function asArithmetic(site: Site, term: Term): Scalar {
  const parts = new Map<Variable, Scalar>();
  for (const v of variablesOf(term)) {
    const looked = site.lowering.checker.opaqueValue.get(v);
    if (looked && !evaluable(site, ofVariable(v))) parts.set(v, lower(site, looked));
    else parts.set(v, integerScalar(termHere(site, ofVariable(v))));
  }
  return instantiateTerm(term, parts);
}

function reference(
  site: Site,
  binding: ValueBinding | TensorBinding,
  indices: readonly Scalar[],
  span: Span,
): Scalar {
  if (binding.kind === "value" && binding.parameter && !isI32(binding.type))
    return parameterOf(binding);
  // An integer that was rounded from floats is read, so that a derivative can say why it ends
  // there.
  const isRounded =
    binding.kind === "value" && binding.value !== undefined && fromFloats(binding.value);
  if (
    binding.kind === "value" &&
    !isRounded &&
    binding.term &&
    isI32(binding.type) &&
    evaluable(site, binding.term)
  ) {
    return integerScalar(termHere(site, binding.term));
  }
  const isAsked = binding.kind === "value" && site.lowering.checker.denominators.has(binding);
  // A global float keeps its definition: it may be a parameter, and gradients name it.
  if (
    binding.kind === "value" &&
    binding.value &&
    !binding.global &&
    (!isAsked || isOfCall(site, binding.value))
  ) {
    const { value } = binding;
    // A parameter that stands for a named tensor is read under that name.
    if (value.kind === "reference" && !isAsked)
      return reference(site, value.binding, indices, span);
    if (isAnotherName(value) && !isAsked) return scalarAt(site, value, indices);
    const { axes, element } = binding.type as TensorType;
    if (axes.length > 0 && isMade(site, value)) return namedCell(site, binding, indices, span);
    if (isKept(value) && isOfStep(site, value)) return scalarAt(site, value, indices);
    if (
      axes.length === 0 &&
      binding.role !== "length" &&
      site.here.size > 0 &&
      !site.lowering.lowered.has(binding) &&
      (outerVariables([value], enclosing(site), site.lowering.checker.opaqueValue).length > 0 ||
        isMade(site, value))
    ) {
      const taken =
        site.within &&
        takenAlong(site, binding, decided(element), (around) =>
          reference(around, binding, [], span),
        );
      if (taken) return taken;
      let local = site.locals.get(binding);
      if (!local) {
        const { conditions } = site.lowering.declaredAt.get(binding) ?? site;
        site.locals.set(
          binding,
          (local = { name: binding.name, value: lower({ ...site, conditions }, value) }),
        );
      }
      return { kind: "local", type: decided(element), local };
    }
  }
  if (
    binding.kind === "tensor" &&
    isMade(site, { kind: "reference", binding, type: binding.type, span })
  )
    return namedCell(site, binding, indices, span);
  const { definition, outer } = define(site, binding);
  const passed = site.function && captured(site.function, definition);
  if (passed) return passed;
  // A value that is needed only under a condition is a definition over the coordinates of the
  // condition. Outside of these coordinates the value is computed again.
  if (binding.kind === "value" && binding.value && !outer.every((v) => site.here.has(v)))
    return scalarAt(site, binding.value, indices);
  return {
    kind: "read",
    type: definition.element,
    definition,
    indices: [...outerIndices(site, outer), ...indices],
    span,
  };
}

/**
 * Whether each call has its own value: derivatives by such a value are found inside the function.
 */
function isOfCall(site: Site, value: Typed): boolean {
  return site.function !== undefined && outerVariables([value], enclosing(site)).length > 0;
}

function isI32(type: Type): boolean {
  return type.kind === "tensor" && decided(type.element) === "i32";
}

/** Whether an expression only names a value that exists already. */
function isAnotherName(value: Typed): boolean {
  switch (value.kind) {
    case "constant":
    case "integer":
      return true;
    case "reference":
      return true;
    case "read":
      return isAnotherName(value.base) && value.indices.every(isAnotherName);
    default:
      return false;
  }
}

/** An array literal, or a row of one. */
function isLiteral(value: Typed): boolean {
  return value.kind === "array" || (value.kind === "read" && isLiteral(value.base));
}

/** A read of a new definition, for a part that cannot stand inside a scalar. */
function helper(
  site: Site,
  value: Extract<Typed, { kind: "reduce" | "abstract" | "array" | "cells" | "request" | "ruled" }>,
  indices: readonly Scalar[],
): Scalar {
  const around = site.function?.outside ?? site;
  const { definition, outer } = materialise(
    around,
    value,
    value.span,
    claim(site.lowering.taken, site.owner),
  );
  const passed = site.function && captured(site.function, definition);
  if (passed) return passed;
  return {
    kind: "read",
    type: definition.element,
    definition,
    indices: [...outerIndices(site, outer), ...indices],
    span: value.span,
  };
}

// Calls of functions of the program. Each call is checked with its own arguments, as if the body
// stood in the place of the call.
//
// In `f[class](x[b, class])` the bracket binds `class`, and the argument becomes a tensor with the
// axis `class`. The signature gives that axis its own name. A `where` on the call holds inside the
// function for every reduction over the same domain, and for the cells of the result.

import type * as ast from "../../syntax/tree/ast.ts";
import { ofVariable } from "../../affine/term.ts";
import { freeVariables } from "../ranges/outer-variables.ts";
import { atCall } from "../../diagnostics/at-call.ts";
import { isInLibrary, textOf } from "../../base/source.ts";
import { mustAgree } from "../statements/agree.ts";
import { argumentsOf, type Call } from "./arguments.ts";
import { attemptCheck } from "../attempt.ts";
import { refuse, report, silent, wrongAt, type CheckedCall, type Place } from "../context.ts";
import { denominatorsIn } from "../names/free-names.ts";
import { hasDamagedHead } from "../statements/damaged.ts";
import { newBound, withCallerNames, groundCoordinates } from "./brackets.ts";
import { bodyOf } from "./function-body.ts";
import { identity, structureOf, valueBinding } from "../types/integers.ts";
import { isRecursive, weightOf } from "./instances/call-graph.ts";
import { scopeInside, type FunctionBinding } from "../names/scope.ts";
import { inBlock, share } from "../values/share.ts";
import {
  declareSignature,
  functionsLast,
  isScalarType,
  matchParameter,
  isTensorType,
} from "./signatures.ts";
import type { Branch, Typed, ValueBinding } from "../types/typed.ts";
import { known, showType, tensor, type TensorType, type Type, isCompound } from "../types/types.ts";
import { filteredResult, filtersOf } from "./call-guards.ts";
import { callInstance, refuseInstance } from "./instances/instances.ts";
import { recursiveCall } from "./instances/recursive-calls.ts";
import { valueAndTangent } from "../derivatives/tangents.ts";
import type { Bound } from "./bound.ts";
import { withCallerLengths, withDeclaredAxisNames } from "../types/relabelled.ts";
import { readAt } from "../ranges/reads.ts";
import { binderAlong } from "../ranges/ranges.ts";
import { integerValue } from "../values/integer-value.ts";

/** A function that stands for more calls than this becomes an instance if it can. */
const mostInlined = 32;

export function callFunction(
  place: Place,
  callee: FunctionBinding,
  e: ast.Call,
  where?: ast.Where,
): Typed {
  if (hasDamagedHead(place.checker, callee.declaration)) {
    place.checker.called.add(callee.declaration);
    return silent(place, e.span);
  }
  const call = argumentsOf(place, callee, e);
  if (!call || call.values.some((value) => value.kind === "wrong")) return wrongAt(e.span);
  const { values } = call;
  const { parameters } = callee.declaration;

  const isLifted = (value: Typed, k: number): boolean => {
    const { type } = parameters[k]!;
    return (
      type !== undefined &&
      isScalarType(type) &&
      isTensorType(callee.scope, type) &&
      rankOfTensor(value.type) > 0
    );
  };
  if (values.some(isLifted)) return lifted(place, call);
  const mayBeLifted =
    callee.declaration.coordinates.length === 0 &&
    values.some((value, k) => !parameters[k]!.type && rankOfTensor(value.type) > 0);
  const check = (): Typed =>
    mayBeLifted ? wholeOrLifted(place, call) : inlinedOrInstance(place, call, values, where);
  return where ? check() : onceInStatement(place, call, check);
}

/**
 * Two calls of one function with the same arguments in one statement are one value. Otherwise
 * functions that call other functions twice would double the work at each level. A value inside a
 * branch is not shared with the other branch, and a call that prints is repeated.
 */
function onceInStatement(
  place: Place,
  { callee, values, named, e }: Call,
  check: () => Typed,
): Typed {
  if (values.some((value) => value.kind === "constant" && known(value.type.element) === undefined))
    return check();
  const names = [...place.guarded].map((v) => v.id).join();
  const bracket = [...named.values()].map((group) => `(${group.join(", ")})`).join();
  const key = `${identity(callee)} [${bracket}] ${values.map(structureOf).join("; ")} ${names}`;
  const { calls } = place.frame;
  const earlier = calls.get(key)?.find(({ when }) => areBranchesAround(place.when, when))?.binding;
  // The mistake has been reported at the earlier call.
  if (earlier === "wrong") return wrongAt(e.span);
  if (earlier)
    return inBlock([earlier], {
      kind: "reference",
      binding: earlier,
      type: earlier.type,
      span: earlier.span,
    });
  const remember = (call: CheckedCall): void =>
    void calls.set(key, [...(calls.get(key) ?? []), call]);
  const effects = place.effects.length;
  const value = check();
  if (value.kind === "wrong") remember({ binding: "wrong", when: [] });
  const isShared = value.type.kind === "tensor" && (value.type.axes.length === 0 || !place.indexed);
  if (isShared && place.effects.length === effects) {
    const binding: ValueBinding = {
      kind: "value",
      role: "part",
      name: callee.name,
      span: value.span,
      type: value.type,
      value,
    };
    remember({ binding, when: place.when });
  }
  return value;
}

/** Whether all branches around one place are taken at the other place too. */
function areBranchesAround(place: readonly Branch[], around: readonly Branch[]): boolean {
  return around.every(
    ({ condition, holds }, k) => place[k]?.condition === condition && place[k]?.holds === holds,
  );
}

function rankOfTensor(type: Type): number {
  return type.kind === "tensor" ? type.axes.length : 0;
}

/**
 * A call with tensors for untyped parameters. It is tried with the whole tensors first, and then
 * for each cell.
 */
function wholeOrLifted(place: Place, call: Call): Typed {
  const whole = attemptCheck(place, () => inlinedOrInstance(place, call, call.values));
  if (!whole.isWrong) return whole.keep();
  whole.undo();
  const cells = attemptCheck(place, () => lifted(place, call));
  if (!cells.isWrong) return cells.keep();
  whole.keep();
  return wrongAt(call.e.span);
}

function inlinedOrInstance(
  place: Place,
  call: Call,
  values: readonly Typed[],
  where?: ast.Where,
): Typed {
  const { callee } = call;
  if (isRecursive(callee)) {
    const replaced = (at: Place): Typed =>
      inlinedBody({ ...at, unrolled: true }, call, values, where);
    return recursiveCall(place, call, values, replaced, where);
  }
  // Inside an instance, a call of a function with a rule is an instance too, because the derived
  // instance needs the function and its rule. A call that is the same in every run of the instance
  // stays outside of it.
  const isRuled =
    place.recursion !== undefined &&
    callee.rule !== undefined &&
    !place.ruling?.has(callee.declaration);
  const isGuarded = where !== undefined || place.filters.length > 0;
  if (isRuled && (isGuarded || freeVariables(values, place.checker.opaqueValue).size > 0)) {
    const kept = callInstance(
      place,
      call,
      values,
      place.arrays ? "makes arrays" : "many calls",
      where,
    );
    return kept.kind === "unfit" ? refuseInstance(place, kept) : kept;
  }
  if (!where && weightOf(callee) > mostInlined && !place.tangents && place.filters.length === 0) {
    const kept = callInstance(place, call, values, "many calls");
    if (kept.kind !== "unfit") return kept;
  }
  return inlinedBody(place, call, values, where);
}

/** The body in the place of the call. */
function inlinedBody(place: Place, call: Call, values: readonly Typed[], where?: ast.Where): Typed {
  const { callee, e } = call;
  const { declaration } = callee;
  const scope = scopeInside(callee.scope);
  const bound: Bound = {
    ...newBound(call),
    words: new Map(callee.held?.words),
    ...(callee.held ? { generics: new Map(callee.held.generics) } : {}),
  };
  const inCallee: Place = { ...place, scope: callee.scope };
  let matches = true;
  for (const [k, { type }] of functionsLast(declaration.parameters)) {
    const what = `\`${textOf(values[k]!.span)}\``;
    if (type && !matchParameter(inCallee, bound, type, values[k]!, what)) matches = false;
  }
  if (!matches || !groundCoordinates(place, call, bound, values)) return wrongAt(e.span);

  const bindings: ValueBinding[] = [];
  const asked = denominatorsIn(declaration);
  for (const [k, parameter] of declaration.parameters.entries()) {
    const value = withCallerLengths(
      parameter.type,
      withDeclaredAxisNames(inCallee, parameter.type, values[k]!, bound),
      bound,
    );
    if (callee.held) {
      const { text, span } = parameter.name;
      scope.names.set(text, {
        kind: "value",
        role: "parameter",
        name: text,
        span,
        type: value.type,
        value,
        once: true,
      });
      continue;
    }
    const parts = isCompound(value.type)
      ? share(place, parameter.name, value)
      : { bindings: [], value };
    const parameterBinding = valueBinding(place, "parameter", parameter.name, parts.value);
    const binding: ValueBinding =
      asked.has(parameterBinding.name) && !parameterBinding.term
        ? { ...parameterBinding, asked: true }
        : parameterBinding;
    bindings.push(...parts.bindings, binding);
    scope.names.set(binding.name, binding);
  }
  const domains = declareSignature(scope, declaration, bound);
  const filters = where ? filtersOf(place, call, bound, where) : [];
  if (!filters) return wrongAt(e.span);
  const inside: Place = {
    ...place,
    scope,
    calls: [...place.calls, callee.declaration],
    filters: [...place.filters, ...filters],
    signature: domains,
    words: bound.words,
    asked,
    ...callFrom(place, callee.declaration, e),
  };
  const said = place.checker.diagnostics.length;
  const value = underHeldType(inCallee, callee, bound, bodyOf(inside, declaration, bound));
  if (!place.call) moveToCall(inside, said);
  if (value.kind === "wrong") return wrongAt(e.span);
  const renamed = value.type.kind === "tensor" ? withCallerNames(value, value.type, bound) : value;
  const block: Extract<Typed, { kind: "block" }> = {
    kind: "block",
    bindings,
    value: renamed,
    type: renamed.type,
    span: e.span,
    ...callFrom(place, declaration, e),
  };
  const isRuled = callee.rule && !place.ruling?.has(callee.declaration);
  const result = isRuled ? valueAndTangent(inside, callee, scope, bound, bindings, block) : block;
  return where && result.type.kind === "tensor"
    ? filteredResult(place, call, result, where)
    : result;
}

/** Moves messages about a library function to the call in the program. */
function moveToCall({ checker: { diagnostics }, call }: Place, since: number): void {
  if (!call) return;
  for (let k = since; k < diagnostics.length; k++) diagnostics[k] = atCall(diagnostics[k]!, call);
}

/** The call in the program, if the callee is in the library and the call is not. */
function callFrom({ call }: Place, declaration: ast.Fn, { span }: ast.Call): Pick<Place, "call"> {
  return call === undefined && isInLibrary(declaration.span) && !isInLibrary(span)
    ? { call: span }
    : {};
}

/** The value of a function with a declared type, under the result of that type. */
function underHeldType(place: Place, { held }: FunctionBinding, bound: Bound, value: Typed): Typed {
  if (!held || value.kind === "wrong") return value;
  const { result } = held.type;
  if (!matchParameter(place, bound, result, value, "the result")) return wrongAt(value.span);
  return withDeclaredAxisNames(place, result, value, bound);
}

/** The call for each cell of its tensor arguments, which must have one shape. */
function lifted(place: Place, call: Call): Typed {
  const { callee, e, values } = call;
  const { parameters } = callee.declaration;
  const lifts = (value: Typed, k: number): boolean => {
    const { type } = parameters[k]!;
    return rankOfTensor(value.type) > 0 && (!type || isScalarType(type));
  };
  const axes = (values.find(lifts)!.type as TensorType).axes;
  const binders = axes.map((axis) => binderAlong(axis, e.span));
  const indices = binders.map((binder): Typed => integerValue(ofVariable(binder.variable), e.span));
  const cells = values.map((value, k) => {
    if (!lifts(value, k)) return value;
    const own = (value.type as TensorType).axes;
    const differ = (): void => {
      report(
        place,
        "E0403",
        `the tensor arguments of \`${callee.name}\` must have one shape`,
        e.arguments[k]?.span ?? e.span,
      );
    };
    if (own.length !== axes.length) differ();
    if (
      own.length !== axes.length ||
      !axes.every((axis, n) => mustAgree(place, axis, own[n]!, e.span, differ))
    )
      return wrongAt(e.span);
    return readAt(
      place,
      value,
      indices,
      value.span,
      indices.map(() => value.span),
    );
  });
  if (cells.some((cell) => cell.kind === "wrong")) return wrongAt(e.span);
  const body = inlinedOrInstance({ ...place, indexed: e.span }, call, cells);
  if (body.kind === "wrong") return wrongAt(e.span);
  if (body.type.kind !== "tensor")
    return refuse(
      place,
      "E0401",
      `\`${callee.name}\` is called for each cell of a tensor here, ` +
        `and gives ${showType(body.type)}`,
      e.span,
      {
        labels: values.flatMap((value, k) =>
          lifts(value, k) ? [{ span: value.span, text: `this is ${showType(value.type)}` }] : [],
        ),
        help:
          "the cells of a tensor are scalars: " +
          `for an array, write \`[${callee.name}(…) | cell in …]\``,
      },
    );
  return {
    kind: "abstract",
    binders,
    body,
    type: tensor(body.type.element, [...axes, ...body.type.axes]),
    span: e.span,
  };
}

// The tensors in the arguments of an instance. A tensor may be the same in every call, some
// elements of such a tensor, or an array that is made while the program runs.

import type * as ast from "../../../syntax/tree/ast.ts";
import { constantOf } from "../../../affine/term.ts";
import { asArray, isArray } from "../../data/arrays.ts";
import type { Place } from "../../context.ts";
import { valueBinding } from "../../types/integers.ts";
import { walkedAxes } from "../../data/lists.ts";
import type { FunctionBinding } from "../../names/scope.ts";
import { share, type Shared } from "../../values/share.ts";
import { boxedIn, functionsIn, membersOf } from "../../values/tuples.ts";
import type { Typed, ValueBinding } from "../../types/typed.ts";
import { isScalar, settle, isCompound } from "../../types/types.ts";
import { windowIn, windowOver } from "../../data/rows/windows.ts";
import { costsNothing } from "../../values/plain-values.ts";
import type { Reason } from "./instance-needs.ts";

interface Passed {
  readonly value: Typed;
  readonly binding?: ValueBinding;
  /** The tensor differs from call to call, and the instance cannot take it. */
  readonly changes?: true;
}

export function passedTensor(
  place: Place,
  callee: FunctionBinding,
  value: Typed,
  k: number,
  reason: Reason,
): Passed {
  if (isCompound(value.type)) return passedParts(place, callee, value, reason);
  if (value.type.kind !== "tensor" || isScalar(value.type)) return { value };
  if (reason !== "makes arrays") return tensorByName(place, callee, value, k, reason);
  return { value: asPassedArray(value) };
}

/**
 * Arrays for all calls: a tensor of the file is passed like an array that is made while the program
 * runs, so that one instance serves both.
 */
function asPassedArray(value: Typed): Typed {
  settle(value.type);
  return isArray(value) ? value : asArray(value);
}

/** A tuple, struct, enum or list with tensors in it. */
function passedParts(place: Place, callee: FunctionBinding, value: Typed, reason: Reason): Passed {
  if (reason === "makes arrays") return { value: withArrays(value) };
  const isInside = reason === "recursive" && place.calls.includes(callee.declaration);
  return isInside && tensorsIn(value).some((each) => !isSameInEachCall(each))
    ? { value, changes: true }
    : { value };
}

function withArrays(value: Typed): Typed {
  const { type, span } = value;
  if (type.kind === "tensor") return isScalar(type) ? value : asPassedArray(value);
  if (!isCompound(type)) return value;
  const boxed = boxedIn(value);
  if (boxed) return { ...boxed, box: withArrays(boxed.box) };
  const functions = functionsIn(value);
  if (functions) return { ...functions, codes: functions.codes.map(withArrays) };
  const members = membersOf(value);
  return members ? { kind: "tuple", members: members.map(withArrays), type, span } : value;
}

/** The same value. The cells of each array get a name. */
export function keptByName(place: Place, name: ast.Name, value: Typed): Shared {
  const bindings: ValueBinding[] = [];
  const withNames = (part: Typed): Typed => {
    if (part.kind === "tuple") return { ...part, members: part.members.map(withNames) };
    if (part.kind === "functions") return { ...part, codes: part.codes.map(withNames) };
    if (part.kind === "boxed") return { ...part, box: withNames(part.box) };
    if (part.kind !== "cells") return part;
    const box = share(place, name, part.box);
    bindings.push(...box.bindings);
    return { ...part, box: box.value };
  };
  const whole = withNames(value);
  return { bindings, value: whole };
}

function tensorsIn(value: Typed): readonly Typed[] {
  if (value.type.kind === "tensor") return isScalar(value.type) ? [] : [value];
  if (!isCompound(value.type)) return [];
  const boxed = boxedIn(value);
  if (boxed) return tensorsIn(boxed.box);
  return (functionsIn(value)?.codes ?? membersOf(value))?.flatMap(tensorsIn) ?? [];
}

/**
 * A tensor with at most this many elements is passed as so many scalars. The body of the function
 * may then pass other scalars on to its own calls, `f([x[0] + 1.0, x[1]])`; a tensor that is passed
 * by name has to stay the same one.
 */
const mostTakenApart = 64;

/**
 * A tensor that is passed gets a name. A call inside the body that passes the same name passes the
 * same tensor. Some elements of a tensor are a window.
 */
function tensorByName(
  place: Place,
  callee: FunctionBinding,
  value: Typed,
  k: number,
  reason: Reason,
): Passed {
  const isInside = place.calls.includes(callee.declaration);
  const [axis] = walkedAxes(value.type);
  const isLong =
    ((axis!.extent && constantOf(axis!.extent)) ?? mostTakenApart + 1) > mostTakenApart;
  const window = reason === "recursive" && isLong && isInside ? windowIn(place, value) : undefined;
  if (window) return { value: windowOver(window, axis!, value.span) };
  if (isInside) return isSameInEachCall(value) ? { value } : { value, changes: true };
  if (costsNothing(value)) return { value };
  const { name } = callee.declaration.parameters[k]!;
  const binding = valueBinding(place, "part", name, value);
  return { value: { kind: "reference", binding, type: binding.type, span: value.span }, binding };
}

/**
 * Whether a tensor is there before the function is called: a tensor of the file, or an argument.
 */
function isSameInEachCall(value: Typed): boolean {
  if (value.kind !== "reference") return false;
  const { binding } = value;
  if (binding.global) return true;
  if (binding.kind === "tensor") return false;
  if (binding.role === "input" || binding.role === "parameter") return true;
  return binding.value !== undefined && isSameInEachCall(binding.value);
}

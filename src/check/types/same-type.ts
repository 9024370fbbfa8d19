// Whether two types may belong to one value, as for the branches of an `if`, and the type that
// combines both. `choose.ts` then chooses between the values.

import { nowhere } from "../../base/source.ts";
import { mustAgree } from "../statements/agree.ts";
import type { Place } from "../context.ts";
import { unify, type Axis, type Type } from "./types.ts";

/** Unifies two types. False if they cannot be equal. */
export function sameType(place: Place, a: Type, b: Type): boolean {
  if (a.kind === "absent" || b.kind === "absent") return true;
  if (a.kind === "tensor" && b.kind === "tensor") {
    if (a.axes.length !== b.axes.length || !unify(a.element, b.element)) return false;
    return sameAxes(place, a.axes, b.axes);
  }
  if (a.kind === "tuple" && b.kind === "tuple") {
    return (
      a.members.length === b.members.length &&
      a.members.every((m, k) => sameType(place, m, b.members[k]!))
    );
  }
  if (a.kind === "data" && b.kind === "data") {
    return (
      a.of.declaration === b.of.declaration &&
      a.arguments.every((argument, k) => sameType(place, argument, b.arguments[k]!))
    );
  }
  if (a.kind === "list" && b.kind === "list") {
    if (a.axes.length !== b.axes.length || !sameType(place, a.of, b.of)) return false;
    return sameAxes(place, a.axes, b.axes);
  }
  if (a.kind === "jagged" && b.kind === "jagged")
    return a.levels === b.levels && unify(a.element, b.element);
  if (a.kind === "function" && b.kind === "function") return a.arity === b.arity;
  return a.kind === b.kind;
}

function sameAxes(place: Place, a: readonly Axis[], b: readonly Axis[]): boolean {
  return a.every((axis, k) => {
    const span = b[k]!.origin?.span ?? axis.origin?.span ?? nowhere;
    return mustAgree(place, axis, b[k]!, span, () => undefined);
  });
}

/** The type that combines what two compatible types know. */
export function mergedType(a: Type, b: Type): Type {
  if (a.kind === "absent") return b;
  if (a.kind === "function" && b.kind === "function") return a.declared ? a : b;
  if (a.kind === "data" && b.kind === "data") {
    return {
      ...a,
      arguments: a.arguments.map((argument, k) => mergedType(argument, b.arguments[k]!)),
    };
  }
  if (a.kind === "list" && b.kind === "list") return { ...a, of: mergedType(a.of, b.of) };
  if (a.kind === "tuple" && b.kind === "tuple") {
    return { ...a, members: a.members.map((member, k) => mergedType(member, b.members[k]!)) };
  }
  return a;
}

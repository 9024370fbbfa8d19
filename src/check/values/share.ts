// Gives names to values that are used several times. Each part of a tuple, struct or enum gets a
// name of its own: after `let p = f(x);`, every use of `p.x` reads one definition.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Place } from "../context.ts";
import { valueBinding } from "../types/integers.ts";
import { isRecursiveType } from "../types/declared-types.ts";
import { isMadeOfScalars } from "../data/references.ts";
import { boxedIn, functionsIn, membersOf } from "./tuples.ts";
import type { Boxed, TensorBinding, Typed, ValueBinding } from "../types/typed.ts";
import { decided, isCompound, settle, type Type } from "../types/types.ts";
import { boxedForm } from "../data/form-of.ts";
import { boxOf } from "../calls/instances/spread.ts";
import { costsNothing, isCheap } from "./plain-values.ts";

export interface Shared {
  /** The bindings that the value refers to, in order. */
  readonly bindings: readonly ValueBinding[];
  readonly value: Typed;
}

/** The same value with a name for each of its parts. */
export function share(place: Place, name: ast.Name, value: Typed): Shared {
  if (!isCompound(value.type)) return shareOne(place, name, value);
  const boxed = boxedIn(value) ?? asReference(place, value);
  if (boxed) {
    const box = shareOne(place, name, boxed.box);
    return { bindings: box.bindings, value: { ...boxed, box: box.value } };
  }
  const functions = functionsIn(value);
  if (functions) {
    const codes = functions.codes.map((code) => shareOne(place, name, code));
    const shared: Typed = { ...functions, codes: codes.map((part) => part.value) };
    return { bindings: codes.flatMap((part) => part.bindings), value: shared };
  }
  const members = membersOf(value);
  if (!members) return { bindings: [], value };
  const shared = members.map((member, k) =>
    share(place, { text: `${name.text}_${partName(value.type, k)}`, span: name.span }, member),
  );
  return {
    bindings: shared.flatMap((part) => part.bindings),
    value: {
      kind: "tuple",
      members: shared.map((part) => part.value),
      type: value.type,
      span: value.span,
    },
  };
}

/**
 * The most parts of a recursive type that get names. A value with more parts is passed by
 * reference.
 */
const mostParts = 128;

/** The value as a reference, if it has a recursive type and too many parts to name them all. */
function asReference(place: Place, value: Typed): Boxed | undefined {
  const { type, span } = value;
  if (type.kind !== "data" || partsIn(value) <= mostParts) return undefined;
  if (!isRecursiveType(place, type) || !isMadeOfScalars(place, type, [])) return undefined;
  const form = boxedForm(place, type);
  return { kind: "boxed", box: boxOf(value, form), form, type, span };
}

const counts = new WeakMap<Typed, number>();

/** The number of parts of a value. A part that occurs twice counts twice. */
function partsIn(value: Typed): number {
  let count = counts.get(value);
  if (count === undefined) {
    const members = boxedIn(value) ? undefined : membersOf(value);
    count = members?.reduce((sum, member) => sum + partsIn(member), 0) ?? 1;
    counts.set(value, count);
  }
  return count;
}

function shareOne(place: Place, name: ast.Name, value: Typed): Shared {
  if (value.type.kind !== "tensor" || costsNothing(value) || decided(value.type.element) === "str")
    return { bindings: [], value };
  settle(value.type);
  const binding = valueBinding(place, "part", name, value);
  return {
    bindings: [binding],
    value: { kind: "reference", binding, type: binding.type, span: value.span },
  };
}

function partName(type: Type, k: number): string {
  if (type.kind === "list") return partName(type.of, k);
  if (type.kind === "jagged") return k < type.levels ? "starts" : "flat";
  if (type.kind !== "data" || type.of.declaration.kind !== "struct") return String(k);
  return type.of.declaration.fields[k]?.name.text ?? String(k);
}

/**
 * Gives a condition a name, so that it is computed once for all parts. A cheap condition is
 * repeated instead; the solver then sees it.
 */
export function askedOnce(place: Place, condition: Typed): Shared {
  if (isCheap(condition)) return { bindings: [], value: condition };
  return share(place, { text: "condition", span: condition.span }, condition);
}

export function inBlock(bindings: readonly (ValueBinding | TensorBinding)[], value: Typed): Typed {
  if (bindings.length === 0 || value.kind === "wrong") return value;
  return { kind: "block", bindings, value, type: value.type, span: value.span };
}

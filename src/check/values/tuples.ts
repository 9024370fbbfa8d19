// Takes values apart: the members of a tuple, the parts of a struct or enum, the reference behind
// names and choices, the functions of an array.
//
//   let p = if c { (1, x) } else { (2, y) };      p.1 = if c { x } else { y }

import { variable } from "../../affine/term.ts";
import type { Boxed, Functions, Typed, Window } from "../types/typed.ts";
import type { Type } from "../types/types.ts";

/** A tensor has no members. The test saves a walk through the values that the tensor is made of. */
function isTensor({ type }: Typed): boolean {
  return type.kind === "tensor";
}

/** The members of a tuple, list, struct or enum; undefined for other values. */
export function membersOf(value: Typed): readonly Typed[] | undefined {
  if (isTensor(value)) return undefined;
  switch (value.kind) {
    case "tuple":
      return value.members;
    case "block": {
      const { bindings } = value;
      return membersOf(value.value)?.map((member) => ({
        kind: "block",
        bindings,
        value: member,
        type: member.type,
        span: member.span,
      }));
    }
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? membersOf(value.binding.value)
        : undefined;
    case "select": {
      const [then, otherwise] = [membersOf(value.then), membersOf(value.otherwise)];
      if (!then || !otherwise) return undefined;
      return then.map((member, k) => ({
        ...value,
        then: member,
        otherwise: otherwise[k]!,
        type: member.type,
      }));
    }
    case "boxed":
      return membersOfReference(value);
    default:
      return undefined;
  }
}

const opened = new WeakMap<Boxed, readonly Typed[]>();

function membersOfReference(value: Boxed): readonly Typed[] {
  let known = opened.get(value);
  if (!known) opened.set(value, (known = membersOf(value.form.open(value.box, value.span))!));
  return known;
}

/**
 * The reference that holds a value, behind names, blocks and choices. Undefined if the parts of the
 * value have definitions of their own.
 */
export function boxedIn(value: Typed): Boxed | undefined {
  if (isTensor(value)) return undefined;
  switch (value.kind) {
    case "boxed":
      return value;
    case "block": {
      const inner = boxedIn(value.value);
      return inner && { ...inner, box: { ...value, value: inner.box, type: inner.box.type } };
    }
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? boxedIn(value.binding.value)
        : undefined;
    case "select": {
      const [then, otherwise] = [boxedIn(value.then), boxedIn(value.otherwise)];
      if (!then || !otherwise) return undefined;
      return {
        ...then,
        box: { ...value, then: then.box, otherwise: otherwise.box, type: then.box.type },
      };
    }
    default:
      return undefined;
  }
}

/** The array of functions that a value is, behind names and blocks. */
export function functionsIn(value: Typed): Functions | undefined {
  if (isTensor(value)) return undefined;
  const { span } = value;
  switch (value.kind) {
    case "functions":
      return value;
    case "block": {
      const inner = functionsIn(value.value);
      if (!inner) return undefined;
      const around = (part: Typed): Typed => ({ ...value, value: part, type: part.type });
      const at: Functions["at"] = (place, codes, asked) => around(inner.at(place, codes, asked));
      return { ...inner, codes: inner.codes.map(around), at, since: variable("functions"), span };
    }
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? functionsIn(value.binding.value)
        : undefined;
    default:
      return undefined;
  }
}

export function isOfFunctions(type: Type): boolean {
  return type.kind === "function" || (type.kind === "list" && type.of.kind === "function");
}

/** Whether a value contains functions. A function may use any name of its surroundings. */
export function holdsFunctions(value: Typed): boolean {
  if (boxedIn(value)) return false;
  if (functionsIn(value)) return true;
  return isOfFunctions(value.type) || (membersOf(value)?.some(holdsFunctions) ?? false);
}

/** The window that a value is, if it is some elements of another tensor. */
export function windowOf(value: Typed): Window | undefined {
  if (value.kind === "reference" && value.binding.kind === "value" && value.binding.value)
    return windowOf(value.binding.value);
  return value.kind === "abstract" ? value.window : undefined;
}

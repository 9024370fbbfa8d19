// A checked condition with one coordinate in place of another: how a guard written at a call is
// read inside the callee.

import { ofVariable, type Variable } from "../../affine/term.ts";
import { substitute } from "../../affine/visit.ts";
import { outerVariables } from "../ranges/outer-variables.ts";
import type { Typed } from "../types/typed.ts";

export function renamed(value: Typed, from: Variable, to: Variable): Typed {
  const again = (part: Typed): Typed => renamed(part, from, to);
  switch (value.kind) {
    case "integer":
      return { ...value, term: substitute(value.term, new Map([[from, ofVariable(to)]])) };
    case "reference": {
      const { binding } = value;
      // A name bound in the guard stands for its value, which may mention the coordinate.
      const bound =
        binding.kind === "value" &&
        binding.value &&
        outerVariables([value], new Set([from])).length > 0;
      return bound ? again(binding.value) : value;
    }
    case "read":
      return { ...value, base: again(value.base), indices: value.indices.map(again) };
    case "apply":
    case "text-call":
      return { ...value, operands: value.operands.map(again) };
    case "cast":
      return { ...value, operand: again(value.operand) };
    case "select":
      return {
        ...value,
        condition: again(value.condition),
        then: again(value.then),
        otherwise: again(value.otherwise),
      };
    case "block":
      return { ...value, value: again(value.value) };
    case "reduce":
      return {
        ...value,
        items: value.items.map((item) =>
          item.kind === "guard" ? { ...item, condition: again(item.condition) } : item,
        ),
        body: again(value.body),
      };
    case "abstract":
      return { ...value, body: again(value.body) };
    case "array":
      return { ...value, elements: value.elements.map(again) };
    case "call":
      return {
        ...value,
        invocation: { ...value.invocation, arguments: value.invocation.arguments.map(again) },
      };
    case "request":
    case "ruled":
      return value;
    case "data":
      return { ...value, operands: value.operands.map(again) };
    case "boxed":
    case "cells":
      return { ...value, box: again(value.box) };
    case "kept":
      return { ...value, of: again(value.of) };
    case "accepted":
      return { ...value, test: again(value.test) };
    case "functions":
      return { ...value, codes: value.codes.map(again) };
    case "tuple":
      return { ...value, members: value.members.map(again) };
    case "text":
      return {
        ...value,
        parts: value.parts.map((part) =>
          typeof part === "string" || !("value" in part)
            ? part
            : {
                ...part,
                value: again(part.value),
                ...(part.whole ? { whole: again(part.whole) } : {}),
              },
        ),
      };
    case "constant":
    case "closure":
    case "absent":
    case "range":
    case "wrong":
      return value;
    default:
      return value satisfies never;
  }
}

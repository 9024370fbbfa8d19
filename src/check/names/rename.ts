// A checked condition with one coordinate in place of another. A guard at a call of a function is
// read inside the function by the coordinate of the function:
//
//   f[c](x[c]) where c > 0   // inside `fn f[j](…)`: j > 0

import { ofVariable, type Variable } from "../../affine/term.ts";
import { substitute } from "../../affine/visit.ts";
import { outerVariables } from "../ranges/outer-variables.ts";
import type { Typed } from "../types/typed.ts";

export function withRenamedCoordinate(value: Typed, from: Variable, to: Variable): Typed {
  const renamePart = (part: Typed): Typed => withRenamedCoordinate(part, from, to);
  switch (value.kind) {
    case "integer":
      return { ...value, term: substitute(value.term, new Map([[from, ofVariable(to)]])) };
    case "reference": {
      const { binding } = value;
      // A binding inside the guard may mention the coordinate. It is replaced by its value.
      const bound =
        binding.kind === "value" &&
        binding.value &&
        outerVariables([value], new Set([from])).length > 0;
      return bound ? renamePart(binding.value) : value;
    }
    case "read":
      return { ...value, base: renamePart(value.base), indices: value.indices.map(renamePart) };
    case "apply":
    case "text-call":
      return { ...value, operands: value.operands.map(renamePart) };
    case "cast":
      return { ...value, operand: renamePart(value.operand) };
    case "select":
      return {
        ...value,
        condition: renamePart(value.condition),
        then: renamePart(value.then),
        otherwise: renamePart(value.otherwise),
      };
    case "block":
      return { ...value, value: renamePart(value.value) };
    case "reduce":
      return {
        ...value,
        items: value.items.map((item) =>
          item.kind === "guard" ? { ...item, condition: renamePart(item.condition) } : item,
        ),
        body: renamePart(value.body),
      };
    case "abstract":
      return { ...value, body: renamePart(value.body) };
    case "array":
      return { ...value, elements: value.elements.map(renamePart) };
    case "call":
      return {
        ...value,
        invocation: { ...value.invocation, arguments: value.invocation.arguments.map(renamePart) },
      };
    case "request":
    case "ruled":
      return value;
    case "data":
      return { ...value, operands: value.operands.map(renamePart) };
    case "boxed":
    case "cells":
      return { ...value, box: renamePart(value.box) };
    case "kept":
      return { ...value, of: renamePart(value.of) };
    case "accepted":
      return { ...value, test: renamePart(value.test) };
    case "functions":
      return { ...value, codes: value.codes.map(renamePart) };
    case "tuple":
      return { ...value, members: value.members.map(renamePart) };
    case "text":
      return {
        ...value,
        parts: value.parts.map((part) =>
          typeof part === "string" || !("value" in part)
            ? part
            : {
                ...part,
                value: renamePart(part.value),
                ...(part.whole ? { whole: renamePart(part.whole) } : {}),
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

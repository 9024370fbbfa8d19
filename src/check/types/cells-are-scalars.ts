// Help for a right side of `t[i] = …` that is not a number. A tuple or struct becomes one tensor
// for each part:
//
//   let p[0] = (1.0, 2.0);   // becomes: let p_0[0] = …; let p_1[0] = …;

import { textOf } from "../../base/source.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { isStruct } from "../data/data.ts";
import type { Typed } from "./typed.ts";

/** The greatest number of tensors that the help writes out. */
const mostTensors = 6;

/** Help for a cell whose value is a function, a tuple, a struct or an enum. */
export function cellHelp(statement: ast.IndexedLet, { type, span }: Typed): string | undefined {
  if (type.kind === "function")
    return (
      `call it for each cell, \`${textOf(span)}(…)\`, ` +
      "or keep functions in an array: `let fs = [f, g];`"
    );
  if (type.kind === "tuple") {
    const parts = type.members.map((member, k) => ({
      name: `${k}`,
      isArray: member.kind === "tensor" && member.axes.length > 0,
    }));
    return tensorsForParts(statement, "member", parts);
  }
  if (type.kind !== "data") return undefined;
  if (!isStruct(type.of)) return "values of an enum are kept in an array: `[… | i in 0..n]`";
  const parts = type.of.declaration.fields.map((field) => ({
    name: field.name.text,
    isArray: field.type.kind === "tensor",
  }));
  return tensorsForParts(statement, "field", parts);
}

interface Part {
  readonly name: string;
  /** An array needs a further index for its own axis. */
  readonly isArray: boolean;
}

/** `let p_W[0, i] = …; let p_b[0] = …;` for a struct with an array `W` and a number `b`. */
function tensorsForParts(
  { name, span }: ast.IndexedLet,
  what: string,
  parts: readonly Part[],
): string | undefined {
  const left = /^\[[^\]=]*\]/.exec(span.source.text.slice(name.span.end, span.end))?.[0];
  if (left === undefined || left.includes("\n") || parts.length === 0 || parts.length > mostTensors)
    return undefined;
  const free = [..."ijklpq"].find((each) => !new RegExp(`\\b${each}\\b`).test(left)) ?? "i1";
  const tensors = parts.map(({ name: part, isArray }) => {
    const indices = isArray ? `${left.slice(0, -1)}, ${free}]` : left;
    return `let ${name.text}_${part}${indices} = …;`;
  });
  return `each ${what} becomes a tensor of its own: \`${tensors.join(" ")}\``;
}

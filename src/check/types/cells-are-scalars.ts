// What stands on the right of `t[i] =` and is no number: how its parts become tensors.

import { textOf } from "../../base/source.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { isStruct } from "../data/data.ts";
import type { Typed } from "./typed.ts";

/** So many tensors at most are written out. */
const most = 6;

/** For a value of several parts, or a function, where a cell is declared. */
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
    return asTensors(statement, "member", parts);
  }
  if (type.kind !== "data") return undefined;
  if (!isStruct(type.of)) return "values of an enum are kept in an array: `[… | i in 0..n]`";
  const parts = type.of.declaration.fields.map((field) => ({
    name: field.name.text,
    isArray: field.type.kind === "tensor",
  }));
  return asTensors(statement, "field", parts);
}

interface Part {
  readonly name: string;
  /** Its own places need a name. */
  readonly isArray: boolean;
}

/** `let p_W[0, i] = …; let p_b[0] = …;` */
function asTensors(
  { name, span }: ast.IndexedLet,
  what: string,
  parts: readonly Part[],
): string | undefined {
  const left = /^\[[^\]=]*\]/.exec(span.source.text.slice(name.span.end, span.end))?.[0];
  if (left === undefined || left.includes("\n") || parts.length === 0 || parts.length > most)
    return undefined;
  const free = [..."ijklpq"].find((each) => !new RegExp(`\\b${each}\\b`).test(left)) ?? "i1";
  const tensors = parts.map(({ name: part, isArray }) => {
    const indices = isArray ? `${left.slice(0, -1)}, ${free}]` : left;
    return `let ${name.text}_${part}${indices} = …;`;
  });
  return `each ${what} becomes a tensor of its own: \`${tensors.join(" ")}\``;
}

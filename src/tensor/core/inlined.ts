// Rewrites a program as lines inside another program. Its inputs become values of the other
// program, its extents become numbers, and its other names get a prefix.

import type { Dim, Statement } from "../../syntax/tree/ast.ts";
import { lex } from "../../syntax/lex/lexer.ts";
import { parse } from "../../syntax/parse/parser.ts";
import type { Source } from "../../base/source.ts";
import type { Shape } from "./shape.ts";

interface Inlining {
  readonly source: Source;
  /** The names of its values. The last one is the result. */
  readonly values: readonly string[];
  /** The names that its inputs get, in order, and their shapes. */
  readonly operands: readonly string[];
  readonly shapes: readonly Shape[];
  /** The name that the result gets. All other names are prefixed with it. */
  readonly result: string;
}

export function inlined({ source, values, operands, shapes, result }: Inlining): string {
  const { statements } = parse(source).module;
  const names = new Map<string, string>();
  for (const value of values)
    names.set(value, value === values.at(-1) ? result : `${result}_${value}`);
  for (const statement of statements)
    if (statement.kind === "fn") names.set(statement.name.text, `${result}_${statement.name.text}`);
  const extents = new Map<string, number>();
  for (const [k, input] of statements.filter((statement) => statement.kind === "input").entries()) {
    names.set(input.name.text, operands[k]!);
    for (const [axis, name] of dimNames(input).entries())
      if (name !== undefined) extents.set(name, shapes[k]![axis]!);
  }
  const kept = statements.filter((statement) => statement.kind !== "input");
  return kept
    .map(({ span: { start, end } }) =>
      rewritten(source.text.slice(start, end), source.name, names, extents),
    )
    .join("\n");
}

function dimNames(statement: Statement): readonly (string | undefined)[] {
  if (statement.kind !== "input" || statement.type.kind !== "tensor") return [];
  return (statement.type.dims ?? []).map((dim: Dim) =>
    dim.kind === "name" ? dim.name.text : undefined,
  );
}

/** Replaces names. `extent(n)`, and `n` in a type, become numbers. */
function rewritten(
  text: string,
  name: string,
  names: ReadonlyMap<string, string>,
  extents: ReadonlyMap<string, number>,
): string {
  const { tokens } = lex({ name, text });
  let result = "";
  let at = 0;
  for (let k = 0; k < tokens.length; k++) {
    const token = tokens[k]!;
    if (token.kind !== "name") continue;
    const asked = token.text === "extent" ? extents.get(tokens[k + 2]?.text ?? "") : undefined;
    const end = asked === undefined ? token : tokens[k + 3]!;
    const word = asked ?? names.get(token.text) ?? extents.get(token.text) ?? token.text;
    result += `${text.slice(at, token.start)}${word}`;
    at = end.end;
    if (asked !== undefined) k += 3;
  }
  return result + text.slice(at);
}

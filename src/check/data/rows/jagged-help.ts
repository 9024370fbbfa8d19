// The help for rows of different lengths without a declared type:
//
//   let x = [[1, 2], [3]];      `let x: jagged[i32] = [[1, 2], [3]];`

import { after, fixed, type Repair } from "../../../diagnostics/fixes.ts";
import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf } from "../../../base/source.ts";
import { statementsOf } from "../../lints/allow.ts";
import { showRagged, type Element } from "../../types/types.ts";

/** The declaration with its type, if a `let` binds the array to a name. */
export function asRagged(array: ast.ArrayLiteral, cell: Element): Repair {
  const { source, start, end } = array.span;
  const statement = statementsOf(source).findLast(
    (each) => each.span.start <= start && end <= each.span.end,
  );
  const levels = statement?.kind === "let" ? levelsTo(statement.value, array) : undefined;
  const type = showRagged({ kind: "jagged", element: cell, levels: levels ?? 1 });
  if (
    statement?.kind !== "let" ||
    statement.type ||
    statement.pattern.kind !== "name" ||
    levels === undefined
  )
    return {
      help: `rows of different lengths are ragged, a type to declare: \`let x: ${type} = …;\``,
    };
  const { span } = statement.pattern;
  const left = `let ${textOf(span)}: ${type}`;
  return {
    help: `rows of different lengths are ragged: \`${left} = …;\``,
    ...fixed(`write \`${left}\``, after(span, `: ${type}`)),
  };
}

/** The number of levels of rows: one more for each array literal around the one with the rows. */
function levelsTo(value: ast.Expression, array: ast.ArrayLiteral): number | undefined {
  if (value.span.start === array.span.start && value.span.end === array.span.end) return 1;
  if (value.kind !== "array") return undefined;
  const inner = value.elements
    .map((each) => levelsTo(each, array))
    .find((levels) => levels !== undefined);
  return inner === undefined ? undefined : inner + 1;
}

// `7 // 2` at the end of a file is 7: says so where a comment reads as the rest of its expression.

import { warning, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { fixed } from "../../diagnostics/fixes.ts";
import { divisionHelp, silentDivisions } from "../../syntax/parse/foreign/double-slash.ts";
import { parse, type Parsed } from "../../syntax/parse/parser.ts";
import type { Span } from "../../base/source.ts";

/** What is to be said of a text that can be read: one with syntax errors has been told already. */
export function divisionLints({
  module,
  diagnostics,
}: Pick<Parsed, "module" | "diagnostics">): readonly Diagnostic[] {
  if (diagnostics.length > 0) return [];
  return silentDivisions(module, parse).map((edit) =>
    warning(
      "W0101",
      "the comment behind this reads as the rest of the expression",
      endBefore(edit.span),
      {
        labels: [{ span: edit.span, text: "the comment begins here" }],
        help: divisionHelp,
        ...fixed("write `/`", edit),
      },
    ),
  );
}

/** The end of the expression: it lies in the statement, whose `allow` is asked. */
function endBefore({ source, start }: Span): Span {
  const [word] = /(?:\w+|.)(?=[ \t]*$)/.exec(source.text.slice(Math.max(0, start - 200), start))!;
  const end = source.text.slice(0, start).trimEnd().length;
  return { source, start: end - word.length, end };
}

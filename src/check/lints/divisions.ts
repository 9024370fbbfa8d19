// In `let half = 7 // 2` at the end of a file, `// 2` is a comment, and the value is 7. A lint
// warns where such a comment reads like the rest of an expression.

import { warning, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { fixed } from "../../diagnostics/fixes.ts";
import { divisionHelp, silentDivisions } from "../../syntax/parse/foreign/double-slash.ts";
import { parse, type Parsed } from "../../syntax/parse/parser.ts";
import type { Span } from "../../base/source.ts";

/** The lints for a text without syntax errors. A syntax error already explains the `//`. */
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

/**
 * The last word before the comment. It lies inside the statement, so that the `allow` of the
 * statement counts.
 */
function endBefore({ source, start }: Span): Span {
  const [word] = /(?:\w+|.)(?=[ \t]*$)/.exec(source.text.slice(Math.max(0, start - 200), start))!;
  const end = source.text.slice(0, start).trimEnd().length;
  return { source, start: end - word.length, end };
}

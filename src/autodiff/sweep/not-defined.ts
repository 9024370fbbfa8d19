// The message "gradient of argmax is not defined", with ways to repair the program.

import { error, type Diagnostic, type Label } from "../../diagnostics/diagnostic.ts";
import { after, before, fixed } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";

/** An operation without a derivative whose result is used as a number. */
interface Stopping {
  readonly operation: string;
  readonly span?: Span | undefined;
}

export function gradientNotDefined(
  { operation, span: at }: Stopping,
  request: Span,
  labels: readonly Label[],
): Diagnostic {
  const value = valueOfPosition(at);
  const way = value === undefined ? "use it" : `for ${value}; use the position`;
  const ruled = "give the function that contains it a rule with `@fn`";
  return error("E0701", `gradient of ${operation} is not defined`, request, {
    labels: [...(at ? [{ span: at, text: "the derivative ends here" }] : []), ...labels],
    help: `${way} as an index or a condition, wrap it in \`stop(…)\`, or ${ruled}`,
    ...(at && at.end > at.start && !at.source.name.startsWith("std/")
      ? fixed("wrap it in `stop(…)`", before(at, "stop("), after(at, ")"))
      : {}),
  });
}

/** "the largest value write `max[i](s[i])`", for the position `argmax[i](s[i])`. */
function valueOfPosition(at: Span | undefined): string | undefined {
  const [, which, rest] = /^arg(max|min)(\[.*)$/.exec(at ? textOf(at) : "") ?? [];
  if (which === undefined) return undefined;
  return `the ${which === "max" ? "largest" : "least"} value write \`${which}${rest}\``;
}

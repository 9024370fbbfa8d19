// "gradient of argmax is not defined": what stops a derivative, and the repairs.

import { error, type Diagnostic, type Label } from "../diagnostics/diagnostic.ts";
import { after, before, fixed } from "../diagnostics/fixes.ts";
import type { Span } from "../base/source.ts";

/** An operation whose result is used as a number on the way of a derivative. */
interface Stopping {
  readonly operation: string;
  readonly span?: Span | undefined;
}

export function gradientNotDefined(
  { operation, span: at }: Stopping,
  request: Span,
  labels: readonly Label[],
): Diagnostic {
  return error("E0701", `gradient of ${operation} is not defined`, request, {
    labels: [...(at ? [{ span: at, text: "the derivative ends here" }] : []), ...labels],
    help: "use it as an index or a condition, wrap it in `stop(…)`, or give the function that contains it a rule with `@fn`",
    ...(at && at.end > at.start && !at.source.name.startsWith("std/")
      ? fixed("wrap it in `stop(…)`", before(at, "stop("), after(at, ")"))
      : {}),
  });
}

// Advice about a `*` where an operand is expected.

import { adviceOnNotation } from "../../../diagnostics/foreign/advice.ts";
import type { Token } from "../../lex/tokens.ts";

interface Standing {
  readonly tokens: readonly Token[];
  readonly at: number;
}

/** Recognises `%*%` between matrices, and `*` before an argument: `f(*p)`. */
export function starHelp({ tokens, at }: Standing): string | undefined {
  if (tokens[at]!.kind !== "*") return undefined;
  const [before, after] = [tokens[at - 1]?.kind, tokens[at + 1]?.kind];
  if (before === "%" && after === "%") return adviceOnNotation("A %*% B");
  return before === "(" || before === "," ? adviceOnNotation("f(*p)") : undefined;
}

// `allow(W9999)`: a lint that there is not.

import { codes } from "../diagnostics/codes.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import type * as ast from "../syntax/ast.ts";
import { isLintCode } from "../syntax/tokens.ts";
import { lint, type Place } from "./context.ts";

const lints = Object.keys(codes).filter(isLintCode);

/** Says so where a statement allows what no part of the compiler would ever say. */
export function lintAllowed(place: Place, { allow }: ast.Statement): void {
  for (const { text, span } of allow) {
    if (!isLintCode(text) || lints.includes(text)) continue;
    const near = didYouMean(text, lints) ?? `the lints are ${lints.map((code) => `\`${code}\``).join(", ")}`;
    lint(place, "W0203", `there is no lint \`${text}\``, span, { help: near });
  }
}

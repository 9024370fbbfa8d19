// `allow(W9999)`: the code of a lint that does not exist.

import { codes } from "../../diagnostics/codes.ts";
import { nearest } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { isLintCode } from "../../syntax/lex/tokens.ts";
import { lint, type Place } from "../context.ts";

const lints = Object.keys(codes).filter(isLintCode);

/** Reports each code in `allow(…)` that no lint has. */
export function lintAllowed(place: Place, { allow }: ast.Statement): void {
  for (const { text, span } of allow) {
    if (!isLintCode(text) || lints.includes(text)) continue;
    const all = lints.map((code) => `\`${code}\``).join(", ");
    const near = nearest(span, text, lints) ?? { help: `the lints are ${all}` };
    lint(place, "W0203", `there is no lint \`${text}\``, span, near);
  }
}

// An `i32` value that the solver understands: the term `n - 1` as a typed expression.

import type { Span } from "../../base/source.ts";
import type { Term } from "../../affine/term.ts";
import type { Typed } from "../types/typed.ts";
import { scalar } from "../types/types.ts";

export function integerValue(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

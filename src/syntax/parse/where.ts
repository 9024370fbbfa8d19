// Parses `where` with its guards and bindings, and conditions, in which `=` was meant as `==`.
// Expressions themselves are read in `expressions.ts`.

import { fixed, replace } from "../../diagnostics/fixes.ts";
import type { Expression, Where, WhereItem } from "../tree/ast.ts";
import {
  advance,
  atName,
  eat,
  expected,
  isInBracket,
  peek,
  report,
  spanFrom,
  spanOf,
  takeName,
  type Cursor,
} from "./cursor.ts";
import { cover } from "../../base/source.ts";
import { startsExpression } from "../lex/tokens.ts";

/** Reads `e` or `e where …`, in the places where a guard may follow an expression. */
export function parseGuarded(p: Cursor): Expression {
  const value = p.forms.expression(p);
  return p.kind === "where" ? guard(p, value) : value;
}

export function guard(p: Cursor, value: Expression): Expression {
  const where = parseWhere(p);
  return { kind: "guarded", value, where, span: spanFrom(p, value.span.start) };
}

export function parseWhere(p: Cursor): Where {
  const around = p.brackets.parent[p.at]!;
  const { start } = advance(p);
  const items: WhereItem[] = [];
  do {
    items.push(whereItem(p));
  } while (eat(p, ",") && startsExpression(p.kind) && isInBracket(p, around));
  const otherwise = eat(p, "else") ? p.forms.expression(p) : undefined;
  return { items, ...(otherwise ? { otherwise } : {}), span: spanFrom(p, start) };
}

function whereItem(p: Cursor): WhereItem {
  if (atName(p) && peek(p, 1) === "=") {
    const name = takeName(p);
    advance(p);
    const value = p.forms.expression(p);
    return { kind: "binding", name, value, span: cover(name.span, value.span) };
  }
  if (!startsExpression(p.kind)) expected(p, "a guard or a binding after `where`");
  const condition = parseCondition(p);
  return { kind: "guard", condition, span: condition.span };
}

/** Reads an expression in which a single `=` can only have been meant as `==`. */
export function parseCondition(p: Cursor): Expression {
  const left = p.forms.expression(p);
  if (p.kind !== "=") return left;
  const place = spanOf(p, p.token);
  const compared = { help: "write `==` to compare", ...fixed("write `==`", replace(place, "==")) };
  report(p, "E0110", "`=` binds a name and does not compare", place, compared);
  const operatorSpan = spanOf(p, advance(p));
  const right = p.forms.expression(p);
  return {
    kind: "binary",
    operator: "==",
    left,
    right,
    operatorSpan,
    span: spanFrom(p, left.span.start),
  };
}

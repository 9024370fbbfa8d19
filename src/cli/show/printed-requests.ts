// Makes derivatives that are only printed checkable. `print(@y / @x);` shows a program and computes
// nothing, so a name is bound to the same request:
//
//   print(@y / @x); let asked_0 = @y / @x;

import { parse } from "../../syntax/parse/parser.ts";
import type { Expression, Statement } from "../../syntax/tree/ast.ts";
import { textOf, type Source } from "../../base/source.ts";

/**
 * The source with a binding behind each printed derivative, in the same line, so that line numbers
 * stay.
 */
export function withPrintedRequests(source: Source): Source {
  const { module } = parse(source);
  const asked = module.statements.flatMap((statement) =>
    printedBy(statement).map((request) => ({ end: statement.span.end, request })),
  );
  const free = (k: number): string => {
    const name = `asked_${k}`;
    return source.text.includes(name) ? free(k + asked.length) : name;
  };
  const text = asked.reduceRight(
    (before, { end, request }, k) =>
      `${before.slice(0, end)} let ${free(k)} = ${textOf(request.span)};${before.slice(end)}`,
    source.text,
  );
  return { ...source, text };
}

function printedBy(statement: Statement): readonly Expression[] {
  if (statement.kind !== "expression" || statement.value.kind !== "call") return [];
  const { callee, arguments: given } = statement.value;
  if (callee.kind !== "path" || textOf(callee.span) !== "print") return [];
  return given.map(({ value }) => value).filter(isQuotient);
}

/**
 * Whether a value is a derivative that prints as a program. A derivative by one cell, `@y / @x[0]`,
 * prints as a number.
 */
function isQuotient(value: Expression): boolean {
  if (value.kind !== "binary" || value.operator !== "/") return false;
  const { right } = value;
  return right.kind === "unary" && right.operator === "@" && right.operand.kind !== "index";
}

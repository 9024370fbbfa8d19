// Helpers of the tests of the formatter: a formatted text, and the expression in a text.

import { expect } from "vitest";
import type { Expression } from "../../src/syntax/tree/ast.ts";
import { format } from "../../src/syntax/format/format.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

export function formatted(text: string): string {
  const { module, diagnostics } = parse({ name: "<test>", text });
  expect(diagnostics.map((one) => one.title)).toEqual([]);
  return "\n" + format(module);
}

export function expressionIn(text: string): Expression {
  const [statement] = parse({ name: "<test>", text: `${text};` }).module.statements;
  if (statement?.kind !== "expression") throw new Error(`no expression: ${text}`);
  return statement.value;
}

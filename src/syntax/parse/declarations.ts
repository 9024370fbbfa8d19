// Parses function declarations.

import { fixed, replace } from "../../diagnostics/fixes.ts";
import type { Block, CoordinateParameter, Fn, Parameter, Type } from "../tree/ast.ts";
import {
  advance,
  atName,
  bracketed,
  eat,
  expected,
  expectName,
  missing,
  peek,
  report,
  spanFrom,
  spanOf,
  type Cursor,
} from "./cursor.ts";
import { parseExpression } from "./expressions.ts";
import { expectBlock } from "./primary.ts";
import type { Lead } from "./marks.ts";
import { parseType, typeArguments } from "./types.ts";
import { span } from "../../base/source.ts";
import { startsExpression } from "../lex/tokens.ts";

export function parseFn(p: Cursor, lead: Lead): Fn {
  advance(p);
  const name = expectName(p, "the name of the function");
  if (p.kind === "<") skipGenerics(p);
  if (atName(p) && (peek(p, 1) === "(" || peek(p, 1) === "[")) {
    expected(p, "`(` and the parameters", "a function has one name");
    advance(p);
  }
  const coordinates = p.kind === "[" ? bracketed(p, "]", parseCoordinate) : [];
  let parameters: Parameter[] = [];
  if (p.kind === "(") parameters = bracketed(p, ")", parseParameter);
  else expected(p, "`(` and the parameters", "for example `fn f(x, y: f32) { … }`");
  const result = parseResult(p);
  const body = parseBody(p);
  const { allow, public: exported } = lead;
  const signature = { name, coordinates, parameters, ...(result ? { result } : {}) };
  return { kind: "fn", allow, public: exported, ...signature, body, span: spanFrom(p, lead.start) };
}

/** Reports `fn f<T>(…)`: parameters without a type are generic anyway. */
function skipGenerics(p: Cursor): void {
  const help = "leave out `<…>`: parameters without a type are generic";
  report(p, "E0110", "functions have no type parameters", spanOf(p, p.token), { help });
  typeArguments(p, parseType);
}

function parseCoordinate(p: Cursor): CoordinateParameter {
  const { start } = p.token;
  const pack = eat(p, "..");
  const name = expectName(p, "the name of a coordinate");
  return { name, pack, span: spanFrom(p, pack ? start : name.span.start) };
}

function parseParameter(p: Cursor): Parameter {
  const name = expectName(p, "the name of a parameter");
  if (p.kind === "->") expected(p, "`:` before the type", `write \`${name.text}: f32\``);
  const type = eat(p, ":") || eat(p, "->") ? parseType(p) : undefined;
  const value = eat(p, "=") ? parseExpression(p) : undefined;
  return {
    name,
    ...(type ? { type } : {}),
    ...(value ? { default: value } : {}),
    span: spanFrom(p, name.span.start),
  };
}

function parseResult(p: Cursor): Type | undefined {
  if (p.kind === ":" || p.kind === "=>") {
    report(
      p,
      "E0110",
      `expected \`->\` before the result type, found \`${p.kind}\``,
      spanOf(p, p.token),
      {
        help: "write `fn f(x) -> f32 { … }`",
        ...fixed("write `->`", replace(span(p.source, p.previousEnd, p.token.end), " ->")),
      },
    );
    advance(p);
    return parseType(p);
  }
  return eat(p, "->") ? parseType(p) : undefined;
}

function parseBody(p: Cursor): Block {
  if (p.kind !== "=") {
    const body = expectBlock(p, "and the body of the function");
    if (p.damaged && p.kind === ";") eat(p, ";");
    return body;
  }
  report(p, "E0110", "the body of a function is a block", spanOf(p, p.token), {
    help: "write `fn f(x) { x + 1 }`",
  });
  const { start } = advance(p);
  const value = startsExpression(p.kind) ? parseExpression(p) : missing(p);
  const body: Block = { kind: "block", statements: [], value, span: spanFrom(p, start) };
  eat(p, ";");
  return body;
}

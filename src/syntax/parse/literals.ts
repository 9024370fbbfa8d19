// Parses numbers, and strings with the expressions interpolated in them.

import type { Expression, NumberLiteral, StringLiteral, StringPart, Suffix } from "../tree/ast.ts";
import { pairBrackets } from "./brackets.ts";
import {
  advance,
  expected,
  isAt,
  moveTo,
  report,
  spanFrom,
  spanOf,
  type Cursor,
} from "./cursor.ts";
import { suffixes } from "../lex/number.ts";
import { span } from "../../base/source.ts";
import type { TokenPart } from "../lex/tokens.ts";

const digitsAndSuffix = /^([\d_]*\.?[\d_]*(?:[eE][+-]?[\d_]+)?)(.*)$/;

export function parseNumber(p: Cursor): NumberLiteral {
  const token = advance(p);
  const place = spanOf(p, token);
  if (/^\d+$/.test(token.text))
    return { kind: "number", text: token.text, float: false, span: place };
  const [, text = token.text, word = ""] = digitsAndSuffix.exec(token.text) ?? [];
  const suffix = suffixes.find((one): one is Suffix => one === word);
  const float = /[.eE]/.test(text) || (suffix?.includes("f") ?? false);
  return { kind: "number", text, float, ...(suffix ? { suffix } : {}), span: place };
}

export function parseString(p: Cursor): StringLiteral {
  const token = advance(p);
  const parts = (token.parts ?? []).map((part) => parsePart(p, part));
  return { kind: "string", parts, span: spanOf(p, token) };
}

function parsePart(p: Cursor, part: TokenPart): StringPart {
  const place = span(p.source, part.start, part.end);
  if (part.kind === "text") return { kind: "text", text: part.text, span: place };
  // The tokens of an interpolation are a list of their own, so an error in them stays in them.
  const { tokens, brackets, at, previousEnd, statementAt, inHead } = p;
  p.tokens = part.tokens;
  p.brackets = pairBrackets(part.tokens, p.source.text);
  p.previousEnd = part.start + 1;
  p.statementAt = 0;
  p.inHead = false;
  // An index into one list of tokens says nothing about the other list.
  p.lastReport = -1;
  moveTo(p, 0);
  const value = readValue(p);
  Object.assign(p, { tokens, brackets, previousEnd, statementAt, inHead, lastReport: -1 });
  moveTo(p, at);
  return {
    kind: "value",
    value,
    ...(part.format === undefined ? {} : { format: part.format }),
    span: place,
  };
}

function readValue(p: Cursor): Expression {
  if (p.kind === "end") {
    const help = "write an expression between the braces, or `{{}}` for braces in the text";
    report(p, "E0104", "this interpolation is empty", spanFrom(p, p.previousEnd - 1), { help });
    return { kind: "missing", span: span(p.source, p.previousEnd, p.previousEnd) };
  }
  const value = p.forms.expression(p);
  if (!isAt(p, "end")) expected(p, `\`}\` after the interpolated expression`);
  return value;
}

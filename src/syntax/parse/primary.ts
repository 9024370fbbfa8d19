// Parses the operands of expressions: literals, names, brackets, blocks, `if`, `match` and lambdas.

import { fix, fixed, remove, replace, write } from "../../diagnostics/fixes.ts";
import type {
  Arm,
  Block,
  ComprehensionClause,
  Expression,
  If,
  Lambda,
  Match,
  Name,
  Path,
  Statement,
  StructLiteral,
} from "../tree/ast.ts";
import {
  advance,
  atName,
  closeBracket,
  containDamage,
  eat,
  expect,
  expected,
  expectName,
  gap,
  atSlice,
  isInBracket,
  isAt,
  isNameKind,
  list,
  missing,
  moveTo,
  nested,
  openBrace,
  parseInner,
  peek,
  report,
  reportFor,
  reportKeyword,
  spanFrom,
  spanOf,
  splitSign,
  takeName,
  type Cursor,
} from "./cursor.ts";
import { adviceOnNotation, adviceOnUse } from "../../diagnostics/foreign/advice.ts";
import { prefixFix, sliceAdvice } from "./foreign/signs.ts";
import { starHelp } from "./foreign/star-help.ts";
import { parseNumber, parseString } from "./literals.ts";
import { parsePath, pathOf } from "./paths.ts";
import { atGenerator, parsePattern } from "./patterns.ts";
import { parseType } from "./types.ts";
import { parseCondition, parseGuarded } from "./where.ts";
import { cover, span, textOf } from "../../base/source.ts";
import { infixStrengths } from "../tree/strength.ts";
import { isKeyword, startsExpression, type TokenKind } from "../lex/tokens.ts";
import { forAdvice } from "./foreign/for-clauses.ts";
import { isBlockLike } from "../tree/precedence.ts";

export function parsePrimary(p: Cursor): Expression {
  const start = p.token.start;
  switch (p.kind) {
    case "number":
      return parseNumber(p);
    case "string":
      return parseString(p);
    case "true":
    case "false":
      return { kind: "bool", value: advance(p).kind === "true", span: spanFrom(p, start) };
    case "name":
    case "in":
      return parseNamed(p);
    case "(":
      return parseParenthesised(p);
    case "[":
      return parseArray(p);
    case "{":
      return parseBlock(p);
    case "if":
      return parseIf(p);
    case "match":
      return parseMatch(p);
    case "|":
    case "||":
      return parseLambda(p);
    default:
      return strayOperand(p);
  }
}

/**
 * Reports that no operand stands here. The token stays, unless it is a keyword that was meant as a
 * name.
 */
function strayOperand(p: Cursor): Expression {
  if (p.kind === ".." && peek(p, 1) === ".") {
    expected(p, "an expression", adviceOnNotation("x[...]"));
    return missing(p);
  }
  if (p.kind === ".." || p.kind === "..=") {
    expected(
      p,
      "an expression",
      "a range has both ends, as in `0..n`; a pack such as `..b` stands in brackets",
    );
    return missing(p);
  }
  if (isWhereCall(p)) return pathOf(takeName(p));
  if (isKeyword(p.kind) && !p.token.fresh && usedAsName(peek(p, 1))) {
    reportKeyword(p);
    return pathOf(takeName(p));
  }
  if (atSlice(p)) {
    const { help, fixes } = sliceAdvice(p);
    expected(p, "an expression", help, fixes);
  } else if (p.kind === "fn")
    expected(p, "an expression", "write a function value as a lambda: `|x| x + 1`");
  else if (isKeyword(p.kind) && peek(p, 1) === "(")
    expected(p, "an expression", adviceOnUse(p.kind));
  else expected(p, "an expression", starHelp(p));
  return missing(p);
}

/** Whether `where(c, a, b)` stands here. The checker knows how that is written. */
function isWhereCall(p: Cursor): boolean {
  if (p.kind !== "where" || peek(p, 1) !== "(") return false;
  const { partner } = p.brackets;
  const close = partner[p.at + 1]!;
  for (let at = p.at + 2; at < close; at++) {
    if (p.tokens[at]!.kind === ",") return true;
    const end = partner[at];
    if (end !== undefined && end > at) at = end;
  }
  return false;
}

/** Whether the next token shows that a keyword was meant as a name: `match + 1`. */
function usedAsName(next: TokenKind): boolean {
  return (
    next === "," ||
    next === ")" ||
    next === "]" ||
    next === "+" ||
    next === "*" ||
    next === "/" ||
    next === ";"
  );
}

function parseNamed(p: Cursor): Expression {
  const next = p.tokens[p.at + 1]!;
  if (next.kind === "string" && next.start === p.token.end && /^[fFrRbu]$/.test(p.token.text)) {
    const prefix = spanOf(p, p.token);
    const letter = p.token.text;
    report(p, "E0110", `a text has no \`${letter}\` in front`, prefix, {
      help: `leave out the \`${letter}\`: every text takes values in braces, \`"loss {s}"\``,
      fixes: /[fFu]/.test(letter) ? [prefixFix(prefix)] : [],
    });
    advance(p);
    return parseString(p);
  }
  const path = parsePath(p);
  if (p.kind !== "{" || !(p.inHead ? atLiteralInHead(p, path) : atStructBody(p, path))) return path;
  const literal = parseStructLiteral(p, path);
  if (p.inHead) {
    const place = literal.span;
    const title = "here `{` would begin a block: a struct stands in parentheses";
    report(p, "E0110", title, place, write(place, `(${textOf(place)})`));
  }
  return literal;
}

/**
 * Whether a struct literal stands in the head: `if p == P { x: 1 } { … }`. A block cannot begin
 * with `x:`.
 */
function atLiteralInHead(p: Cursor, path: Path): boolean {
  const close = p.brackets.partner[p.at]!;
  return isTypeName(path) && isNameKind(peek(p, 1)) && peek(p, 2) === ":" && close >= 0;
}

/** Types are recognised by their capital letter. */
function isTypeName({ segments }: Path): boolean {
  return /^[A-Z]/.test(segments.at(-1)!.text);
}

/**
 * Whether `{ x: …`, `{ x, …`, `{ x }` or `{}` stands here, or `{ x = …` after the name of a type.
 */
function atStructBody(p: Cursor, path: Path): boolean {
  if (peek(p, 1) === "}") return true;
  const after = peek(p, 2);
  if (!isNameKind(peek(p, 1))) return false;
  return after === ":" || after === "," || after === "}" || (after === "=" && isTypeName(path));
}

function parseStructLiteral(p: Cursor, path: Path): StructLiteral {
  const opener = p.at;
  advance(p);
  const fields = parseInner(p, () => list(p, opener, "}", parseField));
  return { kind: "struct-literal", path, fields, span: spanFrom(p, path.span.start) };
}

function parseField(p: Cursor): { name: Name; value: Expression } {
  const name = expectName(p, "the name of a field");
  if (p.kind === "=") expected(p, "`:` between a field and its value", `write \`${name.text}: …\``);
  return { name, value: eat(p, ":") || eat(p, "=") ? p.forms.expression(p) : pathOf(name) };
}

function parseParenthesised(p: Cursor): Expression {
  const opener = p.at;
  const { start } = advance(p);
  let comma = false;
  const members = parseInner(p, () => {
    return list(p, opener, ")", (q) => {
      const value = parseGuarded(q);
      comma ||= q.kind === ",";
      return value;
    });
  });
  if (members.length > 1) return { kind: "tuple", members, span: spanFrom(p, start) };
  const [only] = members;
  // The tree keeps no parentheses, but the span of the expression includes them.
  if (only && !comma) return { ...only, span: spanFrom(p, start) };
  const help = only ? "leave out the comma" : "write the value, or a tuple such as `(a, b)`";
  const last = p.tokens[p.at - 2];
  const fixes = only && last?.kind === "," ? [fix(help, remove(spanOf(p, last)))] : undefined;
  report(p, "E0110", "a tuple has two or more members", spanFrom(p, start), { help, fixes });
  return only ?? { kind: "missing", span: spanFrom(p, start) };
}

// ── arrays and comprehensions ───────────────────────────────────────────────────────────────────

function parseArray(p: Cursor): Expression {
  const opener = p.at;
  const { start } = advance(p);
  return parseInner(p, () => {
    if (p.kind === "]" || !isInBracket(p, opener)) {
      closeBracket(p, opener, "]");
      return { kind: "array", elements: [], span: spanFrom(p, start) };
    }
    const { damaged } = p;
    const element = p.forms.expression(p);
    if (eat(p, "|")) {
      const clauses = list(p, opener, "]", parseClause);
      return { kind: "comprehension", element, clauses, span: spanFrom(p, start) };
    }
    if (isAt(p, "]") || !isInBracket(p, opener)) {
      closeBracket(p, opener, "]");
      return { kind: "array", elements: [element], span: spanFrom(p, start) };
    }
    if (p.kind === "name" && p.token.text === "for") reportFor(p, forAdvice(p));
    else if (p.kind === "where")
      expected(
        p,
        "`,`, `|` or `]`",
        "write conditions behind the generators: `[e | i in 0..n, e > 0]`",
      );
    else if (p.kind !== ",") expected(p, "`,`, `|` or `]`");
    if (p.kind === "," && !damaged) containDamage(p, opener, opener + 1);
    eat(p, ",");
    const elements = [element, ...list(p, opener, "]", p.forms.expression)];
    return { kind: "array", elements, span: spanFrom(p, start) };
  });
}

function parseClause(p: Cursor): ComprehensionClause {
  if (atName(p) && peek(p, 1) === "=") {
    const name = takeName(p);
    advance(p);
    const value = p.forms.expression(p);
    return { kind: "binding", name, value, span: cover(name.span, value.span) };
  }
  const arrow = arrowAt(p);
  if (arrow || atGenerator(p)) {
    const pattern = parsePattern(p);
    if (arrow) {
      const help = `write \`${textOf(pattern.span)} in …\``;
      const place = span(p.source, p.token.start, p.token.end + 1);
      const parts = { help, ...fixed("write `in`", replace(place, "in")) };
      report(p, "E0110", "`<-` is not an operator", place, parts);
      moveTo(p, p.at + 2);
    } else expect(p, "in", "`in`");
    const source = p.forms.expression(p);
    return { kind: "generator", pattern, source, span: cover(pattern.span, source.span) };
  }
  const condition = parseCondition(p);
  return { kind: "guard", condition, span: condition.span };
}

/** Whether `x <- xs` stands here, the generator of other languages. */
function arrowAt(p: Cursor): boolean {
  if (!atName(p) || peek(p, 1) !== "<" || peek(p, 2) !== "-") return false;
  const [less, minus, next] = [p.tokens[p.at + 1]!, p.tokens[p.at + 2]!, p.tokens[p.at + 3]!];
  return less.end === minus.start && minus.end < next.start;
}

// ── blocks, if, match, lambdas ──────────────────────────────────────────────────────────────────

function parseBlock(p: Cursor): Block {
  return nested(
    p,
    () => {
      const opener = p.at;
      return readBlock(p, opener, advance(p).start);
    },
    () => ({ kind: "block", statements: [], span: gap(p) }),
  );
}

/** The statements of a block and its `}`. The `{` at index `opener` has been consumed. */
function readBlock(p: Cursor, opener: number, start: number): Block {
  return parseInner(p, () => {
    const statements = p.forms.statements(p, opener);
    closeBracket(p, opener, "}");
    return blockOf(p, statements, start);
  });
}

function blockOf(p: Cursor, statements: Statement[], start: number): Block {
  const last = statements[statements.length - 1];
  // The last expression is the value of the block if it has no `;`. Its statement then ends where
  // the expression ends.
  const open = last?.kind === "expression" && last.span.end === last.value.span.end;
  if (!open) return { kind: "block", statements, span: spanFrom(p, start) };
  const [lint] = last.allow;
  if (lint) {
    const help = "bind the value with `let` and write `allow` before that";
    report(
      p,
      "E0110",
      "`allow` stands before a statement, not before the value of a block",
      lint.span,
      { help },
    );
  }
  return {
    kind: "block",
    statements: statements.slice(0, -1),
    value: last.value,
    span: spanFrom(p, start),
  };
}

/** Reads a block. If its `{` is missing, that is reported, and the rest is read where possible. */
export function expectBlock(p: Cursor, what: string): Block {
  if (p.kind === "{") return parseBlock(p);
  const empty: Block = { kind: "block", statements: [], span: gap(p) };
  const { previousEnd } = p;
  const opener = openBrace(p, what);
  if (opener === undefined) return empty;
  const start = opener < 0 ? previousEnd : p.tokens[opener]!.start;
  return nested(
    p,
    () => readBlock(p, opener, start),
    () => empty,
  );
}

function parseIf(p: Cursor): If {
  // The arms of a long `else if` chain are collected in a loop and nested afterwards.
  const arms: { start: number; condition: Expression; then: Block }[] = [];
  let otherwise: Block | undefined;
  for (;;) {
    const { start } = advance(p);
    const condition = parseHead(p, parseCondition);
    arms.push({ start, condition, then: expectBlock(p, "after the condition") });
    if (p.kind === "name" && p.token.text === "elif") {
      const place = spanOf(p, p.token);
      report(p, "E0110", "`elif` is not part of the language", place, write(place, "else if"));
      continue;
    }
    if (!eat(p, "else")) break;
    if (p.kind === "if") continue;
    otherwise = expectBlock(p, "after `else`");
    break;
  }
  const end = p.previousEnd;
  let result: If | Block | undefined = otherwise;
  for (const { start, condition, then } of arms.reverse()) {
    result = {
      kind: "if",
      condition,
      then,
      ...(result ? { otherwise: result } : {}),
      span: span(p.source, start, end),
    };
  }
  return result as If;
}

/** The head of `if` or `match`, in which `{` opens the body. */
function parseHead(p: Cursor, read: (p: Cursor) => Expression): Expression {
  if (p.kind === "{" && !isFirstOfTwo(p)) {
    expected(p, "an expression before the `{`");
    return missing(p);
  }
  const { inHead } = p;
  p.inHead = true;
  const head = read(p);
  p.inHead = inHead;
  return head;
}

/**
 * Whether the block that begins here belongs to the head: another `{` follows it, or an operator,
 * as in `if { a } > b { … }`.
 */
function isFirstOfTwo(p: Cursor): boolean {
  const after = p.tokens[p.brackets.partner[p.at]! + 1];
  if (!after) return false;
  return ["{", "."].includes(after.kind) || after.kind in infixStrengths || after.text === "in";
}

function parseMatch(p: Cursor): Match {
  const { start } = advance(p);
  const subject = parseHead(p, p.forms.expression);
  const opener = openBrace(p, "after the value to match");
  const arms = opener === undefined ? [] : parseInner(p, () => parseArms(p, opener));
  return { kind: "match", subject, arms, span: spanFrom(p, start) };
}

function parseArms(p: Cursor, opener: number): Arm[] {
  const arms: Arm[] = [];
  const arm = (q: Cursor) => {
    arms.push(parseArm(q));
    // No comma is needed after a block body.
    while (
      isBlockLike(arms[arms.length - 1]!.body) &&
      startsPattern(q.kind) &&
      isInBracket(q, opener)
    ) {
      const before = q.at;
      arms.push(parseArm(q));
      if (q.at === before) break;
    }
  };
  list(p, opener, "}", arm);
  return arms;
}

function startsPattern(kind: TokenKind): boolean {
  return kind !== "," && kind !== "}" && (startsExpression(kind) || kind === "|");
}

function parseArm(p: Cursor): Arm {
  const pattern = parsePattern(p);
  const guard = parseArmGuard(p);
  if (p.kind === "->" || p.kind === ":" || p.kind === "=") {
    report(p, "E0110", `expected \`=>\`, found \`${p.kind}\``, spanOf(p, p.token), {
      help: "write `pattern => value`",
      ...fixed("write `=>`", replace(spanOf(p, p.token), "=>")),
    });
    advance(p);
  } else expect(p, "=>", "`=>` after the pattern");
  // A block body ends its arm. A sign after it begins the next pattern.
  const body = p.kind === "{" ? parseBlock(p) : p.forms.expression(p);
  return { pattern, ...(guard ? { guard } : {}), body, span: spanFrom(p, pattern.span.start) };
}

function parseArmGuard(p: Cursor): Expression | undefined {
  if (p.kind === "if") {
    report(p, "E0110", "the guard of an arm begins with `where`", spanOf(p, p.token), {
      help: "write `pattern where condition => value`",
      ...fixed("write `where`", replace(spanOf(p, p.token), "where")),
    });
    advance(p);
    return parseCondition(p);
  }
  return eat(p, "where") ? parseCondition(p) : undefined;
}

/**
 * Reports the default in `|n, k = 2| …`. The value is read, so that the rest of the lambda can be
 * read too.
 */
function refuseDefault(p: Cursor): void {
  const start = p.token.start;
  advance(p);
  p.forms.expression(p);
  report(p, "E0110", "a parameter of a lambda has no default", spanFrom(p, start), {
    help: "declare a function, `fn f(n, k = 2) { … }`, or let the lambda give it: `|n| f(n, 2)`",
  });
}

/**
 * Reports `|a - b|`, the absolute value of other notations: between the bars stand no parameters,
 * or no body follows them.
 */
function absoluteValue(p: Cursor): Expression | undefined {
  if (p.kind !== "|") return undefined;
  const { parent } = p.brackets;
  const level = parent[p.at]!;
  const close = p.tokens.findIndex(
    (token, k) => k > p.at && (parent[k]! < level || /^(?:\||\|\||;|end)$/.test(token.kind)),
  );
  if (close < 0 || p.tokens[close]!.kind !== "|") return undefined;
  const place = span(p.source, p.token.start, p.tokens[close]!.end);
  const between = p.source.text.slice(p.token.end, p.tokens[close]!.start);
  const inner = between.trim();
  const isList = /^[^-+*/()[\]]*$/.test(inner) || /^\w+\s*:/.test(inner);
  const next = p.tokens[close + 1]!;
  const hasBody = startsExpression(next.kind) || !/^[;,)\]}*/]$/.test(next.kind);
  if (inner === "" || inner.includes(",") || between.includes("\n") || (isList && hasBody))
    return undefined;
  const own = `abs(${inner})`;
  report(p, "E0110", "bars stand around the parameters of a function", place, {
    help: `the absolute value is \`${own}\``,
    ...fixed(`write \`${own}\``, replace(place, own)),
  });
  moveTo(p, close + 1);
  return missing(p);
}

function parseLambda(p: Cursor): Expression {
  const start = p.token.start;
  const absolute = absoluteValue(p);
  if (absolute) return absolute;
  const parameters: Lambda["parameters"][number][] = [];
  if (!eat(p, "||")) {
    advance(p);
    while (p.kind !== "|" && p.kind !== "||" && p.kind !== "end") {
      const before = p.at;
      const name = expectName(p, "the name of a parameter");
      parameters.push(eat(p, ":") ? { name, type: parseType(p) } : { name });
      if (p.kind === "=") refuseDefault(p);
      if (!eat(p, ",") || p.at === before) break;
    }
    if (p.kind === "||") splitSign(p, "|");
    else expect(p, "|", "`|` after the parameters of the lambda");
  }
  const body = p.forms.expression(p);
  return { kind: "lambda", parameters, body, span: spanFrom(p, start) };
}

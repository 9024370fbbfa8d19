// Parses operators by their binding strength, prefix operators, and the postfix forms: calls
// `f(x)`, indices `x[i]` and members `p.x`.

import { after, before, fixed, replace, write } from "../../diagnostics/fixes.ts";
import type {
  Argument,
  BinaryOperator,
  BracketItem,
  Expression,
  IndexItem,
  Name,
  Range,
  UnaryOperator,
} from "../tree/ast.ts";
import {
  advance,
  atName,
  expected,
  expectName,
  isAt,
  isNameKind,
  list,
  missing,
  nested,
  operandDepth,
  parseInner,
  peek,
  report,
  reportTranslated,
  skipFor,
  spanFrom,
  spanOf,
  takeName,
  type Cursor,
} from "./cursor.ts";
import { adviceOnNotation } from "../../diagnostics/foreign/advice.ts";
import { productAdvice, signFix, updateAdvice } from "./foreign/signs.ts";
import { pathOf } from "./paths.ts";
import { parsePrimary } from "./primary.ts";
import { parseType } from "./types.ts";
import { parseGuarded } from "./where.ts";
import { cover, span, textOf, type Span } from "../../base/source.ts";
import { infixStrengths, strengths } from "../tree/strength.ts";
import { startsExpression, type TokenKind } from "../lex/tokens.ts";

/**
 * The strengths of the operators that the loop of `continueBinary` reads. `**` is read with its
 * operand.
 */
const strengthOf: Partial<Record<TokenKind, number>> = { ...infixStrengths, "**": undefined };
const { equality, comparison, range } = strengths;

/** The words that other languages use for operators: `a and b` is `a && b`. */
const operatorWords: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ["and", "&&"],
  ["or", "||"],
  ["is", "=="],
  ["mod", "%"],
  ["div", "/"],
]);

export function parseExpression(p: Cursor): Expression {
  return nested(
    p,
    () => parseBinary(p, strengths.pipe),
    () => missing(p),
  );
}

function parseBinary(p: Cursor, weakest: number): Expression {
  return continueBinary(p, parsePrefix(p), weakest);
}

/** Continues after a finished operand. A left-associative chain of any length is one loop. */
export function continueBinary(p: Cursor, first: Expression, weakest: number): Expression {
  let left = first;
  let chained = 0;
  for (;;) {
    if (p.kind === "@" && weakest <= strengths.product && atProduct(p)) {
      left = foreignProduct(p, left);
      continue;
    }
    const operator = operatorAt(p);
    const strength = operator === undefined ? undefined : strengthOf[operator];
    if (operator === undefined || strength === undefined || strength < weakest) return left;
    if (strength === chained) reportChain(p, left, operator);
    const place = spanOf(p, advance(p));
    if (operator === "as") {
      left = {
        kind: "cast",
        operand: left,
        type: parseType(p),
        span: spanFrom(p, left.span.start),
      };
    } else if (operator === ".." || operator === "..=") {
      left = finishRange(p, left, operator === "..=", parseOperand(p, strength + 1, operator));
    } else {
      const right = parseOperand(p, strength + 1, operator);
      const binary = operator as BinaryOperator;
      left = {
        kind: "binary",
        operator: binary,
        left,
        right,
        operatorSpan: place,
        span: spanFrom(p, left.span.start),
      };
    }
    chained = strength === equality || strength === comparison || strength === range ? strength : 0;
  }
}

/**
 * Whether `A @ B` of other languages stands here, on one line: after an operand `@` is no
 * differential.
 */
function atProduct(p: Cursor): boolean {
  return !p.token.fresh && startsExpression(peek(p, 1));
}

function foreignProduct(p: Cursor, left: Expression): Expression {
  const operatorSpan = spanOf(p, advance(p));
  const right = parseOperand(p, strengths.product + 1, "*");
  report(
    p,
    "E0110",
    "`@` is not an operator between two values",
    operatorSpan,
    productAdvice(left.span, right.span),
  );
  return {
    kind: "binary",
    operator: "*",
    left,
    right,
    operatorSpan,
    span: spanFrom(p, left.span.start),
  };
}

/** Pairs of signs that are one operator in other languages. */
const foreignPairs: ReadonlyMap<string, string> = new Map([
  ["<>", "!="],
  ["===", "=="],
  ["!==", "!="],
]);

/** Reports `s += a`, `s++` or `a === b`. The cursor is at the second sign of the pair. */
function reportForeignPair(p: Cursor, operator: TokenKind): Expression | undefined {
  if (p.token.start !== p.previousEnd) return undefined;
  const pair = `${operator}${p.kind}`;
  const place = span(p.source, p.token.start - operator.length, p.token.end);
  const title = `\`${pair}\` is not an operator`;
  const meant = foreignPairs.get(pair);
  if (meant) {
    report(p, "E0110", title, place, {
      help: `write \`${meant}\``,
      fixes: [signFix(place, meant)],
    });
    advance(p);
  } else if (p.kind === "=" && /^[-+*/%]$/.test(operator)) {
    report(p, "E0110", title, place, updateAdvice(p, operator, false));
    advance(p);
  } else if ((pair === "++" || pair === "--") && !startsExpression(peek(p, 1))) {
    report(p, "E0110", title, place, updateAdvice(p, operator, true));
    advance(p);
    return missing(p);
  }
  return undefined;
}

function parseOperand(p: Cursor, weakest: number, operator: TokenKind): Expression {
  const misread = reportForeignPair(p, operator);
  if (misread) return misread;
  if ((operator === ".." || operator === "..=") && !startsExpression(p.kind)) {
    expected(p, "the end of the range", "a range has both ends, as in `0..n`");
    return missing(p);
  }
  p.depth += operandDepth;
  const operand = parseBinary(p, weakest);
  p.depth -= operandDepth;
  return operand;
}

function finishRange(p: Cursor, from: Expression, inclusive: boolean, to: Expression): Range {
  return { kind: "range", from, to, inclusive, span: spanFrom(p, from.span.start) };
}

/**
 * The operator at the cursor. A word such as `and` is reported and read as the operator that it
 * means.
 */
function operatorAt(p: Cursor): TokenKind | undefined {
  if (p.kind !== "name" && p.kind !== "mod") return p.kind;
  const meant = p.token.fresh ? undefined : operatorWords.get(p.token.text);
  if (!meant || !startsExpression(peek(p, 1))) return undefined;
  const place = spanOf(p, p.token);
  const title = `\`${p.token.text}\` is not an operator`;
  reportTranslated(p, title, place, write(place, meant));
  return meant;
}

function reportChain(p: Cursor, left: Expression, operator: TokenKind): void {
  if (left.kind === "range") {
    const help = "a range has two ends, as in `0..n`";
    return report(p, "E0110", "ranges do not chain", spanOf(p, p.token), { help });
  }
  if (left.kind !== "binary") return;
  const middle = shortText(left.right.span);
  const first = `${shortText(left.left.span)} ${left.operator} ${middle}`;
  const help = `compare twice: \`${first} && ${middle} ${operator} …\``;
  const labels = [{ span: left.operatorSpan, text: "the first comparison" }];
  const place = spanOf(p, p.token);
  const twice = fixed("compare twice", before(place, `&& ${textOf(left.right.span)} `));
  report(p, "E0110", "comparisons do not chain", place, { labels, help, ...twice });
}

function shortText(place: Span): string {
  const text = textOf(place);
  return text.length > 30 || text.includes("\n") ? "…" : text;
}

function parsePrefix(p: Cursor): Expression {
  const operator = prefixAt(p);
  if (operator === undefined) return parsePower(p);
  return nested<Expression>(
    p,
    () => {
      const isWord = p.kind === "name";
      const word = advance(p);
      // `not x > 3` is `!(x > 3)`: in other languages `not` binds less strongly than a comparison.
      const operand = isWord ? parseBinary(p, equality) : parsePrefix(p);
      if (isWord) reportNot(p, spanOf(p, word), operand);
      return { kind: "unary", operator, operand, span: spanFrom(p, word.start) };
    },
    () => missing(p),
  );
}

/** The prefix operator at the cursor. `not` is read as `!`. */
function prefixAt(p: Cursor): UnaryOperator | undefined {
  if (p.kind === "name") return atNot(p) ? "!" : undefined;
  return p.kind === "-" || p.kind === "+" || p.kind === "!" || p.kind === "@" ? p.kind : undefined;
}

/** Whether `not` is an operator here, as in `not c` and `not (c)`, and not a name. */
function atNot(p: Cursor): boolean {
  if (p.token.text !== "not") return false;
  const next = p.tokens[p.at + 1]!;
  if (next.kind === "(") return !p.tokens.some(({ text }, k) => text === "not" && isBoundAt(p, k));
  const isOperand = /^(?:name|number|true|false)$/.test(next.kind);
  return isOperand && !next.fresh && next.start > p.token.end;
}

/** Whether the name at a token is declared there. */
function isBoundAt({ tokens }: Cursor, at: number): boolean {
  return /^(?:fn|let|const)$/.test(tokens[at - 1]?.text ?? "") || tokens[at + 1]?.kind === ":";
}

function reportNot(p: Cursor, word: Span, operand: Expression): void {
  const text = textOf(operand.span);
  // The span of an operand includes the parentheses around it.
  const isWhole = text.startsWith("(") || !/^(?:binary|range|cast)$/.test(operand.kind);
  const way = isWhole ? `!${text}` : `!(${text})`;
  const help = text.length > 60 || text.includes("\n") ? "write `!(…)`" : `write \`${way}\``;
  const sign = { ...word, end: operand.span.start };
  const edits = isWhole ? [replace(sign, "!")] : [replace(sign, "!("), after(operand.span, ")")];
  reportTranslated(p, "`not` is not an operator", word, { help, ...fixed(help, ...edits) });
}

/**
 * `x ** y` binds tighter than a prefix before it and looser than a prefix after it: `-x ** -y` is
 * `-(x ** (-y))`.
 */
function parsePower(p: Cursor): Expression {
  const left = parsePostfix(p, parsePrimary(p));
  if (p.kind !== "**") return left;
  const operatorSpan = spanOf(p, advance(p));
  const right = nested(
    p,
    () => parsePrefix(p),
    () => missing(p),
  );
  return {
    kind: "binary",
    operator: "**",
    left,
    right,
    operatorSpan,
    span: spanFrom(p, left.span.start),
  };
}

// ── postfix forms ───────────────────────────────────────────────────────────────────────────────

export function parsePostfix(p: Cursor, first: Expression): Expression {
  let base = first;
  for (;;) {
    const { start } = base.span;
    if (p.kind === "(") {
      base = { kind: "call", callee: base, arguments: parseArguments(p), span: spanFrom(p, start) };
    } else if (p.kind === "[") {
      base = parseBracket(p, base);
    } else if (p.kind === ".") {
      if (foreignMember(p)) continue;
      advance(p);
      const digits = isAt(p, "number") && /^\d+$/.test(p.token.text);
      // The checker knows how `np.where(c, a, b)` is written here.
      const isCalled = isAt(p, "where") && peek(p, 1) === "(";
      const name = digits || isCalled ? takeName(p) : expectName(p, "a member after `.`");
      base = { kind: "member", base, name, span: spanFrom(p, start) };
    } else if (memberDigits(p) !== undefined) {
      const name: Name = {
        text: memberDigits(p)!,
        span: span(p.source, p.token.start + 1, p.token.end),
      };
      advance(p);
      base = { kind: "member", base, name, span: spanFrom(p, start) };
    } else return base;
  }
}

/** Reports `x .* y` and `f.(x)`, where the dot of other languages means "cell by cell". */
function foreignMember(p: Cursor): boolean {
  const { token } = p;
  const next = p.tokens[p.at + 1]!;
  const isNext = next.start === token.end;
  if (isNext && /^(?:[-+*/%]|\*\*|[<>]=?|==|!=|\()$/.test(next.kind)) {
    const there = next.kind === "(" ? "f.(x)" : "x .* y";
    report(
      p,
      "E0110",
      `\`.${next.kind}\` is not an operator`,
      span(p.source, token.start, next.end),
      {
        help:
          next.kind === "("
            ? adviceOnNotation(there)
            : `leave out the dot, operations work cell by cell: \`x ${next.kind} y\``,
        fixes: [{ title: "leave out the dot", edits: [{ span: spanOf(p, token), text: "" }] }],
      },
    );
  } else return false;
  advance(p);
  return true;
}

/** The `0` of `pair.0`. The lexer reads `.0` as a number; after an operand it is a member. */
export function memberDigits(p: Cursor): string | undefined {
  return p.kind === "number" && /^\.\d+$/.test(p.token.text) ? p.token.text.slice(1) : undefined;
}

function parseArguments(p: Cursor): Argument[] {
  const opener = p.at;
  advance(p);
  return parseInner(p, () => list(p, opener, ")", parseArgument));
}

function parseArgument(p: Cursor): Argument {
  if (atName(p) && peek(p, 1) === "=") {
    const name = takeName(p);
    advance(p);
    const value = parseGuarded(p);
    return { name, value, span: cover(name.span, value.span) };
  }
  const value = parseGuarded(p);
  return { value, span: value.span };
}

/** One item of `base[…]`, before the parser knows whether a call follows. */
type Item = IndexItem | Extract<BracketItem, { kind: "coordinate" | "group" }>;

function parseBracket(p: Cursor, base: Expression): Expression {
  const opener = p.at;
  advance(p);
  const items = parseInner(p, () => list(p, opener, "]", parseItem));
  const { start } = base.span;
  if (p.kind === "(") {
    const bracket = items.map((item) => bracketItem(p, item));
    return {
      kind: "call",
      callee: base,
      bracket,
      arguments: parseArguments(p),
      span: spanFrom(p, start),
    };
  }
  return {
    kind: "index",
    base,
    items: items.map((item) => indexItem(p, item)),
    span: spanFrom(p, start),
  };
}

function parseItem(p: Cursor): Item {
  skipFor(p);
  const start = p.token.start;
  if (p.kind === ".." && isNameKind(peek(p, 1))) {
    advance(p);
    return { kind: "pack", name: takeName(p), span: spanFrom(p, start) };
  }
  if (atName(p) && (peek(p, 1) === "in" || peek(p, 1) === "=")) {
    const name = takeName(p);
    const pin = advance(p).kind === "=";
    const value = parseExpression(p);
    const place = cover(name.span, value.span);
    return pin
      ? { kind: "pin", name, value, span: place }
      : { kind: "coordinate", name, range: value, span: place };
  }
  if (atGroup(p)) {
    const opener = p.at;
    advance(p);
    const names = list(p, opener, ")", (q) => expectName(q, "the name of a coordinate"));
    return { kind: "group", names, span: spanFrom(p, start) };
  }
  const value = parseExpression(p);
  return { kind: "expression", value, span: value.span };
}

/** Whether a parenthesised list of names is the whole item: `f[(h, w)](x)`. */
function atGroup(p: Cursor): boolean {
  const close = p.kind === "(" ? p.brackets.partner[p.at]! : -1;
  if (close < 0) return false;
  // Names and commas alternate. `(x in r, z)` is a tuple.
  for (let i = p.at + 1; i < close; i++) {
    const { kind } = p.tokens[i]!;
    if ((i - p.at) % 2 === 1 ? !isNameKind(kind) : kind !== ",") return false;
  }
  const after = p.tokens[close + 1]!.kind;
  return after === "," || after === "]";
}

function bracketItem(p: Cursor, item: Item): BracketItem {
  switch (item.kind) {
    case "pack":
    case "group":
    case "coordinate":
      return item;
    case "expression": {
      const { value } = item;
      const name =
        value.kind === "path" && value.segments.length === 1 ? value.segments[0] : undefined;
      return name ? { kind: "coordinate", name, span: item.span } : item;
    }
    case "pin":
      report(
        p,
        "E0110",
        "the bracket of a call lists coordinates in order and pins none",
        item.span,
        {
          help: "write only the name of the coordinate",
        },
      );
      return { kind: "expression", value: item.value, span: item.value.span };
    default:
      return item satisfies never;
  }
}

function indexItem(p: Cursor, item: Item): IndexItem {
  switch (item.kind) {
    case "pack":
    case "expression":
    case "pin":
      return item;
    case "coordinate": {
      const left = pathOf(item.name);
      const right = item.range ?? missing(p);
      const operatorSpan = operatorBetween(p, left.span.end);
      const value: Expression = {
        kind: "binary",
        operator: "in",
        left,
        right,
        operatorSpan,
        span: item.span,
      };
      return { kind: "expression", value, span: item.span };
    }
    case "group": {
      const members = item.names.map(pathOf);
      const [only] = members;
      if (only && members.length === 1) return { kind: "expression", value: only, span: item.span };
      if (!only) report(p, "E0110", "expected an index between the parentheses", item.span);
      const value: Expression = only
        ? { kind: "tuple", members, span: item.span }
        : { kind: "missing", span: item.span };
      return { kind: "expression", value, span: item.span };
    }
    default:
      return item satisfies never;
  }
}

/**
 * The span of the `in` after a name. The items keep no span for the sign, so the text is searched
 * past blanks and comments.
 */
function operatorBetween(p: Cursor, from: number): Span {
  const blanks = /(?:\s|\/\/[^\n]*)*/y;
  blanks.lastIndex = from;
  const start = from + (blanks.exec(p.source.text)?.[0].length ?? 0);
  return span(p.source, start, start + 2);
}

// Parses the sequence of statements, `let`, `const`, `input` and expression statements.

import { fix, fixed, remove, replace } from "../../diagnostics/fixes.ts";
import type {
  Const,
  Expression,
  IndexedLet,
  Input,
  Let,
  Slot,
  Statement,
  Where,
} from "../tree/ast.ts";
import { beginsStatement } from "./brackets.ts";
import {
  advance,
  atName,
  eat,
  expected,
  expectName,
  gap,
  isInBracket,
  isAt,
  isNameKind,
  list,
  missing,
  parseInner,
  peek,
  report,
  reportOrphan,
  skipFor,
  skipStatement,
  spanFrom,
  spanOf,
  takeName,
  type Cursor,
} from "./cursor.ts";
import { parseEnum, parseStruct } from "./data.ts";
import { parseFn } from "./declarations.ts";
import { parseMod, parseUse } from "./modules.ts";
import { continueBinary, memberDigits, parseExpression, parsePostfix } from "./expressions.ts";
import { assignmentAdvice } from "./foreign/signs.ts";
import { foreignStatement } from "./foreign/statements.ts";
import { parseAllow, type Lead } from "./marks.ts";
import { parsePattern } from "./patterns.ts";
import { parsePrimary } from "./primary.ts";
import { parseType } from "./types.ts";
import { guard, parseWhere } from "./where.ts";
import { cover } from "../../base/source.ts";
import { strengths } from "../tree/strength.ts";
import { endStatement } from "./statement-end.ts";
import { describe, startsExpression, type TokenKind } from "../lex/tokens.ts";
import { isBlockLike } from "../tree/precedence.ts";

export function parseModule(p: Cursor): Statement[] {
  const statements: Statement[] = [];
  while (p.kind !== "end") {
    for (const statement of parseStatements(p, -1)) statements.push(statement);
    if (p.kind !== "}") continue;
    // This `}` has no partner. Either its missing `{` has been reported, or the `}` itself is
    // reported.
    if (p.sparedBraces > 0) p.sparedBraces--;
    else {
      beginStatement(p);
      reportOrphan(p);
    }
    advance(p);
    while (isAt(p, "}") && p.sparedBraces === 0) advance(p);
  }
  return statements;
}

/**
 * The statements inside the brace at index `opener`, up to its end. -1 stands for the whole file.
 */
export function parseStatements(p: Cursor, opener: number): Statement[] {
  const statements: Statement[] = [];
  const { damaged, statementAt } = p;
  while (p.kind !== "end" && p.kind !== "}" && isInBracket(p, opener)) {
    if (eat(p, ";")) continue;
    const startedAt = p.at;
    beginStatement(p);
    statements.push(parseStatement(p, opener));
    if (p.at === startedAt) skipStatement(p);
    if (p.at === startedAt) advance(p);
  }
  p.damaged = damaged;
  p.statementAt = statementAt;
  // Errors of the lexer inside these statements do not silence errors after them.
  p.statementFrom = p.previousEnd;
  return statements;
}

function beginStatement(p: Cursor): void {
  p.damaged = false;
  p.statementAt = p.at;
  p.statementFrom = p.token.start;
  p.previousEnd = p.token.start;
}

function parseStatement(p: Cursor, opener: number): Statement {
  const { start } = p.token;
  const allow = parseAllow(p);
  const publicToken = p.kind === "pub" ? advance(p) : undefined;
  const lead: Lead = { start, allow, public: publicToken !== undefined };
  switch (p.kind) {
    case "let":
      return parseLet(p, lead, opener, undefined);
    case "const":
      return parseConst(p, lead, opener);
    case "fn":
      return parseFn(p, lead);
    case "use":
      return parseUse(p, lead, opener);
    case "mod":
      return parseMod(p, lead, opener);
    case "enum":
      return parseEnum(p, lead);
    case "struct":
      return parseStruct(p, lead);
    default:
  }
  if (p.kind === "name" && p.token.text === "checkpoint" && peek(p, 1) === "let") {
    return parseLet(p, lead, opener, advance(p).text);
  }
  if (publicToken) {
    const help = "`pub` stands before `fn`, `let`, `const`, `enum`, `struct`, `mod` or `use`";
    report(p, "E0110", "`pub` exports declarations only", spanOf(p, publicToken), { help });
  }
  if (p.kind === "@" && peek(p, 1) === "fn") return parseTangent(p, lead);
  if (p.kind === "name") {
    const word = p.token.text;
    const next = peek(p, 1);
    if (word === "input" && atInput(p)) return parseInput(p, lead, opener);
    if (word === "surrogate" && next === "@" && peek(p, 2) === "fn") return parseTangent(p, lead);
    if (foreignStatement(p)) {
      return {
        kind: "missing",
        allow: lead.allow,
        public: lead.public,
        span: spanFrom(p, lead.start),
      };
    }
  }
  return parseExpressionStatement(p, lead, opener);
}

function missingStatement(p: Cursor, lead: Lead): Statement {
  skipStatement(p);
  return { kind: "missing", allow: lead.allow, public: lead.public, span: spanFrom(p, lead.start) };
}

/**
 * Whether `input x:` stands here, or `input x` without its colon. `input in r` is a condition about
 * a value named `input`.
 */
function atInput(p: Cursor): boolean {
  const next = p.tokens[p.at + 1]!;
  if (!isNameKind(next.kind)) return false;
  return peek(p, 2) === ":" || (next.kind === "name" && !next.fresh);
}

// ── let, const, input ───────────────────────────────────────────────────────────────────────────

/** The cursor is at `let`. `checkpoint` is that word if it stands before `let`. */
function parseLet(
  p: Cursor,
  lead: Lead,
  opener: number,
  checkpoint: string | undefined,
): Let | IndexedLet {
  advance(p);
  if (p.kind === "name" && p.token.text === "mut") {
    const help = "leave out `mut`: bindings are immutable";
    const place = spanOf(p, p.token);
    const leftOut = { ...place, end: Math.max(place.end, p.tokens[p.at + 1]!.start) };
    const parts = { help, ...fixed("leave out `mut`", remove(leftOut)) };
    report(p, "E0110", "`mut` is not part of the language", place, parts);
    if (isNameKind(peek(p, 1))) advance(p);
  }
  if (atName(p) && peek(p, 1) === "[")
    return parseIndexedLet(p, lead, opener, checkpoint !== undefined);
  if (p.kind === "[" && isNameKind(peek(p, 1)) && peek(p, 2) === "in") {
    const help = "write `let y[i in 0..n] = …;`";
    report(p, "E0110", "expected the name of the tensor before its coordinates", gap(p), { help });
    return parseIndexedLet(p, lead, opener, checkpoint !== undefined);
  }
  if (checkpoint) {
    const help = "write `checkpoint let h[t in 1..T, i] = …;`, or leave out `checkpoint`";
    report(p, "E0110", "`checkpoint` belongs to a recurrence", gap(p), { help });
  }
  const pattern = parsePattern(p);
  if (p.kind === ":" && peek(p, 1) === "=") {
    const help = "write `let x = 1;`, or `let x: f32 = 1.0;` with a type";
    const place = spanOf(p, p.token);
    const parts = { help, ...fixed("write `=`", replace({ ...place, end: place.end + 1 }, "=")) };
    report(p, "E0110", "`:=` is not an operator", place, parts);
    advance(p);
  }
  const type = eat(p, ":") ? parseType(p) : undefined;
  const { value, where } = parseValue(p);
  endStatement(p, opener);
  const typed = { ...(type ? { type } : {}), value, ...(where ? { where } : {}) };
  return {
    kind: "let",
    allow: lead.allow,
    public: lead.public,
    pattern,
    ...typed,
    span: spanFrom(p, lead.start),
  };
}

function parseIndexedLet(p: Cursor, lead: Lead, opener: number, checkpoint: boolean): IndexedLet {
  const name = atName(p) ? takeName(p) : { text: "", span: gap(p) };
  const bracket = p.at;
  advance(p);
  const slots = list(p, bracket, "]", parseSlot);
  const type = eat(p, ":") ? parseType(p) : undefined;
  const { value, where } = parseValue(p);
  endStatement(p, opener);
  const typed = { ...(type ? { type } : {}), value, ...(where ? { where } : {}) };
  const { allow, public: exported } = lead;
  return {
    kind: "indexed-let",
    allow,
    public: exported,
    checkpoint,
    name,
    slots,
    ...typed,
    span: spanFrom(p, lead.start),
  };
}

function parseSlot(p: Cursor): Slot {
  skipFor(p);
  const { start } = p.token;
  if (p.kind === ".." && isNameKind(peek(p, 1))) {
    advance(p);
    return { kind: "pack", name: takeName(p), span: spanFrom(p, start) };
  }
  const next = peek(p, 1);
  if (atName(p) && (next === "," || next === "]")) {
    const name = takeName(p);
    return { kind: "coordinate", name, span: name.span };
  }
  if (atName(p) && next === "in") {
    const name = takeName(p);
    advance(p);
    const range = parseExpression(p);
    return { kind: "coordinate", name, range, span: cover(name.span, range.span) };
  }
  const value = parseExpression(p);
  return { kind: "expression", value, span: value.span };
}

/** Reads `= e where …`. */
function parseValue(p: Cursor): { value: Expression; where?: Where } {
  const value = expectEquals(p) ? parseExpression(p) : missing(p);
  return p.kind === "where" ? { value, where: parseWhere(p) } : { value };
}

/** Moves over `=`. Returns false if no value can follow. */
function expectEquals(p: Cursor): boolean {
  if (eat(p, "=")) return true;
  if (p.kind === "==") {
    const fixes = [fix("write `=`", replace(spanOf(p, p.token), "="))];
    expected(p, "`=`", "`=` binds, `==` compares", fixes);
    advance(p);
    return true;
  }
  if (p.kind === ":") {
    expected(p, "`=`", "write `let x = 1;`, or `let x: f32 = 1.0;` with a type");
    advance(p);
    return eat(p, "=") || startsExpression(p.kind);
  }
  if (p.kind === "->") {
    expected(p, "`=`", "the type of a name follows `:`, as in `let x: f32 = 1.0;`");
    advance(p);
    parseType(p);
    return eat(p, "=");
  }
  const isUpdate = ["+", "-", "*", "/"].includes(p.kind) && peek(p, 1) === "=";
  const help = isUpdate
    ? "a name gets its value once: add up with a reduction, `sum[k](…)`, " +
      "or go from step to step, `let x[t] = x[t - 1] + …;`"
    : "write `let x = 1;`";
  expected(p, "`=` and a value", help);
  // An expression on this line is probably the value. An expression on the next line is the next
  // statement.
  if (!p.token.fresh && startsExpression(p.kind)) {
    const beforeEquals = isNameKind(p.kind) && peek(p, 1) === "=";
    if (beforeEquals) {
      advance(p);
      advance(p);
    }
    return true;
  }
  return eat(p, "=");
}

function parseConst(p: Cursor, lead: Lead, opener: number): Const {
  advance(p);
  const name = expectName(p, "the name of the constant");
  const type = eat(p, ":") ? parseType(p) : undefined;
  const value = expectEquals(p) ? parseExpression(p) : missing(p);
  endStatement(p, opener);
  const { allow, public: exported } = lead;
  return {
    kind: "const",
    allow,
    public: exported,
    name,
    ...(type ? { type } : {}),
    value,
    span: spanFrom(p, lead.start),
  };
}

function parseInput(p: Cursor, lead: Lead, opener: number): Input {
  advance(p);
  const name = takeName(p);
  if (p.kind !== ":")
    expected(p, "`:` and a type", "for example `input x: [f32; batch, feature];`");
  eat(p, ":");
  const type = parseType(p);
  if (p.kind === "=")
    expected(
      p,
      "`;`",
      "the host supplies the value of an input; for a value of your own write `let`",
    );
  endStatement(p, opener);
  return {
    kind: "input",
    allow: lead.allow,
    public: lead.public,
    name,
    type,
    span: spanFrom(p, lead.start),
  };
}

function parseTangent(p: Cursor, lead: Lead): Statement {
  const surrogate = advance(p).kind === "name";
  if (surrogate) advance(p);
  const { kind: _, ...rest } = parseFn(p, lead);
  return { kind: "tangent-fn", surrogate, ...rest };
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────

function parseExpressionStatement(p: Cursor, lead: Lead, opener: number): Statement {
  if (p.kind === "else") {
    expected(
      p,
      "a statement",
      "`else` follows the block of an `if` or the items of a `where`, without `;` before it",
    );
  } else if (p.kind === "where") {
    expected(
      p,
      "a statement",
      "a `where` belongs to the statement before: remove the `;` in front of it",
    );
  } else if (!startsExpression(p.kind)) expected(p, "a statement");
  if (p.damaged && !startsExpression(p.kind)) return missingStatement(p, lead);
  let value = parseInner(p, statementExpression);
  if (p.kind === "where") value = guard(p, value);
  if (p.kind === "=") reportAssignment(p, value);
  const closed = isBlockLike(value) && p.kind !== ";" ? closesItself(p) : false;
  // An expression before `}` is the value of the block.
  const last = p.kind === "}" || (!isInBracket(p, opener) && opener >= 0);
  if (!closed && !last) endStatement(p, opener);
  else if (isBlockLike(value) && !last) eat(p, ";");
  return {
    kind: "expression",
    allow: lead.allow,
    public: lead.public,
    value,
    span: spanFrom(p, lead.start),
  };
}

/** Whether the token after a form that ends with `}` can begin the next statement. */
function closesItself(p: Cursor): boolean {
  return p.kind === "end" || startsExpression(p.kind) || beginsStatement(p.kind) || p.kind === "}";
}

/**
 * At the start of a statement a form that ends with `}` ends the statement, unless the next token
 * is an operator that cannot begin a statement: `if a { b } else { c } * 2`.
 */
function statementExpression(p: Cursor): Expression {
  if (p.kind !== "if" && p.kind !== "match" && p.kind !== "{") return parseExpression(p);
  const first = parsePrimary(p);
  const next: TokenKind = peek(p, 0);
  // `{ p }.0` is a member of the block. `{ p } .5` is two statements.
  const member = next === "." || (memberDigits(p) !== undefined && p.token.start === p.previousEnd);
  const continues = member || next === "||" || next === "+" || (next === "in" && !p.token.fresh);
  if (startsExpression(next) && !continues) return first;
  return continueBinary(p, member ? parsePostfix(p, first) : first, strengths.pipe);
}

function reportAssignment(p: Cursor, target: Expression): void {
  report(p, "E0110", "an assignment is not an expression", spanOf(p, p.token), {
    ...assignmentAdvice(p, target),
    text: `found ${describe(p.token)} after an expression`,
  });
}

// The state of the parser: its place in the tokens, and how it handles errors. Each damaged place
// gives one message. After an error the parser continues at the next comma of a list or at the next
// statement. The depth of nesting is bounded.

import type { Code } from "../../diagnostics/codes.ts";
import { isStackEnd } from "../../diagnostics/stack-end.ts";
import {
  error,
  type Diagnostic,
  type DiagnosticParts,
  type Fix,
} from "../../diagnostics/diagnostic.ts";
import { adviceOnUse, type Advice } from "../../diagnostics/foreign/advice.ts";
import { after, fix, fixed, remove, repair, replace } from "../../diagnostics/fixes.ts";
import type { Expression, MissingExpression, Name, Statement } from "../tree/ast.ts";
import { beginsStatement, isClosing, pairBrackets, type Brackets } from "./brackets.ts";
import { signHelp, sliceAdvice } from "./foreign/signs.ts";
import { span, type Source, type Span } from "../../base/source.ts";
import { describe, isKeyword, type Token, type TokenKind } from "../lex/tokens.ts";
import { atForClause, forAdvice, forItemAdvice } from "./foreign/for-clauses.ts";

/**
 * How deeply brackets, blocks, types and prefix operators may nest. The stack of the host may end
 * earlier.
 */
const maximalDepth = 2048;

/**
 * The parsers of forms that contain one another. The files of the parser call these through the
 * cursor, so that no two files import each other.
 */
export interface Forms {
  readonly expression: (p: Cursor) => Expression;
  /**
   * The statements inside the brace at index `opener`, up to its end. -1 stands for the whole file.
   */
  readonly statements: (p: Cursor, opener: number) => Statement[];
}

export interface Cursor {
  readonly source: Source;
  readonly forms: Forms;
  tokens: readonly Token[];
  brackets: Brackets;
  at: number;
  /** The current token and its kind, a copy of `tokens[at]`. */
  token: Token;
  kind: TokenKind;
  /** The end of the last consumed token, but at least the start of the current statement. */
  previousEnd: number;
  readonly diagnostics: Diagnostic[];
  /**
   * An offset in each statement that could not be read as it is written, whether it was reported or
   * not.
   */
  readonly damage: number[];
  /**
   * Keywords that have been reported because they stand where a name belongs. Errors at their other
   * uses have the same cause and stay unreported.
   */
  readonly keywordNames: Set<TokenKind>;
  /** The offsets of the errors of the lexer, in order. */
  readonly lexicalErrors: readonly number[];
  /**
   * An error of the current statement has been reported. Later errors in the statement are probably
   * consequences of the first one and stay unreported.
   */
  damaged: boolean;
  /** The offset from which errors of the lexer belong to the current statement. */
  statementFrom: number;
  /** The index of the token with which the current statement began. */
  statementAt: number;
  /** The index of the token at which the last error was reported. */
  lastReport: number;
  /**
   * Where the first error stands. If it stands at the end of the text, the text may only be
   * unfinished.
   */
  firstError: "none" | "inside" | "at the end";
  depth: number;
  /**
   * Whether the parser is in the head of `if` or `match`, where `{` opens the body and not a struct
   * literal.
   */
  inHead: boolean;
  /** The number of closing braces whose `{` is missing and has been reported. */
  sparedBraces: number;
  /**
   * A search has found no `{` before token `until` inside the bracket `level`. The note keeps the
   * parser from searching the same tokens twice.
   */
  noBrace: { readonly level: number; readonly until: number };
}

export function cursorOf(
  source: Source,
  tokens: readonly Token[],
  lexical: readonly Diagnostic[],
  forms: Forms,
  brackets: Brackets = pairBrackets(tokens, source.text),
): Cursor {
  return {
    source,
    forms,
    tokens,
    brackets,
    at: 0,
    token: tokens[0]!,
    kind: tokens[0]!.kind,
    previousEnd: 0,
    diagnostics: [],
    damage: lexical.map((one) => one.span?.start ?? 0),
    keywordNames: new Set(),
    lexicalErrors: lexical.map((one) => one.span?.start ?? 0).sort((a, b) => a - b),
    damaged: false,
    statementFrom: 0,
    statementAt: 0,
    lastReport: -1,
    firstError: lexical.length > 0 ? "inside" : "none",
    depth: 0,
    inHead: false,
    sparedBraces: 0,
    noBrace: { level: -1, until: 0 },
  };
}

// ── moving ──────────────────────────────────────────────────────────────────────────────────────

export function moveTo(p: Cursor, index: number): void {
  if (index > p.at) p.previousEnd = p.tokens[index - 1]!.end;
  p.at = index;
  p.token = p.tokens[index]!;
  p.kind = p.token.kind;
}

export function advance(p: Cursor): Token {
  const token = p.token;
  if (token.kind === "end") return token;
  p.previousEnd = token.end;
  p.token = p.tokens[++p.at]!;
  p.kind = p.token.kind;
  return token;
}

export function peek(p: Cursor, ahead: number): TokenKind {
  return p.tokens[Math.min(p.at + ahead, p.tokens.length - 1)]!.kind;
}

/**
 * Compares the current kind. After `advance` TypeScript still assumes the kind that an earlier test
 * of `p.kind` found; this call makes it look again.
 */
export function isAt(p: Cursor, kind: TokenKind): boolean {
  return p.kind === kind;
}

export function eat(p: Cursor, kind: TokenKind): boolean {
  if (p.kind !== kind) return false;
  advance(p);
  return true;
}

export function spanFrom(p: Cursor, start: number): Span {
  return span(p.source, start, Math.max(start, p.previousEnd));
}

export function spanOf(p: Cursor, token: Token): Span {
  return span(p.source, token.start, token.end);
}

/** The empty span after the last consumed token. A missing part is reported there. */
export function gap(p: Cursor): Span {
  return span(p.source, p.previousEnd, p.previousEnd);
}

export function missing(p: Cursor): MissingExpression {
  return { kind: "missing", span: gap(p) };
}

/**
 * Consumes the first character of a sign of two characters and leaves the second as the current
 * token: `>=` in `Option<f32>= e`.
 */
export function splitSign(p: Cursor, rest: TokenKind): void {
  const { start, end } = p.token;
  p.previousEnd = start + 1;
  p.token = { kind: rest, start: start + 1, end, fresh: false, text: "", parts: undefined };
  p.kind = rest;
}

/** Reads the inside of a bracket, where `{` may open a struct literal again. */
export function parseInner<T>(p: Cursor, read: (p: Cursor) => T): T {
  const { inHead } = p;
  p.inHead = false;
  const result = read(p);
  p.inHead = inHead;
  return result;
}

// ── reporting ───────────────────────────────────────────────────────────────────────────────────

/** Reports an error at a place, unless the current statement has an error already. */
export function report(
  p: Cursor,
  code: Code,
  title: string,
  place: Span,
  parts?: DiagnosticParts,
): void {
  const silent = p.damaged || p.at === p.lastReport || hasLexicalError(p) || usesKeywordName(p);
  const diagnostic = silent ? undefined : error(code, title, place, parts);
  const where = isAtTextEnd(p) ? "at the end" : "inside";
  // `error` runs before anything is recorded. If the stack overflows in it, the error is reported
  // further out.
  if (p.firstError === "none") p.firstError = where;
  // A statement that only lacks its `;` has been understood.
  if (code !== "E0111") p.damage.push(p.statementFrom);
  p.damaged = true;
  p.lastReport = p.at;
  if (diagnostic) p.diagnostics.push(diagnostic);
}

/**
 * Reports a sign of another language that the parser reads as the sign that was meant: `a and b`.
 * The statement is understood, so its other errors are reported too.
 */
export function reportTranslated(
  p: Cursor,
  title: string,
  place: Span,
  parts: DiagnosticParts,
): void {
  if (p.firstError === "none") p.firstError = "inside";
  if (p.damaged || hasLexicalError(p) || usesKeywordName(p)) return;
  p.diagnostics.push(error("E0110", title, place, parts));
}

/** Whether the text ends here. The end of an interpolation is an "end" token too. */
function isAtTextEnd(p: Cursor): boolean {
  return p.kind === "end" && p.token.end >= p.source.text.length;
}

function usesKeywordName(p: Cursor): boolean {
  if (p.keywordNames.size === 0) return false;
  for (let index = p.statementAt; index <= p.at; index++) {
    if (p.keywordNames.has(p.tokens[index]!.kind)) return true;
  }
  return false;
}

function hasLexicalError(p: Cursor): boolean {
  const starts = p.lexicalErrors;
  let low = 0;
  for (let high = starts.length; low < high;) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < p.statementFrom) low = middle + 1;
    else high = middle;
  }
  return low < starts.length && starts[low]! <= p.token.end;
}

/** Reports that `what` was expected in place of the current token. */
export function expected(p: Cursor, what: string, help?: string, fixes?: readonly Fix[]): void {
  if (p.kind === "end") {
    const end = isAtTextEnd(p) ? "text" : "interpolation";
    return report(p, "E0110", `expected ${what}, but the ${end} ends here`, gap(p), { help });
  }
  if (isClosing(p.kind) && p.brackets.partner[p.at] === -1) return reportOrphan(p);
  const place = p.token.fresh && p.previousEnd > p.statementFrom ? gap(p) : spanOf(p, p.token);
  report(p, "E0110", `expected ${what}, found ${describe(p.token)}`, place, { help, fixes });
}

/** `for`, where a bracket goes on. */
export function reportFor(p: Cursor, advice: Advice): void {
  report(p, "E0110", "`for` is not part of the language", spanOf(p, p.token), advice);
}

/** Reports a closing bracket without an opening one. */
export function reportOrphan(p: Cursor): void {
  const title = `this \`${p.kind}\` closes nothing`;
  const place = spanOf(p, p.token);
  const help = "remove it, or open the bracket before it";
  report(p, "E0113", title, place, { help, ...fixed(`remove \`${p.kind}\``, remove(place)) });
}

export function expect(p: Cursor, kind: TokenKind, what: string, help?: string): boolean {
  if (eat(p, kind)) return true;
  expected(p, what, help);
  return false;
}

// ── names ───────────────────────────────────────────────────────────────────────────────────────

export function atName(p: Cursor): boolean {
  return p.kind === "name" || p.kind === "in";
}

export function isNameKind(kind: TokenKind): boolean {
  return kind === "name" || kind === "in";
}

export function takeName(p: Cursor): Name {
  const token = advance(p);
  return { text: token.text, span: spanOf(p, token) };
}

/**
 * Reads a name. If the name is missing, the result is an empty name at that place. A keyword in
 * place of a name is reported and read as the name.
 */
export function expectName(p: Cursor, what: string, help?: string): Name {
  skipRepeatedKeyword(p);
  if (atName(p)) return takeName(p);
  if (isKeyword(p.kind) && !p.token.fresh) {
    reportKeyword(p, keywordsAsNames(p));
    return takeName(p);
  }
  expected(p, what, help);
  return { text: "", span: gap(p) };
}

/** Reports and skips the second keyword of `let let x`. */
export function skipRepeatedKeyword(p: Cursor): void {
  if (!isKeyword(p.kind) || p.token.fresh || p.tokens[p.at - 1]?.kind !== p.kind) return;
  const place = spanOf(p, p.token);
  const help = "leave one out";
  const second = { ...place, end: Math.max(place.end, p.tokens[p.at + 1]!.start) };
  report(p, "E0110", `\`${p.kind}\` stands here twice`, place, {
    help,
    ...fixed(help, remove(second)),
  });
  advance(p);
}

/**
 * Reports a keyword in place of a name. `uses` are the tokens that the fix renames; they are known
 * where the name is bound.
 */
export function reportKeyword(p: Cursor, uses: readonly Token[] = []): void {
  const foreign = p.tokens[p.at - 1]?.kind === "." ? adviceOnUse(p.kind) : undefined;
  if (foreign !== undefined)
    return report(p, "E0114", `\`${p.kind}\` is a keyword`, spanOf(p, p.token), { help: foreign });
  const help = `choose another name, for example \`${p.kind}_\``;
  const edits = uses.map((token) => replace(spanOf(p, token), `${p.kind}_`));
  const parts = { help, ...fixed(`write \`${p.kind}_\``, ...edits) };
  report(p, "E0114", `\`${p.kind}\` is a keyword and cannot be a name`, spanOf(p, p.token), parts);
  p.keywordNames.add(p.kind);
}

/**
 * The keyword at the cursor, and its other occurrences where only a name can be meant: the next
 * token is `,`, `)`, `=`, an operator and the like.
 */
export function keywordsAsNames({ tokens, at, kind }: Cursor): readonly Token[] {
  return tokens.filter((token, index) => {
    if (index === at) return true;
    const next = tokens[index + 1];
    return (
      token.kind === kind && next !== undefined && /^(?:[-,)\]+*/;.=|}]|==|&&)$/.test(next.kind)
    );
  });
}

// ── brackets and recovery ───────────────────────────────────────────────────────────────────────

/** Stands for the index of an opening brace that is missing and has been reported. */
const absentBrace = -2;

/**
 * Consumes `{` and returns its index. If `{` is missing, that is reported. Reading then continues
 * here if the file has a closing brace to spare, or else after the next `{` of the statement.
 * Without either, the result is `undefined`.
 */
export function openBrace(p: Cursor, what: string): number | undefined {
  if (p.kind !== "{") {
    expected(p, `\`{\` ${what}`, p.kind === ":" ? bodyHelp(p) : undefined);
    const closes = isClosing(p.kind) || p.kind === ";" || p.kind === "end";
    if (p.brackets.orphanBraces > p.sparedBraces && !closes) {
      p.sparedBraces++;
      return absentBrace;
    }
    if (!skipToBrace(p)) return undefined;
  }
  const opener = p.at;
  advance(p);
  return opener;
}

/** At the `:` that begins a body elsewhere. */
function bodyHelp(p: Cursor): string {
  const isMain = p.tokens.slice(p.statementAt, p.at).some(({ text }) => text === "__name__");
  return isMain
    ? "leave the line out: a file runs from its first statement to its last"
    : "a body stands in braces: `{ … }` in the place of the `:`";
}

/** Moves to the next `{` of the current statement. Without one it stays and returns false. */
function skipToBrace(p: Cursor): boolean {
  const { parent, partner } = p.brackets;
  const level = parent[p.at]!;
  if (p.noBrace.level === level && p.at < p.noBrace.until) return false;
  let index = p.at;
  for (; p.tokens[index]!.kind !== "end" && parent[index]! >= level; index++) {
    if (parent[index]! > level) continue;
    const { kind } = p.tokens[index]!;
    if (beginsStatement(kind) || (kind === ";" && p.tokens[index + 1]!.fresh)) break;
    if (kind !== "{" || partner[index]! < 0) continue;
    moveTo(p, index);
    return true;
  }
  p.noBrace = { level, until: index };
  return false;
}

/** Whether the current token stands inside the bracket at index `opener`. */
export function isInBracket(p: Cursor, opener: number): boolean {
  return p.kind !== "end" && p.brackets.parent[p.at]! >= opener;
}

/**
 * Reads `item, item, …` and the closing bracket. The opening bracket at index `opener` has been
 * consumed.
 */
export function list<T>(p: Cursor, opener: number, close: TokenKind, item: (p: Cursor) => T): T[] {
  const items: T[] = [];
  const { damaged } = p;
  let contained = close !== "}";
  while (p.kind !== close && isInBracket(p, opener)) {
    const before = p.at;
    items.push(item(p));
    if (contained && !damaged && (p.kind === "," || p.kind === close))
      containDamage(p, opener, before);
    if (eat(p, ",") || p.kind === close) continue;
    contained = false;
    if (!isInBracket(p, opener)) break;
    // In an unclosed bracket, a sign that cannot begin an item shows where the bracket should have
    // ended.
    if (p.at > before && p.brackets.partner[opener] === -1 && !startsItem(p.kind)) break;
    if (p.at > before && close !== "}" && atForClause(p)) reportFor(p, forAdvice(p));
    else if (p.at > before && close === "]" && atSlice(p)) {
      const { help, fixes } = sliceAdvice(p);
      expected(p, `\`,\` or \`${close}\``, help, fixes);
    } else if (p.at > before) {
      const sign = listHelp(p, close);
      const comma = !sign && startsItem(p.kind) ? [fix("add `,`", after(gap(p), ","))] : undefined;
      const help = sign ?? (comma && "add `,` in front of it");
      expected(p, `\`,\` or \`${close}\``, help, comma);
    }
    // After a missing comma the next item is read. Any other unexpected token is skipped, up to the
    // next comma.
    if (p.at === before || !startsItem(p.kind)) {
      skipToComma(p, opener);
      if (!eat(p, ",") && p.at === before) break;
    }
  }
  closeBracket(p, opener, close);
  return items;
}

/** Whether the cursor is at the colon of a slice: `x[1:]` or `x[::2]`. */
export function atSlice(p: Cursor): boolean {
  const { kind } = p.tokens[p.brackets.parent[p.at]!] ?? {};
  return (p.kind === ":" || p.kind === "::") && kind === "[";
}

/** Moves over a `for` in front of a coordinate, and reports it. */
export function skipFor(p: Cursor): void {
  if (!atForClause(p)) return;
  reportFor(p, forItemAdvice(p));
  advance(p);
}

/** Advice about the unexpected token after an item. */
function listHelp(p: Cursor, close: TokenKind): string | undefined {
  const { kind } = p;
  if (kind === ";" && close === "}") return "commas stand between them";
  if (close !== "]") return signHelp(p);
  if (kind === "if") return "a filter follows a comma: `[x | x in xs, x > 0]`";
  return signHelp(p);
}

/**
 * Forgets an error inside a finished item of a list, so that errors in later items are reported
 * too. The item began at token `before`. The error stays recorded in three cases: the item was
 * wrong from its first token, and then the list is probably read as the wrong form; the error
 * stands in a deeper bracket that did not contain it; or a bracket around the list is unclosed, and
 * then the error may be a consequence of that.
 */
export function containDamage(p: Cursor, opener: number, before: number): void {
  const { parent, partner } = p.brackets;
  if (!p.damaged || p.lastReport <= before) return;
  if (p.lastReport !== p.at && parent[p.lastReport] !== opener) return;
  for (let at = opener; at >= p.statementAt; at = parent[at]!) if (partner[at]! < 0) return;
  p.damaged = false;
}

function startsItem(kind: TokenKind): boolean {
  return isNameKind(kind) || kind === "number" || kind === "string";
}

function skipToComma(p: Cursor, opener: number): void {
  const { parent } = p.brackets;
  let index = p.at;
  if (opener === absentBrace) {
    const level = parent[index]!;
    const stops = ({ kind, fresh }: Token) =>
      kind === "," || kind === "}" || (fresh && beginsStatement(kind));
    while (parent[index]! > level || (parent[index] === level && !stops(p.tokens[index]!))) {
      if (p.tokens[index]!.kind === "end") break;
      index++;
    }
    return moveTo(p, index);
  }
  while (parent[index]! >= opener && !(parent[index] === opener && p.tokens[index]!.kind === ",")) {
    if (p.tokens[index]!.kind === "end") break;
    index++;
  }
  moveTo(p, index);
}

/**
 * Consumes the partner of the bracket at index `opener`, or reports that the bracket is not closed.
 */
export function closeBracket(p: Cursor, opener: number, close: TokenKind): void {
  if (opener === absentBrace) {
    if (p.kind === "}" && p.brackets.partner[p.at] === -1) p.sparedBraces--;
    eat(p, "}");
    return;
  }
  const partner = p.brackets.partner[opener]!;
  if (partner >= 0) {
    if (p.at > partner) return;
    if (p.at < partner) {
      expected(p, `\`${close}\``);
      moveTo(p, partner);
    }
    advance(p);
    return;
  }
  const token = p.tokens[opener]!;
  const wrong =
    isClosing(p.kind) && p.brackets.partner[p.at] === -1 && (p.kind !== "}" || isMidway(p));
  const title = wrong
    ? `this \`${p.kind}\` does not close the \`${token.kind}\` before it`
    : `this \`${token.kind}\` is never closed`;
  const place = wrong ? spanOf(p, p.token) : gap(p);
  const labels = [{ span: spanOf(p, token), text: "opened here" }];
  report(p, "E0112", title, place, {
    text: `\`${close}\` is expected here`,
    labels,
    ...repair(`${wrong ? "write" : "add"} \`${close}\``, replace(place, close)),
  });
  if (wrong) advance(p);
}

/** Whether a `}` has other tokens before and after it on its line. Such a brace ends no block. */
function isMidway(p: Cursor): boolean {
  const next = p.tokens[p.at + 1]!;
  return !p.token.fresh && !next.fresh && next.kind !== "end" && p.sparedBraces === 0;
}

/**
 * The index of the token that ends the current statement: its `;`, or the first token after the
 * statement.
 */
function statementEnd(p: Cursor): number {
  const { parent, partner } = p.brackets;
  const level = parent[p.statementAt]!;
  let index = p.at;
  for (; p.tokens[index]!.kind !== "end"; index++) {
    if (parent[index]! > level) continue;
    if (parent[index]! < level) break;
    const { kind, fresh } = p.tokens[index]!;
    if (kind === ";" || (kind === "}" && partner[index] === -1)) break;
    if (index > p.statementAt && fresh && beginsStatement(kind)) break;
  }
  return index;
}

/**
 * Moves behind the current statement, and over each `}` there that an error has left without a
 * partner.
 */
export function skipStatement(p: Cursor): void {
  moveTo(p, statementEnd(p));
  while (p.kind === "}" && p.brackets.partner[p.at] === -1 && p.sparedBraces === 0) {
    advance(p);
    if (p.token.fresh) return;
    moveTo(p, statementEnd(p));
  }
  eat(p, ";");
}

const bindInnerParts = "bind inner parts to names with `let`";

/** Runs `read` one level deeper. Beyond the bound it reports an error and skips the statement. */
export function nested<T>(p: Cursor, read: () => T, otherwise: () => T): T {
  if (p.depth >= maximalDepth) {
    report(p, "E0115", `this is nested more than ${maximalDepth} levels deep`, spanOf(p, p.token), {
      help: bindInnerParts,
    });
    moveTo(p, statementEnd(p));
    return otherwise();
  }
  if (p.depth === 0) return withinStack(p, () => deeper(p, read), otherwise);
  return deeper(p, read);
}

function deeper<T>(p: Cursor, read: () => T): T {
  p.depth++;
  const result = read();
  p.depth--;
  return result;
}

/**
 * Runs `read` at the outermost level. If the stack of the host overflows, it reports an error at
 * the token reached.
 */
function withinStack<T>(p: Cursor, read: () => T, otherwise: () => T): T {
  const { statementAt, statementFrom, inHead } = p;
  try {
    return read();
  } catch (failure) {
    if (!isStackEnd(failure)) throw failure;
    const title =
      `this is nested ${Math.floor(p.depth)} levels deep, ` +
      "which is too deep for this machine's stack";
    report(p, "E0115", title, spanOf(p, p.token), { help: bindInnerParts });
    Object.assign(p, { statementAt, statementFrom, inHead, depth: 0 });
    moveTo(p, statementEnd(p));
    return otherwise();
  }
}

/**
 * The depth that one operand of a tighter operator adds: `a + b * c ** d` nests without brackets.
 * An operand takes about a quarter of the stack that a bracket takes.
 */
export const operandDepth = 0.25;

/** Reads a list from its opening bracket on. */
export function bracketed<T>(p: Cursor, close: ")" | "]" | "}", item: (p: Cursor) => T): T[] {
  const opener = p.at;
  advance(p);
  return list(p, opener, close, item);
}

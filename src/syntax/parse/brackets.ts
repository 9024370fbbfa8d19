// Pairs the brackets of a list of tokens before parsing. The parser then knows where every bracket
// and statement ends, so that a damaged bracket spoils only its own statement.
//
// The pairing is one pass with a stack. An unclosed `(` or `[` ends at a token that cannot stand in
// it: at `;`, unless the `;` belongs to a tensor type, or at a line that begins with `let` or a
// similar word. If the first pass left a `{` open, a second pass closes it by indentation.

import { scalarTypes, type Token, type TokenKind } from "../lex/tokens.ts";

export interface Brackets {
  /**
   * For each bracket the index of its partner. -1 for a bracket without a partner and for all other
   * tokens.
   */
  readonly partner: Int32Array;
  /** For each token the index of the innermost opening bracket around it, or -1. */
  readonly parent: Int32Array;
  /** The number of closing braces without an opening one. */
  readonly orphanBraces: number;
}

const openingOf: Partial<Record<TokenKind, TokenKind>> = { ")": "(", "]": "[", "}": "{" };

/** Words that begin a statement and never stand inside an expression. */
const statementWords: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "let",
  "const",
  "fn",
  "pub",
  "use",
  "mod",
  "enum",
  "struct",
]);

/**
 * A line that begins with one of these is outside of an unclosed brace if its indentation says so.
 */
const mayBegin: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...statementWords,
  "name",
  "@",
  "if",
  "match",
]);

export function beginsStatement(kind: TokenKind): boolean {
  return statementWords.has(kind);
}

export function isClosing(kind: TokenKind): boolean {
  return kind === ")" || kind === "]" || kind === "}";
}

/** How far a token stands from the beginning of its line. */
export function columnOf({ start }: Token, text: string): number {
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

export function pairBrackets(tokens: readonly Token[], text: string): Brackets {
  const plain = pair(tokens, () => false);
  if (!plain.openBraces) return plain;
  const lineIndents = new Int32Array(tokens.length);
  tokens.forEach(
    (token, i) =>
      (lineIndents[i] = token.fresh ? columnOf(token, text) : (lineIndents[i - 1] ?? 0)),
  );
  // A statement outside of the brace is indented no deeper than the line that opened the brace.
  const standsOutside = (brace: number, i: number) =>
    tokens[i]!.fresh && mayBegin.has(tokens[i]!.kind) && lineIndents[i]! <= lineIndents[brace]!;
  return pair(tokens, (brace, i) => standsOutside(brace, i) || isBareElse(tokens, i));
}

/** The pairing of the first pass alone: an unclosed brace contains everything up to the end. */
export function pairAsWritten(tokens: readonly Token[]): Brackets {
  return pair(tokens, () => false);
}

/**
 * Whether `else {` or `else if` stands here without a `}` before it. The block of its `if` ends
 * here.
 */
function isBareElse(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1]?.kind;
  return (
    tokens[i]!.kind === "else" && tokens[i - 1]?.kind !== "}" && (next === "{" || next === "if")
  );
}

function pair(tokens: readonly Token[], endsBrace: (brace: number, at: number) => boolean) {
  const partner = new Int32Array(tokens.length).fill(-1);
  const parent = new Int32Array(tokens.length).fill(-1);
  const stack: number[] = [];
  // How many brackets of each kind are open: a closing bracket without a partner is recognised
  // without a search.
  const open: Partial<Record<TokenKind, number>> = { "(": 0, "[": 0, "{": 0 };
  let orphanBraces = 0;
  let openBraces = false;
  const pop = () => {
    const kind = tokens[stack.pop()!]!.kind;
    open[kind]!--;
    if (kind === "{") openBraces = true;
  };
  const top = () => tokens[stack[stack.length - 1] ?? -1]?.kind;
  for (let i = 0; i < tokens.length; i++) {
    const { kind, fresh } = tokens[i]!;
    if (kind === "(" || kind === "[" || kind === "{") {
      parent[i] = stack[stack.length - 1] ?? -1;
      stack.push(i);
      open[kind]!++;
      continue;
    }
    const opening = openingOf[kind];
    if (opening) {
      if (open[opening]! > 0) {
        while (top() !== opening) pop();
        const opener = stack.pop()!;
        open[opening]!--;
        partner[i] = opener;
        partner[opener] = i;
      } else if (kind === "}") orphanBraces++;
    } else if (kind === ";" && !(open["["] === 0 && axesEnd(tokens, i) >= 0)) {
      while (top() === "(" || (top() === "[" && !mayBeType(tokens, stack[stack.length - 1]!)))
        pop();
    } else if (fresh && statementWords.has(kind)) {
      while (top() === "(" || top() === "[") pop();
    }
    while (top() === "{" && endsBrace(stack[stack.length - 1]!, i)) {
      pop();
      if (kind === "else") break;
      while (top() === "(" || top() === "[") pop();
    }
    parent[i] = stack[stack.length - 1] ?? -1;
  }
  return { partner, parent, orphanBraces, openBraces: openBraces || (open["{"] ?? 0) > 0 };
}

const axisKinds: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "number",
  "name",
  "in",
  ",",
  "..",
  "?",
  "*",
]);

/**
 * The index of the `]` that ends the axes after a `;`, as in `f32; 2, 3]`. -1 if no axes follow.
 */
export function axesEnd(tokens: readonly Token[], semicolon: number): number {
  let end = semicolon + 1;
  while (axisKinds.has(tokens[end]!.kind) && !tokens[end]!.fresh) end++;
  return end > semicolon + 1 && tokens[end]!.kind === "]" ? end : -1;
}

/** Whether the `[` at an index can open a tensor type, in which `;` is legal. */
function mayBeType(tokens: readonly Token[], bracket: number): boolean {
  const before = tokens[bracket - 1]?.kind;
  return (
    (scalarTypes.has(tokens[bracket + 1]!.text) && tokens[bracket + 2]?.kind === ";") ||
    before === ":" ||
    before === "->" ||
    before === "as" ||
    before === "<" ||
    before === "," ||
    before === "(" ||
    before === "["
  );
}

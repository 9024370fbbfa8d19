// Pairs the brackets of a token list before parsing, so that a damaged bracket costs its own
// statement and nothing else: the parser asks here where an enclosing bracket or statement ends.
//
// The pairing is one pass with a stack. What closes an unclosed bracket is decided by what cannot
// stand in it: `;` inside `(` that belongs to no type, or a line that begins with `let` inside `(`
// or `[`. An unclosed `{` is looked for by indentation, in a second pass that runs only if the
// first one left a brace open.

import { scalarTypes, type Token, type TokenKind } from "../lex/tokens.ts";

export interface Brackets {
  /** For each bracket the index of its partner, -1 for one without; -1 for all other tokens. */
  readonly partner: Int32Array;
  /** For each token the index of the innermost opening bracket around it; -1 outside of all. */
  readonly parent: Int32Array;
  /** Closing braces without an opening one. */
  readonly orphanBraces: number;
}

const openingOf: Partial<Record<TokenKind, TokenKind>> = { ")": "(", "]": "[", "}": "{" };

/** Words that begin a statement and stand nowhere inside an expression. */
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

/** What a line may begin with that stands outside of a brace it is not indented under. */
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

export function pairBrackets(tokens: readonly Token[], text: string): Brackets {
  const plain = pair(tokens, () => false);
  if (!plain.openBraces) return plain;
  const indentOf = (token: Token) => token.start - (text.lastIndexOf("\n", token.start - 1) + 1);
  const lineIndents = new Int32Array(tokens.length);
  tokens.forEach(
    (token, i) => (lineIndents[i] = token.fresh ? indentOf(token) : (lineIndents[i - 1] ?? 0)),
  );
  // A statement that stands no deeper than the line that opened the brace stands outside of it.
  const standsOutside = (brace: number, i: number) =>
    tokens[i]!.fresh && mayBegin.has(tokens[i]!.kind) && lineIndents[i]! <= lineIndents[brace]!;
  return pair(tokens, (brace, i) => standsOutside(brace, i) || isBareElse(tokens, i));
}

/** The pairing of the first pass alone: a brace that is open at the end holds all that comes. */
export function pairAsWritten(tokens: readonly Token[]): Brackets {
  return pair(tokens, () => false);
}

/** `else {` or `else if` without a `}` before it: the block of its `if` ends here. */
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
  // How many of each sort are open, so that an orphan is recognised without a search.
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
 * The index of the `]` that ends the axes behind the `;` at an index, as in `f32; 2, 3]`; -1 if no
 * axes stand there.
 */
export function axesEnd(tokens: readonly Token[], semicolon: number): number {
  let end = semicolon + 1;
  while (axisKinds.has(tokens[end]!.kind) && !tokens[end]!.fresh) end++;
  return end > semicolon + 1 && tokens[end]!.kind === "]" ? end : -1;
}

/** Whether the `[` at an index can be that of a tensor type, in which `;` is at home. */
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

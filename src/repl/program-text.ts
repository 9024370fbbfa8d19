// Writes the session as one file, with its entries in order. One file cannot define a function
// twice, for example. If nothing uses the older definition, it is left out. Otherwise it gets
// another name:
//
//   > fn f(x) { x + 1.0 }      fn f_1(x) { x + 1.0 }
//   > let y = f(1.0);          let y = f_1(1.0);
//   > fn f(x) { 2.0 * x }      fn f(x) { 2.0 * x }

import type { Statement } from "../syntax/tree/ast.ts";
import { lex } from "../syntax/lex/lexer.ts";
import { textOf } from "../base/source.ts";
import type { Token } from "../syntax/lex/tokens.ts";
import { supersedes, wordsOfStatement, namesDeclaredBy, type Entry } from "./entry.ts";

interface Placed {
  readonly entry: number;
  readonly statement: Statement;
  /**
   * Words of the statement that mean something else by the end of the session, each with its new
   * name.
   */
  readonly renamed: Map<string, string>;
}

export function programText(entries: readonly Entry[]): string {
  const placed = entries.map(({ module }, entry) =>
    module.statements.map((statement): Placed => ({ entry, statement, renamed: new Map() })),
  );
  const all = placed.flat();
  const dropped = new Set<Placed>();
  const taken = new Set(all.flatMap(({ statement }) => namesDeclaredBy(statement)));
  for (const old of all) {
    const later = all.find(
      ({ entry, statement }) => entry > old.entry && supersedes(statement, old.statement),
    );
    if (!later) continue;
    const between = all.filter(({ entry }) => entry >= old.entry && entry < later.entry);
    const clashing = namesDeclaredBy(old.statement).filter((name) =>
      namesDeclaredBy(later.statement).includes(name),
    );
    for (const name of clashing) {
      const isRead = between.some(
        (other) =>
          other !== old &&
          !dropped.has(other) &&
          !isOwnClause(other, old, name) &&
          wordsOfStatement(other.statement).includes(name),
      );
      if (isRead) rename(between, name, taken);
      else dropped.add(old);
    }
  }
  return entries.flatMap((entry, k) => entryLines(entry, placed[k]!, dropped)).join("");
}

/**
 * The lines of an entry. If nothing in it changes, its text stays as it was written, with all
 * comments.
 */
function entryLines(
  { source, continued }: Entry,
  placed: readonly Placed[],
  dropped: ReadonlySet<Placed>,
): readonly string[] {
  const lines = (list: readonly Placed[]): readonly string[] =>
    list.filter((each) => !dropped.has(each)).map((each) => `${textIn(each)}\n`);
  const [earlier, own] = [placed.slice(0, continued), placed.slice(continued)];
  const isWhole = own.every((each) => !dropped.has(each) && each.renamed.size === 0);
  const last = own.at(-1);
  if (!isWhole || !last) return [...lines(earlier), ...lines(own)];
  return [...lines(earlier), `${withSemicolon(source.text.trim(), last.statement)}\n`];
}

/** Adds the last `;` if it is missing: a prompt allows that, and the middle of a file does not. */
function withSemicolon(text: string, last: Statement): string {
  const written = textOf(last.span);
  if (written.endsWith(";") || endsWithBrace(last)) return text;
  const at = text.lastIndexOf(written) + written.length;
  return `${text.slice(0, at)};${text.slice(at)}`;
}

/** Declarations that end with a brace instead of `;`. */
function endsWithBrace(statement: Statement): boolean {
  switch (statement.kind) {
    case "fn":
    case "tangent-fn":
    case "enum":
    case "struct":
      return true;
    case "mod":
      return statement.statements !== undefined;
    case "let":
    case "indexed-let":
    case "const":
    case "input":
    case "use":
    case "expression":
    case "missing":
      return false;
    default:
      return statement satisfies never;
  }
}

function rename(among: readonly Placed[], name: string, taken: Set<string>): void {
  if (among.some(({ renamed }) => renamed.has(name))) return;
  let other = name;
  for (let count = 1; taken.has(other); count++) other = `${name}_${count}`;
  taken.add(other);
  for (const { renamed } of among) renamed.set(name, other);
}

/**
 * Whether `other` belongs to the same definition as `old`: another clause of the tensor, or the
 * rule of the function.
 */
function isOwnClause(other: Placed, old: Placed, name: string): boolean {
  return (
    other.entry === old.entry &&
    (namesDeclaredBy(other.statement).includes(name) || isRuleOf(other.statement, name))
  );
}

function isRuleOf(statement: Statement, name: string): boolean {
  return statement.kind === "tangent-fn" && statement.name.text === name;
}

function textIn({ statement, renamed }: Placed): string {
  const text = withSemicolon(textOf(statement.span), statement);
  const { tokens } = lex({ name: "<session>", text });
  return withEdits(
    text,
    statement.kind === "use" ? editsOfUse(tokens, renamed) : editsIn(tokens, renamed),
  );
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

function editsIn(tokens: readonly Token[], renamed: ReadonlyMap<string, string>): readonly Edit[] {
  return tokens.flatMap((token): readonly Edit[] => {
    const name = token.kind === "name" ? renamed.get(token.text) : undefined;
    if (name !== undefined) return [{ start: token.start, end: token.end, name }];
    return (token.parts ?? []).flatMap((part) =>
      part.kind === "value" ? editsIn(part.tokens, renamed) : [],
    );
  });
}

/**
 * A `use` names things as the module calls them. So only the local name changes, and the first word
 * of the path if it is a module of the session: `use m::f` becomes `use m::f as f_1`.
 */
function editsOfUse(
  tokens: readonly Token[],
  renamed: ReadonlyMap<string, string>,
): readonly Edit[] {
  return tokens.flatMap((token, k): readonly Edit[] => {
    const name = token.kind === "name" ? renamed.get(token.text) : undefined;
    const [before, after] = [tokens[k - 1]?.kind, tokens[k + 1]?.kind];
    const isInPath = after === "::" || after === "as";
    if (name === undefined || (isInPath && before !== "use")) return [];
    const isNameHere = before === "as" || isInPath;
    return [
      { start: token.start, end: token.end, name: isNameHere ? name : `${token.text} as ${name}` },
    ];
  });
}

function withEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((at, { start, end, name }) => `${at.slice(0, start)}${name}${at.slice(end)}`, text);
}

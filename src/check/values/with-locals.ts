// An expression of a declaration, moved out of it: a block with the local names that the expression
// needs. Local names are `let`s of blocks around it and bindings of the declaration's `where`.

import type * as ast from "../../syntax/tree/ast.ts";
import { blocksAround, namesReadIn } from "../names/free-names.ts";

/** The expression itself if it needs no local name of the declaration. */
export function withLocals(
  declaration: ast.IndexedLet | undefined,
  e: ast.Expression,
): ast.Expression {
  if (!declaration) return e;
  const wanted = namesReadIn(e);
  const needed: ast.Statement[] = [];
  for (const statement of localsBefore(declaration, e).reverse()) {
    if (![...namesBoundBy(statement)].some((name) => wanted.has(name))) continue;
    needed.unshift(statement);
    for (const name of namesReadIn(statement)) wanted.add(name);
  }
  return needed.length === 0 ? e : { kind: "block", statements: needed, value: e, span: e.span };
}

/**
 * The bindings of the declaration's `where`, and the statements before an expression in the blocks
 * around it.
 */
function localsBefore({ value, where }: ast.IndexedLet, e: ast.Expression): ast.Statement[] {
  const bindings = (where?.items ?? []).flatMap((item): readonly ast.Statement[] => {
    if (item.kind !== "binding" || (item.span.start <= e.span.start && e.span.end <= item.span.end))
      return [];
    const pattern: ast.Pattern = { kind: "name", name: item.name, span: item.name.span };
    return [{ kind: "let", pattern, value: item.value, span: item.span, allow: [], public: false }];
  });
  const statements = blocksAround(value, e.span).flatMap((block) => block.statements);
  return [...bindings, ...statements.filter((statement) => statement.span.end <= e.span.start)];
}

function namesBoundBy(statement: ast.Statement): ReadonlySet<string> {
  switch (statement.kind) {
    case "let":
      return namesOfPattern(statement.pattern);
    case "indexed-let":
    case "fn":
      return new Set([statement.name.text]);
    default:
      return new Set();
  }
}

function namesOfPattern(pattern: ast.Pattern): ReadonlySet<string> {
  if (pattern.kind === "name") return new Set([pattern.name.text]);
  return pattern.kind === "tuple"
    ? new Set(pattern.members.flatMap((member) => [...namesOfPattern(member)]))
    : new Set();
}

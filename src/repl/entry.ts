// One entry of a session: a text that was entered as a whole, and the names that its statements
// declare.

import { patternNames } from "../check/names/free-names.ts";
import type { Module, Name, Statement, UseTree } from "../syntax/tree/ast.ts";
import { textOf, type Source } from "../base/source.ts";

export interface Entry {
  readonly source: Source;
  readonly module: Module;
  /**
   * The number of leading statements that are clauses of earlier entries, which this entry
   * continues.
   */
  readonly continued: number;
}

/** The names that a statement declares, one list for each table of names. */
interface Declared {
  readonly values: readonly string[];
  readonly functions: readonly string[];
  readonly types: readonly string[];
  readonly modules: readonly string[];
}

const nothing: Declared = { values: [], functions: [], types: [], modules: [] };

export function declaredBy(statement: Statement): Declared {
  switch (statement.kind) {
    case "let":
      return { ...nothing, values: patternNames(statement.pattern) };
    case "indexed-let":
    case "const":
    case "input":
      return { ...nothing, values: [statement.name.text] };
    case "fn":
      return { ...nothing, functions: [statement.name.text] };
    case "enum":
    case "struct":
      return { ...nothing, types: [statement.name.text] };
    case "mod":
      return { ...nothing, modules: [statement.name.text] };
    case "use": {
      // The kind of the used name is not known here, so the name counts as every kind.
      const names = usedNames(statement.tree);
      return { values: [], functions: names, types: names, modules: names };
    }
    case "tangent-fn":
    case "expression":
    case "missing":
      return nothing;
    default:
      return statement satisfies never;
  }
}

/** All names that a statement declares. */
export function namesDeclaredBy(statement: Statement): readonly string[] {
  const { values, functions, types, modules } = declaredBy(statement);
  return [...new Set([...values, ...functions, ...types, ...modules])];
}

/** All words of a statement. Some of them refer to a declaration. */
export function wordsOfStatement({ span }: Statement): readonly string[] {
  return textOf(span).match(/[A-Za-z_]\w*/g) ?? [];
}

function usedNames(tree: UseTree, before: readonly Name[] = []): readonly string[] {
  const path = [...before, ...tree.path];
  switch (tree.kind) {
    case "name":
      return [(tree.as ?? path.findLast(({ text }) => text !== "self") ?? path.at(-1)!).text];
    case "group":
      return tree.members.flatMap((member) => usedNames(member, path));
    case "all":
      return [];
    default:
      return tree satisfies never;
  }
}

/**
 * Whether the later statement defines a name of the earlier one again, which one file could not
 * contain. A plain `let` may always shadow.
 */
export function supersedes(later: Statement, earlier: Statement): boolean {
  const [now, before] = [declaredBy(later), declaredBy(earlier)];
  const meets = (key: keyof Declared): boolean =>
    now[key].some((name) => before[key].includes(name));
  if (meets("functions") || meets("types") || meets("modules")) return true;
  if (!meets("values")) return false;
  return later.kind === "indexed-let" || later.kind === "const" || later.kind === "input";
}

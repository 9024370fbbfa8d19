// One entry of a session: a text that was taken as a whole, and the names that its statements
// declare.

import { patternNames } from "../check/names/free-names.ts";
import type { Module, Name, Statement, UseTree } from "../syntax/tree/ast.ts";
import type { Source } from "../base/source.ts";

export interface Entry {
  readonly source: Source;
  readonly module: Module;
  /** How many of its first statements are clauses of earlier entries, with which it goes on. */
  readonly continued: number;
}

/** What a statement declares, by the table of names in which it is looked up. */
export interface Declared {
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
      // What the name stands for is known only where it is found: it may be any of these.
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
 * Whether one file could not hold both: the second would define the first anew. A plain `let` may
 * always shadow.
 */
export function supersedes(later: Statement, earlier: Statement): boolean {
  const [now, before] = [declaredBy(later), declaredBy(earlier)];
  const meets = (key: keyof Declared): boolean =>
    now[key].some((name) => before[key].includes(name));
  if (meets("functions") || meets("types") || meets("modules")) return true;
  if (!meets("values")) return false;
  return later.kind === "indexed-let" || later.kind === "const" || later.kind === "input";
}

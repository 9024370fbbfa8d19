// Which `use` and `mod` lines a printed program needs: those that bring a name that something in it says.

import { namesOf, pathsIn } from "../check/free-names.ts";
import { libraryTexts } from "../check/library-texts.ts";
import type { Statement, UseTree } from "../syntax/ast.ts";
import { textOf } from "../syntax/source.ts";

/** The names that may be those of functions, types or modules in lines of source: what is called, and what stands before `::`. */
export function calledIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => [...line.matchAll(/([A-Za-z_]\w*)\s*(?=[[(]|::)/g)].map(([, name]) => name!));
}

/** The names by which a statement may refer to what `use` and `mod` bring; what a module says inside may be any of its words. */
export function saidIn(statement: Statement): readonly string[] {
  if (statement.kind === "mod") return textOf(statement.span).match(/[A-Za-z_]\w*/g) ?? [];
  if (statement.kind === "use") return leaves(statement.tree).flatMap(({ path }) => path.slice(0, 1));
  return [...namesOf(statement).bound, ...pathsIn(statement).map(({ segments }) => segments[0]!.text)];
}

/** Whether a `use` or a `mod` brings one of some names. */
export function bringsAny(statement: Statement, names: ReadonlySet<string>): boolean {
  if (statement.kind === "mod") return names.has(statement.name.text);
  if (statement.kind !== "use") return false;
  return leaves(statement.tree).some(({ path, as }) => {
    if (as !== "*") return names.has(as);
    const brought = handedOn(path);
    return brought === undefined || brought.some((name) => names.has(name));
  });
}

/** One path of a `use`, and the name that it gets. */
interface Leaf {
  readonly path: readonly string[];
  readonly as: string;
}

function leaves(tree: UseTree, before: readonly string[] = []): readonly Leaf[] {
  const path = [...before, ...tree.path.map(({ text }) => text)];
  switch (tree.kind) {
    case "group":
      return tree.members.flatMap((member) => leaves(member, path));
    case "all":
      return [{ path, as: "*" }];
    case "name":
      return [{ path, as: tree.as?.text ?? path.findLast((name) => name !== "self")! }];
    default:
      return tree satisfies never;
  }
}

/** What a module of the library hands on; what others do is not known here. */
function handedOn([first, second, ...others]: readonly string[]): readonly string[] | undefined {
  const text =
    first === "std" && others.length === 0 ? libraryTexts().find(([name]) => name === second)?.[1] : undefined;
  const declared = text?.matchAll(/\bpub (?:fn|const|let|struct|enum|mod) (\w+)|\bpub use ([^;]*);/g);
  return declared && [...declared].flatMap(([, name, used]) => used?.match(/\w+/g) ?? [name!]);
}

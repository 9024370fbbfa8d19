// Finds the `use` and `mod` lines that a printed program needs: a line is needed if the program
// uses a name that the line brings.
//
//    let d_x[i] = d_y[i] * stats::scale(x[i]);   needs   use std::stats;

import { builtinNames } from "../../check/names/builtin-modules.ts";
import { namesOf, pathsIn, patternNames } from "../../check/names/free-names.ts";
import { libraryTexts } from "../../check/names/library-texts.ts";
import type { Module, Statement, UseTree } from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";

/**
 * The names in derived lines that may be functions, types or modules: names that are called, and
 * names before `::`. Names that the lines define themselves and names of built-in functions do not
 * count.
 */
export function namesCalledIn(lines: readonly string[]): readonly string[] {
  const own = new Set([
    ...builtinNames(),
    ...lines.flatMap((line) => /^(?:let|fn) (\w+)/.exec(line)?.[1] ?? []),
  ]);
  const called = lines.flatMap((line) =>
    [...line.matchAll(/([A-Za-z_]\w*)\s*(?=[[(]|::)/g)].map(([, name]) => name!),
  );
  return called.filter((name) => !own.has(name));
}

/**
 * The names with which a statement may refer to a `use` or a `mod`. For a `mod`, every word of its
 * text counts.
 */
export function namesUsedIn(statement: Statement): readonly string[] {
  if (statement.kind === "mod") return textOf(statement.span).match(/[A-Za-z_]\w*/g) ?? [];
  if (statement.kind === "use")
    return leaves(statement.tree).flatMap(({ path }) => path.slice(0, 1));
  return [
    ...namesOf(statement).bound,
    ...pathsIn(statement).map(({ segments }) => segments[0]!.text),
  ];
}

/** The names that a statement binds, except modules and the names that modules bring. */
export function boundNames(statement: Statement): readonly string[] {
  switch (statement.kind) {
    case "indexed-let":
    case "const":
    case "input":
    case "fn":
    case "enum":
    case "struct":
      return [statement.name.text];
    case "let":
      return patternNames(statement.pattern);
    default:
      return [];
  }
}

/** Does a `use` or a `mod` bring one of the names? */
export function importsAny(
  module: Module,
  statement: Statement,
  names: ReadonlySet<string>,
): boolean {
  if (statement.kind === "mod") return names.has(statement.name.text);
  if (statement.kind !== "use") return false;
  return leaves(statement.tree).some(({ path, as }) => {
    if (as !== "*") return names.has(as);
    const brought = publicNamesOf(module, path);
    return brought === undefined || brought.some((name) => names.has(name));
  });
}

/**
 * The names that the `use` lines of the file bring, as far as they are known. No other definition
 * may have such a name.
 */
export function importedNames(module: Module): readonly string[] {
  return module.statements.flatMap((statement) =>
    statement.kind === "use"
      ? leaves(statement.tree).flatMap(({ path, as }) =>
          as === "*" ? (publicNamesOf(module, path) ?? []) : [as],
        )
      : [],
  );
}

/** One path of a `use`, and the name that the program uses for it. */
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

/**
 * The public names of a module of the library or of the file. `undefined`: the names are not known
 * here.
 */
function publicNamesOf(
  { statements }: Module,
  [first, second, ...others]: readonly string[],
): readonly string[] | undefined {
  const own = statements.find((each) => each.kind === "mod" && each.name.text === first);
  if (own?.kind === "mod")
    return second === undefined ? own.statements && publicNames(own.statements) : undefined;
  const text =
    first === "std" && others.length === 0
      ? libraryTexts().find(([name]) => name === second)?.[1]
      : undefined;
  const declared = text?.matchAll(
    /\bpub (?:fn|const|let|struct|enum|mod) (\w+)|\bpub use ([^;]*);/g,
  );
  return declared && [...declared].flatMap(([, name, used]) => used?.match(/\w+/g) ?? [name!]);
}

function publicNames(statements: readonly Statement[]): readonly string[] | undefined {
  const handed = statements.filter((each) => each.public);
  return handed.some(({ kind }) => kind === "use")
    ? undefined
    : handed.flatMap((each) => (each.kind === "mod" ? [each.name.text] : boundNames(each)));
}

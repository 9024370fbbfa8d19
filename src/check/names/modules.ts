// Modules: `mod m { … }`, `mod m;`, `std::…`, and the names that `use` brings from them.
//
// A module sees its own names, what it uses, and what the language has built in. It does not see
// the values around it. A path begins with a module in scope, or with `std`. A module is checked
// when it is first needed, so the order of modules does not matter. While a module is being
// checked, its functions can be used and its values cannot.

import { before, fixed, nearest, toldAs } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import type { Source, Span } from "../../base/source.ts";
import { parse } from "../../syntax/parse/parser.ts";
import { adviceOnModule } from "../../diagnostics/foreign/advice.ts";
import { haveDifferentMeanings, noteAmbiguity } from "./ambiguities.ts";
import { isBuiltinModule, builtinNames } from "./builtin-modules.ts";
import { divisionLints } from "../lints/divisions.ts";
import { placeIn, report, silent, type Checker, type Place } from "../context.ts";
import { statements } from "../elaborate.ts";
import { adviceOnLibraryName, adviceOnPath, declareModule } from "./foreign-use.ts";
import {
  hasNameless,
  lookUpModule,
  moduleScope,
  type AllOf,
  type ModuleBinding,
  type Scope,
} from "./scope.ts";
import type { ModuleText } from "./read-module.ts";

export type { ModuleText, ReadModule } from "./read-module.ts";

/** The last module that a path names, and the rest of the path. */
export interface Found {
  readonly place: Place;
  readonly path: ast.Path;
}

// ── declaring ───────────────────────────────────────────────────────────────────────────────────

/**
 * Declares the modules of a block and brings the names of its uses, before its first statement is
 * checked.
 */
export function declareModules(place: Place, list: readonly ast.Statement[]): void {
  const own: ModuleBinding[] = [];
  for (const statement of list) {
    if (statement.kind !== "mod") continue;
    const { name } = statement;
    // The parser has reported a module without a name.
    if (name.text === "") {
      place.scope.modules.set("", brokenModule(place, name));
      continue;
    }
    const known = place.scope.modules.get(name.text);
    if (known) {
      report(place, "E0203", `the module \`${name.text}\` is defined twice`, name.span, {
        labels: [{ span: known.span, text: "first defined here" }],
      });
      continue;
    }
    const module = statement.statements
      ? inlineModule(place, statement, statement.statements)
      : fileModule(place, statement);
    place.scope.modules.set(name.text, module);
    own.push(module);
  }
  for (const module of own) checkModule(place.checker, module);
  const namesWrittenOut = new Set<string>();
  const uses = list.flatMap((statement) =>
    statement.kind === "use" ? pathsOfUse(statement.tree, []) : [],
  );
  // A name that is written out takes precedence over one that `*` brings.
  for (const leaf of uses) if (leaf.kind === "name") useName(place, leaf, namesWrittenOut);
  const stars = new Map<string, AllOf>();
  for (const leaf of uses) if (leaf.kind === "all") useAll(place, leaf, stars);
}

function inlineModule(
  place: Place,
  { name }: ast.Mod,
  list: readonly ast.Statement[],
): ModuleBinding {
  return newModule(name.text, name.span, moduleScope(place.scope), list);
}

function newModule(
  name: string,
  span: Span,
  scope: Scope,
  list: readonly ast.Statement[],
): ModuleBinding {
  return {
    kind: "module",
    name,
    span,
    scope,
    statements: list,
    state: "waiting",
    public: publicNames(list),
    actions: [],
  };
}

function brokenModule(place: Place, { text, span }: ast.Name): ModuleBinding {
  const module = newModule(text, span, moduleScope(place.scope), []);
  module.state = "broken";
  return module;
}

/**
 * The modules read from files, by file name. Two `mod` statements for one file share one module.
 */
const texts = new WeakMap<Checker, Map<string, ModuleBinding>>();

function fileModule(place: Place, { name, span }: ast.Mod): ModuleBinding {
  const { checker } = place;
  const given: ModuleText = checker.readModule?.(name.text, span.source) ?? {
    why: "this host reads no files",
  };
  if ("why" in given) {
    report(place, "E0206", `the module \`${name.text}\` cannot be read: ${given.why}`, name.span, {
      help: moduleHelp(name.text),
    });
    return brokenModule(place, name);
  }
  const known = texts.get(checker) ?? new Map<string, ModuleBinding>();
  texts.set(checker, known);
  const { source } = given;
  const earlier = known.get(source.name);
  if (earlier?.state === "loading" || source.name === checker.root?.name) {
    report(place, "E0207", `the module \`${name.text}\` reads itself`, name.span, {
      text: `\`${source.name}\` is being read already, and this \`mod\` is part of it`,
      help:
        "say `mod` in one file only, and `use` its names from there; " +
        "move what both need into a third module",
    });
    return brokenModule(place, name);
  }
  if (earlier) return earlier;
  const module = { ...textModule(checker, name.text, source, place.scope), span: name.span };
  known.set(source.name, module);
  return module;
}

function moduleHelp(name: string): string {
  const places = `as \`${name}.ein\` or \`${name}/mod.ein\``;
  return `it is looked for beside this file, ${places}; or write it here: \`mod ${name} { … }\``;
}

/**
 * A module from a text of its own. If the text has syntax errors, they are reported, and uses of
 * its names report nothing.
 */
function textModule(checker: Checker, name: string, source: Source, outer?: Scope): ModuleBinding {
  const { module, diagnostics } = parse(source);
  checker.diagnostics.push(...diagnostics, ...divisionLints({ module, diagnostics }));
  const fromText = newModule(name, module.span, moduleScope(outer), module.statements);
  if (diagnostics.some((diagnostic) => diagnostic.level === "error")) fromText.state = "broken";
  return fromText;
}

/** Checks a module, unless it has been checked or is being checked. */
function checkModule(checker: Checker, module: ModuleBinding): void {
  if (module.state !== "waiting") return;
  module.state = "loading";
  const place = placeIn(checker, module.scope);
  module.actions = statements(place, module.statements).filter(
    ({ kind }) => kind === "print" || kind === "assert",
  );
  module.state = "ready";
  if (!module.span.source.name.startsWith("std/")) checker.modules.push(module);
}

/** The names that a module exports. */
function publicNames(list: readonly ast.Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of list) {
    if (!statement.public) continue;
    for (const name of declaredNames(statement)) names.add(name);
  }
  return names;
}

function declaredNames(statement: ast.Statement): readonly string[] {
  switch (statement.kind) {
    case "let":
      return statement.pattern.kind === "name"
        ? [statement.pattern.name.text]
        : namesOfPattern(statement.pattern);
    case "indexed-let":
    case "const":
    case "fn":
    case "mod":
    case "enum":
    case "struct":
      return [statement.name.text];
    case "use":
      // `pub use m::*` is recorded as `*m`. The names are known only once `m` is.
      return pathsOfUse(statement.tree, []).map((leaf) =>
        leaf.kind === "all" ? `*${pathText(leaf.path)}` : usedAs(leaf).text,
      );
    case "input":
    case "tangent-fn":
    case "expression":
    case "missing":
      return [];
    default:
      return statement satisfies never;
  }
}

/** The span of a name in the statement that declares it. */
function spanOfDeclaredName(statement: ast.Statement, name: string): Span | undefined {
  if (statement.kind === "use") {
    const found = pathsOfUse(statement.tree, []).find(
      (leaf) => leaf.kind === "name" && usedAs(leaf).text === name,
    );
    return found?.kind === "name" ? usedAs(found).span : undefined;
  }
  return "name" in statement && statement.name.text === name ? statement.name.span : undefined;
}

function namesOfPattern(pattern: ast.Pattern): readonly string[] {
  return pattern.kind === "tuple"
    ? pattern.members.flatMap((member) =>
        member.kind === "name" ? [member.name.text] : namesOfPattern(member),
      )
    : [];
}

// ── using ───────────────────────────────────────────────────────────────────────────────────────

/**
 * One path of a `use`, with its groups expanded: `use m::{a, b};` has the paths `m::a` and `m::b`.
 */
type UsePath = Exclude<ast.UseTree, { kind: "group" }>;

function pathsOfUse(tree: ast.UseTree, before: readonly ast.Name[]): readonly UsePath[] {
  const path = [...before, ...tree.path];
  if (tree.kind === "group") return tree.members.flatMap((member) => pathsOfUse(member, path));
  // `m::{self}` is the module itself.
  const isItself = tree.kind === "name" && path.length > 1 && path.at(-1)!.text === "self";
  return [{ ...tree, path: isItself ? path.slice(0, -1) : path }];
}

function pathText(path: readonly ast.Name[]): string {
  return path.map((name) => name.text).join("::");
}

/** The name under which a path of a `use` is brought. */
function usedAs(leaf: Extract<UsePath, { kind: "name" }>): ast.Name {
  return leaf.as ?? leaf.path.at(-1)!;
}

function useName(
  place: Place,
  leaf: Extract<UsePath, { kind: "name" }>,
  explicit: Set<string>,
): void {
  const name = usedAs(leaf);
  const { scope } = place;
  const known = scope.functions.get(name.text) ?? scope.types.get(name.text);
  if (known || explicit.has(name.text)) {
    report(place, "E0203", `\`${name.text}\` is defined twice`, name.span, {
      labels: known ? [{ span: known.span, text: "first defined here" }] : [],
      help: `give it another name: \`use ${pathText(leaf.path)} as …;\``,
    });
    return;
  }
  explicit.add(name.text);
  const spoil = (): void =>
    void scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
  if (leaf.path.length === 1) {
    const module = moduleNamed(place, leaf.path[0]!);
    if (module === "wrong") return spoil();
    scope.modules.set(name.text, module);
    return;
  }
  const from = moduleAt(place, leaf.path.slice(0, -1));
  if (from === "wrong" || !checkExported(place, from, leaf.path.at(-1)!, place.scope))
    return spoil();
  copyMeanings(from.scope, leaf.path.at(-1)!.text, scope, name.text);
}

/**
 * Brings every name of `use m::*` that the block does not declare or bring by name. `stars` holds
 * what earlier stars have brought.
 */
function useAll(
  place: Place,
  leaf: Extract<UsePath, { kind: "all" }>,
  stars: Map<string, AllOf>,
): void {
  const from = moduleAt(place, leaf.path);
  if (from === "wrong") return;
  const { scope } = place;
  const star: AllOf = { path: `${pathText(leaf.path)}::*`, span: leaf.span };
  for (const name of exportsOf(from)) {
    const earlier = stars.get(name);
    const isOlder = scope.starred.get(name) === "before";
    if (isOlder) for (const table of [...tables, "ambiguous"] as const) scope[table].delete(name);
    if (isOlder || !isKnown(scope, name)) {
      copyMeanings(from.scope, name, scope, name);
      scope.starred.set(name, "here");
      stars.set(name, star);
    } else if (
      earlier &&
      haveDifferentMeanings(scope, from.scope, name) &&
      !scope.ambiguous.has(name)
    ) {
      noteAmbiguity(place, name, earlier, star);
    }
  }
}

/** Every name that a module exports, also through `pub use m::*`. */
function exportsOf(
  module: ModuleBinding,
  seen: ReadonlySet<ModuleBinding> = new Set(),
): readonly string[] {
  // Modules may `pub use` the stars of one another.
  if (seen.has(module)) return [];
  const names = [...module.public].filter((name) => !name.startsWith("*"));
  return [...names, ...namesFromStars(module, new Set([...seen, module]))];
}

/** The names that `pub use m::*` exports. The module has brought them already. */
function namesFromStars(
  module: ModuleBinding,
  seen: ReadonlySet<ModuleBinding>,
): readonly string[] {
  const paths = [...module.public]
    .filter((name) => name.startsWith("*"))
    .map((name) => name.slice(1).split("::"));
  return paths.flatMap((path) => {
    let reached: ModuleBinding | undefined = lookUpModule(module.scope, path[0]!);
    for (const step of path.slice(1)) reached = reached?.scope.modules.get(step);
    return reached ? exportsOf(reached, seen).filter((name) => isKnown(module.scope, name)) : [];
  });
}

const tables = ["names", "functions", "types", "modules", "builtins"] as const;

function isKnown(scope: Scope, name: string): boolean {
  return tables.some((table) => scope[table].has(name));
}

/** Brings every meaning of one name: a value, a function, a type and a module may share it. */
function copyMeanings(from: Scope, name: string, into: Scope, as: string): void {
  const [value, fn, type] = [from.names.get(name), from.functions.get(name), from.types.get(name)];
  const [module, builtin] = [from.modules.get(name), from.builtins.get(name)];
  if (value) into.names.set(as, value);
  if (fn) into.functions.set(as, fn);
  if (type) into.types.set(as, type);
  if (module) into.modules.set(as, module);
  if (builtin) into.builtins.set(as, builtin);
}

// ── finding ─────────────────────────────────────────────────────────────────────────────────────

/** Follows a path that begins with a module. Gives the last module and the rest of the path. */
export function alongPath(place: Place, path: ast.Path): Found | "wrong" | undefined {
  const { segments } = path;
  let module = moduleNamed(place, segments[0]!);
  if (module === "wrong") return "wrong";
  for (const [k, segment] of segments.slice(1).entries()) {
    if (!checkExported(place, module, segment)) return "wrong";
    const next = module.scope.modules.get(segment.text);
    if (!next || k === segments.length - 2) {
      const rest = segments.slice(k + 1);
      return { place: { ...place, scope: module.scope }, path: { ...path, segments: rest } };
    }
    module = next;
    checkModule(place.checker, module);
    if (isBroken(module)) return "wrong";
  }
  return undefined;
}

function moduleAt(place: Place, path: readonly ast.Name[]): ModuleBinding | "wrong" {
  let module = moduleNamed(place, path[0]!);
  for (const segment of path.slice(1)) {
    if (module === "wrong" || !checkExported(place, module, segment)) return "wrong";
    const next: ModuleBinding | undefined = module.scope.modules.get(segment.text);
    if (!next) {
      const isData = module.scope.types.has(segment.text);
      report(
        place,
        "E0208",
        `\`${segment.text}\` of \`${module.name}\` is not a module`,
        segment.span,
        isData
          ? {
              help:
                `use \`${segment.text}\` itself, and write what belongs to it behind its name: ` +
                `\`${segment.text}::…\``,
            }
          : adviceOnPath(place, path),
      );
      return "wrong";
    }
    checkModule(place.checker, next);
    module = isBroken(next) ? "wrong" : next;
  }
  return module;
}

/** The module that a path begins with. */
function moduleNamed(place: Place, name: ast.Name): ModuleBinding | "wrong" {
  const { checker, scope } = place;
  const own = lookUpModule(scope, name.text) ?? builtinModule(checker, name);
  if (own) {
    checkModule(checker, own);
    return isBroken(own) ? "wrong" : own;
  }
  // The parser has reported a missing name.
  if (name.text === "") return "wrong";
  report(place, "E0208", `there is no module \`${name.text}\``, name.span, {
    ...(toldAs(adviceOnModule(name.text)) ??
      nearest(name.span, name.text, [...modulesInSight(scope), "std"]) ??
      declareModule(place, name)),
  });
  return "wrong";
}

function* modulesInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent ?? at.outer) yield* at.modules.keys();
}

/** Whether a mistake in the module has been reported. */
function isBroken({ state }: ModuleBinding): boolean {
  return state === "broken";
}

/**
 * Whether a module exports a name; reports it if not. With `into`, the advice suggests no name that
 * this scope has already.
 */
function checkExported(place: Place, module: ModuleBinding, name: ast.Name, into?: Scope): boolean {
  const names = exportsOf(module);
  const isDeclared = isKnown(module.scope, name.text);
  if (names.includes(name.text) && isDeclared)
    return module.scope.names.get(name.text)?.kind !== "wrong";
  if (isDeclared) {
    const own = module.statements.find((statement) => declaredNames(statement).includes(name.text));
    const at = own && (spanOfDeclaredName(own, name.text) ?? own.span);
    report(place, "E0205", `\`${name.text}\` of \`${module.name}\` is not \`pub\``, name.span, {
      labels: at
        ? [{ span: at, text: own.kind === "use" ? "brought here for itself" : "declared here" }]
        : [],
      help:
        own?.kind === "use"
          ? `write \`pub use\` there to hand it on`
          : "write `pub` in front of its declaration",
      ...(own ? fixed("write `pub` in front", before(own.span, "pub ")) : {}),
    });
    return false;
  }
  if (module.state === "loading") {
    report(
      place,
      "E0207",
      `\`${name.text}\` of \`${module.name}\` is not known yet: the modules use one another`,
      name.span,
      {
        labels: [{ span: module.span, text: "its values wait for this one" }],
        help:
          "functions may be used in a circle, values may not: " +
          "move the value into a module of its own",
      },
    );
    return false;
  }
  if (hasNameless(module.scope)) {
    silent(place, name.span);
    return false;
  }
  const kinds = names.map((each) => `\`${each}\``);
  const advice = isOfLibrary(place, module) ? adviceOnLibraryName(place, module, name) : undefined;
  const listed = kinds.length <= 12 ? `it has ${kinds.join(", ")}` : undefined;
  const has =
    kinds.length === 0 ? "it exports nothing: write `pub` in front of what others may use" : listed;
  const near = advice ?? nearest(name.span, name.text, names) ?? { help: has };
  const meant = near.fixes?.[0]?.edits[0]?.text;
  // Bringing a second name of that spelling would be the next mistake.
  const wouldClash = into !== undefined && meant !== undefined && isKnown(into, meant);
  const parts = wouldClash ? { help: near.help } : near;
  report(place, "E0205", `\`${module.name}\` has no \`${name.text}\``, name.span, parts);
  return false;
}

// ── what comes with the language ────────────────────────────────────────────────────────────────

const library = new WeakMap<Checker, Map<string, ModuleBinding>>();

/** Whether a module is `std` or one of its modules. */
function isOfLibrary({ checker }: Place, module: ModuleBinding): boolean {
  const std = library.get(checker)?.get("std");
  return std !== undefined && (module === std || std.scope.modules.get(module.name) === module);
}

/**
 * The modules `std` and `builtin`. `builtin` holds the functions that need no `use`, so that the
 * library can export them.
 */
function builtinModule(checker: Checker, name: ast.Name): ModuleBinding | undefined {
  if (!isBuiltinModule(name.text, name.span.source)) return undefined;
  const known = library.get(checker) ?? new Map<string, ModuleBinding>();
  library.set(checker, known);
  const binding =
    known.get(name.text) ??
    (name.text === "std" ? standardLibrary(checker) : builtinsAsModule(name.span));
  known.set(name.text, binding);
  return binding;
}

function builtinsAsModule(span: Span): ModuleBinding {
  const scope = moduleScope();
  for (const name of builtinNames()) scope.builtins.set(name, name);
  return {
    ...newModule("builtin", span, scope, []),
    public: new Set(builtinNames()),
    state: "ready",
  };
}

function standardLibrary(checker: Checker): ModuleBinding {
  const scope = moduleScope();
  for (const [name, text] of checker.library())
    scope.modules.set(name, newLibraryModule(name, text));
  const span: Span = { source: { name: "std", text: "" }, start: 0, end: 0 };
  return {
    ...newModule("std", span, scope, []),
    public: new Set(scope.modules.keys()),
    state: "ready",
  };
}

/** A module of the library. Its text is parsed when its names are first needed. */
function newLibraryModule(name: string, text: string): ModuleBinding {
  const { source, tree, names } = libraryText(name, text);
  return {
    kind: "module",
    name,
    span: { source, start: 0, end: text.length },
    scope: moduleScope(),
    state: "waiting",
    actions: [],
    get statements() {
      return tree().statements;
    },
    get public() {
      return names();
    },
  };
}

interface LibraryText {
  readonly source: Source;
  readonly tree: () => ast.Module;
  /** The names that the module exports. */
  readonly names: () => ReadonlySet<string>;
}

/**
 * The modules of the library by name. Each is parsed once for all programs, because syntax trees
 * never change. A host may supply another text under the same name.
 */
const libraryTexts = new Map<string, LibraryText>();

function libraryText(name: string, text: string): LibraryText {
  const earlier = libraryTexts.get(name);
  if (earlier?.source.text === text) return earlier;
  const source: Source = { name: `std/${name}.ein`, text };
  let read: ast.Module | undefined;
  let exported: ReadonlySet<string> | undefined;
  const tree = (): ast.Module => (read ??= parse(source).module);
  const readText = { source, tree, names: () => (exported ??= publicNames(tree().statements)) };
  libraryTexts.set(name, readText);
  return readText;
}

/**
 * The prints and assertions of a module, which happen at its `mod`. If two `mod` statements read
 * one file, they happen at the first.
 */
export function effectsOfModule(place: Place, { name }: ast.Mod): ModuleBinding["actions"] {
  const module = place.scope.modules.get(name.text);
  const actions = module?.actions ?? [];
  if (module) module.actions = [];
  return actions;
}

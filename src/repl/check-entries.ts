// Checks the entries of a session as one typed program. Each entry is checked in the scope that the
// earlier entries have left. A new declaration hides an older one of the same name, and what was
// computed from the older one keeps its meaning:
//
//   > let x = 1.0;
//   > let y = 2.0 * x;
//   > let x = 5.0;       // `y` is still 2.0

import type { Checked } from "../check/check.ts";
import { elaborators } from "../check/elaborator-table.ts";
import { errorCount, newChecker, placeIn, report, type Place } from "../check/context.ts";
import { statements } from "../check/elaborate.ts";
import { checkLiterals } from "../check/types/literals.ts";
import { checkAmbiguities } from "../check/names/ambiguities.ts";
import { onceEach } from "../check/lints/once.ts";
import {
  dimensionsOf,
  type Names,
  ownFunctions,
  scopeInside,
  type Scope,
} from "../check/names/scope.ts";
import { soundActions } from "../check/statements/sound.ts";
import {
  checkUncalled,
  checkUncalledLambdas,
  checkUncalledInModules,
} from "../check/statements/uncalled.ts";
import type { Action, TensorBinding, ValueBinding } from "../check/types/typed.ts";
import { error } from "../diagnostics/diagnostic.ts";
import type { Statement } from "../syntax/tree/ast.ts";
import { declaredBy } from "./entry.ts";
import type { Placed } from "./needed.ts";
import type { ReadModule } from "../check/names/modules.ts";

/** Identifies a binding for as long as the session lasts. */
export type Key = string;

type Bound = ValueBinding | TensorBinding;

export interface CheckedEntries extends Checked {
  /** The scope after the last entry, with the names that this entry declares. */
  readonly scope: Scope;
  readonly keys: ReadonlyMap<Bound, Key>;
  /** What the last entry binds, prints and asserts. */
  readonly last: readonly Action[];
}

interface EntriesOptions {
  /** The rank of an input that is declared without a rank, if its value is known. */
  readonly rankOf: (key: Key) => number | undefined;
  /** Finds the text of `mod m;` for an entry. */
  readonly readModule?: ((entry: number) => ReadModule) | undefined;
}

/** The key of a name that is declared at the offset `start` of an entry. */
export function bindingKey(entry: number, name: string, start: number): Key {
  return `${entry}:${start}:${name}`;
}

export function checkEntries(
  entries: readonly Placed[],
  { rankOf, readModule }: EntriesOptions,
): CheckedEntries {
  const ranks = new Map<string, number>();
  let current = 0;
  const last = entries.at(-1)!.entry.module;
  const checker = newChecker(elaborators, ranks, [], {
    root: last.source,
    ...(readModule ? { readModule: (name, from) => readModule(current)(name, from) } : {}),
  });
  const keys = new Map<Bound, Key>();
  const bound: Action[] = [];
  let done: readonly Action[] = [];
  let place: Place | undefined;
  for (const {
    at,
    entry: { module },
  } of entries) {
    current = at;
    // Earlier entries have already printed and asserted. Only their bindings take part.
    bound.push(...done.filter(({ kind }) => kind === "bind"));
    for (const statement of module.statements) {
      if (statement.kind !== "input") continue;
      const { text, span } = statement.name;
      const rank = rankOf(bindingKey(at, text, span.start));
      if (rank === undefined) ranks.delete(text);
      else ranks.set(text, rank);
    }
    place = placeIn(checker, entryScope(place?.scope, module.statements));
    done = statements(place, module.statements);
    for (const action of done) {
      if (action.kind !== "bind") continue;
      const { name, span } = action.binding;
      keys.set(action.binding, bindingKey(at, name, span.start));
    }
  }
  const { scope } = place!;
  checkUncalled({ ...place!, effects: [] }, ownFunctions(scope));
  checkLiterals(place!);
  checkUncalledInModules(checker);
  checkUncalledLambdas(place!);
  checkAmbiguities(checker);
  checker.diagnostics = onceEach(checker.diagnostics, last);
  const all = [...bound, ...done];
  const sound = soundActions(all);
  if (errorCount(place!) === 0) reportSilence(place!, checker.silenced, sound.length < all.length);
  const actions = sound.map(withPrint);
  const inputs = actions.flatMap((action) =>
    action.kind === "bind" && action.binding.kind === "value" && action.binding.role === "input"
      ? [action.binding]
      : [],
  );
  return {
    checker,
    program: { actions, inputs, dimensions: dimensionsOf(scope) },
    scope,
    keys,
    last: done,
  };
}

/**
 * The names that an entry finds: those of the earlier entries, except the names that it declares
 * itself.
 */
function entryScope(before: Scope | undefined, list: readonly Statement[]): Scope {
  const scope = scopeInside();
  if (!before) return scope;
  for (const table of [
    "names",
    "functions",
    "types",
    "modules",
    "builtins",
    "ambiguous",
  ] as const) {
    const into = scope[table] as Names<unknown>;
    for (const [name, meaning] of before[table]) into.set(name, meaning);
  }
  for (const name of before.starred.keys()) scope.starred.set(name, "before");
  for (const statement of list) {
    const { functions, types, modules, values } = declaredBy(statement);
    for (const name of [...functions, ...types, ...modules, ...values]) {
      scope.starred.delete(name);
      scope.ambiguous.delete(name);
    }
    for (const name of functions) {
      scope.functions.delete(name);
      scope.builtins.delete(name);
      if (scope.names.get(name)?.kind === "value") scope.names.delete(name);
    }
    for (const name of types) scope.types.delete(name);
    for (const name of modules) scope.modules.delete(name);
    if (statement.kind === "input" || statement.kind === "const")
      for (const name of values) scope.names.delete(name);
  }
  return scope;
}

/** A bare expression is printed. */
function withPrint(action: Action): Action {
  if (action.kind !== "value" || !isShowable(action.value.type.kind)) return action;
  return { kind: "print", values: [action.value], when: [], span: action.span };
}

function isShowable(kind: string): boolean {
  return ["tensor", "tuple", "data", "list", "jagged", "function"].includes(kind);
}

/**
 * Reports an entry that was left out without any message. There is one good reason, an input whose
 * value is not known; any other is a defect of the compiler.
 */
function reportSilence(
  place: Place,
  silenced: Parameters<typeof report>[3] | undefined,
  lost: boolean,
): void {
  const { checker } = place;
  const [name] = checker.unranked;
  if (name !== undefined && (silenced || lost)) {
    checker.diagnostics.push(
      error(
        "E0801",
        `the rank of the input \`${name}\` is not known: it has no value yet`,
        silenced,
        {
          help: `give it: \`:in ${name}=file.npy\``,
        },
      ),
    );
  } else if (silenced)
    report(place, "E0999", "this is wrong, and the compiler cannot say why", silenced);
}

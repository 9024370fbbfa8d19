// The words that have a meaning at the prompt, as plain data for completion.

import { isText } from "../check/types/types.ts";
import { textMethods } from "../scalar/texts.ts";
import { builtins } from "../check/calls/builtins.ts";
import { builtinNames } from "../check/names/builtin-modules.ts";
import type { ModuleBinding, Scope } from "../check/names/scope.ts";
import type { Type } from "../check/types/types.ts";
import { standardTexts } from "../std/texts.ts";
import { parse } from "../syntax/parse/parser.ts";
import { elementWords, genericWords, keywords } from "../syntax/lex/tokens.ts";
import { namesDeclaredBy } from "./entry.ts";

export interface Vocabulary {
  /** Names that the session has bound: values, functions, types, modules. */
  readonly names: readonly string[];
  /** Names of axes and dimensions. */
  readonly coordinates: readonly string[];
  /** The words after `path::`: the exports of a module, the variants of an enum. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** The words after `name.`: the fields of a struct. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Inputs, with or without a value. */
  readonly inputs: readonly string[];
}

const contextualWords = ["in", "input", "rev", "checkpoint", "surrogate", "allow"] as const;

/** The words of the language itself. */
export const languageWords: readonly string[] = [
  ...new Set([
    ...keywords,
    ...contextualWords,
    ...builtins,
    ...builtinNames(),
    ...elementWords,
    ...genericWords,
  ]),
];

export const emptyVocabulary: Vocabulary = {
  names: [],
  coordinates: [],
  members: libraryMembers(),
  fields: new Map(),
  inputs: [],
};

/** The words of both vocabularies. */
export function extended(before: Vocabulary, now: Vocabulary): Vocabulary {
  const union = (a: readonly string[], b: readonly string[]): readonly string[] => [
    ...new Set([...a, ...b]),
  ];
  return {
    names: union(before.names, now.names),
    coordinates: union(before.coordinates, now.coordinates),
    members: new Map([...before.members, ...now.members]),
    fields: new Map([...before.fields, ...now.fields]),
    inputs: union(before.inputs, now.inputs),
  };
}

export function vocabularyOf(scope: Scope): Vocabulary {
  const members = new Map<string, readonly string[]>();
  const fields = new Map<string, readonly string[]>();
  const coordinates = new Set<string>();
  const names = new Set<string>();
  const inputs: string[] = [];
  for (const [name, binding] of scope.names) {
    if (binding.kind === "dimension") coordinates.add(binding.name);
    else if (!name.startsWith("..") && binding.kind !== "wrong") names.add(name);
    if (binding.kind === "value" && binding.role === "input") inputs.push(name);
    if (binding.kind !== "value" && binding.kind !== "tensor") continue;
    for (const axis of axisNames(binding.type)) coordinates.add(axis);
    fields.set(name, fieldsOf(binding.type));
  }
  for (const name of scope.functions.keys()) names.add(name);
  for (const name of scope.builtins.keys()) names.add(name);
  for (const [name, { declaration }] of scope.types) {
    names.add(name);
    if (declaration.kind === "enum")
      members.set(
        name,
        declaration.variants.map((variant) => variant.name.text),
      );
  }
  for (const [name, module] of scope.modules) {
    names.add(name);
    addModule(members, name, module);
  }
  return { names: [...names], coordinates: [...coordinates], members, fields, inputs };
}

function addModule(
  members: Map<string, readonly string[]>,
  path: string,
  module: ModuleBinding,
): void {
  members.set(
    path,
    [...module.public].filter((name) => !name.startsWith("*")),
  );
  for (const [name, inner] of module.scope.modules)
    if (module.public.has(name)) addModule(members, `${path}::${name}`, inner);
}

/** The members of `std` and of its modules. */
function libraryMembers(): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ["std", standardTexts.map(([name]) => name)],
    ...standardTexts.map(([name, text]): [string, readonly string[]] => [
      `std::${name}`,
      parse({ name: `std/${name}.ein`, text })
        .module.statements.filter((each) => each.public)
        .flatMap(namesDeclaredBy),
    ]),
  ]);
}

function axisNames(type: Type): readonly string[] {
  if (type.kind === "tuple") return type.members.flatMap(axisNames);
  return type.kind === "tensor" ? type.axes.flatMap((axis) => axis.name ?? []) : [];
}

function fieldsOf(type: Type): readonly string[] {
  switch (type.kind) {
    case "tensor":
      return isText(type) ? textMethods.map((method) => `${method}(`) : ["shape"];
    case "tuple":
      return type.members.map((_, k) => String(k));
    case "data":
      return type.of.declaration.kind === "struct"
        ? type.of.declaration.fields.map((field) => field.name.text)
        : [];
    default:
      return [];
  }
}

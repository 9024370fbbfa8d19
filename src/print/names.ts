// Names for a printed program: a valid identifier for each definition, and the text of extents and
// integer scalars. Where two definitions want the name `y`, the second one is `y_2`.

import { agreeing } from "../affine/agreeing.ts";
import { components } from "../base/components.ts";
import { equal, ofVariable, type Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import type { DataWords } from "./data.ts";
import { untoldIn } from "./told.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Definition, Program, ScalarFunction } from "../ir/program.ts";
import { functionsFrom, readsOf } from "../ir/references.ts";
import { operationOfFunction } from "../scalar/operations.ts";
import { reductionNames } from "../scalar/reductions.ts";
import { elementTypes } from "../scalar/types.ts";

/** The names that all lines of a printed program share. */
export interface Naming {
  readonly definitions: ReadonlyMap<Definition, string>;
  readonly outside: ReadonlyMap<Variable, Outside>;
  /** For each definition, the definitions that it forms a recurrence with. */
  readonly groups: ReadonlyMap<Definition, ReadonlySet<Definition>>;
  /** Definitions whose lines do not tell their element type by themselves. */
  readonly untold: ReadonlySet<Definition>;
  readonly functions: ReadonlyMap<ScalarFunction, string>;
  /** Words that no name may be. */
  readonly words: ReadonlySet<string>;
  /** Variables that are extents of inputs, and so are never negative. */
  readonly extents: ReadonlySet<Variable>;
  /** One extent for all extents that must be equal. */
  readonly representative: (extent: Variable) => Variable;
  /** How data that a run makes is written. */
  readonly data?: DataWords;
}

/**
 * A variable that no coordinate binds: its text, and the name that coordinates beside it must
 * avoid.
 */
interface Outside {
  readonly text: string;
  readonly name: string;
}

const keywords =
  "let const fn pub use mod as where else if match true false enum struct float int num".split(" ");
const builtins = "print assert len shape typeof extent stop rev input".split(" ");

/** Words that names made by the compiler must avoid. */
const words: ReadonlySet<string> = new Set([
  ...keywords,
  ...builtins,
  ...elementTypes,
  ...operationOfFunction.keys(),
  ...reductionNames,
]);
const reserved: ReadonlySet<string> = new Set(keywords);

export function isKeyword(name: string): boolean {
  return reserved.has(name);
}

/** The wanted name, with the smallest suffix that makes it new. The name is taken from then on. */
export function claim(taken: Set<string>, wanted: string): string {
  const valid = /^[A-Za-z_]\w*$/.test(wanted) ? wanted : `v_${wanted.replace(/\W+/g, "_")}`;
  const stem = valid.replace(/_\d+$/, "");
  const base = taken.has(valid) && taken.has(stem) ? stem : valid;
  let name = valid;
  for (let k = 2; taken.has(name); k++) name = `${base}_${k}`;
  taken.add(name);
  return name;
}

/**
 * Definitions in an order in which each comes after those that it reads. Those that read one
 * another form a group.
 */
export function inReadingOrder(
  definitions: readonly Definition[],
): readonly (readonly Definition[])[] {
  const at = new Map(definitions.map((definition, k) => [definition, k]));
  const edges = definitions.map((definition) =>
    [...readsOf(definition)].flatMap((read) => at.get(read) ?? []),
  );
  return components(definitions.length, (k) => edges[k]!).map((members) =>
    members.map((k) => definitions[k]!),
  );
}

/**
 * Names for all definitions. Inputs and dimension names come first, then the outputs under the
 * names by which a host asks for them, then the definitions that are written down, then all others.
 * `brought` are names that modules bring.
 */
export function nameAll(
  groups: readonly (readonly Definition[])[],
  program: Program,
  reserved: ReadonlySet<string> = new Set(),
  written: ReadonlySet<Definition> = new Set(),
  brought: Iterable<string> = [],
): Naming {
  const all = groups.flat();
  const taken = new Set<string>(program.dimensions.keys());
  const definitions = new Map<Definition, string>();
  const give = (definition: Definition, wanted: string): void => {
    if (!definitions.has(definition)) definitions.set(definition, claim(taken, wanted));
  };
  for (const input of all) if (input.origin === "input") give(input, input.name);
  const here = new Set(all);
  for (const [name, { definition }] of program.outputs)
    if (name !== "_" && here.has(definition) && !taken.has(name)) give(definition, name);
  for (const word of [...words, ...brought]) taken.add(word);
  for (const definition of [...all.filter((each) => written.has(each)), ...all])
    give(definition, definition.name);
  for (const name of reserved) taken.add(name);
  const functions = new Map(functionsIn(all).map((each) => [each, claim(taken, each.name)]));

  const outside = new Map<Variable, Outside>();
  const extents = new Set<Variable>();
  for (const [name, v] of program.dimensions) outside.set(v, { text: `extent(${name})`, name });
  for (const [v, definition] of program.scalars) {
    const name = definitions.get(definition);
    if (name) outside.set(v, { text: name, name });
  }
  for (const input of all) {
    if (input.origin !== "input") continue;
    for (const [axis, { extent }] of input.axes.entries()) {
      const [v] = variablesOf(extent);
      if (!v || program.scalars.has(v) || !equal(extent, ofVariable(v))) continue;
      extents.add(v);
      const name = definitions.get(input)!;
      if (!outside.has(v)) outside.set(v, { text: `shape(${name})[${axis}]`, name });
    }
  }
  const recurrences = new Map<Definition, ReadonlySet<Definition>>();
  const untold = new Set<Definition>();
  for (const group of groups) {
    const [first] = group;
    const recurrent = group.length > 1 || readsOf(first!).has(first!);
    for (const member of group) recurrences.set(member, new Set(recurrent ? group : []));
    if (recurrent) for (const member of untoldIn(group)) untold.add(member);
  }
  const representative = agreeing(program.agreements);
  return {
    definitions,
    outside,
    functions,
    words,
    groups: recurrences,
    untold,
    extents,
    representative,
  };
}

/** All functions that definitions call, directly or not. */
export function functionsIn(definitions: readonly Definition[]): readonly ScalarFunction[] {
  const found = new Set<ScalarFunction>();
  for (const scalar of definitions.flatMap(({ clauses }) => clauses.flatMap(scalarsOf))) {
    eachScalar(scalar, (part) => {
      if (part.kind !== "call" || found.has(part.invocation.function)) return;
      for (const called of functionsFrom(part.invocation.function)) found.add(called);
    });
  }
  return [...found];
}

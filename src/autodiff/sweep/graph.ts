// What a derivative depends on. It follows reads, except at a call with a tangent rule: from the
// value it goes to the tangent that the rule gives, through what is linear in the parameters'
// tangents, and from their stand-ins to the parameters.

import type { Definition } from "../../ir/program.ts";
import { readsWithFormulas } from "./formulas.ts";
import { runningOf, type Running } from "../rules/running.ts";
import { readsThroughData } from "../data/through-data.ts";

export interface Graph {
  /** Every definition that the root may depend on. */
  readonly all: readonly Definition[];
  /** The ways on from a definition. */
  readonly ways: (definition: Definition) => readonly Definition[];
  /** The parameter whose tangent a stand-in is. */
  readonly parameterOf: (standIn: Definition) => Definition | undefined;
  /** Depends on a stand-in: in its clauses only tangents vary, primal values are constants. */
  readonly isTangent: (definition: Definition) => boolean;
  /** Where a derivative goes along the cells of a definition that does not read itself. */
  readonly running: (definition: Definition) => Running | undefined;
}

/** `isEnd` says where to stop: what lies behind such a definition does not count. */
export function graphOf(
  root: Definition,
  isEnd: (definition: Definition) => boolean = () => false,
): Graph {
  const parameters = new Map<Definition, Definition>();
  const found = new Set<Definition>([root]);
  const ends = (definition: Definition): boolean => definition !== root && isEnd(definition);
  for (const definition of found) {
    if (ends(definition)) continue;
    for (const read of readsWithFormulas(definition)) found.add(read);
    if (!definition.rule) continue;
    found.add(definition.rule.tangent);
    for (const { primal, tangent } of definition.rule.parameters) {
      found.add(primal);
      parameters.set(tangent, primal);
    }
  }
  const tangents = dependents(found, new Set(parameters.keys()));
  const ways = (definition: Definition): readonly Definition[] => {
    const primal = parameters.get(definition);
    if (ends(definition)) return [];
    if (primal) return [primal];
    if (definition.rule) return [definition.rule.tangent];
    const reads = readsThroughData(definition);
    const along = runningOf(definition) ? [...reads, definition] : reads;
    return tangents.has(definition) ? along.filter((read) => tangents.has(read)) : along;
  };
  return {
    all: [...found],
    ways,
    parameterOf: (standIn) => parameters.get(standIn),
    isTangent: (definition) => tangents.has(definition),
    running: runningOf,
  };
}

/** The sources, and everything among the definitions that reads one of them, at any distance. */
export function dependents(
  among: Iterable<Definition>,
  sources: ReadonlySet<Definition>,
): ReadonlySet<Definition> {
  if (sources.size === 0) return sources;
  const readers = new Map<Definition, Definition[]>();
  for (const definition of among) {
    for (const read of readsWithFormulas(definition))
      readers.set(read, [...(readers.get(read) ?? []), definition]);
  }
  const found = new Set(sources);
  for (const definition of found)
    for (const reader of readers.get(definition) ?? []) found.add(reader);
  return found;
}

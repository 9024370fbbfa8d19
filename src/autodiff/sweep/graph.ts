// The graph of a derivative: the ways on from each definition. It follows reads, except at a call
// with a tangent rule. There it goes from the value to the tangent of the rule, through the
// definitions that are linear in the parameters' tangents, and from the stand-ins of these tangents
// to the parameters.

import type { Definition } from "../../ir/program.ts";
import { readsWithFormulas } from "./formulas.ts";
import { runningOf, type Running } from "../rules/running.ts";
import { readsThroughData } from "../data/through-data.ts";

export interface Graph {
  /** Every definition that the root may depend on. */
  readonly all: readonly Definition[];
  /** The definitions to which a derivative goes on from a definition. */
  readonly ways: (definition: Definition) => readonly Definition[];
  /** The parameter for whose tangent a stand-in stands. */
  readonly parameterOf: (standIn: Definition) => Definition | undefined;
  /**
   * Does the definition depend on a stand-in? Then only tangents vary in its clauses. Primal values
   * are constants there.
   */
  readonly isTangent: (definition: Definition) => boolean;
  /** How a derivative goes along the cells of a running reduction, which does not read itself. */
  readonly running: (definition: Definition) => Running | undefined;
}

/** Definitions behind one with `isEnd` are left out. */
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

/** The sources, and all definitions that read a source, directly or through others. */
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

// Who has to wait for whom. What a definition reads is there before it; in a recurrence, what a point reads of earlier ones is.
//
//   R[i, j] = least[i, j] + D[i, j],   least[i, j] = min(R[i - 1, j], R[i, j - 1])
//
// Both read one another, and still R does not wait until `least` is done: it has what it needs of it at its own point, and `least` reads earlier ones.

import { components } from "../components.ts";
import { eachScalar } from "../parts.ts";
import type { Definition } from "../program.ts";
import { readsOf, readsOfFunction } from "../references.ts";
import { isEarlier, type Read } from "./steps.ts";
import { visitsOf, type Visit } from "./visits.ts";

/** Definitions as others read them, and as they are computed. */
export type Computed = ReadonlyMap<Definition, Definition>;

/** What is computed in one walk, and what has to be there before it. */
export interface Together {
  readonly visits: readonly Visit[];
  readonly waitsFor: ReadonlySet<Definition>;
}

export interface Waits {
  /** Each after what it reads; of a recurrence, after what it reads at its own point. */
  readonly order: readonly Definition[];
  /** What has to be there before a visit, where some cells that it reads are there at its points. */
  readonly waitsFor: (visit: Visit, isThere: (read: Read) => boolean) => ReadonlySet<Definition>;
  readonly noteWalk: (definition: Definition, walk: Together) => void;
  /** The recurrence that a definition belongs to. */
  readonly groupOf: (definition: Definition) => ReadonlySet<Definition> | undefined;
  /** Whether a walk is of the recurrence that a definition belongs to. */
  readonly isOwn: (definition: Definition, walk: Together) => boolean;
  /** Whether a definition that waits for some others waits for a walk to be done, or the walk for the definition. */
  readonly areInTurn: (
    definition: Definition,
    waitsFor: ReadonlySet<Definition>,
    walk: Together,
  ) => boolean;
}

interface Before {
  readonly definitions: ReadonlySet<Definition>;
  readonly walks: ReadonlySet<Together>;
}

export function newWaits(computed: Computed): Waits {
  const names = [...computed.keys()];
  const reads = new Map(
    [...computed].map(([name, own]) => [
      name,
      [...readsOf(own)].filter((read) => computed.has(read)),
    ]),
  );
  const groups = recurrencesAmong(names, (name) => reads.get(name)!);
  const walksWith = new Map<Definition, Set<Together>>();
  const waitsFor = (visit: Visit, isThere: (read: Read) => boolean): ReadonlySet<Definition> => {
    const group = groups.get(visit.definition);
    const isOpen = (read: Read): boolean =>
      !isThere(read) && !(group?.has(read.definition) && isEarlier(visit, read));
    return new Set([...neededBy(visit, isOpen)].filter((read) => computed.has(read)));
  };
  const inStep = new Map<Definition, readonly Definition[]>();
  /** What a definition of a recurrence reads, but for what is there from earlier points. */
  const readsInStep = (name: Definition): readonly Definition[] => {
    let found = inStep.get(name);
    if (!found)
      inStep.set(
        name,
        (found = visitsOf(computed.get(name)!, name).flatMap((visit) => [
          ...waitsFor(visit, () => false),
        ])),
      );
    return found;
  };
  /** All that has to be there for some definitions to be, and the walks that have to be done; seen from inside of a recurrence, in one of its steps. */
  const before = (starts: Iterable<Definition>, group?: ReadonlySet<Definition>): Before => {
    const definitions = new Set(starts);
    const walks = new Set<Together>();
    for (const each of definitions) {
      for (const read of group?.has(each) ? readsInStep(each) : reads.get(each)!)
        definitions.add(read);
      for (const walk of walksWith.get(each) ?? []) {
        walks.add(walk);
        for (const needed of walk.waitsFor) definitions.add(needed);
      }
    }
    return { definitions, walks };
  };
  const isOwn = (definition: Definition, { visits }: Together): boolean =>
    visits.every((each) => groups.get(definition)?.has(each.definition));
  const below = new Map(names.map((name) => [name, before([name]).definitions.size]));
  const belowInStep = new Map(
    names.map((name) => [name, before([name], groups.get(name)).definitions.size]),
  );
  return {
    order: names.sort(
      (a, b) => below.get(a)! - below.get(b)! || belowInStep.get(a)! - belowInStep.get(b)!,
    ),
    waitsFor,
    noteWalk: (definition, walk) =>
      void walksWith.set(definition, new Set([...(walksWith.get(definition) ?? []), walk])),
    groupOf: (definition) => groups.get(definition),
    isOwn,
    areInTurn(definition, needed, walk) {
      const group = groups.get(definition);
      // What a recurrence reads has to be there before its first step.
      if (group && !isOwn(definition, walk)) return true;
      return (
        before(needed, group).walks.has(walk) ||
        before(walk.waitsFor, group).definitions.has(definition)
      );
    },
  };
}

/** The recurrences that definitions belong to. */
function recurrencesAmong(
  names: readonly Definition[],
  reads: (name: Definition) => readonly Definition[],
): ReadonlyMap<Definition, ReadonlySet<Definition>> {
  const at = new Map(names.map((name, k) => [name, k]));
  const edges = names.map((name) => reads(name).map((read) => at.get(read)!));
  const circles = components(names.length, (k) => edges[k]!).filter(
    ([first, ...others]) => others.length > 0 || edges[first!]!.includes(first!),
  );
  const groups = circles.map((group) => new Set(group.map((k) => names[k]!)));
  return new Map(groups.flatMap((group) => [...group].map((name) => [name, group] as const)));
}

/** The definitions that a visit reads in an open way, in its bounds, or through functions. */
function neededBy(
  { definition, loops, guards, scalars }: Visit,
  isOpen: (read: Read) => boolean,
): ReadonlySet<Definition> {
  const needed = new Set(definition.needs);
  const bounds = loops.flatMap(({ from, to }) => [from, to]);
  for (const scalar of [...bounds, ...guards, ...scalars])
    eachScalar(scalar, (part) => {
      if (part.kind === "read" && isOpen(part)) needed.add(part.definition);
      if (part.kind === "call")
        for (const read of readsOfFunction(part.invocation.function)) needed.add(read);
    });
  return needed;
}

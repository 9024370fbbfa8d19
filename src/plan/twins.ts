// Reductions that are written twice: of two that are the same but for the names of their
// coordinates, one is computed.

import { isOff } from "../ir/rewrites.ts";
import { ofVariable, type Term, type Variable } from "../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { instantiate, integerScalar, type Replacements } from "../ir/substitute.ts";
import { isSameScalar } from "./same.ts";

/** What has to be known of definitions to let one stand for another. */
export interface Circumstances {
  readonly sizes: (term: Term) => number;
  /** Whether somebody looks at its cells. */
  readonly isSeen: (definition: Definition) => boolean;
  /** Whether every cell of it is there for whoever reads it. */
  readonly mayShare: (definition: Definition) => boolean;
  /** Who reads it, as far as all its reads are known. */
  readonly readersOf: (definition: Definition) => ReadonlySet<Definition> | undefined;
  readonly canRead: (reader: Definition, definition: Definition) => boolean;
}

/** For definitions that need not be computed, those that stand for them. */
export function twinsAmong(
  definitions: readonly Definition[],
  { sizes, isSeen, mayShare, readersOf, canRead }: Circumstances,
): ReadonlyMap<Definition, Definition> {
  const twins = new Map<Definition, Definition>();
  if (isOff("twins")) return twins;
  const isStandingIn = new Set<Definition>();
  /** Whether all who read `one` could read `other`: it is there when they are computed. */
  const canStandFor = (other: Definition, one: Definition): boolean => {
    const readers = isSeen(one) ? undefined : readersOf(one);
    return readers !== undefined && [...readers].every((reader) => canRead(reader, other));
  };
  const places = new Map(definitions.map((definition, k) => [definition, k]));
  const alike = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const [only, ...more] = definition.clauses;
    if (
      !only ||
      more.length > 0 ||
      only.otherwise ||
      only.body.kind !== "reduce" ||
      !mayShare(definition)
    )
      continue;
    const extents = definition.axes.map(({ extent }) => sizes(extent));
    if (extents.some(Number.isNaN)) continue;
    const read = [...readsOf(definition)]
      .map((each) => places.get(each) ?? -1)
      .toSorted((a, b) => a - b);
    const key = [extents.join("x"), read.join("+"), outlineOf(definition, only)].join(" ");
    const group = alike.get(key);
    if (!group) alike.set(key, [definition]);
    else {
      const found = group.findIndex((each) => isSame(each.clauses[0]!, only));
      const other = group[found];
      if (!other) group.push(definition);
      else if (canStandFor(other, definition)) {
        twins.set(definition, other);
        isStandingIn.add(other);
      } else if (canStandFor(definition, other) && !isStandingIn.has(other)) {
        twins.set(other, definition);
        isStandingIn.add(definition);
        group[found] = definition;
      }
    }
  }
  return twins;
}

/** What definitions have in common that can be the same. */
function outlineOf({ element }: Definition, { loops, guards, body }: Clause): string {
  const reduced =
    body.kind === "reduce" ? [body.reduction, body.loops.length, body.guards.length] : [];
  return [element, loops.length, guards.length, ...reduced].join();
}

function isSame(a: Clause, b: Clause): boolean {
  if (a.body.kind !== "reduce" || b.body.kind !== "reduce") return false;
  const by: Replacements = new Map(
    pairs([...a.loops, ...a.body.loops], [...b.loops, ...b.body.loops]).map(
      ([own, other]): [Variable, Scalar] => [
        other.variable,
        integerScalar(ofVariable(own.variable)),
      ],
    ),
  );
  const isSameHere = ([own, other]: readonly [Scalar, Scalar]): boolean =>
    isSameScalar(own, instantiate(other, by));
  const ends = ({ from, to }: Loop): readonly Scalar[] => [from, to];
  return (
    pairs(a.loops.flatMap(ends), b.loops.flatMap(ends)).every(isSameHere) &&
    pairs(a.body.loops.flatMap(ends), b.body.loops.flatMap(ends)).every(isSameHere) &&
    pairs(a.guards, b.guards).every(isSameHere) &&
    pairs(a.body.guards, b.body.guards).every(isSameHere) &&
    isSameHere([a.body.value, b.body.value])
  );
}

function pairs<T>(a: readonly T[], b: readonly T[]): readonly (readonly [T, T])[] {
  return a.map((each, k) => [each, b[k]!]);
}

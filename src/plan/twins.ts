// Finds reductions that are written twice. Of two reductions that differ only in the names of their
// coordinates, one is computed:
//
//   let a = sum[i](x[i] ** 2);
//   let b = sum[j](x[j] ** 2);    // b reads a

import { isOff } from "../ir/rewrites.ts";
import { type Term, type Variable } from "../affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { instantiate, coordinateScalar, type Replacements } from "../ir/substitute.ts";
import { isSameScalar } from "./same.ts";

/** Facts about definitions that decide whether one may stand for another. */
interface Circumstances {
  readonly sizes: (term: Term) => number;
  /** Whether the host looks at the cells of a definition. */
  readonly isSeen: (definition: Definition) => boolean;
  /** Whether a definition keeps all its cells for every reader. */
  readonly mayShare: (definition: Definition) => boolean;
  /** The readers of a definition; `undefined` where not all its reads are known. */
  readonly readersOf: (definition: Definition) => ReadonlySet<Definition> | undefined;
  readonly canRead: (reader: Definition, definition: Definition) => boolean;
}

/** Maps each definition that need not be computed to the one that stands for it. */
export function twinsAmong(
  definitions: readonly Definition[],
  { sizes, isSeen, mayShare, readersOf, canRead }: Circumstances,
): ReadonlyMap<Definition, Definition> {
  const twins = new Map<Definition, Definition>();
  if (isOff("twins")) return twins;
  const isStandingIn = new Set<Definition>();
  /**
   * Whether all readers of `definition` could read `other` instead, because `other` is computed
   * before them.
   */
  const canStandFor = (other: Definition, definition: Definition): boolean => {
    const readers = isSeen(definition) ? undefined : readersOf(definition);
    return readers !== undefined && [...readers].every((reader) => canRead(reader, other));
  };
  const positions = new Map(definitions.map((definition, k) => [definition, k]));
  const groupsByKey = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const [clause, ...more] = definition.clauses;
    if (
      !clause ||
      more.length > 0 ||
      clause.otherwise ||
      clause.body.kind !== "reduce" ||
      !mayShare(definition)
    )
      continue;
    const extents = definition.axes.map(({ extent }) => sizes(extent));
    if (extents.some(Number.isNaN)) continue;
    const read = [...readsOf(definition)]
      .map((each) => positions.get(each) ?? -1)
      .toSorted((a, b) => a - b);
    const key = [extents.join("x"), read.join("+"), outlineOf(definition, clause)].join(" ");
    const group = groupsByKey.get(key);
    if (!group) groupsByKey.set(key, [definition]);
    else {
      const found = group.findIndex((each) => areSameReductions(each.clauses[0]!, clause));
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

/** A key of a reduction. Equal reductions have equal keys. */
function outlineOf({ element }: Definition, { loops, guards, body }: Clause): string {
  const reduced =
    body.kind === "reduce" ? [body.reduction, body.loops.length, body.guards.length] : [];
  return [element, loops.length, guards.length, ...reduced].join();
}

function areSameReductions(a: Clause, b: Clause): boolean {
  if (a.body.kind !== "reduce" || b.body.kind !== "reduce") return false;
  const renaming: Replacements = new Map(
    pairs([...a.loops, ...a.body.loops], [...b.loops, ...b.body.loops]).map(
      ([own, other]): [Variable, Scalar] => [other.variable, coordinateScalar(own)],
    ),
  );
  const isSameHere = ([own, other]: readonly [Scalar, Scalar]): boolean =>
    isSameScalar(own, instantiate(other, renaming));
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

// Names the coordinates of an adjoint: with the names of the declaration, or else with the names of
// the first read in the source.

import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { integerOf } from "../../ir/integers.ts";
import { jointName } from "../../check/names/joint-name.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import type { Activity } from "./activity.ts";

const letters = ["i", "j", "k", "l", "m", "n", "p", "q"];

/** The name of a coordinate, and its pack. */
export interface CoordinateName {
  readonly name: string;
  readonly pack?: string | undefined;
}

export function coordinateNames(
  activity: Activity,
  definition: Definition,
): readonly CoordinateName[] {
  const declared = definition.axes.map((axis) => axis.name);
  const loops = definition.clauses[0]?.loops;
  const use =
    declared.some((name) => name === undefined) || new Set(declared).size < declared.length
      ? firstUse(activity, definition)
      : undefined;
  const taken = new Set<string>();
  const repeated = (name: string | undefined): boolean =>
    declared.filter((other) => other === name).length > 1;
  return definition.axes.map((_, k) => {
    const own = declared[k];
    const isOwn = own !== undefined && !repeated(own);
    const wanted: CoordinateName | undefined = isOwn
      ? {
          name: own,
          pack: loops ? packAt(loops[k]?.variable, own) : packIn(activity, definition, k, own),
        }
      : indexName(use?.indices[k]);
    const name: CoordinateName =
      wanted !== undefined && !taken.has(wanted.name)
        ? wanted
        : { name: letters.find((letter) => !taken.has(letter) && !declared.includes(letter))! };
    taken.add(name.name);
    return name;
  });
}

function packAt(v: Variable | undefined, name: string): string | undefined {
  return v?.name === name ? v.pack : undefined;
}

/** An input has no clause. Its axis belongs to the pack under which it is first read. */
function packIn(
  activity: Activity,
  definition: Definition,
  axis: number,
  name: string,
): string | undefined {
  const index = firstUse(activity, definition)?.indices[axis];
  const term = index && integerOf(index);
  const [only] = term ? variablesOf(term) : [];
  return packAt(only, name);
}

function indexName(index: Scalar | undefined): CoordinateName | undefined {
  const term = index && integerOf(index);
  if (!term) return undefined;
  const { constant, parts } = term;
  const variables = [...variablesOf(term)];
  const [only, ...others] = variables;
  if (!only) return undefined;
  if (others.length === 0)
    return constant === 0 && parts[0]!.coefficient === 1 && parts[0]!.factors.length === 1
      ? { name: only.name, pack: only.pack }
      : undefined;
  const joint = jointName(variables.map((v) => v.name));
  return joint === undefined ? undefined : { name: joint };
}

type Read = Extract<Scalar, { kind: "read" }>;

/** For each definition that the numerator depends on, its first read in the source. */
const firstUses = new WeakMap<Activity["all"], ReadonlyMap<Definition, Read>>();

function firstUse({ all }: Activity, definition: Definition): Read | undefined {
  let found = firstUses.get(all);
  if (!found) firstUses.set(all, (found = firstUsesIn(all)));
  return found.get(definition);
}

function firstUsesIn(readers: readonly Definition[]): ReadonlyMap<Definition, Read> {
  const found = new Map<Definition, Read>();
  for (const scalar of readers.flatMap(({ clauses }) => clauses.flatMap(scalarsOf)))
    eachScalar(scalar, (part) => {
      if (part.kind !== "read") return;
      const first = found.get(part.definition);
      if (!first || part.span.start < first.span.start) found.set(part.definition, part);
    });
  return found;
}

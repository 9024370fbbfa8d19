// Which definitions kernels can compute, whatever the sizes are, and why the oracle computes the
// others. A tensor of strings, for example, is always the oracle's.

import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import type { Storage } from "../../plan/storage.ts";
import { tiesOf } from "../../analyse/ties.ts";
import type { Fused } from "../../plan/fuse.ts";
import { isRagged } from "../interpret/evaluate.ts";
import { isRunning } from "../interpret/reduce.ts";
import { askedBy, type Unit } from "../order.ts";

/** The clauses of a definition, and those of the reductions that are merged into its kernel. */
export function clausesIn({ clausesOf, merged }: Fused, definition: Definition): readonly Clause[] {
  const own = clausesOf(definition);
  const reductions = [...merged].filter(([, reader]) => reader === definition);
  return reductions.length === 0
    ? own
    : [...own, ...reductions.flatMap(([reduction]) => clausesOf(reduction))];
}

/**
 * Whether the guards of a reduction choose the cell of each term, as in `sum[p](v[p] where at[p] ==
 * i)`.
 */
function isScatter({ loops, body }: Clause): boolean {
  return body.kind === "reduce" && tiesOf(loops, body.loops, body.guards).length > 0;
}

/** Why the oracle computes a definition at every size; `undefined` if kernels can compute it. */
export function whyNot(definition: Definition, clauses: readonly Clause[]): string | undefined {
  if (definition.origin === "literal") return "a literal";
  if (definition.element === "str") return "strings";
  if (definition.element === "data") return "data";
  if (isRagged(definition)) return "ragged rows";
  let why: string | undefined;
  for (const scalar of clauses.flatMap(scalarsOf)) {
    eachScalar(scalar, (part) => {
      if (part.type === "str" || part.kind === "text") why ??= "strings";
      else if (part.type === "data" || part.kind === "data") why ??= "data";
      else if (part.kind === "call" || part.kind === "parameter") why ??= "a call of a function";
    });
  }
  return why;
}

/**
 * Whether kernels can compute a definition step by step along with the loop of a recurrence. A
 * running reduction cannot be taken along, because it carries a total from one cell to the next,
 * nor can a scatter.
 */
export function canFollow(definition: Definition): boolean {
  const { clauses } = definition;
  return (
    whyNot(definition, clauses) === undefined &&
    !clauses.some((clause) => isRunning(clause) || isScatter(clause))
  );
}

/** The definitions that a unit computes, with those that its loop computes by the step. */
export function computedIn(storage: Storage, unit: Unit): readonly Definition[] {
  return unit.kind === "group"
    ? [...unit.definitions, ...askedBy(storage, unit.group)]
    : unit.definitions;
}

/** The integer variables that definitions use. Coordinates are not among them. */
export interface Integers {
  /** Sizes, and the integers in indices, bounds and guards. A kernel is made for their values. */
  readonly fixed: readonly Variable[];
  /**
   * Scalars of the program that only enter arithmetic. A kernel reads them when it runs, so another
   * value needs no other kernel.
   */
  readonly read: ReadonlyMap<Variable, Definition>;
}

export function integersIn(
  fused: Fused,
  definitions: readonly Definition[],
  scalars: ReadonlyMap<Variable, Definition>,
): Integers {
  const fixed = new Set<Variable>();
  const used = new Set<Variable>();
  const coordinates = new Set<Variable>();
  const collectInto = (found: Set<Variable>) => (part: Scalar) => {
    if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
  };
  const fix = (scalar: Scalar): void => eachScalar(scalar, collectInto(fixed));
  for (const definition of definitions) {
    for (const axis of definition.axes) for (const v of variablesOf(axis.extent)) fixed.add(v);
    for (const { loops, guards, body, otherwise } of clausesIn(fused, definition)) {
      const all = body.kind === "reduce" ? [...loops, ...body.loops] : loops;
      for (const { variable, from, to } of all) {
        coordinates.add(variable);
        fix(from);
        fix(to);
      }
      for (const guard of body.kind === "reduce" ? [...guards, ...body.guards] : guards) fix(guard);
      for (const value of otherwise ? [body.value, otherwise] : [body.value]) {
        eachScalar(value, (part) => {
          if (part.kind === "read") for (const index of part.indices) fix(index);
          // Beside a coordinate, as in `i + k`, the integer is part of a position, and not a
          // number.
          const isPosition =
            part.kind === "integer" && [...variablesOf(part.term)].some((v) => coordinates.has(v));
          collectInto(isPosition ? fixed : used)(part);
        });
      }
    }
  }
  const read = new Map<Variable, Definition>();
  for (const v of used) {
    const scalar = fixed.has(v) ? undefined : scalars.get(v);
    if (scalar?.element === "i32") read.set(v, scalar);
    else fixed.add(v);
  }
  return { fixed: [...fixed].filter((v) => !coordinates.has(v)), read };
}

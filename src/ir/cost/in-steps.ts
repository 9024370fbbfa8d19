// Visits of a recurrence in one walk, where some are of other steps than the walk's: whether each of them finds what it reads.
//
//   a[t] = b[t + 1]·u[t],   b[t] = a[t]·w[t],   for t downward      b[t + 1] and a[t] in one step: a[t + 1] is of the one before

import { add, ofVariable, subtract } from "../../affine/term.ts";
import { integerOf } from "../integers.ts";
import { numberOf } from "../keys.ts";
import { readsIn } from "../parts.ts";
import type { Definition, Loop, Scalar } from "../program.ts";
import { integerScalar } from "../substitute.ts";
import { isEarlier, type Read } from "./steps.ts";
import { numberOfCell, type Visit } from "./visits.ts";

/** Whether visits, and others that were moved to their steps, find all that they read of their recurrence: in earlier points, or in their own where those who compute it do not read them there. */
export function areInSteps(
  visits: readonly Visit[],
  moved: readonly Visit[],
  group: ReadonlySet<Definition>,
): boolean {
  const all = [...visits, ...moved];
  const { loops, guards, order } = visits[0]!;
  const isThere = (some: readonly Visit[], read: Read): boolean =>
    some.some(
      ({ definition, at }) =>
        at && definition === read.definition && numberOfCell(definition, at) === numberOf(read),
    );
  const isBefore = (read: Read): boolean => {
    const makers = all.filter(({ definition }) => definition === read.definition);
    return makers.every(
      ({ at }) =>
        at &&
        isEarlier({ loops, guards, order }, { ...read, indices: madeAt(read.indices, at, loops) }),
    );
  };
  const readsOfGroup = (some: readonly Visit[]): readonly Read[] =>
    readsIn(some.flatMap(({ scalars }) => scalars)).filter(({ definition }) =>
      group.has(definition),
    );
  const [own, others] = [readsOfGroup(visits), readsOfGroup(moved)];
  const isWhole = [...group].every((member) => all.some(({ definition }) => definition === member));
  const areMutual =
    own.some((read) => isThere(moved, read)) && others.some((read) => isThere(visits, read));
  return (
    isWhole &&
    !areMutual &&
    [...own, ...others].every((read) => isThere(all, read) || isBefore(read))
  );
}

/** The point at which a cell is made, where a point makes the cell that stands somewhere beside it. */
function madeAt(
  cell: readonly Scalar[],
  beside: readonly Scalar[],
  loops: readonly Loop[],
): readonly Scalar[] {
  return cell.map((index, k) => {
    const [place, own] = [integerOf(index), integerOf(beside[k]!)];
    return place && own && loops[k]
      ? integerScalar(add(subtract(place, own), ofVariable(loops[k].variable)))
      : index;
  });
}

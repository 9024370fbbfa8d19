// Locals that a branch binds for itself. A local without coordinates could be computed once, before
// all cells. But if it can fail and is used under a condition only, the branch has to bind it, so
// that it is computed only where the condition holds:
//
//   if 0 <= w { let t = x[w] + 1; t * t } else { 0 }

import type { Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { cannotFail, valueOf } from "../analyse/can-fail.ts";
import { eachScalar, partsOf } from "../ir/parts.ts";
import type { Names } from "./scalar.ts";
import type { Local, Scalar } from "../ir/program.ts";

/**
 * The locals that have to be bound inside the branches of some scalars. Such a local is used in
 * branches only. It can fail and mentions no coordinate, or it uses a local of this kind.
 */
export function lateLocals(
  scalars: readonly Scalar[],
  coordinates: ReadonlySet<Variable>,
): ReadonlySet<Local> {
  const sure = new Set(scalars.flatMap((scalar) => usedAtOnce(scalar)));
  const others = new Set<Local>();
  for (const scalar of scalars)
    eachLocal(scalar, (local) => void (sure.has(local) || others.add(local)));
  const apart = [...others].filter(({ value }) => failsWithoutCoordinates(value, coordinates));
  if (apart.length === 0) return new Set();
  const uses = ({ value }: Local): boolean => {
    let found = false;
    eachLocal(value, (local) => void (found ||= apart.includes(local)));
    return found;
  };
  return new Set([...apart, ...[...others].filter(uses)]);
}

function eachLocal(scalar: Scalar, visit: (local: Local) => void): void {
  eachScalar(scalar, (part) => void (part.kind === "local" && visit(part.local)));
}

/** Names with which each branch binds the late locals that it uses outside of its own branches. */
export function withBranches<Own extends Names>(
  names: Own,
  late: ReadonlySet<Local>,
  bound: ReadonlySet<Local> = new Set(),
): Own {
  if (late.size === 0) return names;
  return {
    ...names,
    local: (local) => (late.has(local) && !bound.has(local) ? undefined : names.local(local)),
    branch(value) {
      const own = inOrderOfUse(
        usedAtOnce(value).filter((local) => late.has(local) && !bound.has(local)),
      );
      return { locals: own, inside: withBranches(names, late, new Set([...bound, ...own])) };
    },
  };
}

/** The locals that a scalar uses outside of its branches. Each comes after those that it uses. */
function usedAtOnce(scalar: Scalar, found: Local[] = []): readonly Local[] {
  if (scalar.kind === "local") {
    if (found.includes(scalar.local)) return found;
    usedAtOnce(scalar.local.value, found);
    found.push(scalar.local);
  } else if (scalar.kind === "select") usedAtOnce(scalar.condition, found);
  else for (const part of partsOf(scalar)) usedAtOnce(part, found);
  return found;
}

/** Locals in an order in which each comes after those that it uses, in branches too. */
function inOrderOfUse(locals: readonly Local[]): readonly Local[] {
  const ordered = new Set<Local>();
  const place = (local: Local): void => {
    if (ordered.has(local)) return;
    eachLocal(local.value, (used) => void (used !== local && locals.includes(used) && place(used)));
    ordered.add(local);
  };
  locals.forEach(place);
  return [...ordered];
}

/** Whether a scalar can fail and mentions no coordinate. */
function failsWithoutCoordinates(scalar: Scalar, coordinates: ReadonlySet<Variable>): boolean {
  let [canFail, isFree] = [false, true];
  eachScalar(scalar, (part) => {
    if (part.kind === "integer")
      isFree &&= ![...variablesOf(part.term)].some((v) => coordinates.has(v));
    if (part.kind === "read")
      canFail ||= part.indices.some((index) => valueOf(index) === undefined);
    if (part.kind === "apply") canFail ||= !cannotFail(part);
    if (part.kind === "call") canFail = true;
  });
  return canFail && isFree;
}

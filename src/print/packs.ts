// Which coordinates of a printed clause are written as a pack: those that occur together
// everywhere, in order and bare. `y[b0, b1] = x[b0, b1]` is `y[..b] = x[..b]`.

import { bareVariable, type Pack } from "./scalar.ts";
import type { Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Loop, Scalar } from "../ir/program.ts";

/** `inferred` are the coordinates whose range need not be written. */
export function packsOf(
  clause: Clause,
  inferred: ReadonlySet<Variable>,
): ReadonlyMap<Variable, Pack> {
  const { body } = clause;
  const lists = [clause.loops, ...(body.kind === "reduce" ? [body.loops] : [])];
  const found = new Map<Variable, Pack>();
  let packs = lists
    .flatMap(candidates)
    .filter(
      (pack) =>
        pack.variables.every((v) => inferred.has(v)) && isUsedTogether(clause, pack.variables),
    );
  // If two packs only occur side by side, nothing decides where one ends. Then the last one is
  // written out, which decides the other.
  while (packs.some((pack) => !isSettled(clause, pack, packs))) packs = packs.slice(0, -1);
  for (const pack of packs) for (const v of pack.variables) found.set(v, pack);
  return found;
}

/** Whether some read contains this pack and no other pack of open length. */
function isSettled(
  clause: Clause,
  pack: Pack,
  all: readonly Pack[],
  open: ReadonlySet<Pack> = new Set(),
): boolean {
  return indicesOfReads(clause).some((indices) => {
    const at = indices.map(bareVariable);
    if (!at.includes(pack.variables[0])) return false;
    return all.every(
      (other) =>
        other === pack ||
        !at.includes(other.variables[0]) ||
        (!open.has(other) && isSettled(clause, other, all, new Set([...open, pack]))),
    );
  });
}

function indicesOfReads(clause: Clause): readonly (readonly Scalar[])[] {
  const found: (readonly Scalar[])[] = [];
  for (const scalar of scalarsOf(clause))
    eachScalar(scalar, (part) => void (part.kind === "read" && found.push(part.indices)));
  return found;
}

/** The groups of neighbouring coordinates that belong to one pack. */
function candidates(loops: readonly Loop[]): readonly Pack[] {
  const packs: { text: string; variables: Variable[] }[] = [];
  let last: string | undefined;
  for (const { variable: v } of loops) {
    if (v.pack !== undefined && v.pack === last) packs.at(-1)!.variables.push(v);
    else if (v.pack !== undefined) packs.push({ text: `..${v.pack}`, variables: [v] });
    last = v.pack;
  }
  const isOnce = ({ text }: Pack): boolean =>
    packs.filter((other) => other.text === text).length === 1;
  return packs.filter(isOnce);
}

function isUsedTogether(clause: Clause, variables: readonly Variable[]): boolean {
  const { body, guards, otherwise } = clause;
  const scalars: readonly Scalar[] = [
    ...guards,
    ...(body.kind === "reduce"
      ? [...body.guards, ...body.loops.flatMap((loop) => [loop.from, loop.to])]
      : []),
    body.value,
    ...(otherwise ? [otherwise] : []),
  ];
  let uses = 0;
  let mentions = 0;
  let isFine = true;
  for (const scalar of scalars) {
    eachScalar(scalar, (part) => {
      if (part.kind === "integer")
        mentions += variables.filter((v) => variablesOf(part.term).has(v)).length;
      if (part.kind !== "read") return;
      const at = part.indices.map(bareVariable);
      const first = at.indexOf(variables[0]);
      if (first < 0) return;
      uses += variables.length;
      isFine &&= variables.every((v, k) => at[first + k] === v);
    });
  }
  return isFine && uses > 0 && uses === mentions;
}

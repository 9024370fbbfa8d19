// The order in which derived definitions are printed: a definition comes after the definitions that
// it reads, and the members of a recurrence stand next to one another.

import { components } from "../../base/components.ts";
import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";

/**
 * The order in which the sweep reaches the adjoints, from the numerator back. `last` are the
 * definitions that nothing else needs.
 */
export function inOrderOfUse(
  definitions: readonly Definition[],
  last: readonly Definition[],
): readonly Definition[] {
  const done = new Set<Definition>();
  const among = new Set(definitions);
  const ordered: Definition[] = [];
  const visit = (definition: Definition): void => {
    if (done.has(definition) || !among.has(definition)) return;
    done.add(definition);
    for (const read of readsOf(definition)) visit(read);
    ordered.push(definition);
  };
  for (const definition of last) visit(definition);
  return recurrencesTogether(ordered);
}

/** Puts the members of a recurrence next to one another, after everything that any member reads. */
function recurrencesTogether(ordered: readonly Definition[]): readonly Definition[] {
  const indexOf = new Map(ordered.map((definition, k) => [definition, k]));
  const reads = ordered.map((definition) =>
    [...readsOf(definition)].flatMap((read) => indexOf.get(read) ?? []),
  );
  const groupOf = new Map<number, readonly number[]>();
  for (const group of components(ordered.length, (k) => reads[k]!))
    for (const k of group)
      groupOf.set(
        k,
        [...group].sort((a, b) => a - b),
      );
  const placed = new Set<number>();
  const found: Definition[] = [];
  const place = (group: readonly number[]): void => {
    if (placed.has(group[0]!)) return;
    for (const k of group) placed.add(k);
    for (const k of group) for (const read of reads[k]!) place(groupOf.get(read)!);
    for (const k of group) found.push(ordered[k]!);
  };
  for (const k of ordered.keys()) place(groupOf.get(k)!);
  return found;
}

// Ranges on the left start at 0 or above: what was left open about that is known when a definition
// is computed.

import { Fault } from "../diagnostics/diagnostic.ts";
import { constantOf, type Term } from "../affine/term.ts";
import type { Clause, Definition, Loop } from "../ir/program.ts";
import { rangesOf, startsBelow } from "../analyse/cells/starts.ts";
import type { Machine } from "./interpret/machine.ts";
import { compileTerm } from "./interpret/scalars/scalars.ts";

/** A range whose start only a run knows. */
interface Open {
  readonly clause: Clause;
  readonly loop: Loop;
  readonly from: Term;
  readonly to: Term;
}

export function holdStarts(machine: Machine, definition: Definition): void {
  for (const { clause, loop, from, to } of openOf(definition)) {
    const [start, end] = [compileTerm(machine, from)(), compileTerm(machine, to)()];
    if (start < 0 && start < end)
      throw new Fault(startsBelow(definition, clause, loop, String(start)));
  }
}

const known = new WeakMap<Definition, readonly Open[]>();

function openOf(definition: Definition): readonly Open[] {
  let open = known.get(definition);
  if (!open)
    known.set(definition, (open = definition.origin === "declared" ? findOpen(definition) : []));
  return open;
}

function findOpen(definition: Definition): readonly Open[] {
  return definition.clauses.flatMap((clause) =>
    rangesOf(definition, clause).flatMap((loop): readonly Open[] => {
      const { from, to } = loop;
      // A range inside a body that depends on the coordinates around it has no bounds of its own
      // here.
      if (from.kind !== "integer" || to.kind !== "integer") return [];
      return (constantOf(from.term) ?? -1) >= 0
        ? []
        : [{ clause, loop, from: from.term, to: to.term }];
    }),
  );
}

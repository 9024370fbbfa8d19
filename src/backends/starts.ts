// Checks that ranges on the left start at 0 or above, when only the run knows where they start. It
// is checked when the definition is computed.
//
//     let y[i in n..10] = x[i];   // n is an input

import { Fault } from "../diagnostics/diagnostic.ts";
import { constantOf, type Term } from "../affine/term.ts";
import type { Clause, Definition, Loop } from "../ir/program.ts";
import { rangesOf, startsBelow } from "../analyse/cells/starts.ts";
import type { Machine } from "./interpret/machine.ts";
import { compileTerm } from "./interpret/scalars/scalars.ts";

/** A range whose start only the run knows. */
interface OpenRange {
  readonly clause: Clause;
  readonly loop: Loop;
  readonly from: Term;
  readonly to: Term;
}

export function holdStarts(machine: Machine, definition: Definition): void {
  for (const { clause, loop, from, to } of openRangesOf(definition)) {
    const [start, end] = [compileTerm(machine, from)(), compileTerm(machine, to)()];
    if (start < 0 && start < end)
      throw new Fault(startsBelow(definition, clause, loop, String(start)));
  }
}

const known = new WeakMap<Definition, readonly OpenRange[]>();

function openRangesOf(definition: Definition): readonly OpenRange[] {
  let open = known.get(definition);
  if (!open)
    known.set(
      definition,
      (open = definition.origin === "declared" ? findOpenRanges(definition) : []),
    );
  return open;
}

function findOpenRanges(definition: Definition): readonly OpenRange[] {
  return definition.clauses.flatMap((clause) =>
    rangesOf(definition, clause).flatMap((loop): readonly OpenRange[] => {
      const { from, to } = loop;
      // A range inside a body may depend on the coordinates around it. Such a range has no bounds
      // of its own here.
      if (from.kind !== "integer" || to.kind !== "integer") return [];
      return (constantOf(from.term) ?? -1) >= 0
        ? []
        : [{ clause, loop, from: from.term, to: to.term }];
    }),
  );
}

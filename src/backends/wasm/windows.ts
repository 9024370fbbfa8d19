// Which recurrences need only their last steps when everything outside of their loops is computed after them: a member that is read at most L
// steps back inside the recurrence, and outside of it only at its last steps, fits into a window of L + 1 steps.

import { accessesOf, isOpaque, newOpaque, termOf, type Opaque } from "../../ir/facts.ts";
import { holds, nonNegative, sameValue, type Fact } from "../../ir/affine/prove.ts";
import { constant, constantOf, ofVariable, plus, subtract, zero, type Term } from "../../ir/affine/term.ts";
import { substitute } from "../../ir/affine/visit.ts";
import { singlePositions } from "../../ir/along.ts";
import { readsOf, type Definition, type Program } from "../../ir/program.ts";
import type { Schedule, Step } from "../../ir/schedule.ts";
import { wantedOf } from "../../ir/storage.ts";

type LoopStep = Extract<Step, { kind: "loop" }>;

/** The steps that are kept of a definition. */
export interface Window {
  readonly axis: number;
  readonly steps: number;
}

/** The members of recurrences of which a window is enough. `asked` are the values that are observed by name; absent: all of them. */
export function windowsOf(
  program: Program,
  schedules: readonly Schedule[],
  asked?: readonly string[],
): ReadonlyMap<Definition, Window> {
  const opaque = newOpaque();
  const { observed, needed } = wantedOf(program, asked);
  const windows = new Map<Definition, Window>();
  for (const schedule of schedules) {
    const loop = schedule.recurrent ? outermost(schedule) : undefined;
    for (const [definition, axis] of loop?.axes ?? []) {
      if (!needed.has(definition) || observed.has(definition)) continue;
      const back = [...needed].flatMap((reader) => [...distances(opaque, loop!, reader, definition, axis)]);
      const known = back.filter((distance) => distance !== undefined);
      if (known.length === back.length) windows.set(definition, { axis, steps: Math.max(0, ...known) + 1 });
    }
  }
  return windows;
}

function outermost(schedule: Schedule): LoopStep | undefined {
  return schedule.steps.find((step) => step.kind === "loop");
}

/**
 * How many steps back each read of a definition lies: for a member of the recurrence counted from its own step, for another
 * definition from the last one. Absent where that is no constant.
 */
function* distances(
  opaque: Opaque,
  loop: LoopStep,
  reader: Definition,
  definition: Definition,
  axis: number,
): Generator<number | undefined> {
  if (!readsOf(reader).has(definition)) return;
  const own = loop.axes.get(reader);
  const last = loop.reversed ? zero : plus(definition.axes[axis]!.extent, -1);
  for (const clause of reader.clauses) {
    const single = singlePositions(clause);
    for (const { read, facts } of accessesOf(opaque, clause, [])) {
      if (read.definition !== definition) continue;
      const index = substitute(termOf(opaque, read.indices[axis]!, facts), single);
      const from = own === undefined ? last : substitute(ofVariable(clause.loops[own]!.variable), single);
      const back = loop.reversed ? subtract(index, from) : subtract(from, index);
      yield isOpaque(opaque, index) ? undefined : steps(back, [...facts, nonNegative(index)]);
    }
  }
}

/** Distances that are looked for where a term is not a number at sight, as `max(n, 1) - n` for a positive n. */
const tried = [0, 1, 2, 3, 4];

/** A distance as a number that is not negative. */
function steps(back: Term, known: readonly Fact[]): number | undefined {
  const fixed = constantOf(back);
  if (fixed !== undefined) return fixed >= 0 ? fixed : undefined;
  return tried.find((distance) => holds(sameValue(back, constant(distance)), known));
}

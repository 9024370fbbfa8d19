// Decides which units are too small to be worth a kernel: the oracle has computed them before a
// kernel could be made.

import type { Term, Variable } from "../../affine/term.ts";
import { evaluate, someVariable } from "../../affine/visit.ts";
import type { Definition, Loop } from "../../ir/program.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import type { Sized } from "../../plan/regions/regions.ts";
import { isHeard } from "../../plan/rules.ts";
import { clausesIn } from "./abilities.ts";
import { shapeInRun } from "../interpret/evaluate.ts";
import type { Setting } from "./prepared.ts";
import { workIn } from "./units.ts";

/**
 * So many bytes are the most that are copied out of the kernels' memory for the oracle, however
 * little it computes, or into it for a kernel that computes little.
 */
const mostMoved = 1 << 14;

export function isTooSmall(
  { leastWork, isWorthwhile, bytesInside, bytesOutside }: Setting,
  members: ReadonlyMap<Definition, Sized>,
  reads: ReadonlySet<Definition>,
): boolean {
  const work = [...members.values()].reduce((total, each) => total + workIn(each), 0);
  if (work >= leastWork) return false;
  return (
    bytesIn(reads, bytesInside) <= mostMoved &&
    !(isWorthwhile && bytesIn(reads, bytesOutside) <= mostMoved)
  );
}

/**
 * Whether a unit is too small, as far as that shows before it is prepared, which costs more than
 * computing so little. The estimate is an upper bound: every cell with all terms of all reductions.
 *
 *     let s[i in 0..4] = sum[k in 0..9](x[i, k]);   // at most 4 * (1 + 9) evaluations
 */
export function isSurelyTooSmall(
  setting: Setting,
  { definitions }: Schedule,
  reads: ReadonlySet<Definition>,
  fixed: ReadonlyMap<Variable, number>,
): boolean {
  const { leastWork, isWorthwhile, bytesInside, fused } = setting;
  // A listener wants to hear what becomes of every definition.
  if (isWorthwhile || isHeard()) return false;
  let work = 0;
  for (const definition of definitions) {
    const cells = shapeInRun(setting.machine, definition).reduce(
      (total, extent) => total * extent,
      1,
    );
    let terms = 0;
    for (const { body } of clausesIn(fused, definition))
      if (body.kind === "reduce")
        terms += body.loops.reduce((total, loop) => total * positionsOfLoop(loop, fixed), 1);
    work += cells * (1 + terms);
    if (!(work < leastWork)) return false;
  }
  return bytesIn(reads, bytesInside) <= mostMoved;
}

function bytesIn(reads: ReadonlySet<Definition>, bytesOf: (read: Definition) => number): number {
  let total = 0;
  for (const read of reads) total += bytesOf(read);
  return total;
}

/** How many positions a loop has; infinity if coordinates or data decide it. */
function positionsOfLoop({ from, to }: Loop, fixed: ReadonlyMap<Variable, number>): number {
  if (from.kind !== "integer" || to.kind !== "integer") return Infinity;
  const isOpen = (term: Term): boolean => someVariable(term, (v) => !fixed.has(v));
  if (isOpen(from.term) || isOpen(to.term)) return Infinity;
  const valueOf = (v: Variable): number => fixed.get(v)!;
  return Math.max(0, evaluate(to.term, valueOf) - evaluate(from.term, valueOf));
}

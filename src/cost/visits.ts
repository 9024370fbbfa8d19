// The points that a clause visits, and what the clause computes at each of them.
//
//   C[i, j] = sum[k](A[i, k] * B[k, j])     visits all i, j and k,
//                                           and computes A[i, k] * B[k, j] there
//
// A cell that a map defines is one point. A reduction visits all its terms, a running reduction
// visits each term once (`running.ts`), and a scatter visits the terms that it sends to cells.

import { choicesOf, chooserAmong } from "../analyse/choosers.ts";
import { integerWithQuotients } from "../ir/integers.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import type { ReductionName } from "../scalar/reductions.ts";
import { isRecurrent } from "../analyse/schedule.ts";
import { integerScalar } from "../ir/substitute.ts";
import { isInside } from "./cut.ts";
import { pointsOf } from "./points.ts";
import { isOneStep, runningNest, type Nest } from "./running.ts";
import { dataGuards } from "./tally.ts";

/** A scalar, and where it is computed: at the points of the loops that pass the guards. */
export interface Visit {
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /** Conditions on data, which are tested at each point. */
  readonly tests: readonly Scalar[];
  readonly value: Scalar;
  /** The reduction that combines the value of a point with the points before it. */
  readonly reduction: ReductionName | undefined;
  /** Whether each value is sent to a cell that data or an equation chooses, and written there. */
  readonly isSent: boolean;
}

/** The visits of a clause. Most clauses have one. */
export function visitsOf(written: Clause, definition: Definition): readonly Visit[] {
  const clause = withTerms(written);
  const { loops, guards, body } = clause;
  const { value } = body;
  if (body.kind === "map") {
    const tests = guards.flatMap(dataGuards);
    return [{ loops, guards, tests, value, reduction: undefined, isSent: false }];
  }
  const { reduction } = body;
  const tests = body.guards.flatMap(dataGuards);
  if (isScatter(clause)) {
    const [nest, conditions] = [
      [...loops, ...body.loops],
      [...guards, ...body.guards],
    ];
    return inParts({ loops: nest, guards: conditions, tests, value, reduction, isSent: true });
  }
  // A range that ends at a quotient does not run: a kernel takes its terms for each cell anew.
  const running = runningIn(written, definition);
  return [
    {
      loops: running?.loops ?? [...loops, ...body.loops],
      guards: running?.guards ?? [...guards, ...body.guards],
      tests,
      value,
      reduction,
      isSent: false,
    },
  ];
}

/**
 * The parts of a scatter among which a coordinate chooses. Kernels send each part by itself.
 *
 *   sum[k, part in 0..2](… where (if part == 0 { a[k] } else { b[k] }) == p)
 */
function inParts(visit: Visit): readonly Visit[] {
  const { loops, guards, tests, value } = visit;
  const chooser = chooserAmong(loops, [...guards, ...tests, value]);
  if (!chooser) return [visit];
  const rest = loops.filter((loop) => loop !== chooser);
  return choicesOf(chooser, guards, [...tests, value], rest).flatMap((chosen) =>
    inParts({
      ...visit,
      loops: rest,
      guards: chosen.guards,
      tests: chosen.scalars.slice(0, -1),
      value: chosen.scalars.at(-1)!,
    }),
  );
}

/** A clause whose loops end at terms, if quotients of terms can say their ends: `0..n / 2`. */
function withTerms(clause: Clause): Clause {
  const { loops, body } = clause;
  const end = (scalar: Scalar): Scalar => {
    const term =
      scalar.kind === "apply"
        ? integerWithQuotients(scalar, (part) => isInside(part, loops))
        : undefined;
    return term ? integerScalar(term) : scalar;
  };
  const along = (loop: Loop): Loop => ({ ...loop, from: end(loop.from), to: end(loop.to) });
  return {
    ...clause,
    loops: loops.map(along),
    body: body.kind === "map" ? body : { ...body, loops: body.loops.map(along) },
  };
}

/** The terms of a running reduction. In a recurrence, it has to run within a step. */
function runningIn(clause: Clause, definition: Definition): Nest | undefined {
  const { body } = clause;
  const running = body.kind === "map" ? undefined : runningNest(clause, body);
  if (!running || !isRecurrent(definition)) return running;
  const along = clause.loops.findIndex((loop) => loop.variable === running.side.variable);
  return isOneStep(definition, along) ? running : undefined;
}

/** Whether the guards of a reduction say to which cell each of its terms goes: `at[k] == p`. */
function isScatter({ loops, guards, body }: Clause): boolean {
  if (body.kind === "map") return false;
  const { determined } = pointsOf([...loops, ...body.loops], [...guards, ...body.guards]);
  return loops.some((loop) => determined.has(loop.variable));
}

// What the clauses of a definition do: which points each of them visits, and what it computes there.

import type { Variable } from "../affine/term.ts";
import { aliased } from "../alias.ts";
import { choicesOf, chooserAmong } from "../choosers.ts";
import type { Clause, Definition, Loop, Scalar } from "../program.ts";
import { readsOf } from "../references.ts";
import type { ReductionName } from "../scalar/reductions.ts";
import { reachable } from "../schedule.ts";
import { pointsOf } from "./points.ts";
import { runningNest } from "./running.ts";
import { dataGuards } from "./tally.ts";

/** At each point of the loops that the guards leave, some scalars are computed. */
export interface Visit {
  readonly definition: Definition;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly scalars: readonly Scalar[];
  /** Operations that combine the value of a point with those before it. */
  readonly combining: number;
  /** The coordinates of the cell that a value goes to; where lookups say which cell it is, nothing. */
  readonly cells: ReadonlySet<Variable> | undefined;
  /** Cells go on from one another, and come in their order. */
  readonly isRunning: boolean;
  /** It reads other cells of its own, by whatever way. */
  readonly isRecurrent: boolean;
}

/** The visits of a definition's clauses, under the name by which others read it. Another name for all cells of a tensor visits none of them. */
export function visitsOf(computed: Definition, definition: Definition): readonly Visit[] {
  if (aliased(computed)) return [];
  return computed.clauses.flatMap((clause) => visitsOfClause(definition, clause));
}

function visitsOfClause(definition: Definition, clause: Clause): readonly Visit[] {
  const { loops, guards, body } = clause;
  const whole = {
    definition,
    cells: new Set(loops.map((loop) => loop.variable)),
    combining: 0,
    isRunning: false,
    isRecurrent: isRecurrent(definition),
  };
  if (body.kind === "map") return [{ ...whole, loops, guards, scalars: [...guards.flatMap(dataGuards), body.value] }];
  const nest = [...loops, ...body.loops];
  const conditions = [...guards, ...body.guards];
  const combining = operationsOf(body.reduction);
  const scalars = [...body.guards.flatMap(dataGuards), body.value];
  if (isScatter(clause))
    return choicesIn({ ...whole, combining, loops: nest, guards: conditions, scalars, cells: undefined });
  const running = whole.isRecurrent ? undefined : runningNest(clause, body);
  const walk = running ?? { loops: nest, guards: conditions };
  return [{ ...whole, combining, loops: walk.loops, guards: walk.guards, scalars, isRunning: running !== undefined }];
}

/** Whether the guards of a reduction say to which cell each of its terms goes. */
export function isScatter({ loops, guards, body }: Clause): boolean {
  if (body.kind === "map") return false;
  const { determined } = pointsOf([...loops, ...body.loops], [...guards, ...body.guards]);
  return loops.some((loop) => determined.has(loop.variable));
}

/** Cells that come one at a time gather their own terms. */
function isRecurrent(definition: Definition): boolean {
  return reachable([...readsOf(definition)]).includes(definition);
}

/** Operations for each element of a reduction: `logsumexp` compares, subtracts, exponentiates and adds. */
function operationsOf(reduction: ReductionName): number {
  return reduction === "logsumexp" ? 4 : 1;
}

/** What a coordinate chooses is visited once for each of its positions, at the same points. */
function choicesIn(visit: Visit): readonly Visit[] {
  const { loops, guards, scalars } = visit;
  const chooser = chooserAmong(loops, [...guards, ...scalars]);
  if (!chooser) return [visit];
  const rest = loops.filter((loop) => loop !== chooser);
  return choicesOf(chooser, guards, scalars, rest).flatMap((chosen) => choicesIn({ ...visit, ...chosen, loops: rest }));
}

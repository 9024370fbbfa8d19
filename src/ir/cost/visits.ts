// What the clauses of a definition do: which points each of them visits, and what it computes there.

import { constantOf, ofVariable, plus, subtract, type Variable } from "../../affine/term.ts";
import { aliased } from "../alias.ts";
import { choicesOf, chooserAmong } from "../choosers.ts";
import { integerOf, integerWithQuotients } from "../integers.ts";
import { numberOf } from "../keys.ts";
import { outcomeOf } from "../opposite.ts";
import type { Clause, Definition, Loop, Scalar } from "../program.ts";
import { readsOf } from "../references.ts";
import type { ReductionName } from "../../scalar/reductions.ts";
import { reachable } from "../schedule.ts";
import { integerScalar } from "../substitute.ts";
import { isInside } from "./cut.ts";
import { pointsOf } from "./points.ts";
import { runningNest, type Nest, type Reduction } from "./running.ts";
import { isOneStep } from "./steps.ts";
import { dataGuards } from "./tally.ts";

/** At each point of the loops that the guards leave, some scalars are computed. */
export interface Visit {
  readonly definition: Definition;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly scalars: readonly Scalar[];
  /** What combines the value of a point, the last of the scalars, with those before it. */
  readonly reduction: ReductionName | undefined;
  /** The coordinates of the cell that a value goes to; where lookups say which cell it is, nothing. */
  readonly cells: ReadonlySet<Variable> | undefined;
  /** Where the cell stands that is done at the point; absent where it takes several points, or is all there is. */
  readonly at: readonly Scalar[] | undefined;
  /** The coordinate along which a reduction goes on from cell to cell. */
  readonly runs: Variable | undefined;
  /** The coordinates whose positions come one after the other, and whether the last one comes first. */
  readonly order: ReadonlyMap<Variable, boolean>;
  /** It reads other cells of its own, by whatever way. */
  readonly isRecurrent: boolean;
  /** What is chosen at most points of a visit. */
  readonly isPiece?: true;
  /** What is left of a visit at few points, beside the others. */
  readonly isRest?: true;
}

/** What is tested and computed at each point of a visit. Which way a test goes is no operation. */
export function computedAt({ scalars }: Visit): readonly Scalar[] {
  return scalars.map((scalar, k) => (k < scalars.length - 1 ? outcomeOf(scalar).value : scalar));
}

/** A cell, as whoever reads it says it. */
export function numberOfCell(definition: Definition, indices: readonly Scalar[]): string {
  return numberOf({
    kind: "read",
    type: definition.element,
    definition,
    indices,
    span: definition.span,
  });
}

/** The visits of a definition's clauses, under the name by which others read it. Another name for all cells of a tensor visits none of them. */
export function visitsOf(computed: Definition, definition: Definition): readonly Visit[] {
  if (aliased(computed)) return [];
  return computed.clauses.flatMap((clause, k) => {
    const visits = visitsOfClause(definition, clause);
    // What a later clause may own is not there.
    const isOwner = computed.clauses.slice(k + 1).every((later) => areApart(clause, later));
    return isOwner ? visits : visits.map((visit) => ({ ...visit, at: undefined }));
  });
}

/** Whether two clauses have no cell in common, as their ranges say. */
function areApart({ loops: some }: Clause, { loops: others }: Clause): boolean {
  const isBehind = (a: Loop, b: Loop): boolean => {
    const [from, to] = [integerOf(a.from), integerOf(b.to)];
    return from !== undefined && to !== undefined && (constantOf(subtract(from, to)) ?? -1) >= 0;
  };
  return some.some((loop, k) => isBehind(loop, others[k]!) || isBehind(others[k]!, loop));
}

function visitsOfClause(definition: Definition, written: Clause): readonly Visit[] {
  const clause = withTerms(written);
  const { loops, guards, body } = clause;
  const whole = {
    definition,
    cells: new Set(loops.map((loop) => loop.variable)),
    at: undefined,
    reduction: undefined,
    runs: undefined,
    isRecurrent: isRecurrent(definition),
    order: isRecurrent(definition) ? stepsOf(definition, loops) : new Map<Variable, boolean>(),
  };
  if (isHandedOut(clause)) return [];
  if (body.kind === "map") {
    const at =
      loops.length > 0 ? loops.map((loop) => integerScalar(ofVariable(loop.variable))) : undefined;
    return [{ ...whole, at, loops, guards, scalars: [...guards.flatMap(dataGuards), body.value] }];
  }
  const nest = [...loops, ...body.loops];
  const conditions = [...guards, ...body.guards];
  const { reduction } = body;
  const scalars = [...body.guards.flatMap(dataGuards), body.value];
  if (isScatter(clause))
    return choicesIn({
      ...whole,
      reduction,
      loops: nest,
      guards: conditions,
      scalars,
      cells: undefined,
    });
  const running =
    written.body.kind === "reduce"
      ? runningIn(definition, written, written.body, whole.isRecurrent)
      : undefined;
  if (!running) return [{ ...whole, reduction, loops: nest, guards: conditions, scalars }];
  const { side, moving, end } = running;
  const cells = new Set(
    [...loops.filter((loop) => loop.variable !== side.variable), moving].map(
      (loop) => loop.variable,
    ),
  );
  const order = new Map([...whole.order, [moving.variable, end === "from"]]);
  const at = cellDoneAt(clause, body, running);
  return [
    {
      ...whole,
      reduction,
      loops: running.loops,
      guards: running.guards,
      scalars,
      cells,
      runs: moving.variable,
      order,
      at,
    },
  ];
}

/** A clause with terms for the ends of its loops, where quotients say them. */
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

/** The coordinates that a recurrence steps along, and whether downward: the first ones, as few as leave one step. */
function stepsOf(definition: Definition, loops: readonly Loop[]): ReadonlyMap<Variable, boolean> {
  const first = loops.findIndex((_, k) => isOneStep(definition, k));
  return new Map(
    loops.slice(0, first < 0 ? loops.length : first).map((loop) => [loop.variable, loop.reversed]),
  );
}

/** How a reduction runs, in a recurrence within one of its steps. */
function runningIn(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  isRecurrent: boolean,
): Nest | undefined {
  const running = runningNest(clause, body);
  const along = clause.loops.findIndex((loop) => loop.variable === running?.side.variable);
  return isRecurrent && !isOneStep(definition, along) ? undefined : running;
}

/** The cell that the last of its terms is added to at a point: `sum[k in 0..i + 1]` has that of i = k. */
function cellDoneAt(
  { loops }: Clause,
  body: Reduction,
  { side, moving, end }: Nest,
): readonly Scalar[] | undefined {
  const bound = integerOf(moving[end]);
  const ahead = bound && constantOf(subtract(bound, ofVariable(side.variable)));
  if (body.loops.length > 1 || ahead === undefined) return undefined;
  const at = plus(ofVariable(moving.variable), end === "to" ? 1 - ahead : -ahead);
  return loops.map(({ variable: v }) => integerScalar(v === side.variable ? at : ofVariable(v)));
}

/** Whether cells get what was added up for them by place: they are filled with it. */
export function isHandedOut({ body: { value } }: Clause): boolean {
  const handed = value.kind === "cast" ? value.operand : value;
  return handed.kind === "data" && handed.function === "total";
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

/** What a coordinate chooses is visited once for each of its positions, at the same points. */
function choicesIn(visit: Visit): readonly Visit[] {
  const { loops, guards, scalars } = visit;
  const chooser = chooserAmong(loops, [...guards, ...scalars]);
  if (!chooser) return [visit];
  const rest = loops.filter((loop) => loop !== chooser);
  return choicesOf(chooser, guards, scalars, rest).flatMap((chosen) =>
    choicesIn({ ...visit, ...chosen, loops: rest }),
  );
}

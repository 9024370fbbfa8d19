// The order in which a recurrence is computed. An earlier cell of the primal is a later cell of the
// adjoint, and an earlier cell of the tangent.

import { ofVariable } from "../../affine/term.ts";
import { holds, lessThan, sameValue, type Fact } from "../../affine/prove.ts";
import { factsOf, isOpaque, loopFacts, termOf, type Opaque } from "../../analyse/facts.ts";
import type { Definition, Loop, Scalar } from "../../ir/program.ts";
import { scheduleAll, type Schedule, type Step } from "../../analyse/schedule.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { alongWithFormula } from "./formulas.ts";
import type { Term } from "../rules/terms.ts";
import { compared } from "../../ir/integers.ts";
import { applied } from "../../ir/simple-scalars.ts";

export type LoopStep = Extract<Step, { kind: "loop" }>;

interface Prover {
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
}

/** The loops in which each member of a recurrence is computed, outermost first. */
export function recurrenceLoops(
  { opaque, known }: Prover,
  group: readonly Definition[],
): ReadonlyMap<Definition, readonly LoopStep[]> {
  const found = new Map<Definition, readonly LoopStep[]>();
  const descend = (schedule: Schedule): void => {
    for (const step of schedule.steps) {
      if (step.kind === "cells") continue;
      for (const definition of step.axes.keys())
        found.set(definition, [...(found.get(definition) ?? []), step]);
      descend(step.body);
    }
  };
  for (const ordered of scheduleAll(opaque, group, known))
    if ("schedule" in ordered && ordered.schedule.definitions.includes(group[0]!))
      descend(ordered.schedule);
  return found;
}

/**
 * Conditions under which a read cell is earlier than its reader. The indices of the read are data,
 * and the run has checked them, so derivatives rely on them. A cell is earlier if it is in an
 * earlier step of the outermost loop, or in the same step and earlier within it.
 */
export function earlierConditions(
  { opaque, known }: Prover,
  loops: readonly LoopStep[],
  reader: Definition,
  term: Pick<Term, "loops" | "guards">,
  read: Extract<Scalar, { kind: "read" }>,
): readonly Scalar[] {
  const target = read.definition;
  const shared = loops.filter(({ axes }) => axes.has(target));
  if (shared.length === 0) return [];
  const around = [...known, ...loopFacts(opaque, term.loops, known)];
  const facts = [
    ...around,
    ...term.guards.flatMap((guard) => factsOf(opaque, guard, true, around)),
  ];
  const indexIn = ({ axes }: LoopStep): Scalar => read.indices[axes.get(target)!]!;
  if (!shared.some((step) => isOpaque(opaque, termOf(opaque, indexIn(step), facts)))) return [];
  const compare = (operation: Comparison, index: Scalar, here: Scalar): Scalar =>
    compared(operation, index, here, read.span);
  const combined = (operation: "and" | "or", ...operands: Scalar[]): Scalar =>
    applied(operation, operands, read.span);
  const isBefore = (step: LoopStep): Scalar | boolean => {
    const position = ofVariable(term.loops[step.axes.get(reader)!]!.variable);
    const [here, index] = [integerScalar(position), indexIn(step)];
    const place = termOf(opaque, index, facts);
    const [first, second] = step.reversed ? [position, place] : [place, position];
    if (holds(lessThan(first, second), facts)) return true;
    if (holds(lessThan(second, first), facts)) return false;
    const within = isWithin(step.body);
    if (holds(sameValue(first, second), facts)) return within;
    const [less, atMost] = step.reversed
      ? (["greater", "greaterEqual"] as const)
      : (["less", "lessEqual"] as const);
    if (typeof within === "boolean") return compare(within ? atMost : less, index, here);
    return combined(
      "or",
      compare(less, index, here),
      combined("and", compare("equal", index, here), within),
    );
  };
  /** Is the cell earlier within one step of the loops around? */
  const isWithin = ({ steps }: Schedule): Scalar | boolean => {
    const at = (member: Definition): number =>
      steps.findIndex((step) =>
        step.kind === "cells" ? step.definition === member : step.axes.has(member),
      );
    const inner = steps[at(reader)]!;
    if (at(target) !== at(reader)) return at(target) < at(reader);
    return inner.kind === "loop" && isBefore(inner);
  };
  const found = isBefore(shared[0]!);
  return typeof found === "boolean" ? [] : [found];
}

type Comparison = "less" | "lessEqual" | "equal" | "greaterEqual" | "greater";

/**
 * Sets `reversed` on the coordinates along which an adjoint recurrence runs downward, as `rev` does
 * in source.
 */
export function orient({ opaque, known }: Prover, adjoints: readonly Definition[]): void {
  const turn = (schedule: Schedule): void => {
    for (const step of schedule.steps) {
      if (step.kind === "cells") continue;
      if (step.reversed) {
        for (const [definition, axis] of step.axes) {
          const turned = (loop: Loop, k: number): Loop =>
            k === axis ? { ...loop, reversed: true } : loop;
          definition.clauses = definition.clauses.map((clause) =>
            alongWithFormula(clause, (each) => ({ ...each, loops: each.loops.map(turned) })),
          );
        }
      }
      turn(step.body);
    }
  };
  for (const ordered of scheduleAll(opaque, adjoints, known)) {
    if (
      "schedule" in ordered &&
      ordered.schedule.recurrent &&
      ordered.schedule.definitions.some((one) => adjoints.includes(one))
    )
      turn(ordered.schedule);
  }
}

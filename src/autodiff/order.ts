// The order of a recurrence, as its adjoint needs to know it: what comes earlier in the primal comes later here.

import { ofVariable } from "../ir/affine/term.ts";
import type { Fact } from "../ir/affine/prove.ts";
import { isOpaque, termOf, type Opaque } from "../ir/facts.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { scheduleAll, type Schedule, type Step } from "../ir/schedule.ts";
import { integerScalar } from "../ir/substitute.ts";
import { keyOf } from "../ir/keys.ts";
import { alongWithFormula } from "./formulas.ts";

export type LoopStep = Extract<Step, { kind: "loop" }>;

interface Prover {
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
}

/** The loops in which a recurrence is computed, outermost first, for each of its members. */
export function loopsOf(
  { opaque, known }: Prover,
  group: readonly Definition[],
): ReadonlyMap<Definition, readonly LoopStep[]> {
  const found = new Map<Definition, readonly LoopStep[]>();
  const descend = (schedule: Schedule): void => {
    for (const step of schedule.steps) {
      if (step.kind === "cells") continue;
      for (const definition of step.axes.keys()) found.set(definition, [...(found.get(definition) ?? []), step]);
      descend(step.body);
    }
  };
  for (const ordered of scheduleAll(opaque, group, known))
    if ("schedule" in ordered && ordered.schedule.definitions.includes(group[0]!)) descend(ordered.schedule);
  return found;
}

/** A looked-up position of a recurrence's own past is an earlier one: the run has seen to it, and the adjoint relies on it. */
export function earlier(
  opaque: Opaque,
  loops: readonly LoopStep[],
  reader: Definition,
  clause: Clause,
  read: Extract<Scalar, { kind: "read" }>,
): readonly Scalar[] {
  for (const { axes, reversed } of loops) {
    const [own, other] = [axes.get(reader)!, axes.get(read.definition)];
    if (other === undefined) return [];
    const here = integerScalar(ofVariable(clause.loops[own]!.variable));
    const index = read.indices[other]!;
    if (isOpaque(opaque, termOf(opaque, index, []))) {
      const operation = reversed ? "greater" : "less";
      return [{ kind: "apply", type: "bool", within: "i32", operation, operands: [index, here], span: read.span }];
    }
    if (keyOf(index) !== keyOf(here)) return [];
  }
  return [];
}

/** Coordinates that an adjoint recurrence walks downward say so, as `rev` does in source. */
export function orient({ opaque, known }: Prover, adjoints: readonly Definition[]): void {
  const turn = (schedule: Schedule): void => {
    for (const step of schedule.steps) {
      if (step.kind === "cells") continue;
      if (step.reversed) {
        for (const [definition, axis] of step.axes) {
          const turned = (loop: Loop, k: number): Loop => (k === axis ? { ...loop, reversed: true } : loop);
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

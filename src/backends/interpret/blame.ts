// Adds to a fault where it happened, in the words of the source: the cell, its coordinates, and the
// step of the recurrence.
//
//     in `h[2]`, at step t = 2, i = 1

import { Fault } from "../../diagnostics/diagnostic.ts";
import type { Clause, Definition, Loop } from "../../ir/program.ts";
import { hasNameInSource, nameInSource } from "../../analyse/name-in-source.ts";
import { isWritten } from "../../analyse/written-names.ts";
import type { Span } from "../../base/source.ts";
import type { Machine } from "./machine.ts";

/**
 * A cell as the source writes it, `y[1, 2]`; `undefined` if its definition has no name in the
 * source.
 */
export function cellInSource(
  definition: Definition,
  position: readonly number[],
): string | undefined {
  if (!hasNameInSource(definition)) return undefined;
  const name = nameInSource(definition);
  const own = position.slice(definition.outer);
  return own.length > 0 ? `${name}[${own.join(", ")}]` : name;
}

/** `i = 1`, for each coordinate that the source names. */
export function coordinates(machine: Machine, loops: readonly Loop[]): readonly string[] {
  return loops.flatMap(({ variable, fixed }) =>
    fixed ? [] : [`${variable.name} = ${machine.values[machine.slotOf(variable)]!}`],
  );
}

/**
 * The coordinates of a clause, beginning with those that the schedule steps through: `step t = 2`,
 * `i = 1`.
 */
export function whereabouts(machine: Machine, clause: Clause): readonly string[] {
  const isStep = (axis: number): boolean => machine.held.has(axis);
  const steps = coordinates(
    machine,
    clause.loops.filter((_, axis) => isStep(axis)),
  );
  const others = coordinates(
    machine,
    clause.loops.filter((_, axis) => !isStep(axis)),
  );
  return [...(steps.length > 0 ? [`step ${steps.join(", ")}`] : []), ...others];
}

/** The same fault, with the reduced coordinates at which it happened. */
export function inReduction(machine: Machine, fault: unknown, loops: readonly Loop[]): unknown {
  if (!(fault instanceof Fault)) return fault;
  return new Fault(fault.diagnostic, [...coordinates(machine, loops), ...fault.at]);
}

/** `i = 1`, or `position 1` if the source does not name the coordinate. */
function inWords(at: string, spans: readonly Span[]): string {
  const [name, value] = at.split(" = ");
  return value === undefined || name!.startsWith("step ") || isWritten(name!, spans)
    ? at
    : `position ${value}`;
}

/**
 * The same fault, with the cell that was being computed. The clause's coordinates must still have
 * the values of the cell.
 */
export function inCell(
  machine: Machine,
  fault: unknown,
  definition: Definition,
  clause: Clause,
  position: readonly number[],
): unknown {
  if (!(fault instanceof Fault)) return fault;
  const { diagnostic } = fault;
  const cell = cellInSource(definition, position);
  const spans = [definition.span, ...(diagnostic.span ? [diagnostic.span] : [])];
  const at = [...whereabouts(machine, clause), ...fault.at].map((each) => inWords(each, spans));
  const place = [
    ...(cell ? [`in \`${cell}\``] : []),
    ...(at.length > 0 ? [`at ${at.join(", ")}`] : []),
  ].join(", ");
  // An expression of the compiler's own has no span, so the fault is shown at its clause.
  const span = diagnostic.span ?? clause.span;
  if (place === "") return diagnostic.span ? fault : new Fault({ ...diagnostic, span });
  return new Fault({
    ...diagnostic,
    span,
    text: diagnostic.text ? `${diagnostic.text}; ${place}` : place,
  });
}

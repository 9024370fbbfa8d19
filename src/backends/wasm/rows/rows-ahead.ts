// What the next row begins with, done in this one. A row's first pass waits for memory and does
// little; a pass with an elementary function does much and reads what is near. So the sums that
// rows begin with are taken one row ahead, beside such a function; the first row of a call takes
// its own.

import { ofVariable, variable, type Variable } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Scalar } from "../../../ir/program.ts";
import { instantiate, integerScalar } from "../../../ir/substitute.ts";
import type { Reduced } from "../../../plan/regions/regions.ts";
import {
  branch,
  codeAt,
  constI32,
  get,
  here,
  newLocal,
  op,
  set,
  valueAt,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { heldAs } from "../code/operations.ts";

/**
 * Rows that come one after the other: the coordinate that says which one it is, the first, and the
 * end.
 */
export interface Row {
  readonly variable: Variable;
  readonly from: Slot;
  readonly to: Slot;
}

/** A sum under its name, as it is for the row that comes next. */
export interface SumAhead extends Reduced {
  /** What it is in this row, and what it has come to for the next one. */
  readonly current: Slot;
  readonly next: Slot;
}

/** Whether nothing is read that the kernel itself gives. */
export function readsGivenOnly({ written }: Kernel, scalar: Scalar): boolean {
  let isGiven = true;
  eachScalar(scalar, (part) => {
    if (part.kind === "local" || (part.kind === "read" && written.has(part.definition)))
      isGiven = false;
  });
  return isGiven;
}

export function sumsAhead(kernel: Kernel, row: Row, sums: readonly Reduced[]): readonly SumAhead[] {
  const by = new Map([[row.variable, integerScalar(ofVariable(nextRow(kernel, row)))]]);
  const own = (scalar: Scalar): Scalar => instantiate(scalar, by);
  return sums.map(({ name, body }) => {
    const type = heldAs(body.value.type);
    const local = (): Slot => ({
      local: newLocal(kernel.emitter, type),
      type,
      level: here(kernel.emitter),
    });
    return {
      name,
      body: { ...body, guards: body.guards.map(own), value: own(body.value) },
      current: local(),
      next: local(),
    };
  });
}

/** What a row's number becomes, computed once in the row; `key` tells it from others. */
export function ofRow(
  { emitter }: Kernel,
  row: Variable,
  key: string,
  push: (code: number[]) => void,
): Slot {
  const at = emitter.coordinates.get(row)!;
  return valueAt(emitter, `row l${at.local}${key}`, "i32", at.level, (code) => {
    get(code, at);
    push(code);
  });
}

/** The row after this one; the last one has itself again. */
function nextRow(kernel: Kernel, { variable: row, to }: Row): Variable {
  const { coordinates } = kernel.emitter;
  const next = variable(`${row.name}_next`);
  // row + (row + 1 < to)
  const after = ofRow(kernel, row, "+1", (code) => {
    get(code, coordinates.get(row)!);
    constI32(code, 1);
    op(code, "i32.add");
    get(code, to);
    op(code, "i32.lt_s");
    op(code, "i32.add");
  });
  coordinates.set(next, after);
  kernel.known.set(next, kernel.known.get(row)!);
  return next;
}

/** The sums of this row: taken here in the first one, and before in all others. */
export function emitFirstRow(
  kernel: Kernel,
  row: Row,
  sums: readonly SumAhead[],
  emitSums: () => void,
): void {
  const isFirst = ofRow(kernel, row.variable, "==first", (code) => {
    get(code, row.from);
    op(code, "i32.eq");
  });
  branch(kernel.emitter, isFirst, () => {
    emitSums();
    for (const { name, current } of sums) move(kernel, kernel.bound.get(name)!, current);
  });
  for (const { name, current } of sums) kernel.bound.set(name, current);
}

/** What a sum has come to for the next row. */
export function taken(kernel: Kernel, { next }: SumAhead, result: Slot): void {
  move(kernel, result, next);
}

export function goToNextRow(kernel: Kernel, sums: readonly SumAhead[]): void {
  for (const { current, next } of sums) move(kernel, next, current);
}

function move({ emitter }: Kernel, from: Slot, to: Slot): void {
  const code = codeAt(emitter, here(emitter));
  get(code, from);
  set(code, to.local);
}

// Computes the first sums of the next row in the current row. The first pass of a row waits for
// memory and computes little. A pass with an elementary function computes much and reads cells that
// are in the cache. So the first sums of a row are computed one row ahead, in the same loop as such
// a function. The first row of a call computes its own sums.

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

/** Rows in their order: the coordinate of the current row, the first row, and the end. */
export interface Row {
  readonly variable: Variable;
  readonly from: Slot;
  readonly to: Slot;
}

/** A sum with its name, as it is computed for the next row. */
export interface SumAhead extends Reduced {
  /** The sum of the current row, and the sum of the next row. */
  readonly current: Slot;
  readonly next: Slot;
}

/** Whether a scalar reads nothing that the kernel itself computes. */
export function readsGivenOnly({ written }: Kernel, scalar: Scalar): boolean {
  let isGiven = true;
  eachScalar(scalar, (part) => {
    if (part.kind === "local" || (part.kind === "read" && written.has(part.definition)))
      isGiven = false;
  });
  return isGiven;
}

export function sumsAhead(kernel: Kernel, row: Row, sums: readonly Reduced[]): readonly SumAhead[] {
  const renaming = new Map([[row.variable, integerScalar(ofVariable(nextRow(kernel, row)))]]);
  const inNextRow = (scalar: Scalar): Scalar => instantiate(scalar, renaming);
  return sums.map(({ name, body }) => {
    const type = heldAs(body.value.type);
    const newSlot = (): Slot => ({
      local: newLocal(kernel.emitter, type),
      type,
      level: here(kernel.emitter),
    });
    return {
      name,
      body: { ...body, guards: body.guards.map(inNextRow), value: inNextRow(body.value) },
      current: newSlot(),
      next: newSlot(),
    };
  });
}

/**
 * A value computed from the number of the row, once in each row. The key must differ for different
 * values.
 */
export function emitOfRow(
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

/** The next row; for the last row, the last row again. */
function nextRow(kernel: Kernel, { variable: row, to }: Row): Variable {
  const { coordinates } = kernel.emitter;
  const next = variable(`${row.name}_next`);
  // row + (row + 1 < to)
  const after = emitOfRow(kernel, row, "+1", (code) => {
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

/**
 * Binds the sums of the current row. The first row computes them here, for other rows the previous
 * row has computed them.
 */
export function emitFirstRow(
  kernel: Kernel,
  row: Row,
  sums: readonly SumAhead[],
  emitSums: () => void,
): void {
  const isFirst = emitOfRow(kernel, row.variable, "==first", (code) => {
    get(code, row.from);
    op(code, "i32.eq");
  });
  branch(kernel.emitter, isFirst, () => {
    emitSums();
    for (const { name, current } of sums) emitMove(kernel, kernel.bound.get(name)!, current);
  });
  for (const { name, current } of sums) kernel.bound.set(name, current);
}

/** Stores the sum of the next row. */
export function storeNextSum(kernel: Kernel, { next }: SumAhead, result: Slot): void {
  emitMove(kernel, result, next);
}

export function emitGoToNextRow(kernel: Kernel, sums: readonly SumAhead[]): void {
  for (const { current, next } of sums) emitMove(kernel, next, current);
}

function emitMove({ emitter }: Kernel, from: Slot, to: Slot): void {
  const code = codeAt(emitter, here(emitter));
  get(code, from);
  set(code, to.local);
}

// The register tile: rows × columns of a product, kept in registers while the depth runs over both
// operands. Tiles below one another share their columns.
//
//   for each k   total[r, c] += left[r, k] * right[k, c]
//
// A step loads the columns as vectors, copies the cell of each row to all lanes of a vector, and
// adds to every accumulator once. Each operand has a distance in bytes from one step to the next.
// In a panel of packed cells it is the size of the panel at one position; in an operand that is
// read in place, it is the distance of neighbouring positions of the depth.

import type { EncodedFunction } from "../code/encode.ts";
import type { MemoryOpcode, Opcode } from "../code/opcodes.ts";
import { assemble, type Assembly } from "./assembly.ts";

/** The shape of panels and tiles. */
export interface Form {
  readonly type: "f32" | "f64";
  readonly rows: number;
  readonly columns: number;
  /** Whether a product and a sum are one instruction, which may round once or twice. */
  readonly relaxed: boolean;
}

export const cellBytes = (type: Form["type"]): number => (type === "f32" ? 4 : 8);
/** The instructions that load and store a cell. */
export function accessOf({ type }: Form): readonly [MemoryOpcode, MemoryOpcode] {
  return [`${type}.load`, `${type}.store`];
}

export const lanesOf = ({ type }: Form): number => (type === "f32" ? 4 : 2);

/**
 * V8 up to version 12 unrolls loops of up to about a hundred operations. That is good for tiles of
 * this many rows. For taller tiles it would then keep accumulators in memory.
 */
const fewRows = 4;

/**
 * Makes a loop too long to be unrolled, by additions of 0. The optimiser removes them, but only
 * after the decision to unroll.
 */
function lengthen(asm: Assembly, local: number): void {
  asm.get(local);
  for (let k = 0; k < 30; k++) {
    asm.i32(0);
    asm.op("i32.add");
  }
  asm.set(local);
}

/**
 * (left, table of its rows, their step, right, its step, length of the depth, target, table of its
 * rows, number of rows, whether to add to the target): computes the tiles of some columns, for a
 * multiple of a tile's rows. The tables have offsets. Without a table, the left operand is in
 * panels, one for each tile.
 */
export function tilesFunction(form: Form): EncodedFunction {
  const { rows, columns, relaxed } = form;
  const width = cellBytes(form.type);
  const vectors = columns / lanesOf(form);
  const splat = form.type === "f32" ? "v128.load32_splat" : "v128.load64_splat";
  const instruction = (name: string): Opcode => `${form.type}x${lanesOf(form)}.${name}` as Opcode;
  const kind = "i32" as const;
  return assemble(
    [kind, kind, kind, kind, kind, kind, kind, kind, kind, kind],
    [],
    (
      asm,
      [left, leftRows, leftStep, right, rightStep, depth, target, targetRows, length, adds],
    ) => {
      const forEachRow = <Own>(make: () => Own): readonly Own[] =>
        Array.from({ length: rows }, make);
      const totals = forEachRow(() => Array.from({ length: vectors }, () => asm.local("v128")));
      const cells = Array.from({ length: vectors }, () => asm.local("v128"));
      const [leftCell, zero] = [asm.local("v128"), asm.local("v128")];
      const lefts = forEachRow(() => asm.local(kind));
      const targets = forEachRow(() => asm.local(kind));
      const [row, rightCells, end] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      const eachTotal = (visit: (total: number, target: number, vector: number) => void): void =>
        totals.forEach((rowTotals, k) =>
          rowTotals.forEach((total, vector) => visit(total, targets[k]!, vector)),
        );
      const advance = (local: number, by: () => void): void => {
        asm.get(local);
        by();
        asm.op("i32.add");
        asm.set(local);
      };
      const addEntries = (table: number, base: number, into: readonly number[]): void =>
        into.forEach((local, k) => {
          asm.get(base, table);
          asm.at("i32.load", 4 * k);
          asm.op("i32.add");
          asm.set(local);
        });
      asm.get(right, depth, rightStep);
      asm.op("i32.mul", "i32.add");
      asm.set(end);
      asm.loop(
        row,
        () => asm.get(length),
        rows,
        () => {
          addEntries(targetRows, target, targets);
          asm.get(adds);
          asm.when(
            () =>
              eachTotal((total, cell, vector) => {
                asm.get(cell);
                asm.at("v128.load", 16 * vector);
                asm.set(total);
              }),
            () =>
              eachTotal((total) => {
                asm.get(zero);
                asm.set(total);
              }),
          );
          asm.get(leftRows);
          asm.when(
            () => {
              addEntries(leftRows, left, lefts);
              advance(leftRows, () => asm.i32(4 * rows));
            },
            () => {
              lefts.forEach((local, k) => {
                asm.get(left);
                asm.i32(k * width);
                asm.op("i32.add");
                asm.set(local);
              });
              advance(left, () => {
                asm.get(depth, leftStep);
                asm.op("i32.mul");
              });
            },
          );
          asm.get(right);
          asm.set(rightCells);
          asm.loop(
            rightCells,
            () => asm.get(end),
            () => asm.get(rightStep),
            () => {
              if (rows > fewRows) lengthen(asm, rightCells);
              cells.forEach((cell, k) => {
                asm.get(rightCells);
                asm.at("v128.load", 16 * k);
                asm.set(cell);
              });
              totals.forEach((rowTotals, k) => {
                asm.get(lefts[k]!);
                asm.at(splat, 0);
                asm.set(leftCell);
                rowTotals.forEach((total, vector) => {
                  if (relaxed) {
                    asm.get(leftCell, cells[vector]!, total);
                    asm.op(instruction("relaxed_madd"));
                  } else {
                    asm.get(leftCell, cells[vector]!);
                    asm.op(instruction("mul"));
                    asm.get(total);
                    asm.op(instruction("add"));
                  }
                  asm.set(total);
                });
              });
              for (const local of lefts) advance(local, () => asm.get(leftStep));
            },
          );
          eachTotal((total, cell, vector) => {
            asm.get(cell, total);
            asm.at("v128.store", 16 * vector);
          });
          advance(targetRows, () => asm.i32(4 * rows));
        },
      );
    },
  );
}

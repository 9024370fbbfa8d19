// The register tile: rows × columns of a product, kept in registers while the summed coordinate
// runs over both operands; and tiles one below the other, which share their columns.
//
// A step loads the columns as vectors and each row's cell into all lanes of one, and feeds every
// accumulator once. Where the next step's cells lie is a number of bytes for each operand. In a
// panel of packed cells it is the panel's width; in an operand that is read as it lies, the
// distance of two positions along the summed coordinate.

import type { EncodedFunction } from "../code/encode.ts";
import type { MemoryOpcode, Opcode } from "../code/opcodes.ts";
import { assemble, type Assembly } from "./assembly.ts";

/** What panels and tiles are made of. */
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
 * V8 up to version 12 unrolls loops of up to about a hundred operations. That suits tiles of so
 * many rows; of taller ones it then keeps accumulators in memory.
 */
const fewRows = 4;

/**
 * Makes a loop too long to be unrolled, by additions of 0: the optimiser takes them away, but
 * later.
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
 * (left, where its rows lie, their step, right, its step, positions of the summed coordinate,
 * target, where its rows lie, how many rows, whether to add to what is there): the tiles of some
 * columns, for a multiple of a tile's rows. Where rows lie is a table of offsets; without one, the
 * left operand is in panels, one for each tile.
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
      const each = <Own>(make: () => Own): readonly Own[] => Array.from({ length: rows }, make);
      const totals = each(() => Array.from({ length: vectors }, () => asm.local("v128")));
      const cells = Array.from({ length: vectors }, () => asm.local("v128"));
      const [one, zero] = [asm.local("v128"), asm.local("v128")];
      const lefts = each(() => asm.local(kind));
      const targets = each(() => asm.local(kind));
      const [row, at, end] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      const eachTotal = (visit: (total: number, target: number, vector: number) => void): void =>
        totals.forEach((own, k) =>
          own.forEach((total, vector) => visit(total, targets[k]!, vector)),
        );
      const advance = (local: number, by: () => void): void => {
        asm.get(local);
        by();
        asm.op("i32.add");
        asm.set(local);
      };
      const entries = (table: number, base: number, into: readonly number[]): void =>
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
          entries(targetRows, target, targets);
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
              entries(leftRows, left, lefts);
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
          asm.set(at);
          asm.loop(
            at,
            () => asm.get(end),
            () => asm.get(rightStep),
            () => {
              if (rows > fewRows) lengthen(asm, at);
              cells.forEach((cell, k) => {
                asm.get(at);
                asm.at("v128.load", 16 * k);
                asm.set(cell);
              });
              totals.forEach((own, k) => {
                asm.get(lefts[k]!);
                asm.at(splat, 0);
                asm.set(one);
                own.forEach((total, vector) => {
                  if (relaxed) {
                    asm.get(one, cells[vector]!, total);
                    asm.op(instruction("relaxed_madd"));
                  } else {
                    asm.get(one, cells[vector]!);
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

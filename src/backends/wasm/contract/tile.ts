// The register tile: rows × columns of a product, kept in registers while the summed coordinate runs over two packed panels.
//
// A panel of the left operand has the cells of `rows` rows side by side for each position of the summed coordinate, one of the right operand
// those of `columns` columns. A step loads the columns as vectors and each row's cell into all lanes of one, and feeds every accumulator once.

import type { EncodedFunction } from "../encode.ts";
import type { MemoryOpcode, Opcode } from "../opcodes.ts";
import { assemble } from "./assembly.ts";

/** What panels and tiles are made of. */
export interface Form {
  readonly type: "f32" | "f64";
  readonly rows: number;
  readonly columns: number;
  /** Whether a product and a sum are one instruction, which may round once or twice. */
  readonly relaxed: boolean;
}

export const cellBytes = ({ type }: Form): number => (type === "f32" ? 4 : 8);
/** The instructions that load and store a cell. */
export function accessOf({ type }: Form): readonly [MemoryOpcode, MemoryOpcode] {
  return [`${type}.load`, `${type}.store`];
}

export const lanesOf = ({ type }: Form): number => (type === "f32" ? 4 : 2);

/** (left panel, right panel, positions of the summed coordinate, where each row's cells go, whether to add to what is there). */
export function tileFunction(form: Form): EncodedFunction {
  const { rows, columns, relaxed } = form;
  const width = cellBytes(form);
  const vectors = columns / lanesOf(form);
  const splat = form.type === "f32" ? "v128.load32_splat" : "v128.load64_splat";
  const instruction = (name: string): Opcode => `${form.type}x${lanesOf(form)}.${name}` as Opcode;
  const targets = Array.from({ length: rows }, () => "i32" as const);
  return assemble(["i32", "i32", "i32", ...targets, "i32"], [], (asm, parameters) => {
    const [left, right, depth] = parameters as unknown as [number, number, number];
    const rowAt = (row: number): number => 3 + row;
    const adds = 3 + rows;
    const totals = targets.map(() => Array.from({ length: vectors }, () => asm.local("v128")));
    const cells = Array.from({ length: vectors }, () => asm.local("v128"));
    const one = asm.local("v128");
    const end = asm.local("i32");
    asm.get(adds);
    asm.when(() =>
      totals.forEach((own, row) =>
        own.forEach((total, k) => {
          asm.get(rowAt(row));
          asm.at("v128.load", 16 * k);
          asm.set(total);
        }),
      ),
    );
    asm.get(depth);
    asm.i32(rows * width);
    asm.op("i32.mul");
    asm.get(left);
    asm.op("i32.add");
    asm.set(end);
    asm.loop(
      left,
      () => asm.get(end),
      rows * width,
      () => {
        cells.forEach((cell, k) => {
          asm.get(right);
          asm.at("v128.load", 16 * k);
          asm.set(cell);
        });
        totals.forEach((own, row) => {
          asm.get(left);
          asm.at(splat, row * width);
          asm.set(one);
          own.forEach((total, k) => {
            if (relaxed) {
              asm.get(one, cells[k]!, total);
              asm.op(instruction("relaxed_madd"));
            } else {
              asm.get(one, cells[k]!);
              asm.op(instruction("mul"));
              asm.get(total);
              asm.op(instruction("add"));
            }
            asm.set(total);
          });
        });
        asm.get(right);
        asm.i32(columns * width);
        asm.op("i32.add");
        asm.set(right);
      },
    );
    totals.forEach((own, row) =>
      own.forEach((total, k) => {
        asm.get(rowAt(row), total);
        asm.at("v128.store", 16 * k);
      }),
    );
  });
}

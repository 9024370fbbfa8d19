// The function that computes a contraction from its operands to its sums in one call, or a part of
// it: some of the batch, of the rows or of the columns. A part has panels of its own, so that
// threads share only the operands. Panels that several parts need are packed by each of them.

import type { EncodedFunction } from "../code/encode.ts";
import { assemble, type Assembly } from "./assembly.ts";

/**
 * The description of a contraction, one word each: addresses of tables, sizes, and the divided
 * coordinate.
 */
export const taskWords = [
  "batch",
  "rows",
  "rowKinds",
  "columns",
  "columnKinds",
  "targetRows",
  "targetColumns",
  "targetKinds",
  "leftDepth",
  "rightDepth",
  /**
   * The address of the flag for rows or columns that are not finite but have to be; 0 for no check.
   */
  "rowFlag",
  "columnFlag",
  /**
   * Offsets from the beginning of the panels: of the right operand's panels, of the room for a
   * tile, and the table of the tile's rows.
   */
  "rights",
  "room",
  "roomRows",
  /**
   * The bytes between two positions of the depth in an operand that is read in place; 0 if it is
   * packed.
   */
  "leftStep",
  "rightStep",
  /** The distance between the panels of neighbouring positions of the divided coordinate. */
  "slide",
  /** The address of all columns, if they are packed already; 0 if each part packs its own. */
  "packed",
  "blockDepth",
  "blockColumns",
  "batchEnd",
  "rowEnd",
  "columnEnd",
  "depthEnd",
  "divided",
] as const;

export type Task = Readonly<Record<(typeof taskWords)[number], number>>;

/** Pushes a word of a task. */
export function pushWord(asm: Assembly, task: number, name: keyof Task): void {
  asm.get(task);
  asm.at("i32.load", 4 * taskWords.indexOf(name));
}

/** Pushes the address of an entry of one of a task's tables. */
export function pushTableEntry(
  asm: Assembly,
  task: number,
  table: keyof Task,
  at: () => void,
): void {
  pushWord(asm, task, table);
  at();
  asm.i32(2);
  asm.op("i32.shl", "i32.add");
}

/** What can be divided into parts. */
export const divisions = ["batch", "rows", "columns"] as const;
export type Division = (typeof divisions)[number];

/**
 * The rows that are packed and multiplied at a time; whole tiles of any form. Their panels stay in
 * the cache. If rows are read in place, each may be in another page, and the processor can remember
 * the addresses of so many pages.
 */
export const rowsAtOnce = 60;

/**
 * (task, left, right, target, panels, first, end). An entry of the batch has three words: its
 * offset in each of the operands and the target.
 */
export function taskFunction(columnPart: number, rowPart: number): EncodedFunction {
  const kind = "i32" as const;
  return assemble(
    [kind, kind, kind, kind, kind, kind, kind],
    [],
    (asm, [task, left, right, target, panels, first, end]) => {
      const push = (name: keyof Task): void => pushWord(asm, task, name);
      const starts = { batch: asm.local(kind), rows: asm.local(kind), columns: asm.local(kind) };
      const ends = { batch: asm.local(kind), rows: asm.local(kind), columns: asm.local(kind) };
      const lengths = { batch: "batchEnd", rows: "rowEnd", columns: "columnEnd" } as const;
      divisions.forEach((division, number) => {
        push(lengths[division]);
        asm.set(ends[division]);
        push("divided");
        asm.i32(number);
        asm.op("i32.eq");
        asm.when(() => {
          asm.get(first);
          asm.set(starts[division]);
          asm.get(end);
          asm.set(ends[division]);
        });
      });
      // The panels of this part.
      asm.get(panels, first);
      push("slide");
      asm.op("i32.mul", "i32.add");
      asm.set(panels);
      const [batch, column, columnEnd, row, rowEnd] = Array.from({ length: 5 }, () =>
        asm.local(kind),
      ) as [number, number, number, number, number];
      const [deep, deepEnd, rights] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      push("packed");
      asm.tee(rights);
      asm.op("i32.eqz");
      asm.when(() => {
        asm.get(panels);
        push("rights");
        asm.op("i32.add");
        asm.set(rights);
      });
      /** Sets `into` to the end of the block that begins at `at`, which is not beyond `most`. */
      const blockEnd = (at: number, length: () => void, most: () => void, into: number): void => {
        asm.get(at);
        length();
        asm.op("i32.add");
        asm.tee(into);
        most();
        asm.get(into);
        most();
        asm.op("i32.lt_s", "select");
        asm.set(into);
      };
      const pushBatchAddress = (base: number, operand: number): void => {
        asm.get(base);
        push("batch");
        asm.get(batch);
        asm.i32(12);
        asm.op("i32.mul", "i32.add");
        asm.at("i32.load", 4 * operand);
        asm.op("i32.add");
      };
      asm.get(starts.batch);
      asm.set(batch);
      asm.loop(
        batch,
        () => asm.get(ends.batch),
        1,
        () => {
          asm.get(starts.columns);
          asm.set(column);
          asm.loop(
            column,
            () => asm.get(ends.columns),
            () => push("blockColumns"),
            () => {
              blockEnd(
                column,
                () => push("blockColumns"),
                () => asm.get(ends.columns),
                columnEnd,
              );
              asm.i32(0);
              asm.set(deep);
              asm.loop(
                deep,
                () => push("depthEnd"),
                () => push("blockDepth"),
                () => {
                  blockEnd(
                    deep,
                    () => push("blockDepth"),
                    () => push("depthEnd"),
                    deepEnd,
                  );
                  push("packed");
                  asm.op("i32.eqz");
                  asm.when(() => {
                    pushBatchAddress(right, 1);
                    asm.get(rights);
                    push("columns");
                    push("columnKinds");
                    for (const at of [deep, deepEnd])
                      pushTableEntry(asm, task, "rightDepth", () => asm.get(at));
                    asm.get(column);
                    push("columnFlag");
                    asm.get(column, columnEnd);
                    asm.call(columnPart);
                  });
                  asm.get(starts.rows);
                  asm.set(row);
                  asm.loop(
                    row,
                    () => asm.get(ends.rows),
                    rowsAtOnce,
                    () => {
                      blockEnd(
                        row,
                        () => asm.i32(rowsAtOnce),
                        () => asm.get(ends.rows),
                        rowEnd,
                      );
                      asm.get(task);
                      pushBatchAddress(left, 0);
                      pushBatchAddress(right, 1);
                      pushBatchAddress(target, 2);
                      asm.get(panels, rights, column, columnEnd, deep, deepEnd, row, rowEnd);
                      asm.call(rowPart);
                    },
                  );
                },
              );
            },
          );
        },
      );
    },
  );
}

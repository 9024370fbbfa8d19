// A contraction from its operands to its sums in one call, or a part of it: some of the batch, of
// the rows or of the columns. A part has panels of its own, so that threads share nothing but what
// they read; what more than one of them needs is packed by each.

import type { EncodedFunction } from "../code/encode.ts";
import { assemble, type Assembly } from "./assembly.ts";

/**
 * What is written down for a contraction, one word each: addresses of tables, sizes, and what is
 * divided.
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
   * Where it is set that rows or columns are not finite that have to be; 0 where it does not
   * matter.
   */
  "rowFlag",
  "columnFlag",
  /**
   * Where panels of the right operand and room for a tile lie, from the beginning of the panels,
   * and where the tile's rows are in it.
   */
  "rights",
  "room",
  "roomRows",
  /**
   * How far two positions of the depth lie apart in an operand that is read as it lies; 0 where it
   * is packed.
   */
  "leftStep",
  "rightStep",
  /** How far the panels of one position of what is divided lie from those of the next. */
  "slide",
  /** Where all columns lie packed already; 0 where each part packs its own. */
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
export function tableEntry(asm: Assembly, task: number, table: keyof Task, at: () => void): void {
  pushWord(asm, task, table);
  at();
  asm.i32(2);
  asm.op("i32.shl", "i32.add");
}

/** What is divided into parts. */
export const divisions = ["batch", "rows", "columns"] as const;
export type Division = (typeof divisions)[number];

/**
 * Rows that are packed and multiplied at a time, whole tiles of any form. Their panels stay in the
 * cache; where they are read as they lie, each in a page of its own, the processor still knows
 * where all these pages are.
 */
export const rowsAtOnce = 60;

/**
 * (task, left, right, target, panels, first, end). An entry of the batch has three words: where it
 * is in each of the three.
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
      // Where the panels of this part are.
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
      /** The end of a block that begins at a position, before the end of everything. */
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
      const from = (base: number, operand: number): void => {
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
                    from(right, 1);
                    asm.get(rights);
                    push("columns");
                    push("columnKinds");
                    for (const at of [deep, deepEnd])
                      tableEntry(asm, task, "rightDepth", () => asm.get(at));
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
                      from(left, 0);
                      from(right, 1);
                      from(target, 2);
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

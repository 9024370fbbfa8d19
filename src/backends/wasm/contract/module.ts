// This folder multiplies matrices: it plans a contraction as tables of offsets, and has the module
// that computes it. What a contraction is, and when it pays, is decided in
// `plan/reductions/contraction.ts`.
//
// This file makes the module that multiplies packed panels, one for each form. The module knows
// nothing of programs; a contraction comes as tables and addresses.

import type { EncodedFunction } from "../code/encode.ts";
import { assemble, type Assembly } from "./assembly.ts";
import {
  cellsInPlace,
  finiteFunction,
  packFunction,
  pushPanelAddress,
  type Panels,
} from "./packing.ts";
import { pushWord, pushTableEntry, taskFunction, type Task } from "./task.ts";
import { accessOf, cellBytes, tilesFunction, type Form } from "./tile.ts";

/** The functions of a module, in the order of their indices. */
const functionNames = [
  "tiles",
  "packRows",
  "packColumns",
  "finite",
  "multiply",
  "columnPart",
  "rowPart",
  "task",
] as const;
type FunctionName = (typeof functionNames)[number];

const indexOfFunction = (name: FunctionName): number => functionNames.indexOf(name);

/** The functions whose last two arguments say which part of the work to do. */
export const partFunctions = {
  columns: indexOfFunction("columnPart"),
  task: indexOfFunction("task"),
} as const;

export function contractionFunctions(form: Form): readonly EncodedFunction[] {
  const functions: Record<FunctionName, EncodedFunction> = {
    tiles: tilesFunction(form),
    packRows: packFunction(form, form.rows),
    packColumns: packFunction(form, form.columns),
    finite: finiteFunction(form),
    multiply: multiplyFunction(form),
    columnPart: columnPartFunction(form),
    rowPart: rowPartFunction(form),
    task: taskFunction(indexOfFunction("columnPart"), indexOfFunction("rowPart")),
  };
  return functionNames.map((name) => functions[name]);
}

/**
 * (source, target, table, kinds of the panels, depths, their end, base, flag, first, end): packs
 * some columns. If there is a flag, it is set unless all of them are finite.
 */
function columnPartFunction(form: Form): EncodedFunction {
  return assemble(
    ["i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32"],
    [],
    (asm, [source, target, table, kinds, depths, depthEnd, base, flag, first, end]) => {
      asm.get(source, target, table, kinds, depths, depthEnd, base, first, end);
      asm.call(indexOfFunction("packColumns"));
      const packed: Panels = { panels: target, depths, depthEnd, base };
      flagUnlessFinite(asm, form, packed, { first, end, flag, width: form.columns });
    },
  );
}

/**
 * (task, left, right, target, left panels, right panels, first column, end, first position of the
 * depth, end, first row, end): packs some rows, unless they are read in place, and multiplies them
 * with the columns.
 */
function rowPartFunction(form: Form): EncodedFunction {
  const kind = "i32" as const;
  return assemble(
    [kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind],
    [],
    (
      asm,
      [task, left, right, target, lefts, rights, column, endColumn, deep, endDeep, first, end],
    ) => {
      const [depths, depthEnd, flag] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      pushWord(asm, task, "leftStep");
      asm.op("i32.eqz");
      asm.when(() => {
        for (const [into, at] of [
          [depths, deep],
          [depthEnd, endDeep],
        ] as const) {
          pushTableEntry(asm, task, "leftDepth", () => asm.get(at));
          asm.set(into);
        }
        asm.get(left, lefts);
        pushWord(asm, task, "rows");
        pushWord(asm, task, "rowKinds");
        asm.get(depths, depthEnd, first, first, end);
        asm.call(indexOfFunction("packRows"));
        pushWord(asm, task, "rowFlag");
        asm.set(flag);
        const packed: Panels = { panels: lefts, depths, depthEnd, base: first };
        flagUnlessFinite(asm, form, packed, { first, end, flag, width: form.rows });
      });
      asm.get(
        task,
        left,
        right,
        target,
        lefts,
        rights,
        column,
        endColumn,
        deep,
        endDeep,
        first,
        end,
      );
      asm.call(indexOfFunction("multiply"));
    },
  );
}

interface Part {
  readonly first: number;
  readonly end: number;
  /** The local with the address of the flag; the address is 0 if there is no check. */
  readonly flag: number;
  readonly width: number;
}

function flagUnlessFinite(
  asm: Assembly,
  form: Form,
  packed: Panels,
  { first, end, flag, width }: Part,
): void {
  asm.get(flag);
  asm.when(() => {
    pushPanelAddress(asm, form, packed, first);
    pushPanelAddress(asm, form, packed, end, () => {
      // The last panel is always whole.
      asm.i32(width - 1);
      asm.op("i32.add");
      asm.i32(width);
      asm.op("i32.div_u");
      asm.i32(width);
      asm.op("i32.mul");
    });
    asm.call(indexOfFunction("finite"));
    asm.op("i32.eqz");
    asm.when(() => {
      asm.get(flag);
      asm.i32(1);
      asm.at("i32.store", 0);
    });
  });
}

/**
 * (task, left, right, target, left panels, right panels, first column, end, first position of the
 * depth, end, first row, end): computes the tiles of some rows and columns. A tile that is not
 * whole, or whose cells are not adjacent in the target, is computed in a separate room and copied
 * cell by cell.
 */
function multiplyFunction(form: Form): EncodedFunction {
  const { rows, columns } = form;
  const width = cellBytes(form.type);
  const [load, store] = accessOf(form);
  const kind = "i32" as const;
  return assemble(
    [kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind],
    [],
    (
      asm,
      [
        task,
        left,
        right,
        target,
        lefts,
        rights,
        column,
        endColumn,
        deep,
        endDeep,
        firstRow,
        endRow,
      ],
    ) => {
      const push = (name: keyof Task): void => pushWord(asm, task, name);
      const entry = (table: keyof Task, at: () => void): void =>
        pushTableEntry(asm, task, table, at);
      /** Adds an entry to the address on the stack. */
      const addEntry = (table: keyof Task, at: () => void): void => {
        entry(table, at);
        asm.at("i32.load", 0);
        asm.op("i32.add");
      };
      const [depth, adds, room] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      // The left operand: the address of its cells or panels, whether it is read in place, and its
      // step. Then the arguments of one call of `tiles`: the address, and the table of the offsets
      // of its rows.
      const [leftCells, leftRows, leftStep] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      const [tileLeft, tileRows] = [asm.local(kind), asm.local(kind)];
      // The address of the columns' cells, in the operand or in panels, and their step.
      const [columnCells, step] = [asm.local(kind), asm.local(kind)];
      const [row, wholeTiles, base] = [asm.local(kind), asm.local(kind), asm.local(kind)];
      const [r, c, roomCell, targetCell] = [
        asm.local(kind),
        asm.local(kind),
        asm.local(kind),
        asm.local(kind),
      ];
      /**
       * Visits the cells of a tile that exist, with the address of each in the room and in the
       * target.
       */
      const eachCell = (body: () => void): void => {
        asm.i32(0);
        asm.set(r);
        const below = (first: number, end: number, most: number): void => {
          // min(end - first, most)
          asm.get(end, first);
          asm.op("i32.sub");
          asm.i32(most);
          asm.get(end, first);
          asm.op("i32.sub");
          asm.i32(most);
          asm.op("i32.lt_s", "select");
        };
        asm.loop(
          r,
          () => below(row, endRow, rows),
          1,
          () => {
            asm.i32(0);
            asm.set(c);
            asm.loop(
              c,
              () => below(column, endColumn, columns),
              1,
              () => {
                asm.get(room, r);
                asm.i32(columns);
                asm.op("i32.mul");
                asm.get(c);
                asm.op("i32.add");
                asm.i32(width);
                asm.op("i32.mul", "i32.add");
                asm.set(roomCell);
                asm.get(target);
                addEntry("targetRows", () => {
                  asm.get(row, r);
                  asm.op("i32.add");
                });
                addEntry("targetColumns", () => {
                  asm.get(column, c);
                  asm.op("i32.add");
                });
                asm.set(targetCell);
                body();
              },
            );
          },
        );
      };
      /** Pushes the kind of a panel of columns in an operand or in the target. */
      const howPanelLies = (kinds: "columnKinds" | "targetKinds"): void => {
        push(kinds);
        asm.get(column);
        asm.i32(columns);
        asm.op("i32.div_u", "i32.add");
        asm.at("i32.load8_u", 0);
      };
      /**
       * Calls `tiles` for the rows from `row` on. `into` pushes the target and the table of its
       * rows.
       */
      const tiles = (into: () => void, length: () => void): void => {
        asm.get(leftRows);
        asm.when(
          () => {
            asm.get(leftCells);
            asm.set(tileLeft);
            entry("rows", () => asm.get(row));
            asm.set(tileRows);
          },
          () => {
            // The panels lie one after the other.
            asm.get(leftCells, row, firstRow);
            asm.op("i32.sub");
            asm.get(depth);
            asm.i32(width);
            asm.op("i32.mul", "i32.mul", "i32.add");
            asm.set(tileLeft);
            asm.i32(0);
            asm.set(tileRows);
          },
        );
        asm.get(tileLeft, tileRows, leftStep, columnCells, step, depth);
        into();
        length();
        asm.get(adds);
        asm.call(indexOfFunction("tiles"));
      };
      asm.get(endDeep, deep);
      asm.op("i32.sub");
      asm.set(depth);
      asm.get(deep);
      asm.i32(0);
      asm.op("i32.gt_s");
      asm.set(adds);
      asm.get(lefts);
      push("room");
      asm.op("i32.add");
      asm.set(room);
      push("leftStep");
      asm.tee(leftRows);
      asm.when(
        () => {
          asm.get(left);
          addEntry("leftDepth", () => asm.get(deep));
          asm.set(leftCells);
          push("leftStep");
          asm.set(leftStep);
        },
        () => {
          asm.get(lefts);
          asm.set(leftCells);
          asm.i32(rows * width);
          asm.set(leftStep);
        },
      );
      asm.loop(
        column,
        () => asm.get(endColumn),
        columns,
        () => {
          asm.get(target);
          addEntry("targetColumns", () => asm.get(column));
          asm.set(base);
          howPanelLies("columnKinds");
          asm.i32(cellsInPlace);
          asm.op("i32.eq");
          asm.when(
            () => {
              asm.get(right);
              addEntry("columns", () => asm.get(column));
              addEntry("rightDepth", () => asm.get(deep));
              asm.set(columnCells);
              push("rightStep");
              asm.set(step);
            },
            () => {
              asm.get(rights);
              asm.set(columnCells);
              asm.i32(columns * width);
              asm.set(step);
            },
          );
          asm.get(firstRow);
          asm.set(row);
          howPanelLies("targetKinds");
          asm.when(() => {
            asm.get(endRow, firstRow);
            asm.op("i32.sub");
            asm.i32(rows);
            asm.op("i32.div_u");
            asm.i32(rows);
            asm.op("i32.mul");
            asm.set(wholeTiles);
            tiles(
              () => {
                asm.get(base);
                entry("targetRows", () => asm.get(row));
              },
              () => asm.get(wholeTiles),
            );
            asm.get(row, wholeTiles);
            asm.op("i32.add");
            asm.set(row);
          });
          asm.loop(
            row,
            () => asm.get(endRow),
            rows,
            () => {
              asm.get(adds);
              asm.when(() =>
                eachCell(() => {
                  asm.get(roomCell, targetCell);
                  asm.at(load, 0);
                  asm.at(store, 0);
                }),
              );
              tiles(
                () => {
                  asm.get(room);
                  push("roomRows");
                },
                () => asm.i32(rows),
              );
              eachCell(() => {
                asm.get(targetCell, roomCell);
                asm.at(load, 0);
                asm.at(store, 0);
              });
            },
          );
          asm.get(rights, depth);
          asm.i32(columns * width);
          asm.op("i32.mul", "i32.add");
          asm.set(rights);
        },
      );
    },
  );
}

// The module that multiplies packed panels, one for each form: it knows nothing of programs, which come as tables and addresses.

import type { EncodedFunction } from "../encode.ts";
import { assemble, type Assembly } from "./assembly.ts";
import { finiteFunction, packFunction, panelAt, type Panels } from "./packing.ts";
import { taskFunction } from "./task.ts";
import { accessOf, cellBytes, tileFunction, type Form } from "./tile.ts";

/** The functions of a module, in their order. */
const functionNames = [
  "tile",
  "packRows",
  "packColumns",
  "finite",
  "multiply",
  "columnPart",
  "rowPart",
  "task",
] as const;
type FunctionName = (typeof functionNames)[number];

const numberOf = (name: FunctionName): number => functionNames.indexOf(name);

/** The functions whose last two arguments say which part of the work to do. */
export const partFunctions = {
  columns: numberOf("columnPart"),
  task: numberOf("task"),
} as const;

export function contractionFunctions(form: Form): readonly EncodedFunction[] {
  const functions: Record<FunctionName, EncodedFunction> = {
    tile: tileFunction(form),
    packRows: packFunction(form, form.rows),
    packColumns: packFunction(form, form.columns),
    finite: finiteFunction(form),
    multiply: multiplyFunction(form),
    columnPart: columnPartFunction(form),
    rowPart: rowPartFunction(form),
    task: taskFunction(numberOf("columnPart"), numberOf("rowPart")),
  };
  return functionNames.map((name) => functions[name]);
}

/**
 * (source, target, table, how panels lie, depths, their end, base, flag, first, end): packs some columns; where there is a flag, it is set
 * unless all of them are finite.
 */
function columnPartFunction(form: Form): EncodedFunction {
  return assemble(
    ["i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32"],
    [],
    (asm, [source, target, table, kinds, depths, depthEnd, base, flag, first, end]) => {
      asm.get(source, target, table, kinds, depths, depthEnd, base, first, end);
      asm.call(numberOf("packColumns"));
      const packed: Panels = { panels: target, depths, depthEnd, base };
      flagUnlessFinite(asm, form, packed, { first, end, flag, width: form.columns });
    },
  );
}

/**
 * (source, target of panels, table, how panels lie, depths, their end, base, flag, columns' panels, target, its table of rows, its table of
 * columns, first column, end, how the columns lie in it, room for tiles, whether to add, first, end): packs some rows and multiplies them
 * with the columns.
 */
function rowPartFunction(form: Form): EncodedFunction {
  const width = cellBytes(form);
  const kind = "i32" as const;
  return assemble(
    [kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind],
    [],
    (
      asm,
      [source, lefts, table, kinds, depths, depthEnd, base, flag, rights, target, targetRows, targetColumns, column, endColumn, targetKinds, room, adds, first, end], // prettier-ignore
    ) => {
      asm.get(source, lefts, table, kinds, depths, depthEnd, base, first, end);
      asm.call(numberOf("packRows"));
      const packed: Panels = { panels: lefts, depths, depthEnd, base };
      flagUnlessFinite(asm, form, packed, { first, end, flag, width: form.rows });
      panelAt(asm, form, packed, first);
      asm.get(rights, depthEnd, depths);
      asm.op("i32.sub");
      asm.i32(4);
      asm.op("i32.div_u");
      asm.get(target, targetRows, first, end, targetColumns, column, endColumn, targetKinds, room);
      // Each part has room of its own, as long as it is.
      asm.get(first, base);
      asm.op("i32.sub");
      asm.i32(form.columns * width);
      asm.op("i32.mul", "i32.add");
      asm.get(adds);
      asm.call(numberOf("multiply"));
    },
  );
}

interface Part {
  readonly first: number;
  readonly end: number;
  /** Where to set it, if anywhere. */
  readonly flag: number;
  readonly width: number;
}

function flagUnlessFinite(asm: Assembly, form: Form, packed: Panels, { first, end, flag, width }: Part): void {
  asm.get(flag);
  asm.when(() => {
    panelAt(asm, form, packed, first);
    panelAt(asm, form, packed, end, () => {
      // The last panel is whole.
      asm.i32(width - 1);
      asm.op("i32.add");
      asm.i32(width);
      asm.op("i32.div_u");
      asm.i32(width);
      asm.op("i32.mul");
    });
    asm.call(numberOf("finite"));
    asm.op("i32.eqz");
    asm.when(() => {
      asm.get(flag);
      asm.i32(1);
      asm.at("i32.store", 0);
    });
  });
}

/**
 * (left panels, right panels, depth, target, table of rows, first row, end, table of columns, first column, end, how each panel of columns
 * lies in the target, room for a tile, whether to add): the tiles of some rows and columns. What sticks out of the target, or does not lie
 * there in one piece, goes through the room for a tile cell by cell.
 */
function multiplyFunction(form: Form): EncodedFunction {
  const { rows, columns } = form;
  const width = cellBytes(form);
  const [load, store] = accessOf(form);
  const kind = "i32" as const;
  return assemble(
    [kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind],
    [],
    (
      asm,
      [lefts, right, depth, target, rowTable, firstRow, endRow, columnTable, column, endColumn, kinds, room, adds],
    ) => {
      const row = asm.local("i32");
      const left = asm.local("i32");
      const base = asm.local("i32");
      const entries = asm.local("i32");
      const [r, c] = [asm.local("i32"), asm.local("i32")];
      const [spot, cell] = [asm.local("i32"), asm.local("i32")];
      const tableEntry = (table: number, at: () => void): void => {
        asm.get(table);
        at();
        asm.i32(2);
        asm.op("i32.shl", "i32.add");
      };
      /** Visits the cells of a tile that exist: `spot` is where each lies in the room, `cell` where in the target. */
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
                asm.set(spot);
                asm.get(target);
                tableEntry(rowTable, () => {
                  asm.get(row, r);
                  asm.op("i32.add");
                });
                asm.at("i32.load", 0);
                asm.op("i32.add");
                tableEntry(columnTable, () => {
                  asm.get(column, c);
                  asm.op("i32.add");
                });
                asm.at("i32.load", 0);
                asm.op("i32.add");
                asm.set(cell);
                body();
              },
            );
          },
        );
      };
      const leftBytes = (): void => {
        asm.get(depth);
        asm.i32(rows * width);
        asm.op("i32.mul");
      };
      asm.loop(
        column,
        () => asm.get(endColumn),
        columns,
        () => {
          asm.get(target);
          tableEntry(columnTable, () => asm.get(column));
          asm.at("i32.load", 0);
          asm.op("i32.add");
          asm.set(base);
          asm.get(firstRow);
          asm.set(row);
          asm.get(lefts);
          asm.set(left);
          asm.loop(
            row,
            () => asm.get(endRow),
            rows,
            () => {
              asm.get(kinds, column);
              asm.i32(columns);
              asm.op("i32.div_u", "i32.add");
              asm.at("i32.load8_u", 0);
              asm.get(row);
              asm.i32(rows);
              asm.op("i32.add");
              asm.get(endRow);
              asm.op("i32.le_s", "i32.and");
              asm.when(
                () => {
                  tableEntry(rowTable, () => asm.get(row));
                  asm.set(entries);
                  asm.get(left, right, depth);
                  for (let k = 0; k < rows; k++) {
                    asm.get(base, entries);
                    asm.at("i32.load", 4 * k);
                    asm.op("i32.add");
                  }
                  asm.get(adds);
                  asm.call(numberOf("tile"));
                },
                () => {
                  asm.get(adds);
                  asm.when(() =>
                    eachCell(() => {
                      asm.get(spot, cell);
                      asm.at(load, 0);
                      asm.at(store, 0);
                    }),
                  );
                  asm.get(left, right, depth);
                  for (let k = 0; k < rows; k++) {
                    asm.get(room);
                    asm.i32(k * columns * width);
                    asm.op("i32.add");
                  }
                  asm.get(adds);
                  asm.call(numberOf("tile"));
                  eachCell(() => {
                    asm.get(cell, spot);
                    asm.at(load, 0);
                    asm.at(store, 0);
                  });
                },
              );
              asm.get(left);
              leftBytes();
              asm.op("i32.add");
              asm.set(left);
            },
          );
          asm.get(right, depth);
          asm.i32(columns * width);
          asm.op("i32.mul", "i32.add");
          asm.set(right);
        },
      );
    },
  );
}

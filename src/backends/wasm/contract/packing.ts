// Packing copies the cells of an operand so that they lie side by side in the order in which tiles
// read them.
//
// The address of a cell is the sum of two table entries: one for its row (or column), and one for
// its position along the depth. So plain, transposed, strided, dilated and convolved operands are
// all packed in the same way.

import type { EncodedFunction } from "../code/encode.ts";
import { assemble, type Assembly } from "./assembly.ts";
import { accessOf, cellBytes, lanesOf, type Form } from "./tile.ts";

/**
 * The kinds of panels: the cells at one position of the depth are scattered or adjacent in memory,
 * or the panel is not packed because tiles read its cells in place.
 */
export const scatteredCells = 0;
export const adjacentCells = 1;
export const cellsInPlace = 2;

/**
 * (source, target, table of offsets, kinds of the panels, table along the depth, its end, base,
 * first, end): fills the panels from `first` to `end`. Both are multiples of the panel's width,
 * counted from `base`, whose panel lies at the target. Tables have entries up to the next multiple.
 */
export function packFunction(form: Form, width: number): EncodedFunction {
  const bytes = cellBytes(form.type);
  const lanes = lanesOf(form);
  const isVector = width % lanes === 0;
  const [load, store] = accessOf(form);
  return assemble(
    ["i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32"],
    [],
    (asm, [source, target, table, kinds, depths, depthEnd, base, first, end]) => {
      pushPanelAddress(asm, form, { panels: target, depths, depthEnd, base }, first);
      asm.set(target);
      const offsets = Array.from({ length: width }, () => asm.local("i32"));
      const [depth, step, panelKind] = [asm.local("i32"), asm.local("i32"), asm.local("i32")];
      const at = asm.local("i32");
      const cell = asm.local("i32");
      const rows = Array.from({ length: 4 }, () => asm.local("v128"));
      const pairs = Array.from({ length: 4 }, () => asm.local("v128"));
      /**
       * Walks the depth. `at` is the address of the current position: the source plus the entry of
       * the table.
       */
      const overDepths = (one: () => void, four?: () => void): void => {
        asm.get(depths);
        asm.set(depth);
        asm.loop(
          depth,
          () => asm.get(depthEnd),
          () => asm.get(step),
          () => {
            asm.get(source, depth);
            asm.at("i32.load", 0);
            asm.op("i32.add");
            asm.set(at);
            asm.i32(4);
            asm.set(step);
            if (four) {
              fourAdjacent();
              asm.when(() => {
                asm.i32(16);
                asm.set(step);
                four();
              }, one);
            } else one();
            asm.get(target, step);
            asm.i32((width * bytes) / 4);
            asm.op("i32.mul", "i32.add");
            asm.set(target);
          },
        );
      };
      /** Pushes whether this position and the next three of the depth are neighbours in memory. */
      const fourAdjacent = (): void => {
        asm.get(depth);
        asm.i32(16);
        asm.op("i32.add");
        asm.get(depthEnd);
        asm.op("i32.le_u");
        for (const k of [1, 2, 3]) {
          asm.get(depth);
          asm.at("i32.load", 4 * k);
          asm.get(depth);
          asm.at("i32.load", 0);
          asm.op("i32.sub");
          asm.i32(k * bytes);
          asm.op("i32.eq", "i32.and");
        }
      };
      const packDepth = (): void =>
        offsets.forEach((offset, k) => {
          asm.get(target, at, offset);
          asm.op("i32.add");
          asm.at(load, 0);
          asm.at(store, k * bytes);
        });
      /**
       * Loads four positions of each of four rows and transposes them: neighbours along the depth
       * in the operand become neighbours along the rows in the panel.
       */
      const packFourDepths = (): void => {
        for (let group = 0; group < width; group += 4) {
          rows.forEach((row, k) => {
            asm.get(at, offsets[group + k]!);
            asm.op("i32.add");
            asm.at("v128.load", 0);
            asm.set(row);
          });
          pairs.forEach((pair, k) => {
            asm.get(rows[k < 2 ? 0 : 2]!, rows[k < 2 ? 1 : 3]!);
            asm.shuffle(bytesOfWords(k % 2 === 0 ? [0, 4, 1, 5] : [2, 6, 3, 7]));
            asm.set(pair);
          });
          for (let position = 0; position < 4; position++) {
            asm.get(target, pairs[position < 2 ? 0 : 1]!, pairs[position < 2 ? 2 : 3]!);
            asm.shuffle(bytesOfWords(position % 2 === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7]));
            asm.at("v128.store", (position * width + group) * bytes);
          }
        }
      };
      asm.loop(
        first,
        () => asm.get(end),
        width,
        () => {
          pushEntryAddress(asm, table, first);
          asm.set(cell);
          offsets.forEach((offset, k) => {
            asm.get(cell);
            asm.at("i32.load", 4 * k);
            asm.set(offset);
          });
          asm.get(kinds, first);
          asm.i32(width);
          asm.op("i32.div_u", "i32.add");
          asm.at("i32.load8_u", 0);
          asm.set(panelKind);
          const whenLying = (kind: number, then: () => void, otherwise: () => void): void => {
            asm.get(panelKind);
            asm.i32(kind);
            asm.op("i32.eq");
            asm.when(then, otherwise);
          };
          const packScattered = (): void =>
            overDepths(packDepth, lanes === 4 && width % 4 === 0 ? packFourDepths : undefined);
          const packAdjacent = (): void =>
            overDepths(() => {
              asm.get(at, offsets[0]!);
              asm.op("i32.add");
              asm.set(at);
              for (let vector = 0; vector * lanes < width; vector++) {
                asm.get(target, at);
                asm.at("v128.load", vector * 16);
                asm.at("v128.store", vector * 16);
              }
            });
          const skipPanel = (): void => {
            asm.get(target, depthEnd, depths);
            asm.op("i32.sub");
            asm.i32((width * bytes) / 4);
            asm.op("i32.mul", "i32.add");
            asm.set(target);
          };
          whenLying(cellsInPlace, skipPanel, () =>
            isVector ? whenLying(adjacentCells, packAdjacent, packScattered) : packScattered(),
          );
        },
      );
    },
  );
}

/** The byte indices of some 32-bit words, for a shuffle. */
function bytesOfWords(words: readonly number[]): readonly number[] {
  return words.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));
}

/**
 * Panels in memory: that of `base` is first, and a row or column has one cell for each entry of the
 * depth's table.
 */
export interface Panels {
  readonly panels: number;
  readonly depths: number;
  readonly depthEnd: number;
  readonly base: number;
}

/**
 * Pushes the address of the panel that begins with a row or column. `upTo` may change the number of
 * rows before it.
 */
export function pushPanelAddress(
  asm: Assembly,
  form: Form,
  { panels, depths, depthEnd, base }: Panels,
  first: number,
  upTo: () => void = () => undefined,
): void {
  asm.get(panels, first, base);
  asm.op("i32.sub");
  upTo();
  asm.get(depthEnd, depths);
  asm.op("i32.sub", "i32.mul");
  // An entry of a table has four bytes.
  if (cellBytes(form.type) === 8) {
    asm.i32(2);
    asm.op("i32.mul");
  }
  asm.op("i32.add");
}

/** Pushes the address of an entry of a table. */
function pushEntryAddress(asm: Assembly, table: number, at: number): void {
  asm.get(table, at);
  asm.i32(2);
  asm.op("i32.shl", "i32.add");
}

/**
 * (from, to): whether all cells between two addresses are finite. Their distance is a multiple of
 * the vector size.
 */
export function finiteFunction(form: Form): EncodedFunction {
  const vector = form.type === "f32" ? "f32x4" : "f64x2";
  return assemble(["i32", "i32"], ["i32"], (asm, [from, to]) => {
    const total = asm.local("v128");
    const zero = asm.local("v128");
    asm.loop(
      from,
      () => asm.get(to),
      16,
      () => {
        // 0 × x is 0 for a finite x, else NaN.
        asm.get(total, from);
        asm.at("v128.load", 0);
        asm.get(zero);
        asm.op(`${vector}.mul`, `${vector}.add`);
        asm.set(total);
      },
    );
    asm.get(total, total);
    asm.op(`${vector}.ne`, "v128.any_true", "i32.eqz");
  });
}

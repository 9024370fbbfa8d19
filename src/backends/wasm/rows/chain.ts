// Compiles kernels of equally many rows to one module, with a function that calls them a few rows
// at a time. So the cells that one kernel writes are in the nearest cache when the next one reads
// them. The kernels that reduce blocks of rows are called after all rows, because no kernel of the
// chain reads their results.

import { assemble } from "../contract/assembly.ts";
import type { EncodedFunction } from "../code/encode.ts";
import { kernelsTogether, type KernelFunction, type Source } from "../code/kernels.ts";

/** A kernel, and how many rows each position of its part has. */
export interface Link {
  readonly source: Source;
  readonly rowsEach: number;
  /** The addresses of its tensors. */
  readonly addresses: () => readonly number[];
}

/** How many rows the chain computes at a time, so that their cells fit into the nearest cache. */
export function rowsAtOnce(bytesOfRow: number): number {
  return Math.max(1, Math.floor(nearestCache / Math.max(1, bytesOfRow)));
}

const nearestCache = 1 << 14;

/**
 * A function whose arguments are those of all kernels, one after the other, and then the first row
 * and the end of the rows.
 */
export function compiledChain(
  links: readonly Omit<Link, "addresses">[],
  rowsAtOnce: number,
): KernelFunction {
  return kernelsTogether([
    ...links.map(({ source }) => source.function),
    chainFunction(links, rowsAtOnce),
  ]);
}

function chainFunction(
  links: readonly Omit<Link, "addresses">[],
  rowsAtOnce: number,
): EncodedFunction {
  const kind = "i32" as const;
  const arguments_ = links.flatMap(({ source }) => source.pointers.map(() => kind));
  return assemble([...arguments_, kind, kind], [], (asm) => {
    const [from, to] = [arguments_.length, arguments_.length + 1];
    const [row, end] = [asm.local("i32"), asm.local("i32")];
    let at = 0;
    const calls = links.map(({ source, rowsEach }, number) => {
      const first = at;
      at += source.pointers.length;
      return {
        rowsEach,
        call: (ends: () => void) => {
          for (let k = first; k < first + source.pointers.length; k++) asm.get(k);
          ends();
          asm.call(number);
        },
      };
    });
    asm.get(from);
    asm.set(row);
    asm.loop(
      row,
      () => asm.get(to),
      rowsAtOnce,
      () => {
        // min(row + rowsAtOnce, to)
        asm.get(row);
        asm.i32(rowsAtOnce);
        asm.op("i32.add");
        asm.tee(end);
        asm.get(to, end, to);
        asm.op("i32.lt_s", "select");
        asm.set(end);
        for (const { call, rowsEach } of calls) if (rowsEach === 1) call(() => asm.get(row, end));
      },
    );
    for (const { call, rowsEach } of calls) {
      if (rowsEach === 1) continue;
      call(() => {
        asm.get(from);
        asm.i32(rowsEach);
        asm.op("i32.div_u");
        asm.get(to);
        asm.i32(rowsEach - 1);
        asm.op("i32.add");
        asm.i32(rowsEach);
        asm.op("i32.div_u");
      });
    }
  });
}

// Changes the memory between calls of kernels: clears cells, copies them, and finishes sums.

import { view } from "./arena.ts";
import { sharedMemory } from "./arena.ts";
import { recording, type Move } from "./recording.ts";
import { finishSum } from "../loops/sums.ts";

export function move(what: Move): void {
  recording()?.move(what);
  switch (what.kind) {
    case "zero":
      new Uint8Array(sharedMemory().buffer, what.address, what.bytes).fill(0);
      return;
    case "copy":
      new Uint8Array(sharedMemory().buffer).copyWithin(what.to, what.from, what.from + what.bytes);
      return;
    case "finish": {
      const { element, sums, totals, cells, divisor } = what;
      return finishSum(
        divisor,
        view(element, sums, cells),
        view("f64", totals, cells) as Float64Array,
      );
    }
    default:
      return what satisfies never;
  }
}

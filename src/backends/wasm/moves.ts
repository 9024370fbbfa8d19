// What is done to the memory between calls of kernels.

import { view } from "./arena.ts";
import { sharedMemory } from "./arena.ts";
import { recording, type Move } from "./recording.ts";
import { addBlock, finishSum } from "./sums.ts";

export function move(what: Move): void {
  recording()?.move(what);
  switch (what.kind) {
    case "zero":
      new Uint8Array(sharedMemory().buffer, what.address, what.bytes).fill(0);
      return;
    case "copy":
      new Uint8Array(sharedMemory().buffer).copyWithin(what.to, what.from, what.from + what.bytes);
      return;
    case "add":
      return addBlock(view(what.element, what.running, what.cells), totalsAt(what.totals, what.cells));
    case "finish":
      return finishSum(what.divisor, view(what.element, what.running, what.cells), totalsAt(what.totals, what.cells));
    default:
      return what satisfies never;
  }
}

function totalsAt(address: number, cells: number): Float64Array {
  return view("f64", address, cells) as Float64Array;
}

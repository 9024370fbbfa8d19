// Compares terms as kernels compute them with a plain evaluation.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { box, sampleOver } from "../../../../test/support/affine.ts";
import { variable, type Variable } from "../../../affine/term.ts";
import { codeAt, constI32, get, here, loop, newLocal, op, set, type Emitter } from "./emitter.ts";
import type { Kernel } from "./kernel.ts";
import { emitTerm } from "./terms.ts";
import { functionOf } from "../../../../test/support/kernels.ts";

const [low, high] = [-2, 3];

function kernelOn(emitter: Emitter, coordinates: readonly Variable[]): Kernel {
  const none = (): never => {
    throw new Error("nothing is read");
  };
  coordinates.forEach((v, local) => emitter.coordinates.set(v, { local, type: "i32", level: 0 }));
  const known = new Map(coordinates.map((v) => [v, { least: low, most: high }]));
  return {
    emitter,
    cellsOf: none,
    written: new Set(),
    bound: new Map(),
    known,
    ahead: new Map(),
    facts: [],
    constantAt: none,
  };
}

describe("terms", () => {
  const [i, j] = [variable("i"), variable("j")];

  test("have the value of plain evaluation at every position", () => {
    fc.assert(
      fc.property(sampleOver([i, j]), ({ term, value }) => {
        const compute = functionOf(2, (emitter) => emitTerm(kernelOn(emitter, [i, j]), term).local);
        for (const at of box([i, j], low, high)) expect(compute(at(i), at(j))).toBe(value(at) | 0);
      }),
    );
  });

  test("inside a loop add up to what they should", () => {
    fc.assert(
      fc.property(sampleOver([i, j]), ({ term, value }) => {
        const compute = functionOf(1, (emitter) => {
          const kernel = kernelOn(emitter, [i]);
          kernel.known.set(j, { least: low, most: high });
          const total = newLocal(emitter, "i32");
          loop(
            emitter,
            j,
            (code) => constI32(code, low),
            high + 1,
            1,
            () => {
              const step = emitTerm(kernel, term);
              const code = codeAt(emitter, here(emitter));
              get(code, { local: total });
              get(code, step);
              op(code, "i32.add");
              set(code, total);
            },
          );
          return total;
        });
        for (let at = low; at <= high; at++) {
          let total = 0;
          for (let inner = low; inner <= high; inner++)
            total = (total + value((v) => (v === i ? at : inner))) | 0;
          expect(compute(at)).toBe(total);
        }
      }),
    );
  });
});

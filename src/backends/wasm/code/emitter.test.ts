// Runs loops and branches that the emitter has written.

import { describe, expect, test } from "vitest";
import {
  branch,
  codeAt,
  constI32,
  get,
  here,
  loop,
  newLocal,
  op,
  set,
  valueAt,
} from "./emitter.ts";
import { functionOf } from "../../../../test/support/kernels.ts";

describe("emitted control", () => {
  test("walks a loop in steps and not at all where it is empty", () => {
    const count = functionOf(2, (emitter) => {
      const total = newLocal(emitter, "i32");
      loop(
        emitter,
        undefined,
        (code) => get(code, { local: 0 }),
        { local: 1, type: "i32", level: 0 },
        3,
        () => {
          const code = codeAt(emitter, here(emitter));
          get(code, { local: total });
          constI32(code, 1);
          op(code, "i32.add");
          set(code, total);
        },
      );
      return total;
    });
    expect([count(0, 0), count(5, 2), count(0, 1), count(0, 3), count(0, 4), count(-4, 5)]).toEqual(
      [0, 0, 1, 1, 2, 3],
    );
  });

  test("takes one of two branches", () => {
    const choose = functionOf(1, (emitter) => {
      const result = newLocal(emitter, "i32");
      const put = (n: number) => () => {
        const code = codeAt(emitter, here(emitter));
        constI32(code, n);
        set(code, result);
      };
      branch(emitter, { local: 0, type: "i32", level: 0 }, put(7), put(9));
      return result;
    });
    expect([choose(1), choose(0)]).toEqual([7, 9]);
  });

  test("computes a value once, outside of the loop that asks for it", () => {
    let pushed = 0;
    const compute = functionOf(1, (emitter) => {
      const total = newLocal(emitter, "i32");
      loop(
        emitter,
        undefined,
        (code) => constI32(code, 0),
        5,
        1,
        () => {
          for (let twice = 0; twice < 2; twice++) {
            const square = valueAt(emitter, "square", "i32", 0, (code) => {
              pushed++;
              get(code, { local: 0 });
              get(code, { local: 0 });
              op(code, "i32.mul");
            });
            const code = codeAt(emitter, here(emitter));
            get(code, { local: total });
            get(code, square);
            op(code, "i32.add");
            set(code, total);
          }
        },
      );
      return total;
    });
    expect(pushed).toBe(1);
    expect(compute(3)).toBe(90);
  });
});

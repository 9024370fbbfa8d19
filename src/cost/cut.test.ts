// Guards as ends of loops, where cells without terms are left out.

import { expect, test } from "vitest";
import {
  add,
  constant,
  floorDiv,
  keyOf,
  minimum,
  ofVariable,
  plus,
  subtract,
  variable,
  zero,
} from "../affine/term.ts";
import type { Loop } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import { cutToRanges } from "./cut.ts";

test(
  "cells whose sums are over nothing are left out: " +
    "those that `i % n` does not come to have no quotient",
  () => {
    const [n, i] = [variable("n"), variable("i")];
    const loopTo = (v: typeof i, to: ReturnType<typeof constant>): Loop => ({
      variable: v,
      from: integerScalar(zero),
      to: integerScalar(to),
      reversed: false,
    });
    const cells = loopTo(i, ofVariable(n));
    // For 8 positions: those at i, i + n, i + 2n, … below 8.
    const quotients = floorDiv(
      plus(add(ofVariable(n), subtract(constant(0), ofVariable(i))), 7),
      ofVariable(n),
    );
    const [cut] = cutToRanges([cells], [loopTo(variable("q"), quotients)]);
    expect(cut!.to.kind === "integer" && keyOf(cut!.to.term)).toBe(
      keyOf(minimum(ofVariable(n), constant(8))),
    );
    const whole = loopTo(variable("q"), ofVariable(n));
    expect(cutToRanges([cells], [whole])).toEqual([cells]);
  },
);

// Coordinates that only choose, and what they choose.

import { describe, expect, test } from "vitest";
import { choicesOf, chooserAmong } from "./choosers.ts";
import { normalise } from "../lower/normalise.ts";
import { printOperand } from "../print/print.ts";
import type { Clause } from "../ir/program.ts";
import { check } from "../check/check.ts";
import { parse } from "../syntax/parse/parser.ts";

/** The reduction that defines `d` in a program, and the loops of its cells. */
function reductionOf(
  text: string,
): Extract<Clause["body"], { kind: "reduce" }> & { readonly cells: Clause["loops"] } {
  const { module, damage } = parse({ name: "test.ein", text });
  const { checker, program: typed } = check(module, { damage });
  expect(checker.diagnostics).toEqual([]);
  const [clause] = normalise(checker, typed).outputs.get("d")!.definition.clauses;
  if (clause?.body.kind !== "reduce") throw new Error("no reduction");
  return { ...clause.body, cells: clause.loops };
}

const inputs = "input x: [f32; n]; input y: [f32; n]; input at: [i32; n];";

/** The coordinate that chooses in a sum, and the values that it chooses. */
function choices(text: string): readonly [name: string | undefined, ...values: readonly string[]] {
  const { loops, guards, value } = reductionOf(`${inputs} ${text}`);
  const chooser = chooserAmong(loops, [...guards, value]);
  const chosen = chooser ? choicesOf(chooser, guards, [value], []) : [];
  return [chooser?.variable.name, ...chosen.map(({ scalars }) => printOperand(scalars[0]!))];
}

describe("a coordinate chooses", () => {
  test("where it is compared with numbers, however deep", () => {
    expect(
      choices(
        "let d = sum[i, part in 0..3](if part == 0 { x[i] } else if 1 == " +
          "part { y[i] } else { 0.5 });",
      ),
    ).toEqual(["part", "x[i]", "y[i]", "0.5"]);
    expect(
      choices("let d = sum[i, part in 1..3](x[i] * (if part == 2 { y[i] } else { 3.0 }));"),
    ).toEqual(["part", "x[i] * 3", "x[i] * y[i]"]);
  });

  test(
    "not where it is used as a number, compared with another coordinate, " +
      "or where its range is no number",
    () => {
      expect(
        choices("let d = sum[i, part in 0..3](if part == 0 { x[i] } else { part as f32 });"),
      ).toEqual([undefined]);
      expect(choices("let d = sum[i, part in 0..3](if part == i { x[i] } else { y[i] });")).toEqual(
        [undefined],
      );
      expect(
        choices("let d = sum[i, part in 0..extent(n)](if part == 0 { x[i] } else { y[i] });"),
      ).toEqual([undefined]);
      expect(
        choices("let d = sum[i, part in 0..1000](if part == 0 { x[i] } else { y[i] });"),
      ).toEqual([undefined]);
      expect(choices("let d = sum[i](x[i]);")).toEqual([undefined]);
    },
  );

  test("by guards too, and what goes to no cell is not chosen", () => {
    expect(
      choices(
        "let d = sum[i, part in 0..3](if part == 0 { x[i] } else { y[i] } where part == 1, " +
          "at[i] > 0);",
      ),
    ).toEqual(["part", "y[i]"]);
    const text =
      `${inputs} let d[p in 0..4] = sum[i, ` +
      "part in 0..2](x[i] where (if part == 0 { at[i] } else { -1 }) == p);";
    const { cells, loops, guards, value } = reductionOf(text);
    const chosen = choicesOf(chooserAmong(loops, [...guards, value])!, guards, [value], cells);
    expect(chosen.map((each) => each.guards.map(printOperand))).toEqual([["at[i] == p"]]);
  });

  test("and what goes to no cell under a condition is guarded by it", () => {
    const text =
      `${inputs} let d[p in 0..4] = sum[i, ` +
      "part in 0..2](x[i] where (if part == " +
      "0 { if i > 2 { at[i] } else { -1 } } else { if y[i] > 0 { i } else { -1 } }) == p);";
    const { cells, loops, guards, value } = reductionOf(text);
    const chosen = choicesOf(chooserAmong(loops, [...guards, value])!, guards, [value], cells);
    const said = chosen.map((each) => each.guards.map(printOperand));
    expect(said).toEqual([
      ["i > 2", "at[i] == p"],
      ["y[i] > 0", "i == p"],
    ]);
    // Without loops of cells, no position is known to be outside of them.
    const below = reductionOf(text.replace("p in 0..4", "p in 1..4"));
    expect(
      choicesOf(chooserAmong(below.loops, below.guards)!, below.guards, [], [])[0]!.guards,
    ).toHaveLength(1);
  });
});

// Functions whose calls form a tree become instances, so that the program does not grow with the
// tree.

import { describe, expect, it } from "vitest";
import { compile } from "../../../driver/compile.ts";

/** Each level calls the one below twice, with different arguments. */
function tree(levels: number): string {
  const lines = ["fn f0(x: f32) -> f32 { x * 0.5 + 1.0 }"];
  for (let k = 1; k <= levels; k++)
    lines.push(`fn f${k}(x: f32) -> f32 { f${k - 1}(x + 0.1) + 0.5 * f${k - 1}(x * 0.9) }`);
  return `${lines.join("\n")}\nlet x = 2.0;\nlet y = f${levels}(x);\nlet d = @y / @x;\n`;
}

describe("functions that stay functions", () => {
  it("cost as much for each level of a tree of calls", () => {
    const { program, diagnostics } = compile({ name: "tree.ein", text: tree(40) });
    expect(diagnostics).toEqual([]);
    expect(program!.dump("ir").split("\n").length).toBeLessThan(100);
  });

  it("report a mistake at the bottom of a tree once", () => {
    const text = tree(40).replace("x * 0.5 + 1.0", "x * 0.5 + true");
    const { diagnostics } = compile({ name: "tree.ein", text });
    expect(diagnostics.map(({ code }) => code)).toEqual(["E0401"]);
  });

  it("report a mistake in the middle of a tree once", () => {
    const text = tree(40).replace("f20(x + 0.1)", "f20(x + 0.1) + missing");
    const { diagnostics } = compile({ name: "tree.ein", text });
    expect(diagnostics.map(({ code }) => code)).toEqual(["E0201"]);
  });
});

// Pictures in a terminal, with and without colour.

import { describe, expect, test } from "vitest";
import { heatMap, linePlot, signed } from "../../scripts/plot.ts";

const plain = { color: false, width: 8, height: 4 };

describe("heat map", () => {
  test("goes from blank to full, row by row", () => {
    const lines = heatMap(
      [
        [0, 1],
        [2, 4],
      ],
      plain,
    );
    expect(lines).toEqual([" ░", "▒█"]);
  });

  test("a matrix larger than the picture is sampled to fit", () => {
    const matrix = Array.from({ length: 100 }, (_, i) =>
      Array.from({ length: 50 }, (_, j) => i + j),
    );
    const lines = heatMap(matrix, plain);
    expect(lines.map((line) => line.length)).toEqual([8, 8, 8, 8]);
  });

  test("with colour one character shows two rows", () => {
    const lines = heatMap([[0], [1]], { ...plain, color: true });
    expect(lines).toEqual(["\u001b[38;2;68;1;84;48;2;253;231;37m▀\u001b[0m"]);
  });

  test("a signed scale is blank at zero, whatever the extremes", () => {
    expect(heatMap([[-1, -0.5, 0, 2]], plain, signed)).toEqual(["-· █"]);
    expect(heatMap([[0, 0]], plain, signed)).toEqual(["  "]);
    expect(heatMap([[NaN, -3, Infinity]], plain, signed)).toEqual([" ≡ "]);
  });

  test("equal and non-finite cells are drawn without failing", () => {
    expect(heatMap([[3, 3]], plain)).toEqual(["  "]);
    expect(heatMap([[NaN, 1, 2]], plain)).toEqual(["  █"]);
  });
});

describe("line plot", () => {
  test("a rising series goes from the lower left to the upper right", () => {
    const lines = linePlot([[0, 1, 2, 3]], { color: false, width: 2, height: 1 });
    expect(lines).toEqual(["3 ┤⡠⠊"]);
  });

  test("the ends of the axis are labelled", () => {
    const lines = linePlot([[-0.5, 12.25]], { color: false, width: 4, height: 3 });
    expect(lines[0]).toMatch(/^12\.3 ┤/);
    expect(lines[1]).toMatch(/^ {5}┤/);
    expect(lines[2]).toMatch(/^-0\.5 ┤/);
  });

  test("a series without a finite point draws nothing", () => {
    expect(linePlot([[NaN]], plain)).toEqual([]);
  });
});

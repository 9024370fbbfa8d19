// Tests which reductions are scans, along which axis, and in which direction.

import { describe, expect, test } from "vitest";
import { subjectOf } from "../../../test/backends/compare.ts";
import { unfused } from "../fuse.ts";
import { sized, type Region } from "../regions/regions.ts";
import { scanned, stillRuns } from "./scan.ts";

function regionsOf(
  text: string,
  shape: readonly number[],
  stepped?: ReadonlySet<number>,
): readonly Region[] {
  return sizedOf(text, shape, stepped).regions;
}

function sizedOf(
  text: string,
  shape: readonly number[],
  stepped?: ReadonlySet<number>,
): ReturnType<typeof scanned> {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  const { definition } = subject.program.outputs.get("y")!;
  return scanned(
    sized(definition, shape, { known: new Map(), typeOf: (type) => type, ...unfused }),
    stepped,
  );
}

const x = "let x[i in 0..8, j in 0..5] = i as f32;";

describe("scans", () => {
  test("an end that moves up is walked up, a beginning that moves up is walked down", () => {
    const [up] = regionsOf(`${x} let y[i in 0..8] = sum[k in 0..i + 1](x[k, 0]);`, [8]);
    expect(up!.scan).toMatchObject({ axis: 0, down: false, hasRowOfTotals: false });
    const [down] = regionsOf(`${x} let y[i in 0..8] = sum[k in i..8](x[k, 0]);`, [8]);
    expect(down!.scan).toMatchObject({ axis: 0, down: true });
    const [back] = regionsOf(`${x} let y[i in 0..8] = sum[k in 0..8 - i](x[k, 0]);`, [8]);
    expect(back!.scan).toMatchObject({ axis: 0, down: true });
  });

  test("cells behind the axis have their totals side by side", () => {
    const [rows] = regionsOf(
      `${x} let y[i in 0..8, j in 0..5] = sum[k in 0..i + 1](x[k, j]);`,
      [8, 5],
    );
    expect(rows!.scan).toMatchObject({ axis: 0, hasRowOfTotals: true });
    expect(rows!.scan!.runs[0]!.totals.shape).toEqual([5]);
  });

  test("cells with nothing to add up are cut off", () => {
    const regions = regionsOf(`${x} let y[i in 0..8] = sum[k in 2..i](x[k, 0]);`, [8]);
    expect(
      regions.map(({ sides: [side], scan }) => [
        side!.from,
        side!.to,
        scan?.runs[0]!.adds !== undefined,
      ]),
    ).toEqual([
      [0, 3, false],
      [3, 8, true],
    ]);
  });

  test("a term that knows its cell, a window, and a step of a recurrence are none", () => {
    const none = [
      "sum[k in 0..i + 1](x[k, 0] * i as f32)",
      "sum[k in max(i - 1, 0)..min(i + 2, 8)](x[k, 0])",
      "sum[k in 0..8](x[k, 0])",
    ];
    for (const body of none)
      expect(
        regionsOf(`${x} let y[i in 0..8] = ${body};`, [8]).every(({ scan }) => !scan),
        body,
      ).toBe(true);
    const text = `${x} let y[i in 0..8] = sum[k in 0..i + 1](x[k, 0]);`;
    expect(regionsOf(text, [8], new Set([0]))[0]!.scan).toBeUndefined();
    expect(stillRuns(sizedOf(text, [8], new Set([0])))).toBe(true);
    expect(stillRuns(sizedOf(text, [8]))).toBe(false);
  });
});

// Parts of the compiler that are loaded on demand, tested on the built package, in which no part is
// loaded at first.

import { beforeAll, describe, expect, test } from "vitest";
import type * as Library from "../../src/index.ts";

const built = new URL("../../dist/index.js", import.meta.url).href;
let library: typeof Library;

beforeAll(async () => {
  library = (await import(/* @vite-ignore */ built)) as typeof Library;
});

const product = "fn run(i: i32, p: f64) -> f64 { if i == 4 { p } else { run(i + 1, p * w[i]) } }";
const declared = `input w: [f64; 4];\n${product}\nlet y = run(0, 1.0);`;
const w = Float64Array.of(1, 2, 3, 4);
const derivative = [24, 12, 8, 6];

describe("derivatives of recursive functions", () => {
  test("of a program whose functions ask for them when they are called", async () => {
    const text = `pub fn slope(w: [f64; n]) -> [f64; n] {
      fn run(i: i32, p: f64) -> f64 { if i == 4 { p } else { run(i + 1, p * w[i]) } }
      let y = run(0, 1.0);
      @y / @w
    }`;
    const slope = (await library.compile(text)).fn("slope");
    const given = { dtype: "f64", shape: [4], data: w } as const;
    expect([...slope(given).data]).toEqual(derivative);
    expect([...(await slope.async(given)).data]).toEqual(derivative);
  });

  test("of a program without any", async () => {
    const gradient = (await library.compile(declared)).grad("y", ["w"]);
    expect([...gradient.run({ w }).d_w!.data]).toEqual(derivative);
    expect([...(await gradient.runAsync({ w })).d_w!.data]).toEqual(derivative);
  });

  test("of a program with some, which prints and uses the library", async () => {
    const text =
      `use std::ml::softmax;\n${declared}\nlet dw = @y / @w;\nlet s = sum[i](softmax(dw)[i]);\n` +
      `print("{dw[3]}");`;
    const program = await library.compile(text);
    const lines: string[] = [];
    const onPrint = ({ text: line }: Library.Printed): void => void lines.push(line);
    const { dw, s } = program.run({ w }, { onPrint });
    expect([...dw!.data]).toEqual(derivative);
    expect(s!.data[0]).toBeCloseTo(1, 12);
    expect((await program.runAsync({ w }, { onPrint })).dw).toEqual(dw);
    expect(lines).toEqual(["6.0", "6.0"]);
    const second = program.grad("y", ["w"]);
    expect([...second.run({ w }, { onPrint }).d_w!.data]).toEqual(derivative);
  });

  test("of a program whose rank its input brings", async () => {
    const text = `input w: [f64; *];
      let v = [1.0, 2.0, 3.0, 4.0] as f64;
      let t = sum[..all](w[..all]);
      fn run(i: i32, p: f64) -> f64 { if i == 4 { p } else { run(i + 1, p * v[i] * t) } }
      let y = run(0, 1.0);
      let dv = @y / @v;`;
    const program = await library.compile(text);
    expect([
      ...program.run({ w: { dtype: "f64", shape: [1, 1], data: Float64Array.of(1) } }).dv!.data,
    ]).toEqual(derivative);
  });
});

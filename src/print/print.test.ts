// Printed programs compile again and give the same values, and their lines are what a person
// writes.

import { describe, expect, it } from "vitest";
import { compile, type CompiledProgram } from "../driver/compile.ts";
import { showTensor } from "../scalar/values/show.ts";
import { fromScalars, type TensorValue } from "../scalar/values/value.ts";
import { complete, printProgram, printScalar } from "./print.ts";
import { lowered, programs } from "../../test/support/ir.ts";

function printed(text: string): string {
  const { program, analysis } = lowered(text);
  return printProgram(program, analysis.schedules, complete);
}

function built(text: string): CompiledProgram {
  const { program, diagnostics } = compile({ name: "printed.ein", text });
  if (!program)
    throw new Error(
      `${diagnostics.map(({ code, title }) => `${code}: ${title}`).join("\n")}\nin\n${text}`,
    );
  return program;
}

/** Everything that a program shows: its values with their types, and what it prints. */
function outcome(text: string, inputs?: ReadonlyMap<string, TensorValue>): Record<string, string> {
  return outcomeOf(built(text), inputs);
}

function outcomeOf(
  program: CompiledProgram,
  inputs: ReadonlyMap<string, TensorValue> = new Map(),
): Record<string, string> {
  const shown: Record<string, string> = {};
  const lines: string[] = [];
  const { values, fault } = program.run({ inputs, onPrint: (line) => lines.push(line.text) });
  for (const [name, { value }] of values)
    shown[name] = `${value.dtype} ${value.shape.join("x")} ${showTensor(value)}`;
  return { ...shown, "(printed)": lines.join("\n"), "(fault)": fault?.title ?? "none" };
}

describe("what is printed compiles and gives the same values", () => {
  it.each(Object.entries(programs))("%s", (_, text) => {
    const first = outcome(text);
    expect(first["(fault)"]).toBe("none");
    // A printed program has more names that a host can ask for: those of its helpers.
    expect(outcome(printed(text))).toMatchObject(first);
  });

  it.each(Object.entries(programs))("%s, printed twice", (_, text) => {
    const once = printed(text);
    expect(outcome(printed(once))).toMatchObject(outcome(text));
  });

  it("with inputs", () => {
    const x = fromScalars("f32", [2, 3], [1, 2, 3, 4, 5, 6]);
    const n = fromScalars("i32", [], [2]);
    const text =
      "input n: i32; input x: [f32; batch, feature]; input z: [f32; ?, ?]; " +
      "let y[b in 0..n, f] = x[b, f] / extent(feature) as f32; " +
      "let s[i in 0..len(z)] = sum[j](z[i, j]);";
    const inputs = new Map([
      ["x", x],
      ["n", n],
      ["z", x],
    ]);
    expect(outcome(printed(text), inputs)).toMatchObject(outcome(text, inputs));
  });
});

describe("lines", () => {
  const lines = (text: string): string[] => printed(text).trimEnd().split("\n");
  const lastLine = (text: string): string => lines(text).at(-1)!;

  it.each([
    [
      "input A: [f32; i, k]; input B: [f32; k, j]; let C[i, j] = sum[k](A[i, k] * B[k, j]);",
      "let C[i, j] = sum[k](A[i, k] * B[k, j]);",
    ],
    [
      "input x: [f32; 6, 6]; input w: [f32; 2, 2]; " +
        "let c[oh, ow] = sum[kh, kw](x[oh + kh, ow + kw] * w[kh, kw]);",
      "let c[oh, ow] = sum[kh, kw](x[oh + kh, ow + kw] * w[kh, kw]);",
    ],
    [
      "input x: [f32; n]; let y[i in 1..extent(n)] = x[i] - x[i - 1]; let y[0] = x[0];",
      "let y[0] = x[0];",
    ],
    [
      "input data: [f32; n]; let s = sum[i](data[i] where data[i] > 0);",
      "let s = sum[i](data[i] where data[i] > 0);",
    ],
    ["input x: [f32; n]; let y[i] = 2.0 * x[i] ** 2.0;", "let y[i] = 2 * x[i] ** 2;"],
    ["input x: [f64; n]; let y[i] = 0.5 * x[i];", "let y[i] = 0.5 * x[i];"],
    ["let y[i in 0..3] = 1.0f64;", "let y[i in 0..3] = 1.0f64;"],
    ["input x: [f32; 6]; let y[i in 0..3] = x[i];", "let y[i in 0..3] = x[i];"],
    ["input x: [f32; n, m]; let y[j, i] = x[i, j];", "let y[j, i] = x[i, j];"],
    ["input x: [f32; n]; let y[i in 0..4, j] = x[j];", "let y[i in 0..4, j] = x[j];"],
    [
      "input x: [f32; n]; let y[i] = (x[i] - 1.0) - (x[i] - (2.0 - x[i])) * 3.0;",
      "let y[i] = x[i] - 1 - (x[i] - (2 - x[i])) * 3;",
    ],
    [
      "input x: [f32; 5]; let y[i in 0..7] = x[i - 1] where i - 1 in 0..5 else 3.0;",
      "let y[i in 0..7] = x[i - 1] where i - 1 in 0..5 else 3.0;",
    ],
    [
      "input x: [f32; n]; let y[i] = if x[i] > 0 { x[i] } else { 0 };",
      "let y[i] = if x[i] > 0 { x[i] } else { 0 };",
    ],
    [
      "input x: [f32; 4]; let s[3] = x[3]; let s[t in rev(0..3)] = s[t + 1] * x[t];",
      "let s[t in rev(0..3)] = s[t + 1] * x[t];",
    ],
    ["input n: i32; let y[i in 0..2 * n + 1] = i;", "let y[i in 0..2 * n + 1] = i;"],
  ])("%s", (text, line) => {
    expect(lastLine(text)).toBe(line);
  });

  it("names helpers after their owner and keeps away from names that are there", () => {
    const text =
      "input x: [f32; n]; let y_2 = sum[k](x[k] * x[k]); let y[i] = x[i] / sum[k](x[k]) + y_2;";
    const [, first, second, third] = lines(text);
    expect(first).toBe("let y_2 = sum[k](x[k] * x[k]);");
    const helper = /^let (y_\w+) = sum\[k\]\(x\[k\]\);$/.exec(second!)?.[1];
    expect(helper).not.toBe("y_2");
    expect(third).toBe(`let y[i] = x[i] / ${helper} + y_2;`);
  });

  it("renames a coordinate that a definition of its line is called like", () => {
    expect(lines("input i: [f32; 3]; let y[k] = i[k]; let z[j, k] = i[j] * y[k];").at(-1)).toBe(
      "let z[j, k] = i[j] * y[k];",
    );
    expect(printed("input x: [f32; 3]; let i = { let k[i] = x[i]; k };")).not.toMatch(/let i\[i\b/);
  });

  it("abridges large literals for reading", () => {
    const { program } = lowered(
      `let x = [${Array.from({ length: 65 }, (_, k) => k).join(", ")}]; let y[i] = x[i];`,
    );
    expect(printProgram(program).split("\n")[0]).toBe(
      "input x: [i32; 65]; // a literal of 65 cells",
    );
    expect(printProgram(program, undefined, complete)).toContain("let x = [0, 1, 2,");
  });

  it("gives an input's name to a value that is asked for under it", () => {
    expect(lines("input x: f32; let x = x * 2;")).toEqual([
      "input x: f32;",
      "let x_2 = x * 2;",
      "let x = x_2;",
    ]);
  });
});

describe("scalars", () => {
  it("stand under the names that they have", () => {
    const { program } = lowered("input x: [f32; n]; let y[i] = -(x[i] + 1) ** 2 * exp(x[i]);");
    const { body } = program.outputs.get("y")!.definition.clauses[0]!;
    expect(body.kind === "map" && printScalar(body.value)).toBe("-(x[i] + 1) ** 2 * exp(x[i])");
  });
});

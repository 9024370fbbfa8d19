// Derived programs as `ein grad` prints them: their lines, that they compile again, and that their
// numbers are those of the request.

import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import type { Backend } from "../../src/backends/results.ts";
import { fromScalars, type TensorValue } from "../../src/scalar/values/value.ts";

interface Printed {
  readonly text: string;
  readonly of: string;
  readonly wrt: string;
  /** The lines that the original program does not have. */
  readonly lines: readonly string[];
  readonly inputs?: Readonly<Record<string, readonly number[]>>;
}

const printed: Readonly<Record<string, Printed>> = {
  "factors stand in the order of the source, behind the incoming gradient": {
    text: "input x: [f64; n]; input a: f64; input b: f64; let y[i] = a * sin(x[i] * a * b) * b;",
    of: "y",
    wrt: "x",
    lines: ["input d_y: [f64; n];", "let d_x[n] = d_y[n] * a * cos(x[n] * a * b) * a * b * b;"],
    inputs: { x: [1, 2, 3], a: [0.5], b: [0.25] },
  },
  "a number is not added up": {
    text: "input x: [f64; n]; input c: f64; let y = sum[i, j in 0..3](x[i] + 2 * c);",
    of: "y",
    wrt: "c",
    lines: ["let d_c = 6 * extent(n) as f64;"],
    inputs: { x: [1, 2, 3, 4], c: [2] },
  },
  "the incoming gradient has a name that only what is left out has": {
    text:
      "let x = [1.0, 2.0]; let y[i] = 3.0 * x[i]; let loss = sum[i](y[i] ** 2); " +
      "let d_y = @loss / @y;",
    of: "y",
    wrt: "x",
    lines: ["input d_y: [f32; 2];", "let d_x[i] = 3 * d_y[i];"],
  },
  "the incoming gradient declares a dimension before it is used": {
    text:
      "input seen: [f32; time]; let gain[t in 0..extent(time)] = 0.5 * (t + 1) as f32; " +
      "let y[t] = gain[t] * seen[t];",
    of: "y",
    wrt: "seen",
    lines: ["input d_y: [f32; time];", "let d_seen[time] = d_y[time] * gain[time];"],
    inputs: { seen: [1, 2, 3] },
  },
  "the gradient of a scatter looks up where its terms went": {
    text:
      "input k: [i32; n]; input v: [f64; n]; " +
      "let s[p in 0..3] = sum[i](v[i] ** 2 where k[i] == p, v[i] > 0);",
    of: "s",
    wrt: "v",
    lines: [
      "input d_s: [f64; 3];",
      "let d_v[n] = 2 * d_s[k[n]] * v[n] where k[n] in 0..3, v[n] > 0;",
    ],
    inputs: { k: [2, 0, 7, 2, -1], v: [1, -2, 3, 4, 5] },
  },
  "the gradient of a scatter along two axes": {
    text:
      "input k: [i32; n]; input v: [f64; n]; " +
      "let q[p in 0..3, r in 0..4] = sum[i](v[i] where k[i] == p, k[i] + 1 == r);",
    of: "q",
    wrt: "v",
    lines: [
      "input d_q: [f64; 3, 4];",
      "let d_v[n] = d_q[k[n], k[n] + 1] where k[n] in 0..3, k[n] + 1 in 0..4;",
    ],
    inputs: { k: [2, 0, 7], v: [1, 2, 3] },
  },
  "a coordinate stands before the number that it equals, and what is taken away is taken away": {
    text:
      "let w = 0.5; let h[0] = 1.0; let h[t in 1..9] = h[t - 1] - 2 * h[t - 1] * w; " +
      "let y = h[8] ** 2;",
    of: "y",
    wrt: "h",
    lines: [
      "let d_h[t in rev(0..9)] = if t == 8 { 2 * h[8] } else { d_h[t + 1] - 2 * d_h[t + 1] * w };",
    ],
  },
  "contributions that never meet in one cell are not added up": {
    text: "let w = 0.5; let h[0] = 1.0; let h[t in 1..4] = h[t - 1] * w; let y = h[3];",
    of: "y",
    wrt: "h",
    lines: ["let d_h[t in rev(0..4)] = if t + 1 in 1..4 { d_h[t + 1] * w } else { 1 };"],
  },
  "what a quotient in a logarithm moves with is not divided and multiplied by it": {
    text: "let p = [0.5, 0.25]; let q = [0.25, 0.5]; let y = sum[i](p[i] * log(p[i] / q[i]));",
    of: "y",
    wrt: "q",
    lines: ["let d_q[i] = -p[i] / q[i];"],
  },
  "what nothing is said in terms of is not written": {
    text:
      "fn go(xs: [f32], n: i32) -> [f32] { if n == " +
      "0 { xs } else { go([v * v | v in xs], n - 1) } } let x = [1.0, 2.0]; " +
      "let n = randint(1, 1, 2, 3); let z = go(x, n); let y = sum[i](z[i] ** 2);",
    of: "y",
    wrt: "x",
    lines: [
      "let x = [1.0, 2.0];",
      "enum Data { End, F32(f32, Data), Data(Data, Data) }",
      "let d_z[i] = 2 * z[i];",
      "let d_x[i in 0..2] = sum[i_2](d_z[i_2] * part_f32(d_go_2, i_2) where xs = " +
        "d_xs(0, 2, Data::End, Data::End, i).0, " +
        "d_xs_2 = d_xs(0, 2, Data::End, Data::End, i).1, d_go_2 = d_go(xs, n, d_xs_2).1);",
    ],
  },
  "sums over coordinates that equal one another run along their diagonal": {
    text:
      "let m = [[1.0, 2.0], [3.0, 4.0]]; let v = [2.0, 3.0]; " +
      "let y = sum[i, j, k](m[i, j] ** 2 * v[k] where j == i, k == j);",
    of: "y",
    wrt: "v",
    lines: ["let d_v[k] = m[k, k] ** 2;"],
  },
  "the incoming gradient of a list has an extent without a name": {
    text: "let x = [1.0, 0.2, 3.0]; let kept = [v * v | v in x, v > 0.3];",
    of: "kept",
    wrt: "x",
    lines: [
      "input d_kept: [f32; ?];",
      "let passes[p] = x[p] > 0.3;",
      "let rank[0] = 0;",
      "let rank[p in 1..4] = rank[p - 1] + (if passes[p - 1] { 1 } else { 0 });",
      "let count_2 = rank[3];",
      "let accepted[k in 0..count_2] = sum[p in 0..3](p where passes[p], rank[p] == k);",
      "let d_x[i in 0..3] = sum[k](2 * d_kept[k] * x[accepted[k]] where accepted[k] == i);",
    ],
  },
  "a filter is its condition": {
    text: "let x = [1.0, 0.2, 3.0]; let kept = [v * v | v in x, v > 0.3]; let y = sum[i](kept[i]);",
    of: "y",
    wrt: "x",
    lines: [
      "let passes[p] = x[p] > 0.3;",
      "let rank[0] = 0;",
      "let rank[p in 1..4] = rank[p - 1] + (if passes[p - 1] { 1 } else { 0 });",
      "let count_2 = rank[3];",
      "let accepted[k in 0..count_2] = sum[p in 0..3](p where passes[p], rank[p] == k);",
      "let d_x[i in 0..3] = sum[k](2 * x[accepted[k]] where accepted[k] == i);",
    ],
  },
  "what only another name stands for goes by its own": {
    text: `input x: [f64; n];
fn clipped(v: f64) -> f64 { relu(v) }
@fn clipped(v: f64) { if v > 0 { @v } else { 0 } }
let y[i] = clipped(x[i]);`,
    of: "y",
    wrt: "x",
    lines: ["input d_y: [f64; n];", "let d_x[n] = d_y[n] where x[n] > 0;"],
    inputs: { x: [1, -2, 3] },
  },
  "what comes back to a running sum is summed once, whatever its terms are made of": {
    text:
      "input x: [f64; 4]; input w: [f64; 4]; " +
      "let y[i in 0..4] = sum[k in 0..i + 1](x[k] * w[k]);",
    of: "y",
    wrt: "x",
    lines: [
      "input d_y: [f64; 4];",
      "let d_y_term[k in 0..4] = sum[i](d_y[i] where 0 <= k && k < i + 1);",
      "let d_x[k] = d_y_term[k] * w[k];",
    ],
    inputs: { x: [1, -2, 3, 5], w: [2, 3, 5, 7] },
  },
  "a sum that goes to a diagonal has no more cells than the diagonal": {
    text: `let w: [f64; 3, 3] = [[1.0, 2.0, 0.5], [0.25, 3.0, 1.5], [2.5, 0.75, 1.25]];
let d[0, i, j] = w[i, j];
let d[k in 1..4, i in 0..3, j in 0..3] = d[k - 1, i, j] + d[k - 1, i, k - 1] * d[k - 1, k - 1, j];
let y = d[3, 0, 2];`,
    of: "y",
    wrt: "d",
    lines: [
      "let d_d_from_d[k in rev(0..4), i in 0..3] = " +
        "sum[j](d_d[k + 1, i, j] * d[k, k, j] where k < 3);",
      "let d_d[k in rev(0..4), i in 0..3, j in 0..3] = " +
        "(if k + 1 in 1..4 { d_d[k + 1, i, j] } else if i == 0 && j == 2 { 1 } else { 0 }) + " +
        "(if k == j { d_d_from_d[k, i] } else { 0 }) + " +
        "(if k == i { d_d_from_d_2[k, j] } else { 0 });",
      "let d_d_from_d_2[k in rev(0..4), j in 0..3] = " +
        "sum[i](d_d[k + 1, i, j] * d[k, i, k] where k < 3);",
    ],
  },
  "what two definitions have in common has one gradient": {
    text: `input u: [f64; n];
let left[i] = exp(u[i] * sin(u[i])) * cos(u[i]) + u[i];
let right[j] = exp(u[j] * sin(u[j])) * cos(u[j]) * u[j];
let y = sum[i](left[i] * right[i]);`,
    of: "y",
    wrt: "u",
    lines: [
      "let left_part[i] = exp(u[i] * sin(u[i])) * cos(u[i]);",
      "let d_right[j] = left[j];",
      "let d_left[i] = right[i];",
      "let d_left_part[i] = d_right[i] * u[i] + d_left[i];",
      "let d_u[n] = d_right[n] * left_part[n] + d_left[n] + shared_3 * shared_4 + " +
        "shared_2 * u[n] * shared_4 * shared_4 - shared_3 where shared = sin(u[n]), " +
        "shared_2 = d_left_part[n] * exp(u[n] * shared), shared_3 = shared_2 * shared, " +
        "shared_4 = cos(u[n]);",
    ],
    inputs: { u: [0.5, -1, 2] },
  },
  "no gradient is tested in steps of which every cell is read that reads something": {
    text: `let w: [f64; 2, 2] = [[1.0, 2.0], [3.0, 5.0]];
input a: [f64; 2];
let h[0, i] = a[i];
let h[t in 1..3, i in 0..2] = sum[k](w[i, k] * h[t - 1, k] where k != i);
let y = sum[i](h[2, i]);`,
    of: "y",
    wrt: "a",
    lines: [
      "let d_h_from_h[t in rev(0..3), i] = " +
        "sum[i_2](d_h[t + 1, i_2] * w[i_2, i] where t + 1 in 1..3, i != i_2);",
      "let d_h[t in rev(0..3), i in 0..2] = (if t == 2 { 1 } else { 0 }) + d_h_from_h[t, i];",
      "let d_a[i] = d_h[0, i];",
    ],
    inputs: { a: [1, -2] },
  },
  "single cells of a matrix have lines of their own": {
    text: "let M = [[1.0, 2.0], [3.0, 5.0]]; let y = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0];",
    of: "y",
    wrt: "M",
    lines: [
      "let d_M[i in 0..2, j in 0..2] = M[1, 1] where i == 0, j == 0;",
      "let d_M[i in 0..2, j in 0..2] = -M[1, 0] where i == 0, j == 1;",
      "let d_M[i in 0..2, j in 0..2] = M[0, 0] where i == 1, j == 1;",
      "let d_M[i in 0..2, j in 0..2] = -M[0, 1] where i == 1, j == 0;",
    ],
  },
  "comparisons of positions are turned around": {
    text:
      "let x = [1.0, 2.0, 3.0, 4.0, 5.0]; let c = 2.0; " +
      "let y[i in 0..5] = if i > 0 || i == 2 { x[i] } else { c * x[i] };",
    of: "y",
    wrt: "c",
    lines: ["input d_y: [f32; 5];", "let d_c = sum[i](d_y[i] * x[i] where i <= 0 && i != 2);"],
  },
  "a factor that two gradients have is written once": {
    text: `input x: [f64; b];
let centre = mean[b](x[b]);
let variance = mean[b]((x[b] - centre) ** 2);
let unit[b] = (x[b] - centre) / sqrt(variance + 0.25);`,
    of: "unit",
    wrt: "x",
    lines: [
      "input d_unit: [f64; b];",
      "let variance_factor = sqrt(variance + 0.25);",
      "let d_variance = sum[b](-0.5 * d_unit[b] * unit[b] / variance_factor / variance_factor);",
      "let d_centre_from_unit = sum[b](d_unit[b] / variance_factor);",
      "let d_centre_from_variance = sum[b](2 * d_variance * (x[b] - centre) / extent(b) as f64);",
      "let d_centre = -d_centre_from_unit - d_centre_from_variance;",
      "let d_x[b] = d_unit[b] / sqrt(variance + 0.25) + " +
        "2 * d_variance * (x[b] - centre) / extent(b) as f64 + d_centre / extent(b) as f64;",
    ],
    inputs: { x: [1, -2, 3] },
  },
};

function compiled(text: string): CompiledProgram {
  const { program, diagnostics } = compile({ name: "printed.ein", text });
  if (!program)
    throw new Error(
      `${diagnostics.map(({ code, title }) => `${code}: ${title}`).join("\n")}\n${text}`,
    );
  return program;
}

function sourceOf({ text, of, wrt }: Printed): { readonly source: string; readonly name: string } {
  const derived = compiled(text).grad(of, [wrt]);
  if ("diagnostics" in derived)
    throw new Error(derived.diagnostics.map(({ title }) => title).join("\n"));
  return { source: derived.source, name: derived.derivatives[0]! };
}

type Inputs = ReadonlyMap<string, TensorValue>;

function numbers(
  program: CompiledProgram,
  inputs: Inputs,
  name: string,
  backend: Backend,
): TensorValue {
  const own = new Map(
    [...inputs].filter(([input]) => program.inputs.some((each) => each.name === input)),
  );
  const { values, fault } = program.run({ inputs: own, get: [name], f64: true, backend });
  if (fault) throw new Error(fault.title);
  return values.get(name)!.value;
}

function given({ text, inputs = {} }: Printed): Inputs {
  const program = compiled(text);
  return new Map(
    Object.entries(inputs).map(([name, cells]) => {
      const { dtype, shape } = program.inputs.find((input) => input.name === name)!;
      return [
        name,
        fromScalars(
          dtype === "i32" ? "i32" : "f64",
          shape!.length === 0 ? [] : [cells.length],
          cells,
        ),
      ];
    }),
  );
}

const cellsOf = ({ data }: TensorValue): readonly number[] =>
  Array.from(data as ArrayLike<number>, (x) => Number(x.toPrecision(10)));

describe("a derived program", () => {
  test.each(Object.entries(printed))("%s: its lines", (_, one) => {
    const written = new Set(one.text.split(/(?<=;)\s+(?=input|let|fn)/));
    const { source } = sourceOf(one);
    const lines = source.trimEnd().split("\n");
    expect(lines.filter((line) => !written.has(line) && !line.startsWith("fn "))).toEqual(
      one.lines,
    );
  });

  test.each(Object.entries(printed))("%s: its numbers", (_, one) => {
    const { source, name } = sourceOf(one);
    const inputs = given(one);
    const { shape } = numbers(compiled(one.text), inputs, one.of, "interpret");
    const size = shape.reduce((product, extent) => product * extent, 1);
    const weights = fromScalars(
      "f64",
      shape,
      Array.from({ length: size }, (_, k) => 0.5 + (k % 3)),
    );
    const at = shape.map((_, axis) => `at_${axis}`).join(", ");
    const type = `[${compiled(one.text).formOf(one.of)!.dtype}; ${shape.join(", ")}]`;
    const asked =
      shape.length === 0
        ? `${one.text} let asked = @${one.of} / @${one.wrt};`
        : `${one.text} input weight: ${type};
           let weighed = sum[${at}](weight[${at}] * ${one.of}[${at}]);
           let asked = @weighed / @${one.wrt};`;
    const wanted = cellsOf(
      numbers(compiled(asked), new Map([...inputs, ["weight", weights]]), "asked", "interpret"),
    );
    const incoming = new Map([...inputs, [`d_${one.of}`, weights]]);
    for (const backend of ["interpret", "js", "wasm"] as const)
      expect(cellsOf(numbers(compiled(source), incoming, name, backend))).toEqual(wanted);
  });

  test("has arrays that functions in turn pass to one another, under a guard", () => {
    const text = `input x: [f64; 4]; input s: f64; input n: i32;
      fn f0(n: i32, e: f64) -> f64 { if n <= 0 { e } else { f1([e, e * s, x[0]], e, n - 1) } }
      fn f1(a: [f64; 3], e: f64, n: i32) -> f64 { if n <= 0 { e } else if n % 3 == 1 {
        f1([a[2 - i] + e | i in 0..3], a[0], n - 1) } else { f0(n - 1, e) } }
      let y[i] = f0(n, x[2] * s) * x[i] where i != 2; let l = sum[i](y[i] ** 2);`;
    const one: Printed = {
      text,
      of: "l",
      wrt: "s",
      lines: [],
      inputs: { x: [0.5, 1.5, -0.3, 0.8], s: [0.7], n: [7] },
    };
    const { source, name } = sourceOf(one);
    const [found] = cellsOf(numbers(compiled(source), given(one), name, "interpret"));
    const [wanted] = cellsOf(
      numbers(compiled(`${text} let asked = @l / @s;`), given(one), "asked", "interpret"),
    );
    expect(found).toBeCloseTo(wanted!, 12);
  });

  test("has the modules, and the names of them, that something in it uses", () => {
    const text = `use std::ml::softmax;
use std::linalg::*;
use std::math::{exp as e};
mod shapes {
  pub fn twice(x: f32) -> f32 { 2.0 * x }
}
mod other {
  pub fn thrice(x: f32) -> f32 { 3.0 * x }
}
use other::thrice;
input x: [f32; n];
input m: [f32; n, n];
let w[i] = shapes::twice(e(x[i]));
let p = softmax[n](x);
let q = matmul(m, m);
let first = sum[i](w[i] ** 2);
let second = sum[i](p[i] ** 2) + thrice(x[0]);
let third = sum[i, j](q[i, j] * thrice(m[i, j] ** 2));`;
    const brought = (of: string, wrt: string): readonly string[] =>
      sourceOf({ text, of, wrt, lines: [] })
        .source.split("\n")
        .filter((line) => /^(use|mod)\b/.test(line));
    expect(brought("first", "x")).toEqual(["use std::math::{exp as e};", "mod shapes {"]);
    expect(brought("second", "x")).toEqual(["use std::ml::softmax;"]);
    expect(brought("third", "m")).toEqual(["use std::linalg::*;"]);
  });

  test("has nothing for cells before the first", () => {
    const text = `let x = [[0.5, 0.25], [0.75, 0.3]];
let y[0] = x[0, 1];
let y[i in 1..2] = 0.7 * y[i - 1] + sin(y[i - 1]) * x[1 - i, i % 2] where i % 2 == 0;
let l = sum[i](y[i] ** 2);
let g = @l / @x;
let s = sum[i, j](g[i, j] ** 2);`;
    const { source } = sourceOf({ text, of: "s", wrt: "x", lines: [] });
    expect(source).not.toContain("y[-1]");
    expect(() => compiled(source)).not.toThrow();
  });

  test.each([
    [
      "hides a builtin",
      "mod m { pub fn relu(v: f32) -> f32 { 5.0 * v * v } } use m::*;",
      "relu(x[i])",
    ],
    [
      "hides one that the derivative needs",
      "mod m { pub fn cos(v: f32) -> f32 { v * v } } use m::cos;",
      "sin(x[i])",
    ],
    [
      "is laid out freely",
      "mod m { pub  fn\nf(v: f32) -> f32 { 5.0 * v * v } } use m::*;",
      "f(x[i])",
    ],
    [
      "hands on another",
      "mod a { pub fn f(v: f32) -> f32 { v ** 3 } } mod m { pub use a::*; } use m::*;",
      "f(x[i])",
    ],
    ["has numbers", "mod m { pub let w = [1.0, 2.0, 3.0]; } use m::w;", "w[i] * x[i]"],
    ["has a tensor", "mod m { pub let w[i in 0..3] = i as f32 + 1.0; } use m::*;", "w[i] * x[i]"],
    ["has a pair", "mod m { pub let (a, b) = (4.0, 5.0); } use m::*;", "a * x[i] ** 2 + b"],
    ["is none, but a pair is bound", "let (a, b) = (4.0, 5.0);", "a * x[i] ** 2 + b"],
    [
      "is called by a function",
      "use std::math::cosh; fn f(v: f32, k: " +
        "i32) -> f32 { if k == 0 { v } else { cosh(f(v, k - 1)) * 0.5 } }",
      "f(x[i], i)",
    ],
  ])("gives the same numbers where a module %s", (_, module, value) => {
    for (const loss of ["sum[i](y[i])", "sum[i](y[i] ** 2)"]) {
      const text = `${module} input x: [f32; 3]; let y[i in 0..3] = ${value}; let loss = ${loss};`;
      const given = new Map([
        ["x", { dtype: "f32" as const, shape: [3], data: Float32Array.of(0.5, 1.5, -2) }],
      ]);
      const own = numbers(compiled(`${text} let d_x = @loss / @x;`), given, "d_x", "interpret");
      const { source } = sourceOf({ text, of: "loss", wrt: "x", lines: [] });
      expect(cellsOf(numbers(compiled(source), given, "d_x", "interpret")), source).toEqual(
        cellsOf(own),
      );
    }
  });

  test("leaves the program that it is derived from as it is", () => {
    const program = compiled(
      "let d = [1.0, 2.0, 3.0]; let c[i] = 2 * d[i]; let p[i in 0..3] = prod[k in 0..i + 1](d[k]);",
    );
    program.grad("c", ["p"]);
    expect(cellsOf(numbers(program, new Map(), "p", "interpret"))).toEqual([1, 2, 6]);
  });
});

test("values of the primal come first, then adjoints", () => {
  const text = `input V: [f32; m]; input T: [f32; m]; input a: f32; input b: f32;
    let loss = sum[i](8.0 * T[i] / (V[i] - b) - a / (sqrt(T[i]) * V[i] * (V[i] + b)));`;
  const derived = compile({ name: "printed.ein", text }).program!.grad("loss", [
    "a",
    "b",
    "V",
    "T",
  ]);
  const lines =
    "source" in derived ? derived.source.split("\n").filter((line) => line.startsWith("let ")) : [];
  const isAdjoint = lines.map((line) => line.startsWith("let d_"));
  expect(isAdjoint).toContain(false);
  expect(isAdjoint).toEqual(isAdjoint.toSorted((x, y) => Number(x) - Number(y)));
});

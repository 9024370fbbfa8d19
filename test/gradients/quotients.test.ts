// Derivatives that divide by the same number repeatedly. They stay in range, and they divide by no
// number whose cell is not read or is behind a guard.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { agrees, agreesBesideKinks, close } from "./testing.ts";

const stages = `fn step(y: f32, h: f32, c: f32) -> f32 { let k1 = f(y, c);
    let k2 = f(y + 0.5 * h * k1, c); let k3 = f(y + 0.5 * h * k2, c); let k4 = f(y + h * k3, c);
  y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4) }`;
const decay =
  "let vm = 0.75; let km = 0.5; let s0 = 2.0; " +
  `fn f(s: f32, c: f32) -> f32 { -vm * s / (c * (km + s)) } ${stages}`;
const asked = "let a = @loss / @vm; let b = @loss / @km; let d = @loss / @s0;";

describe("a quotient in steps", () => {
  it("agrees with differences where every cell is read", () => {
    agrees(
      `${decay} let s[0] = s0; let s[t in 1..6] = step(s[t - 1], 0.25, 1.0); ` +
        `let loss = sum[t](s[t] ** 2); ${asked}`,
    );
  });

  it("agrees with differences along more than steps", () => {
    agrees(`${decay} let w = [1.0, 0.5, 2.0]; let s[0, i in 0..3] = s0 * w[i];
      let s[t in 1..5, i in 0..3] = step(s[t - 1, i], 0.25, w[i]);
      let loss = sum[i](s[4, i] ** 2); ${asked} let e = @loss / @w;`);
  });

  it("is divided by nothing where nothing reads the cell", () => {
    const slopes = (steps: number): readonly number[] =>
      Object.values(
        agreesBesideKinks(`${decay} let c = [1.0, 1.0, 1.0, 0.0, 0.0]; let s[0] = s0;
        let s[t in 1..${steps}] = step(s[t - 1], 0.25, c[t - 1]); let loss = s[3] ** 2; ${asked}`),
      ).flat();
    expect(slopes(4).length).toBe(3);
    close(slopes(6), slopes(4));
  });

  it("is divided by nothing behind a guard", () => {
    const text = `${decay} let c = [1.0, 1.0, 0.0, 1.0]; let s[0, i in 0..4] = s0 * (i + 1) as f32;
      let s[t in 1..4, i in 0..4] = step(s[t - 1, i], 0.25, c[i]) where c[i] > 0 else 1.0;
      let loss = sum[i](s[3, i] ** 2); ${asked}`;
    const found = Object.values(agreesBesideKinks(text)).flat();
    expect(found.every((slope) => Number.isFinite(slope) && slope !== 0)).toBe(true);
  });

  it.each([
    [
      "f16",
      "0.01 as f16",
      "0.02 as f16",
      "0.03 as f16",
      "0.003 as f16",
      "1.0 as f16",
      "1.0 as f16",
      [-1424, 9490],
    ],
    ["f32", "1e-12", "2e-12", "3e-12", "1e-20", "1e-2", "1e-20", [-599419100000000, 1.1988383e23]],
  ] as const)("stays in range in %s", (_, u, s, v, m, a, b, expected) => {
    const text = `let u = [${u}]; let s = [${s}]; let v = [${v}]; let m = [${m}]; let a = ${a};
      let b = ${b};
      let y[i] = sin(u[i] * s[i] * v[i] / m[i] / m[i] * a + u[i] * s[i] / m[i] / m[i] * b);
      let l = sum[i](y[i]); let g = @l / @u; let h = @l / @m;`;
    const { values } = compile({ name: "quotients.ein", text }).program!.run({ get: ["g", "h"] });
    const found = ["g", "h"].map((name) => Number(values.get(name)!.value.data[0]));
    for (const [k, slope] of found.entries())
      expect(Math.abs(slope / expected[k]! - 1)).toBeLessThan(2e-3);
  });
});

describe("what is multiplied and divided by the same number", () => {
  it("is left out, products above the line too", () => {
    const text =
      "input M: [f32; n]; input c: [f32; n]; let z[i] = log(M[i] * M[i] / c[i]); " +
      "let loss = sum[i](z[i]);";
    const derived = compile({ name: "quotients.ein", text }).program!.grad("loss", ["c"]);
    expect(derived).toMatchObject({ source: expect.stringContaining("let d_c[n] = -1 / c[n];") });
  });

  it("is a path, although nothing is left of it", () => {
    const text =
      "let x = [0.0, 1.0]; let y[i] = x[i] / x[i]; let l = sum[i](y[i]); let g = @l / @x;";
    const { program, diagnostics } = compile({ name: "quotients.ein", text });
    expect(diagnostics).toEqual([]);
    expect([...(program!.run({ get: ["g"] }).values.get("g")!.value.data as Float32Array)]).toEqual(
      [NaN, 0],
    );
  });
});

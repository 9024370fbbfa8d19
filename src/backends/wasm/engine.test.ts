// What a program's runs share: results with the same bits however often it runs, and the oracle's words for every fault.

import { describe, expect, test } from "vitest";
import { compile } from "../../compile.ts";
import { faults } from "./testing.ts";

describe("runs", () => {
  test("have the same bits from the first to the tenth, small as the program is", () => {
    const { program } = compile({
      name: "t.ein",
      text: "input x: [f32; n]; let y[i] = x[i] * 0.3 + 0.1 / x[i]; let z[i] = tanh(y[i]); let s = sum[i](z[i]);",
    });
    const data = Float32Array.from({ length: 10 }, (_, k) => Math.fround(0.37 * (k + 1)));
    const inputs = new Map([["x", { dtype: "f32" as const, shape: [10], data }]]);
    const first = program!.run({ inputs }).values;
    for (let n = 0; n < 10; n++) expect(program!.run({ inputs }).values).toEqual(first);
  });

  test("fail alike on kernels", () => {
    faults("let y[j in 0..9] = (j + 1) % 0;");
    faults("let y[i in 0..3, j in 0..9] = 7 / (j - 4);");
    faults("let y[i in 0..9] = 2 ** (3 - i);");
    faults("let at = [1, 9, 2]; let x = [1.0, 2.0, 3.0]; let y[i] = x[at[i]];");
    faults("let m[i in 0..4] = max[k in 0..i](k);");
    faults("let a[i in 0..4] = argmax[k in 0..i](k as f32);");
    faults("let s[i in 0..9] = sum[k in 0..i + 1](10 / (k - 5));");
    faults("let idx[k in 0..6] = k % 3; let d[p in 0..3] = sum[k](10 / (k - 5) where idx[k] == p);");
  });
});

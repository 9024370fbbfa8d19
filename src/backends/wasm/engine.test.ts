// What the runs of a program have in common: the same bits however often it runs, and the oracle's
// message for every fault.

import { describe, expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";
import { faults } from "../../../test/support/kernels.ts";

describe("runs", () => {
  test("have the same bits from the first to the tenth, small as the program is", () => {
    const { program } = compile({
      name: "t.ein",
      text:
        "input x: [f32; n]; let y[i] = x[i] * 0.3 + 0.1 / x[i]; let z[i] = tanh(y[i]); " +
        "let s = sum[i](z[i]);",
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
    faults(
      "let idx[k in 0..6] = k % 3; let d[p in 0..3] = sum[k](10 / (k - 5) where idx[k] == p);",
    );
  });
});

describe("a checkpointed recurrence of several members", () => {
  const programs: Readonly<Record<string, readonly [text: string, ...get: string[]]>> = {
    "one of which nobody reads any more": [
      `let U[i in 0..60] = 0.01 * (i as f32);
      let A[0, i in 0..60] = U[i]; let B[0, i in 0..60] = U[i];
      checkpoint let A[t in 1..60, i] = 0.9 * A[t - 1, i] + 0.1 * B[t - 1, i];
      checkpoint let B[t in 1..60, i] = tanh(B[t - 1, i] + 0.1 * A[t - 1, i]);
      let r[i] = B[59, i] * 3.0; let loss = sum[i](r[i]); let d = @loss / @U;`,
      "loss",
      "d",
      "r",
    ],
    "of single numbers": [
      `let U = 0.5; let x[t in 0..9] = sin(t as f32); let A[0] = U;
      checkpoint let A[t in 1..9] = 0.9 * A[t - 1] + 0.1 * s[t - 1];
      let s[t in 0..9] = tanh(x[t] * A[t]);
      let loss = s[8] ** 2; let d = @loss / @U;`,
      "loss",
      "d",
    ],
  };

  test.each(Object.entries(programs))("%s", (_, [text, ...all]) => {
    const { program } = compile({ name: "test.ein", text });
    const right = program!.run({ get: all, backend: "interpret" });
    for (const get of [all, ...all.map((name) => [name])]) {
      const { values } = program!.run({ get, backend: "wasm", leastWork: 0 });
      for (const name of get) {
        const [own, wanted] = [values, right.values].map(
          (computed) => computed.get(name)!.value.data as ArrayLike<number>,
        );
        Array.from(wanted!).forEach((value, k) =>
          expect(own![k], `${name} at ${k}`).toBeCloseTo(value, 4),
        );
      }
    }
  });
});

describe("a loop that is computed again", () => {
  test("is the oracle's with what it computes by the step", () => {
    // `one` has the value of `two` and replaces it, so nobody reads `r` after `one`. The oracle
    // needs `two` itself for `y`, and therefore computes `r` again.
    const text = `
      let e[0, i in 0..3] = 0.1 * (i as f64); let e[t in 1..4, i] = 0.5 * e[t - 1, i] + 1.0;
      let b[t in 0..4, i in 0..3] = tanh(e[t, i]); let r[t in 0..4, i in 0..3] = b[t, i] * b[t, i];
      let h[0, i in 0..3] = r[0, i]; let h[t in 1..4, i] = 0.5 * h[t - 1, i] + r[t, i];
      let one[i in 0..3] = sum[t](r[t, i]); let two[i in 0..3] = sum[t](r[t, i]);
      let y[i in 0..3] = one[i] + 2.0 * two[i] + h[3, i];`;
    const { program } = compile({ name: "test.ein", text });
    const [own, right] = (["wasm", "interpret"] as const).map(
      (backend) => program!.run({ get: ["y"], backend }).values,
    );
    expect(own).toEqual(right);
  });
});

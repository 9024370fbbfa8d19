// How much memory recurrences and their derivatives take on the oracle, and that saving memory
// changes no number.

import { describe, expect, it, vi } from "vitest";
import { compile } from "../../driver/compile.ts";
import type { RunResult } from "../results.ts";

// Ten thousand steps take the oracle about a second, and longer on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

function run(text: string, get: readonly string[]): RunResult {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  const result = program!.run({ get, f64: true, backend: "interpret" });
  expect(result.fault).toBeUndefined();
  return result;
}

function cells({ values }: RunResult, name: string): readonly number[] {
  return Array.from(values.get(name)!.value.data as Float64Array);
}

/** A network with three states, driven by the number of the step. */
function network(T: number, before = ""): string {
  return `let w = [0.5, -0.3, 0.2]; let b = 0.1;
    ${before}let h[0, i in 0..3] = 0.1 * (i as f32 + 1.0);
    ${before}let h[t in 1..${T}, i in 0..3] =
      tanh(sum[j](w[(i + j) % 3] * h[t - 1, j]) + b * sin(t as f32));
    let last = sum[i](h[${T - 1}, i] ** 2); let d_w = @last / @w; let d_b = @last / @b;
    let all = mean[t, i](h[t, i] ** 2); let e_w = @all / @w;`;
}

const bytesPerState = 3 * 8;

describe("what is kept of a recurrence", () => {
  it("is the state and the one before, where only the last step is asked for", () => {
    expect(run(network(10_000), ["last"]).peakBytes / bytesPerState).toBeLessThan(10);
  });

  it("is that for sums over all steps too", () => {
    const { peakBytes } = run(network(10_000), ["all"]);
    expect(peakBytes / bytesPerState).toBeLessThan(10);
  });

  it("is the history for a gradient, and a window of the adjoint", () => {
    const { peakBytes } = run(network(10_000), ["d_w", "d_b"]);
    expect(peakBytes / bytesPerState).toBeGreaterThan(10_000);
    expect(peakBytes / bytesPerState).toBeLessThan(10_030);
  });

  it("does not change the numbers", () => {
    const names = ["last", "d_w", "d_b", "all", "e_w"];
    const whole = run(network(40), [...names, "h"]);
    for (const name of names) {
      const alone = cells(run(network(40), [name]), name);
      cells(whole, name).forEach((x, k) => expect(alone[k]).toBeCloseTo(x, 13));
    }
  });
});

describe("checkpoints", () => {
  it("keep at most 4·√T states for a gradient over 10,000 steps", () => {
    const { peakBytes } = run(network(10_000, "checkpoint "), ["d_w", "d_b"]);
    expect(peakBytes / bytesPerState).toBeLessThan(4 * Math.sqrt(10_000));
  });

  it("keep no more where every step has a part in the loss", () => {
    const { peakBytes } = run(network(10_000, "checkpoint "), ["e_w"]);
    expect(peakBytes / bytesPerState).toBeLessThan(4 * Math.sqrt(10_000));
  });

  const programs: readonly (readonly [string, string])[] = [
    ["one state", network(57, "checkpoint ")],
    [
      "two steps back",
      "let a = 0.3; let b = 0.9; checkpoint let f[0] = a; let f[1] = b; " +
        "checkpoint let f[t in 2..31] = sin(f[t - 1] * f[t - 2] + a); let l = f[30] ** 2; " +
        "let d_a = @l / @a; let d_b = @l / @b;",
    ],
    [
      "downward",
      "let a = 0.7; checkpoint let s[25] = a; " +
        "checkpoint let s[t in rev(0..25)] = cos(s[t + 1] * a); let l = s[0]; " +
        "let d_a = @l / @a;",
    ],
    [
      "two states that read each other",
      "let p = 0.5; checkpoint let a[0] = p; let b[0] = 0.3; " +
        "checkpoint let a[t in 1..30] = sin(a[t - 1] * 0.5 + b[t - 1]); " +
        "checkpoint let b[t in 1..30] = a[t] * cos(b[t - 1] * p); let l = a[29] * b[29]; " +
        "let d_p = @l / @p;",
    ],
    [
      "outputs of every step",
      "let W = 0.7; let V = 1.3; let x[t in 0..40] = sin(t as f32); " +
        "checkpoint let h[0] = x[0]; checkpoint let h[t in 1..40] = tanh(h[t - 1] * W + x[t]); " +
        "let y[t] = V * h[t] ** 2; let e[t] = (y[t] - x[t]) ** 2; let l = sum[t](e[t]); " +
        "let d_W = @l / @W; let d_V = @l / @V; let d_x = @l / @x;",
    ],
    [
      "a last segment that is short",
      "let W = 0.7; checkpoint let h[0] = W; " +
        "checkpoint let h[t in 1..38] = sin(h[t - 1] * W); let l = h[37]; let d_W = @l / @W;",
    ],
    [
      "second derivatives",
      "let W = 0.7; checkpoint let h[0] = W; " +
        "checkpoint let h[t in 1..20] = sin(h[t - 1] * W); let l = h[19]; let g = @l / @W; " +
        "let d_W = @g / @W;",
    ],
  ];

  it.each(programs)("change no number: %s", (_, text) => {
    const plain = text.replaceAll("checkpoint ", "");
    const names = [...text.matchAll(/let (d_\w+) =/g)].map((match) => match[1]!);
    expect(names).not.toEqual([]);
    for (const name of names) {
      const [saved, whole] = [run(text, [name]), run(plain, [name])];
      expect(cells(saved, name)).toEqual(cells(whole, name));
    }
  });

  it("take no part where the recurrence is asked for by name", () => {
    const [saved, whole] = [
      run(network(30, "checkpoint "), ["h", "d_w"]),
      run(network(30), ["h", "d_w"]),
    ];
    expect(cells(saved, "h")).toEqual(cells(whole, "h"));
    expect(cells(saved, "d_w")).toEqual(cells(whole, "d_w"));
  });
});

describe("faults of what runs along", () => {
  const text = `let at = [0, 7]; let h[0] = 1.0; let h[t in 1..5] = h[t - 1] + 1.0;
    let last = h[4]; print(last);
    let wrong[t in 0..5] = h[t] * [1.0, 2.0][at[t / 4]]; wrong;`;

  it("come when it is asked for, not when the recurrence is", () => {
    const { program } = compile({ name: "test.ein", text });
    const printed: string[] = [];
    const { fault } = program!.run({ onPrint: (each) => void printed.push(each.text) });
    expect(printed).toEqual(["5.0"]);
    expect(fault?.code).toBe("E0901");
  });
});

import { describe, expect, it } from "vitest";
import { describePlan, lookbacksOf } from "./plan.ts";
import { storageOf, wantedOf } from "./storage.ts";
import { lowered } from "../../test/support/ir.ts";

function plan(text: string, asked?: readonly string[]): string[] {
  const { program, analysis } = lowered(text);
  return describePlan(program, analysis.schedules, asked).split("\n");
}

/** The lookbacks by name. */
function lookbacksByName(text: string, asked?: readonly string[]): Record<string, unknown> {
  const { program, analysis } = lowered(text);
  const storage = storageOf(analysis.schedules, wantedOf(program, asked));
  return Object.fromEntries(
    lookbacksOf(storage).map(({ definition, axis, distance, keeps }) => [
      definition.name,
      {
        axis,
        distance,
        keeps:
          "kind" in keeps
            ? keeps.kind === "checkpoints"
              ? "checkpoints"
              : keeps.steps
            : [
                ...(keeps.observed ? ["observed"] : []),
                ...keeps.readers.map((reader) => reader.name),
              ],
      },
    ]),
  );
}

const fibonacci =
  "let f[0] = 0; let f[1] = 1; let f[t in 2..20] = f[t - 1] + f[t - 2]; let last = f[19];";
const rnn =
  "input x: [f32; time, in]; input W: [f32; hidden, hidden]; " +
  "let h[0, hidden in 0..extent(hidden)] = 0.0; " +
  "let h[t in 1..extent(time), hidden] = " +
  "tanh(sum[from](W[hidden, from] * h[t - 1, from]) + x[t, 0]); " +
  "let last[hidden] = h[extent(time) - 1, hidden];";
const lcs =
  "let p = [1, 2, 3]; let q = [2, 3]; let L[i in 0..4, j in 0..3] = 0; " +
  "let L[i in 1..4, j in 1..3] = if p[i - 1] == " +
  "q[j - 1] { L[i - 1, j - 1] + 1 } else { max(L[i - 1, j], L[i, j - 1]) }; " +
  "let length = L[3, 2];";
const heat =
  "input start: [f32; place]; let u[t in 0..40, x] = start[x]; " +
  "let u[t in 1..40, x in 1..extent(place) - 1] = u[t - 1, x - 1] + " +
  "u[t - 1, x + 1] - u[t - 1, x]; let total[t] = sum[x](u[t, x]); let final[x] = u[39, x];";
const mutual =
  "let a[0] = 1; let b[0] = 0; let a[t in 1..6] = a[t - 1] + b[t - 1]; " +
  "let b[t in 1..6] = a[t] - b[t - 1]; let end = a[5] + b[4];";
const lookup =
  "let p = [0, 0, 1, 1, 2]; let d[0] = 0; let d[i in 1..5] = d[p[i]] + 1; let end = d[4];";

describe("lookbacks", () => {
  it("of Fibonacci", () => {
    expect(lookbacksByName(fibonacci)).toEqual({
      f: { axis: 0, distance: 2, keeps: ["observed"] },
    });
    expect(lookbacksByName(fibonacci, ["last"])).toEqual({ f: { axis: 0, distance: 2, keeps: 3 } });
  });

  it("of a recurrent network: what is read in its own step only needs one", () => {
    expect(lookbacksByName(rnn, ["last"])).toEqual({
      h: { axis: 0, distance: 1, keeps: 2 },
      h_2: { axis: 0, distance: 0, keeps: 1 },
    });
  });

  it("of a table along its outer loop", () => {
    expect(lookbacksByName(lcs, ["length"])).toEqual({ L: { axis: 0, distance: 1, keeps: 2 } });
  });

  it("of a field that another definition reads at every step, along with it", () => {
    expect(lookbacksByName(heat, ["final"])).toEqual({ u: { axis: 0, distance: 1, keeps: 2 } });
    expect(lookbacksByName(heat, ["total"])).toEqual({ u: { axis: 0, distance: 1, keeps: 2 } });
  });

  it("of members of one loop; what is read before the last step lengthens a buffer", () => {
    expect(lookbacksByName(mutual, ["end"])).toEqual({
      a: { axis: 0, distance: 1, keeps: 2 },
      b: { axis: 0, distance: 1, keeps: 2 },
    });
    const late = mutual.replace("b[4]", "b[2]");
    expect(lookbacksByName(late, ["end"])).toMatchObject({ b: { distance: 1, keeps: 4 } });
  });

  it("of a read that only data places", () => {
    expect(lookbacksByName(lookup, ["end"])).toEqual({
      d: { axis: 0, distance: undefined, keeps: ["d"] },
    });
  });

  it("of a loop that runs downward", () => {
    const text = "let s[3] = 1.0; let s[t in rev(0..3)] = s[t + 1] * 2; let first = s[0];";
    expect(lookbacksByName(text, ["first"])).toEqual({ s: { axis: 0, distance: 1, keeps: 2 } });
    expect(lookbacksByName(text.replace("s[0]", "s[3]"), ["first"])).toMatchObject({
      s: { keeps: 4 },
    });
  });

  it("of a value that is printed", () => {
    expect(lookbacksByName(`${fibonacci} print(f);`, ["last"])).toMatchObject({
      f: { keeps: ["observed"] },
    });
  });

  it("of a read at a position that moves against the loop", () => {
    expect(
      lookbacksByName("let f[0] = 1; let f[t in 1..9] = f[t / 2]; let last = f[8];", ["last"]),
    ).toEqual({
      f: { axis: 0, distance: undefined, keeps: ["f"] },
    });
  });
});

describe("the text of a plan", () => {
  it("Fibonacci", () => {
    expect(plan(fibonacci)).toEqual([
      "recurrence f: i32 [t = 20]; loop t upward; lookback 2 along t; " +
        "full history (observed by name)",
      "map last: i32",
    ]);
    expect(plan(fibonacci, ["last"])[0]).toBe(
      "recurrence f: i32 [t = 20]; loop t upward; lookback 2 along t; tail 1; buffer of 3",
    );
  });

  it("the tail may reach further back than the recurrence", () => {
    expect(
      plan("let h[0] = 1.0; let h[t in 1..9] = h[t - 1] / 2; let s = h[8] + h[5];", ["s"])[0],
    ).toBe("recurrence h: f32 [t = 9]; loop t upward; lookback 1 along t; tail 4; buffer of 4");
  });

  it("a recurrent network", () => {
    expect(plan(rnn, ["last"])).toEqual([
      "input W: f32 [hidden, hidden]",
      "input x: f32 [time, in]",
      "recurrence h: f32 [t = max(extent(time), 1), hidden]; loop t upward; " +
        "lookback 1 along t; tail 1; buffer of 2",
      "recurrence h_2: f32 [t = extent(time), hidden]; loop t upward; lookback 0 along t; " +
        "buffer of 1",
      "map last: f32 [hidden]",
    ]);
  });

  it("longest common subsequence", () => {
    expect(plan(lcs, ["length"])).toEqual([
      "literal p: i32 [3]",
      "literal q: i32 [2]",
      "recurrence L: i32 [i = 4, j = 3]; loops i upward, j upward; lookback 1 along i; " +
        "tail 1; buffer of 2",
      "map length: i32",
    ]);
  });

  it("heat equation", () => {
    expect(plan(heat, ["total"])).toEqual([
      "input start: f32 [place]",
      "recurrence u: f32 [t = 40, x = extent(place)]; loop t upward; lookback 1 along t; " +
        "buffer of 2",
      "reduction total: f32 [t = 40]; computed along t of u",
    ]);
  });

  it("a sum over the steps, through a map that only it reads", () => {
    expect(
      plan(`${heat} let m[t, x] = u[t, x] ** 2; let energy = sum[t, x](m[t, x]);`, ["energy"]),
    ).toEqual([
      "input start: f32 [place]",
      "recurrence u: f32 [t = 40, x = extent(place)]; loop t upward; lookback 1 along t; " +
        "buffer of 2",
      "map m: f32 [t = 40, x = extent(place)]; computed by the step along t of u; buffer of 1",
      "reduction energy: f32; summed up along t of u",
    ]);
  });

  it("of what runs along, the last steps, where no others are read", () => {
    const text = `${heat} let m[t, x] = u[t, x] ** 2; let e[x] = m[39, x] - m[38, x];`;
    expect(plan(text, ["e"])[2]).toBe(
      "map m: f32 [t = 40, x = extent(place)]; computed along t of u; tail 2; buffer of 2",
    );
  });

  it("what is printed under a condition does not run along", () => {
    const text = `${heat} if total[3] > 0 { print(sum[t, x](u[t, x])); }`;
    expect(plan(text, ["final"]).find((line) => line.startsWith("recurrence u"))).toContain(
      "full history (read by",
    );
  });

  it("saved states", () => {
    const text =
      "let x = 0.5; let h[0] = x; checkpoint let h[t in 1..100] = sin(h[t - 1]); " +
      "let l = h[99]; let g = @l / @x;";
    expect(plan(text, ["g"]).find((line) => line.startsWith("recurrence h:"))).toBe(
      "recurrence h: f32 [t = 100]; loop t upward; lookback 1 along t; " +
        "checkpoints (√t saved states, a segment of √t steps computed again)",
    );
  });

  it("mutual recurrence", () => {
    expect(plan(mutual, ["end", "a"])).toEqual([
      "recurrence a: i32 [t = 6]; loop t upward; lookback 1 along t; " +
        "full history (observed by name)",
      "recurrence b: i32 [t = 6]; loop t upward; lookback 1 along t; tail 2; buffer of 2",
      "map end: i32",
    ]);
  });

  it("a read that only data places", () => {
    expect(plan(lookup, ["end"])[1]).toBe(
      "recurrence d: i32 [i = 5]; loop i upward; whole history read along i; " +
        "full history (read by d)",
    );
  });
});

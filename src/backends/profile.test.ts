// The lines of a profile: what was timed together, with the work that the IR counts.

import { describe, expect, test } from "vitest";
import { compile } from "../driver/compile.ts";

const text = `let A[i in 0..8, k in 0..8] = (i + k) as f32;
let C[i, j] = sum[k](A[i, k] * A[k, j]);
let total = sum[i, j](C[i, j]);`;

describe("a profile", () => {
  test.each(["wasm", "js", "interpret"] as const)(
    "has the lines that were computed, on %s",
    (backend) => {
      let clock = 0;
      const { program } = compile({ name: "p.ein", text });
      const { profile } = program!.run({
        backend,
        leastWork: 0,
        get: ["C", "total"],
        profile: () => clock++,
      });
      const lines = new Map(profile!.map((line) => [line.line, line]));
      expect(lines.get(2)).toMatchObject({ file: "p.ein", flops: 2 * 8 ** 3 });
      expect(lines.get(2)!.ms).toBeGreaterThan(0);
      expect(lines.get(2)!.bytes).toBeGreaterThanOrEqual(4 * 64);
      expect(lines.get(3)).toMatchObject({ flops: 64 });
      const times = profile!.map(({ ms }) => ms);
      expect(times).toEqual([...times].sort((a, b) => b - a));
    },
  );

  test("is there only where it is asked for, and changes no value", () => {
    const { program } = compile({ name: "p.ein", text });
    const plain = program!.run({ leastWork: 0 });
    expect(plain.profile).toBeUndefined();
    const timed = program!.run({ leastWork: 0, profile: () => 0 });
    expect(timed.values).toEqual(plain.values);
  });
});

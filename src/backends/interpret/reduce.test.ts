// How many positions the oracle visits: each term once, if the language promises that cost.

import { describe, expect, it } from "vitest";
import { subjectOf } from "../../../test/backends/compare.ts";
import { storageOf, wantedOf } from "../../plan/storage.ts";
import { newEngine, unitsOf } from "../order.ts";
import { oracle, oracleAbilities } from "./engine.ts";
import { newMachine } from "./machine.ts";
import { runProgram } from "../../run/run.ts";

/**
 * How many cells and terms the closures visit for the value `z` of a program over `n` positions.
 */
function visited(text: (n: number) => string, n: number): number {
  const subject = subjectOf("test.ein", text(n));
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  const { program, analysis } = subject;
  const machine = newMachine({ f64: false, maxBytes: 2 ** 30, written: Infinity });
  const units = unitsOf(
    analysis.schedules,
    storageOf(analysis.schedules, wantedOf(program, ["z"]), oracleAbilities),
  );
  newEngine(
    machine,
    program,
    units,
    oracle(machine, units.storage),
  )(program.outputs.get("z")!.definition);
  return machine.tick;
}

function isLinear(text: (n: number) => string): void {
  expect(visited(text, 400)).toBeLessThan(2.2 * visited(text, 200));
}

const scattered = (
  n: number,
): string => `let k[i in 0..${n}] = (i * 7919) % ${n}; let v[i in 0..${n}] = i as f32;
  let s[p in 0..${n}] = sum[i](v[i] where k[i] == p);
  let q = sum[p](s[p] * s[p]); let g = @q / @v; let z = g[3];`;

describe("what is visited grows with the terms", () => {
  it("of a coordinate that a lookup pins", () => {
    isLinear(
      (n) => `let k[i in 0..${n}] = (i * 7) % ${n}; let v[i in 0..${n}] = i as f32;
      let y[i] = sum[p](v[p] where k[i] == p); let z = sum[i](y[i]);`,
    );
  });

  it("of the gradient of a scatter", () => isLinear(scattered));

  it("of the gradient of a running product, which a loop that runs downward reads", () => {
    isLinear(
      (n) => `let x[i in 0..${n}] = 1.0;
      let p[i in 0..${n}] = prod[k in 0..i + 1](x[k]); let L = sum[i](p[i]);
      let g = @L / @x; let z = g[5];`,
    );
  });

  // To visit all pairs would take minutes.
  it.each(["js", "wasm"] as const)("of the gradient of a large scatter on %s", (backend) => {
    const subject = subjectOf("test.ein", scattered(500_000));
    if ("errors" in subject) throw new Error("the program is wrong");
    const { values } = runProgram(subject.program, subject.analysis, { backend, get: ["z"] });
    expect(values.get("z")!.value.data).toEqual(Float32Array.of(6));
  });
});

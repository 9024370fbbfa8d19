// Tests which expressions are read instead of being computed again.

import { describe, expect, test } from "vitest";
import { heardIn, holds } from "../../test/support/kernels.ts";
import { compile } from "../driver/compile.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import { fuse } from "./fuse.ts";
import { newHeard, type Heard } from "./print.ts";
import { asWritten, programOf } from "../../test/support/plan.ts";

const data = "let x[i in 0..6, j in 0..6] = sin((i * j) as f32); let s[i] = sum[j](x[i, j]);\n";

/** The number of exponentials in `z` after maps are inlined. */
function exponentialsInZ(text: string): number {
  const { program, schedules } = programOf(data + text);
  const { clausesOf } = fuse(
    program,
    schedules,
    { asked: undefined },
    (term) => term.constant,
    1e9,
    asWritten,
  );
  const z = program.outputs.get("z")!.definition;
  let count = 0;
  for (const scalar of clausesOf(z).flatMap(scalarsOf))
    eachScalar(
      scalar,
      (part) => void (part.kind === "apply" && part.operation === "exp" && count++),
    );
  return count;
}

describe("an expression that a map has computed", () => {
  test("is read, at whatever coordinates", () => {
    const e = "let e[i, j] = exp(x[i, j] - s[i]);";
    expect(exponentialsInZ(`${e} let z[a, b] = e[a, b] + exp(x[b, a] - s[b]);`)).toBe(0);
    expect(exponentialsInZ(`${e} let z[a] = e[a, 0] + exp(x[a, 2] - s[a]);`)).toBe(0);
  });

  test("is computed where it differs, or where nothing else needs the map", () => {
    const e = "let e[i, j] = exp(x[i, j] - s[i]);";
    expect(exponentialsInZ(`${e} let z[a, b] = e[a, b] + exp(x[a, b] - s[b]);`)).toBe(1);
    expect(exponentialsInZ(`${e} let z[a, b] = exp(x[a, b] - s[a]);`)).toBe(1);
    expect(
      exponentialsInZ(
        "let e[i in 0..3, j] = exp(x[i, j] - s[i]); " +
          "let z[a in 0..3, b] = e[a, b] + exp(x[a, b] - s[a]);",
      ),
    ).toBe(1);
  });

  test("is read by who would not have waited for the map otherwise", () => {
    const e = "let e[i, j] = exp(x[i, j] * 0.1) * 0.5; let t = sum[i, j](e[i, j] * e[j, i]);";
    const text = `${data} ${e} let z[a, b] = s[a] - exp(x[a, b] * 0.1) * 0.5;`;
    const { program } = compile({ name: "test.ein", text });
    const said = (get: readonly string[]): string => {
      let heard: Heard | undefined;
      program!.run({ get, leastWork: 0, hearing: (of, each) => (heard = newHeard(of, each)) });
      return heard!.text("share");
    };
    for (const get of [
      ["z", "t"],
      ["t", "z"],
    ])
      expect(said(get)).toContain("is e[a, b]");
    // A map that nobody asks for is not computed for this.
    expect(said(["z"])).toBe("");
    holds(text);
    holds(`${text} let loss = sum[a, b](z[a, b] ** 2) + t; let g = @loss / @x;`);
  });

  test("has the same value", () => {
    holds(
      `${data} let e[i, j] = exp(x[i, j] * 0.1 - s[i] * 0.01); ` +
        "let z[a, b] = e[a, b] + exp(x[b, a] * 0.1 - s[b] * 0.01);",
    );
  });
});

test(
  "who is not computed reads nothing: what a gradient reads beside is a part of its one other " +
    "reader",
  () => {
    const text =
      `${data} let y[i] = sin(sum[j](x[i, j] ** 2)) + 1.0; let loss = sum[i](y[i] ** 2); ` +
      "let g = @loss / @x;";
    const merged = (get: readonly string[]): string => heardIn(text, "merge", get);
    expect(merged(["y"])).toContain("a part of y");
    expect(merged(["y", "g"])).not.toContain("a part of y");
  },
);

// A small part of `npm run ablate`: rewrites are switched off by name, and no value changes.

import { afterEach, describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { rewriteNames, switchOff, type Rewrite } from "../../src/ir/rewrites.ts";
import { ablate } from "./ablate.ts";
import { session } from "../cli/session.ts";

const text = `let x = [1.5, -0.5, 0.25]; let w = [[1.0, 2.0, 0.5], [0.5, -1.0, 2.0]];
  let y[i] = tanh(sum[j](w[i, j] * x[j])); let p[i in 0..3] = prod[k in 0..i + 1](x[k]);
  let loss = sum[i](y[i] ** 2) + sum[i](p[i] ** 2) + max[i](x[i] * y[0]);
  let by_x = @loss / @x; let by_w = @loss / @w;`;

afterEach(() => switchOff([]));

describe("a rewrite that is switched off", () => {
  test.each(rewriteNames)("%s changes no value", (rewrite) => {
    const { wrong, programs } = ablate(rewrite, [
      { name: "a small network", text, given: new Map() },
    ]);
    expect(programs).toBe(1);
    expect(wrong).toEqual([]);
  });

  test("leaves its trace in the program", () => {
    const ir = (off: readonly Rewrite[]): string => {
      switchOff(off);
      return compile({ name: "a.ein", text }).program!.dump("ir");
    };
    expect(ir(["common-subexpressions", "running"])).not.toBe(ir([]));
  });
});

describe("EIN_WITHOUT", () => {
  const { ein } = session();

  test("switches rewrites off for a command", async () => {
    const { code, out } = await ein(["-e", "print(1 + 1);"], {
      env: { EIN_WITHOUT: "twins,running" },
    });
    expect([code, out]).toEqual([0, "2\n"]);
  });

  test("knows their names", async () => {
    const { code, err } = await ein(["-e", "print(1);"], { env: { EIN_WITHOUT: "twin" } });
    expect(code).toBe(2);
    expect(err).toContain("there is no rewrite `twin`");
  });
});

// Tests programs with many elementary functions: their values, and the size of their kernels.

import { expect, test } from "vitest";
import { elementaryNames } from "../../math/elementary.ts";
import { cellsOf, holds, leftToOracleIn } from "../../../../test/support/kernels.ts";

const input = "let x[i in 0..37] = (i as f32) * 0.37 + 0.1;";

/** A map that adds up `count` calls of a function. */
function mapWithCalls(name: string, count: number): string {
  const calls = Array.from({ length: count }, (_, k) => {
    const argument = `x[i] * ${k % 50}.25`;
    return name === "power" ? `(${argument}) ** (x[i] - 1.5)` : `${name}(${argument})`;
  });
  return `${input} let y[i] = ${calls.join(" + ")};`;
}

/** A map of `count` nested calls of a function. */
function mapWithNestedCalls(name: string, count: number): string {
  let inside = "x[i]";
  for (let k = 0; k < count; k++) inside = `${name}(${inside})`;
  return `${input} let y[i] = ${inside};`;
}

interface ModuleHost {
  WebAssembly: { Module: new (bytes: Uint8Array<ArrayBuffer>) => object };
}

/** Runs `action` while the host makes modules by another class. */
function withModules(
  make: (Module: ModuleHost["WebAssembly"]["Module"]) => ModuleHost["WebAssembly"]["Module"],
  action: () => void,
): void {
  const host = globalThis as unknown as ModuleHost;
  const { Module } = host.WebAssembly;
  host.WebAssembly.Module = make(Module);
  try {
    action();
  } finally {
    host.WebAssembly.Module = Module;
  }
}

/** The bytes of all modules that a program is compiled to. */
function bytesFor(text: string): number {
  let bytes = 0;
  withModules(
    (Module) =>
      class extends Module {
        constructor(code: Uint8Array<ArrayBuffer>) {
          super(code);
          bytes += code.length;
        }
      },
    () => cellsOf(text, "y"),
  );
  return bytes;
}

test.for(elementaryNames)("sixteen and a hundred calls of %s", (name) => {
  holds(mapWithCalls(name, 16));
  holds(mapWithCalls(name, 100));
  // The three other functions soon leave their domain when nested, or become unstable.
  if (!["power", "log", "tan"].includes(name)) holds(mapWithNestedCalls(name, 50));
});

test.for(["sin", "log", "tanh"])("a thousand calls of %s", (name) => {
  const text = mapWithCalls(name, 1000);
  holds(text);
  expect(leftToOracleIn(text)).not.toContain("y");
});

test.for(["sin", "log1p"])("250 calls of %s, each of the one before", (name) => {
  holds(mapWithNestedCalls(name, 250));
});

test("calls in branches, in sums and in steps", () => {
  const calls = (of: string): string =>
    Array.from({ length: 20 }, (_, k) => `sin(${of} * ${k}.5) * log(${of} + ${k + 1}.0)`).join(
      " + ",
    );
  holds(`${input} let y[i] = if x[i] > 5.0 { ${calls("x[i]")} } else { cos(x[i]) };`);
  holds(`${input} let y = sum[i](${calls("x[i]")});`);
  holds(`${input} let y[j in 0..9] = sum[i]((${calls("x[i]")}) * exp(x[j]));`);
  holds(`let y[0] = 0.5; let y[t in 1..9] = (${calls("y[t - 1]")}) * 0.001 + 0.5;`);
});

test.for(elementaryNames)("code grows by the calls of %s, and by little for each", (name) => {
  const [some, twice] = [bytesFor(mapWithCalls(name, 40)), bytesFor(mapWithCalls(name, 80))];
  expect(twice - some).toBeLessThan(40 * 400);
  if (name === "power") return;
  expect(
    bytesFor(mapWithNestedCalls(name, 80)) - bytesFor(mapWithNestedCalls(name, 40)),
  ).toBeLessThan(40 * 400);
});

test("what the host refuses is computed by the oracle", () => {
  const text = `${input} let y[i] = x[i] * 0.123 + 4.56; let s = sum[i](y[i]);
    let z[i] = y[i] - s;`;
  const { CompileError } = (
    globalThis as unknown as { WebAssembly: { CompileError: new () => Error } }
  ).WebAssembly;
  let refused: readonly number[] = [];
  withModules(
    (Module) =>
      class extends Module {
        constructor(code: Uint8Array<ArrayBuffer>) {
          super(code);
          throw new CompileError();
        }
      },
    () => {
      const left = leftToOracleIn(text);
      expect(new Set(left.values())).toEqual(new Set(["too large for a kernel"]));
      refused = cellsOf(text, "z");
    },
  );
  const taken = cellsOf(text, "z");
  expect(refused).toHaveLength(37);
  refused.forEach((cell, k) => expect(cell).toBeCloseTo(taken[k]!, 3));
});

// The printed backward program of every example that requests a gradient. `UPDATE=1` rewrites the
// files; read the difference.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { requestsIn, type FoundRequest } from "../gradients/perturb.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const read = (file: string): string => readFileSync(folder(`../../examples/${file}`), "utf8");
const examples = readdirSync(folder("../../examples")).filter(
  (file) => file.endsWith(".ein") && plainRequests(read(file)).length > 0,
);

describe("derivations of the examples", () => {
  test("each example has one, and nothing else does", () => {
    const names = examples.map((file) => file.replace(/\.ein$/, ".txt"));
    expect(readdirSync(folder("derivations")).toSorted()).toEqual(names.toSorted());
  });

  for (const file of examples) {
    test(file, () => {
      const found = derivation(file, read(file));
      const target = folder(`derivations/${file.replace(/\.ein$/, ".txt")}`);
      if (process.env["UPDATE"]) {
        mkdirSync(folder("derivations"), { recursive: true });
        writeFileSync(target, found);
      }
      expect(existsSync(target) && readFileSync(target, "utf8")).toBe(found);
    });
  }
});

/** The requests whose numerator and denominator are names. */
function plainRequests(text: string): readonly FoundRequest[] {
  return requestsIn(text).filter(({ of }) => /^@\w+$/.test(of));
}

/** The derived lines for each numerator, with all of its denominators. */
function derivation(name: string, text: string): string {
  const { program } = compile({ name, text });
  if (!program) throw new Error(`${name} does not compile`);
  const requests = plainRequests(text);
  const numerators = [...new Set(requests.map(({ of }) => of.slice(1)))];
  const written = new Set(text.split("\n"));
  return numerators
    .map((of) => {
      const wrt = [
        ...new Set(requests.filter((each) => each.of === `@${of}`).map((each) => each.wrt)),
      ];
      const derived = program.grad(of, wrt);
      if ("diagnostics" in derived)
        throw new Error(derived.diagnostics.map(({ title }) => title).join("\n"));
      const lines = derived.source
        .split("\n")
        .filter((line) => /^(let|input|fn) d_|^let /.test(line) && !written.has(line));
      return `@${of} / @${wrt.join(", @")}\n${lines.map((line) => `  ${line}\n`).join("")}`;
    })
    .join("\n");
}

// `grad` answers at once: after a compilation it needs only the parts that `compile` loads for it.

import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import type { CoreProgram } from "../../src/driver/core.ts";
import { collectCases } from "../cases/collect.ts";
import { dividedLibrary, type Divided } from "./divided.ts";

let library: Divided;

beforeAll(async () => {
  library = await dividedLibrary();
});

const isFloat = (form: { readonly dtype: string } | undefined): boolean =>
  form?.dtype.startsWith("f") ?? false;

/** Some pairs of numerator and denominator. */
function questions(program: CoreProgram): readonly (readonly [string, string])[] {
  const { inputs, values } = program;
  const tops = values.filter((name) => isFloat(program.formOf(name))).slice(-2);
  const bottoms = [...inputs.filter(isFloat).map(({ name }) => name), ...values].slice(0, 2);
  return tops.flatMap((of) => bottoms.filter((wrt) => wrt !== of).map((wrt) => [of, wrt] as const));
}

describe("derived programs compile on what their programs took", () => {
  for (const { name, text } of collectCases(fileURLToPath(new URL("../cases", import.meta.url)))) {
    test(name, { timeout: 60_000 }, async () => {
      library.forgetParts();
      const { program } = await library.compiledInParts({ name: "case.ein", text });
      if (!program) return;
      await Promise.all(["derivatives", "rare", "mistakes"].map(library.loadPart));
      const mistakes = questions(program).flatMap(([of, wrt]) => {
        const derived = program.grad(of, [wrt]);
        if (!("source" in derived)) return [];
        const { diagnostics } = library.compileCore({ name: "derived.ein", text: derived.source });
        return diagnostics
          .filter(({ level }) => level === "error")
          .map(({ code, title }) => `${code} ${title}`);
      });
      expect(mistakes).toEqual([]);
    });
  }
});

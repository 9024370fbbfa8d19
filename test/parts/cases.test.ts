// Every case compiles and runs in parts as in the whole library. Each starts with the core only,
// loads the parts that it asks for, and needs no others except those that run it.

import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import type { Compiled } from "../../src/driver/core.ts";
import { compileCore } from "../../src/driver/core.ts";
import { failed } from "../../src/base/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import { showTensor } from "../../src/scalar/values/show.ts";
import type { Case } from "../cases/case.ts";
import { collectCases } from "../cases/collect.ts";
import { dividedLibrary, type Divided } from "./divided.ts";

let library: Divided;

beforeAll(async () => {
  library = await dividedLibrary();
});

describe("in parts", () => {
  for (const one of collectCases(fileURLToPath(new URL("../cases", import.meta.url)))) {
    test(one.name, { timeout: 60_000 }, async () => {
      const source = { name: `${one.name}.ein`, text: one.text };
      library.forgetParts();
      const compiled = await library.compiledInParts(source);
      await library.loadPart("runs");
      expect(outcome(one, compiled)).toEqual(outcome(one, compileCore(source)));
    });
  }
});

/** The messages, values and prints. */
function outcome(one: Case, { diagnostics, program }: Compiled): unknown {
  const printed: string[] = [];
  const inputs = new Map(
    one.inputs.flatMap(({ name, json }) => {
      const value = fromJson(
        JSON.parse(json),
        program?.inputs.find((input) => input.name === name)?.dtype,
      );
      return failed(value) ? [] : [[name, value]];
    }),
  );
  const get = one.values.map(({ name }) => name);
  const result = program?.run({
    backend: "js",
    inputs,
    get,
    onPrint: ({ text }) => printed.push(text),
  });
  const messages = [...diagnostics, ...(result?.fault ? [result.fault] : [])];
  return {
    messages: messages.map(({ code, title, text, help, labels, span }) => [
      code,
      title,
      text,
      help,
      labels.map((label) => label.text),
      span?.start,
    ]),
    values: [...(result?.values ?? [])].map(
      ([name, { value }]) => `${name} ${value.dtype} ${showTensor(value)}`,
    ),
    printed,
  };
}

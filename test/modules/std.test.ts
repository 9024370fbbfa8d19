// The library: the embedded texts are those of std/, and every module of it checks without a word.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { standardTexts } from "../../src/std.ts";
import { parse } from "../../src/syntax/parser.ts";

const folder = fileURLToPath(new URL("../../std/", import.meta.url));

describe("std", () => {
  test("src/std.ts is up to date (node scripts/embed-std.mjs)", () => {
    const files = readdirSync(folder).sort();
    expect(standardTexts.map(([name]) => `${name}.ein`)).toEqual(files);
    for (const [name, text] of standardTexts) expect(text).toBe(readFileSync(`${folder}${name}.ein`, "utf8"));
  });

  test("every module exports something, and all of it can be used at once", () => {
    for (const [name, text] of standardTexts) {
      const { module, diagnostics } = parse({ name: `std/${name}.ein`, text });
      expect(diagnostics).toEqual([]);
      expect(module.statements.some((statement) => statement.public)).toBe(true);
      expect(compile({ name: "t.ein", text: `use std::${name}::*;` }).diagnostics).toEqual([]);
    }
  });
});

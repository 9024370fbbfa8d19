// The standard library: the embedded texts equal those of std/, and every module compiles without
// messages.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { standardTexts } from "../../src/std/texts.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

const folder = fileURLToPath(new URL("../../std/", import.meta.url));

describe("std", () => {
  test("src/std/texts.ts is up to date (node scripts/embed-std.mjs)", () => {
    const files = readdirSync(folder).sort();
    expect(standardTexts.map(([name]) => `${name}.ein`)).toEqual(files);
    for (const [name, text] of standardTexts)
      expect(text).toBe(readFileSync(`${folder}${name}.ein`, "utf8"));
  });

  test("docs/std.md is up to date (npm run docs:std)", { timeout: 120_000 }, () => {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const fresh = join(mkdtempSync(join(tmpdir(), "ein-std-")), "std.md");
    const { status, stderr } = spawnSync(process.execPath, ["scripts/std-page.mjs", fresh], {
      cwd: root,
    });
    expect(stderr.toString()).toBe("");
    expect(status).toBe(0);
    expect(readFileSync(join(root, "docs/std.md"), "utf8")).toBe(readFileSync(fresh, "utf8"));
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

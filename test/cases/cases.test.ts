// The page of conformance, and the rules for literate cases. `test/suite` runs the cases.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { holds as expectedOf } from "../suite/looks/expected.ts";
import { readCase } from "./case.ts";
import { collectCases } from "./collect.ts";
import { conformancePage } from "./conformance.ts";

const cases = collectCases(fileURLToPath(new URL(".", import.meta.url)));

describe("cases", () => {
  test("docs/conformance.md is up to date (npm run conformance)", () => {
    const committed = readFileSync(
      fileURLToPath(new URL("../../docs/conformance.md", import.meta.url)),
      "utf8",
    );
    expect(committed).toBe(conformancePage(cases));
  });
});

describe("the harness", () => {
  const section = "//# 3 Statements\n";

  test("objects to a wrong value, print or message", () => {
    expect(() => holds(`${section}let x = 2;\n//= x = 3`)).toThrow("expected '2' to be '3'");
    expect(() => holds(`${section}print(1);\n//> 2`)).toThrow();
    expect(() => holds(`${section}print(1);\nprint(2);\n//> 1`)).toThrow();
    expect(() => holds(`${section}let x = 2;\n//! E0111 2:10 semicolon`)).toThrow();
    expect(() => holds(`${section}let x = (2;\n//= x = 2`)).toThrow();
  });

  test("objects to a case that expects nothing or covers no section", () => {
    expect(() => readCase("nothing", `${section}let x = 2;`)).toThrow("expect something");
    expect(() => readCase("nowhere", "let x = 2;\n//= x = 2")).toThrow("section");
    expect(() => readCase("form", `${section}//= x`)).toThrow("form:2");
    expect(() => conformancePage([readCase("strange", "//# 99 Magic\n//> 1")])).toThrow("99 Magic");
  });
});

/** Checks the expectations in the comments of a text. */
function holds(text: string): void {
  const one = readCase("case", text);
  expectedOf(one, compile({ name: "case.ein", text }), new Map());
}

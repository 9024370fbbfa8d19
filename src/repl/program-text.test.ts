import { describe, expect, test } from "vitest";
import { compile } from "../driver/compile.ts";
import { programText } from "./program-text.ts";
import { emptySession, enter, type Session } from "./session.ts";

/** The file that a session saves. It must compile. */
function saved(...texts: readonly string[]): string {
  let session: Session = emptySession;
  texts.forEach((text, k) => {
    const result = enter(session, { name: `<entry ${k}>`, text }, {});
    if (!result.ok) throw new Error(result.diagnostics[0]?.title);
    session = result.session;
  });
  const text = programText(session.entries);
  expect(
    compile({ name: "saved.ein", text }).diagnostics.filter(({ level }) => level === "error"),
  ).toEqual([]);
  return text;
}

describe("the session as a file", () => {
  test("is its entries, comments included", () => {
    expect(
      saved("let a = 1", "// why\nlet b = a + 1; // because", "a + b", "fn f(x) { x }", "f(b)"),
    ).toBe("let a = 1;\n// why\nlet b = a + 1; // because\na + b;\nfn f(x) { x }\nf(b);\n");
  });

  test("plain names may shadow one another", () => {
    expect(saved("let a = 1", "let a = a + 1", "a")).toBe("let a = 1;\nlet a = a + 1;\na;\n");
  });

  test("what was declared anew and is not used is left out", () => {
    expect(saved("fn f(x) { x }", "fn f(x) { x + 1 }", "f(1)")).toBe("fn f(x) { x + 1 }\nf(1);\n");
    expect(saved("let v[i in 0..2] = i", "let v[i in 0..3] = i", "v")).toBe(
      "let v[i in 0..3] = i;\nv;\n",
    );
    expect(saved("input x: [f32; n]", "input x: f32", "let y = x")).toBe(
      "input x: f32;\nlet y = x;\n",
    );
  });

  test("what was declared anew and is used goes by another name", () => {
    expect(
      saved("fn f(x) { x }", 'let a = f(1); print("{f(2)}")', "fn f(x) { x + 1 }", "f(a)"),
    ).toBe('fn f_1(x) { x }\nlet a = f_1(1);\nprint("{f_1(2)}");\nfn f(x) { x + 1 }\nf(a);\n');
  });

  test("what a `use` brings keeps the name that its module has for it", () => {
    const pi = "use std::math::pi;";
    expect(saved(pi, "print(pi)", pi, "pi")).toBe(
      "use std::math::pi as pi_1;\nprint(pi_1);\nuse std::math::pi;\npi;\n",
    );
    expect(
      saved("use std::math::{e as k, pi}", "print(k, pi)", "use std::math::{pi as k}", "k"),
    ).toBe("use std::math::{e as k_1, pi};\nprint(k_1, pi);\nuse std::math::{pi as k};\nk;\n");
    expect(
      saved("mod a { pub fn f() { 1 } }", "use a::f; f()", "mod a { pub fn f() { 2 } }", "a::f()"),
    ).toBe(
      "mod a_1 { pub fn f() { 1 } }\nuse a_1::f;\nf();\nmod a { pub fn f() { 2 } }\na::f();\n",
    );
  });

  test("clauses that came one by one stand together", () => {
    expect(saved("let h[0] = 1.0", "let h[t in 1..3] = h[t - 1] * 2.0", "h")).toBe(
      "let h[0] = 1.0;\nlet h[t in 1..3] = h[t - 1] * 2.0;\nh;\n",
    );
    expect(saved("let h[0] = 1.0", "h", "let h[t in 1..3] = h[t - 1] * 2.0")).toBe(
      "let h_1[0] = 1.0;\nh_1;\nlet h[0] = 1.0;\nlet h[t in 1..3] = h[t - 1] * 2.0;\n",
    );
  });
});

import { expect, test } from "vitest";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { parse } from "./parser.ts";
import { textOf } from "../../base/source.ts";
import { beyondDepth, outOfStack } from "./too-deep.ts";

const moduleOf = (text: string) => parse({ name: "deep", text }).module;

/** The text that a message points at. */
const marked = (diagnostic: Diagnostic | undefined) => diagnostic?.span && textOf(diagnostic.span);

/** `f3` calls `f2`, `f2` calls `f1`, and so on. */
function chainOf(length: number): string {
  const functions = Array.from(
    { length },
    (_, k) => `fn f${k + 1}(a: f32) -> f32 { f${k}(a) + a }`,
  );
  return ["fn f0(a: f32) -> f32 { a }", ...functions, `print(f${length}(1.0));`].join("\n");
}

const sumOf = (terms: number) =>
  `let y = ${Array.from({ length: terms }, (_, k) => `x${k}`).join(" + ")};`;

test("a sum of 1,000 terms and a chain of 1,000 functions are within the limits", () => {
  expect(beyondDepth(moduleOf(sumOf(1000)))).toBeUndefined();
  expect(beyondDepth(moduleOf(chainOf(1000)))).toBeUndefined();
});

test("a sum of 100,000 terms is marked at its innermost term", () => {
  const beyond = beyondDepth(moduleOf(sumOf(100_000)));
  expect(beyond).toMatchObject({ code: "E0115" });
  expect(marked(beyond)).toBe("x0");
});

test("100,000 functions are marked at the innermost call, with the outermost beside it", () => {
  const beyond = beyondDepth(moduleOf(chainOf(100_000)));
  expect(beyond?.title).toBe(
    "this call stands inside 100000 other calls, which is too deep to be compiled",
  );
  expect(marked(beyond)).toBe("f0");
  expect(beyond?.labels?.map(({ span }) => textOf(span))).toEqual(["f100000"]);
});

test("functions that call one another in a circle count once", () => {
  const text =
    "fn f(n: i32) -> i32 { if n > 0 { g(n - 1) } else { 0 } }\nfn g(n: i32) -> i32 { f(n) }\n" +
    "print(f(3));";
  expect(marked(outOfStack(moduleOf(text)))).toBe("g");
  expect(beyondDepth(moduleOf(text + " ".repeat(10_000)))).toBeUndefined();
});

test("where the stack has ended, the innermost place is marked", () => {
  expect(marked(outOfStack(moduleOf("let y = sin(cos(1.0 + 2.0));")))).toBe("1.0");
  expect(marked(outOfStack(moduleOf(chainOf(30))))).toBe("f0");
  expect(outOfStack(moduleOf("")).code).toBe("E0115");
});

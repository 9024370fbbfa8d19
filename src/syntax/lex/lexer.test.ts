// The tokens and comments of a text, and the messages for characters outside of the language.

import { describe, expect, test } from "vitest";
import { lex } from "./lexer.ts";

function lexed(text: string) {
  return lex({ name: "test", text });
}

function kinds(text: string): string {
  return lexed(text)
    .tokens.slice(0, -1)
    .map((token) => (token.kind === "name" || token.kind === "number" ? token.text : token.kind))
    .join(" ");
}

function problems(text: string): string[] {
  return lexed(text).diagnostics.map(
    (one) => `${one.code} ${text.slice(one.span!.start, one.span!.end)} | ${one.help ?? ""}`,
  );
}

describe("numbers", () => {
  test.each([
    ["1..n", "1 .. n"],
    ["0..=9", "0 ..= 9"],
    ["pair.0.1", "pair .0 .1"],
    ["x[.5]", "x [ .5 ]"],
    ["1_000 3.14 1e-5 2E+3, .5", "1_000 3.14 1e-5 2E+3 , .5"],
    ["42i64 1.0f64 1bf16", "42i64 1.0f64 1bf16"],
    ["a.0..n", "a .0 .. n"],
  ])("%s", (text, expected) => {
    expect(kinds(text)).toBe(expected);
    expect(problems(text)).toEqual([]);
  });

  test.each([
    ["1.", "E0103 1. | write `1.0`"],
    ["0x1F", "E0103 0x1F | write `31`"],
    ["0x", "E0103 0x | "],
    ["1e", "E0103 1e | write `1e5`, or `1` alone"],
    ["1e+", "E0103 1e+ | write `1e5`, or `1` alone"],
    ["1_", "E0103 1_ | put `_` between digits, as in `1_000`"],
    ["1.5i32", "E0103 1.5i32 | write `1.5`, or `1.5 as i32` to truncate"],
  ])("%s is malformed", (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  test("an unknown suffix offers the product", () => {
    expect(problems("2x")[0]).toMatch(/^E0103 2x .*`2 \* x`$/);
  });
});

describe("signs and words", () => {
  test("the longest sign wins", () => {
    expect(kinds("a..=b a=>b a>=b a|>b a||b a**b a->b a::b")).toBe(
      "a ..= b a => b a >= b a |> b a || b a ** b a -> b a :: b",
    );
  });

  test("`in` is a kind of its own, other contextual words are names", () => {
    expect(kinds("in input rev checkpoint surrogate allow let")).toBe(
      "in input rev checkpoint surrogate allow let",
    );
    expect(lexed("in").tokens[0]!.kind).toBe("in");
    expect(lexed("input").tokens[0]!.kind).toBe("name");
    expect(lexed("let").tokens[0]!.kind).toBe("let");
  });

  test.each([
    ["a × b", "a * b", "E0101 × | write `*`"],
    ["a ≤ b", "a <= b", "E0101 ≤ | write `<=`"],
    ["a & b", "a && b", "E0101 & | write `&&`"],
    ["a ^ b", "a ** b", "E0101 ^ | write `**`"],
    ["α", "α", "E0101 α | write `alpha`"],
    ["'x'", "string", "E0101 'x' | write `\"x\"`"],
    ["“x”", "string", 'E0101 “x” | write `"x"`'],
    ["a # b", "a", "E0101 # | comments start with `//` and end with the line"],
    ["a /* b */ c", "a c", "E0101 /* | comments start with `//` and end with the line"],
    ["a $$ b", "a b", "E0101 $$ | "],
  ])("%s", (text, tokens, problem) => {
    expect(kinds(text)).toBe(tokens);
    expect(problems(text)).toEqual([problem]);
  });
});

describe("comments", () => {
  test("are collected in order, with their places", () => {
    const text = "// one\nlet /// two\r\nx //";
    const { comments, tokens } = lexed(text);
    expect(comments.map(({ doc, text: said }) => [doc, said])).toEqual([
      [false, " one"],
      [true, " two"],
      [false, ""],
    ]);
    expect(comments.map(({ span }) => text.slice(span.start, span.end))).toEqual([
      "// one",
      "/// two",
      "//",
    ]);
    expect(tokens.map((token) => token.fresh)).toEqual([true, true, true]);
  });
});

describe("strings", () => {
  function parts(text: string) {
    return (lexed(text).tokens[0]!.parts ?? []).map((part) =>
      part.kind === "text"
        ? part.text
        : part.tokens
            .slice(0, -1)
            .map((token) => token.text || token.kind)
            .join(" ") + (part.format ? `:${part.format}` : ""),
    );
  }

  test("interpolations, formats, literal braces and escapes", () => {
    expect(parts('"loss {x:.4f} at {t}"')).toEqual(["loss ", "x:.4f", " at ", "t"]);
    expect(parts('"{{}}"')).toEqual(["{}"]);
    expect(parts('"{f("a{b}")}"')).toEqual(["f ( string )"]);
    expect(parts('"{a::b} {p { x: 1 }}"')).toEqual(["a :: b", " ", "p { x : 1 }"]);
    expect(parts('"\\n\\t\\"\\\\\\u{1F600}"')).toEqual(['\n\t"\\😀']);
  });

  test.each([
    ['"abc', 'E0102 "abc'],
    ['print("abc);', 'E0102 "abc'],
    ['"a\\q"', "E0104 \\q"],
    ['"{x:zz}"', "E0104 zz"],
    ['"a}b"', "E0104 }"],
    ['"{a"', "E0104 {a"],
    ['"a { b" + c', "E0104 { b"],
  ])("%s", (text, expected) => {
    expect(problems(text).map((one) => one.split(" | ")[0])).toEqual([expected]);
  });

  test("an unclosed string leaves the closing signs of its line", () => {
    expect(kinds('print("abc);\nx')).toBe("print ( string ) ; x");
  });

  test("many broken strings of one line are one error and cost linear time", () => {
    const started = performance.now();
    expect(lexed('"{" '.repeat(50_000)).diagnostics.length).toBe(1);
    expect(lexed('"{'.repeat(50_000)).diagnostics.length).toBe(1);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

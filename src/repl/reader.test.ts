import { describe, expect, test } from "vitest";
import { emptyReader, isOpen, readLine, rest } from "./reader.ts";

/** The entries that some lines form, and whether the last one is unfinished. */
function entries(...lines: readonly string[]) {
  let reader = emptyReader;
  const texts: string[] = [];
  for (const line of lines) {
    const read = readLine(reader, line);
    reader = read.reader;
    if (read.text !== undefined) texts.push(read.text);
  }
  return { texts, open: isOpen(reader), rest: rest(reader) };
}

describe("lines", () => {
  test.each([
    ["let a = (1 +", "2)"],
    ["let a =", "1"],
    ["fn f(x) {", "let y = x;", "if y > 0 { y } else { 0 }", "}"],
    ["fn f(x)", "{ x }"],
    ["f(1,", "2)"],
    ["let y[i in 0..3] =", "i"],
    ["x |>", "f"],
    ["[1, 2,", "", "3]"],
    ["match x {", "1 => 2,", "_ => 3", "}"],
    ["fn f() { // a brace } in a comment", "1 }"],
    ["struct P {", "x: f32", "}"],
    ["sum[i](x[i] where", "x[i] > 0)"],
  ])("%s … goes on", (...lines) => {
    expect(entries(...lines.slice(0, -1))).toMatchObject({ texts: [], open: true });
    expect(entries(...lines)).toEqual({ texts: [lines.join("\n")], open: false, rest: undefined });
  });

  test.each([
    "let a = 1",
    "let a = 1;",
    "a b c",
    "let a = )",
    'let a = "open',
    "let a = (1;",
    "1 ? 2",
    "let let x = (",
  ])("%s is whole, right or wrong", (line) => expect(entries(line).texts).toEqual([line]));

  test("empty lines and commands", () => {
    expect(entries("", "  ", ":help", "  :type (1").texts).toEqual([":help", "  :type (1"]);
  });

  test("a block holds statements together", () => {
    expect(entries(":{", "let a = 1", "", ":type a", ":}").texts).toEqual(["let a = 1\n\n:type a"]);
    expect(entries(":{", "let a = 1")).toMatchObject({ texts: [], open: true, rest: "let a = 1" });
  });
});

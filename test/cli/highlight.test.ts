// Colouring of source: every character stays, and each kind of word gets its colour.

import { describe, expect, test } from "vitest";
import { highlight } from "../../src/cli/show/highlight.ts";
import { wantsColour } from "../../src/cli/io.ts";
import { withoutColour } from "../support/colour.ts";

/** The pieces that are coloured, with their colour. */
function pieces(source: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- the escape character is what this looks for
  return [...highlight(source).matchAll(/\u001b\[(\d+)m(.*?)\u001b\[0m/g)].map(
    ([, colour, text]) => `${colour} ${text}`,
  );
}

describe("highlight", () => {
  test("changes nothing but the colours", () => {
    const source =
      'let y[i in 0..n] = sum[k](x[i, k] * 1.5e-3) where i > 2; // "done"\n' +
      'print("a {x:.4f} \\" b", 1_000i64);';
    expect(withoutColour(highlight(source))).toBe(source);
  });

  test("tells the kinds of words apart", () => {
    expect(pieces("let a: f32 = 1.5;")).toEqual(["35 let", "33 f32", "36 1.5"]);
    expect(pieces('print("let"); // let')).toEqual(["34 print", '32 "let"', "90 // let"]);
    expect(pieces("sum[k](x[k])")).toEqual(["34 sum"]);
    expect(pieces("@y / @x")).toEqual(["35 @", "35 @"]);
  });

  test("finds both ends of a range, and no number in a member", () => {
    expect(pieces("[i in 0..32]")).toEqual(["35 in", "36 0", "36 32"]);
    expect(pieces("pair.0 + .5")).toEqual(["36 .5"]);
  });

  test("`in` as the name of a coordinate is no keyword", () => {
    expect(pieces("x[b, in]")).toEqual([]);
    expect(pieces("i in xs")).toEqual(["35 in"]);
  });
});

describe("colour", () => {
  const screen = { isTerminal: true, columns: 80, write: () => undefined };
  const pipe = { ...screen, isTerminal: false };

  test("is for terminals, unless the environment decides", () => {
    expect(wantsColour(screen, {})).toBe(true);
    expect(wantsColour(pipe, {})).toBe(false);
    expect(wantsColour(screen, { NO_COLOR: "1" })).toBe(false);
    expect(wantsColour(screen, { NO_COLOR: "" })).toBe(true);
    expect(wantsColour(pipe, { FORCE_COLOR: "1" })).toBe(true);
    expect(wantsColour(screen, { FORCE_COLOR: "0" })).toBe(false);
    expect(wantsColour(screen, { TERM: "dumb" })).toBe(false);
  });
});

// Properties of the formatter for every program: the tree and the comments survive, and a second
// run changes nothing.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpus } from "../../../test/fuzz/corpus.ts";
import { damagedProgram } from "../../../test/fuzz/parser.ts";
import { everySpot, spots, withComments } from "../../../test/generate/comments.ts";
import { expressions, modules, patterns, types } from "../../../test/generate/syntax.ts";
import type { Module } from "../tree/ast.ts";
import { firstDifference } from "../../../test/support/equal.ts";
import { format, formatExpression, formatPattern, formatType } from "./format.ts";
import { parse } from "../parse/parser.ts";

const parameters = { seed: 20_240_601, numRuns: 300 };

function read(text: string): Module {
  const { module, diagnostics } = parse({ name: "<test>", text });
  expect(
    diagnostics.map((one) => `${one.title} at ${one.span?.start}`),
    text,
  ).toEqual([]);
  return module;
}

function commentsOf(module: Module): string[] {
  return module.comments.map((comment) => (comment.doc ? "///" : "//") + comment.text.trimEnd());
}

/** Formats a module, checks the three properties, and returns the text. */
function checked(module: Module): string {
  const text = format(module);
  const again = read(text);
  expect(firstDifference(module, again), text).toBeUndefined();
  expect(commentsOf(again), text).toEqual(commentsOf(module));
  expect(format(again)).toBe(text);
  return text;
}

describe("generated programs", () => {
  test("keep their tree and are stable", () => {
    fc.assert(
      fc.property(modules, (module) => {
        const text = checked(module);
        expect(text).not.toMatch(/[ \t]$|^\n|\n\n\n|\n\n$/m);
      }),
      parameters,
    );
  });

  test("keep comments at random places", () => {
    fc.assert(
      fc.property(modules, spots, (module, at) => {
        const commented = read(withComments(format(module), at));
        expect(commented.comments.length).toBe(at.length);
        const text = checked(commented);
        expect(firstDifference(module, read(text)), text).toBeUndefined();
      }),
      parameters,
    );
  });

  test("keep expressions, types and patterns on one line", () => {
    fc.assert(
      fc.property(expressions, types, patterns, (e, type, pattern) => {
        const texts = [formatExpression(e), formatType(type), formatPattern(pattern)];
        for (const text of texts) expect(text).not.toContain("\n");
        const [value, of, left] = texts;
        const [statement] = read(`let ${left}: ${of} = { ${value} };`).statements;
        if (statement?.kind !== "let" || statement.value.kind !== "block")
          throw new Error("expected `let` with a block");
        expect(firstDifference(statement.value.value ?? statement.value, e), value).toBeUndefined();
        expect(firstDifference(statement.type!, type), of).toBeUndefined();
        expect(firstDifference(statement.pattern, pattern), left).toBeUndefined();
      }),
      parameters,
    );
  });
});

describe("corpus", () => {
  test.each(corpus.map((text, n) => [n, text] as const))(
    "program %i keeps its tree and is stable",
    (_, text) => {
      checked(read(text));
    },
  );

  test.each(corpus.map((text, n) => [n, text] as const))(
    "program %i keeps a comment at every place",
    (_, text) => {
      const plain = read(text);
      for (const commented of [...everySpot(text, " "), ...everySpot(text, "\n")]) {
        const result = checked(read(commented));
        expect(firstDifference(plain, read(result)), commented).toBeUndefined();
      }
    },
  );

  test("whole, with many comments", () => {
    const text = corpus.join(";\n");
    fc.assert(
      fc.property(fc.array(spots, { minLength: 5, maxLength: 20 }), (many) => {
        checked(read(withComments(text, many.flat())));
      }),
      { ...parameters, numRuns: 20 },
    );
  });
});

test("damaged programs are formatted without a failure", () => {
  for (let seed = 0; seed < 300; seed++) {
    const { module } = parse({ name: "<test>", text: damagedProgram(seed) });
    expect(typeof format(module)).toBe("string");
  }
});

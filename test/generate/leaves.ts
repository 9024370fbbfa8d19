// The leaves of random programs: words, literals, paths, imports, and helpers that combine
// arbitraries.

import fc from "fast-check";
import type * as ast from "../../src/syntax/tree/ast.ts";
import type { Source, Span } from "../../src/base/source.ts";

export const source: Source = { name: "<generated>", text: "" };
export const span: Span = { source, start: 0, end: 0 };

const words = [
  "x",
  "y",
  "t",
  "batch",
  "hidden",
  "W1",
  "_h",
  "weight_of_the_last_layer",
  "Point",
  "Some",
  "in",
];
/** Words with a meaning only at the start of a statement. Elsewhere they are names. */
const contextualWords = ["input", "rev", "checkpoint", "surrogate", "allow", "jagged", "W0203"];

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom(...contextualWords) },
);
export const nameOf = (text: string): ast.Name => ({ text, span });
export const name = word.map(nameOf);
export const typeName = fc.constantFrom("Point", "Shape", "Option", "Tree").map(nameOf);
export const names = (minLength: number, maxLength = 3): fc.Arbitrary<ast.Name[]> =>
  fc.array(name, { minLength, maxLength });

export const path: fc.Arbitrary<ast.Path> = fc
  .oneof({ weight: 5, arbitrary: names(1, 1) }, { weight: 1, arbitrary: names(2) })
  .map((segments) => ({ kind: "path", segments, span }));
export const typePath: fc.Arbitrary<ast.Path> = fc
  .tuple(fc.array(name, { maxLength: 1 }), typeName)
  .map(([front, last]) => ({ kind: "path", segments: [...front, last], span }));

export const integer: fc.Arbitrary<ast.NumberLiteral> = fc
  .tuple(
    fc.constantFrom("0", "1", "42", "1_000", "007"),
    fc.option(fc.constantFrom("i8", "i32", "i64", "f32", "bf16"), { nil: undefined, freq: 5 }),
  )
  .map(([text, suffix]) => number(text, suffix));
const decimal: fc.Arbitrary<ast.NumberLiteral> = fc
  .tuple(
    fc.constantFrom("3.14", "1e-5", ".5", "2.5E+3", "1_0.0_1"),
    fc.option(fc.constantFrom("f16", "f32", "f64"), { nil: undefined, freq: 5 }),
  )
  .map(([text, suffix]) => number(text, suffix));

function number(text: string, suffix: ast.Suffix | undefined): ast.NumberLiteral {
  const float = /[.eE]/.test(text) || (suffix?.includes("f") ?? false);
  return { kind: "number", text, float, ...optional({ suffix }), span };
}

export const numberLiteral = fc.oneof(integer, decimal);
export const boolLiteral: fc.Arbitrary<ast.BoolLiteral> = fc
  .boolean()
  .map((value) => ({ kind: "bool", value, span }));
export const stringText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8, unit: "binary" }),
  fc.constantFrom(
    "loss ",
    "{",
    "}",
    "{{}}",
    '"quoted"',
    "a\\b",
    "line\nbreak\t\0\r",
    "// no comment",
    "é☃😀",
  ),
);
export const plainString: fc.Arbitrary<ast.StringLiteral> = fc
  .array(stringText, { maxLength: 1 })
  .map((texts) => ({
    kind: "string",
    parts: texts.map((text) => ({ kind: "text", text, span })),
    span,
  }));

/** Removes absent parts, as the parser does. */
export function optional<T extends object>(parts: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

export function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

export function some<T>(
  arbitrary: fc.Arbitrary<T>,
  minLength: number,
  maxLength = 3,
): fc.Arbitrary<T[]> {
  return fc.array(arbitrary, { minLength, maxLength });
}

/** `use` trees with groups of at most this depth. */
export function useTree(levels: number): fc.Arbitrary<ast.UseTree> {
  const leaves: fc.Arbitrary<ast.UseTree>[] = [
    fc.record({ path: names(1), as: maybe(name) }).map(({ path: of, as }): ast.UseTree => ({
      kind: "name",
      path: of,
      ...optional({ as }),
      span,
    })),
    names(1).map((of): ast.UseTree => ({ kind: "all", path: of, span })),
  ];
  if (levels === 0) return fc.oneof(...leaves);
  const group = fc
    .tuple(names(1), some(useTree(levels - 1), 1, 4))
    .map(([of, members]): ast.UseTree => ({ kind: "group", path: of, members, span }));
  return fc.oneof(...leaves, group);
}

export const binaryOperators: readonly ast.BinaryOperator[] =
  "|> || && == != < <= > >= in + - * / % **".split(" ") as ast.BinaryOperator[];

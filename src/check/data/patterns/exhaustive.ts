// Whether the arms of a `match` cover every value. A matrix of patterns is taken apart column by
// column and constructor by constructor (Maranget, "Warnings for pattern matching", 2007). The
// answer is a pattern that is not covered.

import type * as ast from "../../../syntax/tree/ast.ts";
import type { IntegerType } from "../../../scalar/types.ts";
import type { EnumBinding, StructBinding, VariantOf } from "../data.ts";
import { integerCases, textCases } from "./scalar-cases.ts";
import { type Cell, wild, type Case } from "./cases.ts";

/** The meaning of the paths in the patterns. */
export interface Constructors {
  readonly variant: (pattern: ast.Pattern) => VariantOf | undefined;
  readonly struct: (pattern: ast.Pattern) => StructBinding | undefined;
  /** The length of the arrays that an array pattern is matched with, if it is known. */
  readonly length: (pattern: ast.Pattern) => number | undefined;
  /** The type of the integers that a literal or range is matched with. */
  readonly integer: (pattern: ast.Pattern) => IntegerType | undefined;
}

type Row = readonly Cell[];

/** A pattern that none of the given patterns covers. Undefined if they cover everything. */
export function uncovered(
  patterns: readonly ast.Pattern[],
  constructors: Constructors,
): string | undefined {
  return findMissing(
    patterns.map((pattern) => [pattern]),
    1,
    constructors,
  )?.[0];
}

function findMissing(
  given: readonly Row[],
  width: number,
  constructors: Constructors,
): readonly string[] | undefined {
  if (width === 0) return given.length > 0 ? undefined : [];
  const rows = given.flatMap(expand);
  const heads = rows.flatMap(([head]) => (head === wild || !head ? [] : [head]));
  const known = casesOf(heads, constructors);
  const seen = new Set<string>();
  for (const candidate of known ?? []) {
    const inside = inCase(rows, candidate);
    // Two constants that are matched by the same rows leave the same rest.
    const key = candidate.arity === 0 ? inside.map(({ at }) => at).join() : undefined;
    if (key !== undefined && seen.has(key)) continue;
    if (key !== undefined) seen.add(key);
    const rest = inside.map(({ row }) => row);
    const found = findMissing(rest, candidate.arity + width - 1, constructors);
    if (found)
      return [candidate.show(found.slice(0, candidate.arity)), ...found.slice(candidate.arity)];
  }
  if (known) return undefined;
  // Floats cannot be listed completely.
  const found = findMissing(withoutHead(rows), width - 1, constructors);
  return found && ["_", ...found];
}

/** The rows that match a case, taken apart, with their positions. */
function inCase(
  rows: readonly Row[],
  one: Case,
): readonly { readonly row: Row; readonly at: number }[] {
  return rows.flatMap((row, at) => {
    const parts = one.partsOf(row[0]!);
    return parts ? [{ row: [...parts, ...row.slice(1)], at }] : [];
  });
}

/** The rows that match any value in the first column, without that column. */
function withoutHead(rows: readonly Row[]): readonly Row[] {
  return rows.filter(([head]) => head === wild).map((row) => row.slice(1));
}

/** Whether a pattern matches a value that no earlier pattern matches. */
export function isReached(
  pattern: ast.Pattern,
  before: readonly ast.Pattern[],
  constructors: Constructors,
): boolean {
  return reachesRow(
    [pattern],
    before.map((each) => [each]),
    constructors,
  );
}

function reachesRow(row: Row, before: readonly Row[], constructors: Constructors): boolean {
  if (row.length === 0) return before.length === 0;
  const rows = before.flatMap(expand);
  return expand(row).some((own) => {
    const heads = [own, ...rows].flatMap(([head]) => (head === wild || !head ? [] : [head]));
    const known = casesOf(heads, constructors);
    if (!known) return reachesRow(own.slice(1), withoutHead(rows), constructors);
    return known.some((single) => {
      const [inside] = inCase([own], single);
      const others = inCase(rows, single).map((each) => each.row);
      return inside !== undefined && reachesRow(inside.row, others, constructors);
    });
  });
}

/** Alternatives become rows of their own. Names match every value. */
function expand(row: Row): readonly Row[] {
  const [head, ...tail] = row;
  if (head === undefined || head === wild) return [row];
  switch (head.kind) {
    case "wildcard":
    case "name":
    case "missing":
      return [[wild, ...tail]];
    case "at":
      return expand([head.pattern, ...tail]);
    case "or":
      return head.alternatives.flatMap((alternative) => expand([alternative, ...tail]));
    default:
      return [row];
  }
}

/**
 * All cases of the type that a column of patterns is about. Undefined if there are infinitely many.
 */
function casesOf(
  heads: readonly ast.Pattern[],
  constructors: Constructors,
): readonly Case[] | undefined {
  const [first] = heads;
  if (!first) return undefined;
  switch (first.kind) {
    case "tuple":
      return [tupleCase(first.members.length)];
    case "struct": {
      const of = constructors.struct(first);
      return of && [structCase(of)];
    }
    case "variant": {
      const found = constructors.variant(first);
      return (
        found &&
        found.of.declaration.variants.map((_, index) => variantCase(found.of, index, constructors))
      );
    }
    case "literal":
      if (first.value.kind === "bool") return [boolCase(true), boolCase(false)];
      return first.value.kind === "string" ? textCases(heads) : integersOf(heads, constructors);
    case "range":
      return integersOf(heads, constructors);
    case "array":
      return arrayCases(heads, constructors.length(first));
    default:
      return undefined;
  }
}

/**
 * The cases of integers. If no value has been matched, the smallest type is taken, so that the
 * patterns are as complete as they can be.
 */
function integersOf(
  heads: readonly ast.Pattern[],
  { integer }: Constructors,
): readonly Case[] | undefined {
  return integerCases(heads, heads.map(integer).find((type) => type !== undefined) ?? "i8");
}

function anything(count: number): readonly Cell[] {
  return Array.from({ length: count }, () => wild);
}

function tupleCase(arity: number): Case {
  return {
    arity,
    partsOf: (cell) => (cell === wild || cell.kind !== "tuple" ? anything(arity) : cell.members),
    show: (parts) => `(${parts.join(", ")})`,
  };
}

function boolCase(value: boolean): Case {
  const isOther = (cell: ast.Pattern): boolean =>
    cell.kind === "literal" && cell.value.kind === "bool" && cell.value.value !== value;
  return {
    arity: 0,
    partsOf: (cell) => (cell !== wild && isOther(cell) ? undefined : []),
    show: () => String(value),
  };
}

function structCase({ name, declaration: { fields } }: StructBinding): Case {
  return {
    arity: fields.length,
    partsOf: (cell) =>
      cell === wild || cell.kind !== "struct"
        ? anything(fields.length)
        : fields.map(
            (field) =>
              cell.fields.find((own) => own.name.text === field.name.text)?.pattern ?? wild,
          ),
    show: (parts) =>
      `${name} { ${parts.map((part, k) => `${fields[k]!.name.text}: ${part}`).join(", ")} }`,
  };
}

function variantCase(of: EnumBinding, index: number, constructors: Constructors): Case {
  const { name, fields } = of.declaration.variants[index]!;
  return {
    arity: fields.length,
    partsOf: (cell) => {
      if (cell === wild || cell.kind !== "variant") return anything(fields.length);
      if (constructors.variant(cell)?.index !== index) return undefined;
      return fields.map((field, k) => fieldPattern(cell.fields, field.name?.text, k) ?? wild);
    },
    show: (parts) => `${of.name}::${name.text}${parts.length > 0 ? `(${parts.join(", ")})` : ""}`,
  };
}

/**
 * The pattern for a field of a variant: by the name of the field, or by its position among the
 * patterns without names.
 */
export function fieldPattern(
  fields: readonly { readonly name?: ast.Name; readonly pattern: ast.Pattern }[],
  name: string | undefined,
  k: number,
): ast.Pattern | undefined {
  const named = name === undefined ? undefined : fields.find((field) => field.name?.text === name);
  return (named ?? fields.filter((field) => !field.name)[k])?.pattern;
}

type ArrayPattern = Extract<ast.Pattern, { kind: "array" }>;

/**
 * The cases of arrays, by length. The last case stands for all longer arrays, because no pattern
 * looks at their other elements.
 */
function arrayCases(heads: readonly ast.Pattern[], length: number | undefined): readonly Case[] {
  const lengths = heads.map((head) =>
    head.kind === "array" ? head.before.length + head.after.length : 0,
  );
  const longest = Math.max(...lengths) + 1;
  if (length !== undefined) return [arrayCase(Math.min(length, longest), length > longest)];
  return Array.from({ length: longest + 1 }, (_, k) => arrayCase(k, k === longest));
}

function arrayCase(length: number, orMore: boolean): Case {
  return {
    arity: length,
    partsOf: (cell) => {
      if (cell === wild || cell.kind !== "array") return anything(length);
      return partsOfArray(cell, length);
    },
    show: (parts) => (orMore ? `[${[...parts, ".."].join(", ")}]` : `[${parts.join(", ")}]`),
  };
}

function partsOfArray(
  { before, rest, after }: ArrayPattern,
  length: number,
): readonly Cell[] | undefined {
  const between = length - before.length - after.length;
  if (rest ? between < 0 : between !== 0) return undefined;
  return [...before, ...anything(between), ...after];
}

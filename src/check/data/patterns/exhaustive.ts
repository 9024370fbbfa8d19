// Whether the arms of a `match` cover every value, by the patterns alone: a matrix of patterns is
// taken apart column by column, constructor by constructor (Maranget, "Warnings for pattern
// matching", 2007). What is not covered comes back as the pattern that would cover it.

import type * as ast from "../../../syntax/tree/ast.ts";
import type { IntegerType } from "../../../scalar/types.ts";
import type { EnumBinding, StructBinding, VariantOf } from "../data.ts";
import { integerCases, textCases } from "./scalar-cases.ts";
import { type Cell, wild, type Case } from "./cases.ts";

/** What the paths in the patterns stand for. */
export interface Constructors {
  readonly variant: (pattern: ast.Pattern) => VariantOf | undefined;
  readonly struct: (pattern: ast.Pattern) => StructBinding | undefined;
  /** The length of every array that an array pattern meets, where it is known. */
  readonly length: (pattern: ast.Pattern) => number | undefined;
  /** The type of the integers that a literal or a range meets. */
  readonly integer: (pattern: ast.Pattern) => IntegerType | undefined;
}

type Row = readonly Cell[];

/** A pattern that none of these matches; nothing when they match everything. */
export function uncovered(
  patterns: readonly ast.Pattern[],
  constructors: Constructors,
): string | undefined {
  return missing(
    patterns.map((pattern) => [pattern]),
    1,
    constructors,
  )?.[0];
}

function missing(
  given: readonly Row[],
  width: number,
  constructors: Constructors,
): readonly string[] | undefined {
  if (width === 0) return given.length > 0 ? undefined : [];
  const rows = given.flatMap(expand);
  const heads = rows.flatMap(([head]) => (head === wild || !head ? [] : [head]));
  const known = casesOf(heads, constructors);
  const seen = new Set<string>();
  for (const one of known ?? []) {
    const inside = inCase(rows, one);
    // Two numbers that the same rows match have the same rest.
    const key = one.arity === 0 ? inside.map(({ at }) => at).join() : undefined;
    if (key !== undefined && seen.has(key)) continue;
    if (key !== undefined) seen.add(key);
    const rest = inside.map(({ row }) => row);
    const found = missing(rest, one.arity + width - 1, constructors);
    if (found) return [one.show(found.slice(0, one.arity)), ...found.slice(one.arity)];
  }
  if (known) return undefined;
  // Floats are never all listed.
  const found = missing(withoutHead(rows), width - 1, constructors);
  return found && ["_", ...found];
}

/** The rows that match one case, taken apart, and which they are. */
function inCase(
  rows: readonly Row[],
  one: Case,
): readonly { readonly row: Row; readonly at: number }[] {
  return rows.flatMap((row, at) => {
    const parts = one.partsOf(row[0]!);
    return parts ? [{ row: [...parts, ...row.slice(1)], at }] : [];
  });
}

/** The rows that match whatever the first column has. */
function withoutHead(rows: readonly Row[]): readonly Row[] {
  return rows.filter(([head]) => head === wild).map((row) => row.slice(1));
}

/** Whether a pattern matches something that none of those before it matches. */
export function isReached(
  pattern: ast.Pattern,
  before: readonly ast.Pattern[],
  constructors: Constructors,
): boolean {
  return reaches(
    [pattern],
    before.map((each) => [each]),
    constructors,
  );
}

function reaches(row: Row, before: readonly Row[], constructors: Constructors): boolean {
  if (row.length === 0) return before.length === 0;
  const rows = before.flatMap(expand);
  return expand(row).some((own) => {
    const heads = [own, ...rows].flatMap(([head]) => (head === wild || !head ? [] : [head]));
    const known = casesOf(heads, constructors);
    if (!known) return reaches(own.slice(1), withoutHead(rows), constructors);
    return known.some((one) => {
      const [inside] = inCase([own], one);
      const others = inCase(rows, one).map((each) => each.row);
      return inside !== undefined && reaches(inside.row, others, constructors);
    });
  });
}

/** Alternatives become rows of their own; names match everything. */
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
 * Every case of the type that a column's patterns are about; nothing where there is no end of them.
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
 * Where no value has been laid under the patterns, they are taken for as complete as they can be.
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

/** The pattern for one field of a variant: by its name, or by its place among those without one. */
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
 * Arrays by their length; the last case stands for every longer one too, whose other elements no
 * pattern looks at.
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

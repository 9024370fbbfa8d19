// The cases of integers and texts in a `match`. Integers fall into the intervals between the
// patterns. Texts fall into the listed texts and one text for all others.
//
//   0 => …, 5..=9 => …      0,  1..=4,  5..=9,  10 and above,  below 0

import type * as ast from "../../../syntax/tree/ast.ts";
import { integerBounds, type IntegerType } from "../../../scalar/types.ts";
import type { Case, Cell } from "./cases.ts";

interface Interval {
  readonly low: bigint;
  readonly high: bigint;
}

/**
 * Disjoint intervals that together are all integers of the type. Undefined if a pattern is no
 * integer.
 */
export function integerCases(
  heads: readonly ast.Pattern[],
  type: IntegerType,
): readonly Case[] | undefined {
  const given = heads.map(intervalOf);
  if (given.some((each) => each === undefined)) return undefined;
  const { least, greatest } = integerBounds[type];
  const all: Interval = { low: BigInt(least), high: BigInt(greatest) };
  const edges = (given as readonly Interval[]).flatMap(({ low, high }) => [low, high + 1n]);
  const cuts = [...new Set([all.low, ...edges, all.high + 1n])].filter(
    (cut) => cut >= all.low && cut <= all.high + 1n,
  );
  cuts.sort((a, b) => (a < b ? -1 : 1));
  const pieces = cuts.slice(0, -1).map((low, k): Interval => ({ low, high: cuts[k + 1]! - 1n }));
  // Small natural numbers come first, because people think of 2 before they think of -2147483648.
  const [negative, natural] = [
    pieces.filter(({ high }) => high < 0n),
    pieces.filter(({ high }) => high >= 0n),
  ];
  return [...natural, ...negative].map((piece) => ({
    arity: 0,
    partsOf: (cell) => (matchesInterval(piece, cell) ? [] : undefined),
    show: () => showInterval(piece, all),
  }));
}

function matchesInterval({ low, high }: Interval, cell: Cell): boolean {
  const around = typeof cell === "symbol" ? undefined : intervalOf(cell);
  return (
    typeof cell === "symbol" || (around !== undefined && around.low <= low && high <= around.high)
  );
}

/**
 * The text of an interval. An interval up to the end of a wide type is shown as one number: 0, or
 * the number next to the patterns.
 */
function showInterval({ low, high }: Interval, all: Interval): string {
  if (low === high) return String(low);
  const isOpen = all.high > 127n && (low === all.low || high === all.high);
  if (!isOpen) return `${low}..=${high}`;
  if (low <= 0n && high >= 0n) return "0";
  return String(high === all.high ? low : high);
}

/** The integers that a pattern matches. */
function intervalOf(pattern: ast.Pattern): Interval | undefined {
  if (pattern.kind === "literal") {
    const value = integerOf(pattern.value);
    return value === undefined ? undefined : { low: value, high: value };
  }
  if (pattern.kind !== "range") return undefined;
  const [low, high] = [integerOf(pattern.from), integerOf(pattern.to)];
  if (low === undefined || high === undefined) return undefined;
  return { low, high: pattern.inclusive ? high : high - 1n };
}

function integerOf(e: ast.Expression): bigint | undefined {
  if (e.kind === "unary" && e.operator === "-") {
    const value = integerOf(e.operand);
    return value === undefined ? undefined : -value;
  }
  return e.kind === "number" && !e.float ? BigInt(e.text.replaceAll("_", "")) : undefined;
}

/**
 * Each listed text, and an unlisted text for all others. Undefined if a pattern is no plain text.
 */
export function textCases(heads: readonly ast.Pattern[]): readonly Case[] | undefined {
  const given = heads.map(textOfPattern);
  if (given.some((text) => text === undefined)) return undefined;
  const listed = [...new Set(given as readonly string[])];
  return [...listed, unlisted(listed)].map((text) => ({
    arity: 0,
    partsOf: (cell) => (typeof cell === "symbol" || textOfPattern(cell) === text ? [] : undefined),
    show: () => `"${text}"`,
  }));
}

function textOfPattern(pattern: ast.Pattern): string | undefined {
  if (pattern.kind !== "literal" || pattern.value.kind !== "string") return undefined;
  const parts = pattern.value.parts.map((part) => (part.kind === "text" ? part.text : undefined));
  return parts.some((part) => part === undefined) ? undefined : parts.join("");
}

function unlisted(listed: readonly string[]): string {
  const letters = ["", ..."abcdefghijklmnopqrstuvwxyz"];
  const free = letters.find((letter) => !listed.includes(letter));
  return free ?? "a".repeat(Math.max(...listed.map((text) => text.length)) + 1);
}

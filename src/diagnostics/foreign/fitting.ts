// Checks whether the right side of a row fits the ranks of the user's operands, and writes a choice
// cell by cell.

import { filledIn } from "./written.ts";

type RankOf = (text: string) => number | undefined;

/**
 * Whether every operand has as many axes as the right side reads. `x[i]` fits every rank, because
 * it is read along all axes. `x[2 * i]` and the cells of a comprehension fit only the rank that
 * they show.
 */
export function readsFit(
  way: string,
  given: ReadonlyMap<string, string>,
  rank: RankOf | undefined,
): boolean {
  return [...given].every(([name, own]) => {
    const axes = rank?.(own);
    if (axes === undefined) return true;
    const isOrdered = new RegExp(`std::array::(?:arg)?sort\\(${name}\\)`).test(way);
    if (isOrdered && axes > 1) return false;
    return indicesOf(name, way).every(
      (indices) =>
        indices.length === axes || (!way.startsWith("[") && /^[a-z]$/.test(indices.join(","))),
    );
  });
}

/** The indices of every read of a name. */
function indicesOf(name: string, way: string): readonly (readonly string[])[] {
  return [...way.matchAll(new RegExp(`\\b${name}\\[`, "g"))].map(({ index, 0: { length } }) => {
    const parts = [""];
    let depth = 0;
    for (const sign of way.slice(index + length)) {
      if ("([".includes(sign)) depth++;
      if (")]".includes(sign) && --depth < 0) break;
      if (sign === "," && depth === 0) parts.push("");
      else parts[parts.length - 1] += sign;
    }
    return parts;
  });
}

/**
 * The declaration for a choice between the numbers of each cell: `let r[i] = if x[i] > 0.5 { x[i] }
 * else { 0.0 };`.
 */
export function cellByCell(
  way: string,
  given: ReadonlyMap<string, string>,
  text: string,
  rank: RankOf | undefined,
): string | undefined {
  if (!way.startsWith("if ")) return undefined;
  const ranks = [...given.values()].map((own) => (/^\w+$/.test(own) ? (rank?.(own) ?? 0) : 0));
  const axes = Math.max(...ranks);
  if (axes === 0 || ranks.some((each) => each !== 0 && each !== axes)) return undefined;
  const words = new Set([...given.values()].join(" ").match(/\w+/g));
  const names = [..."ijklpq"].filter((name) => !words.has(name)).slice(0, axes);
  const everywhere = new Set(text.match(/\w+/g));
  const result = [..."rzuq"].find((name) => !everywhere.has(name)) ?? "r";
  const all = `[${names.join(", ")}]`;
  const cells = [...given].map(
    ([name, own], k) => [name, ranks[k] === 0 ? own : `${own}${all}`] as const,
  );
  return `let ${result}${all} = ${filledIn(way, new Map(cells), text)};`;
}

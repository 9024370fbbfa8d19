// `for … in …` behind an expression or in front of a coordinate, as Python writes it: what is
// written here, and the edit.
//
//   [i * i for i in range(n)]             [i * i | i in 0..n]
//   sum(v * v for v in x if v > 0.0)      sum[i](x[i] * x[i] where x[i] > 0.0)
//   let y[for i in range(n)] = …          let y[i in 0..n] = …

import type { Edit } from "../../../diagnostics/diagnostic.ts";
import type { Advice } from "../../../diagnostics/foreign/advice.ts";
import { argumentsIn, pythonRange } from "../../../diagnostics/foreign/python-range.ts";
import { fix, replace } from "../../../diagnostics/fixes.ts";
import type { Brackets } from "../brackets.ts";
import { ownSigns } from "./python-functions.ts";
import { span, type Source } from "../../../base/source.ts";
import type { Token } from "../../lex/tokens.ts";

interface Standing {
  readonly source: Source;
  readonly tokens: readonly Token[];
  readonly at: number;
  readonly brackets: Brackets;
}

/** One `for` with the names that it gives. */
interface Walk {
  readonly coordinate: string;
  /** `0..n`; nothing where all of a tensor is walked. */
  readonly range?: string;
  /** What is walked in a comprehension: a range or a value. */
  readonly source: string;
  /** The name of a cell, and how it is read at the coordinate. */
  readonly cells: readonly (readonly [name: string, read: string])[];
  readonly conditions: readonly string[];
}

/** Whether `for i in …` or `for i, v in …` begins at a token. */
export function atForClause({ tokens, at }: Pick<Standing, "tokens" | "at">): boolean {
  const [word, name, next] = tokens.slice(at, at + 3);
  if (word?.kind !== "name" || word.text !== "for") return false;
  return (
    name?.kind === "(" || (name?.kind === "name" && (next?.kind === "in" || next?.kind === ","))
  );
}

/** For a `for` behind an expression that is alone in its bracket. */
export function forAdvice(p: Standing): Advice {
  const { source, tokens, at, brackets } = p;
  const general: Advice = { help: "write a comprehension `[e | i in 0..n]`" };
  const opener = brackets.parent[at]!;
  const close = brackets.partner[opener] ?? -1;
  const before = tokens[opener - 1];
  // Behind a name the bracket holds coordinates.
  if (tokens[opener]?.kind === "[" && before?.kind === "name") return forItemAdvice(p);
  const walks = walksFrom(p, close);
  if (!walks || close < 0) return general;
  const element = source.text.slice(tokens[opener]!.end, tokens[at]!.start).trim();
  const called = before?.kind === "name" ? before.text : "";
  if (tokens[opener]!.kind === "[") {
    const text = comprehension(element, walks);
    return inPlaceOf(text, replace(span(source, tokens[opener]!.start, tokens[close]!.end), text));
  }
  const array = comprehension(element, walks);
  const whole = span(source, before?.start ?? 0, tokens[close]!.end);
  if (/^(?:sum|prod|max|min|mean|any|all)$/.test(called)) {
    const text = reduction(called, element, walks);
    if (text !== undefined) return inPlaceOf(text, replace(whole, text));
  }
  if (/^(?:list|tuple|set)$/.test(called)) return inPlaceOf(array, replace(whole, array));
  return inPlaceOf(array, replace(span(source, tokens[opener]!.end, tokens[close]!.start), array));
}

/** For a `for` beside a coordinate: `y[for i in range(n)]`, `y[i for i in range(n)]`. */
export function forItemAdvice(p: Standing): Advice {
  const { source, tokens, at, brackets } = p;
  const close = brackets.partner[brackets.parent[at]!] ?? -1;
  const comma = tokens.findIndex(
    ({ kind }, k) => k > at && kind === "," && brackets.parent[k] === brackets.parent[at],
  );
  const end = comma >= 0 && (close < 0 || comma < close) ? comma : close;
  const [walk, ...others] = (end >= 0 && walksFrom(p, end)) || [];
  const item = walk && others.length === 0 ? asItem(walk) : undefined;
  if (item === undefined) return { help: "leave `for` out: `i in 0..n`" };
  const before = tokens[at - 1]!;
  const from = before.text === walk!.coordinate ? before : tokens[at]!;
  const help = before === from ? `write \`${item}\`` : `leave \`for\` out: \`${item}\``;
  const place = span(source, from.start, tokens[end - 1]!.end);
  return { help, fixes: [fix(`write \`${item}\``, replace(place, item))] };
}

function inPlaceOf(text: string, edit: Edit): Advice {
  const way = text.length > 120 || text.includes("\n") ? undefined : `write \`${text}\``;
  return {
    help: way ?? "write a comprehension `[e | i in 0..n]`",
    fixes: [fix(way ?? "write a comprehension", edit)],
  };
}

/** `i in 0..n`, where nothing else has to be said. */
function asItem({ coordinate, range, cells, conditions }: Walk): string | undefined {
  return range === undefined || cells.length > 0 || conditions.length > 0
    ? undefined
    : `${coordinate} in ${range}`;
}

function comprehension(element: string, walks: readonly Walk[]): string {
  const clauses = walks.flatMap(({ coordinate, source, cells, conditions }) => [
    `${coordinate} in ${source}`,
    ...cells.map(([name, read]) => `${name} = ${read}`),
    ...conditions,
  ]);
  return `[${element} | ${clauses.join(", ")}]`;
}

/** `sum[i in 0..n](… where …)`; cells are read at the coordinate. */
function reduction(name: string, element: string, walks: readonly Walk[]): string | undefined {
  const taken = walks.map((walk) => asReduced(walk, element));
  if (taken.includes(undefined)) return undefined;
  const all = taken as readonly Walk[];
  const inCells = (text: string): string =>
    all.reduce((now, { cells }) => cells.reduce(withCell, now), text);
  const bracket = all.map(({ coordinate, range }) =>
    range === undefined ? coordinate : `${coordinate} in ${range}`,
  );
  const conditions = all.flatMap((walk) => walk.conditions.map(inCells));
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(", ")}`;
  return `${name}[${bracket.join(", ")}](${inCells(element)}${where})`;
}

function withCell(text: string, [name, read]: readonly [string, string]): string {
  return text.replaceAll(new RegExp(`(?<![\\w.])${name}\\b`, "g"), read);
}

/** A walk along the cells of a named tensor has a coordinate in a reduction. */
function asReduced(walk: Walk, element: string): Walk | undefined {
  if (walk.range !== undefined) return walk;
  if (!/^\w+$/.test(walk.source)) return undefined;
  const [coordinate] = freeNames(`${element} ${walk.source} ${walk.conditions.join(" ")}`);
  if (coordinate === undefined) return undefined;
  return { ...walk, coordinate, cells: [[walk.coordinate, `${walk.source}[${coordinate}]`]] };
}

/** The clauses from a `for` to the token at which they end; nothing where one is not understood. */
function walksFrom({ source, tokens, at, brackets }: Standing, end: number): Walk[] | undefined {
  const level = brackets.parent[at]!;
  const starts: number[] = [];
  for (let k = at; k < end; k++) {
    const { kind, text } = tokens[k]!;
    if (brackets.parent[k] === level && (kind === "if" || (kind === "name" && text === "for")))
      starts.push(k);
  }
  const walks: Walk[] = [];
  const text = (from: number, to: number): string =>
    source.text.slice(tokens[from]!.start, tokens[to - 1]!.end);
  const around = source.text.slice(
    tokens[Math.max(level, 0)]!.start,
    tokens[Math.max(end, 0)]!.end,
  );
  for (const [n, start] of starts.entries()) {
    const stop = starts[n + 1] ?? end;
    if (stop <= start + 1) return undefined;
    if (tokens[start]!.kind === "if") {
      const last = walks.pop();
      if (!last) return undefined;
      walks.push({ ...last, conditions: [...last.conditions, ownSigns(text(start + 1, stop))] });
      continue;
    }
    const marks = tokens.slice(start, stop).findIndex((each) => each.kind === "in");
    if (marks < 2 || start + marks + 1 >= stop) return undefined;
    const pattern = text(start + 1, start + marks).replace(/^\((.*)\)$/s, "$1");
    const names = argumentsIn(pattern);
    if (!names.every((name) => /^\w+$/.test(name))) return undefined;
    const walk = walkedBy(names, text(start + marks + 1, stop), around);
    if (!walk) return undefined;
    walks.push(walk);
  }
  return walks.length > 0 ? walks : undefined;
}

function walkedBy(names: readonly string[], value: string, around: string): Walk | undefined {
  const [name = ""] = names;
  const [, called, inside = ""] = /^((?:\w+\.)?\w+)\s*\((.*)\)$/s.exec(value) ?? [];
  const given = argumentsIn(inside);
  const base = { cells: [], conditions: [] };
  if (/^(?:range|xrange|np\.arange)$/.test(called ?? "")) {
    const range = names.length === 1 ? pythonRange(given) : undefined;
    if (!range) return undefined;
    const { text, condition } = range;
    const conditions = condition ? [condition(name)] : [];
    return { ...base, coordinate: name, range: text, source: text, conditions };
  }
  if (called === "enumerate" && given.length === 1 && names.length === 2)
    return overCells(name, [names[1]!], given);
  if (called === "zip" && given.length === names.length) {
    const [coordinate] = freeNames(around);
    return coordinate === undefined ? undefined : overCells(coordinate, names, given);
  }
  if (names.length === 1 && /^\w+(?:\.\.\w+)?$/.test(value) && value.includes(".."))
    return { ...base, coordinate: name, range: value, source: value };
  return {
    ...base,
    coordinate: names.length === 1 ? name : `(${names.join(", ")})`,
    source: value,
  };
}

/** Tensors that are read at one coordinate. */
function overCells(
  coordinate: string,
  names: readonly string[],
  tensors: readonly string[],
): Walk | undefined {
  if (!tensors.every((tensor) => /^\w+$/.test(tensor))) return undefined;
  const range = `0..len(${tensors[0]!})`;
  const cells = names.map((name, k) => [name, `${tensors[k]!}[${coordinate}]`] as const);
  return { coordinate, range, source: range, cells, conditions: [] };
}

function freeNames(text: string): readonly string[] {
  const words = new Set(text.match(/\w+/g));
  return [..."ikjlmn"].filter((name) => !words.has(name));
}

// This folder says how forms of other languages are written in Einlang; where such forms occur is
// found by the parser and the checker.
//
// An advice is a help, and a fix where the edit is exact.

import type { Fix } from "../diagnostic.ts";
import type { Span } from "../../base/source.ts";
import { matched, patternOf, type Operand, type Pattern } from "./pattern.ts";
import { functions, libraries, members, modules, notations, statements, values } from "./table.ts";
import type { Row } from "./row.ts";
import { cellByCell, readsFit } from "./fitting.ts";
import { placed, filledIn } from "./written.ts";

export interface Advice {
  readonly help: string;
  /** Whether the operands fit the row. */
  readonly fits?: boolean;
  readonly fixes?: readonly Fix[];
}

/** One use of a foreign form. */
export interface Occurrence {
  /** The text that a fix replaces. */
  readonly span: Span;
  /** The expression before the dot of a method, and the arguments. */
  readonly operands: readonly Operand[];
  /** The rank of an operand, if it is known. */
  readonly rank?: (text: string) => number | undefined;
}

const byName = (
  rows: readonly Row[],
  isMember = false,
): ReadonlyMap<string, readonly Pattern[]> => {
  const found = new Map<string, Pattern[]>();
  for (const row of rows) {
    const pattern = patternOf(row, isMember);
    found.set(pattern.key, [...(found.get(pattern.key) ?? []), pattern]);
  }
  return found;
};

interface Tables {
  readonly functions: ReadonlyMap<string, readonly Pattern[]>;
  readonly values: ReadonlyMap<string, readonly Pattern[]>;
  readonly members: ReadonlyMap<string, readonly Pattern[]>;
  readonly methods: ReadonlyMap<string, readonly Pattern[]>;
}

let made: Tables | undefined;

/** The rows by name. They are collected when the first program is wrong. */
function tables(): Tables {
  made ??= {
    functions: byName(functions),
    values: byName(values),
    members: byName(
      members.filter(([there]) => !there.endsWith(")")),
      true,
    ),
    methods: byName(
      members.filter(([there]) => there.endsWith(")")),
      true,
    ),
  };
  return made;
}

/** Whether the name of a library stands here, as in `np.exp(x)`. */
export function isForeignLibrary(name: string): boolean {
  return libraries.includes(name);
}

/** Advice about a call of an unknown function. */
export function adviceOnCall(name: string, at: Occurrence): Advice | undefined {
  return best(tables().functions.get(name), at);
}

/** Advice about an unknown name. */
export function adviceOnValue(name: string, at: Span): Advice | undefined {
  const rows = tables().values.get(name) ?? tables().functions.get(name);
  return best(rows, { span: at, operands: [] });
}

/** Advice about `x.name`. */
export function adviceOnMember(name: string, at: Occurrence): Advice | undefined {
  return best(tables().members.get(name), at);
}

/** Advice about `x.name(…)`. The first operand is `x`. */
export function adviceOnMethod(name: string, at: Occurrence): Advice | undefined {
  return best(tables().methods.get(name) ?? tables().functions.get(name), at);
}

/**
 * The names that completion offers for a foreign name: `log` for `ln`, `std::math::pi` for `np.pi`.
 */
export function namesFor(name: string): readonly string[] {
  const rows = tables().functions.get(name) ?? tables().values.get(name) ?? [];
  return rows.flatMap(({ row: [, here] }) => /^[\w:]+(?=\(|$)/.exec(here) ?? []);
}

/** Advice about a name that `use` does not find. */
export function adviceOnUse(name: string): string | undefined {
  const row = (tables().functions.get(name) ?? tables().values.get(name))?.[0]?.row;
  return row && inGeneral(row);
}

/** Advice about an unknown module: `std::io`, `python`. */
export function adviceOnModule(path: string): string | undefined {
  return modules.find(([there]) => there === path)?.[2];
}

/** Advice about a statement of another language. `word` is its first word. */
export function adviceOnStatement(word: string): string | undefined {
  const row = statements.find(
    ([there]) => there.startsWith(word) && !/^\w/.test(there.slice(word.length)),
  );
  return row?.[2];
}

/**
 * Advice about a sign or bracket, found by its left side in the table. `given` holds the texts for
 * the words of that side.
 */
export function adviceOnNotation(
  there: string,
  given: Readonly<Record<string, string>> = {},
  text = "",
): string {
  const row = notations.find((each) => each[0] === there)!;
  const operands = new Map(Object.entries(given));
  const own = (part: string): string => filledIn(part, operands, text);
  const [, here, note] = row;
  if (operands.size === 0) return inGeneral(row);
  return withNote(`write \`${own(here)}\``, note && inBackticks(note, own));
}

/** The fix for a sign or bracket: the right side of its row replaces the form. */
export function writtenNotation(
  there: string,
  given: Readonly<Record<string, string>>,
  at: Span,
): Fix {
  const row = notations.find((each) => each[0] === there)!;
  return replacing(at, filledIn(row[1], new Map(Object.entries(given)), ""));
}

/**
 * A fix that writes a text in the place of another: a statement, or an expression inside of an
 * expression.
 */
export function replacing(at: Span, text: string): Fix {
  const own = text.endsWith(";") ? text : placed(text, at.source.text, at.start, at.end);
  return { title: `write \`${text}\``, edits: [{ span: at, text: own }] };
}

/**
 * The advice of the first row that the operands fit. If none fits, the first row as the table has
 * it.
 */
function best(rows: readonly Pattern[] | undefined, at: Occurrence): Advice | undefined {
  if (!rows) return undefined;
  for (const pattern of rows) {
    const given = matched(pattern, at.operands);
    const advice = given && exactly(pattern.row, given, at);
    if (advice) return advice;
  }
  return { help: inGeneral(rows[0]!.row) };
}

/** The longest right side that is repeated with the user's texts in it. */
const longest = 120;

function exactly(
  [, here, note]: Row,
  given: ReadonlyMap<string, string>,
  { span: at, rank }: Occurrence,
): Advice | undefined {
  if (here === "") return { help: note ?? "", fits: true };
  const { text } = at.source;
  const choice = cellByCell(here, given, text, rank);
  if (choice !== undefined) return { help: withNote(`write \`${choice}\``, note), fits: true };
  if (!readsFit(here, given, rank)) return undefined;
  const ranks = new Set(
    [...given].flatMap(([name, own]) => (isIndexed(here, name) ? [rank?.(own)] : [])),
  );
  const [shared = 1] = ranks;
  const isDeclaration = here.endsWith(";");
  const matrices = [...given].flatMap(([name, own]) => (/^[A-Z]$/.test(name) ? [rank?.(own)] : []));
  if (matrices.some((each) => each !== undefined && each !== 2)) return undefined;
  const isKnown = ranks.size <= 1 && !ranks.has(undefined) && !matrices.includes(undefined);
  if (isKnown && shared !== 1 && (isDeclaration || shared === 0)) return undefined;
  const bound = boundTo(at);
  const declared = /^let (\w+)(?!.*;.*\blet\b)/.exec(here)?.[1];
  const words =
    bound && declared !== undefined ? new Map([...given, [declared, bound.name]]) : given;
  const way = filledIn(isKnown && shared > 1 ? overAll(here, shared) : here, words, text);
  if (way.length > longest || way.includes("\n")) return undefined;
  const help = withNote(
    `write \`${way}\``,
    note && inBackticks(note, (part) => filledIn(part, words, text)),
  );
  return { help, fits: true, fixes: isKnown ? editsFor(way, at, bound) : [] };
}

/** The fixes for a right side. A declaration replaces the `let` around the form. */
function editsFor(way: string, at: Span, bound: Bound | undefined): readonly Fix[] {
  if (!way.endsWith(";")) return [replacing(at, way)];
  if (!bound || !way.startsWith(`let ${bound.name}`)) return [];
  const text = way.slice("let ".length, -1);
  return [{ title: `write \`${way}\``, edits: [{ span: { ...at, start: bound.start }, text }] }];
}

/** `let name = …;` around an expression that is its whole right side. */
interface Bound {
  readonly name: string;
  /** The offset of the name. */
  readonly start: number;
}

function boundTo({ source: { text }, start, end }: Span): Bound | undefined {
  const [, left, name] = /\blet\s+((\w+)\s*=\s*)$/.exec(text.slice(0, start)) ?? [];
  if (left === undefined || name === undefined || !/^\s*;/.test(text.slice(end))) return undefined;
  return { name, start: start - left.length };
}

/** Whether a word of the right side is read at one coordinate: `x` in `mean[i](x[i])`. */
function isIndexed(here: string, name: string): boolean {
  return new RegExp(`\\b${name}\\[\\w+\\]`).test(here);
}

/** `mean[i](x[i])` over all axes of a tensor of higher rank: `mean[i, i1](x[i, i1])`. */
function overAll(here: string, rank: number): string {
  return here.replace(/\[([a-z])\]/g, (_, name: string) => {
    const others = Array.from({ length: rank - 1 }, (_unused, k) => `, ${name}${k + 1}`);
    return `[${name}${others.join("")}]`;
  });
}

function inGeneral([there, here, note]: Row): string {
  return here === "" ? (note ?? "") : withNote(`\`${there}\` is \`${here}\` here`, note);
}

function withNote(help: string, note: string | undefined): string {
  return note ? `${help}; ${note}` : help;
}

function inBackticks(note: string, change: (part: string) => string): string {
  return note.replace(/`([^`]*)`/g, (_, part: string) => `\`${change(part)}\``);
}

// What a message says about a form of another language: the way here, and where that is exact, the
// edit.

import type { Fix } from "../diagnostic.ts";
import type { Span } from "../../base/source.ts";
import { matched, patternOf, type Operand, type Pattern } from "./pattern.ts";
import { functions, libraries, members, modules, notations, statements, values } from "./table.ts";
import type { Row } from "./row.ts";
import { cellByCell, readsFit } from "./fitting.ts";
import { placed, filledIn } from "./written.ts";

export interface Advice {
  readonly help: string;
  /** The operands are those of a row. */
  readonly fits?: boolean;
  readonly fixes?: readonly Fix[];
}

/** The place of a foreign form. */
export interface Occurrence {
  /** What an exact way replaces. */
  readonly span: Span;
  /** What stands before the dot of a method, and the arguments. */
  readonly operands: readonly Operand[];
  /** The rank of an operand, where that can be said. */
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

/** The rows by their names, made when a program is first wrong. */
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

/** Whether a name stands in front of the functions of another library. */
export function isForeignLibrary(name: string): boolean {
  return libraries.includes(name);
}

/** For a call of a function that is not there. */
export function adviceOnCall(name: string, at: Occurrence): Advice | undefined {
  return best(tables().functions.get(name), at);
}

/** For a name that stands for nothing. */
export function adviceOnValue(name: string, at: Span): Advice | undefined {
  const rows = tables().values.get(name) ?? tables().functions.get(name);
  return best(rows, { span: at, operands: [] });
}

/** For `x.name`. */
export function adviceOnMember(name: string, at: Occurrence): Advice | undefined {
  return best(tables().members.get(name), at);
}

/** For `x.name(…)`: the first operand is `x`. */
export function adviceOnMethod(name: string, at: Occurrence): Advice | undefined {
  return best(tables().methods.get(name) ?? tables().functions.get(name), at);
}

/** What completion offers for a foreign name: `log` for `ln`, `std::math::pi` for `np.pi`. */
export function namesFor(name: string): readonly string[] {
  const rows = tables().functions.get(name) ?? tables().values.get(name) ?? [];
  return rows.flatMap(({ row: [, here] }) => /^[\w:]+(?=\(|$)/.exec(here) ?? []);
}

/** For a name that `use` does not find. */
export function adviceOnUse(name: string): string | undefined {
  const row = (tables().functions.get(name) ?? tables().values.get(name))?.[0]?.row;
  return row && inGeneral(row);
}

/** For a module that is not there: `std::io`, `python`. */
export function adviceOnModule(path: string): string | undefined {
  return modules.find(([there]) => there === path)?.[2];
}

/** For a statement of another language, by its first word. */
export function adviceOnStatement(word: string): string | undefined {
  const row = statements.find(
    ([there]) => there.startsWith(word) && !/^\w/.test(there.slice(word.length)),
  );
  return row?.[2];
}

/** For a sign or a bracket, by how the table writes it; `given` says what its words stand for. */
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

/** The same as an edit: what to write in the place of the form. */
export function writtenNotation(
  there: string,
  given: Readonly<Record<string, string>>,
  at: Span,
  text = "",
): Fix {
  const row = notations.find((each) => each[0] === there)!;
  return replacing(at, filledIn(row[1], new Map(Object.entries(given)), text));
}

/**
 * An edit that writes a text in the place of another: a statement, or an expression among others.
 */
export function replacing(at: Span, text: string): Fix {
  const own = text.endsWith(";") ? text : placed(text, at.source.text, at.start, at.end);
  return { title: `write \`${text}\``, edits: [{ span: at, text: own }] };
}

/** The row that the operands fit, or else the first, in its own words. */
function best(rows: readonly Pattern[] | undefined, at: Occurrence): Advice | undefined {
  if (!rows) return undefined;
  for (const pattern of rows) {
    const given = matched(pattern, at.operands);
    const advice = given && exactly(pattern.row, given, at);
    if (advice) return advice;
  }
  return { help: inGeneral(rows[0]!.row) };
}

/** The longest way that is worth repeating with the user's own words in it. */
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

/** The edits for a way: a declaration takes the place of the `let` around it. */
function editsFor(way: string, at: Span, bound: Bound | undefined): readonly Fix[] {
  if (!way.endsWith(";")) return [replacing(at, way)];
  if (!bound || !way.startsWith(`let ${bound.name}`)) return [];
  const text = way.slice("let ".length, -1);
  return [{ title: `write \`${way}\``, edits: [{ span: { ...at, start: bound.start }, text }] }];
}

/** `let name = …;` around an expression that is all of its right side. */
interface Bound {
  readonly name: string;
  /** Where the name stands. */
  readonly start: number;
}

function boundTo({ source: { text }, start, end }: Span): Bound | undefined {
  const [, left, name] = /\blet\s+((\w+)\s*=\s*)$/.exec(text.slice(0, start)) ?? [];
  if (left === undefined || name === undefined || !/^\s*;/.test(text.slice(end))) return undefined;
  return { name, start: start - left.length };
}

/** Whether a word of the right side is read at one coordinate. */
function isIndexed(here: string, name: string): boolean {
  return new RegExp(`\\b${name}\\[\\w+\\]`).test(here);
}

/** `mean[i](x[i])` over all axes of a tensor of a higher rank: `mean[i, i1](x[i, i1])`. */
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

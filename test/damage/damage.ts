// Damages valid programs in one place and judges the messages: one mistake should give one message,
// at the mistake.
//
// A damage deletes one token or renames one occurrence of a name. The compiler answers well if it
// reports at most two errors and the first of them is in the damaged statement. That is the
// innermost statement around the token.

import { compile } from "../../src/driver/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import type { Module } from "../../src/syntax/tree/ast.ts";
import { lex } from "../../src/syntax/lex/lexer.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import { positionOf, type Source, type Span } from "../../src/base/source.ts";
import type { Token } from "../../src/syntax/lex/tokens.ts";
import { hash } from "../depth.ts";
import { suitePrograms } from "../suite/programs.ts";

export interface Program {
  readonly name: string;
  readonly text: string;
}

export interface Damage {
  readonly program: string;
  /** A description of the damage. */
  readonly what: string;
  readonly text: string;
  /**
   * The damaged statement in the damaged text. Its end is included, because a missing token is
   * reported there.
   */
  readonly statement: Extent;
}

export interface Extent {
  readonly start: number;
  readonly end: number;
}

export interface Offence {
  readonly damage: Damage;
  readonly errors: readonly Diagnostic[];
  readonly reason: "too many" | "elsewhere" | "threw";
}

export interface DamageReport {
  readonly programs: number;
  readonly damages: number;
  /** How many of the damaged programs the compiler accepts. */
  readonly accepted: number;
  readonly offences: readonly Offence[];
}

/** The accepted number of errors for one mistake. */
const mostErrors = 2;

/** Longer programs are left out. They are long on purpose, and damages of their lines are alike. */
const longestProgram = 10_000;

/** A name that stands in no program of the suite. */
const freshName = "qqz";

/**
 * Judges a sample of the damages: one in so many. A damage is drawn by its own name and the seed,
 * so a new program in the suite does not change the sample of the others.
 */
export function judgeDamages(
  programs: readonly Program[],
  { every, seed }: { readonly every: number; readonly seed: number },
): DamageReport {
  const damages = programs
    .flatMap(damagesOf)
    .filter(({ program, what }) => hash(`${seed} ${program} ${what}`) % every === 0);
  const offences: Offence[] = [];
  let accepted = 0;
  for (const damage of damages) {
    const verdict = judge(damage);
    if (verdict === "accepted") accepted++;
    else if (verdict !== "fine") offences.push(verdict);
  }
  return { programs: programs.length, damages: damages.length, accepted, offences };
}

/**
 * The programs of the suite that compile: the examples, and the cases that expect no message.
 * `root` is the repository.
 */
export function rightPrograms(root: string): readonly Program[] {
  return suitePrograms(root)
    .filter(
      ({ kind, text }) =>
        (kind === "case" || kind === "example" || kind === "real") &&
        text.length <= longestProgram &&
        !/^\s*\/\/!/m.test(text),
    )
    .map(({ kind, name, text }) => ({ name: `${kind} ${name}`, text }));
}

export function percentage({ damages, offences }: DamageReport): number {
  return (100 * (damages - offences.length)) / damages;
}

/** An offence as text: the damaged lines and their messages. */
export function showOffence({ damage, errors, reason }: Offence): string {
  const said = errors.map(({ code, title, span }) => {
    const at = span ? positionOf(span.source, span.start) : { line: 0, column: 0 };
    return `    ${code} ${at.line}:${at.column} ${title}`;
  });
  const text = damage.text.slice(damage.statement.start, damage.statement.end).split("\n")[0]!;
  return [`${damage.program}: ${damage.what} (${reason})`, `    | ${text}`, ...said].join("\n");
}

/** The offences with the most messages for one mistake. */
export function worstOf({ offences }: DamageReport, count: number): readonly Offence[] {
  return [...offences].sort((a, b) => b.errors.length - a.errors.length).slice(0, count);
}

// ── damaging ────────────────────────────────────────────────────────────────────────────────────

/** Every program that differs by one deleted token or one renamed occurrence. */
export function damagesOf(program: Program): readonly Damage[] {
  const source: Source = { name: program.name, text: program.text };
  const tokens = withInterpolations(lex(source).tokens);
  const statements = statementsIn(parse(source).module);
  return tokens.flatMap((token, index): Damage[] => {
    if (token.kind === "end") return [];
    const around = statementAround(statements, token);
    const { line, column } = positionOf(source, token.start);
    const written = program.text.slice(token.start, token.end);
    const change = (what: string, into: string): Damage => ({
      program: program.name,
      what: `${line}:${column} ${what}`,
      text: program.text.slice(0, token.start) + into + program.text.slice(token.end),
      statement: { start: around.start, end: around.end + into.length - written.length },
    });
    // A deleted word leaves a blank if its neighbours would otherwise join into one word.
    const touches =
      index > 0 && tokens[index - 1]!.end === token.start && tokens[index + 1]?.start === token.end;
    const deleted = change(`delete \`${written}\``, touches ? " " : "");
    return token.kind === "name"
      ? [deleted, change(`rename \`${written}\``, freshName)]
      : [deleted];
  });
}

/** The expressions in a string are damaged too. Their tokens come after the string itself. */
function withInterpolations(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => [
    token,
    ...(token.parts ?? []).flatMap((part) =>
      part.kind === "value"
        ? withInterpolations(part.tokens.filter((each) => each.kind !== "end"))
        : [],
    ),
  ]);
}

/** The innermost statement around a token. A token outside of all statements stands for itself. */
function statementAround(statements: readonly Span[], token: Token): Extent {
  return statements
    .filter((span) => span.start <= token.start && token.end <= span.end)
    .reduce<Extent>(
      (best, span) => (best.end - best.start <= span.end - span.start ? best : span),
      {
        start: 0,
        end: Infinity,
      },
    );
}

function statementsIn(module: Module): readonly Span[] {
  const found: Span[] = [];
  eachObject(module.statements, (node) => {
    if ("allow" in node && isSpan(node["span"])) found.push(node["span"]);
  });
  return found;
}

function eachObject(node: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) return node.forEach((each) => eachObject(each, visit));
  const record = node as Record<string, unknown>;
  visit(record);
  for (const [key, child] of Object.entries(record))
    if (key !== "span" && key !== "operatorSpan") eachObject(child, visit);
}

function isSpan(value: unknown): value is Span {
  return typeof value === "object" && value !== null && "start" in value && "end" in value;
}

// ── judging ─────────────────────────────────────────────────────────────────────────────────────

function errorsOf({ name, text }: Program): readonly Diagnostic[] {
  return compile({ name, text }).diagnostics.filter((diagnostic) => diagnostic.level === "error");
}

export function judge(damage: Damage): "accepted" | "fine" | Offence {
  let errors: readonly Diagnostic[];
  try {
    errors = errorsOf({ name: damage.program, text: damage.text });
  } catch (thrown) {
    const what = `${damage.what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { damage: { ...damage, what }, errors: [], reason: "threw" };
  }
  const [first] = errors;
  if (!first) return "accepted";
  if (errors.length > mostErrors) return { damage, errors, reason: "too many" };
  return first.span && isIn(first.span, damage) ? "fine" : { damage, errors, reason: "elsewhere" };
}

function isIn(span: Span, { program, statement }: Damage): boolean {
  return (
    span.source.name === program && span.start >= statement.start && span.start <= statement.end
  );
}

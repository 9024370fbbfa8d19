// Deliberate mistakes in a program, the same in every run: a name instead of another, a number of
// another kind, a missing token. The messages are recorded, because most messages of the compiler
// are about programs that no test holds otherwise.

import { compile } from "../../src/driver/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { lex } from "../../src/syntax/lex/lexer.ts";
import { positionOf, type Source, type Span } from "../../src/base/source.ts";
import type { Token } from "../../src/syntax/lex/tokens.ts";

interface Mistake {
  readonly what: string;
  readonly text: string;
}

/** The messages for some mistakes in a program, one line for each. */
export function answers(name: string, text: string): string {
  const source: Source = { name, text };
  return mistakesIn(source)
    .map((mistake) => `${mistake.what}: ${answer({ name, text: mistake.text })}`)
    .join("\n");
}

function answer(source: Source): string {
  const { diagnostics } = compile(source);
  return diagnostics.length === 0
    ? "accepted"
    : diagnostics.map((each) => said(source, each)).join(" ;; ");
}

function said(source: Source, { code, span, title, text, labels, help }: Diagnostic): string {
  const at = (place: Span): string => {
    if (place.source.text !== source.text) return "elsewhere";
    const { line, column } = positionOf(source, place.start);
    return `${line}:${column}`;
  };
  const notes = labels.map((label) => `${at(label.span)} ${label.text}`.trim());
  const parts = [`${code} ${span ? at(span) : "-"} ${title}`, text, ...notes, help];
  return parts.filter((part) => part !== undefined && part !== "").join(" | ");
}

function mistakesIn(source: Source): readonly Mistake[] {
  const tokens = lex(source).tokens.filter((token) => token.kind !== "end");
  const textOf = (token: Token): string => source.text.slice(token.start, token.end);
  const random = numbersFrom(source.text);
  const one = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const replaced = (token: Token | undefined, by: string | undefined): readonly Mistake[] => {
    if (!token || by === undefined) return [];
    const { line, column } = positionOf(source, token.start);
    const what = `${line}:${column} \`${by}\` for \`${textOf(token)}\``;
    return [
      { what, text: `${source.text.slice(0, token.start)}${by} ${source.text.slice(token.end)}` },
    ];
  };
  const names = tokens.filter((token) => token.kind === "name");
  const swapped = (): readonly Mistake[] => {
    const token = one(names);
    return replaced(
      token,
      token && one([...new Set(names.map(textOf))].filter((name) => name !== textOf(token))),
    );
  };
  const number = one(tokens.filter((token) => token.kind === "number"));
  const other =
    number && (/^\d+$/.test(textOf(number)) ? one(["1.5", "7", '"s"']) : one(["3", '"s"', "true"]));
  return [
    ...swapped(),
    ...swapped(),
    ...swapped(),
    ...replaced(number, other),
    ...replaced(one(tokens), ""),
  ];
}

/** Numbers in [0, 1) that depend on a text: FNV-1a, then mulberry32. */
function numbersFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

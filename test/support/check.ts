// For tests of what the checker refuses: the whole message of each mistake, with its labels and its
// help.

import { expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { positionOf, type Span } from "../../src/base/source.ts";

/** `code place title | text | place label | help`. */
function said(text: string): readonly string[] {
  return compile({ name: "p", text }).diagnostics.map(shown);
}

function shown({ code, span, title, text, labels, help }: Diagnostic): string {
  const parts = [
    `${code} ${at(span)} ${title}`,
    text,
    ...labels.map((label) => `${at(label.span)} ${label.text}`),
    help,
  ];
  return parts.filter(Boolean).join(" | ");
}

function at(span: Span | undefined): string {
  if (!span) return "-";
  const { line, column } = positionOf(span.source, span.start);
  return `${line}:${column}`;
}

/** A program and its messages. */
export type Row = readonly [program: string, ...messages: string[]];

export function refused(rows: readonly Row[]): void {
  test.each(rows)("%s", (program, ...messages) => {
    expect(said(program)).toEqual(messages);
  });
}

/** A program, and the program after the first fix of its only message. */
export type RepairRow = readonly [program: string, repaired: string];

/** Checks that the fix gives the second text, and that this text has no messages. */
export function repaired(rows: readonly RepairRow[]): void {
  test.each(rows)("%s", (text, expected) => {
    const [only, ...others] = compile({ name: "p", text }).diagnostics;
    expect(others).toEqual([]);
    const edits = only?.fixes?.[0]?.edits ?? [];
    const mended = [...edits]
      .sort((a, b) => b.span.start - a.span.start)
      .reduce(
        (whole, edit) => whole.slice(0, edit.span.start) + edit.text + whole.slice(edit.span.end),
        text,
      );
    expect(mended).toBe(expected);
    expect(said(mended)).toEqual([]);
  });
}

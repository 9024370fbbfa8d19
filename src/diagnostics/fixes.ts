// Builds the parts of a message that propose a repair: the help and the fix with its edits.
//
//   ...write(span, "x[i]")        help: write `x[i]`      edit: the span becomes `x[i]`

import { textOf, type Span } from "../base/source.ts";
import type { DiagnosticParts, Edit, Fix } from "./diagnostic.ts";
import { closest } from "./suggest.ts";

/** The help and the fixes of one repair, to be spread into the parts of a message. */
export type Repair = Pick<DiagnosticParts, "help" | "fixes">;

export function replace(span: Span, text: string): Edit {
  return { span, text };
}

export function remove(span: Span): Edit {
  return { span, text: "" };
}

export function before({ source, start }: Span, text: string): Edit {
  return { span: { source, start, end: start }, text };
}

export function after({ source, end }: Span, text: string): Edit {
  return { span: { source, start: end, end }, text };
}

/**
 * Removes one item of a list with the comma beside it. The only item after `where` is removed
 * together with `where`.
 */
export function removeItem({ source, start, end }: Span): Edit {
  const { text } = source;
  const led = /(?:,\s*|\s*\bwhere\s+)$/.exec(text.slice(0, start))?.[0] ?? "";
  const followed = /^\s*,\s*/.exec(text.slice(end))?.[0] ?? "";
  const isFirst = followed !== "" && !led.startsWith(",");
  const from = isFirst ? start : start - led.length;
  return remove({ source, start: from, end: isFirst ? end + followed.length : end });
}

/** Inserts a statement on a line of its own before the statement that begins at the span. */
export function statementBefore(span: Span, statement: string): Edit {
  const { text } = span.source;
  const line = text.lastIndexOf("\n", span.start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(line, span.start))![0];
  const isFirst = line + indent.length === span.start;
  return before(span, isFirst ? `${statement}\n${indent}` : `${statement} `);
}

/** Inserts a statement at the top of the file, below the comment that begins the file. */
export function atTop({ source }: Span, statement: string): Edit {
  const start = /^(?:[ \t]*(?:\/\/(?!\/).*)?\r?\n)*/.exec(source.text)![0].length;
  return { span: { source, start, end: start }, text: `${statement}\n` };
}

export function fix(title: string, ...edits: readonly Edit[]): Fix {
  return { title, edits };
}

/** One fix with a title. Without edits there is no fix. */
export function fixed(title: string, ...edits: readonly Edit[]): Pick<DiagnosticParts, "fixes"> {
  return edits.length > 0 ? { fixes: [fix(title, ...edits)] } : {};
}

/** The repair "write `text`", which replaces the span. */
export function write(span: Span, text: string): Repair {
  const help = `write \`${text}\``;
  return { help, ...fixed(help, replace(span, text)) };
}

/** A repair whose help is the title of its only fix. */
export function repair(help: string, ...edits: readonly Edit[]): Repair {
  return { help, ...fixed(help, ...edits) };
}

/**
 * The repair "did you mean `name`?", which replaces the span. `undefined` if no candidate is near.
 */
export function nearest(
  span: Span,
  word: string,
  candidates: Iterable<string>,
): Repair | undefined {
  const name = closest(word, candidates);
  if (name === undefined) return undefined;
  const text = `\`${name}\``;
  return { help: `did you mean ${text}?`, ...fixed(`write ${text}`, replace(span, name)) };
}

/** A help without an edit. */
export function toldAs(help: string | undefined): Repair | undefined {
  return help === undefined ? undefined : { help };
}

/** The repair that makes a value a text: `x` becomes `"{x}"`. */
export function interpolated(help: string, value: Span): Repair {
  const text = `"{${textOf(value)}}"`;
  // Quotes, braces and colons cannot stand in an interpolation as they are, so there is no edit.
  const isPlain = !/["{}:]/.test(textOf(value));
  const edits = isPlain ? [replace(value, text)] : [];
  return { help: `${help}: \`${text}\``, ...fixed(`write \`${text}\``, ...edits) };
}

// Repairs as edits of the text: each help with an exact text is made here together with its fix.
//
// Where a sentence of the message is all that a reader needs, the fix only says where the text
// goes:
//   ...write(span, "x[i]")        help: write `x[i]`      edit: `x[i]` in the place of the span

import { textOf, type Span } from "../base/source.ts";
import type { DiagnosticParts, Edit, Fix } from "./diagnostic.ts";
import { closest } from "./suggest.ts";

/** The help and the edits of one repair, to be spread into the parts of a message. */
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
 * One of the items between commas, with the comma beside it; alone behind `where`, with that word.
 */
export function removeItem({ source, start, end }: Span): Edit {
  const { text } = source;
  const led = /(?:,\s*|\s*\bwhere\s+)$/.exec(text.slice(0, start))?.[0] ?? "";
  const followed = /^\s*,\s*/.exec(text.slice(end))?.[0] ?? "";
  const isFirst = followed !== "" && !led.startsWith(",");
  const from = isFirst ? start : start - led.length;
  return remove({ source, start: from, end: isFirst ? end + followed.length : end });
}

/** A statement on a line of its own before the one that begins at the span. */
export function statementBefore(span: Span, statement: string): Edit {
  const { text } = span.source;
  const line = text.lastIndexOf("\n", span.start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(line, span.start))![0];
  const isFirst = line + indent.length === span.start;
  return before(span, isFirst ? `${statement}\n${indent}` : `${statement} `);
}

/** A statement at the top of the file, below the comment with which the file begins. */
export function atTop({ source }: Span, statement: string): Edit {
  const start = /^(?:[ \t]*(?:\/\/(?!\/).*)?\r?\n)*/.exec(source.text)![0].length;
  return { span: { source, start, end: start }, text: `${statement}\n` };
}

export function fix(title: string, ...edits: readonly Edit[]): Fix {
  return { title, edits };
}

/** One repair, with a title of its own; nothing where there is nothing to edit. */
export function fixed(title: string, ...edits: readonly Edit[]): Pick<DiagnosticParts, "fixes"> {
  return edits.length > 0 ? { fixes: [fix(title, ...edits)] } : {};
}

/** "write `text`", in the place of the span. */
export function write(span: Span, text: string): Repair {
  const help = `write \`${text}\``;
  return { help, ...fixed(help, replace(span, text)) };
}

/** A repair whose help is the title of its only fix. */
export function repair(help: string, ...edits: readonly Edit[]): Repair {
  return { help, ...fixed(help, ...edits) };
}

/** "did you mean `name`?", in the place of the span; nothing where no candidate is near. */
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

/** A help without an edit; nothing where there is no help. */
export function toldAs(help: string | undefined): Repair | undefined {
  return help === undefined ? undefined : { help };
}

/** A value as a text of its own: `"{x}"`. */
export function interpolated(help: string, value: Span): Repair {
  const text = `"{${textOf(value)}}"`;
  // A text within a text that is interpolated has to be written otherwise.
  const isPlain = !/["{}:]/.test(textOf(value));
  const edits = isPlain ? [replace(value, text)] : [];
  return { help: `${help}: \`${text}\``, ...fixed(`write \`${text}\``, ...edits) };
}

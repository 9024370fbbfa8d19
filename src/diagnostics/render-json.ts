// A diagnostic as the JSON object that `--json` prints, for editors and scripts.

import type { Diagnostic, Edit, Fix, Label } from "./diagnostic.ts";
import { endOf, startOf } from "./sections.ts";

/**
 * Lines and columns are 1-based, columns count UTF-16 units, the end is the place behind the last
 * character.
 */
export interface JsonDiagnostic {
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly help?: string;
  readonly labels: readonly JsonLabel[];
  readonly fixes?: readonly JsonFix[];
}

/** All edits of a fix are made together; each of several fixes is a repair by itself. */
export interface JsonFix {
  readonly title: string;
  readonly edits: readonly JsonEdit[];
}

/** Equal beginning and end: the text is inserted there. */
export interface JsonEdit {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

export interface JsonLabel {
  /** Only where the label is in another file than the message itself. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Keys that have nothing to say are left out; `labels` is always there. */
export function toJson(diagnostic: Diagnostic): JsonDiagnostic {
  const { code, span, help, labels, fixes } = diagnostic;
  return {
    code,
    message: messageOf(diagnostic),
    ...(span ? placeOf(span) : {}),
    ...(help ? { help } : {}),
    labels: labels.map((label) => labelOf(label, span?.source.name)),
    ...(fixes?.length ? { fixes: fixes.map(fixOf) } : {}),
  };
}

function fixOf({ title, edits }: Fix): JsonFix {
  return { title, edits: edits.map(editOf) };
}

function editOf({ span, text }: Edit): JsonEdit {
  return { ...placeOf(span), text };
}

/**
 * The title, then what is said under the primary span: `title: text`. A reader of the JSON sees no
 * frame, so the two have to make one sentence; a text that the title already contains adds nothing
 * and is dropped.
 */
function messageOf({ title, text }: Diagnostic): string {
  return text && !title.includes(text) ? `${title}: ${text}` : title;
}

function placeOf(span: NonNullable<Diagnostic["span"]>) {
  const start = startOf(span);
  const end = endOf(span);
  return {
    file: span.source.name,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}

function labelOf({ span, text }: Label, messageFile: string | undefined): JsonLabel {
  const { line, column } = startOf(span);
  const file = span.source.name;
  return { ...(file === messageFile ? {} : { file }), line, column, text };
}

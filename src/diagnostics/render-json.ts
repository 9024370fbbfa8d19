// Renders a diagnostic as the JSON object that `--json` prints, for editors and scripts.

import type { Diagnostic, Edit, Fix, Label } from "./diagnostic.ts";
import { endPositionOf, startPositionOf } from "./sections.ts";

/**
 * Lines and columns count from 1, and columns count UTF-16 units. The end is the position after the
 * last character.
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

/** All edits of a fix belong together. Each fix in a list is a repair of its own. */
interface JsonFix {
  readonly title: string;
  readonly edits: readonly JsonEdit[];
}

/** Where the beginning equals the end, the text is inserted. */
interface JsonEdit {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

export interface JsonLabel {
  /** Present only if the label is in another file than the message. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Empty parts are left out, except `labels`. */
export function toJson(diagnostic: Diagnostic): JsonDiagnostic {
  const { code, span, help, labels, fixes } = diagnostic;
  return {
    code,
    message: messageOf(diagnostic),
    ...(span ? jsonSpanOf(span) : {}),
    ...(help ? { help } : {}),
    labels: labels.map((label) => labelOf(label, span?.source.name)),
    ...(fixes?.length ? { fixes: fixes.map(fixOf) } : {}),
  };
}

function fixOf({ title, edits }: Fix): JsonFix {
  return { title, edits: edits.map(editOf) };
}

function editOf({ span, text }: Edit): JsonEdit {
  return { ...jsonSpanOf(span), text };
}

/**
 * The title, and the text under the primary span: `title: text`. A reader of the JSON sees no
 * frame, so both form one sentence. A text that the title contains is dropped.
 */
function messageOf({ title, text }: Diagnostic): string {
  return text && !title.includes(text) ? `${title}: ${text}` : title;
}

function jsonSpanOf(span: NonNullable<Diagnostic["span"]>) {
  const start = startPositionOf(span);
  const end = endPositionOf(span);
  return {
    file: span.source.name,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}

function labelOf({ span, text }: Label, messageFile: string | undefined): JsonLabel {
  const { line, column } = startPositionOf(span);
  const file = span.source.name;
  return { ...(file === messageFile ? {} : { file }), line, column, text };
}

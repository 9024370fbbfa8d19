// This folder holds the messages about programs and their rendering as text, JSON and HTML; what is
// wrong with a program is found in the rooms of the compiler.
//
// A diagnostic is one record of data, for everything that the compiler and the runtime report.

import type { Span } from "../base/source.ts";
import type { Code } from "./codes.ts";
import { cutWords } from "./cut.ts";

export type Level = "error" | "warning";

/** A second place in a message, and what the message says about it. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** A span of the text, and the text to write in its place. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** A repair that an editor can make. All edits belong together, and none overlaps another. */
export interface Fix {
  /** What the repair does, in a few words: "write `sum[k](…)`". */
  readonly title: string;
  readonly edits: readonly Edit[];
}

export interface Diagnostic {
  readonly level: Level;
  readonly code: Code;
  /** What is wrong, as one fragment of a sentence with the names involved. */
  readonly title: string;
  /** The place that the message is about. A message about the command line has none. */
  readonly span?: Span;
  /** The text under the primary span. */
  readonly text?: string;
  /** All other places in the message. */
  readonly labels: readonly Label[];
  /** What to write instead, with exact text in backticks where possible. */
  readonly help?: string;
  /**
   * The repairs that an editor can make without a question, best first. `help` says the first of
   * them in prose.
   */
  readonly fixes?: readonly Fix[];
}

export interface DiagnosticParts {
  readonly text?: string;
  readonly labels?: readonly Label[];
  readonly help?: string | undefined;
  readonly fixes?: readonly Fix[] | undefined;
}

export function error(
  code: Code,
  title: string,
  span: Span | undefined,
  parts: DiagnosticParts = {},
): Diagnostic {
  return make("error", code, title, span, parts);
}

export function warning(
  code: Code,
  title: string,
  span: Span | undefined,
  parts: DiagnosticParts = {},
): Diagnostic {
  return make("warning", code, title, span, parts);
}

/**
 * Cuts long words in all texts but those of fixes: a message may repeat a number of 10,000 digits.
 */
function make(
  level: Level,
  code: Code,
  title: string,
  span: Span | undefined,
  parts: DiagnosticParts,
): Diagnostic {
  return {
    level,
    code,
    title: cutWords(title),
    labels: (parts.labels ?? []).map((label) => ({ ...label, text: cutWords(label.text) })),
    ...(span ? { span } : {}),
    ...(parts.text ? { text: cutWords(parts.text) } : {}),
    ...(parts.help ? { help: cutWords(parts.help) } : {}),
    ...(parts.fixes?.length ? { fixes: parts.fixes } : {}),
  };
}

/** Thrown only by the runtime, to leave a running program. Caught where the run was started. */
export class Fault extends Error {
  readonly diagnostic: Diagnostic;
  /** The coordinates of the loops around the fault, innermost first: `k = 3`. */
  readonly at: readonly string[];
  constructor(diagnostic: Diagnostic, at: readonly string[] = []) {
    super(`${diagnostic.code}: ${diagnostic.title}`);
    this.name = "Fault";
    this.diagnostic = diagnostic;
    this.at = at;
  }
}

/** The diagnostics that explain why there is no result. */
export interface Wrong {
  readonly diagnostics: readonly Diagnostic[];
}

export function isError({ level }: Diagnostic): boolean {
  return level === "error";
}

// The one record for everything the compiler and the runtime have to say about a program.
// It is data: rendering to text, JSON and HTML lives in the files beside this one.

import type { Span } from "../base/source.ts";
import type { Code } from "./codes.ts";
import { cutWords } from "./cut.ts";

export type Level = "error" | "warning";

/** A place that takes part in the message, with what it contributes to it. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** A stretch of the text, and what to write in its place. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** An exact repair, as an editor offers it: all edits together, none overlapping another. */
export interface Fix {
  /** What the repair does, in a few words: "write `sum[k](…)`". */
  readonly title: string;
  readonly edits: readonly Edit[];
}

export interface Diagnostic {
  readonly level: Level;
  readonly code: Code;
  /** One sentence fragment: what is wrong, with the names involved. */
  readonly title: string;
  /** The place the message is about; a message about the command line has none. */
  readonly span?: Span;
  /** Said directly under the primary span; may be empty. */
  readonly text?: string;
  /** Every other place involved. */
  readonly labels: readonly Label[];
  /** What to write instead, exact text in backticks where there is one. */
  readonly help?: string;
  /**
   * The repairs that can be made without asking further, best first. Where there is one, `help`
   * says the same in prose.
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
 * What is repeated of a program may be a number of 10,000 digits: messages cut such words, repairs
 * that are edits do not.
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

/**
 * Thrown by the runtime (and nowhere else) to leave a running program; caught where the run was
 * started.
 */
export class Fault extends Error {
  readonly diagnostic: Diagnostic;
  /** Coordinates on the way out, innermost first: `k = 3`. */
  readonly at: readonly string[];
  constructor(diagnostic: Diagnostic, at: readonly string[] = []) {
    super(`${diagnostic.code}: ${diagnostic.title}`);
    this.name = "Fault";
    this.diagnostic = diagnostic;
    this.at = at;
  }
}

/** Why there is no answer. */
export interface Wrong {
  readonly diagnostics: readonly Diagnostic[];
}

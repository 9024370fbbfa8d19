// Renders a diagnostic as text for a terminal: a title, a code frame for each source, and the help.

import { coloured, plain, type Palette } from "./ansi.ts";
import type { Diagnostic, Level } from "./diagnostic.ts";
import { harmless } from "../base/display.ts";
import { frameRows, type Role, type Row } from "./frame.ts";
import { sectionsOf, type Section } from "./sections.ts";

export interface TextOptions {
  readonly color: boolean;
  /**
   * The columns of the terminal, 120 by default. Longer source lines are abridged around their
   * spans.
   */
  readonly width?: number;
}

const defaultWidth = 120;

/** The whole message, without a line break at its end. */
export function renderText(diagnostic: Diagnostic, options: TextOptions): string {
  const paint = options.color ? coloured : plain;
  const sections = sectionsOf(diagnostic);
  const digits = String(Math.max(1, ...sections.flatMap(({ lines }) => lines))).length;
  const margin = " ".repeat(digits);
  const bar = paint.gutter(`${margin} |`);
  const room = (options.width ?? defaultWidth) - digits - " | ".length;

  const lines = [titleLine(diagnostic, paint)];
  sections.forEach((section, index) => {
    if (index > 0) lines.push(bar);
    lines.push(
      `${paint.gutter(`${margin}${index === 0 ? "-->" : ":::"}`)} ${sourceAndPosition(section)}`,
      bar,
    );
    for (const row of frameRows(section, room))
      lines.push(rowLine(row, digits, diagnostic.level, paint));
  });
  if (diagnostic.help) {
    if (sections.length > 0) lines.push(bar);
    lines.push(...helpLines(diagnostic.help, margin, paint));
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

/**
 * All messages in the given order, and a last line that counts them. Without messages the text is
 * empty.
 */
export function renderAllText(diagnostics: readonly Diagnostic[], options: TextOptions): string {
  if (diagnostics.length === 0) return "";
  const messages = diagnostics.map((diagnostic) => renderText(diagnostic, options));
  return [...messages, summary(diagnostics, options.color ? coloured : plain)].join("\n\n");
}

function titleLine({ level, code, title }: Diagnostic, paint: Palette): string {
  return `${paint[level](`${level}[${code}]`)}${paint.strong(`: ${harmless(title)}`)}`;
}

function sourceAndPosition({ source, at }: Section): string {
  return `${harmless(source.name)}:${at.line}:${at.column}`;
}

function rowLine(row: Row, digits: number, level: Level, paint: Palette): string {
  const content = row.pieces.map(({ text, role }) => paintFor(role, level, paint)(text)).join("");
  switch (row.margin) {
    case "gap":
      // The dots replace the margin and its bar. A bar of the frame keeps its column.
      return `${paint.gutter("...")}${" ".repeat(digits)}${content}`;
    case "blank":
      return `${paint.gutter(`${" ".repeat(digits)} |`)} ${content}`;
    default:
      return `${paint.gutter(`${String(row.margin).padStart(digits)} |`)} ${content}`;
  }
}

function paintFor(role: Role, level: Level, paint: Palette): (text: string) => string {
  switch (role) {
    case "source":
      return (text) => text;
    case "primary":
      return paint[level];
    case "label":
      return paint.label;
    default:
      return role satisfies never;
  }
}

/** The further lines of a help are indented to the beginning of its first line. */
function helpLines(help: string, margin: string, paint: Palette): readonly string[] {
  const [first = "", ...rest] = help.split("\n").map(harmless);
  const under = " ".repeat(`${margin} = help: `.length);
  return [
    `${paint.gutter(`${margin} =`)} ${paint.strong("help:")} ${first}`,
    ...rest.map((line) => `${under}${line}`),
  ];
}

function summary(diagnostics: readonly Diagnostic[], paint: Palette): string {
  const levels = ["error", "warning"] as const satisfies readonly Level[];
  const counts = levels.flatMap((level) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.level === level).length;
    return count === 0 ? [] : [paint[level](`${count} ${level}${count === 1 ? "" : "s"}`)];
  });
  return counts.join(", ");
}

// Renders a diagnostic as an HTML fragment for the playground and the documentation.

import { abridge, type ShownLine } from "./abridge.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { harmless } from "../base/display.ts";
import { lineText, sectionsOf, type Annotation, type Section } from "./sections.ts";
import { roleOf } from "./frame.ts";

/** The longest line shown. A page scrolls sideways, so this is more than in a terminal. */
const lineWidth = 200;

/**
 * A `<figure>` with the title as its caption and one `<pre>` for each source. Spans are `<mark
 * class="primary">` or `<mark class="label">`. Their texts follow the line in a `<small>` of the
 * same class. `diagnosticCss` styles all of it. Every text from outside is escaped.
 */
export function renderHtml(diagnostic: Diagnostic): string {
  const { level, code, title, help } = diagnostic;
  return [
    `<figure class="ein-diagnostic ${level}">`,
    `<figcaption><strong class="level">${level}[${code}]</strong>: ${prose(title)}</figcaption>`,
    ...sectionsOf(diagnostic).map(sectionHtml),
    ...(help ? [`<p class="help"><strong>help:</strong> ${prose(help)}</p>`] : []),
    `</figure>`,
  ].join("\n");
}

function sectionHtml(section: Section): string {
  const { source, at, lines } = section;
  const digits = String(lines.at(-1) ?? 1).length;
  const rows = lines.flatMap((line, index) => [
    ...(index > 0 && line > lines[index - 1]! + 1 ? [`<span class="gap">…</span>`] : []),
    lineHtml(section, line, digits),
    ...notesHtml(section, line, digits),
  ]);
  const name = escapeHtml(harmless(source.name));
  const place = `<cite class="place">${name}:${at.line}:${at.column}</cite>`;
  return `${place}\n<pre><code>${rows.join("\n")}</code></pre>`;
}

/**
 * One source line, cut where annotations begin and end. Where several overlap, the shortest is
 * marked.
 */
function lineHtml(section: Section, line: number, digits: number): string {
  const text = lineText(section.source, line);
  const stretches = [...stretchesOn(section, line)].sort(
    (a, b) =>
      a.end - a.start - (b.end - b.start) ||
      Number(b.annotation.primary) - Number(a.annotation.primary),
  );
  let html = "";
  let run: { readonly annotation: Annotation | undefined; text: string } = {
    annotation: undefined,
    text: "",
  };
  const flush = () => {
    if (run.text !== "")
      html += run.annotation ? mark(run.annotation, run.text) : escapeHtml(run.text);
  };
  const extend = (annotation: Annotation | undefined, added: string) => {
    if (annotation !== run.annotation) {
      flush();
      run = { annotation, text: "" };
    }
    run.text += added;
  };
  for (const cell of shownIn(section, line).cells) {
    // A span of width 0 is shown on the character after it, like the caret in a terminal.
    const covering = stretches.find(
      ({ start, end }) => start < cell.end && Math.max(end, start + 1) > cell.start,
    );
    extend(covering?.annotation, cell.text);
  }
  const behind = stretches.find(({ start }) => start >= text.length);
  if (behind) extend(behind.annotation, " ");
  flush();
  return (
    `<span class="line"><span class="number">${String(line).padStart(digits)}</span> ` +
    `${html}</span>`
  );
}

/** The texts of the spans that end on this line, each under the beginning of its span. */
function notesHtml(section: Section, line: number, digits: number): readonly string[] {
  const ending = stretchesOn(section, line).filter(
    ({ annotation }) => annotation.endLine === line && annotation.text,
  );
  if (ending.length === 0) return [];
  const shown = shownIn(section, line);
  return [...ending]
    .sort((a, b) => a.start - b.start)
    .map(({ annotation, start }) => {
      const indent = " ".repeat(digits + 1 + shown.columnOf(start));
      return `${indent}<small class="${roleOf(annotation)}">${prose(annotation.text)}</small>`;
    });
}

function shownIn(section: Section, line: number): ShownLine {
  const points = stretchesOn(section, line).flatMap(({ start, end }) => [
    start,
    Math.max(start, end - 1),
  ]);
  return abridge(lineText(section.source, line), points, lineWidth);
}

interface Stretch {
  readonly annotation: Annotation;
  readonly start: number;
  readonly end: number;
}

/** The parts of annotations on one line. The indentation of a continued line is not marked. */
function stretchesOn({ source, annotations }: Section, line: number): readonly Stretch[] {
  const text = lineText(source, line);
  const indentation = text.length - text.trimStart().length;
  return annotations
    .filter(({ startLine, endLine }) => startLine <= line && line <= endLine)
    .map((annotation) => ({
      annotation,
      start: line === annotation.startLine ? annotation.start : indentation,
      end: line === annotation.endLine ? annotation.end : text.length,
    }));
}

function mark(annotation: Annotation, text: string): string {
  return `<mark class="${roleOf(annotation)}">${escapeHtml(text)}</mark>`;
}

/** A message: text in backticks is code. Line breaks are kept by `white-space: pre-line`. */
function prose(text: string): string {
  const lines = text.split("\n").map(harmless).join("\n");
  return escapeHtml(lines).replace(/`([^`\n]+)`/g, "<code>$1</code>");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

/**
 * The colours follow the reader's light or dark scheme. Every rule applies only inside
 * `.ein-diagnostic`.
 */
export const diagnosticCss = `
.ein-diagnostic {
  --ein-ink: #1f2328; --ein-paper: #f6f8fa; --ein-faint: #59636e; --ein-edge: #d1d9e0;
  --ein-error: #b3261e; --ein-error-wash: #ffdad6; --ein-warning: #7a5200;
  --ein-warning-wash: #ffe8b3;
  --ein-label: #0b57d0; --ein-label-wash: #d3e3fd;
  --ein-accent: var(--ein-error); --ein-wash: var(--ein-error-wash);
  margin: 1em 0; padding: 0.75em 1em; overflow: hidden;
  color: var(--ein-ink); background: var(--ein-paper);
  border: 1px solid var(--ein-edge); border-left: 4px solid var(--ein-accent); border-radius: 6px;
  font: 0.95em/1.5 system-ui, sans-serif;
}
.ein-diagnostic.warning { --ein-accent: var(--ein-warning); --ein-wash: var(--ein-warning-wash); }
.ein-diagnostic figcaption { font-weight: 600; white-space: pre-line; }
.ein-diagnostic .level { color: var(--ein-accent); }
.ein-diagnostic .place {
  display: block; color: var(--ein-faint); font-size: 0.85em; font-style: normal;
}
.ein-diagnostic pre {
  margin: 0.5em 0; overflow-x: auto; background: none; line-height: 1.45; tab-size: 4;
}
.ein-diagnostic code {
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.95em;
}
.ein-diagnostic .number, .ein-diagnostic .gap { color: var(--ein-faint); user-select: none; }
.ein-diagnostic mark { color: inherit; border-radius: 2px; }
.ein-diagnostic mark.primary {
  background: var(--ein-wash); box-shadow: inset 0 -2px var(--ein-accent);
}
.ein-diagnostic mark.label {
  background: var(--ein-label-wash); box-shadow: inset 0 -2px var(--ein-label);
}
.ein-diagnostic small, .ein-diagnostic code code { font-size: 1em; }
.ein-diagnostic small.primary { color: var(--ein-accent); }
.ein-diagnostic small.label { color: var(--ein-label); }
.ein-diagnostic .help { margin: 0.5em 0 0; white-space: pre-line; }
@media (prefers-color-scheme: dark) {
  .ein-diagnostic {
    --ein-ink: #e6edf3; --ein-paper: #161b22; --ein-faint: #9198a1; --ein-edge: #3d444d;
    --ein-error: #ff8a80; --ein-error-wash: #5c1a17; --ein-warning: #f2c14e;
    --ein-warning-wash: #4a3500;
    --ein-label: #8ab4f8; --ein-label-wash: #17345f;
  }
}
`.trim();

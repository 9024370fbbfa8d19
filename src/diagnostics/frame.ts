// Lays out the code frame of one source: its lines, the marks under them, and the texts of the
// marks.
//
// A flat annotation lies on one line and is underlined there. The text of the last mark stands
// beside the mark. The other texts hang below on bars, from right to left, so that no text crosses
// a bar:
//
//     let C[i] = A[i] + B[i];
//                -      ^ primary text
//                |
//                text of the label
//
// A tall annotation covers several lines. It has a bar of its own to the left of the source. The
// bar begins with `/` if the annotation begins with its line, and otherwise with a rule that leads
// to its first character. The bar ends in a rule under the last character.

import { abridge, type ShownLine } from "./abridge.ts";
import { harmless } from "../base/display.ts";
import { lineText, type Annotation, type Section } from "./sections.ts";

export type Role = "source" | "primary" | "label";

interface Piece {
  readonly text: string;
  readonly role: Role;
}

export interface Row {
  /** The margin of the row: a line number, dots for lines left out, or nothing. */
  readonly margin: number | "gap" | "blank";
  readonly pieces: readonly Piece[];
}

/** The rows of a section. Source lines are abridged to `room` columns. */
export function frameRows(section: Section, room: number): readonly Row[] {
  const slots = slotsOf(section.annotations.filter(isTall));
  const depth = Math.max(0, ...[...slots.values()].map((slot) => slot + 1));
  const indent = depth === 0 ? 0 : depth + 1;
  const open = new Set<Annotation>();
  const rows: Row[] = [];
  const withBars = (): Canvas => {
    const canvas: Canvas = [];
    for (const tall of open) put(canvas, slots.get(tall)!, "|", roleOf(tall));
    return canvas;
  };

  let previous: number | undefined;
  for (const line of section.lines) {
    if (previous !== undefined && line > previous + 1)
      rows.push({ margin: "gap", pieces: piecesOf(withBars()) });
    previous = line;

    const here = section.annotations.filter(
      ({ startLine, endLine }) => startLine === line || endLine === line,
    );
    const text = lineText(section.source, line);
    const shown = abridge(text, pointsOn(line, here), room - indent);
    const ending = here.filter((annotation) => isTall(annotation) && annotation.endLine === line);
    const beginning = here.filter(
      (annotation) => isTall(annotation) && annotation.startLine === line,
    );

    const sourceRow = withBars();
    for (const tall of beginning) {
      if (text.slice(0, tall.start).trim() !== "") continue;
      put(sourceRow, slots.get(tall)!, "/", roleOf(tall));
      open.add(tall);
    }
    put(sourceRow, indent, shown.cells.map((cell) => cell.text).join(""), "source");
    rows.push({ margin: line, pieces: piecesOf(sourceRow) });

    const flat = here
      .filter((annotation) => !isTall(annotation))
      .map((annotation) => markOf(annotation, shown, indent));
    for (const canvas of flatRows(flat, withBars))
      rows.push({ margin: "blank", pieces: piecesOf(canvas) });

    for (const tall of ending) {
      const canvas = withBars();
      const at = indent + Math.max(shown.columnAfter(tall.end) - 1, 0);
      rule(canvas, slots.get(tall)! + 1, at, tall);
      if (tall.text) put(canvas, at + 2, harmless(tall.text), roleOf(tall));
      open.delete(tall);
      rows.push({ margin: "blank", pieces: piecesOf(canvas) });
    }
    for (const tall of beginning) {
      if (open.has(tall)) continue;
      const canvas = withBars();
      rule(canvas, slots.get(tall)! + 1, indent + shown.columnOf(tall.start), tall);
      open.add(tall);
      rows.push({ margin: "blank", pieces: piecesOf(canvas) });
    }
  }
  return rows;
}

function isTall(annotation: Annotation): boolean {
  return annotation.startLine !== annotation.endLine;
}

export function roleOf(annotation: Annotation): Role {
  return annotation.primary ? "primary" : "label";
}

/**
 * Gives each tall annotation the leftmost bar that is free on all of its lines, the longest
 * annotation first.
 */
function slotsOf(tall: readonly Annotation[]): ReadonlyMap<Annotation, number> {
  const slots = new Map<Annotation, number>();
  const height = ({ startLine, endLine }: Annotation) => endLine - startLine;
  for (const annotation of [...tall].sort((a, b) => height(b) - height(a))) {
    const taken = [...slots]
      .filter(
        ([other]) => other.startLine <= annotation.endLine && annotation.startLine <= other.endLine,
      )
      .map(([, slot]) => slot);
    let slot = 0;
    while (taken.includes(slot)) slot++;
    slots.set(annotation, slot);
  }
  return slots;
}

/** The offsets of a line that must stay visible when the line is abridged. */
function pointsOn(line: number, annotations: readonly Annotation[]): readonly number[] {
  return annotations.flatMap(({ startLine, start, endLine, end }) => [
    ...(startLine === line ? [start] : []),
    ...(endLine === line && (end > start || startLine !== line) ? [Math.max(end - 1, 0)] : []),
  ]);
}

// ── flat annotations ────────────────────────────────────────────────────────────────────────────

/** A flat annotation in columns of the frame. It is at least one column wide. */
interface Mark {
  readonly annotation: Annotation;
  readonly from: number;
  readonly to: number;
}

function markOf(annotation: Annotation, shown: ShownLine, indent: number): Mark {
  const from = indent + shown.columnOf(annotation.start);
  return { annotation, from, to: Math.max(from + 1, indent + shown.columnAfter(annotation.end)) };
}

function flatRows(marks: readonly Mark[], withBars: () => Canvas): readonly Canvas[] {
  if (marks.length === 0) return [];
  const underline = withBars();
  // Short marks are drawn over long ones, so that both stay visible. Of two equal marks the primary
  // one is drawn last.
  for (const mark of [...marks].sort(byWidthThenPrimary)) {
    put(
      underline,
      mark.from,
      symbolOf(mark.annotation).repeat(mark.to - mark.from),
      roleOf(mark.annotation),
    );
  }
  // Several short marks together may hide the primary mark. Its first column is then drawn again.
  for (const { annotation, from, to } of marks) {
    const isSeen = underline.slice(from, to).some((cell) => cell?.role === roleOf(annotation));
    if (annotation.primary && !isSeen)
      put(underline, from, symbolOf(annotation), roleOf(annotation));
  }

  const speaking = marks.filter(({ annotation }) => annotation.text !== "").sort(byPlace);
  const last = speaking.at(-1);
  const beside =
    last && marks.every((mark) => mark === last || leavesRoomBeside(mark, last)) ? last : undefined;
  if (beside)
    put(underline, beside.to + 1, harmless(beside.annotation.text), roleOf(beside.annotation));

  const hanging = speaking.filter((mark) => mark !== beside).reverse();
  if (hanging.length === 0) return [underline];
  const rows = [underline, barsOver(hanging, withBars())];
  hanging.forEach((mark, index) => {
    const left = hanging.slice(index + 1).filter(({ from }) => from < mark.from);
    const canvas = barsOver(left, withBars());
    put(canvas, mark.from, harmless(mark.annotation.text), roleOf(mark.annotation));
    rows.push(canvas);
  });
  return rows;
}

/**
 * Whether a text beside `last` is understood as the text of `last`: no other mark with a text
 * overlaps `last`, and no mark follows it.
 */
function leavesRoomBeside(mark: Mark, last: Mark): boolean {
  if (mark.to > last.to) return false;
  return mark.annotation.text === "" || mark.to <= last.from || mark.from === last.from;
}

function barsOver(marks: readonly Mark[], canvas: Canvas): Canvas {
  for (const { from, annotation } of marks) put(canvas, from, "|", roleOf(annotation));
  return canvas;
}

function byWidthThenPrimary(a: Mark, b: Mark): number {
  return (
    b.to - b.from - (a.to - a.from) || Number(a.annotation.primary) - Number(b.annotation.primary)
  );
}

function byPlace(a: Mark, b: Mark): number {
  return (
    a.from - b.from || a.to - b.to || Number(a.annotation.primary) - Number(b.annotation.primary)
  );
}

function symbolOf(annotation: Annotation): string {
  return annotation.primary ? "^" : "-";
}

// ── the canvas: one row, addressed by display column ────────────────────────────────────────────

type Canvas = ({ readonly text: string; readonly role: Role } | undefined)[];

/**
 * Writes over the cells of the canvas. A text whose width differs from its length must be the last
 * text of its row.
 */
function put(canvas: Canvas, column: number, text: string, role: Role): void {
  if (role === "source" || /[^ -~]/.test(text)) canvas[column] = { text, role };
  else for (let at = 0; at < text.length; at++) canvas[column + at] = { text: text[at]!, role };
}

/**
 * Draws the rule from a bar to the mark of a tall annotation. The rule passes behind other bars.
 */
function rule(canvas: Canvas, from: number, to: number, tall: Annotation): void {
  for (let column = from; column < to; column++)
    if (!canvas[column]) put(canvas, column, "_", roleOf(tall));
  put(canvas, to, symbolOf(tall), roleOf(tall));
}

function piecesOf(canvas: Canvas): readonly Piece[] {
  const pieces: { text: string; role: Role }[] = [];
  for (const cell of Array.from(
    canvas,
    (cell) => cell ?? ({ text: " ", role: "source" } as const),
  )) {
    const last = pieces.at(-1);
    if (last?.role === cell.role) last.text += cell.text;
    else pieces.push({ ...cell });
  }
  return pieces;
}

// How text looks in a terminal: how many columns each character takes, and what is shown for
// characters that a reader cannot see.

/**
 * One grapheme cluster, which a reader sees as one character. `start` and `end` are its place in
 * the line, in UTF-16 units.
 */
export interface Cell {
  readonly text: string;
  /** The number of columns: 1, 2 for a wide character, up to `tabWidth` for a tab. */
  readonly width: number;
  readonly start: number;
  readonly end: number;
}

const tabWidth = 4;

/**
 * The cells of one line of source. Tabs become spaces, and control characters become visible
 * pictures.
 */
export function displayCells(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const [start, cluster] of clusters(line)) {
    const width = cluster === "\t" ? tabWidth - (column % tabWidth) : columnsOf(cluster);
    const text = cluster === "\t" ? " ".repeat(width) : visible(cluster);
    cells.push({ text, width, start, end: start + cluster.length });
    column += width;
  }
  return cells;
}

/**
 * A text, such as a message or a file name, for one line of a terminal. The result has no character
 * that a terminal obeys.
 */
export function harmless(text: string): string {
  if (isPrintableAscii(text)) return text;
  let shown = "";
  for (const [, cluster] of clusters(text))
    shown += /^[\t\r\n]+$/.test(cluster) ? " " : visible(cluster);
  return shown;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Grapheme clusters with their offsets. Plain ASCII is not segmented. Other stretches are segmented
 * in pieces of bounded length, because the time of segmentation grows with the square of the
 * length. A cluster that a piece cuts is shown as two.
 */
function* clusters(text: string): Generator<readonly [number, string]> {
  for (const { 0: stretch, index } of text.matchAll(/[ -~](?![^ -~])|[ -~]?[^ -~]{1,256}/gu)) {
    if (stretch.length === 1) yield [index, stretch];
    else for (const part of segmenter.segment(stretch)) yield [index + part.index, part.segment];
  }
}

function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/**
 * A control character becomes its picture (`␛`). A character that is invisible or that reorders the
 * text around it becomes the replacement character. So a reader sees what the compiler reads.
 */
function visible(cluster: string): string {
  const code = cluster.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code < 0xa0) return cluster.length === 1 && code >= 0x80 ? "\ufffd" : cluster;
  if (isHidden(code) || isLoneSurrogate(code)) return "\ufffd";
  // A combining mark without a base character gets a dotted circle, as Unicode recommends.
  if (/^\p{Mark}/u.test(cluster)) return `\u25cc${cluster}`;
  return cluster;
}

/**
 * Zero-width and bidirectional controls, line and paragraph separators, tags, the byte order mark.
 */
function isHidden(code: number): boolean {
  return (
    code === 0xad ||
    code === 0x61c ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0xfeff ||
    (code >= 0xe0000 && code <= 0xe007f)
  );
}

function isLoneSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function columnsOf(cluster: string): number {
  const code = cluster.codePointAt(0)!;
  if (code < 0x300) return 1;
  return isWide(code) || /^\p{Emoji_Presentation}/u.test(cluster) || cluster.includes("\ufe0f")
    ? 2
    : 1;
}

/** The wide and full-width blocks of Unicode's East Asian Width (UAX 11), without emoji. */
const wideBlocks: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return wideBlocks.some(([from, to]) => from <= code && code <= to);
}

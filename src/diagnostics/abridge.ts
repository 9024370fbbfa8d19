// Shortens one line of source for display. A line that does not fit is cut down to the parts around
// the spans.

import { displayCells, type Cell } from "../base/display.ts";

export interface ShownLine {
  readonly cells: readonly Cell[];
  /**
   * The display column of the character at an offset. For the end of the line, the column after the
   * last character.
   */
  columnOf(offset: number): number;
  /** The display column after the last character before an offset. */
  columnAfter(offset: number): number;
}

/**
 * How many characters are kept around each point, even if the line then becomes wider than `room`.
 */
const leastContext = 4;

/**
 * Shows a line in at most `room` columns. `points` are the offsets that must stay visible: the
 * beginnings and ends of spans. The characters far from all points are replaced by `…`, also in the
 * middle of a long span.
 */
export function abridge(line: string, points: readonly number[], room: number): ShownLine {
  const all = displayCells(line);
  const edges = columnEdges(all);
  if (edges.at(-1)! <= room) return shownLine(all);
  const wanted = (points.length > 0 ? points : [0])
    .map((point) => indexOfCellAt(all, point))
    .sort((a, b) => a - b);

  // The widest context that fits, by bisection. The width grows with the context.
  let context = leastContext;
  let tooMuch = all.length + 1;
  while (tooMuch - context > 1) {
    const middle = (context + tooMuch) >> 1;
    if (widthOfStretches(stretchesAround(wanted, middle, all.length), edges, all.length) <= room)
      context = middle;
    else tooMuch = middle;
  }

  const kept: Cell[] = [];
  let done = 0;
  const skipTo = (next: number) => {
    if (next > done)
      kept.push({ text: "…", width: 1, start: all[done]!.start, end: all[next - 1]!.end });
  };
  for (const [from, to] of stretchesAround(wanted, context, all.length)) {
    skipTo(from);
    kept.push(...all.slice(from, to));
    done = to;
  }
  skipTo(all.length);
  return shownLine(kept);
}

type Stretch = readonly [from: number, to: number];

/**
 * Half-open ranges of cells within `context` of a point. Ranges are merged where `…` would replace
 * only one cell.
 */
function stretchesAround(
  wanted: readonly number[],
  context: number,
  count: number,
): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const at of wanted) {
    const from = at - context <= 1 ? 0 : at - context;
    const to = at + context + 1 >= count - 1 ? count : at + context + 1;
    const last = stretches.at(-1);
    if (last && from <= last[1] + 1)
      stretches[stretches.length - 1] = [last[0], Math.max(last[1], to)];
    else stretches.push([from, to]);
  }
  return stretches;
}

function widthOfStretches(
  stretches: readonly Stretch[],
  edges: readonly number[],
  count: number,
): number {
  let width = 0;
  let done = 0;
  for (const [from, to] of stretches) {
    width += (from > done ? 1 : 0) + edges[to]! - edges[from]!;
    done = to;
  }
  return width + (done < count ? 1 : 0);
}

function shownLine(cells: readonly Cell[]): ShownLine {
  const edges = columnEdges(cells);
  return {
    cells,
    columnOf: (offset) => edges[indexOfCellAt(cells, offset)]!,
    columnAfter: (offset) =>
      offset <= 0 ? 0 : edges[Math.min(indexOfCellAt(cells, offset - 1) + 1, cells.length)]!,
  };
}

/** The column at which each cell begins, and the total width at the end. */
function columnEdges(cells: readonly Cell[]): readonly number[] {
  const edges = [0];
  for (const cell of cells) edges.push(edges.at(-1)! + cell.width);
  return edges;
}

/**
 * The index of the cell that contains an offset, or the number of cells for the end of the line.
 */
function indexOfCellAt(cells: readonly Cell[], offset: number): number {
  let low = 0;
  let high = cells.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cells[middle]!.end <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

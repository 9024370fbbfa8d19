// The memory that a contraction works in: its tables, and panels for as many parts as are under way
// at once.

import { cellsOfMemory } from "../memory/arena.ts";
import { threadCount } from "../threads/threads.ts";
import { adjacentCells, cellsAsTheyLie } from "./packing.ts";
import type { ContractionPlan, Panels, Table } from "./plan.ts";
import { divisions, rowsAtOnce, taskWords, type Division, type Task } from "./task.ts";
import { cellBytes } from "./tile.ts";

/** Where everything lies, in bytes from the beginning; the panels' own from theirs. */
export interface Workspace {
  readonly rows: number;
  readonly rowKinds: number;
  readonly columns: number;
  readonly columnKinds: number;
  readonly targetRows: number;
  readonly targetColumns: number;
  readonly targetKinds: number;
  readonly leftDepth: number;
  readonly rightDepth: number;
  /** Where the rows of a tile lie in the room for one. */
  readonly roomRows: number;
  /**
   * Of operands that tiles read as they lie: how far two positions of the depth are apart; 0 where
   * they are packed.
   */
  readonly leftStep: number;
  readonly rightStep: number;
  /** Set where something is not finite that has to be. */
  readonly flag: number;
  /** The task, and the table of the batch. */
  readonly task: number;
  readonly batch: number;
  /** All columns, packed once for many runs. */
  readonly packed?: number;
  /** Panels of the left operand, then room for a tile, then panels of the right one. */
  readonly panels: number;
  readonly rights: number;
  readonly room: number;
  readonly division: Divided;
  readonly bytes: number;
}

/** How a contraction is divided into parts. */
export interface Divided {
  readonly what: Division;
  readonly length: number;
  /** How long a part is. */
  readonly by: number;
  readonly threads: number;
  /** How many columns are packed at a time. */
  readonly blockColumns: number;
  /** How many bytes of panels there are for each position of a part. */
  readonly slide: number;
}

/**
 * `packed once`: no run changes the right operand, and there is room for all of it. `isFollowed`:
 * something is made of the rows of each part.
 */
export function workspaceOf(
  plan: ContractionPlan,
  columnsAre: "packed once" | "packed again",
  isFollowed: boolean,
): Workspace {
  let top = 0;
  const take = (bytes: number): number => {
    const at = top;
    top += rounded(bytes);
    return at;
  };
  const { form, rows, columns, targetRows, targetColumns, leftDepth, rightDepth, blocks, batch } =
    plan;
  const table = ({ offsets }: Table): number => take(4 * offsets.length);
  const kinds = (panels: Panels): number => take(panels.kinds.length);
  const width = cellBytes(form.type);
  const isOnce = columnsAre === "packed once";
  const parts = divided(
    plan,
    threadCount(),
    isOnce ? "rows" : isFollowed ? "the longer side" : "what is packed",
  );
  const blockColumns =
    parts.what === "columns" ? Math.min(blocks.columns, parts.by) : blocks.columns;
  const { leftStep } = plan;
  const rightStep = isOnce ? 0 : plan.rightStep;
  const lefts =
    leftStep === 0
      ? rounded((Math.min(blocks.rows, rowsAtOnce) + form.rows) * blocks.depth * width)
      : 0;
  const isAllRead = rightStep !== 0 && columns.kinds.every((kind) => kind === adjacentCells);
  const rights = isAllRead ? 0 : rounded(blockColumns * blocks.depth * width);
  const room = rounded(form.rows * form.columns * width);
  const slide = rounded(Math.ceil((lefts + (isOnce ? 0 : rights) + room) / parts.by));
  const tables = {
    rows: table(rows),
    rowKinds: kinds(rows),
    columns: table(columns),
    columnKinds: kinds(columns),
    targetRows: table(targetRows),
    targetColumns: table(targetColumns),
    targetKinds: kinds(targetColumns),
    leftDepth: table(leftDepth),
    rightDepth: table(rightDepth),
    roomRows: take(4 * form.rows),
    flag: take(4),
    task: take(4 * taskWords.length),
    batch: take(12 * batch.length),
    ...(isOnce ? { packed: take(rights) } : {}),
    panels: take(slide * parts.by * parts.threads),
  };
  const division = { ...parts, blockColumns, slide };
  return {
    ...tables,
    leftStep,
    rightStep,
    room: lefts,
    rights: lefts + room,
    division,
    bytes: top,
  };
}

/** Everything begins with a line of the cache. */
function rounded(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/** Where a part is at least so long, what every part packs for itself hardly counts. */
const longPart = 256;

/**
 * Kernels reduce so many rows at a time: parts that begin elsewhere would add up in another order.
 */
export const rowsTogether = 4;

/**
 * Batches by their entries, others by their longer side, or by columns that are nearly as long
 * where only these are packed; in more parts than there are threads where that costs nothing.
 */
function divided(
  { form, batch, rows, columns, leftStep, rightStep }: ContractionPlan,
  threads: number,
  by: "rows" | "the longer side" | "what is packed",
): Pick<Divided, "what" | "length" | "by" | "threads"> {
  const inParts = (
    what: Division,
    length: number,
    panel: number,
    parts: number,
  ): ReturnType<typeof divided> => {
    return { what, length, by: Math.ceil(length / parts / panel) * panel, threads };
  };
  if (threads === 1) return inParts("batch", batch.length, 1, 1);
  if (batch.length >= 2 * threads && by !== "rows")
    return inParts("batch", batch.length, 1, 2 * threads);
  const isLong = 2 * columns.length >= Math.max(threads * longPart, rows.length);
  const arePacked = by === "what is packed" && leftStep !== 0 && rightStep === 0 && isLong;
  const [what, length, panel] =
    by !== "rows" && (columns.length > rows.length || arePacked)
      ? (["columns", columns.length, form.columns] as const)
      : ([
          "rows",
          rows.length,
          form.rows % rowsTogether === 0 ? form.rows : 2 * form.rows,
        ] as const);
  return inParts(what, length, panel, length >= 2 * threads * longPart ? 2 * threads : threads);
}

/**
 * Writes the tables of a contraction to where it works: all bytes at once, which are the same as
 * long as it works there.
 */
export function tablesOf(plan: ContractionPlan, work: Workspace): (at: number) => void {
  let image = new Uint8Array(0);
  let place = -1;
  return (at) => {
    if (at !== place) image = imageOf(plan, work, at);
    place = at;
    (cellsOfMemory("bool") as Uint8Array).set(image, at);
  };
}

function imageOf(plan: ContractionPlan, work: Workspace, at: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(work.packed ?? work.panels);
  const integers = new Int32Array(bytes.buffer);
  const table = ({ offsets }: Table, place: number): void => integers.set(offsets, place / 4);
  table(plan.rows, work.rows);
  bytes.set(plan.rows.kinds, work.rowKinds);
  table(plan.columns, work.columns);
  const isRead = (kind: number): boolean => work.rightStep !== 0 && kind === adjacentCells;
  bytes.set(
    plan.columns.kinds.map((kind) => (isRead(kind) ? cellsAsTheyLie : kind)),
    work.columnKinds,
  );
  table(plan.targetRows, work.targetRows);
  table(plan.targetColumns, work.targetColumns);
  bytes.set(plan.targetColumns.kinds, work.targetKinds);
  table(plan.leftDepth, work.leftDepth);
  table(plan.rightDepth, work.rightDepth);
  const { form } = plan;
  for (let row = 0; row < form.rows; row++)
    integers[work.roomRows / 4 + row] = row * form.columns * cellBytes(form.type);
  plan.batch.forEach(({ left, right, target }, k) =>
    integers.set([left, right, target], work.batch / 4 + 3 * k),
  );
  const task = taskOf(plan, work, at);
  integers.set(
    taskWords.map((word) => task[word]),
    work.task / 4,
  );
  return bytes;
}

function taskOf(plan: ContractionPlan, work: Workspace, at: number): Task {
  const { blocks, leftMasked, rightMasked } = plan;
  const { division } = work;
  return {
    batch: at + work.batch,
    rows: at + work.rows,
    rowKinds: at + work.rowKinds,
    columns: at + work.columns,
    columnKinds: at + work.columnKinds,
    targetRows: at + work.targetRows,
    targetColumns: at + work.targetColumns,
    targetKinds: at + work.targetKinds,
    leftDepth: at + work.leftDepth,
    rightDepth: at + work.rightDepth,
    // Where one operand has zeros for what guards leave out, the other one has to be finite.
    rowFlag: rightMasked ? at + work.flag : 0,
    columnFlag: leftMasked ? at + work.flag : 0,
    rights: work.rights,
    room: work.room,
    roomRows: at + work.roomRows,
    leftStep: work.leftStep,
    rightStep: work.rightStep,
    slide: division.slide,
    packed: work.packed === undefined ? 0 : at + work.packed,
    blockDepth: blocks.depth,
    blockColumns: division.blockColumns,
    batchEnd: plan.batch.length,
    rowEnd: plan.rows.length,
    columnEnd: plan.columns.length,
    depthEnd: plan.leftDepth.length,
    divided: divisions.indexOf(division.what),
  };
}

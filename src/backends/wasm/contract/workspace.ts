// Lays out the memory that a contraction works in: its tables, and panels for as many parts as run
// at the same time.

import { cellsOfMemory } from "../memory/arena.ts";
import { threadCount } from "../threads/threads.ts";
import { adjacentCells, cellsInPlace } from "./packing.ts";
import type { ContractionPlan, Panels, Table } from "./plan.ts";
import { divisions, rowsAtOnce, taskWords, type Division, type Task } from "./task.ts";
import { cellBytes } from "./tile.ts";

/**
 * Byte offsets from the beginning of the workspace; those of panels are from the beginning of the
 * panels.
 */
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
  /**
   * A tile at the border is written to a scratch place of one full tile, `room`, and copied from
   * there. This table has the offsets of its rows.
   */
  readonly roomRows: number;
  /**
   * The bytes between two positions of the depth, for operands that tiles read in place; 0 for
   * packed ones.
   */
  readonly leftStep: number;
  readonly rightStep: number;
  /** Set if something is not finite that has to be. */
  readonly flag: number;
  /** The task, and the table of the batch. */
  readonly task: number;
  readonly batch: number;
  /** All columns, packed once for many runs. */
  readonly packed?: number;
  /** Panels of the left operand, then the room for a tile, then panels of the right operand. */
  readonly panels: number;
  readonly rights: number;
  readonly room: number;
  readonly division: Divided;
  readonly bytes: number;
}

/** How a contraction is divided into parts. */
interface Divided {
  readonly what: Division;
  readonly length: number;
  /** The length of a part. */
  readonly by: number;
  readonly threads: number;
  /** How many columns are packed at a time. */
  readonly blockColumns: number;
  /** The bytes of panels for each position of a part. */
  readonly slide: number;
}

/**
 * `packed once` means that no run changes the right operand, and that all of it is packed.
 * `isFollowed` means that an epilogue computes something from the rows of each part.
 */
export function workspaceOf(
  plan: ContractionPlan,
  columnsAre: "packed once" | "packed again",
  isFollowed: boolean,
): Workspace {
  let top = 0;
  const take = (bytes: number): number => {
    const at = top;
    top += roundedToCacheLine(bytes);
    return at;
  };
  const { form, rows, columns, targetRows, targetColumns, leftDepth, rightDepth, blocks, batch } =
    plan;
  const table = ({ offsets }: Table): number => take(4 * offsets.length);
  const kinds = (panels: Panels): number => take(panels.kinds.length);
  const width = cellBytes(form.type);
  const isOnce = columnsAre === "packed once";
  const parts = divisionOf(
    plan,
    threadCount(),
    isOnce ? "rows" : isFollowed ? "the longer side" : "what is packed",
  );
  const blockColumns =
    parts.what === "columns" ? Math.min(blocks.columns, parts.by) : blocks.columns;
  const { leftStep } = plan;
  const rightStep = isOnce ? 0 : plan.rightStep;
  const leftBytes =
    leftStep === 0
      ? roundedToCacheLine((Math.min(blocks.rows, rowsAtOnce) + form.rows) * blocks.depth * width)
      : 0;
  const isRightReadInPlace =
    rightStep !== 0 && columns.kinds.every((kind) => kind === adjacentCells);
  const rightBytes = isRightReadInPlace
    ? 0
    : roundedToCacheLine(blockColumns * blocks.depth * width);
  const room = roundedToCacheLine(form.rows * form.columns * width);
  const slide = roundedToCacheLine(
    Math.ceil((leftBytes + (isOnce ? 0 : rightBytes) + room) / parts.by),
  );
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
    ...(isOnce ? { packed: take(rightBytes) } : {}),
    panels: take(slide * parts.by * parts.threads),
  };
  const division = { ...parts, blockColumns, slide };
  return {
    ...tables,
    leftStep,
    rightStep,
    room: leftBytes,
    rights: leftBytes + room,
    division,
    bytes: top,
  };
}

/** Everything begins at a cache line. */
function roundedToCacheLine(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/**
 * With parts of at least this length, the packing that every part does for itself hardly counts.
 */
const longPart = 256;

/** Kernels reduce this many rows at a time. Parts that begin between would add in another order. */
export const rowsTogether = 4;

/**
 * Divides the batch if it is long enough, else the longer of rows and columns, or the columns if
 * they are nearly as long and only they are packed. Makes more parts than threads if parts stay
 * long.
 */
function divisionOf(
  { form, batch, rows, columns, leftStep, rightStep }: ContractionPlan,
  threads: number,
  by: "rows" | "the longer side" | "what is packed",
): Pick<Divided, "what" | "length" | "by" | "threads"> {
  const inParts = (
    what: Division,
    length: number,
    panel: number,
    parts: number,
  ): ReturnType<typeof divisionOf> => {
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
 * Writes the tables of a contraction to its workspace at `at`. The bytes are computed once for each
 * address.
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
    plan.columns.kinds.map((kind) => (isRead(kind) ? cellsInPlace : kind)),
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
    // If one operand has zeros for terms that guards leave out, the other one has to be finite.
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

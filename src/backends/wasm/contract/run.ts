// Runs contractions: tables are written beside the panels, and blocks are packed and multiplied one after the other.

import type { Definition } from "../../../ir/program.ts";
import { cellsOfMemory, isMemoryShared, memoryType, sharedMemory } from "../arena.ts";
import { cameFrom, onThreads, threadCount, type ThreadFunction } from "../threads/threads.ts";
import { encodeModule } from "../encode.ts";
import { webAssembly } from "../web-assembly.ts";
import type { Layout } from "../kernels.ts";
import type { AddressOf, Runner } from "../units.ts";
import { contractionFunctions, partFunctions } from "./module.ts";
import type { ContractionPlan, Movement, Panels, Table } from "./plan.ts";
import { cellBytes, type Form } from "./tile.ts";

interface Functions {
  readonly columns: ThreadFunction;
  readonly rows: ThreadFunction;
}

const modules = new Map<string, Functions>();

/** The functions for a form, compiled when it is first asked for. */
function functionsFor(form: Form): Functions {
  const key = [isMemoryShared(), ...Object.values(form)].join();
  let known = modules.get(key);
  if (!known) {
    const functions = contractionFunctions(form);
    const bytes = encodeModule({ imports: [], memory: memoryType(), functions });
    const { Module, Instance } = webAssembly();
    const { exports } = new Instance(new Module(bytes), { host: { memory: sharedMemory() } });
    const all = functions.map((_, k) => exports[k] as ThreadFunction);
    cameFrom(bytes, all);
    known = { columns: all[partFunctions.columns]!, rows: all[partFunctions.rows]! };
    modules.set(key, known);
  }
  return known;
}

/** Where everything lies in the memory that a contraction works in, in bytes from its beginning. */
interface Workspace {
  readonly rows: number;
  readonly rowKinds: number;
  readonly columns: number;
  readonly columnKinds: number;
  readonly targetRows: number;
  readonly targetColumns: number;
  readonly targetKinds: number;
  readonly leftDepth: number;
  readonly rightDepth: number;
  /** Set where something is not finite that has to be. */
  readonly flag: number;
  readonly room: number;
  readonly lefts: number;
  readonly rights: number;
  readonly bytes: number;
}

function workspaceOf(plan: ContractionPlan, form: Form): Workspace {
  let top = 0;
  const take = (bytes: number): number => {
    const at = top;
    top += Math.ceil(bytes / 64) * 64;
    return at;
  };
  const { rows, columns, targetRows, targetColumns, leftDepth, rightDepth, blocks } = plan;
  const table = ({ offsets }: Table): number => take(4 * offsets.length);
  const kinds = (panels: Panels): number => take(panels.kinds.length);
  const width = cellBytes(form);
  return {
    rows: table(rows),
    rowKinds: kinds(rows),
    columns: table(columns),
    columnKinds: kinds(columns),
    targetRows: table(targetRows),
    targetColumns: table(targetColumns),
    targetKinds: kinds(targetColumns),
    leftDepth: table(leftDepth),
    rightDepth: table(rightDepth),
    flag: take(4),
    room: take((blocks.rows + form.rows) * form.columns * width),
    lefts: take((blocks.rows + form.rows) * blocks.depth * width),
    rights: take(blocks.columns * blocks.depth * width),
    bytes: top,
  };
}

/** A contraction with the memory that it works in, beside its operands and its target. */
export interface PlannedContraction {
  readonly plan: ContractionPlan;
  readonly form: Form;
  readonly workspace: { readonly definition: Definition; readonly layout: Layout };
}

export function withWorkspace(plan: ContractionPlan, form: Form): PlannedContraction {
  const layout: Layout = { element: "bool", shape: [workspaceOf(plan, form).bytes], strides: [1] };
  const definition: Definition = { ...plan.target, name: `${plan.target.name}_panels`, origin: "helper", clauses: [] };
  return { plan, form, workspace: { definition, layout } };
}

export function contractionRunner({ plan, form, workspace }: PlannedContraction): Runner {
  let bases: Bases = { left: 0, right: 0, target: 0 };
  let at = 0;
  return {
    bind(addressOf) {
      bases = basesOf(plan, addressOf);
      at = addressOf(workspace.definition);
    },
    run() {
      writeTables(plan, workspaceOf(plan, form), at);
      multiplyOut(plan, form, bases, at, "pack columns");
    },
  };
}

/** The products of one step after the other, at the positions that `held` has; `isInside` says whether a step has any. */
export function stepRunner(
  { plan, form, workspace }: PlannedContraction,
  held: readonly number[],
  isInside: () => boolean,
  isFixed: (definition: Definition) => boolean,
): Runner {
  const { blocks, columns, leftDepth, batch } = plan;
  const moves = plan.held!;
  // Columns that no step changes are packed once, if there is room for all of them.
  const isWhole = batch.length === 1 && columns.length <= blocks.columns && leftDepth.length <= blocks.depth;
  const isStill = isWhole && isFixed(plan.right) && !moves.right.window && moves.right.by.every((by) => by === 0);
  let bases: Bases = { left: 0, right: 0, target: 0 };
  let at = 0;
  let isReady = false;
  return {
    bind(addressOf) {
      bases = basesOf(plan, addressOf);
      at = addressOf(workspace.definition);
      isReady = false;
    },
    run() {
      if (!isInside()) return;
      if (!isReady) writeTables(plan, workspaceOf(plan, form), at);
      const moved: Bases = {
        left: bases.left + movedBy(moves.left, held),
        right: bases.right + movedBy(moves.right, held),
        target: bases.target + movedBy(moves.target, held),
      };
      multiplyOut(plan, form, moved, at, isReady && isStill ? "columns are packed" : "pack columns");
      isReady = true;
    },
  };
}

interface Bases {
  readonly left: number;
  readonly right: number;
  readonly target: number;
}

function basesOf({ left, right, target }: ContractionPlan, addressOf: AddressOf): Bases {
  return { left: addressOf(left), right: addressOf(right), target: addressOf(target) };
}

function movedBy({ by, window }: Movement, held: readonly number[]): number {
  let bytes = 0;
  for (let k = 0; k < by.length; k++) bytes += by[k]! * held[k]!;
  if (!window) return bytes;
  const step = (held[window.held]! + window.offset) % window.steps;
  return bytes + (step < 0 ? step + window.steps : step) * window.bytes;
}

/** An operand that has to be finite is not: the sums have to be computed term by term. */
export class NotFinite extends Error {}

/** Multiplies out a contraction, given where its operands, its target and its workspace, with tables in it, lie. */
function multiplyOut(
  plan: ContractionPlan,
  form: Form,
  { left, right, target }: Bases,
  at: number,
  how: "pack columns" | "columns are packed",
): void {
  const work = workspaceOf(plan, form);
  const functions = functionsFor(form);
  const { rows, columns, leftDepth, blocks, batch, leftMasked, rightMasked } = plan;
  const depth = leftDepth.length;
  const [lefts, rights, flag] = [at + work.lefts, at + work.rights, at + work.flag];
  const integers = cellsOfMemory("i32") as Int32Array;
  integers[flag / 4] = 0;
  for (const first of batch) {
    for (let column = 0; column < columns.length; column += blocks.columns) {
      const endColumn = Math.min(columns.length, column + blocks.columns);
      for (let deep = 0; deep < depth; deep += blocks.depth) {
        const endDeep = Math.min(depth, deep + blocks.depth);
        const cellsOf = (count: number): number => count * (endDeep - deep);
        /** What both functions begin with; where the other operand is masked, this one has to be finite. */
        const packing = (source: number, panels: number, table: number, kinds: number, depths: number, base: number, isOtherMasked: boolean): readonly number[] => // prettier-ignore
          [source, panels, at + table, at + kinds, at + depths + 4 * deep, at + depths + 4 * endDeep, base, isOtherMasked ? flag : 0]; // prettier-ignore
        if (how === "pack columns")
          inParts(
            functions.columns,
            packing(right + first.right, rights, work.columns, work.columnKinds, work.rightDepth, column, leftMasked),
            [column, endColumn, form.columns],
            cellsOf(endColumn - column),
          );
        for (let row = 0; row < rows.length; row += blocks.rows) {
          const endRow = Math.min(rows.length, row + blocks.rows);
          inParts(
            functions.rows,
            [
              ...packing(left + first.left, lefts, work.rows, work.rowKinds, work.leftDepth, row, rightMasked),
              rights,
              target + first.target,
              at + work.targetRows,
              at + work.targetColumns,
              column,
              endColumn,
              at + work.targetKinds,
              at + work.room,
              deep > 0 ? 1 : 0,
            ],
            [row, endRow, form.rows],
            (cellsOf(endRow - row) * (endColumn - column)) / 4,
          );
        }
        if (integers[flag / 4] !== 0) throw new NotFinite();
      }
    }
  }
}

/** Rows that are packed and multiplied at a time: their panels stay in the cache. */
const mostRows = 128;

/** Calls a function for parts of a range, each some panels long, on all threads where that pays. */
function inParts(
  call: ThreadFunction,
  args: readonly number[],
  [from, to, panel]: readonly [number, number, number],
  work: number,
): void {
  const threads = threadCount();
  if (threads > 1) {
    const share = Math.ceil((to - from) / (2 * threads * panel)) * panel;
    if (onThreads([{ call, args, rowsEach: 1, slides: [] }], from, to, Math.min(mostRows, share), work)) return;
  }
  for (let first = from; first < to; first += mostRows) call(...args, first, Math.min(to, first + mostRows));
}

function writeTables(plan: ContractionPlan, work: Workspace, at: number): void {
  const integers = cellsOfMemory("i32") as Int32Array;
  const bytes = cellsOfMemory("bool") as Uint8Array;
  const table = ({ offsets }: Table, place: number): void => integers.set(offsets, (at + place) / 4);
  const kinds = (panels: Panels, place: number): void => bytes.set(panels.kinds, at + place);
  table(plan.rows, work.rows);
  kinds(plan.rows, work.rowKinds);
  table(plan.columns, work.columns);
  kinds(plan.columns, work.columnKinds);
  table(plan.targetRows, work.targetRows);
  table(plan.targetColumns, work.targetColumns);
  kinds(plan.targetColumns, work.targetKinds);
  table(plan.leftDepth, work.leftDepth);
  table(plan.rightDepth, work.rightDepth);
}

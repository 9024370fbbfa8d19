// Runs contractions. The tables are written into the workspace, and one call, or one on each
// thread, does the rest.

import type { Definition } from "../../../ir/program.ts";
import { cellsOfMemory, isMemoryShared, memoryType, sharedMemory } from "../memory/arena.ts";
import { cameFrom, onThreads, threadCount, type ThreadFunction } from "../threads/threads.ts";
import type { Move, PartCall, Span } from "../threads/part.ts";
import { encodeModule } from "../code/encode.ts";
import { webAssembly } from "../web-assembly.ts";
import type { Layout } from "../code/kernels.ts";
import type { Runner } from "../runners.ts";
import { contractionFunctions, partFunctions } from "./module.ts";
import type { ContractionPlan, Movement } from "./plan.ts";
import { cellBytes, type Form } from "./tile.ts";
import { rowsTogether, tablesOf, workspaceOf, type Workspace } from "./workspace.ts";

type Functions = Readonly<Record<keyof typeof partFunctions, ThreadFunction>>;

const modules = new Map<string, Functions>();
/** The functions last used for a form, in memory that is shared or not. */
const latestFunctions = new WeakMap<
  Form,
  { readonly isShared: boolean; readonly functions: Functions }
>();

/** The functions for a form, compiled at the first use. */
function functionsFor(form: Form): Functions {
  const isShared = isMemoryShared();
  const known = latestFunctions.get(form);
  if (known?.isShared === isShared) return known.functions;
  const key = [isShared, ...Object.values(form)].join();
  const functions = modules.get(key) ?? compiledFunctionsFor(form);
  modules.set(key, functions);
  latestFunctions.set(form, { isShared, functions });
  return functions;
}

function compiledFunctionsFor(form: Form): Functions {
  const functions = contractionFunctions(form);
  const bytes = encodeModule({ imports: [], memory: memoryType(), functions });
  const { Module, Instance } = webAssembly();
  const { exports } = new Instance(new Module(bytes), { host: { memory: sharedMemory() } });
  const all = functions.map((_, k) => exports[k] as ThreadFunction);
  cameFrom(bytes, all);
  return { columns: all[partFunctions.columns]!, task: all[partFunctions.task]! };
}

/**
 * A contraction with its workspace: the memory that it needs besides its operands and its target.
 */
export interface PlannedContraction {
  readonly plan: ContractionPlan;
  readonly work: Workspace;
  readonly writeTables: (at: number) => void;
  readonly workspace: { readonly definition: Definition; readonly layout: Layout };
}

/**
 * `isFixed` tells whether no run changes a definition, if the contraction is run many times.
 * `isFollowed` says that an epilogue computes something from its rows.
 */
export function withWorkspace(
  plan: ContractionPlan,
  { isFixed = () => false, isFollowed = false }: WorkspaceOptions,
): PlannedContraction {
  const work = workspaceOf(
    plan,
    isRightConstant(plan, isFixed) ? "packed once" : "packed again",
    isFollowed,
  );
  const layout: Layout = { element: "bool", shape: [work.bytes], strides: [1] };
  const definition: Definition = {
    ...plan.target,
    name: `${plan.target.name}_panels`,
    origin: "helper",
    clauses: [],
  };
  return { plan, work, writeTables: tablesOf(plan, work), workspace: { definition, layout } };
}

interface WorkspaceOptions {
  readonly isFixed?: (definition: Definition) => boolean;
  readonly isFollowed?: boolean;
}

/** Whether the right operand has the same values and place in all steps, and is a single block. */
function isRightConstant(
  { right, columns, leftDepth, blocks, batch, held }: ContractionPlan,
  isFixed: (definition: Definition) => boolean,
): boolean {
  const isWhole =
    batch.length === 1 && columns.length <= blocks.columns && leftDepth.length <= blocks.depth;
  return (
    isWhole &&
    held !== undefined &&
    isFixed(right) &&
    !held.right.window &&
    held.right.by.every((by) => by === 0)
  );
}

/** Work that follows the sums: all of it, or a part for each part of the sums. */
interface Epilogue {
  readonly run: () => void;
  readonly partCall: () => Pick<PartCall, "call" | "args">;
}

/**
 * Runs a contraction. The epilogue runs for each part as soon as its sums are there, if
 * `isDividedLike` permits it.
 */
export function contractionRunner(planned: PlannedContraction, epilogue?: Epilogue): Runner {
  return withBases(planned, (bases, at) => {
    planned.writeTables(at);
    multiplyOut(planned, bases, at, epilogue);
  });
}

/**
 * Whether threads divide a contraction into consecutive rows of its target, as many as the cells of
 * the given shape have.
 */
export function isDividedLike(
  { plan, work }: PlannedContraction,
  shape: readonly number[],
): boolean {
  const { what, length, by, threads } = work.division;
  const [rows, ...others] = shape;
  if (threads === 1 || length !== rows || by % rowsTogether !== 0) return false;
  const bytes = others.reduce((total, extent) => total * extent, cellBytes(plan.form.type));
  if (what === "batch") return plan.batch.every(({ target }, k) => target === k * bytes);
  return (
    what === "rows" &&
    plan.batch.length === 1 &&
    plan.targetRows.offsets.every((offset, k) => k >= length || offset === k * bytes)
  );
}

/**
 * Runs the products of one step after the other, at the positions in `held`. `isInside` says
 * whether the current step has products.
 */
export function stepRunner(
  planned: PlannedContraction,
  held: readonly number[],
  isInside: () => boolean,
): SteppingRunner {
  const { plan, work } = planned;
  const moves = plan.held!;
  let isReady = false;
  const getReady = ({ right }: Bases, at: number): void => {
    if (!isReady) {
      planned.writeTables(at);
      if (work.packed !== undefined) packColumns(planned, right, at);
    }
    isReady = true;
  };
  const step = withBases(planned, (bases, at) => {
    getReady(bases, at);
    const moved: Bases = {
      left: bases.left + bytesMovedBy(moves.left, held),
      right: bases.right + bytesMovedBy(moves.right, held),
      target: bases.target + bytesMovedBy(moves.target, held),
    };
    multiplyOut(planned, moved, at);
  });
  return {
    bind(addressOf) {
      isReady = false;
      step.bind(addressOf);
    },
    run() {
      if (isInside()) step.run();
    },
    stepping({ first, direction }, steps) {
      const { bases, at } = step.bound();
      getReady(bases, at);
      const movement = (operand: keyof Bases): Move => {
        const { by, window } = moves[operand];
        const moving = { argument: operands[operand], by: by[0]! * direction };
        if (!window) return moving;
        return { ...moving, window: { ...window, first: first + window.offset, direction } };
      };
      const start = (operand: keyof Bases): number =>
        bases[operand] + moves[operand].by[0]! * first;
      const firsts = { left: start("left"), right: start("right"), target: start("target") };
      const all = [movement("left"), movement("right"), movement("target")];
      return { ...callOfTask(planned, firsts, at), stepping: { ...steps, moves: all } };
    },
  };
}

/** Runs the products of steps; all of them can be one call that moves from step to step. */
interface SteppingRunner extends Runner {
  /**
   * `position` has the first position of the loop and its direction, and `steps` the steps that
   * have products.
   */
  stepping(position: { readonly first: number; readonly direction: 1 | -1 }, steps: Span): PartCall;
}

interface Bound extends Runner {
  readonly bound: () => { readonly bases: Bases; readonly at: number };
}

/** A runner that knows the addresses of the operands, the target and the workspace. */
function withBases(
  { plan, workspace }: PlannedContraction,
  run: (bases: Bases, at: number) => void,
): Bound {
  let bases: Bases = { left: 0, right: 0, target: 0 };
  let at = 0;
  return {
    bind(addressOf) {
      bases = {
        left: addressOf(plan.left),
        right: addressOf(plan.right),
        target: addressOf(plan.target),
      };
      at = addressOf(workspace.definition);
    },
    run: () => run(bases, at),
    bound: () => ({ bases, at }),
  };
}

/** The arguments of a call that hold these addresses. */
const operands = { left: 1, right: 2, target: 3 } as const;

interface Bases {
  readonly left: number;
  readonly right: number;
  readonly target: number;
}

function bytesMovedBy({ by, window }: Movement, held: readonly number[]): number {
  let bytes = 0;
  for (let k = 0; k < by.length; k++) bytes += by[k]! * held[k]!;
  if (!window) return bytes;
  const step = (held[window.held]! + window.offset) % window.steps;
  return bytes + (step < 0 ? step + window.steps : step) * window.bytes;
}

/** An operand that has to be finite is not, so the sums must be computed term by term. */
export class NotFinite extends Error {}

/** Packs all columns once for all steps. */
function packColumns({ plan, work }: PlannedContraction, right: number, at: number): void {
  const { form, columns, rightDepth, leftMasked, batch } = plan;
  const depths = at + work.rightDepth;
  const flag = at + work.flag;
  (cellsOfMemory("i32") as Int32Array)[flag / 4] = 0;
  functionsFor(form).columns(
    right + batch[0]!.right,
    at + work.packed!,
    at + work.columns,
    at + work.columnKinds,
    depths,
    depths + 4 * rightDepth.length,
    0,
    leftMasked ? flag : 0,
    0,
    columns.length,
  );
  throwUnlessFinite(flag);
}

function throwUnlessFinite(flag: number): void {
  if ((cellsOfMemory("i32") as Int32Array)[flag / 4] !== 0) throw new NotFinite();
}

/** Computes a contraction whose tables are written, on all threads if that pays. */
function multiplyOut(
  planned: PlannedContraction,
  bases: Bases,
  at: number,
  epilogue?: Epilogue,
): void {
  const { plan, work } = planned;
  const flag = at + work.flag;
  (cellsOfMemory("i32") as Int32Array)[flag / 4] = 0;
  const { by, length, threads } = work.division;
  const part = callOfTask(planned, bases, at);
  const calls = epilogue ? [part, { ...epilogue.partCall(), rowsEach: 1, slides: [] }] : [part];
  const isShared = threads === threadCount() && onThreads(calls, length, by, productsIn(plan) / 4);
  if (!isShared) {
    part.call(...part.args, 0, length);
    epilogue?.run();
  }
  throwUnlessFinite(flag);
}

function callOfTask(
  { plan: { form }, work }: PlannedContraction,
  { left, right, target }: Bases,
  at: number,
): PartCall {
  const args = [at + work.task, left, right, target, at + work.panels];
  return {
    call: functionsFor(form).task,
    args,
    rowsEach: 1,
    slides: [0, 0, 0, 0, work.division.slide],
  };
}

export function productsIn({ batch, rows, columns, leftDepth }: ContractionPlan): number {
  return batch.length * rows.length * columns.length * leftDepth.length;
}

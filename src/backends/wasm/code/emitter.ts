// The code of a kernel while it is being emitted. Every value is kept in a local. It is computed
// once, in the outermost scope where everything it depends on is known. So loop-invariants leave
// their loops and common subexpressions are shared without a pass of their own.
//
// A scope is the body of the function, of a loop, or of a branch. While an inner scope is open,
// code may still be added to an outer scope. That code lands before the inner scope, because a
// scope is written into its parent only when it closes.

import type { Variable } from "../../../affine/term.ts";
import {
  append,
  firstCalled,
  signed,
  signedBig,
  unsigned,
  type EncodedFunction,
  type Signature,
  type ValueType,
} from "./encode.ts";
import {
  laneOpcodes,
  laneMemoryOpcodes,
  memoryOpcodes,
  opcodes,
  shuffleOpcode,
  type LaneOpcode,
  type LaneMemoryOpcode,
  type MemoryOpcode,
  type Opcode,
} from "./opcodes.ts";
import { tooLarge, Unsupported } from "../unsupported.ts";

/** A computed value: its local, and the level of the scope in which it is computed. */
export interface Slot {
  readonly local: number;
  readonly type: ValueType;
  readonly level: number;
  /** Four lanes of f64 take two registers. This one holds the third and the fourth lane. */
  readonly upper?: Slot;
}

interface Scope {
  readonly code: number[];
  readonly known: Map<string, Slot>;
  readonly kind: "function" | "loop" | "branch";
  /** The number of elementary functions that are written out in this scope. */
  functions: number;
}

export interface Emitter {
  readonly scopes: Scope[];
  readonly parameters: ValueType[];
  readonly locals: ValueType[];
  /** The value of each coordinate. */
  readonly coordinates: Map<Variable, Slot>;
  readonly imports: Imports;
  /** Other functions of the module that the code calls. */
  readonly calls: EncodedFunction[];
  /** The number of elementary functions that are written out in all scopes. */
  functions: number;
  /**
   * Values are not computed in scopes outside of this one. It is 0, except while code for rare
   * cases is emitted.
   */
  outermost: number;
}

/** The functions of the host that a module uses, numbered in the order of their first use. */
export interface Imports {
  indexOf(name: string, signature: Signature): number;
}

export function newEmitter(imports: Imports): Emitter {
  return {
    scopes: [newScope("function")],
    parameters: [],
    locals: [],
    coordinates: new Map(),
    imports,
    calls: [],
    functions: 0,
    outermost: 0,
  };
}

function newScope(kind: Scope["kind"]): Scope {
  return { code: [], known: new Map(), kind, functions: 0 };
}

/** Adds a parameter. All parameters have to be added before any local. */
export function newParameter(emitter: Emitter, type: ValueType): Slot {
  const local = emitter.parameters.push(type) - 1;
  return { local, type, level: 0 };
}

/** A kernel with more locals is refused in any case, and would take too much memory before that. */
const mostLocals = 1 << 19;

export function newLocal(emitter: Emitter, type: ValueType): number {
  if (emitter.locals.length >= mostLocals) throw new Unsupported(tooLarge);
  return emitter.parameters.length + emitter.locals.push(type) - 1;
}

/** The level of the innermost open scope. */
export function here(emitter: Emitter): number {
  return emitter.scopes.length - 1;
}

/**
 * The level of the innermost scope that may not run at all. Code that can fail stays inside of it.
 */
export function conditionalLevel(emitter: Emitter): number {
  for (let level = here(emitter); level > 0; level--)
    if (emitter.scopes[level]!.kind !== "function") return level;
  return 0;
}

export function codeAt(emitter: Emitter, level: number): number[] {
  return emitter.scopes[level]!.code;
}

/**
 * The value of a key. If no open scope has computed it, `push` emits code at `level` that pushes
 * it.
 */
export function valueAt(
  emitter: Emitter,
  key: string,
  type: ValueType,
  level: number,
  push: (code: number[]) => void,
): Slot {
  for (let at = level; at >= 0; at--) {
    const known = emitter.scopes[at]!.known.get(key);
    if (known) return known;
  }
  // A scope between `level` and the open one may have computed the value too. It is valid here,
  // because that scope is still open.
  for (let at = level + 1; at < emitter.scopes.length; at++) {
    const known = emitter.scopes[at]!.known.get(key);
    if (known) return known;
  }
  const local = newLocal(emitter, type);
  const scope = Math.max(level, emitter.outermost);
  const code = codeAt(emitter, scope);
  push(code);
  set(code, local);
  const slot = { local, type, level: scope };
  emitter.scopes[scope]!.known.set(key, slot);
  return slot;
}

/** The value of a key, if an open scope has computed it. */
export function knownAt({ scopes }: Emitter, key: string): Slot | undefined {
  for (let level = scopes.length - 1; level >= 0; level--) {
    const known = scopes[level]!.known.get(key);
    if (known) return known;
  }
  return undefined;
}

// ── instructions ────────────────────────────────────────────────────────────────────────────────

export function op(code: number[], name: Opcode): void {
  append(code, opcodes[name]);
}

export function get(code: number[], slot: { readonly local: number }): void {
  code.push(0x20);
  unsigned(code, slot.local);
}

export function set(code: number[], local: number): void {
  code.push(0x21);
  unsigned(code, local);
}

export function constI32(code: number[], value: number): void {
  code.push(0x41);
  signed(code, value);
}

export function constI64(code: number[], value: bigint): void {
  code.push(0x42);
  signedBig(code, value);
}

export function call(code: number[], index: number): void {
  code.push(0x10);
  unsigned(code, index);
}

/** Calls another function of the module. */
export function callWithin({ calls }: Emitter, code: number[], called: EncodedFunction): void {
  const known = calls.indexOf(called);
  code.push(0x10, firstCalled + (known >= 0 ? known : calls.push(called) - 1));
}

export function memory(code: number[], name: MemoryOpcode, offset: number): void {
  const { bytes, align } = memoryOpcodes[name];
  append(code, bytes);
  unsigned(code, align);
  unsigned(code, offset);
}

export function laneMemory(
  code: number[],
  name: LaneMemoryOpcode,
  offset: number,
  lane: number,
): void {
  const { bytes, align } = laneMemoryOpcodes[name];
  append(code, bytes);
  unsigned(code, align);
  unsigned(code, offset);
  code.push(lane);
}

/** Takes a lane out of a vector, or puts one in. */
export function lane(code: number[], name: LaneOpcode, at: number): void {
  append(code, laneOpcodes[name]);
  code.push(at);
}

/** `bytes` has sixteen byte positions; those of the second vector start at 16. */
export function shuffle(code: number[], bytes: readonly number[]): void {
  append(code, shuffleOpcode);
  append(code, bytes);
}

// ── scopes ──────────────────────────────────────────────────────────────────────────────────────

function open(emitter: Emitter, kind: Scope["kind"]): void {
  emitter.scopes.push(newScope(kind));
}

function close(emitter: Emitter): readonly number[] {
  return emitter.scopes.pop()!.code;
}

/**
 * A loop of `coordinate` in steps of `by`, while it is less than `below`. Gives the local of the
 * coordinate, which holds its final value after the loop.
 */
export function loop(
  emitter: Emitter,
  coordinate: Variable | undefined,
  from: (code: number[]) => void,
  below: Slot | number,
  by: number,
  body: () => void,
): number {
  const local = newLocal(emitter, "i32");
  return continueLoop(emitter, coordinate, local, from, below, by, body);
}

/** A loop whose coordinate is in an existing local. */
export function continueLoop(
  emitter: Emitter,
  coordinate: Variable | undefined,
  local: number,
  from: (code: number[]) => void,
  below: Slot | number,
  by: number,
  body: () => void,
): number {
  const outer = here(emitter);
  const before = coordinate && emitter.coordinates.get(coordinate);
  open(emitter, "loop");
  if (coordinate) emitter.coordinates.set(coordinate, { local, type: "i32", level: outer + 1 });
  body();
  const inside = close(emitter);
  if (coordinate) {
    if (before) emitter.coordinates.set(coordinate, before);
    else emitter.coordinates.delete(coordinate);
  }
  const code = codeAt(emitter, outer);
  const limit = (): void => (typeof below === "number" ? constI32(code, below) : get(code, below));
  from(code);
  set(code, local);
  get(code, { local });
  limit();
  op(code, "i32.lt_s");
  code.push(0x04, 0x40, 0x03, 0x40); // if, loop
  append(code, inside);
  get(code, { local });
  constI32(code, by);
  op(code, "i32.add");
  code.push(0x22); // tee
  unsigned(code, local);
  limit();
  op(code, "i32.lt_s");
  code.push(0x0d, 0x00, 0x0b, 0x0b); // br_if 0, end, end
  return local;
}

/** Two branches. Values that can be computed in outer scopes are computed before the branches. */
export function branch(
  emitter: Emitter,
  condition: Slot,
  then: () => void,
  otherwise?: () => void,
): void {
  const outer = here(emitter);
  open(emitter, "branch");
  then();
  const yes = close(emitter);
  let no: readonly number[] = [];
  if (otherwise) {
    open(emitter, "branch");
    otherwise();
    no = close(emitter);
  }
  const code = codeAt(emitter, outer);
  get(code, condition);
  code.push(0x04, 0x40);
  append(code, yes);
  if (no.length > 0) {
    op(code, "else");
    append(code, no);
  }
  op(code, "end");
}

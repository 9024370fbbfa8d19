// A kernel under construction. Every value is a local that is computed in the outermost scope where
// all it depends on is known, and only once there: invariants leave loops and equal subexpressions
// are shared without a pass of their own.
//
// A scope is the body of the function, of a loop, or of a branch. Code of an outer scope that is
// emitted while an inner one is open lands before the inner one, because a scope is written into
// its parent only when it closes.

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

/** A computed value: a local, and the scope from which on it holds. */
export interface Slot {
  readonly local: number;
  readonly type: ValueType;
  readonly level: number;
  /** Four lanes of f64 take two registers: this one has the third and the fourth. */
  readonly upper?: Slot;
}

interface Scope {
  readonly code: number[];
  readonly known: Map<string, Slot>;
  readonly kind: "function" | "loop" | "branch";
  /** How many elementary functions stand in it. */
  functions: number;
}

export interface Emitter {
  readonly scopes: Scope[];
  readonly parameters: ValueType[];
  readonly locals: ValueType[];
  /** Where a coordinate's value is, and from which scope on. */
  readonly coordinates: Map<Variable, Slot>;
  readonly imports: Imports;
  /** Other functions of the module that the code calls. */
  readonly calls: EncodedFunction[];
  /** How many elementary functions stand in all scopes so far. */
  functions: number;
  /**
   * Nothing is computed further out than in this scope: 0, but while code for rare cases is
   * emitted.
   */
  outermost: number;
}

/** Functions of the host that a module uses, numbered in the order of their first use. */
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

/** Parameters are declared before any local. */
export function newParameter(emitter: Emitter, type: ValueType): Slot {
  const local = emitter.parameters.push(type) - 1;
  return { local, type, level: 0 };
}

/** More locals would take more memory than the kernel is worth: it is refused in any case. */
const mostLocals = 1 << 19;

export function newLocal(emitter: Emitter, type: ValueType): number {
  if (emitter.locals.length >= mostLocals) throw new Unsupported(tooLarge);
  return emitter.parameters.length + emitter.locals.push(type) - 1;
}

/** The scope that is open now. */
export function here(emitter: Emitter): number {
  return emitter.scopes.length - 1;
}

/** The innermost scope that may not be entered at all: what can fail stays inside it. */
export function conditionalLevel(emitter: Emitter): number {
  for (let level = here(emitter); level > 0; level--)
    if (emitter.scopes[level]!.kind !== "function") return level;
  return 0;
}

export function codeAt(emitter: Emitter, level: number): number[] {
  return emitter.scopes[level]!.code;
}

/** A value by its key: found where it was computed before, or computed at `level` by pushing it. */
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
  // A value of an outer scope may have been computed inside a branch that is open: it is there for
  // this scope too.
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

/** A value that has been computed in a scope that is open. */
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

/** Sixteen byte positions, those of the second vector from 16 on. */
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
 * A loop of `coordinate` from a local or number while it is below another, in steps. Leaves the
 * coordinate at its end.
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

/** The same on a local that is there already. */
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

/** Two branches; code of values that outer scopes can hold lands before them. */
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

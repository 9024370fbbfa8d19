// Emits the values of scalars one at a time: locals, reads, choices and operations.

import { newOpaque, factsOf } from "../../../analyse/facts.ts";
import { holds, lessThan, nonNegative } from "../../../affine/prove.ts";
import { constant } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { isFloat, isUnsized, type ElementType, type Unsized } from "../../../scalar/types.ts";
import { intervalOf } from "../../../plan/regions/intervals.ts";
import { cannotFail } from "../../../analyse/can-fail.ts";
import {
  branch,
  call,
  codeAt,
  conditionalLevel,
  constI32,
  get,
  here,
  knownAt,
  memory,
  newLocal,
  op,
  set,
  valueAt,
  type Slot,
} from "./emitter.ts";
import { slackBytes, type Cells, type Kernel } from "./kernel.ts";
import { comparisonInstructions } from "./instruction-names.ts";
import {
  emitTableCall,
  emitCast,
  emitConstant,
  emitFloat,
  emitInteger,
  emitQuotient,
  heldAs,
} from "./operations.ts";
import { emitAddress, emitTerm, intervalAhead, positionTerm, type Address } from "./terms.ts";
import type { MemoryOpcode, Opcode } from "./opcodes.ts";
import { Unsupported } from "../unsupported.ts";
import { instruction } from "./lanes.ts";

type Read = Extract<Scalar, { kind: "read" }>;
type Apply = Extract<Scalar, { kind: "apply" }>;
type Select = Extract<Scalar, { kind: "select" }>;

const loads: Record<Exclude<ElementType, Unsized>, MemoryOpcode> = {
  f32: "f32.load",
  f16: "f32.load",
  bf16: "f32.load",
  f64: "f64.load",
  i32: "i32.load",
  i64: "i64.load",
  i8: "i32.load8_s",
  bool: "i32.load8_u",
};

const stores: Record<Exclude<ElementType, Unsized>, MemoryOpcode> = {
  f32: "f32.store",
  f16: "f32.store",
  bf16: "f32.store",
  f64: "f64.store",
  i32: "i32.store",
  i64: "i64.store",
  i8: "i32.store8",
  bool: "i32.store8",
};

export function loadOf(element: ElementType): MemoryOpcode {
  if (isUnsized(element)) throw new Unsupported("strings and data");
  return loads[element];
}

export function storeOf(element: ElementType): MemoryOpcode {
  if (isUnsized(element)) throw new Unsupported("strings and data");
  return stores[element];
}

export function emitValue(kernel: Kernel, scalar: Scalar): Slot {
  switch (scalar.kind) {
    case "constant":
      return emitConstant(kernel, scalar.type, scalar.value);
    case "integer":
      return emitTerm(kernel, scalar.term);
    case "read":
      return emitRead(kernel, scalar);
    case "apply":
      return emitApply(kernel, scalar);
    case "cast":
      return emitCast(kernel, emitValue(kernel, scalar.operand), scalar.operand.type, scalar.type);
    case "select":
      return emitSelect(kernel, scalar);
    case "local":
      return emitLocal(kernel, scalar.local, emitValue, "scalar");
    case "call":
    case "parameter":
    case "text":
    case "data":
      throw new Unsupported("calls, strings and data");
    default:
      return scalar satisfies never;
  }
}

let locals = 0;
const localNumbers = new WeakMap<Local, number>();

function numberOfLocal(local: Local): number {
  let id = localNumbers.get(local);
  if (id === undefined) localNumbers.set(local, (id = locals++));
  return id;
}

/** A local is computed at its first use, and found again while the scope of that use is open. */
export function emitLocal(
  kernel: Kernel,
  local: Local,
  emit: (kernel: Kernel, scalar: Scalar) => Slot,
  mode: string,
): Slot {
  const bound = kernel.bound.get(local);
  if (bound) return bound;
  const known = knownLocal(kernel, local, mode);
  if (known) return known;
  const slot = emit(kernel, local.value);
  // The value may have been computed in a branch that only this use has opened. So it is recorded
  // in the scope of its own level, and not further out.
  kernel.emitter.scopes[Math.max(slot.level, 0)]!.known.set(keyOfLocal(local, mode), slot);
  return slot;
}

function keyOfLocal(local: Local, mode: string): string {
  return `${mode}#${numberOfLocal(local)}`;
}

/** The value of a local that an open scope has computed. */
export function knownLocal({ emitter }: Kernel, local: Local, mode: string): Slot | undefined {
  return knownAt(emitter, keyOfLocal(local, mode));
}

// ── reads ───────────────────────────────────────────────────────────────────────────────────────

/**
 * Whether a read may be made although its guard does not hold: its address stays inside of the
 * memory, and its value is not used.
 */
function mayReadAhead(kernel: Kernel, read: Read): boolean {
  const cells = kernel.cellsOf(read.definition);
  const position = positionTerm(cells, read.indices);
  if (!position) return false;
  const { least, most } = intervalAhead(kernel, position);
  const slack = slackBytes / 8 - 8;
  const size = cells.shape.reduce((a, b) => a * b, 1);
  return least >= -slack && most < size + slack;
}

/** The axes whose index is not proved to be in range. They are checked when the program runs. */
export function uncheckedAxes(kernel: Kernel, read: Read): readonly number[] {
  const { shape } = kernel.cellsOf(read.definition);
  return read.indices.flatMap((index, axis) => {
    const extent = shape[axis]!;
    if (index.kind !== "integer") return [axis];
    const { least, most } = intervalOf(index.term, kernel.known);
    if (least >= 0 && most < extent) return [];
    const isInside =
      (least >= 0 || holds(nonNegative(index.term), kernel.facts)) &&
      (most < extent || holds(lessThan(index.term, constant(extent)), kernel.facts));
    return isInside ? [] : [axis];
  });
}

/** The value of an index, in 32 bits. */
export function emitIndex(kernel: Kernel, scalar: Scalar): Slot {
  const slot = emitValue(kernel, scalar);
  if (slot.type !== "i64") return slot;
  // A value that does not fit into 32 bits is out of range in any case, so it becomes -1.
  return valueAt(kernel.emitter, `index:l${slot.local}`, "i32", slot.level, (code) => {
    get(code, slot);
    op(code, "i32.wrap_i64");
    constI32(code, -1);
    get(code, slot);
    get(code, slot);
    op(code, "i32.wrap_i64");
    op(code, "i64.extend_i32_s");
    op(code, "i64.eq");
    op(code, "select");
  });
}

/** The address of a read, after checks of the indices that need them. */
export function emitReadAddress(
  kernel: Kernel,
  read: Read,
): Address & { readonly checked: boolean } {
  const cells = kernel.cellsOf(read.definition);
  const open = uncheckedAxes(kernel, read);
  const index = (scalar: Scalar): Slot => emitIndex(kernel, scalar);
  for (const axis of open) {
    const slot = index(read.indices[axis]!);
    const extent = cells.shape[axis]!;
    const level = Math.max(slot.level, conditionalLevel(kernel.emitter));
    valueAt(kernel.emitter, `check:l${slot.local}<${extent}`, "i32", level, (code) => {
      get(code, slot);
      constI32(code, extent);
      op(code, "i32.ge_u");
      code.push(0x04, 0x40);
      call(code, kernel.emitter.imports.indexOf("fault", { parameters: [], results: [] }));
      op(code, "end");
      constI32(code, 0);
    });
  }
  return { ...emitAddress(kernel, cells, read.indices, index), checked: open.length > 0 };
}

export function keyOfRead(cells: Cells, { pointer, offset }: Address): string {
  return `load:${cells.element}:l${pointer.local}+${offset}`;
}

/**
 * The outermost scope in which a cell can be loaded. It is the open scope for cells that the kernel
 * itself writes, and never before a check.
 */
export function levelOfRead(
  kernel: Kernel,
  read: Read,
  address: Address & { readonly checked: boolean },
): number {
  if (kernel.written.has(read.definition)) return here(kernel.emitter);
  if (address.checked || !mayReadAhead(kernel, read))
    return Math.max(address.pointer.level, conditionalLevel(kernel.emitter));
  return address.pointer.level;
}

function emitRead(kernel: Kernel, read: Read): Slot {
  const cells = kernel.cellsOf(read.definition);
  const address = emitReadAddress(kernel, read);
  const level = levelOfRead(kernel, read, address);
  return valueAt(
    kernel.emitter,
    keyOfRead(cells, address),
    heldAs(cells.element),
    level,
    (code) => {
      get(code, address.pointer);
      memory(code, loadOf(cells.element), address.offset);
    },
  );
}

// ── choices ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Whether a scalar may be computed although its value may not be used: it cannot fail, and its
 * reads stay inside of the memory.
 */
export function isSpeculable(kernel: Kernel, scalar: Scalar): boolean {
  let isSafe = true;
  eachScalar(scalar, (part) => {
    if (!isSafe) return;
    // A check before its condition would report a fault that the program does not have.
    if (part.kind === "read")
      isSafe = mayReadAhead(kernel, part) && uncheckedAxes(kernel, part).length === 0;
    else if (part.kind === "apply") isSafe = cannotFail(part);
    else if (
      part.kind === "call" ||
      part.kind === "parameter" ||
      part.kind === "text" ||
      part.kind === "data"
    )
      isSafe = false;
  });
  return isSafe;
}

/** Runs `emit` while a condition is known to hold, or known not to hold. */
export function assuming<T>(kernel: Kernel, condition: Scalar, truth: boolean, emit: () => T): T {
  const before = kernel.facts.length;
  kernel.facts.push(...factsOf(newOpaque(), condition, truth, kernel.facts));
  const result = emit();
  kernel.facts.length = before;
  return result;
}

const cheapKinds: ReadonlySet<Scalar["kind"]> = new Set(["constant", "integer", "read", "local"]);

function emitSelect(kernel: Kernel, { type, condition, then, otherwise }: Select): Slot {
  const chosen = emitValue(kernel, condition);
  const isCheap = (side: Scalar, truth: boolean): boolean =>
    cheapKinds.has(side.kind) &&
    assuming(kernel, condition, truth, () => isSpeculable(kernel, side));
  if (isCheap(then, true) && isCheap(otherwise, false)) {
    const a = assuming(kernel, condition, true, () => emitValue(kernel, then));
    const b = assuming(kernel, condition, false, () => emitValue(kernel, otherwise));
    const level = Math.max(chosen.level, a.level, b.level);
    return valueAt(
      kernel.emitter,
      `select:l${chosen.local},l${a.local},l${b.local}`,
      a.type,
      level,
      (code) => {
        get(code, a);
        get(code, b);
        get(code, chosen);
        op(code, "select");
      },
    );
  }
  const held = heldAs(type);
  const local = newLocal(kernel.emitter, held);
  const emitSide = (scalar: Scalar, truth: boolean) => (): void =>
    assuming(kernel, condition, truth, () => {
      const slot = emitValue(kernel, scalar);
      const code = codeAt(kernel.emitter, here(kernel.emitter));
      get(code, slot);
      set(code, local);
    });
  branch(kernel.emitter, chosen, emitSide(then, true), emitSide(otherwise, false));
  return { local, type: held, level: here(kernel.emitter) };
}

/** `a && b` and `a || b`: the second operand is computed only if the first does not decide. */
function emitLogic(kernel: Kernel, operation: "and" | "or", a: Scalar, b: Scalar): Slot {
  const whereDecisive = <T>(emit: () => T): T => assuming(kernel, a, operation === "and", emit);
  if (whereDecisive(() => isSpeculable(kernel, b))) {
    const [left, right] = [emitValue(kernel, a), whereDecisive(() => emitValue(kernel, b))];
    return instruction(kernel, operation === "and" ? "i32.and" : "i32.or", "i32", [left, right]);
  }
  const no: Scalar = { kind: "constant", type: "bool", value: operation === "or" };
  const [then, otherwise] = operation === "and" ? [b, no] : [no, b];
  return emitSelect(kernel, { kind: "select", type: "bool", condition: a, then, otherwise });
}

// ── operations ──────────────────────────────────────────────────────────────────────────────────

function emitApply(kernel: Kernel, scalar: Apply): Slot {
  const { operation, within } = scalar;
  const [a, b] = scalar.operands;
  if (operation === "and" || operation === "or") return emitLogic(kernel, operation, a!, b!);
  if (operation === "select")
    return emitSelect(kernel, {
      kind: "select",
      type: scalar.type,
      condition: a!,
      then: b!,
      otherwise: scalar.operands[2]!,
    });
  const operands = scalar.operands.map((operand) => emitValue(kernel, operand));
  if (operation === "not") return instruction(kernel, "i32.eqz", "i32", operands);
  if (operation === "stop") return operands[0]!;
  const held = heldAs(within);
  const compared = comparisonInstructions[operation];
  if (compared) {
    const name = isFloat(within) ? compared.float : compared.integer;
    return instruction(kernel, `${held}.${name}` as Opcode, "i32", operands);
  }
  if (within === "f32" || within === "f64") {
    const direct = emitFloat(kernel, operation, within, operands, b);
    if (direct) return direct;
  }
  if (within === "i32" || within === "i64") {
    const direct =
      emitInteger(kernel, operation, within, operands) ?? emitQuotient(kernel, scalar, operands);
    if (direct) return direct;
  }
  return emitTableCall(kernel, scalar, operands);
}

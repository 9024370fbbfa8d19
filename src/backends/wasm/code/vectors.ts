// Emits scalars at several neighbouring positions of a coordinate at once, as vectors: four lanes
// of f32, i32 and masks, or two lanes of f64. Among four lanes, an f64 takes two registers; it can
// be added, multiplied and rounded as a vector, and its other operations are done lane by lane.
//
// A scalar that does not depend on the coordinate is computed once and copied to all lanes. An
// operation without a vector instruction is done lane by lane. A bool is a mask as wide as the
// lanes. An i32 among two lanes of f64 is in the lower half of its register.

import { constantOf, ofVariable, plus, type Term, type Variable } from "../../../affine/term.ts";
import { coefficientOf, mentions } from "../../../affine/visit.ts";
import { eachScalar, partsOf } from "../../../ir/parts.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { numberOf } from "../../../ir/keys.ts";
import type { OperationName } from "../../../scalar/operations.ts";
import type { ElementType } from "../../../scalar/types.ts";
import { instantiate, integerScalar } from "../../../ir/substitute.ts";
import { valueOf } from "../../../analyse/can-fail.ts";
import { elementary } from "../../math/elementary.ts";
import {
  constI32,
  get,
  knownAt,
  lane,
  memory,
  op,
  shuffle,
  valueAt,
  type Slot,
} from "./emitter.ts";
import { elementaryLanes } from "./elementary.ts";
import { bytesOfCell, type Cells, type Kernel } from "./kernel.ts";
import {
  bothHalves,
  constant32,
  constantDouble,
  constantFloat,
  demoted,
  eachRegister,
  pairOf,
  promoted,
  vector,
  widenedMask,
} from "./lanes.ts";
import { comparisonInstructions, floatInstructions } from "./instruction-names.ts";
import type { Opcode } from "./opcodes.ts";
import { heldAs } from "./operations.ts";
import {
  assuming,
  emitLocal,
  emitReadAddress,
  emitValue,
  isSpeculable,
  keyOfRead,
  knownLocal,
  levelOfRead,
  uncheckedAxes,
} from "./scalars.ts";
import { emitTerm, positionTerm, type Address } from "./terms.ts";

type Read = Extract<Scalar, { kind: "read" }>;
type Apply = Extract<Scalar, { kind: "apply" }>;

/** The coordinate whose neighbouring positions are the lanes. */
export interface Along {
  readonly variable: Variable;
  readonly lanes: 2 | 4;
  /** Whether a scalar or local depends on the coordinate. */
  readonly varies: Map<Scalar | Local, boolean>;
}

export function newAlong(variable: Variable, lanes: 2 | 4): Along {
  return { variable, lanes, varies: new Map() };
}

function varies(along: Along, scalar: Scalar): boolean {
  const key = scalar.kind === "local" ? scalar.local : scalar;
  let known = along.varies.get(key);
  if (known === undefined) {
    known =
      scalar.kind === "integer"
        ? mentions(scalar.term, along.variable)
        : partsOf(scalar).some((part) => varies(along, part));
    along.varies.set(key, known);
  }
  return known;
}

// ── what it costs ───────────────────────────────────────────────────────────────────────────────

/**
 * An estimate of the number of instructions for one vector of a scalar; Infinity if it cannot be a
 * vector. The operations in `there`, by their numbers, are already computed.
 */
export function costOfVector(
  kernel: Kernel,
  along: Along,
  scalar: Scalar,
  seen: Set<Local> = new Set(),
  computed?: ReadonlySet<string>,
): number {
  const costOfAll = (parts: readonly Scalar[]): number =>
    parts.reduce((total, part) => total + costOfVector(kernel, along, part, seen, computed), 0);
  if (!hasVectorsOf(along, scalar.type)) return Infinity;
  if (scalar.kind === "local") {
    if (seen.has(scalar.local)) return 0;
    seen.add(scalar.local);
    if (kernel.bound.has(scalar.local)) return 0;
    return costOfVector(kernel, along, scalar.local.value, seen, computed);
  }
  if (!varies(along, scalar)) return 0.25;
  switch (scalar.kind) {
    case "constant":
    case "integer":
      return 1;
    case "read": {
      // An index that needs a check must be the same for all lanes, so that one check is enough.
      if (uncheckedAxes(kernel, scalar).some((axis) => varies(along, scalar.indices[axis]!)))
        return Infinity;
      const stride = strideOf(kernel, along, scalar);
      if (stride === 1) return isPair(along, scalar.type) ? 2 : 1;
      return stride === undefined ? 3 * along.lanes : 1.5 * along.lanes;
    }
    case "apply": {
      if (computed?.has(numberOf(scalar))) return 0;
      const inside = costOfAll(scalar.operands);
      if (!vectorForm(along, scalar))
        return isSpeculable(kernel, scalar) ? inside + 8 * along.lanes : Infinity;
      return (
        inside +
        (Object.hasOwn(elementary, scalar.operation) && scalar.operation !== "power" ? 15 : 1)
      );
    }
    case "cast":
      return (
        costOfVector(kernel, along, scalar.operand, seen, computed) +
        (castForm(along, scalar.operand.type, scalar.type)
          ? scalar.type === "f64"
            ? 0
            : 1
          : 4 * along.lanes)
      );
    case "select": {
      const costOfSide = (part: Scalar, truth: boolean): number =>
        assuming(kernel, scalar.condition, truth, () =>
          isSpeculable(kernel, part) ? costOfVector(kernel, along, part, seen, computed) : Infinity,
        );
      return (
        costOfVector(kernel, along, scalar.condition, seen, computed) +
        1 +
        costOfSide(scalar.then, true) +
        costOfSide(scalar.otherwise, false)
      );
    }
    case "call":
    case "parameter":
    case "text":
    case "data":
      return Infinity;
    default:
      return scalar satisfies never;
  }
}

function hasVectorsOf(along: Along, type: ElementType): boolean {
  if (type === "i32" || type === "bool" || type === "f64") return true;
  return along.lanes === 4 && type === "f32";
}

/** Whether a vector takes two registers. */
function isPair({ lanes }: Along, type: ElementType): boolean {
  return lanes === 4 && type === "f64";
}

/** How many cells the neighbouring lanes of a read lie apart, if this is a number. */
export function strideOf(kernel: Kernel, along: Along, read: Read): number | undefined {
  const position = positionTerm(kernel.cellsOf(read.definition), read.indices);
  if (position) return constantCoefficient(position, along.variable);
  // A window stores only one axis modulo its length, and a gather takes a single position along its
  // axis. Along other axes, the distance of neighbours is the same as without them.
  const cells = kernel.cellsOf(read.definition);
  let stride = 0;
  for (const [axis, index] of read.indices.entries()) {
    if (index.kind !== "integer" && varies(along, index)) return undefined;
    const own = index.kind === "integer" ? constantCoefficient(index.term, along.variable) : 0;
    if (own === undefined || (own !== 0 && cells.window?.axis === axis)) return undefined;
    stride += own * cells.strides[axis]!;
  }
  return stride;
}

function constantCoefficient(term: Term, variable: Variable): number | undefined {
  const factor = coefficientOf(term, variable);
  return factor && constantOf(factor);
}

// ── emission ────────────────────────────────────────────────────────────────────────────────────

export function emitLanes(kernel: Kernel, along: Along, scalar: Scalar): Slot {
  if (scalar.kind === "local") {
    const bound = kernel.bound.get(scalar.local);
    if (bound) return bound.type === "v128" ? bound : emitSplat(kernel, along, bound, scalar.type);
  }
  // A choice that does not depend on the coordinate is made on vectors too. V8 compiles a choice
  // between scalar floats to a branch inside of the loop.
  const isChoice =
    scalar.kind === "select" && scalar.type !== "bool" && hasVectorsOf(along, scalar.type);
  if (!varies(along, scalar) && !isChoice)
    return emitSplat(kernel, along, emitValue(kernel, scalar), scalar.type);
  switch (scalar.kind) {
    case "integer":
      return emitLanesOfTerm(kernel, along, scalar.term) ?? emitByLanes(kernel, along, scalar);
    case "read":
      return emitLanesOfRead(kernel, along, scalar);
    case "apply":
      return emitLanesOfApply(kernel, along, scalar);
    case "cast": {
      const form = castForm(along, scalar.operand.type, scalar.type);
      if (form === promoted) {
        const halves = emitPromotedRead(kernel, along, scalar.operand);
        if (halves) return halves;
      }
      return form
        ? form(kernel, emitLanes(kernel, along, scalar.operand))
        : emitByLanes(kernel, along, scalar);
    }
    case "select": {
      const condition = emitLanes(kernel, along, scalar.condition);
      let [then, otherwise] = [condition, condition];
      assuming(
        kernel,
        scalar.condition,
        true,
        () => void (then = emitLanes(kernel, along, scalar.then)),
      );
      assuming(
        kernel,
        scalar.condition,
        false,
        () => void (otherwise = emitLanes(kernel, along, scalar.otherwise)),
      );
      return emitBlended(kernel, along, scalar.type, condition, then, otherwise);
    }
    case "local":
      return emitLocal(
        kernel,
        scalar.local,
        (to, value) => emitLanes(to, along, value),
        modeOf(along),
      );
    case "constant":
    case "call":
    case "parameter":
    case "text":
    case "data":
      return emitByLanes(kernel, along, scalar);
    default:
      return scalar satisfies never;
  }
}

/** The mode of a local's vectors in `emitLocal`. */
const modeOf = ({ variable }: Along): string => `v${variable.id}`;

/** Whether the vector of a local has been computed. */
export function isLocalKnown(kernel: Kernel, along: Along, local: Local): boolean {
  return knownLocal(kernel, local, modeOf(along)) !== undefined;
}

/** Takes one value where a mask is set, and another elsewhere. */
export function emitBlended(
  kernel: Kernel,
  along: Along,
  type: ElementType,
  mask: Slot,
  then: Slot,
  otherwise: Slot,
): Slot {
  const isNarrow = along.lanes === 2 && type === "i32";
  const wideMask = isPair(along, type)
    ? widenedMask(kernel, mask)
    : isNarrow
      ? emitNarrowMask(kernel, mask)
      : mask;
  return eachRegister(kernel, "v128.bitselect", then, otherwise, wideMask);
}

/** Copies one value to every lane. */
function emitSplat(kernel: Kernel, along: Along, slot: Slot, type: ElementType): Slot {
  switch (type) {
    case "f32":
      return vector(kernel, "f32x4.splat", slot);
    case "f64": {
      const twice = vector(kernel, "f64x2.splat", slot);
      return isPair(along, type) ? pairOf(twice, twice) : twice;
    }
    case "bool": {
      const negative = valueAt(kernel.emitter, `mask:l${slot.local}`, "i32", slot.level, (code) => {
        constI32(code, 0);
        get(code, slot);
        op(code, "i32.sub");
      });
      return vector(kernel, "i32x4.splat", negative);
    }
    default:
      return vector(kernel, "i32x4.splat", slot);
  }
}

/** Packs a mask of 64-bit lanes into the lower 32-bit lanes. */
function emitNarrowMask(kernel: Kernel, mask: Slot): Slot {
  return valueAt(kernel.emitter, `narrow:l${mask.local}`, "v128", mask.level, (code) => {
    get(code, mask);
    get(code, mask);
    shuffle(code, [0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11]);
  });
}

function emitWidenMask(kernel: Kernel, mask: Slot): Slot {
  return vector(kernel, "i64x2.extend_low_i32x4_s", mask);
}

/** `base + lane · coefficient` */
function emitLanesOfTerm(kernel: Kernel, along: Along, term: Term): Slot | undefined {
  const step = constantCoefficient(term, along.variable);
  if (step === undefined) return undefined;
  const first = vector(kernel, "i32x4.splat", emitTerm(kernel, term));
  if (step === 0) return first;
  return vector(kernel, "i32x4.add", first, emitSteps(kernel, step));
}

/** 0, step, 2·step, 3·step. */
function emitSteps(kernel: Kernel, step: number): Slot {
  const level = 0;
  return valueAt(kernel.emitter, `steps:${step}`, "v128", level, (code) => {
    constI32(code, 0);
    op(code, "i32x4.splat");
    for (let at = 1; at < 4; at++) {
      constI32(code, at * step);
      lane(code, "i32x4.replace_lane", at);
    }
  });
}

/** The key of a vector of cells that has been loaded or written. */
export function keyOfVector(
  { lanes }: Along,
  stride: number,
  cells: Cells,
  address: Address,
): string {
  return `v${lanes}:${stride}:${keyOfRead(cells, address)}`;
}

/**
 * Loads neighbouring f32 cells as f64: each half is loaded and promoted by itself. `undefined` if
 * the vector has been loaded already.
 */
function emitPromotedRead(kernel: Kernel, along: Along, read: Scalar): Slot | undefined {
  if (read.kind !== "read" || kernel.cellsOf(read.definition).element !== "f32") return undefined;
  if (strideOf(kernel, along, read) !== 1) return undefined;
  const address = emitReadAddress(kernel, read);
  const level = levelOfRead(kernel, read, address);
  const key = keyOfVector(along, 1, kernel.cellsOf(read.definition), address);
  if (knownAt(kernel.emitter, key)) return undefined;
  const half = (own: string, at: number): Slot =>
    valueAt(kernel.emitter, own, "v128", level, (code) => {
      get(code, address.pointer);
      memory(code, "v128.load64_zero", address.offset + at);
      op(code, "f64x2.promote_low_f32x4");
    });
  return pairOf(half(`f64:${key}`, 0), half(upperOf(`f64:${key}`), 8));
}

/** The key of the second register of a vector. */
export function upperOf(key: string): string {
  return `${key}:upper`;
}

function emitLanesOfRead(kernel: Kernel, along: Along, read: Read): Slot {
  const { element } = kernel.cellsOf(read.definition);
  const cells = kernel.cellsOf(read.definition);
  const stride = strideOf(kernel, along, read);
  if (
    stride === undefined ||
    (element !== "f32" && element !== "f64" && element !== "i32" && stride !== 1)
  )
    return emitByLanes(kernel, along, read);
  if (element === "i8" || element === "i64") return emitByLanes(kernel, along, read);
  const address = emitReadAddress(kernel, read);
  const level = levelOfRead(kernel, read, address);
  const key = keyOfVector(along, stride, cells, address);
  if (stride === 0)
    return emitSplat(
      kernel,
      along,
      emitValue(kernel, instantiate(read, shiftToLane(along, 0))),
      read.type,
    );
  if (element === "bool") return emitLoadMask(kernel, along, key, level, address);
  const width = bytesOfCell(element);
  if (stride === 1) {
    const load = (own: string, at: number): Slot =>
      valueAt(kernel.emitter, own, "v128", level, (code) => {
        get(code, address.pointer);
        memory(
          code,
          element === "i32" && along.lanes === 2 ? "v128.load64_zero" : "v128.load",
          address.offset + at,
        );
      });
    return isPair(along, element) ? pairOf(load(key, 0), load(upperOf(key), 16)) : load(key, 0);
  }
  if (isPair(along, element)) return emitByLanes(kernel, along, read);
  const reach = stride * width * (along.lanes - 1);
  const shift = Math.min(0, reach + address.offset);
  return valueAt(kernel.emitter, key, "v128", level, (code) => {
    const pointer = (): void => {
      get(code, address.pointer);
      if (shift === 0) return;
      constI32(code, shift);
      op(code, "i32.add");
    };
    pointer();
    memory(code, width === 8 ? "v128.load64_splat" : "v128.load32_splat", address.offset - shift);
    for (let at = 1; at < along.lanes; at++) {
      const offset = address.offset - shift + at * stride * width;
      emitLaneLoad(code, pointer, width, offset, at);
    }
  });
}

/** Loads one lane of a vector that is on the stack. */
function emitLaneLoad(
  code: number[],
  pointer: () => void,
  width: number,
  offset: number,
  at: number,
): void {
  pointer();
  if (width === 8) {
    memory(code, "f64.load", offset);
    lane(code, "f64x2.replace_lane", at);
  } else {
    memory(code, "f32.load", offset);
    lane(code, "f32x4.replace_lane", at);
  }
}

function emitLoadMask(
  kernel: Kernel,
  along: Along,
  key: string,
  level: number,
  address: { readonly pointer: Slot; readonly offset: number },
): Slot {
  const zero = constant32(kernel, 0);
  const mask = valueAt(kernel.emitter, key, "v128", Math.max(level, zero.level), (code) => {
    get(code, address.pointer);
    memory(code, "v128.load32_zero", address.offset);
    op(code, "i16x8.extend_low_i8x16_u");
    op(code, "i32x4.extend_low_i16x8_u");
    get(code, zero);
    op(code, "i32x4.ne");
  });
  return along.lanes === 2 ? emitWidenMask(kernel, mask) : mask;
}

function shiftToLane(along: Along, at: number): ReadonlyMap<Variable, Scalar> {
  return new Map([[along.variable, integerScalar(plus(ofVariable(along.variable), at))]]);
}

/** The value of a scalar at one lane. A reduction whose result is a vector gives this lane. */
function emitAtLane(kernel: Kernel, along: Along, scalar: Scalar, at: number): Slot {
  const { bound } = kernel;
  const vectorsToRestore: [Local, Slot][] = [];
  const names = new Map<Local, Local>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "local" || !bound.has(part.local)) return;
    names.set(part.local, part.local);
    const slot = bound.get(part.local)!;
    if (slot.type === "v128") vectorsToRestore.push([part.local, slot]);
    if (slot.type === "v128") bound.set(part.local, emitLane(kernel, slot, part.type, at));
  });
  const result = emitValue(kernel, instantiate(scalar, shiftToLane(along, at), names));
  for (const [local, slot] of vectorsToRestore) bound.set(local, slot);
  return result;
}

function emitLane(kernel: Kernel, slot: Slot, type: ElementType, at: number): Slot {
  if (slot.upper && at >= 2) return emitLane(kernel, slot.upper, type, at - 2);
  const held = heldAs(type);
  return valueAt(kernel.emitter, `lane:l${slot.local},${at}`, held, slot.level, (code) => {
    get(code, slot);
    lane(
      code,
      held === "f32"
        ? "f32x4.extract_lane"
        : held === "f64"
          ? "f64x2.extract_lane"
          : "i32x4.extract_lane",
      at,
    );
  });
}

/** Computes each lane by itself. */
function emitByLanes(kernel: Kernel, along: Along, scalar: Scalar): Slot {
  const slots = Array.from({ length: along.lanes }, (_, at) =>
    emitAtLane(kernel, along, scalar, at),
  );
  const { type } = scalar;
  if (isPair(along, type))
    return pairOf(
      emitAssembled(kernel, type, slots.slice(0, 2)),
      emitAssembled(kernel, type, slots.slice(2)),
    );
  const all = emitAssembled(kernel, type, slots);
  if (type !== "bool") return all;
  const mask = vector(kernel, "i32x4.ne", all, constant32(kernel, 0));
  return along.lanes === 2 ? emitWidenMask(kernel, mask) : mask;
}

/** A vector of separate values. */
function emitAssembled(kernel: Kernel, type: ElementType, slots: readonly Slot[]): Slot {
  const level = Math.max(...slots.map((slot) => slot.level));
  const key = `lanes:${slots.map((slot) => `l${slot.local}`).join()}`;
  const [first, ...rest] = slots;
  return valueAt(kernel.emitter, key, "v128", level, (code) => {
    get(code, first!);
    op(code, type === "f32" ? "f32x4.splat" : type === "f64" ? "f64x2.splat" : "i32x4.splat");
    rest.forEach((slot, k) => {
      get(code, slot);
      lane(
        code,
        type === "f32"
          ? "f32x4.replace_lane"
          : type === "f64"
            ? "f64x2.replace_lane"
            : "i32x4.replace_lane",
        k + 1,
      );
    });
  });
}

// ── operations ──────────────────────────────────────────────────────────────────────────────────

const integerForms: Partial<Record<OperationName, Opcode>> = {
  add: "i32x4.add",
  subtract: "i32x4.sub",
  multiply: "i32x4.mul",
  max: "i32x4.max_s",
  min: "i32x4.min_s",
  negate: "i32x4.neg",
  abs: "i32x4.abs",
};

/** The vector code of an operation; `undefined` if it has none. */
function vectorForm(
  along: Along,
  { operation, within, operands: scalars }: Apply,
): ((kernel: Kernel, operands: readonly Slot[]) => Slot) | undefined {
  switch (operation) {
    case "and":
      return (kernel, operands) => vector(kernel, "v128.and", ...operands);
    case "or":
      return (kernel, operands) => vector(kernel, "v128.or", ...operands);
    case "not":
      return (kernel, operands) => vector(kernel, "v128.not", ...operands);
    case "stop":
      return (_kernel, operands) => operands[0]!;
    default:
      break;
  }
  const compared = comparisonInstructions[operation];
  if (compared) {
    if (within === "f32" && along.lanes === 4)
      return (kernel, operands) => vector(kernel, `f32x4.${compared.float}` as Opcode, ...operands);
    if (within === "f64" && along.lanes === 2)
      return (kernel, operands) => vector(kernel, `f64x2.${compared.float}` as Opcode, ...operands);
    if (within === "i32") {
      return (kernel, operands) => {
        const mask = vector(kernel, `i32x4.${compared.integer}` as Opcode, ...operands);
        return along.lanes === 2 ? emitWidenMask(kernel, mask) : mask;
      };
    }
    return undefined;
  }
  if (within === "i32") {
    const name = integerForms[operation];
    return name && ((kernel, operands) => vector(kernel, name, ...operands));
  }
  if (isPair(along, within)) {
    const name = floatInstructions[operation];
    return name
      ? (kernel, operands) => eachRegister(kernel, `f64x2.${name}` as Opcode, ...operands)
      : undefined;
  }
  if ((within === "f32" && along.lanes === 4) || (within === "f64" && along.lanes === 2)) {
    const prefix = within === "f32" ? "f32x4" : "f64x2";
    const number = (kernel: Kernel, value: number): Slot =>
      within === "f32" ? constantFloat(kernel, value) : constantDouble(kernel, value);
    const name = floatInstructions[operation];
    if (name)
      return (kernel, operands) => vector(kernel, `${prefix}.${name}` as Opcode, ...operands);
    if (operation === "relu")
      return (kernel, [a]) => vector(kernel, `${prefix}.max` as Opcode, a!, number(kernel, 0));
    if (operation === "sign") {
      // 1 with the sign of the operand; zeros and NaN stay as they are.
      return (kernel, [a]) => {
        const isSigned = vector(
          kernel,
          `${prefix}.lt` as Opcode,
          number(kernel, 0),
          vector(kernel, `${prefix}.abs` as Opcode, a!),
        );
        const bit = vector(kernel, "v128.and", a!, number(kernel, -0));
        return vector(
          kernel,
          "v128.bitselect",
          vector(kernel, "v128.or", bit, number(kernel, 1)),
          a!,
          isSigned,
        );
      };
    }
    if (operation === "clamp") {
      return (kernel, [a, b, c]) =>
        vector(
          kernel,
          `${prefix}.min` as Opcode,
          vector(kernel, `${prefix}.max` as Opcode, a!, b!),
          c!,
        );
    }
    if (operation === "power") {
      const exponent = valueOf(scalars[1]!);
      if (exponent === 1) return (_kernel, [a]) => a!;
      if (exponent === 2) return (kernel, [a]) => vector(kernel, `${prefix}.mul` as Opcode, a!, a!);
    }
    if (within === "f32" && Object.hasOwn(elementary, operation))
      return (kernel, operands) => elementaryLanes(kernel, operation, operands);
  }
  return undefined;
}

/** Whether an operation depends on the coordinate and has vector code. */
export function isDoneInLanes(along: Along, scalar: Apply): boolean {
  return varies(along, scalar) && vectorForm(along, scalar) !== undefined;
}

function emitLanesOfApply(kernel: Kernel, along: Along, scalar: Apply): Slot {
  if (!vectorForm(along, scalar)) return emitByLanes(kernel, along, scalar);
  const operands = scalar.operands.map((operand) => emitLanes(kernel, along, operand));
  return emitLanesOfOperands(kernel, along, scalar, operands);
}

/** Emits the vector code of an operation on computed operands. */
export function emitLanesOfOperands(
  kernel: Kernel,
  along: Along,
  scalar: Apply,
  operands: readonly Slot[],
): Slot {
  return vectorForm(along, scalar)!(kernel, operands);
}

function castForm(
  along: Along,
  from: ElementType,
  to: ElementType,
): ((kernel: Kernel, operand: Slot) => Slot) | undefined {
  switch (`${from}>${to}`) {
    case "i32>f32":
      return along.lanes === 4
        ? (kernel, operand) => vector(kernel, "f32x4.convert_i32x4_s", operand)
        : undefined;
    case "f32>i32":
      return along.lanes === 4
        ? (kernel, operand) => vector(kernel, "i32x4.trunc_sat_f32x4_s", operand)
        : undefined;
    case "f32>f64":
      return along.lanes === 4 ? promoted : undefined;
    case "f64>f32":
      return along.lanes === 4 ? demoted : undefined;
    case "i32>f64":
      return (kernel, operand) =>
        along.lanes === 4
          ? bothHalves(kernel, "f64x2.convert_low_i32x4_s", operand)
          : vector(kernel, "f64x2.convert_low_i32x4_s", operand);
    case "bool>f32":
      return (kernel, operand) => vector(kernel, "v128.and", operand, constantFloat(kernel, 1));
    case "bool>f64":
      return (kernel, operand) => {
        const one = constantDouble(kernel, 1);
        if (along.lanes === 2) return vector(kernel, "v128.and", operand, one);
        return eachRegister(kernel, "v128.and", widenedMask(kernel, operand), pairOf(one, one));
      };
    case "bool>i32":
      return (kernel, operand) =>
        vector(
          kernel,
          "v128.and",
          along.lanes === 2 ? emitNarrowMask(kernel, operand) : operand,
          constant32(kernel, 1),
        );
    default:
      return undefined;
  }
}

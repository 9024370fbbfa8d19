// The state of a run: the values of variables, the cells of definitions, and the limits.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { bytesOf, isFloat, type ElementType, type Scalar as Value } from "../../ir/scalar/types.ts";
import { variable as newVariable, type Variable } from "../../ir/affine/term.ts";
import type { Definition, Local } from "../../ir/program.ts";
import { store as write, stridesOf, sizeOf, zeros, type TensorValue } from "../../host/value.ts";
import type { TypedArray } from "../../ir/scalar/types.ts";

/** The cells of one definition. */
export interface Store {
  readonly value: TensorValue;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly get: (offset: number) => Value;
  readonly set: (offset: number, value: Value) => void;
  /** Which cells have been computed, while a recurrence is filling the store. */
  done?: Uint8Array;
}

export interface Machine {
  readonly values: number[];
  readonly slotOf: (variable: Variable) => number;
  /** The type that a value of a declared type is computed in. */
  readonly typeOf: (declared: ElementType) => ElementType;
  readonly stores: Map<Definition, Store>;
  readonly locals: Map<Local, () => Value>;
  /** Counts cells and steps of reductions, so that locals know when to be evaluated anew. */
  tick: number;
  /** Stop at the first float that is not finite. */
  readonly trap: boolean;
  readonly maxBytes: number;
  bytes: number;
  peak: number;
}

export function newMachine(options: {
  readonly f64: boolean;
  readonly maxBytes: number;
  readonly trap: boolean;
}): Machine {
  const slots = new Map<Variable, number>();
  const values: number[] = [];
  const slotOf = (variable: Variable): number => {
    let slot = slots.get(variable);
    if (slot === undefined) {
      slot = values.length;
      slots.set(variable, slot);
      values.push(NaN);
    }
    return slot;
  };
  slotOf(newVariable("unused"));
  const typeOf = options.f64
    ? (declared: ElementType): ElementType => (isFloat(declared) ? "f64" : declared)
    : (declared: ElementType) => declared;
  return {
    values,
    slotOf,
    typeOf,
    stores: new Map(),
    locals: new Map(),
    tick: 0,
    trap: options.trap,
    maxBytes: options.maxBytes,
    bytes: 0,
    peak: 0,
  };
}

export function storeOf(value: TensorValue): Store {
  const { data } = value;
  const get = value.dtype === "bool" ? (offset: number) => data[offset] !== 0 : (offset: number) => data[offset]!;
  return {
    value,
    shape: value.shape,
    strides: stridesOf(value.shape),
    get,
    set: (offset, cell) => write(data as TypedArray, offset, cell),
  };
}

/** Room for a definition's cells, within the limits. */
export function allocateStore(machine: Machine, definition: Definition, shape: readonly number[]): Store {
  const type = machine.typeOf(definition.element);
  reserve(machine, definition, shape, sizeOf(shape) * (type === "str" ? 8 : bytesOf(type)));
  return storeOf(zeros(type, shape));
}

/** Counts bytes that a definition takes, and refuses what is beyond the limit. */
export function reserve(machine: Machine, definition: Definition, shape: readonly number[], bytes: number): void {
  if (bytes + machine.bytes > machine.maxBytes) {
    throw new Fault(
      error(
        "E0906",
        `\`${definition.name}\` with shape [${shape.join(", ")}] does not fit into memory`,
        definition.span,
        {
          text: `it needs ${showBytes(bytes)}, ${showBytes(machine.maxBytes - machine.bytes)} of ${showBytes(machine.maxBytes)} are left`,
          help: "raise the limit with `--max-memory`, or keep fewer cells",
        },
      ),
    );
  }
  machine.bytes += bytes;
  machine.peak = Math.max(machine.peak, machine.bytes);
}

function showBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  let size = Math.max(bytes, 0);
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? size : size.toPrecision(3)} ${units[unit]}`;
}

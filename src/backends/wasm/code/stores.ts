// Emits the writes of cells: of a single value, or of a vector of neighbouring cells.

import type { Definition, Scalar } from "../../../ir/program.ts";
import type { ElementType } from "../../../scalar/types.ts";
import type { Side, Sized } from "../../../plan/regions/regions.ts";
import { codeAt, get, here, laneMemory, memory, type Slot } from "./emitter.ts";
import { bytesOfCell, type Kernel } from "./kernel.ts";
import { constant32, registersOf, vector } from "./lanes.ts";
import { emitReadAddress, keyOfRead, storeOf } from "./scalars.ts";
import { keyOfVector, newAlong, strideOf, upperOf, type Along } from "./vectors.ts";
import { nowhere } from "../../../base/source.ts";

/** The cell as a read, so that writes and reads compute their addresses in the same way. */
export function cellAsRead(
  definition: Definition,
  type: ElementType,
  indices: readonly Scalar[],
): Extract<Scalar, { kind: "read" }> {
  return { kind: "read", type, definition, indices, span: nowhere };
}

/** Writes one value. Gives the key under which later reads of the cell look for it. */
export function emitWrite(
  kernel: Kernel,
  { definition, element }: Pick<Sized, "definition" | "element">,
  indices: readonly Scalar[],
  value: Slot,
): string {
  const address = emitReadAddress(kernel, cellAsRead(definition, element, indices));
  const code = codeAt(kernel.emitter, here(kernel.emitter));
  get(code, address.pointer);
  get(code, value);
  memory(code, storeOf(element), address.offset);
  return keyOfRead(kernel.cellsOf(definition), address);
}

/** Writes a final value. Later reads of the cell find it in its local. */
export function emitStore(
  kernel: Kernel,
  sized: Sized,
  indices: readonly Scalar[],
  value: Slot,
): void {
  kernel.emitter.scopes[here(kernel.emitter)]!.known.set(
    emitWrite(kernel, sized, indices, value),
    value,
  );
}

export function emitStoreLanes(
  kernel: Kernel,
  along: Along,
  { definition, element }: Sized,
  indices: readonly Scalar[],
  value: Slot,
): void {
  const address = emitReadAddress(kernel, cellAsRead(definition, element, indices));
  const scope = here(kernel.emitter);
  if (element === "bool") {
    const words = vector(kernel, "i16x8.narrow_i32x4_s", value, value);
    const bytes = vector(
      kernel,
      "v128.and",
      vector(kernel, "i8x16.narrow_i16x8_s", words, words),
      constant32(kernel, 0x01010101),
    );
    const code = codeAt(kernel.emitter, scope);
    get(code, address.pointer);
    get(code, bytes);
    laneMemory(code, "v128.store32_lane", address.offset, 0);
    return;
  }
  const code = codeAt(kernel.emitter, scope);
  const stride = strideOf(kernel, along, cellAsRead(definition, element, indices));
  if (stride !== 1) {
    const bytes = stride! * bytesOfCell(element);
    const instruction =
      element === "f64" || along.lanes === 2 ? "v128.store64_lane" : "v128.store32_lane";
    const registers = registersOf(value);
    const lanesInRegister = along.lanes / registers.length;
    for (let laneIndex = 0; laneIndex < along.lanes; laneIndex++) {
      get(code, address.pointer);
      get(code, registers[Math.floor(laneIndex / lanesInRegister)]!);
      laneMemory(
        code,
        instruction,
        address.offset + laneIndex * bytes,
        laneIndex % lanesInRegister,
      );
    }
    return;
  }
  const key = keyOfVector(along, stride, kernel.cellsOf(definition), address);
  for (const [k, register] of registersOf(value).entries()) {
    get(code, address.pointer);
    get(code, register);
    if (element === "i32" && along.lanes === 2)
      laneMemory(code, "v128.store64_lane", address.offset, 0);
    else memory(code, "v128.store", address.offset + 16 * k);
    // Later reads of these cells find them in their local.
    kernel.emitter.scopes[scope]!.known.set(k === 0 ? key : upperOf(key), register);
  }
}

/**
 * The sides along which vectors of cells can be written: those along which neighbouring cells are
 * neighbours in memory. If there are none because the cells have a stride, as in a phase, the sides
 * with the smallest stride, which are written lane by lane.
 */
export function storableSides(
  kernel: Kernel,
  { definition, element }: Pick<Sized, "definition" | "element">,
  indices: readonly Scalar[],
  sides: readonly Side[],
): readonly Side[] {
  const written = cellAsRead(definition, element, indices);
  const strides = sides.map((side) => strideOf(kernel, newAlong(side.variable, 4), written));
  const straight = sides.filter((_, k) => strides[k] === 1);
  if (straight.length > 0 || (element !== "f32" && element !== "f64")) return straight;
  const isApart = indices.some(
    (index) =>
      index.kind === "integer" && index.term.parts.some(({ coefficient }) => coefficient !== 1),
  );
  const nearest = Math.min(
    ...strides.map((stride) => (stride !== undefined && stride > 1 ? stride : Infinity)),
  );
  return isApart ? sides.filter((_, k) => strides[k] === nearest) : [];
}

// Chooses the form of the tiles on this host: as many accumulators as its compiler keeps in
// registers, and a product and a sum in one instruction if that is allowed.

import { webAssembly } from "../web-assembly.ts";
import type { Form } from "./tile.ts";

let isAllowed = false;

/**
 * Allows a product and a sum in one instruction (relaxed SIMD), if the host has it, and gives
 * whether it has. This is about a quarter faster. The last bits may differ between hosts, because
 * the instruction may round once or twice. On Node 20 this turns relaxed SIMD on for the whole
 * process.
 */
export function useRelaxedSimd(allowed = true): boolean {
  isAllowed = allowed && (hasRelaxed() || (turnOnInNode20() && hasRelaxed()));
  return isAllowed;
}

/** Whether a product and a sum may be one instruction. */
export function isRelaxed(): boolean {
  return isAllowed;
}

// (func (result v128) i32.const 0 i32x4.splat i32.const 0 i32x4.splat i32.const 0 i32x4.splat
// f32x4.relaxed_madd)
const probe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 17,
  65, 0, 253, 17, 65, 0, 253, 17, 253, 133, 2, 11,
]);

function hasRelaxed(): boolean {
  return webAssembly().validate(probe);
}

interface NodeProcess {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: "node:v8"): { setFlagsFromString(flag: string): void };
}

/** Node 20 has relaxed SIMD behind a flag that can be set while it runs. */
function turnOnInNode20(): boolean {
  const { process } = globalThis as { readonly process?: NodeProcess };
  if (!process?.versions?.node?.startsWith("20.")) return false;
  process.getBuiltinModule?.("node:v8").setFlagsFromString("--experimental-wasm-relaxed-simd");
  return true;
}

/**
 * Four rows of two vectors: eight accumulators are just enough to hide the latency of an addition.
 */
export function formFor(type: Form["type"]): Form {
  return { type, rows: 4, columns: type === "f32" ? 8 : 4, relaxed: isAllowed };
}

/**
 * Six rows of two vectors are 6 % faster if a product and a sum are one instruction; otherwise
 * there is no register left for the product. Packing works with groups of four rows, so this form
 * is only for rows that are read in place, and only if they nearly fill their tiles.
 */
export function tallFormFor(type: Form["type"], rows: number): Form | undefined {
  const form = { ...formFor(type), rows: 6 };
  const emptyRows = Math.ceil(rows / form.rows) * form.rows - rows;
  return isAllowed && emptyRows <= rows / 50 ? form : undefined;
}

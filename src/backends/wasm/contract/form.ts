// Which form tiles have on this host: how many accumulators its compiler keeps in registers, and
// whether it may join products and sums.

import { webAssembly } from "../web-assembly.ts";
import type { Form } from "./tile.ts";

let isAllowed = false;

/**
 * Allows products and sums to be one instruction where the host has it, and says whether it has:
 * about a quarter faster, and on hosts that differ the last bits may, because it may round once or
 * twice. On Node 20 this turns it on for the whole process.
 */
export function useRelaxedSimd(allowed = true): boolean {
  isAllowed = allowed && (hasRelaxed() || (turnedOn() && hasRelaxed()));
  return isAllowed;
}

/** Whether products and sums may be one instruction. */
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

/** Node 20 has it behind a flag, which can be set while it runs. */
function turnedOn(): boolean {
  const { process } = globalThis as { readonly process?: NodeProcess };
  if (!process?.versions?.node?.startsWith("20.")) return false;
  process.getBuiltinModule?.("node:v8").setFlagsFromString("--experimental-wasm-relaxed-simd");
  return true;
}

/** Four rows of two vectors: their eight accumulators just cover the latency of a sum. */
export function formFor(type: Form["type"]): Form {
  return { type, rows: 4, columns: type === "f32" ? 8 : 4, relaxed: isAllowed };
}

/**
 * Six rows of two vectors, 6 % faster, where a product and a sum are one instruction: where they
 * are two, there is no register left for the product. Packing goes by fours, so this is for rows
 * that are read as they lie, and nearly fill their tiles.
 */
export function tallFormFor(type: Form["type"], rows: number): Form | undefined {
  const form = { ...formFor(type), rows: 6 };
  const left = Math.ceil(rows / form.rows) * form.rows - rows;
  return isAllowed && left <= rows / 50 ? form : undefined;
}

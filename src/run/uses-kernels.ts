// Who computes: kernels where the host has them, unless others are asked for.

import type { EngineOptions } from "../backends/results.ts";
import { hasWebAssembly } from "../backends/wasm/web-assembly.ts";

/** A trap needs every value as it comes, which only the oracle shows. */
export function usesKernels({ backend, trap }: Pick<EngineOptions, "backend" | "trap">): boolean {
  return backend !== "interpret" && backend !== "js" && trap === undefined && hasWebAssembly();
}

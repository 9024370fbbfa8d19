// Decides who computes: kernels if the host can run them, unless another backend is asked for.

import type { EngineOptions } from "../backends/results.ts";
import { hasWebAssembly } from "../backends/wasm/web-assembly.ts";

/** A trap needs every value as soon as it is computed. Only the oracle shows values one by one. */
export function usesKernels({ backend, trap }: Pick<EngineOptions, "backend" | "trap">): boolean {
  return backend !== "interpret" && backend !== "js" && trap === undefined && hasWebAssembly();
}

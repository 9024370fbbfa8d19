// What can go wrong while kernels run. Whatever it is, the oracle says what is wrong, or computes what they could not.

import { ArithmeticFault } from "../../scalar/fault.ts";
import { KernelFault } from "./host.ts";
import { Unsupported } from "./kernel.ts";
import { WorkerFault } from "./threads/worker-fault.ts";
import { isTrap } from "./web-assembly.ts";

/** Nothing where something else went wrong. */
export function kernelFailure(failure: unknown): "a fault" | "a trap" | undefined {
  const isFault =
    failure instanceof KernelFault ||
    failure instanceof ArithmeticFault ||
    failure instanceof Unsupported ||
    failure instanceof WorkerFault;
  if (isFault) return "a fault";
  return isTrap(failure) ? "a trap" : undefined;
}

// Recognizes what can go wrong while kernels run. The oracle then says what is wrong, or computes
// what the kernels could not.

import { ArithmeticFault } from "../../scalar/fault.ts";
import { KernelFault } from "./host.ts";
import { WorkerFault } from "./threads/worker-fault.ts";
import { isTrap } from "./web-assembly.ts";
import { tooLarge, Unsupported } from "./unsupported.ts";

/** The kind of a failure; `undefined` for an error that has nothing to do with kernels. */
export function kernelFailure(
  failure: unknown,
): "a fault" | "a trap" | typeof tooLarge | undefined {
  if (failure instanceof Unsupported && failure.message === tooLarge) return tooLarge;
  const isFault =
    failure instanceof KernelFault ||
    failure instanceof ArithmeticFault ||
    failure instanceof Unsupported ||
    failure instanceof WorkerFault;
  if (isFault) return "a fault";
  return isTrap(failure) ? "a trap" : undefined;
}

// Recognises the errors that engines throw when their stack is full.

/**
 * Whether an error means a full stack: "Maximum call stack size exceeded", "too much recursion".
 */
export function isStackEnd(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  return (
    (failure instanceof RangeError && /stack/.test(failure.message)) ||
    failure.name === "InternalError"
  );
}

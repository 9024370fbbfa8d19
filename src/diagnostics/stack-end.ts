// How engines say that their stack is full.

/**
 * Whether that is what a failure says: "Maximum call stack size exceeded", "too much recursion".
 */
export function isStackEnd(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  return (
    (failure instanceof RangeError && /stack/.test(failure.message)) ||
    failure.name === "InternalError"
  );
}

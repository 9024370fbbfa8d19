// Switches: whether operations are recorded, and whether they remember their source lines.

let tracking = true;
let tracing = false;

export function isTracking(): boolean {
  return tracking;
}

/** Runs a function whose operations are not recorded. */
export function noGrad<T>(run: () => T): T {
  return within(run, (value) => (tracking = value), tracking, false);
}

/** Records operations inside `noGrad`. */
export function enableGrad<T>(run: () => T): T {
  return within(run, (value) => (tracking = value), tracking, true);
}

/**
 * Makes every operation remember its source line, for messages. This is slow and meant for
 * debugging.
 */
export function traceOps<T>(run: () => T): T {
  return within(run, (value) => (tracing = value), tracing, true);
}

function within<T>(
  run: () => T,
  set: (value: boolean) => void,
  before: boolean,
  inside: boolean,
): T {
  set(inside);
  try {
    return run();
  } finally {
    set(before);
  }
}

/**
 * While tracing, the source line outside this library that called the operation. The library is
 * everything in the folder of this function.
 */
export function callerPlace(): string | undefined {
  if (!tracing) return undefined;
  const [own, ...callers] = (new Error("place").stack ?? "")
    .split("\n")
    .filter((line) => /:\d+:\d+\)?$/.test(line));
  const folder = own === undefined ? undefined : /[^\s(@]*[\\/]/.exec(own)?.[0];
  if (folder === undefined) return undefined;
  const outside = callers.find((line) => !line.includes(folder) || line.includes(".test."));
  return outside?.trim().replace(/^at /, "");
}

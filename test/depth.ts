// How deep a run of the tests goes. `npm test` takes one in ten of what is repeated for many
// programs, always the same ones; `npm run test:deep` takes all of them.

export const isDeep = process.env["EIN_DEEP"] === "1" || process.env["UPDATE"] === "1";

/** Whether this one is looked at: all are in a deep run, and one in ten otherwise. */
export function isTaken(name: string): boolean {
  return isDeep || hash(name) % 10 === 0;
}

/** How many random programs, or which seeds: one in ten, and all of them in a deep run. */
export function atDepth<T>(usual: T, deep: T): T {
  return isDeep ? deep : usual;
}

/** A number that a text decides: FNV-1a. */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return state;
}

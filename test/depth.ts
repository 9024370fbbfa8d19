// How deep a run of the tests goes. Where a test is repeated for many programs, `npm test` takes a
// fixed tenth of them. `npm run test:deep` takes all.

export const isDeep = process.env["EIN_DEEP"] === "1" || process.env["UPDATE"] === "1";

/** Whether this program is tested: always in a deep run, otherwise one in ten. */
export function isTaken(name: string): boolean {
  return isDeep || hash(name) % 10 === 0;
}

/** The number of random programs or the seeds: `deep` in a deep run, otherwise `usual`. */
export function atDepth<T>(usual: T, deep: T): T {
  return isDeep ? deep : usual;
}

/** A number computed from a text: FNV-1a. */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return state;
}

// Pseudo-random numbers. Equal seeds give equal numbers.

export type Random = () => number;

/** A small generator with a good spread (mulberry32): each call gives a number in [0, 1). */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed, 7919) + 17;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

/** An integer from `from` to `to`, both included. */
export function integer(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

// Finds names that are not taken yet: `x`, then `x_2`, `x_3`.

/** For each name that was claimed before: the first number that may still be free. */
const wantedBefore = new WeakMap<Set<string>, Map<string, number>>();

/**
 * Takes a name that is still free. A name that ends in a number counts up: after `x_2` comes `x_3`,
 * not `x_2_2`.
 */
export function claim(taken: Set<string>, named: string): string {
  const base = named.replace(/_\d+$/, "");
  const wanted = taken.has(named) && taken.has(base) ? base : named;
  let counts = wantedBefore.get(taken);
  if (!counts) wantedBefore.set(taken, (counts = new Map()));
  let name = wanted;
  let count = counts.get(wanted) ?? 2;
  for (; taken.has(name); count++) name = `${wanted}_${count}`;
  if (name !== wanted) counts.set(wanted, count);
  taken.add(name);
  return name;
}

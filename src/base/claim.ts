// Names that are not taken yet: `x`, then `x_2`, `x_3`.

/** How often each name has been wanted: the numbers before are taken. */
const wantedBefore = new WeakMap<Set<string>, Map<string, number>>();

/** A name that no definition has yet; a part of a part is one more of the same name. */
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

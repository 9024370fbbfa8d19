// Counts in messages, with the noun in the singular or the plural.

/** `1 index`, `2 indices`, `no arguments`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return count === 0 ? `no ${several}` : `${count} ${count === 1 ? one : several}`;
}

/** `is 1`, `are 2`, `are none`. */
export function areCount(count: number): string {
  return count === 0 ? "are none" : `${count === 1 ? "is" : "are"} ${count}`;
}

// All orders of the items of a list, beginning with its own.

export function permutations<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length < 2) return [all];
  return all.flatMap((first) =>
    permutations(all.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}

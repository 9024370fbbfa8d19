// A name for the sum of several coordinates. `oh + kh` is a position along the axis `h`, so its
// name is `ih`.

/**
 * `undefined` if the names have no common ending, or if that ending is itself one of the names.
 */
export function jointName(names: readonly string[]): string | undefined {
  const [first, ...others] = names;
  if (first === undefined || others.length === 0) return undefined;
  for (let from = 0; from < first.length; from++) {
    const ending = first.slice(from);
    if (others.every((name) => name.endsWith(ending)))
      return names.includes(ending) ? undefined : `i${ending}`;
  }
  return undefined;
}

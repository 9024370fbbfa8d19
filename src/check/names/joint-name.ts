// What a position is called that several coordinates make up: `oh + kh` is a position along the h
// of what is read, `ih`.

/** Nothing where the names have no ending in common that is not a name itself. */
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

// A size as a program writes it. A message about sizes shows the extent of a dimension as `n`; a
// program writes `extent(n)`.

import { ofVariable, variable, type Term, type Variable } from "../../affine/term.ts";
import { substitute, variablesOf } from "../../affine/visit.ts";
import { show } from "../../affine/show.ts";

/** `undefined` for a size that a program cannot name, such as that of an axis `?`. */
export function writtenSize(extents: ReadonlySet<Variable>, size: Term): string | undefined {
  const named = [...variablesOf(size)].filter((v) => extents.has(v));
  if (named.some(({ name }) => !/^\w+$/.test(name))) return undefined;
  return show(
    substitute(size, new Map(named.map((v) => [v, ofVariable(variable(`extent(${v.name})`))]))),
  );
}

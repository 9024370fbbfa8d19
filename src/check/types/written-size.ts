// A size as a program writes it: the extent of a dimension is `extent(n)`, where messages about
// sizes just say `n`.

import { ofVariable, variable, type Term, type Variable } from "../../affine/term.ts";
import { substitute, variablesOf } from "../../affine/visit.ts";
import { show } from "../../affine/show.ts";

/** Nothing for a size that has no name: that of an axis `?`. */
export function writtenSize(extents: ReadonlySet<Variable>, size: Term): string | undefined {
  const named = [...variablesOf(size)].filter((v) => extents.has(v));
  if (named.some(({ name }) => !/^\w+$/.test(name))) return undefined;
  return show(
    substitute(size, new Map(named.map((v) => [v, ofVariable(variable(`extent(${v.name})`))]))),
  );
}

// The guard that keeps a read inside its tensor: `where y + a - 1 in 0..8, x + b - 1 in 0..8`.

import { textOf, type Span } from "../../base/source.ts";
import { constantOf, type Term, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { show } from "../../affine/show.ts";
import { isWritten } from "../written-names.ts";

/** An index that may leave its axis. */
export interface Leaving {
  readonly axis: number;
  readonly index: Term;
  readonly extent: Term;
}

/** Undefined if an index has a form that cannot be repeated, or a coordinate that has no name. */
export function guardFor(
  read: Span,
  rank: number,
  leaving: readonly Leaving[],
  around: Span,
): string | undefined {
  const written = indexTexts(textOf(read));
  const tensor = textOf(read).slice(0, textOf(read).indexOf("["));
  if (!written || written.length !== rank || leaving.length === 0) return undefined;
  const guards = leaving.map(({ axis, index, extent }) => {
    const variables = [...variablesOf(index)];
    if (variables.length === 0 || !variables.every(({ name }) => isWritten(name, [read, around])))
      return undefined;
    const size = constantOf(extent) === undefined ? extentText(tensor, axis) : show(extent);
    const [only] = variables;
    return isBare(index, only!) ? `${only!.name} < ${size}` : `${written[axis]!} in 0..${size}`;
  });
  return guards.includes(undefined) ? undefined : `where ${guards.join(", ")}`;
}

function extentText(tensor: string, axis: number): string {
  return axis === 0 ? `len(${tensor})` : `shape(${tensor})[${axis}]`;
}

/** A coordinate by itself is never below 0. */
function isBare(index: Term, { name }: Variable): boolean {
  return show(index) === name;
}

/** The indices of `img[y + a - 1, x]`: the text between brackets, cut at the outer commas. */
function indexTexts(text: string): readonly string[] | undefined {
  const open = text.indexOf("[");
  if (!/^\w+$/.test(text.slice(0, open)) || !text.endsWith("]")) return undefined;
  const found: string[] = [""];
  let depth = 0;
  for (const sign of text.slice(open + 1, -1)) {
    if (sign === "(" || sign === "[") depth++;
    if (sign === ")" || sign === "]") depth--;
    if (sign === "," && depth === 0) found.push("");
    else found[found.length - 1] += sign;
  }
  const items = found.map((each) => each.trim()).filter((each) => each !== "");
  return items.some((each) => /^\.\.|=/.test(each)) ? undefined : items;
}

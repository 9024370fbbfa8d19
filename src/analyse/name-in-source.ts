// The name of a definition in messages: the name or expression of the source, and never a name that
// the compiler made.

import { textOf } from "../base/source.ts";
import type { Definition } from "../ir/program.ts";

/** A longer expression is cut: the code frame shows all of it. */
const longest = 40;

/** The name of a definition, or the expression whose value it has. */
export function nameInSource({ span }: Definition): string {
  const [line, ...others] = textOf(span).split("\n");
  return line!.length > longest || others.length > 0
    ? `${line!.slice(0, longest).trimEnd()} …`
    : line!;
}

/** Whether the source gives the definition a name. */
export function hasNameInSource({ span }: Definition): boolean {
  return /^[A-Za-z_]\w*$/.test(textOf(span));
}

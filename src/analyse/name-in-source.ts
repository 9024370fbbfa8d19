// What a definition is called in messages: never by a name that the compiler made up.

import { textOf } from "../base/source.ts";
import type { Definition } from "../ir/program.ts";

/** Longer expressions are cut: the code frame shows them whole. */
const longest = 40;

/** Its name, or the expression that it holds the value of. */
export function nameInSource({ span }: Definition): string {
  const [line, ...others] = textOf(span).split("\n");
  return line!.length > longest || others.length > 0
    ? `${line!.slice(0, longest).trimEnd()} …`
    : line!;
}

/** Whether it is a name that the source binds. */
export function isNamed({ span }: Definition): boolean {
  return /^[A-Za-z_]\w*$/.test(textOf(span));
}

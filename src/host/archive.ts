// Archives that hold several tensors by name, such as `.npz`: which of them is meant.

import { closest } from "../diagnostics/suggest.ts";
import { failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";

/** The wanted tensor: the key after the path, as in `data.npz:x`, or else the name of the input. */
export interface Wanted {
  readonly key?: string;
  readonly name: string;
}

/** The key of the wanted tensor. A file with a single tensor needs no key. */
export function keyIn(keys: readonly string[], { key, name }: Wanted): string | Failure {
  const meant = key ?? (keys.length === 1 && !keys.includes(name) ? keys[0]! : name);
  if (keys.includes(meant)) return meant;
  if (keys.length === 0) return failure("it holds no tensors");
  const near = closest(meant, keys);
  const some = keys.slice(0, 8).map((each) => `\`${each}\``);
  const list =
    keys.length > some.length
      ? `${some.join(", ")} and ${keys.length - some.length} more`
      : some.join(", ");
  if (meant === "") return failure(`it has ${list}: say which`);
  return failure(
    `it holds no \`${meant}\`; ${near ? `did you mean \`${near}\`? ` : ""}it has ${list}`,
  );
}

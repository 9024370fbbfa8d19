// The functions of the language that are neither operations on cells nor reductions.

/** Functions that need no `use`. */
export const builtins = ["print", "assert", "len", "shape", "typeof", "extent"] as const;

export type Builtin = (typeof builtins)[number];

export function isBuiltin(name: string): name is Builtin {
  return (builtins as readonly string[]).includes(name);
}

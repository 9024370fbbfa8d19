// The functions of the language that are no operations on cells.

/** Functions that are there without `use`, beside operations and reductions. */
export const builtins = ["print", "assert", "len", "shape", "typeof", "extent"] as const;

export type Builtin = (typeof builtins)[number];

export function isBuiltin(name: string): name is Builtin {
  return (builtins as readonly string[]).includes(name);
}

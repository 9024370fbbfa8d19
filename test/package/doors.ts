// Reads the doors of the package from its manifest.

import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | { readonly types?: string; readonly default?: string }>
  >;
}

/** The doors with types and code, under the names of their imports. */
export function packageDoors(
  root: string,
): readonly { readonly name: string; readonly types: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  return Object.entries(exports).flatMap(([path, door]) =>
    typeof door === "object" && door.default && door.types
      ? [{ name: `einlang${path.slice(1)}`, types: join(root, door.types) }]
      : [],
  );
}

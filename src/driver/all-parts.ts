// Every part of the compiler at once, for what compiles without waiting. The sources are not
// divided; the build of the library puts its parts here (`scripts/parts`).

import type { PartExports } from "./parts.ts";

export const allParts: Readonly<Record<string, PartExports>> = {};

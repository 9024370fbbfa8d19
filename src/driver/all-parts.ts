// All parts of the compiler at once, for synchronous compilation. The sources are not divided into
// parts, so the table is empty here. The build of the library fills it (`scripts/parts`).

import type { PartExports } from "./parts.ts";

export const allParts: Readonly<Record<string, PartExports>> = {};

// The loaders of the parts, by name. The sources are not divided into parts, so the table is empty
// here. The build of the library fills it (`scripts/parts`).

import type { PartExports } from "./parts.ts";

export const loaders: Readonly<Record<string, () => Promise<PartExports>>> = {};

// How parts are loaded, by name. The sources are not divided; the build of the library puts its
// parts here (`scripts/parts`).

import type { PartExports } from "./parts.ts";

export const loaders: Readonly<Record<string, () => Promise<PartExports>>> = {};

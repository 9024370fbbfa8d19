// What a host gives for `mod m;`: types only. How the texts are found is each host's own affair,
// and what becomes of them is in `modules.ts`.

import type { Source } from "../../base/source.ts";

/** What the host gives for `mod m;`: the text of the module, or why there is none. */
export type ModuleText = { readonly source: Source } | { readonly why: string };

/** Finds `mod name;` of a text. */
export type ReadModule = (name: string, from: Source) => ModuleText;

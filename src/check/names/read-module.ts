// The types of what a host supplies for `mod m;`. Each host finds the texts in its own way, and
// `modules.ts` checks them.

import type { Source } from "../../base/source.ts";

/** The answer of a host to `mod m;`: the text of the module, or the reason why there is none. */
export type ModuleText = { readonly source: Source } | { readonly why: string };

/** Finds the text of the module `name` that the text `from` declares. */
export type ReadModule = (name: string, from: Source) => ModuleText;

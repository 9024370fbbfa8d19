// The texts of the standard library, which a page loads when a program first says `std`.

import { standardTexts } from "../../std/texts.ts";

export type LibraryTexts = readonly (readonly [string, string])[];

export function libraryTexts(): LibraryTexts {
  return standardTexts;
}

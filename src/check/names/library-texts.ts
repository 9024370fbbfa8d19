// The texts of the standard library. They are a part of their own in the build for browsers: a page
// loads them only for a program that says `std`.

import { standardTexts } from "../../std/texts.ts";

export type LibraryTexts = readonly (readonly [string, string])[];

export function libraryTexts(): LibraryTexts {
  return standardTexts;
}

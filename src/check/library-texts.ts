// The texts of the standard library, once somebody has brought them: a page loads them when a program first says `std`.

import { PartMissing } from "../part-missing.ts";

export type LibraryTexts = readonly (readonly [string, string])[];

let brought: LibraryTexts | undefined;

export function bringLibrary(texts: LibraryTexts): void {
  brought = texts;
}

export function libraryTexts(): LibraryTexts {
  if (!brought) throw new PartMissing("std");
  return brought;
}

// The texts of the standard library, once somebody has brought them: a page loads them when a program first says `std`.

export type LibraryTexts = readonly (readonly [string, string])[];

let brought: LibraryTexts | undefined;

/** Thrown where a program uses the library and its texts are not there; whoever can load them compiles again. */
export class LibraryMissing extends Error {}

export function bringLibrary(texts: LibraryTexts): void {
  brought = texts;
}

export function libraryTexts(): LibraryTexts {
  if (!brought) throw new LibraryMissing("the texts of the standard library are not loaded");
  return brought;
}

// The texts of the standard library, once somebody has brought them: a page loads them when a program first says `std`.

import { brought } from "../part-missing.ts";

export type LibraryTexts = readonly (readonly [string, string])[];

export const { bring: bringLibrary, get: libraryTexts } = brought<LibraryTexts>("std");

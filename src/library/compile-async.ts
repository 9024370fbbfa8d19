// `compile` of the library: loads what a text turns out to need, and compiles it.

import { bringLibrary, LibraryMissing } from "../check/library-texts.ts";
import type { ReadModule } from "../check/modules.ts";
import type { Source } from "../syntax/source.ts";
import { prepare, recipeOf, type CompileOptions, type Prepared, type Recipe } from "./compile.ts";
import { checkFiniteNames } from "./inputs.ts";
import { programOf, type Program } from "./program.ts";

/**
 * Compiles a text to a program that runs for any extents of its named dimensions.
 *
 * A text that is wrong is thrown, as an `EinError` with all of its messages.
 */
export async function compile(source: string | Source, options: CompileOptions = {}): Promise<Program> {
  const prepared = await loaded(recipeOf(source, options), options.readModule);
  checkFiniteNames(prepared.program.inputs, prepared.recipe.finite);
  return programOf(prepared);
}

/** The texts of the standard library are loaded for the first program that uses it. */
export async function loaded(recipe: Recipe, readModule?: ReadModule): Promise<Prepared> {
  try {
    return prepare(recipe, readModule);
  } catch (problem) {
    if (!(problem instanceof LibraryMissing)) throw problem;
    bringLibrary((await import("../std.ts")).standardTexts);
    return prepare(recipe, readModule);
  }
}

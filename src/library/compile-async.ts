// `compile` of the library: loads what a text turns out to need, and compiles it.

import { usesKernels } from "../run/uses-kernels.ts";
import type { ReadModule } from "../check/names/modules.ts";
import { loadEveryPart, loadPart, PartMissing } from "../driver/parts.ts";
import type { Source } from "../base/source.ts";
import { askedToCompile } from "./asked.ts";
import { prepare, recipeOf, type CompileOptions, type Prepared, type Recipe } from "./compile.ts";
import { isBrowserPage } from "./host.ts";
import { checkFiniteNames } from "./inputs.ts";
import { programOf, type Program } from "./program.ts";

/**
 * Compiles a text to a program that runs for any extents of its named dimensions.
 *
 * A text that is wrong is thrown, as an `EinError` with all of its messages.
 */
export async function compile(
  source: string | Source,
  options: CompileOptions = {},
): Promise<Program> {
  // What `grad` needs is loaded meanwhile: it answers at once.
  const [program] = await Promise.all([
    compileToRun(source, options),
    ...partsOfGradients.map(loadPart),
  ]);
  return program;
}

const partsOfGradients = ["derivatives", "rare", "mistakes"];

/** The same for a program that nobody asks for derivatives but itself. */
export async function compileToRun(
  source: string | Source,
  options: CompileOptions = {},
): Promise<Program> {
  askedToCompile(source, options);
  const prepared = await loaded(recipeOf(source, options), options.readModule);
  checkFiniteNames(prepared.program.inputs, prepared.recipe.finite);
  return programOf(prepared);
}

/** A part of the compiler is loaded for the first program that needs it. */
export async function loaded(recipe: Recipe, readModule?: ReadModule): Promise<Prepared> {
  const [prepared] = await Promise.all([
    withParts(() => prepare(recipe, readModule)),
    ...partsOfRuns(recipe).map(loadPart),
  ]);
  if (compilesLater(prepared)) await loadEveryPart();
  return prepared;
}

/** Runs on this thread cannot wait for anything; a page has none. */
function partsOfRuns({ backend }: Recipe): readonly string[] {
  if (isBrowserPage()) return [];
  return usesKernels({ backend }) ? ["runs", "kernels"] : ["runs"];
}

async function withParts(attempt: () => Prepared): Promise<Prepared> {
  for (;;) {
    try {
      return attempt();
    } catch (problem) {
      if (!(problem instanceof PartMissing)) throw problem;
      await loadPart(problem.part);
    }
  }
}

/**
 * What is compiled later, for a function or for a rank, is compiled at once: nothing can be loaded
 * then.
 */
function compilesLater({ recipe, program }: Prepared): boolean {
  return /\bpub\s+fn\b/.test(recipe.source.text) || program.inputs.some(({ shape }) => !shape);
}

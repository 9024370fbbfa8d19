// `compile` of the library: loads what a text turns out to need, and compiles it.

import { usesKernels } from "../backends/interpret/run.ts";
import type { ReadModule } from "../check/modules.ts";
import { loadEveryPart, loadPart, PartMissing } from "../parts.ts";
import type { Source } from "../syntax/source.ts";
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
export async function compile(source: string | Source, options: CompileOptions = {}): Promise<Program> {
  // What `grad` needs is loaded meanwhile: it answers at once.
  const [program] = await Promise.all([compileToRun(source, options), loadPart("derivatives")]);
  return program;
}

/** The same for a program that nobody asks for derivatives but itself. */
export async function compileToRun(source: string | Source, options: CompileOptions = {}): Promise<Program> {
  askedToCompile(source, options);
  const prepared = await loaded(recipeOf(source, options), options.readModule);
  checkFiniteNames(prepared.program.inputs, prepared.recipe.finite);
  return programOf(prepared);
}

/** A part of the compiler is loaded for the first program that needs it. */
export async function loaded(recipe: Recipe, readModule?: ReadModule): Promise<Prepared> {
  const kernels = mayUseKernels(recipe) ? loadPart("kernels") : undefined;
  const [prepared] = await Promise.all([withParts(() => prepare(recipe, readModule)), kernels]);
  if (compilesLater(prepared)) await loadEveryPart();
  return prepared;
}

/** Kernels are for runs on this thread, which cannot wait for them, and a page has none. */
function mayUseKernels({ backend }: Recipe): boolean {
  return usesKernels({ backend }) && !isBrowserPage();
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

/** What is compiled later, for a function or for a rank, is compiled at once: nothing can be loaded then. */
function compilesLater({ recipe, program }: Prepared): boolean {
  return /\bpub\s+fn\b/.test(recipe.source.text) || program.inputs.some(({ shape }) => !shape);
}

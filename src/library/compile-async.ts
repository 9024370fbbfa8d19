// `compile` of the library. It loads the parts of the compiler that a text needs, and compiles the
// text.

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
  // The parts for derivatives are loaded meanwhile, because `grad` is synchronous.
  const [program] = await Promise.all([
    compileToRun(source, options),
    ...partsOfGradients.map(loadPart),
  ]);
  return program;
}

const partsOfGradients = ["derivatives", "rare", "mistakes"];

/**
 * Compiles a text without the parts that only `grad` needs. Derivatives inside the text still work.
 */
export async function compileToRun(
  source: string | Source,
  options: CompileOptions = {},
): Promise<Program> {
  askedToCompile(source, options);
  const prepared = await loaded(recipeOf(source, options), options.readModule);
  checkFiniteNames(prepared.program.inputs, prepared.recipe.finite);
  return programOf(prepared);
}

/** Compiles a recipe, and loads each part of the compiler when the first program needs it. */
export async function loaded(recipe: Recipe, readModule?: ReadModule): Promise<Prepared> {
  const [prepared] = await Promise.all([
    withParts(() => prepare(recipe, readModule)),
    ...partsOfRuns(recipe).map(loadPart),
  ]);
  if (compilesLater(prepared)) await loadEveryPart();
  return prepared;
}

/**
 * The parts that `run` needs, because a synchronous run cannot wait for them. A page has no
 * synchronous runs.
 */
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
 * Whether something is compiled later: a call of a `pub fn`, or a program whose ranks come with its
 * inputs. Then all parts are loaded now, because nothing can be loaded later.
 */
function compilesLater({ recipe, program }: Prepared): boolean {
  return /\bpub\s+fn\b/.test(recipe.source.text) || program.inputs.some(({ shape }) => !shape);
}

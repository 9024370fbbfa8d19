// `compile` of the library: loads the rooms of the compiler that a text needs, and compiles it.
//
// The seams are `import()`: the front end for the first text, derivatives for a text that asks for
// some or a program whose `grad` may be called, and what runs programs unless this is the main
// thread of a page, where nothing runs.

import type { ReadModule } from "../check/names/modules.ts";
import { askedToCompile } from "./asked.ts";
import {
  prepare,
  recipeOf,
  type Compiler,
  type CompileOptions,
  type Prepared,
  type Recipe,
} from "./compile.ts";
import { isBrowserPage } from "./host.ts";
import { checkFiniteNames } from "./inputs.ts";
import { programOf, type Program } from "./program.ts";
import type { Source } from "../base/source.ts";

/**
 * Compiles a text to a program that runs for any extents of its named dimensions.
 *
 * A text that is wrong is thrown, as an `EinError` with all of its messages.
 */
export async function compile(
  source: string | Source,
  options: CompileOptions = {},
): Promise<Program> {
  // `grad` answers at once: derivatives are there, whatever the text asks for.
  return compiled(source, options, { derivatives: true });
}

/** The same for a program whose `grad` nobody calls. */
export async function compileToRun(
  source: string | Source,
  options: CompileOptions = {},
): Promise<Program> {
  return compiled(source, options, { derivatives: false });
}

interface Wanted {
  /** Whether derivatives are wanted that the text does not ask for itself. */
  readonly derivatives: boolean;
}

async function compiled(
  source: string | Source,
  options: CompileOptions,
  wanted: Wanted,
): Promise<Program> {
  askedToCompile(source, options);
  const prepared = await loaded(recipeOf(source, options), wanted, options.readModule);
  checkFiniteNames(prepared.program.inputs, prepared.recipe.finite);
  return programOf(prepared);
}

/** A recipe compiled, with the rooms that it needs. */
export async function loaded(
  recipe: Recipe,
  wanted: Wanted,
  readModule?: ReadModule,
): Promise<Prepared> {
  return prepare(recipe, await compilerFor(recipe, wanted), readModule);
}

async function compilerFor({ source }: Recipe, wanted: Wanted): Promise<Compiler> {
  const loadDerivatives = () => import("../driver/derivatives.ts");
  const [front, runs, early] = await Promise.all([
    import("./front.ts"),
    isBrowserPage() ? undefined : import("../run/run.ts"),
    wanted.derivatives ? loadDerivatives() : undefined,
  ]);
  const derivatives =
    early ?? (front.needsDerivatives(source) ? await loadDerivatives() : undefined);
  return {
    ...front,
    rooms: { ...(derivatives ? { derivatives } : {}), ...(runs ? { runs } : {}) },
  };
}

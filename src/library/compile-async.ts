// `compile` of the library: loads what a text turns out to need, and compiles it.

import { bringJacobians } from "../autodiff/brought-jacobians.ts";
import { bringRules } from "../autodiff/brought-rules.ts";
import { bringSplits } from "../autodiff/brought-splits.ts";
import { bringGuards, bringMatching, bringSteps, bringTangents } from "../check/rare-forms.ts";
import { bringRagged } from "../check/brought-ragged.ts";
import { bringLibrary } from "../check/library-texts.ts";
import type { ReadModule } from "../check/modules.ts";
import { PartMissing, type Part } from "../part-missing.ts";
import type { Source } from "../syntax/source.ts";
import { askedToCompile } from "./asked.ts";
import { prepare, recipeOf, type CompileOptions, type Prepared, type Recipe } from "./compile.ts";
import { checkFiniteNames } from "./inputs.ts";
import { programOf, type Program } from "./program.ts";

/**
 * Compiles a text to a program that runs for any extents of its named dimensions.
 *
 * A text that is wrong is thrown, as an `EinError` with all of its messages.
 */
export async function compile(source: string | Source, options: CompileOptions = {}): Promise<Program> {
  askedToCompile(source, options);
  const prepared = await loaded(recipeOf(source, options), options.readModule);
  checkFiniteNames(prepared.program.inputs, prepared.recipe.finite);
  return programOf(prepared);
}

/** A part of the compiler is loaded for the first program that needs it. */
export async function loaded(recipe: Recipe, readModule?: ReadModule): Promise<Prepared> {
  const prepared = await withParts(() => prepare(recipe, readModule));
  if (compilesLater(prepared)) await Promise.all(Object.values(parts).map((bring) => bring()));
  return prepared;
}

async function withParts(attempt: () => Prepared): Promise<Prepared> {
  for (;;) {
    try {
      return attempt();
    } catch (problem) {
      if (!(problem instanceof PartMissing)) throw problem;
      await parts[problem.part]();
    }
  }
}

const parts: Readonly<Record<Part, () => Promise<void>>> = {
  std: async () => bringLibrary((await import("../std.ts")).standardTexts),
  functions: async () => (await import("../functions-part.ts")).bringFunctions(),
  async derivatives() {
    const part = await import("../derivatives-part.ts");
    bringJacobians(part);
    bringSplits(part);
  },
  ragged: async () => bringRagged(await import("../check/ragged-part.ts")),
  guards: async () => bringGuards(await import("../check/call-guards.ts")),
  match: async () =>
    bringMatching({ ...(await import("../check/match.ts")), ...(await import("../check/equality.ts")) }),
  steps: async () => bringSteps(await import("../check/step-numerators.ts")),
  async rules() {
    const [tangents, linearity] = await Promise.all([
      import("../check/tangents.ts"),
      import("../autodiff/linearity.ts"),
    ]);
    bringTangents(tangents);
    bringRules(linearity);
  },
};

/** What is compiled later, for a function or for a rank, is compiled at once: nothing can be loaded then. */
function compilesLater({ recipe, program }: Prepared): boolean {
  return /\bpub\s+fn\b/.test(recipe.source.text) || program.inputs.some(({ shape }) => !shape);
}

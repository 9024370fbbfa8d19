// The core as a page has it, which a test bundles in parts: compiles a text, and says which parts
// that took.

import { compileCore, type Compiled } from "../../src/driver/core.ts";
import { loadPart, PartMissing } from "../../src/driver/parts.ts";
import type { Source } from "../../src/base/source.ts";

export { compile } from "../../src/library/compile-async.ts";
export { ein } from "../../src/library/tag.ts";
export { compileCore } from "../../src/driver/core.ts";
export { forgetParts, isLoaded, loadPart } from "../../src/driver/parts.ts";

/** What a text compiles to, and the parts that were loaded for it, in order. */
export async function compiledInParts(
  source: Source,
): Promise<Compiled & { readonly took: readonly string[] }> {
  const took: string[] = [];
  for (;;) {
    try {
      return { ...compileCore(source), took };
    } catch (problem) {
      if (!(problem instanceof PartMissing)) throw problem;
      took.push(problem.part);
      await loadPart(problem.part);
    }
  }
}

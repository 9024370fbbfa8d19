// The core as a page loads it, which a test bundles in parts. Compiles a text and lists the loaded
// parts.

import { compileCore, type Compiled } from "../../src/driver/core.ts";
import { loadPart, PartMissing } from "../../src/driver/parts.ts";
import type { Source } from "../../src/base/source.ts";

export { compile } from "../../src/library/compile-async.ts";
export { ein } from "../../src/library/tag.ts";
export { compileCore } from "../../src/driver/core.ts";
export { forgetParts, isThere, loadPart } from "../../src/driver/parts.ts";

/** The result of compiling a text, and the parts that were loaded for it, in order. */
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

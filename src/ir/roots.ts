// The definitions that a program is run for: whatever is printed, asserted or can be asked for.

import { definitionsIn } from "./parts.ts";
import type { Definition, Program } from "./program.ts";
import { readsOfFunction } from "./references.ts";

export function rootsOf(program: Program): readonly Definition[] {
  const roots = new Set<Definition>(
    [...program.outputs.values()].map((output) => output.definition),
  );
  for (const action of program.actions) {
    if (action.kind === "assert") roots.add(action.condition);
    for (const branch of action.when) roots.add(branch.condition);
    if (action.kind === "call") {
      for (const definition of [...action.arguments, ...readsOfFunction(action.function)])
        roots.add(definition);
      continue;
    }
    const parts = action.kind === "print" ? action.parts.flat() : action.message;
    for (const definition of parts.flatMap(definitionsIn)) roots.add(definition);
  }
  for (const { parts } of program.texts.values())
    for (const part of parts.flatMap(definitionsIn)) roots.add(part);
  return [...roots, ...program.scalars.values()];
}

/** The roots, where a host asks only for some outputs by name. */
export function askedRoots(
  program: Program,
  asked: readonly string[] | undefined,
): readonly Definition[] {
  const outputs = new Map([...program.outputs].filter(([name]) => !asked || asked.includes(name)));
  return rootsOf({ ...program, outputs });
}

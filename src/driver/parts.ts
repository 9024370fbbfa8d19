// The parts of the compiler that a page loads when a program turns out to need them. The sources
// import one another as if there were no parts: `scripts/parts` says which files make a part, and
// where one of them is imported from outside of it, the build of the library puts functions that
// ask for the part when they are called.

import { loaders } from "./part-loaders.ts";

/** The functions of a part that are called from outside of it. */
export type PartExports = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** Thrown where a part is needed and not there; whoever can load it compiles again. */
export class PartMissing extends Error {
  readonly part: string;

  constructor(part: string) {
    super(`the part \`${part}\` of the compiler is not loaded`);
    this.part = part;
  }
}

const held = new Map<string, PartExports>();

/** A function of a part, as those outside of it see it. */
export function fromPart(part: string, name: string): (...given: readonly unknown[]) => unknown {
  return (...given) => {
    const exported = held.get(part);
    if (!exported) throw new PartMissing(part);
    return exported[name]!(...given);
  };
}

/** Whether a part is there: always, where nothing has been divided into parts. */
export function isThere(part: string): boolean {
  return !(part in loaders) || held.has(part);
}

export async function loadPart(part: string): Promise<void> {
  if (!isThere(part)) held.set(part, await loaders[part]!());
}

export async function loadEveryPart(): Promise<void> {
  await Promise.all(Object.keys(loaders).map(loadPart));
}

export function bringParts(parts: Readonly<Record<string, PartExports>>): void {
  for (const [part, exported] of Object.entries(parts)) held.set(part, exported);
}

/** As a page begins: what was loaded has to be loaded again. */
export function forgetParts(): void {
  held.clear();
}

// The parts of the compiler that a page loads on demand. The sources import one another as if there
// were no parts. `scripts/parts` says which files form a part. The build of the library replaces
// imports from outside a part by functions that ask for the part when they are called.

import { loaders } from "./part-loaders.ts";

/** The functions of a part that other files call. */
export type PartExports = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** Thrown if a part is needed and not loaded. The caller loads it and compiles again. */
export class PartMissing extends Error {
  readonly part: string;

  constructor(part: string) {
    super(`the part \`${part}\` of the compiler is not loaded`);
    this.part = part;
  }
}

const held = new Map<string, PartExports>();

/** A function of a part, for callers outside the part. */
export function fromPart(part: string, name: string): (...given: readonly unknown[]) => unknown {
  return (...given) => {
    const exported = held.get(part);
    if (!exported) throw new PartMissing(part);
    return exported[name]!(...given);
  };
}

/** Whether a part is loaded. In undivided sources every part is. */
export function isLoaded(part: string): boolean {
  return !(part in loaders) || held.has(part);
}

export async function loadPart(part: string): Promise<void> {
  if (!isLoaded(part)) held.set(part, await loaders[part]!());
}

export async function loadEveryPart(): Promise<void> {
  await Promise.all(Object.keys(loaders).map(loadPart));
}

export function bringParts(parts: Readonly<Record<string, PartExports>>): void {
  for (const [part, exported] of Object.entries(parts)) held.set(part, exported);
}

/** Forgets the loaded parts, as when a page starts. */
export function forgetParts(): void {
  held.clear();
}

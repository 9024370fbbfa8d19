// What compiling turns out to need and a page has not loaded yet.

/**
 * `std`: the texts of the standard library. `functions`: what programs need whose functions stay functions. `derivatives`: those of tensors, and through
 * what is split first. `ragged`: comprehensions, rows of different lengths. `match`: choices by patterns. `guards`: `where` on calls. `steps`: derivatives at a step of a recurrence.
 * `rules`: tangents of one's own.
 */
export type Part = "std" | "functions" | "derivatives" | "ragged" | "match" | "guards" | "steps" | "rules";

/** Thrown where a part is needed and not there; whoever can load it compiles again. */
export class PartMissing extends Error {
  readonly part: Part;

  constructor(part: Part) {
    super(`the part \`${part}\` of the compiler is not loaded`);
    this.part = part;
  }
}

/** A place for something of a part, once somebody has brought it. */
export interface Brought<T> {
  readonly bring: (all: T) => void;
  /** Asks for the part where it is missing. */
  readonly get: () => T;
}

export function brought<T>(part: Part): Brought<T> {
  let held: T | undefined;
  return {
    bring: (all) => void (held = all),
    get() {
      if (held === undefined) throw new PartMissing(part);
      return held;
    },
  };
}

// What compiling turns out to need and a page has not loaded yet.

/** `std`: the texts of the standard library. `functions`: what programs need whose functions stay functions. `jacobians`: derivatives of tensors. */
export type Part = "std" | "functions" | "jacobians";

/** Thrown where a part is needed and not there; whoever can load it compiles again. */
export class PartMissing extends Error {
  readonly part: Part;

  constructor(part: Part) {
    super(`the part \`${part}\` of the compiler is not loaded`);
    this.part = part;
  }
}

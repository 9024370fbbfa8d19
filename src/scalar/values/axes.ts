// How many axes a value from outside may have.

import { failure, type Failure } from "../../base/failure.ts";

/**
 * As many as NumPy's arrays may have. Nobody has more by intention, and an array that holds itself
 * has no end.
 */
export const mostAxes = 64;

export function tooManyAxes(count: number): string {
  return `the shape has ${count} axes; a tensor from outside has at most ${mostAxes}`;
}

/** Of nested arrays. */
export function tooDeep(): Failure {
  return failure(`arrays are nested more than ${mostAxes} deep`);
}

// The limit on the axes of a value from outside.

import { failure, type Failure } from "../../base/failure.ts";

/**
 * The limit that NumPy has for its arrays. It also ends the walk through an array that contains
 * itself.
 */
export const mostAxes = 64;

export function tooManyAxes(count: number): string {
  return `the shape has ${count} axes; a tensor from outside has at most ${mostAxes}`;
}

/** The failure for nested arrays that exceed the limit. */
export function tooDeep(): Failure {
  return failure(`arrays are nested more than ${mostAxes} deep`);
}

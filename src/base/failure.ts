// What the host boundary gives back when something from outside cannot be used: a reason, for the
// caller to place.

import { harmless } from "./display.ts";

export interface Failure {
  readonly error: string;
}

export function failed(outcome: unknown): outcome is Failure {
  return typeof outcome === "object" && outcome !== null && "error" in outcome;
}

/**
 * What the reason repeats of a file is made harmless: no character of it moves a terminal's cursor.
 */
export function failure(error: string): Failure {
  return { error: harmless(error) };
}

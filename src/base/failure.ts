// The outcome for a value from outside that cannot be used: a reason, which the caller turns into a
// message with a place.

import { harmless } from "./display.ts";

export interface Failure {
  readonly error: string;
}

export function failed(outcome: unknown): outcome is Failure {
  return typeof outcome === "object" && outcome !== null && "error" in outcome;
}

/**
 * The reason may quote a file, so it is made harmless: no character in it moves the cursor of a
 * terminal.
 */
export function failure(error: string): Failure {
  return { error: harmless(error) };
}

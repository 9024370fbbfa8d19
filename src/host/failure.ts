// What the host boundary gives back when something from outside cannot be used: a reason, for the caller to place.

export interface Failure {
  readonly error: string;
}

export function failed(outcome: unknown): outcome is Failure {
  return typeof outcome === "object" && outcome !== null && "error" in outcome;
}

export function failure(error: string): Failure {
  return { error };
}

// The pullbacks of calls (calls.ts), once somebody has brought them: few programs take derivatives through functions that stay functions, and
// a page loads them for those.

import { eachScalar, scalarsOf, type Definition } from "../ir/program.ts";
import { PartMissing } from "../part-missing.ts";
import type * as calls from "./calls.ts";
import type { Workshop } from "./sweep.ts";

export type Calls = Pick<typeof calls, "keepCalls" | "isKept" | "pullCallsBack">;

let brought: Calls | undefined;

export function bringCalls(all: Calls): void {
  brought = all;
}

/** Nothing where no calls have been kept, because nobody has brought what keeps them. */
export function broughtCalls(): Calls | undefined {
  return brought;
}

/** Keeps the calls in a definition for their pullbacks. */
export const keepBroughtCalls: NonNullable<Workshop["keepCalls"]> = (definition, ...around) => {
  if (!brought && hasCalls(definition)) throw new PartMissing("functions");
  brought?.keepCalls(definition, ...around);
};

/** Calls, also those that have made data. */
function hasCalls({ clauses }: Definition): boolean {
  let found = false;
  for (const scalar of clauses.flatMap(scalarsOf))
    eachScalar(scalar, ({ kind, type }) => {
      found ||= kind === "call" || kind === "data" || type === "data";
    });
  return found;
}

// The pullbacks of calls (calls.ts) and of products whose factors data chooses (sparse-products.ts), once somebody has brought them: few programs take
// derivatives through functions that stay functions or through such products, and a page loads them for those. How the data that functions make is written
// comes with them.

import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Loop } from "../ir/program.ts";
import { PartMissing } from "../part-missing.ts";
import type * as writing from "../ir/print-data.ts";
import { isBoundByData } from "../ir/ties.ts";
import type * as calls from "./calls.ts";
import type * as products from "./sparse-products.ts";
import type * as slopes from "./slopes.ts";
import type * as rows from "./split-rows.ts";
import type { Workshop } from "./sweep.ts";

export type Calls = Pick<typeof calls, "keepCalls" | "isKept" | "pullCallsBack"> &
  Pick<typeof products, "keepProducts" | "isSparse" | "sparseOthers"> &
  Pick<typeof rows, "splitRows"> &
  Pick<typeof slopes, "answerSlopes"> &
  Pick<typeof writing, "dataWords" | "isWrittenData">;

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

/** Keeps the factors of a product that data chooses. */
export const keepBroughtProducts: NonNullable<Workshop["keepProducts"]> = (definition, ...around) => {
  if (!brought && hasProduct(definition, (loops, body) => isBoundByData(loops, body)))
    throw new PartMissing("functions");
  brought?.keepProducts(definition, ...around);
};

/** Splits products over triangles: all that go over several coordinates may be such. */
export const splitBroughtRows: NonNullable<Workshop["splitRows"]> = (definition, define) => {
  if (!brought && hasProduct(definition, (_, body) => body.loops.length > 1)) throw new PartMissing("functions");
  return brought?.splitRows(definition, define) ?? [];
};

function hasProduct(
  { clauses }: Definition,
  test: (loops: readonly Loop[], body: Extract<Clause["body"], { kind: "reduce" }>) => boolean,
): boolean {
  return clauses.some(({ loops, body }) => body.kind === "reduce" && body.reduction === "prod" && test(loops, body));
}

/** Calls, also those that have made data. */
function hasCalls({ clauses }: Definition): boolean {
  let found = false;
  for (const scalar of clauses.flatMap(scalarsOf))
    eachScalar(scalar, ({ kind, type }) => {
      found ||= kind === "call" || kind === "data" || type === "data";
    });
  return found;
}

// Products of few factors over a triangle, written out before they are differentiated.
//
//   p = prod[i in 0..3, j in 0..i](x[i] - x[j])   is   p = (x[1] - x[0])·(x[2] - x[0])·(x[2] - x[1])
//
// What rows of factors take beside them (split-rows.ts) is more than that where a row has two.

import { isOff } from "../ir/rewrites.ts";
import { constant, constantOf } from "../affine/term.ts";
import { substitute } from "../affine/visit.ts";
import { workAtPoint } from "../ir/cost/tally.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { reachable } from "../ir/schedule.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import type { FloatType } from "../scalar/types.ts";
import { termOf } from "./cells.ts";
import { setBefore } from "./formulas.ts";
import { algebraOf } from "./products.ts";
import { rowsOf, type Rows } from "./split-rows.ts";

/** So many factors are written out, and no larger ones than a difference: what they are made of stands in all of their derivatives. */
const few = 10;
const small = 3;

/** Rewrites the clauses of a definition in place. Half floats round once, behind the last factor. */
export function writeOutProducts(definition: Definition): void {
  const { element, rule } = definition;
  if ((element !== "f32" && element !== "f64") || rule || isOff("write-out-products")) return;
  // A part of a recurrence is differentiated once for each of its steps.
  if (reachable([...readsOf(definition)]).includes(definition)) return;
  const clauses = definition.clauses.map((clause) => {
    const { body } = clause;
    const rows =
      body.kind === "reduce" && body.reduction === "prod" ? rowsOf(clause, body) : undefined;
    return (rows && writtenOut(clause, rows, element)) ?? clause;
  });
  if (clauses.some((clause, k) => clause !== definition.clauses[k])) definition.clauses = clauses;
}

function writtenOut(
  clause: Clause,
  { first, body, around }: Rows,
  type: FloatType,
): Clause | undefined {
  const [second, ...others] = body.loops;
  if (
    others.length > 0 ||
    [...body.guards, ...around].length > 0 ||
    workAtPoint([body.value]) > small
  )
    return undefined;
  const factors: Scalar[] = [];
  for (const i of positionsOf(first) ?? []) {
    const row = positionsOf(second!, first, i);
    if (!row || factors.length + row.length > few) return undefined;
    const at = (j: number): Scalar =>
      instantiate(
        body.value,
        new Map([
          [first.variable, number(i)],
          [second!.variable, number(j)],
        ]),
      );
    factors.push(...row.map(at));
  }
  if (factors.length === 0) return undefined;
  const algebra = algebraOf(type, body.span);
  const value = factors.reduce((product, factor) => algebra.apply("multiply", product, factor));
  const written: Clause = { ...clause, body: { kind: "map", value } };
  setBefore(written, clause);
  return written;
}

/** The positions of a loop, where another one stands, if they are numbers and not too many. */
function positionsOf({ from, to }: Loop, around?: Loop, at = 0): readonly number[] | undefined {
  const by = new Map(around ? [[around.variable, constant(at)]] : []);
  const [start, end] = [from, to].map((bound) => constantOf(substitute(termOf(bound), by)));
  if (start === undefined || end === undefined || end - start > few) return undefined;
  return Array.from({ length: Math.max(0, end - start) }, (_, k) => start + k);
}

function number(value: number): Scalar {
  return integerScalar(constant(value));
}

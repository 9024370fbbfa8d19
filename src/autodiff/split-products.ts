// Products of many numbers in one cell, split into products of three before they are differentiated.
//
//   y[i] = a[i]·b[i]·c[i]·d[i]·e[i]   has five derivatives with four factors each, and of n numbers n derivatives with n - 1;
//   t[i] = a[i]·b[i]·c[i],   y[i] = t[i]·d[i]·e[i]   have three with two each, again and again.
//
// The order of the operations stays as it was written, and so does every value.

import type { Variable } from "../ir/affine/term.ts";
import { keyOf } from "../ir/keys.ts";
import { mapParts, readsOf, type Clause, type Definition, type Loop, type Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { reachable } from "../ir/schedule.ts";
import { instantiate } from "../ir/substitute.ts";
import { usesAny } from "../ir/ties.ts";
import { countedFromStart, type Define } from "./cells.ts";
import { setBefore } from "./formulas.ts";
import { readsIn } from "./linearize.ts";

/** As many numbers as a product has after it was split; from `many` on it is. */
const few = 3;
const many = 5;

/** Rewrites the clauses of a definition in place; the new definitions are read by them. */
export function splitProducts(
  definition: Definition,
  varies: (definition: Definition) => boolean,
  define: Define,
): void {
  if (!isFloat(definition.element) || definition.rule) return;
  const clauses = definition.clauses.map((clause) => split(definition, clause, varies, define));
  if (clauses.some((clause, k) => clause !== definition.clauses[k])) definition.clauses = clauses;
}

type Operation = Extract<Scalar, { kind: "apply" }>;

function split(
  definition: Definition,
  clause: Clause,
  varies: (definition: Definition) => boolean,
  define: Define,
): Clause {
  const { body } = clause;
  const isSum = body.kind === "reduce" && body.reduction === "sum";
  const loops = isSum ? [...clause.loops, ...body.loops] : clause.loops;
  if ((body.kind === "reduce" && !isSum) || !loops.every((loop) => isClosed(loop, loops))) return clause;
  // Where there is nothing to multiply there is no part either.
  const guards = [...clause.guards, ...(isSum ? body.guards : [])];
  let isSplit = false;
  // A part of a recurrence would have to join it.
  const isRecurrent = (): boolean => reachable([...readsOf(definition)]).includes(definition);
  // What a branch or a call computes is not computed at every point: it stays where it is.
  const visit = (scalar: Scalar): Scalar => {
    if (scalar.kind !== "apply" && scalar.kind !== "cast") return scalar;
    const { numbers, operations } = spineOf(scalar);
    // A part has a cell for every point: so has each number, unless all of it is one number.
    const moving = numbers.filter(
      (number) => [...readsIn(number)].some(varies) && loops.every((loop) => usesAny(number, [loop])),
    );
    if (new Set(moving.map(keyOf)).size < many || isRecurrent()) return mapParts(scalar, visit);
    isSplit = true;
    let value = visit(numbers[0]!);
    for (const [k, operation] of operations.entries()) {
      value = { ...operation, operands: [value, visit(numbers[k + 1]!)] };
      const isPart = k % (few - 1) === few - 2 && k < operations.length - 1;
      if (isPart) value = partOf(definition, { ...clause, loops, guards }, value, define);
    }
    return value;
  };
  const value = visit(body.value);
  if (!isSplit) return clause;
  const made: Clause = { ...clause, body: { ...body, value } };
  setBefore(made, clause);
  return made;
}

/** A product that begins on the left, and quotients of it: the numbers, and what joins each to those before it. */
function spineOf(scalar: Scalar): { readonly numbers: readonly Scalar[]; readonly operations: readonly Operation[] } {
  const isSpine = scalar.kind === "apply" && (scalar.operation === "multiply" || scalar.operation === "divide");
  if (!isSpine || !isFloat(scalar.type)) return { numbers: [scalar], operations: [] };
  const [left, right] = scalar.operands;
  const { numbers, operations } = spineOf(left!);
  return { numbers: [...numbers, right!], operations: [...operations, scalar] };
}

function isClosed({ from, to }: Loop, loops: readonly Loop[]): boolean {
  return from.kind === "integer" && to.kind === "integer" && !usesAny(from, loops) && !usesAny(to, loops);
}

/** A value at every point, as a definition of its own; read where it stood. */
function partOf(definition: Definition, { loops, guards, span }: Clause, value: Operation, define: Define): Scalar {
  const by = new Map<Variable, Scalar>();
  const { loops: own, axes, indices } = countedFromStart(loops, by);
  const body: Clause["body"] = { kind: "map", value: instantiate(value, by) };
  const tested = guards.map((guard) => instantiate(guard, by));
  const made = define(`${definition.name}_part`, value.type, axes, [{ loops: own, guards: tested, body, span }], span);
  return { kind: "read", type: value.type, definition: made, indices, span: value.span };
}

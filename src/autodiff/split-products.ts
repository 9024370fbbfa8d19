// Products of many numbers in one cell, split into products of three before they are differentiated.
//
//   y[i] = a[i]·b[i]·c[i]·d[i]·e[i]   has five derivatives with four factors each, and of n numbers n derivatives with n - 1;
//   t[i] = a[i]·b[i]·c[i],   y[i] = t[i]·d[i]·e[i]   have three with two each, again and again.
//
// The order of the operations stays as it was written, and so does every value.

import { add, ofVariable, renewed, subtract, zero, type Term, type Variable } from "../ir/affine/term.ts";
import { keyOf } from "../ir/keys.ts";
import { mapParts, readsOf, type Axis, type Clause, type Definition, type Loop, type Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { reachable } from "../ir/schedule.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { usesAny } from "../ir/ties.ts";
import type { Define } from "./cells.ts";
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
  const { body, guards } = clause;
  const isSum = body.kind === "reduce" && body.reduction === "sum" && body.guards.length === 0;
  const loops = body.kind === "reduce" ? [...clause.loops, ...body.loops] : clause.loops;
  if ((body.kind === "reduce" && !isSum) || guards.length > 0 || !loops.every((loop) => isClosed(loop, loops)))
    return clause;
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
      if (isPart) value = partOf(definition, clause, loops, value, define);
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
function partOf(
  definition: Definition,
  { span }: Clause,
  loops: readonly Loop[],
  value: Operation,
  define: Define,
): Scalar {
  // prettier-ignore
  // Cells are counted from the start of each range.
  const starts = loops.map(({ from }) => termOf(from));
  const axes = loops.map(({ variable: v, to }, k): Axis => ({
    name: v.name,
    extent: subtract(termOf(to), starts[k]!),
  }));
  const by = new Map<Variable, Scalar>();
  const own = loops.map((loop, k): Loop => {
    const v = renewed(loop.variable);
    by.set(loop.variable, integerScalar(add(ofVariable(v), starts[k]!)));
    return { variable: v, from: integerScalar(zero), to: integerScalar(axes[k]!.extent), reversed: false };
  });
  const body: Clause["body"] = { kind: "map", value: instantiate(value, by) };
  const made = define(`${definition.name}_part`, value.type, axes, [{ loops: own, guards: [], body, span }], span);
  const indices = loops.map((loop, k) => integerScalar(subtract(ofVariable(loop.variable), starts[k]!)));
  return { kind: "read", type: value.type, definition: made, indices, span: value.span };
}

function termOf(bound: Scalar): Term {
  return (bound as Extract<Scalar, { kind: "integer" }>).term;
}

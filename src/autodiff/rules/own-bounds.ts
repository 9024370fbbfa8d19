// Products, maxima and minima over ranges that their own recurrence bounds, as loops:
//
//    h[t] = prod[k in 0..n(h[t - 1])](f(t, k))   is   h[t] = round(t, 0, n(h[t - 1]), 1)
//    round(t, q, end, held) = if q < end { round(t, q + 1, end, held·f(t, q)) } else { held }
//
// The other rules keep a value for each position of a box, and the box must exist before the first
// cell is computed. Here the last position is known only at the end. A recursive function keeps
// what its derivatives need while it runs (calls.ts, functions.ts), to every order. A maximum still
// goes to the first winner, because `max(a, b)` goes to `a` if both are equal.

import { ofVariable, plus, zero, type Variable } from "../../affine/term.ts";
import { compared } from "../../ir/integers.ts";
import type {
  Clause,
  Definition,
  Invocation,
  Loop,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { instantiate, integerScalar, coordinateScalar, atIndices } from "../../ir/substitute.ts";
import { boxed, flattened, type Reduction } from "../transpose/box.ts";
import { asType } from "../sweep/cells.ts";
import { setBefore } from "../sweep/formulas.ts";
import { newParameter, valueOf } from "../data/frames.ts";
import { canBeComputedBefore } from "../transpose/measured.ts";
import { typeOf } from "./other-factors.ts";
import { isPower } from "./powers.ts";
import { algebraOf } from "../scalar/products.ts";

/** Folds such reductions of a definition into loops. The clauses are changed in place. */
export function foldOwnBounds(definition: Definition): void {
  const clauses = foldedClauses(definition);
  if (clauses !== definition.clauses) definition.clauses = clauses;
}

/** The clauses of a definition with loops for such reductions. Its own clauses if it has none. */
export function foldedClauses(definition: Definition): readonly Clause[] {
  const { clauses, element, rule } = definition;
  if (
    !isFloat(element) ||
    rule ||
    !clauses.some(({ body }) => body.kind === "reduce" && isBoundByData(body))
  )
    return clauses;
  return clauses.map((clause) => {
    const { body } = clause;
    if (
      body.kind !== "reduce" ||
      !isBoundByData(body) ||
      !isBoundByItself(definition, clause, body)
    )
      return clause;
    const folded: Clause = {
      ...clause,
      body: { kind: "map", value: foldOf(definition, clause, body) },
    };
    setBefore(folded, clause);
    return folded;
  });
}

/**
 * Is the range of a reduction data, and does its rule need a box? An extreme over one coordinate
 * and a power need none.
 */
function isBoundByData(body: Reduction): boolean {
  const { reduction, loops } = body;
  if (loops.every(({ from, to }) => from.kind === "integer" && to.kind === "integer")) return false;
  return reduction === "prod"
    ? !isPower(body)
    : (reduction === "max" || reduction === "min") && loops.length > 1;
}

function isBoundByItself(definition: Definition, { loops }: Clause, body: Reduction): boolean {
  if (flattened(body.loops)) return false;
  let isOwn = false;
  boxed(loops, body, ({ from, to }) => {
    isOwn ||= ![from, to].every((bound) => canBeComputedBefore(bound, definition));
    return { from: zero, to: zero };
  });
  return isOwn;
}

function foldOf(definition: Definition, clause: Clause, body: Reduction): Scalar {
  const type = body.reduction === "prod" ? typeOf(definition) : (definition.element as FloatType);
  const here = clause.loops.map(coordinateScalar);
  const start = { prod: 1, max: -Infinity, min: Infinity }[
    body.reduction as "prod" | "max" | "min"
  ];
  const algebra = algebraOf(type, body.span);
  const invocation = roundsOf(definition, clause, body, type, 0)(here, algebra.number(start));
  return asType({ kind: "call", type, invocation, member: 0 }, definition.element);
}

/**
 * A function that goes through the positions of one coordinate. At each position it goes through
 * the positions of the coordinates behind it.
 */
function roundsOf(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  type: FloatType,
  depth: number,
): (around: readonly Scalar[], held: Scalar) => Invocation {
  const { span } = body;
  const outer = [...clause.loops, ...body.loops.slice(0, depth)];
  const loop = body.loops[depth]!;
  const around = outer.map((each) => newParameter(each.variable.name, "i32"));
  const [q, end] = [newParameter(loop.variable.name, "i32"), newParameter("end", "i32")];
  const held = newParameter("held", type);
  const round: ScalarFunction = {
    name: definition.name,
    parameters: [...around, q, end, held],
    results: [],
    needs: new Set(definition.needs),
    rounds: { loops: [loop], guards: [] },
    span,
  };
  const inside = [...around, q].map(valueOf);
  const heldAfter: Scalar =
    depth === body.loops.length - 1
      ? valueAfter(clause, body, type, [...around, q], held)
      : {
          kind: "call",
          type,
          invocation: roundsOf(definition, clause, body, type, depth + 1)(inside, valueOf(held)),
          member: 0,
        };
  const next = integerScalar(plus(ofVariable(q.variable), 1));
  const nextRound: Invocation = {
    function: round,
    arguments: [...around.map(valueOf), next, valueOf(end), heldAfter],
    span,
  };
  round.results = [
    {
      kind: "select",
      type,
      condition: compared("less", valueOf(q), valueOf(end), span),
      then: { kind: "call", type, invocation: nextRound, member: 0 },
      otherwise: valueOf(held),
    },
  ];
  return (given, start) => {
    const by = replacements(outer, given);
    const ends = [loop.from, loop.to].map((bound) => asType(instantiate(bound, by), "i32"));
    return { function: round, arguments: [...given, ...ends, start], span };
  };
}

/** The value that is held after one position. */
function valueAfter(
  { loops }: Clause,
  body: Reduction,
  type: FloatType,
  at: readonly Parameter[],
  held: Parameter,
): Scalar {
  const algebra = algebraOf(type, body.span);
  const by = replacements([...loops, ...body.loops], at.map(valueOf));
  const element = asType(instantiate(body.value, by), type);
  const operation = body.reduction === "prod" ? "multiply" : (body.reduction as "max" | "min");
  const more = algebra.apply(operation, valueOf(held), element);
  return body.guards.reduceRight(
    (inner, guard) => algebra.select(instantiate(guard, by), inner, valueOf(held)),
    more,
  );
}

function replacements(loops: readonly Loop[], at: readonly Scalar[]): Map<Variable, Scalar> {
  return atIndices(loops, at);
}

// Finds how a clause uses a Jacobian: every read, with its factors, sums and guards.
//
// A definition that is linear in a Jacobian passes the Jacobian on. So the search goes through
// names, constant factors, sums and calls.

import { constantOf, equal, variable } from "../../affine/term.ts";
import { negation } from "../../analyse/opposite.ts";
import { eachScalar, scalarsOf, isAnywhere } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";
import { type Variable } from "../../affine/term.ts";
import { degreeIn, type Degree } from "./linear-in.ts";
import { linearize, type Coefficient } from "../scalar/linearize.ts";
import { algebraOf, type Product } from "../scalar/products.ts";
import { freshLoops, type Define } from "../sweep/cells.ts";
import { termsOf } from "../rules/terms.ts";

/** One read of a Jacobian: Σ over `summed`, where the guards hold, of `product` · J[indices]. */
export interface Use {
  readonly request: Definition;
  readonly indices: readonly Scalar[];
  readonly summed: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly product: Product;
  readonly span: Span;
}

/**
 * The definitions that carry a Jacobian: the request itself, and definitions that are linear in it.
 */
export interface Carriers {
  readonly isJacobian: (definition: Definition) => boolean;
  readonly all: Set<Definition>;
  readonly define: Define;
}

export function carriesJacobian({ isJacobian, all }: Carriers, definition: Definition): boolean {
  return isJacobian(definition) || all.has(definition);
}

/** The uses in a clause. `undefined` if the clause is not a sum of multiples of Jacobians. */
export function usesIn(
  carriers: Carriers,
  definition: Definition,
  clause: Clause,
): readonly Use[] | undefined {
  if (!isLinearIn(carriers, clause)) return undefined;
  const [term] = termsOf(definition, clause, carriers.define) ?? [];
  if (!term) return undefined;
  const { coefficients } = linearize(
    term.value,
    (read) => carriesJacobian(carriers, read),
    () => undefined,
  );
  return coefficients.flatMap((each) =>
    usesBehind(carriers, {
      ...each,
      product: {
        constant: each.product.constant * term.factor.product.constant,
        factors: [...term.factor.product.factors, ...each.product.factors],
        divisors: [...term.factor.product.divisors, ...each.product.divisors],
      },
      summed: term.loops.slice(clause.loops.length),
      guards: term.guards.slice(clause.guards.length),
    }),
  );
}

/**
 * Does the definition pass Jacobians on? It has one clause for all cells, which is linear in them.
 */
export function canCarry(carriers: Carriers, definition: Definition): boolean {
  const [clause, ...others] = definition.clauses;
  if (!clause || others.length > 0 || clause.otherwise || !isFloat(definition.element))
    return false;
  if (clause.body.kind === "reduce" && clause.body.reduction !== "sum") return false;
  return (
    isLinearIn(carriers, clause) &&
    clause.loops.every((loop, axis) => isWhole(loop, definition, axis))
  );
}

function isWhole({ from, to }: Loop, definition: Definition, axis: number): boolean {
  return (
    from.kind === "integer" &&
    to.kind === "integer" &&
    constantOf(from.term) === 0 &&
    equal(to.term, definition.axes[axis]!.extent)
  );
}

type Reached = Coefficient & Pick<Use, "summed" | "guards">;

/** Follows a read through definitions that pass a Jacobian on, to the Jacobian itself. */
function usesBehind(
  carriers: Carriers,
  { read, product, conditions, summed, guards }: Reached,
): readonly Use[] {
  const all = [
    ...guards,
    ...conditions.map(({ value, holds }) => (holds ? value : negation(value, read.span))),
  ];
  if (carriers.isJacobian(read.definition))
    return [
      {
        request: read.definition,
        indices: read.indices,
        summed,
        guards: all,
        product,
        span: read.span,
      },
    ];
  const [clause] = read.definition.clauses;
  const inner = usesIn(carriers, read.definition, clause!) ?? [];
  return inner.map((use): Use => {
    const by = atIndices(clause!.loops, read.indices);
    const own = freshLoops(use.summed, by);
    const at = (scalar: Scalar): Scalar => instantiate(scalar, by);
    return {
      request: use.request,
      indices: use.indices.map(at),
      summed: [...summed, ...own],
      guards: [...all, ...[...clause!.guards, ...use.guards].map(at)],
      product: {
        constant: product.constant * use.product.constant,
        factors: [...product.factors, ...use.product.factors.map(at)],
        divisors: [...product.divisors, ...use.product.divisors.map(at)],
      },
      span: read.span,
    };
  });
}

/** The clause without its Jacobians. `undefined` if nothing is left. */
export function remainder(carriers: Carriers, clause: Clause): Clause | undefined {
  if (!leavesSomething(carriers, clause)) return undefined;
  const by = new Map<Variable, Scalar>();
  const loops = freshLoops(clause.loops, by);
  const without = (scalar: Scalar): Scalar => instantiate(withoutJacobians(carriers, scalar), by);
  const { body } = clause;
  const guards = clause.guards.map((guard) => instantiate(guard, by));
  if (body.kind === "map")
    return { ...clause, loops, guards, body: { kind: "map", value: without(body.value) } };
  const summed = freshLoops(body.loops, by);
  const inner = body.guards.map((guard) => instantiate(guard, by));
  return {
    ...clause,
    loops,
    guards,
    body: { ...body, loops: summed, guards: inner, value: without(body.value) },
  };
}

function leavesSomething(carriers: Carriers, { body }: Clause): boolean {
  if (degreeOf(carriers, body.value) === "affine") return true;
  return isAnywhere(
    body.value,
    (part) =>
      part.kind === "read" &&
      carriers.all.has(part.definition) &&
      part.definition.clauses.some((clause) => leavesSomething(carriers, clause)),
  );
}

const remainders = new WeakMap<Definition, Definition>();

function withoutJacobians(carriers: Carriers, scalar: Scalar): Scalar {
  const inside = (part: Scalar): Scalar => withoutJacobians(carriers, part);
  switch (scalar.kind) {
    case "read": {
      if (!carriesJacobian(carriers, scalar.definition)) return scalar;
      const { definition } = scalar;
      const [clause] = definition.clauses;
      const rest = carriers.all.has(definition) ? remainder(carriers, clause!) : undefined;
      if (!rest) return { kind: "constant", type: scalar.type, value: 0 };
      let definitionOfRest = remainders.get(definition);
      if (!definitionOfRest) {
        definitionOfRest = carriers.define(
          `${definition.name}_rest`,
          definition.element,
          definition.axes,
          [rest],
          definition.span,
        );
        remainders.set(definition, definitionOfRest);
      }
      return { ...scalar, definition: definitionOfRest };
    }
    case "apply": {
      const operands = scalar.operands.map(inside);
      return isFloat(scalar.type) && operands.some((operand, k) => operand !== scalar.operands[k])
        ? withoutZeroProducts(scalar, operands)
        : { ...scalar, operands };
    }
    case "cast":
      return { ...scalar, operand: inside(scalar.operand) };
    case "select":
      return { ...scalar, then: inside(scalar.then), otherwise: inside(scalar.otherwise) };
    case "local":
      return { ...scalar, local: { name: scalar.local.name, value: inside(scalar.local.value) } };
    case "constant":
    case "integer":
    case "call":
    case "parameter":
    case "text":
    case "data":
      return scalar;
    default:
      return scalar satisfies never;
  }
}

/** A multiple of a Jacobian is 0 without the Jacobian, whatever the other factor is. */
function withoutZeroProducts(
  scalar: Extract<Scalar, { kind: "apply" }>,
  operands: readonly Scalar[],
): Scalar {
  const isNothing = (operand: Scalar): boolean =>
    operand.kind === "constant" && operand.value === 0;
  const none: Scalar = { kind: "constant", type: scalar.type, value: 0 };
  if (
    scalar.operation === "multiply" &&
    operands.some((each, k) => isNothing(each) && each !== scalar.operands[k])
  )
    return none;
  if ((scalar.operation === "divide" || scalar.operation === "negate") && isNothing(operands[0]!))
    return none;
  return algebraOf(scalar.type as FloatType, scalar.span).apply(scalar.operation, ...operands);
}

// ── linear or not ───────────────────────────────────────────────────────────────────────────────

function degreeOf(carriers: Carriers, scalar: Scalar): Degree | undefined {
  return degreeIn(
    scalar,
    (read) => read.kind === "read" && carriesJacobian(carriers, read.definition),
  );
}

function isLinearIn(carriers: Carriers, clause: Clause): boolean {
  const { body } = clause;
  if (body.kind === "reduce" && body.reduction !== "sum" && body.reduction !== "mean") return false;
  const isFree = (scalar: Scalar): boolean => {
    let free = true;
    eachScalar(scalar, (part) => {
      if (part.kind === "read" && carriesJacobian(carriers, part.definition)) free = false;
    });
    return free;
  };
  const degree = degreeOf(carriers, body.value);
  if (degree !== "linear" && degree !== "affine") return false;
  return scalarsOf(clause).every((scalar) => scalar === body.value || isFree(scalar));
}

/** A copy of the clause with coordinates of its own. */
export function withFreshLoops(clause: Clause): Clause {
  const by = new Map<Variable, Scalar>();
  const loops = freshLoops(clause.loops, by);
  const at = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const guards = clause.guards.map(at);
  const { body } = clause;
  const otherwise = clause.otherwise ? { otherwise: at(clause.otherwise) } : {};
  if (body.kind === "map")
    return { ...clause, loops, guards, body: { kind: "map", value: at(body.value) }, ...otherwise };
  const inner = freshLoops(body.loops, by);
  const made = { ...body, loops: inner, guards: body.guards.map(at), value: at(body.value) };
  return { ...clause, loops, guards, body: made, ...otherwise };
}

/** Copies of the loops with new coordinates, and the new coordinate of each old one. */
export function renamedLoops(loops: readonly Loop[]): {
  readonly loops: readonly Loop[];
  readonly by: Map<Variable, Scalar>;
} {
  const by = new Map<Variable, Scalar>();
  const made = loops.map((loop): Loop => ({ ...loop, variable: variable(loop.variable.name) }));
  for (const [k, loop] of loops.entries()) by.set(loop.variable, coordinateScalar(made[k]!));
  return { loops: made, by };
}

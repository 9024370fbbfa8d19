// A denominator apart from its equation: what its cells are moved by is added behind the equation.
//
//   let y = exp(x);      becomes      let y_equation = exp(x);      let y = y_equation;
//
// `@f / @y` is how f moves when y's cells are moved behind their equation: y = F(x) + δ. A
// derivative by x may use the value of F(x) again, as `d_x = d_y * y` does for exp. That value is
// the one before δ: with `let g = @y / @x;`, `@g / @y` is 0. So derivatives use cells of
// `y_equation` again, and what the program computes from y reads y.

import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import { operationRow } from "../../scalar/operations.ts";
import { isFloat } from "../../scalar/types.ts";
import { newDefinition, readCell } from "./cells.ts";
import { algebraOf } from "../scalar/products.ts";
import { runningOf } from "../rules/running.ts";
import { isAnywhere } from "../../ir/parts.ts";
import { withFreshLoops } from "../requests/jacobian-uses.ts";

/** Before a derivative of a derivative by this definition is taken. */
export function standApart(definition: Definition, claim: (wanted: string) => string): void {
  const { clauses, element, rule, request } = definition;
  if (rule || request || !isFloat(element) || !clauses.some(usesItsValueAgain)) return;
  separate(definition, claim(`${definition.name}_equation`));
}

/**
 * A running product or log-sum-exp is differentiated as if each cell went on from its neighbour:
 * `p[i] = p[i - 1] * x[i]`. The cells of a denominator are independent, so that the neighbours are
 * cells of the equation.
 */
export function standRunningApart(definition: Definition, claim: (wanted: string) => string): void {
  if (runningOf(definition)) separate(definition, claim(`${definition.name}_running`));
}

/** Gives the equation a definition of its own, which the denominator reads. */
function separate(definition: Definition, name: string): void {
  const { element, axes, span, clauses, outer } = definition;
  const equation = {
    ...newDefinition(name, element, axes, clauses.map(withFreshLoops), span),
    outer,
  };
  definition.clauses = clauses.map(({ loops, guards, body, otherwise, span }) => ({
    loops,
    // With an `else` the equation has all cells of the clause.
    guards: otherwise ? [] : guards,
    body: {
      kind: "map",
      value: readCell(equation, loops, body.kind === "map" ? span : body.span),
    },
    span,
  }));
}

/** Whether a derivative of the clause may have the clause's own value among its factors. */
function usesItsValueAgain({ body, otherwise }: Clause): boolean {
  if (otherwise && isFactorOfItsSlope(otherwise)) return true;
  if (body.kind === "reduce") return body.reduction === "prod" || body.reduction === "logsumexp";
  return isFactorOfItsSlope(body.value);
}

/** Whether the derivative of an operation has the operation's value in it, as that of `exp` has. */
function isFactorOfItsSlope(value: Scalar): boolean {
  if (value.kind !== "apply" || !isFloat(value.type)) return false;
  const { derivative } = operationRow(value.operation);
  if (typeof derivative === "string") return false;
  const again: Scalar = { ...value };
  return derivative(algebraOf(value.type, value.span), value.operands, again).some(
    (slope) => slope !== "zero" && isAnywhere(slope, (part) => part === again),
  );
}

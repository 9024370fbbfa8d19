// Separates a denominator from its equation. A move of the denominator is added after the equation:
//
//    let y = exp(x);      becomes      let y_equation = exp(x);      let y = y_equation;
//
// `@f / @y` tells how f moves with the cells of y: y = F(x) + δ. A derivative by x may use the
// value of F(x), as `d_x = d_y * y` does for exp. That value is the one before δ is added: with
// `let g = @y / @x;`, `@g / @y` is 0. So derivatives read `y_equation`, and the rest of the program
// reads y.

import type { Clause, Definition, Scalar } from "../../ir/program.ts";
import { operationRow } from "../../scalar/operations.ts";
import { isFloat } from "../../scalar/types.ts";
import { newDefinition, readCell } from "./cells.ts";
import { algebraOf } from "../scalar/products.ts";
import { runningOf } from "../rules/running.ts";
import { isAnywhere } from "../../ir/parts.ts";
import { withFreshLoops } from "../requests/jacobian-uses.ts";

/** To be called before a derivative is differentiated by this definition. */
export function standApart(definition: Definition, claim: (wanted: string) => string): void {
  const { clauses, element, rule, request } = definition;
  if (rule || request || !isFloat(element) || !clauses.some(usesItsValueAgain)) return;
  separate(definition, claim(`${definition.name}_equation`));
}

/**
 * A running product or log-sum-exp is differentiated as a recurrence: `p[i] = p[i - 1] * x[i]`. The
 * cells of a denominator are independent of one another. So the neighbours are cells of the
 * equation.
 */
export function standRunningApart(definition: Definition, claim: (wanted: string) => string): void {
  if (runningOf(definition)) separate(definition, claim(`${definition.name}_running`));
}

/** Moves the equation to a definition of its own, which the denominator reads. */
function separate(definition: Definition, name: string): void {
  const { element, axes, span, clauses, outer } = definition;
  const equation = {
    ...newDefinition(name, element, axes, clauses.map(withFreshLoops), span),
    outer,
  };
  definition.clauses = clauses.map(({ loops, guards, body, otherwise, span }) => ({
    loops,
    // With an `else`, the equation defines all cells of the clause.
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

/**
 * Does the derivative of an operation contain the value of the operation, as that of `exp` does?
 */
function isFactorOfItsSlope(value: Scalar): boolean {
  if (value.kind !== "apply" || !isFloat(value.type)) return false;
  const { derivative } = operationRow(value.operation);
  if (typeof derivative === "string") return false;
  const ownValue: Scalar = { ...value };
  return derivative(algebraOf(value.type, value.span), value.operands, ownValue).some(
    (slope) => slope !== "zero" && isAnywhere(slope, (part) => part === ownValue),
  );
}

// Prints the tangent equation of a value, with differentials:
//
//    let y = x ** 2;   has   @y = 2 * x * @x

import { asFormulas } from "../../autodiff/sweep/formulas.ts";
import { activityOf } from "../../autodiff/sweep/activity.ts";
import { graphOf } from "../../autodiff/sweep/graph.ts";
import { linearize, type Coefficient } from "../../autodiff/scalar/linearize.ts";
import { foldedClauses } from "../../autodiff/rules/own-bounds.ts";
import {
  one,
  productScalar,
  type Conditioned,
  type Product,
} from "../../autodiff/scalar/products.ts";
import { newDefinition, type Define } from "../../autodiff/sweep/cells.ts";
import { termsOf } from "../../autodiff/rules/terms.ts";
import { printOperand } from "../../print/print.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";

/**
 * One line for each clause. Unnamed definitions of the compiler come first, with lines of their
 * own.
 */
export function tangentEquation(
  definition: Definition,
  isNamed: (definition: Definition) => boolean,
): string {
  return asFormulas([definition], () => equationOf(definition, isNamed));
}

function equationOf(definition: Definition, isNamed: (definition: Definition) => boolean): string {
  const sources = new Set([...readsOf(definition)].filter((read) => isFloat(read.element)));
  const activity = activityOf(graphOf(definition), sources);
  const define: Define = (name, element, axes, clauses, span) =>
    newDefinition(name, element, axes, clauses, span);
  const helpers = [...sources].filter(
    (read) => read.origin === "helper" && read.clauses.length > 0 && !isNamed(read),
  );
  const lines = foldedClauses(definition).map((clause) =>
    lineOf(definition, clause, activity, define),
  );
  return [...helpers.map((helper) => equationOf(helper, isNamed)), ...lines].join("\n");
}

function lineOf(
  definition: Definition,
  clause: Clause,
  activity: ReturnType<typeof activityOf>,
  define: Define,
): string {
  const slots = clause.loops
    .map((loop) => (loop.fixed ? printOperand(loop.from) : loop.variable.name))
    .join(", ");
  const left = `@${definition.name}${slots === "" ? "" : `[${slots}]`}`;
  const differentialOf = (value: Scalar, factor: Conditioned, result?: Scalar): string =>
    linearize(value, activity.isActive, activity.stopsFor(definition), result)
      .coefficients.map((each) => partText(each, factor))
      .join(" + ");
  const terms = (termsOf(definition, clause, define) ?? []).flatMap((term) => {
    const body = differentialOf(term.value, term.factor, term.result);
    if (body === "") return [];
    const summed = term.loops.slice(clause.loops.length);
    const inner = whereText(term.guards.slice(clause.guards.length));
    return [
      summed.length > 0
        ? `sum[${summed.map(rangeText).join(", ")}](${body}${inner})`
        : `${body}${inner}`,
    ];
  });
  const elsewhere = clause.otherwise
    ? differentialOf(clause.otherwise, { product: one, conditions: [] })
    : "";
  const otherwise = elsewhere === "" ? "" : ` else ${elsewhere}`;
  return `${left} = ${terms.join(" + ") || "0"}${whereText(clause.guards)}${otherwise}`;
}

/** A coordinate of a sum, with its range if the range was written. */
function rangeText({ variable: { name }, from, to, inferred }: Loop): string {
  return inferred ? name : `${name} in ${printOperand(from)}..${printOperand(to)}`;
}

function whereText(guards: readonly Scalar[]): string {
  return guards.length > 0 ? ` where ${guards.map((guard) => printOperand(guard)).join(", ")}` : "";
}

/** A coefficient times a differential. Conditions are written as `if`. */
function partText(
  { read, product, conditions }: Coefficient,
  { product: factor, conditions: before }: Conditioned,
): string {
  const type = read.type as FloatType;
  const whole: Product = {
    constant: product.constant * factor.constant,
    factors: [...factor.factors, ...product.factors],
    divisors: [...factor.divisors, ...product.divisors],
  };
  const differential = `@${printOperand(read)}`;
  const isUnit = whole.constant === 1 && whole.factors.length === 0 && whole.divisors.length === 0;
  const coefficient = productScalar(whole, type, read.span);
  const isSum =
    coefficient.kind === "apply" &&
    (coefficient.operation === "add" || coefficient.operation === "subtract");
  const shown = isSum ? `(${printOperand(coefficient)})` : printOperand(coefficient);
  const text = isUnit ? differential : `${shown} * ${differential}`;
  return [...before, ...conditions].reduceRight((inner, { value, holds }) => {
    const test = printOperand(value);
    return holds ? `(if ${test} { ${inner} } else { 0 })` : `(if ${test} { 0 } else { ${inner} })`;
  }, text);
}

// Checks that a tangent rule is linear in its tangents. Every definition between the value of the
// rule and the stand-ins is visited.
//
//    none     contains no tangent          zero    the constant 0
//    linear   a tangent, a sum or negation of linear values,
//             a product or quotient of a linear value with a value without tangents,
//             a choice between linear values on a condition without tangents,
//             a `sum` or `mean` of linear values
//    other    not linear; the place is reported

import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Variable } from "../../affine/term.ts";
import type {
  Clause,
  Definition,
  Local,
  Program,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { callsOf, functionsFrom, readsOfFunction } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { reachable } from "../../analyse/schedule.ts";
import { isFloat } from "../../scalar/types.ts";
import { nowhere, type Span } from "../../base/source.ts";
import { graphOf } from "../sweep/graph.ts";

/** The degrees of definitions, of parameters, and of the results of functions. */
interface Varies {
  readonly definition: (definition: Definition) => boolean;
  readonly parameter: (v: Variable) => Degree;
  readonly call: (called: ScalarFunction, given: readonly Degree[]) => readonly Degree[];
  /** The degrees of locals that have been visited. */
  readonly locals: Map<Local, Degree>;
}

type Degree = "none" | "zero" | "linear" | { readonly not: Span };

/** Reports rules that are not linear, of definitions and of recursive functions. */
export function checkRules(program: Program): readonly Diagnostic[] {
  const ruled: Definition[] = [];
  const functions = new Set<ScalarFunction>();
  for (const definition of reachable(rootsOf(program))) {
    if (definition.rule) ruled.push(definition);
    for (const called of callsOf(definition))
      for (const each of functionsFrom(called)) if (each.rule) functions.add(each);
  }
  return [...ruled.flatMap(checkRule), ...[...functions].flatMap(checkFunctionRule)];
}

/** Checks the rule of a recursive function. Its tangents are parameters. */
function checkFunctionRule({ rule }: ScalarFunction): readonly Diagnostic[] {
  if (!rule) return [];
  const tangents = new Set(rule.tangents.map(({ variable }) => variable));
  const definition = (): boolean => false;
  const varies: Varies = {
    definition,
    parameter: (v) => (tangents.has(v) ? "linear" : "none"),
    call: throughCalls(definition),
    locals: new Map(),
  };
  // Extents have no tangents.
  const moving = rule.results.filter(({ type }) => isFloat(type) || type === "data");
  const wrong = moving
    .map((result) => degreeOf(result, varies))
    .find((degree) => degree !== "linear" && degree !== "zero");
  return wrong ? [notLinear(typeof wrong === "object" ? wrong.not : rule.span)] : [];
}

/**
 * The degrees of a function's results for given degrees of its arguments. A recursive call counts
 * as 0 at first. The functions are then visited again until nothing changes.
 */
function throughCalls(definition: Varies["definition"]): Varies["call"] {
  const known = new Map<ScalarFunction, Map<string, { degrees: readonly Degree[] }>>();
  const textOfDegree = (degree: Degree): string => (typeof degree === "object" ? "not" : degree);
  let grows = false;
  let isOpen = false;
  const call: Varies["call"] = (called, given) => {
    const ways = known.get(called) ?? new Map<string, { degrees: readonly Degree[] }>();
    known.set(called, ways);
    const key = given.map(textOfDegree).join();
    const before = ways.get(key);
    if (before) return before.degrees;
    const way: { degrees: readonly Degree[] } = { degrees: called.results.map(() => "zero") };
    ways.set(key, way);
    const look = (): void => {
      const parameters = new Map(called.parameters.map(({ variable }, k) => [variable, given[k]!]));
      const varies: Varies = {
        definition,
        parameter: (v) => parameters.get(v) ?? "none",
        call,
        locals: new Map(),
      };
      const degrees = called.results.map((result) => degreeOf(result, varies));
      grows ||= degrees.map(textOfDegree).join() !== way.degrees.map(textOfDegree).join();
      way.degrees = degrees;
    };
    const isOutermost = !isOpen;
    isOpen = true;
    looks.push(look);
    look();
    if (isOutermost) {
      do {
        grows = false;
        for (const each of looks) each();
      } while (grows);
      looks.length = 0;
      isOpen = false;
    }
    return way.degrees;
  };
  const looks: (() => void)[] = [];
  return call;
}

function checkRule(ruled: Definition): readonly Diagnostic[] {
  const { tangent } = ruled.rule!;
  const { isTangent } = graphOf(ruled);
  const varies: Varies = {
    definition: isTangent,
    parameter: () => "none",
    call: throughCalls(isTangent),
    locals: new Map(),
  };
  const found: Diagnostic[] = [];
  const between = reachable([tangent]).filter(
    (definition) => isTangent(definition) && definition.clauses.length > 0,
  );
  if (
    !isTangent(tangent) &&
    !tangent.clauses.every((clause) => degreeOfClause(clause, varies) === "zero")
  ) {
    found.push(notLinear(tangent.span));
  }
  for (const definition of between) {
    for (const clause of definition.clauses) {
      const degree = degreeOfClause(clause, varies);
      if (typeof degree === "object") found.push(notLinear(degree.not));
      else if (degree === "none") found.push(notLinear(clause.span));
    }
  }
  return found.slice(0, 1);
}

function notLinear(span: Span): Diagnostic {
  return error("E0705", "a tangent rule must be linear in its tangents", span, {
    help:
      "tangents may be added, negated, and multiplied or divided by things without `@`; " +
      "nothing without `@` may be added to them",
  });
}

function degreeOfClause(clause: Clause, varies: Varies): Degree {
  const { body } = clause;
  const conditions = [...clause.guards, ...(body.kind === "reduce" ? body.guards : [])];
  for (const condition of conditions)
    if (degreeOf(condition, varies) !== "none") return { not: clause.span };
  const degree = degreeOf(body.value, varies);
  if (body.kind === "map" || degree === "none" || degree === "zero" || typeof degree === "object") {
    return body.kind === "reduce" && degree === "zero" && body.reduction !== "sum"
      ? "none"
      : degree;
  }
  return body.reduction === "sum" || body.reduction === "mean" ? "linear" : { not: body.span };
}

function degreeOf(scalar: Scalar, varies: Varies): Degree {
  const inside = (part: Scalar): Degree => degreeOf(part, varies);
  switch (scalar.kind) {
    case "constant":
      return scalar.value === 0 || scalar.type === "data" ? "zero" : "none";
    case "integer":
      return "none";
    case "local": {
      let degree = varies.locals.get(scalar.local);
      if (!degree) varies.locals.set(scalar.local, (degree = inside(scalar.local.value)));
      return degree;
    }
    case "read":
      if (scalar.indices.some((index) => inside(index) !== "none" && inside(index) !== "zero"))
        return { not: scalar.span };
      return varies.definition(scalar.definition) ? "linear" : "none";
    case "cast": {
      const degree = inside(scalar.operand);
      return degree === "linear" && !isFloat(scalar.type) ? "none" : degree;
    }
    case "select": {
      const condition = inside(scalar.condition);
      if (condition !== "none" && condition !== "zero")
        return typeof condition === "object" ? condition : { not: spanOf(scalar) };
      return degreeOfSum(inside(scalar.then), inside(scalar.otherwise), spanOf(scalar));
    }
    case "apply": {
      const degrees = scalar.operands.map(inside);
      const bad = degrees.find((degree) => typeof degree === "object");
      if (bad) return bad;
      const [a, b] = degrees;
      if (degrees.every((degree) => degree === "none" || degree === "zero"))
        return scalar.operation === "negate" ? a! : foldedZero(scalar, a!, b);
      switch (scalar.operation) {
        case "add":
        case "subtract":
          return degreeOfSum(a!, b!, scalar.span);
        case "negate":
        case "stop":
          return a!;
        case "multiply":
          return a === "linear" && b === "linear" ? { not: scalar.span } : "linear";
        case "divide":
          return b === "linear" ? { not: scalar.span } : "linear";
        default:
          return { not: scalar.span };
      }
    }
    case "parameter":
      return varies.parameter(scalar.parameter.variable);
    case "text":
      return "none";
    case "data":
      return degreeOfData(scalar, scalar.operands.map(inside));
    case "call": {
      const { function: called, arguments: given, span } = scalar.invocation;
      const degrees = given.map(inside);
      const isFree = degrees.every((degree) => degree === "none" || degree === "zero");
      if (isFree && ![...readsOfFunction(called)].some(varies.definition)) return "none";
      const degree = called.rule ? undefined : varies.call(called, degrees)[scalar.member];
      return degree ?? { not: span };
    }
    default:
      return scalar satisfies never;
  }
}

/**
 * An array has the degree of its cells. Its indices must not contain tangents. A run that stops
 * gives no value at all.
 */
function degreeOfData(
  { function: called, operands, type }: Extract<Scalar, { kind: "data" }>,
  degrees: readonly Degree[],
): Degree {
  const bad = degrees.find((degree) => typeof degree === "object");
  if (bad) return bad;
  const [first, second] = degrees;
  const span = spanIn(operands);
  switch (called) {
    case "stop":
      return "zero";
    case "size":
      return "none";
    case "append":
      return degreeOfSum(first!, second!, span);
    case "cell":
    case "slice":
      return degrees.slice(1).includes("linear") ? { not: span } : first!;
    default:
      if (!degrees.includes("linear")) return "none";
      return isFloat(type) || type === "data" ? "linear" : "none";
  }
}

/** In a rule, 0 times any value is 0. */
function foldedZero(
  scalar: Extract<Scalar, { kind: "apply" }>,
  a: Degree,
  b: Degree | undefined,
): Degree {
  return scalar.operation === "multiply" && (a === "zero" || b === "zero") ? "zero" : "none";
}

function degreeOfSum(a: Degree, b: Degree, span: Span): Degree {
  if (typeof a === "object") return a;
  if (typeof b === "object") return b;
  if (a === b) return a;
  if (a === "zero") return b;
  if (b === "zero") return a;
  return { not: span };
}

function spanOf({ then, otherwise, condition }: Extract<Scalar, { kind: "select" }>): Span {
  return spanIn([then, otherwise, condition]);
}

/** The span of the first of the scalars that has one. */
function spanIn(scalars: readonly Scalar[]): Span {
  for (const part of scalars) if ("span" in part && part.span) return part.span;
  return nowhere;
}

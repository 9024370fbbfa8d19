// Is a tangent rule linear in its tangents? Every definition between the rule's value and the stand-ins is looked at.
//
//   none     no tangent in it            zero    the constant 0
//   linear   a tangent, a sum or negation of linear things, a product or quotient by something tangent-free, a choice
//            between linear things on a tangent-free condition, a `sum` or `mean` of one
//   else     not linear, and the place is reported

import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Variable } from "../ir/affine/term.ts";
import { type Clause, type Definition, type Program, type Scalar, type ScalarFunction } from "../ir/program.ts";
import { callsOf, functionsFrom } from "../ir/references.ts";
import { rootsOf } from "../ir/roots.ts";
import { reachable } from "../ir/schedule.ts";
import { isFloat } from "../ir/scalar/types.ts";
import type { Span } from "../syntax/source.ts";
import { graphOf } from "./graph.ts";

/** What a tangent is: a definition made of stand-ins, or a parameter. */
interface Varies {
  readonly definition: (definition: Definition) => boolean;
  readonly parameter: (v: Variable) => boolean;
}

type Degree = "none" | "zero" | "linear" | { readonly not: Span };

/** What is wrong with the rules of definitions and of functions that stay functions. */
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

/** The rule of a function that stays one: its tangents are parameters. */
function checkFunctionRule({ rule }: ScalarFunction): readonly Diagnostic[] {
  if (!rule) return [];
  const tangents = new Set(rule.tangents.map(({ variable }) => variable));
  const varies: Varies = { definition: () => false, parameter: (v) => tangents.has(v) };
  const isWrong = rule.results.some((result) => !["linear", "zero"].includes(degreeOf(result, varies) as string));
  return isWrong ? [notLinear(rule.span)] : [];
}

function checkRule(ruled: Definition): readonly Diagnostic[] {
  const { tangent } = ruled.rule!;
  const { isTangent } = graphOf(ruled);
  const varies: Varies = { definition: isTangent, parameter: () => false };
  const found: Diagnostic[] = [];
  const between = reachable([tangent]).filter((definition) => isTangent(definition) && definition.clauses.length > 0);
  if (!isTangent(tangent) && !tangent.clauses.every((clause) => degreeOfClause(clause, varies) === "zero")) {
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
    help: "tangents may be added, negated, and multiplied or divided by things without `@`; nothing without `@` may be added to them",
  });
}

function degreeOfClause(clause: Clause, varies: Varies): Degree {
  const { body } = clause;
  const conditions = [...clause.guards, ...(body.kind === "reduce" ? body.guards : [])];
  for (const condition of conditions) if (degreeOf(condition, varies) !== "none") return { not: clause.span };
  const degree = degreeOf(body.value, varies);
  if (body.kind === "map" || degree === "none" || degree === "zero" || typeof degree === "object") {
    return body.kind === "reduce" && degree === "zero" && body.reduction !== "sum" ? "none" : degree;
  }
  return body.reduction === "sum" || body.reduction === "mean" ? "linear" : { not: body.span };
}

function degreeOf(scalar: Scalar, varies: Varies): Degree {
  const again = (part: Scalar): Degree => degreeOf(part, varies);
  switch (scalar.kind) {
    case "constant":
      return scalar.value === 0 ? "zero" : "none";
    case "integer":
      return "none";
    case "local":
      return again(scalar.local.value);
    case "read":
      if (scalar.indices.some((index) => again(index) !== "none" && again(index) !== "zero"))
        return { not: scalar.span };
      return varies.definition(scalar.definition) ? "linear" : "none";
    case "cast": {
      const degree = again(scalar.operand);
      return degree === "linear" && !isFloat(scalar.type) ? "none" : degree;
    }
    case "select": {
      const condition = again(scalar.condition);
      if (condition !== "none" && condition !== "zero")
        return typeof condition === "object" ? condition : { not: spanOf(scalar) };
      return sum(again(scalar.then), again(scalar.otherwise), spanOf(scalar));
    }
    case "apply": {
      const degrees = scalar.operands.map(again);
      const bad = degrees.find((degree) => typeof degree === "object");
      if (bad) return bad;
      const [a, b] = degrees;
      if (degrees.every((degree) => degree === "none" || degree === "zero"))
        return scalar.operation === "negate" ? a! : foldedZero(scalar, a!, b);
      switch (scalar.operation) {
        case "add":
        case "subtract":
          return sum(a!, b!, scalar.span);
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
      return varies.parameter(scalar.parameter.variable) ? "linear" : "none";
    case "text":
      return "none";
    case "data": {
      const degrees = scalar.operands.map(again);
      const moving = degrees.find((degree) => degree !== "none" && degree !== "zero");
      return moving === undefined ? "none" : typeof moving === "object" ? moving : "linear";
    }
    case "call": {
      const { arguments: given, span } = scalar.invocation;
      return given.every((argument) => again(argument) === "none" || again(argument) === "zero")
        ? "none"
        : { not: span };
    }
    default:
      return scalar satisfies never;
  }
}

/** 0 times anything is 0, as far as a rule is concerned. */
function foldedZero(scalar: Extract<Scalar, { kind: "apply" }>, a: Degree, b: Degree | undefined): Degree {
  return scalar.operation === "multiply" && (a === "zero" || b === "zero") ? "zero" : "none";
}

function sum(a: Degree, b: Degree, span: Span): Degree {
  if (typeof a === "object") return a;
  if (typeof b === "object") return b;
  if (a === b) return a;
  if (a === "zero") return b;
  if (b === "zero") return a;
  return { not: span };
}

function spanOf(scalar: Extract<Scalar, { kind: "select" }>): Span {
  for (const part of [scalar.then, scalar.otherwise, scalar.condition])
    if ("span" in part && part.span) return part.span;
  return { source: { name: "<compiler>", text: "" }, start: 0, end: 0 };
}

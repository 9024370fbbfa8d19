// The facts that hold inside a clause: the ranges of its coordinates, its guards, and the branches
// taken. In `if i > 0 { x[i - 1] } else { 0.0 }`, `i > 0` holds at the read.

import { termOfOperation, fitsI32 } from "../affine/arithmetic.ts";
import {
  attempt,
  constant,
  keyOf,
  ofVariable,
  plus,
  variable,
  type Term,
  type Variable,
} from "../affine/term.ts";
import {
  atMost,
  holds,
  lessThan,
  nonNegative,
  positive,
  sameValue,
  type Fact,
} from "../affine/prove.ts";
import { variablesOf } from "../affine/visit.ts";
import { numberOf } from "../ir/keys.ts";
import type { Clause, Local, Loop, Scalar } from "../ir/program.ts";
import { isFloat, isInteger } from "../scalar/types.ts";

/**
 * Opaque variables, one for each structure of a scalar that the solver cannot see into: a lookup, a
 * cast, and so on.
 */
export interface Opaque {
  readonly byKey: Map<string, Variable>;
  readonly all: Set<Variable>;
}

export function newOpaque(): Opaque {
  return { byKey: new Map(), all: new Set() };
}

/** Whether the term contains an opaque variable. */
export function isOpaque(opaque: Opaque, term: Term): boolean {
  for (const v of variablesOf(term)) if (opaque.all.has(v)) return true;
  return false;
}

/**
 * An integer scalar as a term of the solver. The `/` and `%` of a run truncate, so they have a term
 * only if the dividend is not negative.
 */
export function termOf(opaque: Opaque, scalar: Scalar, facts: readonly Fact[]): Term {
  return attempt(() => readAsTerm(opaque, scalar, facts)) ?? opaqueTerm(opaque, scalar);
}

function readAsTerm(opaque: Opaque, scalar: Scalar, facts: readonly Fact[]): Term {
  switch (scalar.kind) {
    case "integer":
      return scalar.term;
    case "constant":
      return typeof scalar.value === "number" && Number.isSafeInteger(scalar.value)
        ? constant(scalar.value)
        : opaqueTerm(opaque, scalar);
    case "local":
      return readAsTerm(opaque, scalar.local.value, facts);
    case "apply": {
      // Arithmetic in i8 wraps much earlier than the solver assumes.
      if (!isInteger(scalar.within) || scalar.within === "i8" || scalar.type === "bool")
        return opaqueTerm(opaque, scalar);
      const operands = scalar.operands.map((operand) => readAsTerm(opaque, operand, facts));
      const term = termOfOperation(scalar.operation, operands, {
        isNonNegative: (term) => holds(nonNegative(term), facts),
        isPositive: (term) => holds(positive(term), facts),
        fits: (term) => scalar.within === "i64" || fitsI32(term, facts),
      });
      return term ?? opaqueTerm(opaque, scalar);
    }
    default:
      return opaqueTerm(opaque, scalar);
  }
}

function opaqueTerm(opaque: Opaque, scalar: Scalar): Term {
  const key = structureOf(scalar);
  let opaqueVariable = opaque.byKey.get(key);
  if (!opaqueVariable) {
    opaqueVariable = variable(key);
    opaque.byKey.set(key, opaqueVariable);
    opaque.all.add(opaqueVariable);
  }
  return ofVariable(opaqueVariable);
}

function structureOf(scalar: Scalar): string {
  switch (scalar.kind) {
    case "constant":
      return String(scalar.value);
    case "integer":
      return keyOf(scalar.term);
    case "read":
      return `${scalar.definition.name}[${scalar.indices.map(structureOf).join(", ")}]`;
    case "apply":
      return `${scalar.operation}(${scalar.operands.map(structureOf).join(", ")})`;
    case "cast":
      return `${structureOf(scalar.operand)} as ${scalar.type}`;
    case "select":
      return `if(${[scalar.condition, scalar.then, scalar.otherwise].map(structureOf).join(", ")})`;
    case "local":
      // A float has a short text, because chains of locals would be written out again and again.
      return isFloat(scalar.type) ? numberOf(scalar) : structureOf(scalar.local.value);
    case "call": {
      const { function: called, arguments: given } = scalar.invocation;
      return `${called.name}.${scalar.member}(${given.map(structureOf).join(", ")})`;
    }
    case "text":
      return `${scalar.function}${scalar.format ?? ""}(${scalar.operands
        .map(structureOf)
        .join(", ")})`;
    case "data":
      return `${scalar.function}.${scalar.member}(${scalar.operands.map(structureOf).join(", ")})`;
    case "parameter":
      return scalar.parameter.name;
    default:
      return scalar satisfies never;
  }
}

/**
 * Whether `factsOf` says everything that a condition says. Facts cannot express a lookup or a
 * disjunction.
 */
export function isExact(
  opaque: Opaque,
  condition: Scalar,
  truth: boolean,
  known: readonly Fact[],
): boolean {
  if (condition.kind === "local") return isExact(opaque, condition.local.value, truth, known);
  if (condition.kind !== "apply") return false;
  const [left, right] = condition.operands;
  switch (condition.operation) {
    case "not":
      return isExact(opaque, left!, !truth, known);
    case "and":
    case "or":
      return (
        (condition.operation === "and") === truth &&
        isExact(opaque, left!, truth, known) &&
        isExact(opaque, right!, truth, known)
      );
    default: {
      const facts = factsOf(opaque, condition, truth, known);
      return facts.length > 0 && facts.every((fact) => !isOpaque(opaque, fact.term));
    }
  }
}

/** Whether a condition follows from the facts. */
export function isImplied(opaque: Opaque, condition: Scalar, facts: readonly Fact[]): boolean {
  if (!isExact(opaque, condition, true, facts)) return false;
  return factsOf(opaque, condition, true, facts).every((fact) => holds(fact, facts));
}

/** The facts that follow if a condition is true, or false. */
export function factsOf(
  opaque: Opaque,
  condition: Scalar,
  truth: boolean,
  known: readonly Fact[],
): readonly Fact[] {
  if (condition.kind === "local") return factsOf(opaque, condition.local.value, truth, known);
  if (condition.kind !== "apply") return [];
  const [left, right] = condition.operands;
  switch (condition.operation) {
    case "not":
      return factsOf(opaque, left!, !truth, known);
    case "and":
    case "or": {
      if ((condition.operation === "and") === truth)
        return [...factsOf(opaque, left!, truth, known), ...factsOf(opaque, right!, truth, known)];
      const weaker = decisiveSide(opaque, left!, right!, !truth, known);
      return weaker ? factsOf(opaque, weaker, truth, known) : [];
    }
    case "equal":
    case "notEqual":
    case "less":
    case "lessEqual":
    case "greater":
    case "greaterEqual": {
      if (!isInteger(condition.within)) return [];
      const a = termOf(opaque, left!, known);
      const b = termOf(opaque, right!, known);
      return factsOfComparison(condition.operation, truth, a, b, known);
    }
    default:
      return [];
  }
}

/**
 * The side of two conditions that decides whether both have an outcome, if one of them implies the
 * other. Facts cannot express a disjunction, but `!(i == 1 && 0 < i)` is `!(i == 1)`.
 */
function decisiveSide(
  opaque: Opaque,
  left: Scalar,
  right: Scalar,
  outcome: boolean,
  known: readonly Fact[],
): Scalar | undefined {
  const follows = (condition: Scalar, other: Scalar): boolean => {
    const withOther = [...known, ...factsOf(opaque, other, outcome, known)];
    const facts = factsOf(opaque, condition, outcome, withOther);
    return (
      isExact(opaque, condition, outcome, withOther) &&
      facts.every((fact) => holds(fact, withOther))
    );
  };
  if (follows(left, right)) return right;
  return follows(right, left) ? left : undefined;
}

type Comparison = "equal" | "notEqual" | "less" | "lessEqual" | "greater" | "greaterEqual";

function factsOfComparison(
  operation: Comparison,
  truth: boolean,
  a: Term,
  b: Term,
  known: readonly Fact[],
): readonly Fact[] {
  switch (operation) {
    case "equal":
      return truth ? [sameValue(a, b)] : different(a, b, known);
    case "notEqual":
      return truth ? different(a, b, known) : [sameValue(a, b)];
    case "less":
      return truth ? [lessThan(a, b)] : [atMost(b, a)];
    case "lessEqual":
      return truth ? [atMost(a, b)] : [lessThan(b, a)];
    case "greater":
      return truth ? [lessThan(b, a)] : [atMost(a, b)];
    case "greaterEqual":
      return truth ? [atMost(b, a)] : [lessThan(a, b)];
    default:
      return operation satisfies never;
  }
}

/** `a != b` is an inequality if one side is known not to exceed the other. */
function different(a: Term, b: Term, known: readonly Fact[]): readonly Fact[] {
  if (holds(atMost(a, b), known)) return [lessThan(a, b)];
  return holds(atMost(b, a), known) ? [lessThan(b, a)] : [];
}

/** The bounds of a loop as terms. */
export function boundsOf(
  opaque: Opaque,
  loop: Loop,
  known: readonly Fact[],
): { readonly from: Term; readonly to: Term } {
  return { from: termOf(opaque, loop.from, known), to: termOf(opaque, loop.to, known) };
}

export function loopFacts(
  opaque: Opaque,
  loops: readonly Loop[],
  known: readonly Fact[],
): readonly Fact[] {
  const facts: Fact[] = [];
  for (const loop of loops) {
    const { from, to } = boundsOf(opaque, loop, [...known, ...facts]);
    const at = ofVariable(loop.variable);
    facts.push(atMost(from, at), atMost(at, plus(to, -1)));
  }
  return facts;
}

export interface Access {
  readonly read: Extract<Scalar, { kind: "read" }>;
  readonly facts: readonly Fact[];
  /** Whether the facts alone decide if the read takes place. Otherwise data has a say too. */
  readonly exact: boolean;
  /** The loops around the read, outermost first. */
  readonly loops: readonly Loop[];
}

/** What is known at a place in a clause. */
interface Knowledge {
  readonly facts: readonly Fact[];
  readonly exact: boolean;
  readonly loops: readonly Loop[];
}

/**
 * Whether everything known at one place is known at another. Then a second visit finds nothing new.
 */
function knowsNoMore(before: Knowledge, at: Knowledge): boolean {
  const { length } = before.facts;
  if (length > at.facts.length || (at.exact && !before.exact)) return false;
  return length === 0 || before.facts[length - 1] === at.facts[length - 1];
}

/** Every read of a clause, with the facts that hold there. */
export function accessesOf(
  opaque: Opaque,
  clause: Clause,
  known: readonly Fact[],
): readonly Access[] {
  const found: Access[] = [];
  const visited = new Map<Local, readonly Knowledge[]>();
  const assuming = (condition: Scalar, truth: boolean, at: Knowledge): Knowledge => ({
    ...at,
    facts: [...at.facts, ...factsOf(opaque, condition, truth, at.facts)],
    exact: at.exact && isExact(opaque, condition, truth, at.facts),
  });
  const visit = (scalar: Scalar, at: Knowledge): void => {
    switch (scalar.kind) {
      case "constant":
      case "integer":
        return;
      case "read":
        for (const index of scalar.indices) visit(index, at);
        found.push({ read: scalar, ...at });
        return;
      case "apply": {
        const [left, right] = scalar.operands;
        if (scalar.operation === "and" || scalar.operation === "or") {
          visit(left!, at);
          visit(right!, assuming(left!, scalar.operation === "and", at));
          return;
        }
        for (const operand of scalar.operands) visit(operand, at);
        return;
      }
      case "cast":
        visit(scalar.operand, at);
        return;
      case "select":
        visit(scalar.condition, at);
        visit(scalar.then, assuming(scalar.condition, true, at));
        visit(scalar.otherwise, assuming(scalar.condition, false, at));
        return;
      case "local": {
        // A local that was visited under fewer facts need not be visited again under more.
        const met = visited.get(scalar.local) ?? [];
        if (met.some((before) => knowsNoMore(before, at))) return;
        visited.set(scalar.local, [...met, at]);
        visit(scalar.local.value, at);
        return;
      }
      case "call":
        for (const argument of scalar.invocation.arguments) visit(argument, at);
        return;
      case "text":
      case "data":
        for (const operand of scalar.operands) visit(operand, at);
        return;
      case "parameter":
        return;
      default:
        scalar satisfies never;
    }
  };
  /** Visits bounds, then guards. Each knows the ones before it. */
  const enter = (loops: readonly Loop[], guards: readonly Scalar[], at: Knowledge): Knowledge => {
    let inside = at;
    for (const loop of loops) {
      // A bound may look up data by the coordinates before it.
      visit(loop.from, inside);
      visit(loop.to, inside);
      const facts = [...inside.facts, ...loopFacts(opaque, [loop], inside.facts)];
      inside = { ...inside, facts, loops: [...inside.loops, loop] };
    }
    for (const guard of guards) {
      visit(guard, inside);
      inside = assuming(guard, true, inside);
    }
    return inside;
  };
  const start: Knowledge = { facts: known, exact: true, loops: [] };
  const cell = enter(clause.loops, clause.guards, start);
  const { body } = clause;
  if (body.kind === "map") visit(body.value, cell);
  else visit(body.value, enter(body.loops, body.guards, cell));
  if (clause.otherwise) {
    // The `else` value applies where a guard fails. With several guards, it is not known which one
    // fails.
    const unowned = enter(clause.loops, [], start);
    const [guard, ...others] = clause.guards;
    const fails =
      guard && others.length === 0 ? assuming(guard, false, unowned) : { ...unowned, exact: false };
    visit(clause.otherwise, guard ? fails : unowned);
  }
  return found;
}

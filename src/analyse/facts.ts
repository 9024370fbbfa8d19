// What is known inside a clause: the ranges of its coordinates, its guards, and the branches taken,
// as facts for the prover.

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
import { keyOf as structureKey, numberOf } from "../ir/keys.ts";
import type { Clause, Local, Loop, Scalar } from "../ir/program.ts";
import { isFloat, isInteger } from "../scalar/types.ts";

/**
 * Variables that stand for what the solver does not look into (lookups, casts, …), one for each
 * structure.
 */
export interface Opaque {
  readonly byKey: Map<string, Variable>;
  readonly all: Set<Variable>;
}

export function newOpaque(): Opaque {
  return { byKey: new Map(), all: new Set() };
}

/** Does the term contain a value that only a run can tell? */
export function isOpaque(opaque: Opaque, term: Term): boolean {
  for (const v of variablesOf(term)) if (opaque.all.has(v)) return true;
  return false;
}

/**
 * The solver's view of an integer scalar. `/` and `%` truncate, so they count only where the
 * dividend is not negative.
 */
export function termOf(opaque: Opaque, scalar: Scalar, facts: readonly Fact[]): Term {
  return attempt(() => read(opaque, scalar, facts)) ?? standIn(opaque, scalar);
}

function read(opaque: Opaque, scalar: Scalar, facts: readonly Fact[]): Term {
  switch (scalar.kind) {
    case "integer":
      return scalar.term;
    case "constant":
      return typeof scalar.value === "number" && Number.isSafeInteger(scalar.value)
        ? constant(scalar.value)
        : standIn(opaque, scalar);
    case "local":
      return read(opaque, scalar.local.value, facts);
    case "apply": {
      // What is computed in i8 wraps long before anything that a term could be compared with.
      if (!isInteger(scalar.within) || scalar.within === "i8" || scalar.type === "bool")
        return standIn(opaque, scalar);
      const operands = scalar.operands.map((operand) => read(opaque, operand, facts));
      const term = termOfOperation(scalar.operation, operands, {
        isNonNegative: (term) => holds(nonNegative(term), facts),
        isPositive: (term) => holds(positive(term), facts),
        fits: (term) => scalar.within === "i64" || fitsI32(term, facts),
      });
      return term ?? standIn(opaque, scalar);
    }
    default:
      return standIn(opaque, scalar);
  }
}

function standIn(opaque: Opaque, scalar: Scalar): Term {
  const key = structureOf(scalar);
  let stand = opaque.byKey.get(key);
  if (!stand) {
    stand = variable(key);
    opaque.byKey.set(key, stand);
    opaque.all.add(stand);
  }
  return ofVariable(stand);
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
      // A float is told apart by what it computes, in short: chains of names would be written out
      // again and again.
      return isFloat(scalar.type) ? numberOf(scalar) : structureOf(scalar.local.value);
    case "call": {
      const { function: called, arguments: given } = scalar.invocation;
      return `${called.name}.${scalar.member}(${given.map(structureOf).join(", ")})`;
    }
    case "text":
      return `${scalar.function}${scalar.format ?? ""}(${scalar.operands.map(structureOf).join(", ")})`;
    case "data":
      return `${scalar.function}.${scalar.member}(${scalar.operands.map(structureOf).join(", ")})`;
    case "parameter":
      return scalar.parameter.name;
    default:
      return scalar satisfies never;
  }
}

/**
 * Whether `factsOf` says all there is to say about a condition; a lookup or a disjunction is more
 * than facts can hold.
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

/**
 * Whether a condition holds where others do: it is one of them, or what it says follows from the
 * facts.
 */
export function isImplied(
  opaque: Opaque,
  condition: Scalar,
  others: readonly Scalar[],
  facts: readonly Fact[],
): boolean {
  const key = structureKey(condition);
  if (others.some((other) => structureKey(other) === key)) return true;
  if (!isExact(opaque, condition, true, facts)) return false;
  return factsOf(opaque, condition, true, facts).every((fact) => holds(fact, facts));
}

/** What follows from a condition being true (or false). */
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
      const weaker = weakerSide(opaque, left!, right!, !truth, known);
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
      return compared(condition.operation, truth, a, b, known);
    }
    default:
      return [];
  }
}

/**
 * Of two conditions, the one that has an outcome only where the other has it too: facts hold no
 * disjunction, but `!(i == 1 && 0 < i)` is `!(i == 1)`.
 */
function weakerSide(
  opaque: Opaque,
  left: Scalar,
  right: Scalar,
  outcome: boolean,
  known: readonly Fact[],
): Scalar | undefined {
  const follows = (condition: Scalar, other: Scalar): boolean => {
    const there = [...known, ...factsOf(opaque, other, outcome, known)];
    const facts = factsOf(opaque, condition, outcome, there);
    return isExact(opaque, condition, outcome, there) && facts.every((fact) => holds(fact, there));
  };
  if (follows(left, right)) return right;
  return follows(right, left) ? left : undefined;
}

type Comparison = "equal" | "notEqual" | "less" | "lessEqual" | "greater" | "greaterEqual";

function compared(
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

/** `a != b` is an inequality where one side is known not to exceed the other. */
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
  /** Whether the facts are all that decides if the access is made; otherwise data has a say too. */
  readonly exact: boolean;
  /** The loops around it, outermost first. */
  readonly loops: readonly Loop[];
}

/** What is known at a place in a clause. */
interface Knowledge {
  readonly facts: readonly Fact[];
  readonly exact: boolean;
  readonly loops: readonly Loop[];
}

/**
 * Whether everything known in one place is known in another, which then has nothing more to
 * complain about.
 */
function isWeaker(before: Knowledge, at: Knowledge): boolean {
  const { length } = before.facts;
  if (length > at.facts.length || (at.exact && !before.exact)) return false;
  return length === 0 || before.facts[length - 1] === at.facts[length - 1];
}

/** Every read of a clause, with what is known where it is made. */
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
        // What holds where a local was first met holds where more is known too.
        const met = visited.get(scalar.local) ?? [];
        if (met.some((before) => isWeaker(before, at))) return;
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
  /** Bounds, then guards, each knowing the ones before it. */
  const enter = (loops: readonly Loop[], guards: readonly Scalar[], at: Knowledge): Knowledge => {
    let inside = at;
    for (const loop of loops) {
      // A bound may be looked up by the coordinates before it.
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
    // Where the clause does not own its cell, its guard fails; of several guards one does, and who
    // knows which.
    const unowned = enter(clause.loops, [], start);
    const [guard, ...others] = clause.guards;
    const fails =
      guard && others.length === 0 ? assuming(guard, false, unowned) : { ...unowned, exact: false };
    visit(clause.otherwise, guard ? fails : unowned);
  }
  return found;
}

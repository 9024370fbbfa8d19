// Simplifies scalars where the intervals of coordinates are known: folds constants, decides guards,
// and brings index arithmetic into normal form. With i in 1..9, `if i > 0 { x[i] } else { 0.0 }` is
// `x[i]`.

import { valueOf } from "../../analyse/can-fail.ts";
import { termOfOperation } from "../../affine/arithmetic.ts";
import {
  attempt,
  constant,
  constantOf,
  subtract,
  type Atom,
  type Term,
} from "../../affine/term.ts";
import { rewrite } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Local, Scalar } from "../../ir/program.ts";
import { cast } from "../../scalar/casts.ts";
import { ArithmeticFault } from "../../scalar/fault.ts";
import { operationRow } from "../../scalar/operations.ts";
import { roundTo } from "../../scalar/round.ts";
import { isFloat, type ElementType, type Scalar as Value } from "../../scalar/types.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { decide, intervalOf, type Intervals } from "./intervals.ts";
import { isHeard, noted } from "../rules.ts";
import { textOfScalar } from "../text.ts";

/** What is known at the place of a scalar. */
export interface Place {
  readonly known: Intervals;
  /** The type in which a value of a declared type is computed. */
  readonly typeOf: (declared: ElementType) => ElementType;
  /** One simplified copy of each local, so that sharing is kept. */
  readonly locals: Map<Local, Local>;
}

type Apply = Extract<Scalar, { kind: "apply" }>;

/** Simplifies a scalar and reports a change. */
export function folded(scalar: Scalar, place: Place): Scalar {
  const result = simplify(scalar, place);
  if (isHeard())
    noted("fold", (names) => {
      const [before, after] = [textOfScalar(names, scalar), textOfScalar(names, result)];
      return before === after ? "" : `${before} is ${after}`;
    });
  return result;
}

export function simplify(scalar: Scalar, place: Place): Scalar {
  switch (scalar.kind) {
    case "constant": {
      const type = place.typeOf(scalar.type);
      const value = isFloat(type) ? roundTo(type, scalar.value as number) : scalar.value;
      if (type === "i32") return integerScalar(constant(value as number));
      return { kind: "constant", type, value };
    }
    case "integer":
      return integerScalar(simplifyTerm(scalar.term, place.known));
    case "read":
      return {
        ...scalar,
        type: place.typeOf(scalar.type),
        indices: scalar.indices.map((index) => simplify(index, place)),
      };
    case "apply":
      return simplifyApply(scalar, place);
    case "cast": {
      const operand = simplify(scalar.operand, place);
      const type = place.typeOf(scalar.type);
      if (operand.type === type) return operand;
      const value = valueOf(operand);
      return value === undefined
        ? { ...scalar, type, operand }
        : constantScalar(type, cast(operand.type, type, value));
    }
    case "select": {
      const condition = simplify(scalar.condition, place);
      const outcome = valueOf(condition);
      if (outcome !== undefined) return simplify(outcome ? scalar.then : scalar.otherwise, place);
      const [then, otherwise] = [simplify(scalar.then, place), simplify(scalar.otherwise, place)];
      return { ...scalar, type: place.typeOf(scalar.type), condition, then, otherwise };
    }
    case "local": {
      let copy = place.locals.get(scalar.local);
      if (!copy) {
        const value = simplify(scalar.local.value, place);
        place.locals.set(scalar.local, (copy = { name: scalar.local.name, value }));
      }
      const { value } = copy;
      if (copy === scalar.local) return scalar;
      if (value.kind === "constant" || value.kind === "integer" || value.kind === "local")
        return value;
      return { ...scalar, type: place.typeOf(scalar.type), local: copy };
    }
    case "call": {
      const { invocation } = scalar;
      return {
        ...scalar,
        type: place.typeOf(scalar.type),
        invocation: {
          ...invocation,
          arguments: invocation.arguments.map((each) => simplify(each, place)),
        },
      };
    }
    case "parameter":
    case "text":
    case "data":
      return scalar;
    default:
      return scalar satisfies never;
  }
}

function constantScalar(type: ElementType, value: Value): Scalar {
  return type === "i32"
    ? integerScalar(constant(value as number))
    : { kind: "constant", type, value };
}

const truth = (value: boolean): Scalar => ({ kind: "constant", type: "bool", value });

function simplifyApply(scalar: Apply, place: Place): Scalar {
  const operands = scalar.operands.map((operand) => simplify(operand, place));
  const [a, b] = operands;
  const within = place.typeOf(scalar.within);
  const type = place.typeOf(scalar.type);
  switch (scalar.operation) {
    case "and": {
      const [left, right] = [valueOf(a!), valueOf(b!)];
      if (left === false || (right === false && isIndexArithmetic(a!))) return truth(false);
      if (left === true) return b!;
      if (right === true) return a!;
      break;
    }
    case "or": {
      const [left, right] = [valueOf(a!), valueOf(b!)];
      if (left === true || (right === true && isIndexArithmetic(a!))) return truth(true);
      if (left === false) return b!;
      if (right === false) return a!;
      break;
    }
    case "not": {
      const value = valueOf(a!);
      if (value !== undefined) return truth(!value);
      break;
    }
    default:
      break;
  }
  if (a?.kind === "integer" && b?.kind === "integer") {
    const outcome = decide(scalar.operation, a.term, b.term, place.known);
    if (outcome !== undefined && type === "bool") return truth(outcome);
  }
  if ((scalar.operation === "remainder" || scalar.operation === "divide") && type === "i32") {
    const quotient = wholeQuotient(a!, b!);
    if (quotient) return integerScalar(scalar.operation === "divide" ? quotient : constant(0));
  }
  if (within === "i32" && type === "i32" && operands.every((each) => each.kind === "integer")) {
    const term = integerResult(
      scalar,
      operands.map((each) => (each as { term: Term }).term),
      place.known,
    );
    if (term) return integerScalar(simplifyTerm(term, place.known));
  }
  const values = operands.map(valueOf);
  if (values.every((value) => value !== undefined)) {
    const value = fold(scalar, within, values);
    if (value !== undefined) return constantScalar(type, value);
  }
  if (scalar.operation === "divide" && (within === "f32" || within === "f64")) {
    const inverse = inverseOf(values[1]);
    if (inverse !== undefined)
      return {
        ...scalar,
        type,
        within,
        operation: "multiply",
        operands: [a!, constantScalar(within, inverse)],
      };
  }
  return { ...scalar, type, within, operands };
}

/**
 * The inverse of a power of two. The product with it has the same bits as the quotient. `undefined`
 * where the inverse is out of range.
 */
function inverseOf(divisor: Value | undefined): number | undefined {
  if (typeof divisor !== "number") return undefined;
  const exponent = Math.log2(Math.abs(divisor));
  return Number.isInteger(exponent) && Math.abs(exponent) <= 126 ? 1 / divisor : undefined;
}

/**
 * The quotient of a term and a number that divides all its values. The rounding of quotients does
 * not matter here.
 */
function wholeQuotient(a: Scalar, b: Scalar): Term | undefined {
  const by = valueOf(b);
  if (a.kind !== "integer" || typeof by !== "number" || by === 0) return undefined;
  return dividedBy(a.term, by);
}

/** Divides a term by a number that divides all its coefficients. */
export function dividedBy({ constant: offset, parts }: Term, by: number): Term | undefined {
  if (offset % by !== 0 || parts.some(({ coefficient }) => coefficient % by !== 0))
    return undefined;
  return {
    constant: offset / by + 0,
    parts: parts.map((part) => ({ ...part, coefficient: part.coefficient / by })),
  };
}

/** Whether a condition can be left out because evaluating it cannot fail. */
function isIndexArithmetic(scalar: Scalar): boolean {
  let isHarmless = true;
  eachScalar(scalar, (part) => {
    const isCondition = part.kind === "apply" && part.type === "bool";
    if (!isCondition && part.kind !== "integer" && part.kind !== "constant") isHarmless = false;
  });
  return isHarmless;
}

/**
 * The term of an integer operation, if the intervals prove that it equals the i32 result of a run.
 */
function integerResult(
  { operation }: Apply,
  operands: readonly Term[],
  known: Intervals,
): Term | undefined {
  return termOfOperation(operation, operands, {
    isNonNegative: (term) => intervalOf(term, known).least >= 0,
    isPositive: (term) => intervalOf(term, known).least >= 1,
    fits: (term) => {
      const { least, most } = intervalOf(term, known);
      return least >= -(2 ** 31) && most < 2 ** 31;
    },
  });
}

function fold(scalar: Apply, within: ElementType, values: readonly Value[]): Value | undefined {
  try {
    return operationRow(scalar.operation).evaluate(within, ...values);
  } catch (fault) {
    if (fault instanceof ArithmeticFault) return undefined;
    throw fault;
  }
}

/** Replaces minima, maxima and quotients that the intervals decide. */
export function simplifyTerm(term: Term, known: Intervals): Term {
  if (constantOf(term) !== undefined || !hasAtoms(term)) return term;
  return attempt(() => rewrite(term, (atom) => decidedAtom(atom, known))) ?? term;
}

function hasAtoms(term: Term): boolean {
  return term.parts.some((part) => part.factors.some((factor) => factor.kind !== "variable"));
}

function decidedAtom(atom: Atom, known: Intervals): Term | undefined {
  switch (atom.kind) {
    case "variable":
      return undefined;
    case "floor": {
      const dividend = intervalOf(atom.dividend, known);
      const divisor = intervalOf(atom.divisor, known);
      if (divisor.least !== divisor.most) return undefined;
      const [low, high] = [
        Math.floor(dividend.least / divisor.least),
        Math.floor(dividend.most / divisor.least),
      ];
      return low === high ? constant(low) : undefined;
    }
    case "min":
    case "max": {
      const wins = (member: Term): boolean =>
        atom.members.every((other) => {
          if (other === member) return true;
          const { least, most } = intervalOf(subtract(member, other), known);
          return atom.kind === "min" ? most <= 0 : least >= 0;
        });
      const winner = atom.members.find(wins);
      return winner && simplifyTerm(winner, known);
    }
    default:
      return atom satisfies never;
  }
}

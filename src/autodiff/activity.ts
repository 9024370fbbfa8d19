// Which definitions a derivative passes through: those that the numerator needs and that need a denominator, by value.

import { components } from "../ir/components.ts";
import { eachScalar, partsOf } from "../ir/parts.ts";
import type { Clause, Definition, Local, Scalar, ScalarFunction } from "../ir/program.ts";
import { operationRow, type OperationName } from "../ir/scalar/operations.ts";
import { isFloat } from "../ir/scalar/types.ts";
import type { Graph } from "./graph.ts";
import { carriesTangents } from "./handed-on.ts";
import type { Stopped } from "./linearize.ts";
import { isWinner } from "./winners.ts";

export interface Activity {
  readonly isActive: (definition: Definition) => boolean;
  /** Which reads vary, for the clauses of a definition: inside a tangent rule only tangents do. */
  readonly variesFor: (reader: Definition) => (read: Definition) => boolean;
  /** What an integer or bool definition made of active floats does to them that has no derivative; inside a tangent rule they are constants. */
  readonly stopsFor: (reader: Definition) => (read: Definition) => Stopped | undefined;
  /** Every definition that the numerator needs. */
  readonly all: readonly Definition[];
}

export function activityOf({ all, ways, isTangent }: Graph, denominators: ReadonlySet<Definition>): Activity {
  const active = new Set<Definition>();
  /** Integers and bools that were made from active floats. */
  const tainted = new Set<Definition>();
  const at = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) => ways(definition).map((read) => at.get(read)!));
  // Components come after what they read; members of one are active together.
  for (const group of components(all.length, (k) => edges[k]!)) {
    const members = group.map((k) => all[k]!);
    const reads = (definition: Definition, among: ReadonlySet<Definition>): boolean =>
      edges[at.get(definition)!]!.some((k) => among.has(all[k]!));
    const carries = (definition: Definition): boolean => carriesTangents(definition, active);
    const isPassage = (definition: Definition): boolean =>
      denominators.has(definition) ||
      (carries(definition) && (reads(definition, active) || castsTainted(definition, tainted)));
    if (members.some(isPassage)) for (const definition of members) if (carries(definition)) active.add(definition);
    for (const definition of members) {
      if (!carries(definition) && (reads(definition, active) || reads(definition, tainted))) tainted.add(definition);
    }
  }
  const isActive = (definition: Definition): boolean => active.has(definition);
  const stops = (definition: Definition, seen = new Set<Definition>()): Stopped | undefined => {
    if (seen.has(definition) || isFloat(definition.element) || isWinner(definition) || isActive(definition))
      return undefined;
    seen.add(definition);
    for (const clause of definition.clauses) {
      const found = stopIn(clause, isActive, (read) => stops(read, seen));
      if (found) return found;
    }
    return undefined;
  };
  return {
    isActive,
    variesFor: (reader) => (isTangent(reader) ? (read) => isActive(read) && isTangent(read) : isActive),
    stopsFor: (reader) => (isTangent(reader) ? () => undefined : (read) => stops(read)),
    all,
  };
}

/** Does the definition use a tainted integer or bool as a number? Then the derivative has to be told why it ends there. */
function castsTainted(definition: Definition, tainted: ReadonlySet<Definition>): boolean {
  if (tainted.size === 0) return false;
  let found = false;
  for (const { body } of definition.clauses) {
    eachScalar(body.value, (part) => {
      if (part.kind === "cast" && isFloat(part.type) && !isFloat(part.operand.type)) {
        eachScalar(part.operand, (inner) => {
          if (inner.kind === "read" && tainted.has(inner.definition)) found = true;
        });
      }
    });
  }
  return found;
}

function stopIn(
  clause: Clause,
  isActive: (definition: Definition) => boolean,
  further: (definition: Definition) => Stopped | undefined,
): Stopped | undefined {
  const { body } = clause;
  const { value } = body;
  const touches = mentions(value, isActive);
  if (body.kind === "reduce" && touches) return { operation: body.reduction, span: body.span };
  if (touches) return { operation: operationIn(value, isActive) ?? "this", span: clause.span };
  let found: Stopped | undefined;
  eachNumber(value, (part) => {
    if (part.kind === "read") found ??= further(part.definition);
  });
  return found;
}

function mentions(scalar: Scalar, isActive: (definition: Definition) => boolean): boolean {
  let found = false;
  eachNumber(scalar, (part) => {
    if (part.kind === "read" && isActive(part.definition)) found = true;
  });
  return found;
}

/** A scalar and what it is made of: conditions and indices choose among numbers, and are none themselves. */
function eachNumber(scalar: Scalar, visit: (part: Scalar) => void, seen = new Set<Local>()): void {
  visit(scalar);
  if (scalar.kind === "read" || (scalar.kind === "local" && seen.has(scalar.local))) return;
  if (scalar.kind === "local") seen.add(scalar.local);
  // A function that only chooses among integers gives one that does not move.
  if (scalar.kind === "call" && !isFloat(scalar.type) && !turnIn(scalar.invocation.function)) return;
  const parts = scalar.kind === "select" ? [scalar.then, scalar.otherwise] : partsOf(scalar);
  for (const part of parts) eachNumber(part, visit, seen);
}

/** What turns a float into something else, as the user writes it. */
function turnOf(part: Scalar): string | undefined {
  if (part.kind === "cast" && isFloat(part.operand.type) && !isFloat(part.type)) return `the cast to ${part.type}`;
  if (part.kind === "apply" && part.type === "bool" && isFloat(part.within)) return symbolOf(part.operation);
  return undefined;
}

/** What a function does to floats that are numbers of its integers and bools. */
function turnIn(called: ScalarFunction): string | undefined {
  const functions = new Set([called]);
  let found: string | undefined;
  const visit = (part: Scalar, seen: Set<Local>): void => {
    if (part.kind === "local" && seen.has(part.local)) return;
    if (part.kind === "local") seen.add(part.local);
    found ??= turnOf(part);
    if (part.kind === "call") functions.add(part.invocation.function);
    for (const inner of part.kind === "select" ? [part.then, part.otherwise] : partsOf(part)) visit(inner, seen);
  };
  for (const each of functions) for (const result of each.results) if (!isFloat(result.type)) visit(result, new Set());
  return found;
}

/** The innermost operation that turns an active float into something else. */
function operationIn(scalar: Scalar, isActive: (definition: Definition) => boolean): string | undefined {
  let found: string | undefined;
  eachNumber(scalar, (part) => {
    const turn = part.kind === "call" ? turnIn(part.invocation.function) : turnOf(part);
    if (turn !== undefined && mentions(part, isActive)) found = turn;
  });
  if (found !== undefined) return found;
  // An integer that carries a tangent, in arithmetic: that has none.
  eachNumber(scalar, (part) => {
    if (part.kind === "apply" && mentions(part, isActive)) found = symbolOf(part.operation);
  });
  return found;
}

/** An operation as the user writes it. */
function symbolOf(operation: OperationName): string {
  const { notation } = operationRow(operation);
  return notation.kind === "infix" ? `\`${notation.symbol}\`` : operation;
}

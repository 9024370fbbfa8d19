// Integers that carry a tangent: the result of a call with a rule, and every name for such a
// result. A cast to a float passes the tangent on. Arithmetic on integers has no tangent.

import type { Definition, Scalar } from "../../ir/program.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";

/**
 * Does the definition stand for the tangent of a parameter in a rule? Nothing computes such a
 * definition. The rule is linear in it, so other values in the rule are those for the tangent 0.
 */
export function isStandIn(definition: Definition): boolean {
  const { origin, clauses } = definition;
  return origin === "helper" && clauses.length === 0 && !awaited.has(definition);
}

const awaited = new WeakSet<Definition>();

/** Marks a definition that is read before it has its clauses. */
export function awaitClauses(definition: Definition): Definition {
  awaited.add(definition);
  return definition;
}

type Source = Extract<Scalar, { kind: "read" | "call" }>;

/**
 * The reads and calls whose value an integer has, unchanged by choices and by casts between
 * integers.
 */
function sourcesOf(scalar: Scalar): readonly Source[] {
  if (isFloat(scalar.type)) return [];
  switch (scalar.kind) {
    case "read":
      return [scalar];
    case "call":
      return scalar.invocation.function.rule ? [scalar] : [];
    case "select":
      return [...sourcesOf(scalar.then), ...sourcesOf(scalar.otherwise)];
    case "cast":
      return sourcesOf(scalar.operand);
    case "local":
      return sourcesOf(scalar.local.value);
    case "apply":
    case "constant":
    case "integer":
    case "parameter":
    case "text":
    case "data":
      return [];
    default:
      return scalar satisfies never;
  }
}

function sourcesIn({ clauses }: Definition): readonly Source[] {
  return clauses.flatMap(({ body, otherwise }) => [
    ...(body.kind === "map" ? sourcesOf(body.value) : []),
    ...(otherwise ? sourcesOf(otherwise) : []),
  ]);
}

/**
 * Has the definition tangents, if the active definitions have tangents? Floats have, results with a
 * rule, and names for such results.
 */
export function carriesTangents(definition: Definition, active: ReadonlySet<Definition>): boolean {
  if (isFloat(definition.element) || definition.rule !== undefined) return true;
  return sourcesIn(definition).some(
    (source) => source.kind === "call" || active.has(source.definition),
  );
}

/**
 * The type of a definition's tangents. For an integer, it is the type in the rule that the integer
 * comes from.
 */
export function tangentType(definition: Definition): FloatType {
  const found = new Set([definition]);
  for (const each of found) {
    if (each.rule) return each.rule.tangent.element as FloatType;
    if (isFloat(each.element)) return each.element;
    for (const source of sourcesIn(each)) {
      if (source.kind === "call")
        return source.invocation.function.rule!.results[source.member]!.type as FloatType;
      found.add(source.definition);
    }
  }
  return definition.element as FloatType;
}

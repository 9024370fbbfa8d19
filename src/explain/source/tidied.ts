// Writes derived definitions as a person would. The program that runs says the same in other words:
// a sum over one position, `a + -2 * b`, `0 == i`.

import type { Variable } from "../../affine/term.ts";
import { onceEach } from "../../ir/keys.ts";
import { mapParts, allLoops } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { bareVariable } from "../../print/scalar.ts";
import { isFloat } from "../../scalar/types.ts";
import { copied } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import { withLookups } from "./lookups.ts";

/** Calls `look` while the definitions have tidy clauses. Afterwards all clauses are as before. */
export function withTidyClauses<T>(definitions: readonly Definition[], look: () => T): T {
  const before = definitions.map(({ clauses }) => clauses);
  for (const definition of definitions) {
    // A lookup gives 0 to the cells that its guard leaves out. That is right only if no other
    // clause gives these cells a value.
    const isOnly = definition.clauses.length === 1 && !definition.clauses[0]!.otherwise;
    definition.clauses = definition.clauses.map((clause) =>
      tidiedClause(isOnly ? withLookups(clause) : clause),
    );
  }
  try {
    return look();
  } finally {
    for (const [k, definition] of definitions.entries()) definition.clauses = before[k]!;
  }
}

function tidiedClause(clause: Clause): Clause {
  const { body } = clause;
  const tidy = tidyIn(allLoops(clause));
  const guards = onceEach(clause.guards).map(tidy);
  const value = tidy(body.value);
  return {
    ...clause,
    guards,
    body:
      body.kind === "map"
        ? { ...body, value }
        : { ...body, value, guards: onceEach(body.guards).map(tidy) },
  };
}

/** Tidies scalars among some coordinates. */
export function tidyIn(loops: readonly Loop[]): (scalar: Scalar) => Scalar {
  const locals = new Map<Parameters<typeof copied>[0], ReturnType<typeof copied>>();
  const coordinates = new Set(loops.map((loop) => loop.variable));
  const tidy = (scalar: Scalar): Scalar => {
    if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, tidy, locals) };
    const inside = mapParts(scalar, tidy);
    if (inside.kind === "select") return boolWithoutChoice(inside);
    if (inside.kind !== "apply") return inside;
    return (
      withCoordinateFirst(inside, loops, coordinates) ??
      asDifference(inside) ??
      asNegation(inside) ??
      inside
    );
  };
  return tidy;
}

type Select = Extract<Scalar, { kind: "select" }>;
type Apply = Extract<Scalar, { kind: "apply" }>;

/** `if c { true } else { false }` is c. */
function boolWithoutChoice(scalar: Select): Scalar {
  const { condition, then, otherwise } = scalar;
  const isChoice = then.kind === "constant" && then.value === true && otherwise.kind === "constant";
  return isChoice && otherwise.value === false ? condition : scalar;
}

/** `0 == i` is `i == 0`: a coordinate stands before the number that it equals. */
function withCoordinateFirst(
  scalar: Apply,
  loops: readonly Loop[],
  coordinates: ReadonlySet<Variable>,
): Scalar | undefined {
  const [a, b] = scalar.operands;
  if ((scalar.operation !== "equal" && scalar.operation !== "notEqual") || a?.kind !== "integer")
    return undefined;
  const v = bareVariable(b!);
  return v && coordinates.has(v) && !usesAny(a, loops)
    ? { ...scalar, operands: [b!, a] }
    : undefined;
}

/** `a + -2 * b` is `a - 2 * b`. */
function asDifference(scalar: Apply): Scalar | undefined {
  const { operation, operands } = scalar;
  if ((operation !== "add" && operation !== "subtract") || !isFloat(scalar.type)) return undefined;
  const taken = withoutSign(operands[1]!);
  return (
    taken && {
      ...scalar,
      operation: operation === "add" ? "subtract" : "add",
      operands: [operands[0]!, taken],
    }
  );
}

/** `-1 * a` is `-a`. */
function asNegation(scalar: Apply): Scalar | undefined {
  const [first, second] = scalar.operands;
  const isOpposite =
    scalar.operation === "multiply" && first?.kind === "constant" && first.value === -1;
  return isOpposite && isFloat(scalar.type)
    ? { ...scalar, operation: "negate", operands: [second!] }
    : undefined;
}

/** `b` for a term that is `-b`: `-2 * c` gives `2 * c`. `undefined` for a term without a sign. */
function withoutSign(scalar: Scalar): Scalar | undefined {
  if (scalar.kind === "constant" && typeof scalar.value === "number" && scalar.value < 0)
    return { ...scalar, value: -scalar.value };
  if (scalar.kind !== "apply") return undefined;
  const [first, ...others] = scalar.operands;
  if (scalar.operation === "negate") return first;
  if (scalar.operation !== "multiply" && scalar.operation !== "divide") return undefined;
  const positive = withoutSign(first!);
  if (!positive) return undefined;
  const isUnit =
    scalar.operation === "multiply" && positive.kind === "constant" && positive.value === 1;
  return isUnit ? others[0] : { ...scalar, operands: [positive, ...others] };
}

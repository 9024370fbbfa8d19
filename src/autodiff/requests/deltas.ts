// Writes a Jacobian in closed form. A definition that is 0 unless coordinates are equal is written
// into its readers, and a sum over a coordinate that an equation determines becomes its one term:
//
//    Σₖ (if k == q { B[k, j] } else { 0 })   is   B[q, j]

import { isOff } from "../../ir/rewrites.ts";
import { components } from "../../base/components.ts";
import { atMost, holds, lessThan, type Fact } from "../../affine/prove.ts";
import { coefficientOf, mentions, withoutVariable } from "../../affine/visit.ts";
import { add, constantOf, negate, type Term, type Variable } from "../../affine/term.ts";
import { boundsOf, isOpaque, loopFacts, type Opaque } from "../../analyse/facts.ts";
import { eachScalar, mapParts, partsOf } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { keyOf } from "../../ir/keys.ts";
import { readsOf } from "../../ir/references.ts";
import { instantiate, integerScalar, atIndices } from "../../ir/substitute.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { type Span } from "../../base/source.ts";
import { degreeIn } from "./linear-in.ts";
import { algebraOf } from "../scalar/products.ts";
import { compared } from "../../ir/integers.ts";

/**
 * Rewrites the clauses of definitions that a derivative made. Other definitions stay as they are.
 */
export function eliminateDeltas(
  definitions: readonly Definition[],
  opaque: Opaque,
  known: readonly Fact[],
): void {
  if (isOff("deltas")) return;
  const at = new Map(definitions.map((definition, k) => [definition, k]));
  const edges = definitions.map((definition) =>
    [...readsOf(definition)].flatMap((read) => at.get(read) ?? []),
  );
  const sparse = new Map<Definition, Clause>();
  for (const group of components(definitions.length, (k) => edges[k]!)) {
    for (const k of group) {
      const definition = definitions[k]!;
      const closed = definition.clauses.map((clause) =>
        withoutDeterminedSums(withInlined(clause, sparse), opaque, known),
      );
      const [only, ...others] = closed;
      const isAlone = only && others.length === 0 && !only.otherwise;
      definition.clauses = isAlone
        ? closed
        : closed.map((clause, n) => withGuardsInValue(clause, definition.clauses[n]!));
      if (isAlone && !edges[k]!.includes(k) && isSparse(only)) sparse.set(definition, only);
    }
  }
}

/** Is the clause 0 unless coordinates are equal? */
function isSparse({ body, guards }: Clause): boolean {
  return body.kind === "map" && guards.some((guard) => equationOf(guard));
}

/** Moves new guards into the value, so that the clause owns the same cells as before. */
function withGuardsInValue(closed: Clause, before: Clause): Clause {
  const { body } = closed;
  const further = closed.guards.slice(before.guards.length);
  if (body.kind !== "map" || further.length === 0) return closed;
  return {
    ...closed,
    guards: before.guards,
    body: { kind: "map", value: chosen(further, body.value, closed.span) },
  };
}

/** The value where all conditions hold, and 0 elsewhere. */
export function chosen(conditions: readonly Scalar[], value: Scalar, span: Span): Scalar {
  const algebra = algebraOf(value.type as FloatType, span);
  return conditions.reduceRight(
    (then, condition) => algebra.select(condition, then, algebra.number(0)),
    value,
  );
}

/** Replaces reads of sparse definitions by their expressions. */
function withInlined(clause: Clause, sparse: ReadonlyMap<Definition, Clause>): Clause {
  const { body } = clause;
  const read = sparseRead(body.value, sparse);
  if (!read) return clause;
  const written = sparse.get(read.definition)!;
  const by = atIndices(written.loops, read.indices);
  const guards = written.guards.map((guard) => instantiate(guard, by));
  const inner = instantiate((written.body as Extract<Clause["body"], { kind: "map" }>).value, by);
  const key = keyOf(read);
  const isRead = (other: Scalar): boolean => other.kind === "read" && keyOf(other) === key;
  // A guard that reads a tensor may be valid only where the read is made.
  const isFree = guards.every(isOfIntegers);
  const [tested, lookedUp] = [
    guards.filter(isOfIntegers),
    guards.filter((guard) => !isOfIntegers(guard)),
  ];
  const multiple =
    isFree || !isChosen(body.value, isRead) ? multipleOf(body.value, isRead, inner) : undefined;
  if (multiple) {
    // 0 times any number is 0 here, even 0·∞: a cell that the primal does not read contributes
    // nothing.
    const next: Clause =
      body.kind === "map"
        ? {
            ...clause,
            guards: [...clause.guards, ...guards],
            body: { kind: "map", value: multiple },
          }
        : {
            ...clause,
            body: { ...body, guards: [...tested, ...body.guards, ...lookedUp], value: multiple },
          };
    return withInlined(next, sparse);
  }
  const choose = (value: Scalar): Scalar => chosen(guards, value, read.span);
  const value = withChosen(
    body.value,
    isRead,
    inner,
    choose,
    (part) => isFree || !isChosen(part, isRead),
  );
  return withInlined({ ...clause, body: { ...body, value } }, sparse);
}

/** Is the condition made of integers alone? Then it can be tested anywhere. */
function isOfIntegers(condition: Scalar): boolean {
  if (condition.kind === "apply") return condition.operands.every(isOfIntegers);
  return condition.kind === "integer" || condition.kind === "constant";
}

/** Does a branch decide whether the read is made? */
function isChosen(scalar: Scalar, isRead: IsRead): boolean {
  if (scalar.kind !== "select") return partsOf(scalar).some((part) => isChosen(part, isRead));
  if (isUnlessZero(scalar, isRead)) return isChosen(scalar.otherwise, isRead);
  return [scalar.then, scalar.otherwise].some((branch) => contains(branch, isRead));
}

/** The scalar with `inner` in place of the read, if the scalar is a multiple of the read. */
function multipleOf(scalar: Scalar, isRead: IsRead, inner: Scalar): Scalar | undefined {
  if (scalar.kind === "select" && isUnlessZero(scalar, isRead)) {
    return replaced(isNonzeroNumber(inner) ? scalar.otherwise : scalar, isRead, inner);
  }
  return degreeIn(scalar, isRead) === "linear" ? replaced(scalar, isRead, inner) : undefined;
}

/** A number that is not 0. */
function isNonzeroNumber(scalar: Scalar): boolean {
  if (scalar.kind === "apply" && scalar.operation === "negate")
    return isNonzeroNumber(scalar.operands[0]!);
  return scalar.kind === "constant" && scalar.value !== 0;
}

type IsRead = (scalar: Scalar) => boolean;

/** Is the scalar `if read == 0 { 0 } else { product }`? */
function isUnlessZero(
  { isProduct, condition }: Extract<Scalar, { kind: "select" }>,
  isRead: IsRead,
): boolean {
  return isProduct === true && condition.kind === "apply" && isRead(condition.operands[0]!);
}

/**
 * The scalar with `inner` or 0 in place of the read. Where the read is 0, its multiples with
 * `isWhole` are left out as a whole, whatever their other factors are.
 */
function withChosen(
  scalar: Scalar,
  isRead: IsRead,
  inner: Scalar,
  choose: (value: Scalar) => Scalar,
  isWhole: (scalar: Scalar) => boolean,
): Scalar {
  if (!contains(scalar, isRead)) return scalar;
  const multiple = isWhole(scalar) ? multipleOf(scalar, isRead, inner) : undefined;
  if (multiple) return choose(multiple);
  const inside = (part: Scalar): Scalar => withChosen(part, isRead, inner, choose, isWhole);
  if (scalar.kind === "local")
    return { ...scalar, local: { name: scalar.local.name, value: inside(scalar.local.value) } };
  const isSum = scalar.kind === "apply" && ["add", "subtract", "negate"].includes(scalar.operation);
  const isChoice = scalar.kind === "select" && !contains(scalar.condition, isRead);
  return isSum || isChoice ? mapParts(scalar, inside) : replaced(scalar, isRead, choose(inner));
}

function sparseRead(
  scalar: Scalar,
  sparse: ReadonlyMap<Definition, Clause>,
): Extract<Scalar, { kind: "read" }> | undefined {
  let found: Extract<Scalar, { kind: "read" }> | undefined;
  eachScalar(scalar, (part) => {
    if (part.kind === "read" && sparse.has(part.definition)) found ??= part;
  });
  return found;
}

function replaced(scalar: Scalar, isRead: IsRead, by: Scalar): Scalar {
  if (isRead(scalar)) return by;
  if (!partsOf(scalar).some((part) => contains(part, isRead))) return scalar;
  const inside = (part: Scalar): Scalar => replaced(part, isRead, by);
  if (scalar.kind === "local")
    return { ...scalar, local: { name: scalar.local.name, value: inside(scalar.local.value) } };
  const changed = mapParts(scalar, inside);
  if (changed.kind !== "apply" || !isFloat(changed.type)) return changed;
  const { operation, operands, type, span } = changed;
  // A product of numbers is a number, so constants are folded.
  return operation === "multiply" || operation === "negate"
    ? algebraOf(type, span).apply(operation, ...operands)
    : changed;
}

function contains(scalar: Scalar, isRead: IsRead): boolean {
  return isRead(scalar) || partsOf(scalar).some((part) => contains(part, isRead));
}

// ── sums over what is equal to something ────────────────────────────────────────────────────────

function withoutDeterminedSums(clause: Clause, opaque: Opaque, known: readonly Fact[]): Clause {
  const { body } = clause;
  if (body.kind === "map") return clause;
  if (body.reduction !== "sum") return clause;
  const found = body.guards.flatMap((guard) => {
    const equation = equationOf(guard);
    const loop =
      equation && body.loops.find(({ variable: v }) => solvedFor(equation, v) !== undefined);
    return loop ? [{ guard, loop, value: solvedFor(equation, loop.variable)! }] : [];
  });
  const usable = found.find(({ loop }) =>
    body.loops.every((other) => other === loop || !boundedBy(other, loop.variable)),
  );
  if (!usable) {
    if (body.loops.length > 0) return clause;
    return {
      ...clause,
      guards: [...clause.guards, ...body.guards],
      body: { kind: "map", value: body.value },
    };
  }
  const by = new Map<Variable, Scalar>([[usable.loop.variable, integerScalar(usable.value)]]);
  const at = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const rest = body.loops.filter((loop) => loop !== usable.loop);
  const facts = [...known, ...loopFacts(opaque, [...clause.loops, ...rest], known)];
  const guards = [
    ...rangeGuards(usable.loop, usable.value, opaque, facts),
    ...body.guards.filter((guard) => guard !== usable.guard).map(at),
  ];
  return withoutDeterminedSums(
    { ...clause, body: { ...body, loops: rest, guards, value: at(body.value) } },
    opaque,
    known,
  );
}

function boundedBy({ from, to }: Loop, v: Variable): boolean {
  return [from, to].some((bound) => bound.kind !== "integer" || mentions(bound.term, v));
}

/** The two integers that a guard `a == b` compares. */
function equationOf(guard: Scalar): { readonly left: Term; readonly right: Term } | undefined {
  if (guard.kind !== "apply" || guard.operation !== "equal") return undefined;
  const [left, right] = guard.operands;
  return left?.kind === "integer" && right?.kind === "integer"
    ? { left: left.term, right: right.term }
    : undefined;
}

/**
 * The value of a coordinate by an equation, if the coordinate occurs once with the factor 1 or -1.
 */
function solvedFor(
  { left, right }: { readonly left: Term; readonly right: Term },
  v: Variable,
): Term | undefined {
  for (const [own, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const coefficient = coefficientOf(own, v);
    const factor = coefficient && constantOf(coefficient);
    if (mentions(other, v) || (factor !== 1 && factor !== -1)) continue;
    const rest = withoutVariable(own, v);
    const value = add(other, negate(rest));
    return factor === 1 ? value : negate(value);
  }
  return undefined;
}

/** Conditions that the value is in the range of the coordinate, unless that is proved. */
function rangeGuards(
  loop: Loop,
  value: Term,
  opaque: Opaque,
  facts: readonly Fact[],
): readonly Scalar[] {
  const { from, to } = boundsOf(opaque, loop, facts);
  const here = integerScalar(value);
  return [
    ...(!isOpaque(opaque, from) && holds(atMost(from, value), facts)
      ? []
      : [compared("lessEqual", loop.from, here)]),
    ...(!isOpaque(opaque, to) && holds(lessThan(value, to), facts)
      ? []
      : [compared("less", here, loop.to)]),
  ];
}

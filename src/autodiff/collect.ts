// What arrives at a definition is summed into its adjoint: cell by cell, a sum over path coordinates as a definition of its own.

import { ofVariable } from "../ir/affine/term.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { keyOf } from "../ir/keys.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { freshLoops, readCell } from "./cells.ts";
import { tangentType } from "./handed-on.ts";
import { hoisted } from "./hoist.ts";
import { algebraOf, sumOf } from "./products.ts";
import { isWorthNaming, withShared } from "./share.ts";
import { isStepGraph } from "./step-graph.ts";
import { axesFor, loopsFor, zerosOf, type Adjoint, type Arrived, type Sweep } from "./sweep.ts";
import { aliasOf, clauseOf, conditionsOf, type Piece } from "./transpose.ts";

export function adjointOf(sweep: Sweep, definition: Definition): Adjoint | undefined {
  const arrived = sweep.pieces.get(definition);
  if (!arrived || !isFloat(tangentType(definition))) return undefined;
  const name = `d_${definition.name}`;
  const [only] = arrived;
  if (arrived.length === 1) {
    const { piece } = only!;
    const same = aliasOf(piece);
    const known = same && sweep.adjoints.get(same);
    // What is asked for has a name of its own.
    if (known && !sweep.denominators.has(definition)) return known;
    const made = sweep.define(
      name,
      tangentType(definition),
      axesFor(sweep, definition),
      [summingClause(sweep, piece, definition.name)],
      definition.span,
    );
    const constant = constantOf(piece);
    if (constant !== undefined) return { definition: made, zeros: "none", constant };
    const filters = piece.guards.length > 0;
    if (filters && piece.summed.length === 0)
      return { definition: made, zeros: only!.zeros, support: { loops: piece.axes, guards: testedBy(piece) } };
    return { definition: made, zeros: zerosOf(arrived) };
  }
  // It has its name before its parts have theirs.
  const made = sweep.define(name, tangentType(definition), axesFor(sweep, definition), [], definition.span);
  made.clauses = [summedClause(sweep, definition, arrived)];
  return { definition: made, zeros: zerosOf(arrived) };
}

/** The guards of a piece; those that look something up are only tested where the cells exist. */
function testedBy({ ranges, guards }: Piece): readonly Scalar[] {
  let looksUp = false;
  for (const guard of guards) eachScalar(guard, (part) => void (looksUp ||= part.kind === "read"));
  return looksUp ? [...ranges, ...guards] : guards;
}

/** Several contributions, added up cell by cell. */
export function summedClause(sweep: Sweep, definition: Definition, arrived: readonly Arrived[]): Clause {
  const [first] = arrived;
  const algebra = algebraOf(tangentType(definition), definition.span);
  if (!first)
    return {
      loops: loopsFor(sweep, definition),
      guards: [],
      body: { kind: "map", value: algebra.number(0) },
      span: definition.span,
    };
  if (arrived.length === 1) return summingClause(sweep, first.piece, definition.name);
  const loops = freshLoops(first.piece.axes, new Map());
  const groups = new Map<string, Part>();
  for (const each of arrived) {
    const part = partOf(sweep, definition, each, loops);
    const key = part.conditions.map(keyOf).join();
    const before = groups.get(key);
    groups.set(key, before ? { ...before, value: sumOf([before.value, part.value], algebra)! } : part);
  }
  const [only, another] = [...groups.values()];
  if (!another) {
    const { conditions: guards, value } = only!;
    return { loops, guards, body: { kind: "map", value: withShared(value) }, span: definition.span };
  }
  const values = [...groups.values()].map((part) =>
    part.conditions.reduceRight((inner, guard) => algebra.select(guard, inner, algebra.number(0)), part.value),
  );
  const value = sumOf(values, algebra)!;
  return { loops, guards: [], body: { kind: "map", value: withShared(value) }, span: definition.span };
}

/** A contribution at the adjoint's coordinates; those that count under the same conditions are added up under them. */
interface Part {
  readonly conditions: readonly Scalar[];
  readonly value: Scalar;
}

/** The number that a piece puts into every cell. */
function constantOf({ summed, value, ...conditions }: Piece): number | undefined {
  if (summed.length > 0 || conditionsOf(conditions).length > 0 || value.kind !== "constant") return undefined;
  return value.value as number;
}

/** A piece as a clause that computes nothing twice, and nothing in its sum that could be computed before it. */
function summingClause(sweep: Sweep, piece: Piece, name: string): Clause {
  const tested = withTests(piece);
  const { axes, summed, value } = tested;
  const moved = isStepGraph(sweep.graph) ? value : hoisted(sweep, name, axes, summed, value);
  return clauseOf({ ...tested, value: withShared(moved) });
}

/** A guard that computes what the value computes too is tested beside it, so that both share the work. */
function withTests(piece: Piece): Piece {
  const computed = new Set<string>();
  eachScalar(piece.value, (part) => void (isWorthNaming(part) && computed.add(keyOf(part))));
  const shares = (guard: Scalar): boolean => {
    let found = false;
    eachScalar(guard, (part) => void (found ||= isWorthNaming(part) && computed.has(keyOf(part))));
    return found;
  };
  const tests = piece.guards.filter(shares);
  if (tests.length === 0 || !isFloat(piece.value.type)) return piece;
  const algebra = algebraOf(piece.value.type, piece.span);
  const value = tests.reduceRight((then, test) => algebra.select(test, then, algebra.number(0)), piece.value);
  return { ...piece, guards: piece.guards.filter((guard) => !tests.includes(guard)), value };
}

/** One of several contributions; a sum gets a definition of its own. */
function partOf(sweep: Sweep, definition: Definition, { from, piece }: Arrived, loops: readonly Loop[]): Part {
  if (piece.summed.length > 0) {
    // A sum of what is negated is taken away as a whole.
    const positive = unsigned(piece.value);
    const made = sweep.define(
      `d_${definition.name}_from_${from.name}`,
      tangentType(definition),
      axesFor(sweep, definition),
      [summingClause(sweep, positive ? { ...piece, value: positive } : piece, definition.name)],
      definition.span,
    );
    sweep.trace.parts.set(piece, made);
    const sum = readCell(made, loops, piece.span);
    const algebra = algebraOf(tangentType(definition), piece.span);
    return { conditions: [], value: positive ? algebra.apply("negate", sum) : sum };
  }
  const by = new Map(piece.axes.map((axis, k) => [axis.variable, integerScalar(ofVariable(loops[k]!.variable))]));
  return {
    conditions: conditionsOf(piece).map((guard) => instantiate(guard, by)),
    value: instantiate(piece.value, by),
  };
}

/** The opposite of a product that begins with a minus. */
function unsigned(value: Scalar): Scalar | undefined {
  if (value.kind === "select") {
    const otherwise = value.isProduct && unsigned(value.otherwise);
    return otherwise ? { ...value, otherwise } : undefined;
  }
  if (value.kind !== "apply") return undefined;
  const [first, ...others] = value.operands;
  if (value.operation === "negate") return first;
  if (value.operation !== "multiply" && value.operation !== "divide") return undefined;
  const positive = unsigned(first!);
  return positive && { ...value, operands: [positive, ...others] };
}

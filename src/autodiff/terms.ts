// What the cells of a clause are made of, one rule for each reduction: a scalar to linearize, the loops it is summed over, and
// the factor that the reduction puts before its derivative.
//
//   y = Σ f          dy = Σ df
//   y = mean f       dy = Σ df / count
//   y = max f        dy = df at the winner, which the forward pass keeps (values are never compared again)
//   y = Π f          dy = Σₖ (product of the others)·dfₖ, by exclusive prefix and suffix products: exact with any number of zeros
//   y = log Σ exp f  dy = Σ exp(f - y)·df, and 0 where y is -∞

import {
  add,
  constant,
  constantOf,
  floorDiv,
  mod,
  multiply,
  ofVariable,
  plus,
  subtract,
  variable,
  zero,
  type Term as Integer,
} from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, instantiateLoop, integerScalar } from "../ir/substitute.ts";
import type { ElementType, FloatType } from "../ir/scalar/types.ts";
import type { Span } from "../syntax/source.ts";
import { algebraOf, one, type Conditioned } from "./products.ts";

export interface Term {
  readonly value: Scalar;
  /** The clause's own loops, then those that are summed. */
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /** What the reduction multiplies the derivative of `value` by. */
  readonly factor: Conditioned;
  /** The finished value, where `value` is all of the cell. */
  readonly result?: Scalar;
  readonly span: Span;
}

/** Makes definitions for what a rule needs beside the primal. */
export type Define = (
  name: string,
  element: ElementType,
  axes: readonly Axis[],
  clauses: readonly Clause[],
  span: Span,
) => Definition;

type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/** The terms of a clause; undefined for a reduction that has no derivative. */
export function termsOf(definition: Definition, clause: Clause, define: Define): readonly Term[] | undefined {
  const { body } = clause;
  const cell: Scalar = readCell(definition, clause.loops, clause.span);
  const plain: Conditioned = { product: one, conditions: [] };
  if (body.kind === "map") {
    return [
      { value: body.value, loops: clause.loops, guards: clause.guards, factor: plain, result: cell, span: clause.span },
    ];
  }
  const summed = {
    value: body.value,
    loops: [...clause.loops, ...body.loops],
    guards: [...clause.guards, ...body.guards],
    span: body.span,
  };
  switch (body.reduction) {
    case "sum":
      return [{ ...summed, factor: plain }];
    case "mean":
      return [
        {
          ...summed,
          factor: { product: { ...one, divisors: [countOf(definition, clause, body, define)] }, conditions: [] },
        },
      ];
    case "logsumexp": {
      const algebra = algebraOf(body.value.type as FloatType, body.span);
      const weight = algebra.apply("exp", algebra.apply("subtract", body.value, cell));
      const bottom = algebra.apply("equal", cell, algebra.number(-Infinity));
      return [
        {
          ...summed,
          factor: { product: { ...one, factors: [weight] }, conditions: [{ value: bottom, holds: false }] },
        },
      ];
    }
    case "prod":
      return [
        {
          ...summed,
          factor: { product: { ...one, factors: othersOf(definition, clause, body, define) }, conditions: [] },
        },
      ];
    case "max":
    case "min":
      return [winningTerm(definition, clause, body, define)];
    case "argmax":
    case "argmin":
    case "any":
    case "all":
    case "count":
      return undefined;
    default:
      return body.reduction satisfies never;
  }
}

export function readCell(definition: Definition, loops: readonly Loop[], span: Span): Scalar {
  const indices = loops.map((loop) => integerScalar(ofVariable(loop.variable)));
  return { kind: "read", type: definition.element, definition, indices, span };
}

/** The same loops under fresh names, and what they replace. */
export function freshLoops(loops: readonly Loop[], by: Map<Loop["variable"], Scalar>): readonly Loop[] {
  return loops.map((loop) => {
    const made: Loop = { ...instantiateLoop(loop, by), variable: variable(loop.variable.name) };
    by.set(loop.variable, integerScalar(ofVariable(made.variable)));
    return made;
  });
}

/** Positions that a rule keeps are constants, although an `argmax` finds them. */
const winners = new WeakSet<Definition>();

export function isWinner(definition: Definition): boolean {
  return winners.has(definition);
}

/** One clause of several does not reach every cell; the others get a value that nobody reads, so that all are defined. */
function everywhere(definition: Definition, axes: readonly Axis[], clauses: readonly Clause[], rest: Scalar): Clause[] {
  if (definition.clauses.length === 1) return [...clauses];
  const loops = axes.map((axis, k): Loop => ({
    variable: variable(axis.name ?? "ijklmnpq"[k] ?? "i"),
    from: integerScalar(zero),
    to: integerScalar(axis.extent),
    reversed: false,
  }));
  return [{ loops, guards: [], body: { kind: "map", value: rest }, span: definition.span }, ...clauses];
}

/** How many elements passed the guards, as a float. */
function countOf(definition: Definition, clause: Clause, body: Reduction, define: Define): Scalar {
  const type = definition.element;
  const sizes = dependOnOneAnother(body.loops) ? [undefined] : body.loops.map(sizeOf);
  const asFloat = (operand: Scalar): Scalar => ({ kind: "cast", type, operand });
  if (body.guards.length === 0 && sizes.every((size) => size !== undefined)) {
    return asFloat(integerScalar(sizes.reduce((a, b) => multiply(a, b), constant(1))));
  }
  const by = new Map<Loop["variable"], Scalar>();
  const loops = freshLoops(clause.loops, by);
  const inner = freshLoops(body.loops, by);
  const yes: Scalar = { kind: "constant", type: "bool", value: true };
  const counted = define(`${definition.name}_count`, "i32", definition.axes, everywhere(definition, definition.axes, [
    {
      loops,
      guards: clause.guards.map((guard) => instantiate(guard, by)),
      body: { kind: "reduce", reduction: "count", loops: inner, guards: body.guards.map((guard) => instantiate(guard, by)), value: yes, span: body.span },
      span: clause.span,
    },
  ], integerScalar(zero)), clause.span); // prettier-ignore
  return asFloat(readCell(counted, clause.loops, body.span));
}

function sizeOf(loop: Loop): Integer | undefined {
  return loop.from.kind === "integer" && loop.to.kind === "integer"
    ? subtract(loop.to.term, loop.from.term)
    : undefined;
}

/** Does the range of one coordinate mention another of them? Then there are not as many places as their sizes multiplied. */
function dependOnOneAnother(loops: readonly Loop[]): boolean {
  const variables = new Set(loops.map((loop) => loop.variable));
  return loops.some((loop) =>
    [loop.from, loop.to].some(
      (bound) => bound.kind === "integer" && [...variablesOf(bound.term)].some((v) => variables.has(v)),
    ),
  );
}

/** One coordinate for several: q walks them all, the last one fastest. */
function flattened(
  loops: readonly Loop[],
):
  | { readonly size: Integer; readonly at: (q: Integer) => readonly Integer[]; readonly of: readonly Integer[] }
  | undefined {
  const sizes = loops.map(sizeOf);
  if (sizes.some((size) => size === undefined) || dependOnOneAnother(loops)) return undefined;
  const strides = sizes.map((_, k) => sizes.slice(k + 1).reduce<Integer>((a, b) => multiply(a, b!), constant(1)));
  const start = (k: number): Integer => (loops[k]!.from as Extract<Scalar, { kind: "integer" }>).term;
  // Over nothing there is no position to be taken apart.
  const isNothing = sizes.some((size) => constantOf(size!) === 0);
  const digit = (q: Integer, k: number): Integer => {
    if (isNothing) return constant(0);
    const quotient = constantOf(strides[k]!) === 1 ? q : floorDiv(q, strides[k]!);
    return k === 0 ? quotient : mod(quotient, sizes[k]!);
  };
  return {
    size: sizes.reduce<Integer>((a, b) => multiply(a, b!), constant(1)),
    at: (q) => loops.map((_, k) => add(start(k), digit(q, k))),
    of: loops.map((loop, k) => multiply(subtract(ofVariable(loop.variable), start(k)), strides[k]!)),
  };
}

/** The product of all factors but one: what stands before it times what stands behind it. */
function othersOf(definition: Definition, clause: Clause, body: Reduction, define: Define): readonly Scalar[] {
  const flat = flattened(body.loops);
  const own = new Set(clause.loops.map((loop) => loop.variable));
  if (!flat || [...variablesOf(flat.size)].some((v) => own.has(v)))
    throw new UnsupportedRule("a product over a range that depends on data or coordinates", body.span);
  const type = definition.element;
  const number = (value: number): Scalar => ({ kind: "constant", type, value });
  const axes: readonly Axis[] = [...definition.axes, { name: body.loops[0]!.variable.name, extent: flat.size }];
  const loopOver = (from: Integer, to: Integer, name: string, reversed: boolean): Loop => ({
    variable: variable(name),
    from: integerScalar(from),
    to: integerScalar(to),
    reversed,
  });

  const by = new Map<Loop["variable"], Scalar>();
  const outer = freshLoops(clause.loops, by);
  const walk = loopOver(zero, flat.size, body.loops[0]!.variable.name, false);
  const positions = flat.at(ofVariable(walk.variable)).map((position) => instantiate(integerScalar(position), by));
  for (const [k, position] of positions.entries()) by.set(body.loops[k]!.variable, position);
  const factors = define(`${definition.name}_factor`, type, axes, everywhere(definition, axes, [
    {
      loops: [...outer, walk],
      guards: [...clause.guards, ...body.guards].map((guard) => instantiate(guard, by)),
      body: { kind: "map", value: instantiate(body.value, by) },
      otherwise: number(1),
      span: body.span,
    },
  ], number(1)), body.span); // prettier-ignore

  // before[q] = before[q - 1]·f[q - 1], and the same from the other end.
  const scan = (name: string, reversed: boolean): Definition => {
    const made = define(name, type, axes, [], body.span);
    const step = reversed ? 1 : -1;
    const first = reversed ? plus(flat.size, -1) : zero;
    const clauseOf = (loop: Loop, value: (indices: readonly Scalar[]) => Scalar): Clause => {
      const loops = freshLoops(clause.loops, new Map());
      const indices = [
        ...loops.map((each) => integerScalar(ofVariable(each.variable))),
        integerScalar(plus(ofVariable(loop.variable), step)),
      ];
      return { loops: [...loops, loop], guards: [], body: { kind: "map", value: value(indices) }, span: body.span };
    };
    const read = (of: Definition, indices: readonly Scalar[]): Scalar => ({
      kind: "read",
      type,
      definition: of,
      indices,
      span: body.span,
    });
    const algebra = algebraOf(type as FloatType, body.span);
    made.clauses = everywhere(definition, axes, [
      clauseOf(loopOver(first, plus(first, 1), "at", false), () => number(1)),
      clauseOf(
        reversed ? loopOver(zero, plus(flat.size, -1), "q", true) : loopOver(constant(1), flat.size, "q", false),
        (indices) => algebra.apply("multiply", read(made, indices), read(factors, indices)),
      ),
    ], number(1)); // prettier-ignore
    return made;
  };
  const position = flat.of.reduce((a, b) => add(a, b));
  const here = [...clause.loops.map((loop) => integerScalar(ofVariable(loop.variable))), integerScalar(position)];
  return [scan(`${definition.name}_before`, false), scan(`${definition.name}_behind`, true)].map((made): Scalar => ({
    kind: "read",
    type,
    definition: made,
    indices: here,
    span: body.span,
  }));
}

/** `max` and `min`: the term at the position of the first winner. */
function winningTerm(definition: Definition, clause: Clause, body: Reduction, define: Define): Term {
  const flat = flattened(body.loops);
  if (!flat)
    throw new UnsupportedRule(
      `\`${body.reduction}\` over a range that data or other reduced coordinates decide`,
      body.span,
    );
  const by = new Map<Loop["variable"], Scalar>();
  const outer = freshLoops(clause.loops, by);
  const walk: Loop = {
    variable: variable(body.loops.map((loop) => loop.variable.name).join("_")),
    from: integerScalar(zero),
    to: instantiate(integerScalar(flat.size), by),
    reversed: false,
  };
  const positions = flat.at(ofVariable(walk.variable)).map((position) => instantiate(integerScalar(position), by));
  for (const [k, position] of positions.entries()) by.set(body.loops[k]!.variable, position);
  const reductionOf = (name: "argmax" | "argmin" | "any", value: Scalar): Clause["body"] => ({
    kind: "reduce",
    reduction: name,
    loops: [walk],
    guards: body.guards.map((guard) => instantiate(guard, by)),
    value,
    span: body.span,
  });
  const guards = clause.guards.map((guard) => instantiate(guard, by));
  const value = instantiate(body.value, by);
  const mayBeEmpty = body.guards.length > 0 || (constantOf(flat.size) ?? 0) <= 0;
  const winnerGuards = [...guards];
  if (mayBeEmpty) {
    const yes: Scalar = { kind: "constant", type: "bool", value: true };
    const anyBy = new Map<Loop["variable"], Scalar>();
    const anyLoops = freshLoops(outer, anyBy);
    const anyWalk = freshLoops([walk], anyBy);
    const made = reductionOf("any", yes) as Reduction;
    const some = define(`${definition.name}_some`, "bool", definition.axes, everywhere(definition, definition.axes, [
      {
        loops: anyLoops,
        guards: guards.map((guard) => instantiate(guard, anyBy)),
        body: { ...made, loops: anyWalk, guards: made.guards.map((guard) => instantiate(guard, anyBy)) },
        span: body.span,
      },
    ], { kind: "constant", type: "bool", value: false }), body.span); // prettier-ignore
    winnerGuards.push(readCell(some, outer, body.span));
  }
  const winner = define(`${definition.name}_winner`, "i32", definition.axes, everywhere(definition, definition.axes, [
    {
      loops: outer,
      guards: winnerGuards,
      body: reductionOf(body.reduction === "max" ? "argmax" : "argmin", value),
      otherwise: integerScalar(constant(-1)),
      span: body.span,
    },
  ], integerScalar(constant(-1))), body.span); // prettier-ignore
  winners.add(winner);

  const won = readCell(winner, clause.loops, body.span);
  const at = new Map<Loop["variable"], Scalar>();
  const q = variable("won");
  for (const [k, position] of flat.at(ofVariable(q)).entries())
    at.set(body.loops[k]!.variable, instantiate(integerScalar(position), new Map([[q, won]])));
  const exists: Scalar = {
    kind: "apply",
    type: "bool",
    within: "i32",
    operation: "greaterEqual",
    operands: [won, integerScalar(zero)],
    span: body.span,
  };
  return {
    value: instantiate(body.value, at),
    loops: clause.loops,
    guards: mayBeEmpty ? [...clause.guards, exists] : clause.guards,
    factor: { product: one, conditions: [] },
    span: body.span,
  };
}

/** A rule that this version cannot write down. */
export class UnsupportedRule extends Error {
  readonly what: string;
  readonly span: Span;
  constructor(what: string, span: Span) {
    super(what);
    this.what = what;
    this.span = span;
  }
}

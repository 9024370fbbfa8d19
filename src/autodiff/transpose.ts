// Transpose: a read x[e(v)] with coefficient c(v), in a clause of y, sends  x̄[p] += Σ { v : e(v) = p } c(v)·ȳ[o(v)].
//
// The index equations p = e(v) are solved: solved coordinates survive (with the range and divisibility guards that inversion
// brings), the others are summed: these are the path coordinates. An index that is looked up cannot be solved; it becomes a
// guard that ties the cell to the summed coordinates, which is a scatter. Guards and branch conditions stay outermost.

import { ofVariable, variable, type Term as Integer, type Variable } from "../ir/affine/term.ts";
import type { Range } from "../ir/affine/range.ts";
import { within, type Fact } from "../ir/affine/prove.ts";
import { solve, type Coordinate, type Guard } from "../ir/affine/solve.ts";
import { boundsOf, isOpaque, loopFacts, termOf, type Opaque } from "../ir/facts.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import type { Span } from "../syntax/source.ts";
import type { Condition } from "./products.ts";

/** One contribution to x̄: for the cell at `axes`, the sum of `value` over `summed`, where the guards hold. */
export interface Piece {
  readonly axes: readonly Loop[];
  readonly summed: readonly Loop[];
  /** Guards that index inversion brought: they only say which cells exist. */
  readonly ranges: readonly Scalar[];
  /** Guards and conditions of the primal: they filter. */
  readonly guards: readonly Scalar[];
  /** Equations that could not be solved, tested last: a lookup in one is only made where the primal makes it. */
  readonly ties: readonly Scalar[];
  readonly value: Scalar;
  readonly span: Span;
}

export interface Contribution {
  readonly read: Extract<Scalar, { kind: "read" }>;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly conditions: readonly Condition[];
  readonly value: Scalar;
  readonly span: Span;
}

/** `names`: what the coordinates of x are called. */
export function transpose(
  opaque: Opaque,
  contribution: Contribution,
  names: readonly string[],
  known: readonly Fact[],
): Piece {
  const { read, loops } = contribution;
  const target = read.definition;
  const axes = target.axes.map((axis, k): Loop => ({
    variable: variable(names[k]!),
    from: integerScalar({ constant: 0, parts: [] }),
    to: integerScalar(axis.extent),
    reversed: false,
  }));
  const by = new Map<Variable, Scalar>();
  const left = pinSingles(opaque, loops, by, known);
  const facts = [
    ...known,
    ...axes.flatMap((axis, k) =>
      within(ofVariable(axis.variable), { from: { constant: 0, parts: [] }, to: target.axes[k]!.extent }),
    ),
  ];
  const indices = read.indices.map((index) => instantiate(index, by));

  const unknowns = left.map((loop): Coordinate | undefined => {
    const bounds = boundsOf(opaque, loop, [...facts, ...loopFacts(opaque, left, facts)]);
    return isOpaque(opaque, bounds.from) || isOpaque(opaque, bounds.to)
      ? undefined
      : { variable: loop.variable, range: bounds };
  });
  const inside = [...facts, ...loopFacts(opaque, left, facts)];
  const terms = indices.map((index) => termOf(opaque, index, inside));
  const solvable = unknowns.every((unknown) => unknown !== undefined);
  const equations = terms.flatMap((term, k) =>
    solvable && !isOpaque(opaque, term) ? [{ k, left: ofVariable(axes[k]!.variable), right: term }] : [],
  );
  const solution = solvable ? solve(unknowns, equations, facts) : undefined;

  const summed: Loop[] = [];
  if (solution) {
    for (const [v, term] of solution.solved) by.set(v, integerScalar(term));
    const renamed = new Map<Variable, Scalar>();
    for (const { variable: v, range } of solution.remaining) {
      const loop = freshLoop(v.name, range, renamed);
      renamed.set(v, integerScalar(ofVariable(loop.variable)));
      by.set(v, integerScalar(ofVariable(loop.variable)));
      summed.push(loop);
    }
    for (const [v, scalar] of by) by.set(v, instantiate(scalar, renamed));
    const unsolved = new Set(solution.unsolved.map((equation) => equation.left));
    const ties = terms.flatMap((_, k) => {
      const equation = equations.find((each) => each.k === k);
      return !equation || unsolved.has(equation.left)
        ? [equality(instantiate(indices[k]!, by), ofVariable(axes[k]!.variable), contribution.span)]
        : [];
    });
    const ranges = solution.guards.map((guard) => instantiate(guardScalar(guard, contribution.span), renamed));
    return finish(contribution, axes, summed, ranges, ties, by);
  }
  // Ranges that data decides: walk the primal's own loops.
  for (const loop of left) {
    const walked: Loop = {
      ...loop,
      variable: variable(loop.variable.name),
      from: instantiate(loop.from, by),
      to: instantiate(loop.to, by),
    };
    by.set(loop.variable, integerScalar(ofVariable(walked.variable)));
    summed.push(walked);
  }
  const ties = indices.map((index, k) =>
    equality(instantiate(index, by), ofVariable(axes[k]!.variable), contribution.span),
  );
  return finish(contribution, axes, summed, [], ties, by);
}

function finish(
  contribution: Contribution,
  axes: readonly Loop[],
  summed: readonly Loop[],
  ranges: readonly Scalar[],
  ties: readonly Scalar[],
  by: ReadonlyMap<Variable, Scalar>,
): Piece {
  const conditions = contribution.conditions.map(({ value, holds }) =>
    holds ? value : negation(value, contribution.span),
  );
  const guards = [...contribution.guards, ...conditions].map((guard) => instantiate(guard, by));
  return {
    axes,
    summed,
    ranges,
    ties,
    guards: guards.filter((guard) => !(guard.kind === "constant" && guard.value === true)),
    value: instantiate(contribution.value, by),
    span: contribution.span,
  };
}

/** A position that is written out on the left is that value. */
function pinSingles(
  opaque: Opaque,
  loops: readonly Loop[],
  by: Map<Variable, Scalar>,
  known: readonly Fact[],
): readonly Loop[] {
  return loops.flatMap((loop) => {
    const made: Loop = { ...loop, from: instantiate(loop.from, by), to: instantiate(loop.to, by) };
    if (!loop.fixed) return [made];
    by.set(loop.variable, integerScalar(boundsOf(opaque, made, known).from));
    return [];
  });
}

function freshLoop(name: string, range: Range, by: ReadonlyMap<Variable, Scalar>): Loop {
  return {
    variable: variable(name),
    from: instantiate(integerScalar(range.from), by),
    to: instantiate(integerScalar(range.to), by),
    reversed: false,
  };
}

function guardScalar(guard: Guard, span: Span): Scalar {
  const compare = (operation: "lessEqual" | "less" | "equal", a: Integer, b: Integer): Scalar => ({
    kind: "apply",
    type: "bool",
    within: "i32",
    operation,
    operands: [integerScalar(a), integerScalar(b)],
    span,
  });
  switch (guard.kind) {
    case "in": {
      const operands = [
        compare("lessEqual", guard.range.from, guard.value),
        compare("less", guard.value, guard.range.to),
      ];
      return { kind: "apply", type: "bool", within: "bool", operation: "and", operands, span };
    }
    case "divisible": {
      const rest: Scalar = {
        kind: "apply",
        type: "i32",
        within: "i32",
        operation: "remainder",
        operands: [integerScalar(guard.value), integerScalar(guard.by)],
        span,
      };
      const none = integerScalar({ constant: 0, parts: [] });
      return { kind: "apply", type: "bool", within: "i32", operation: "equal", operands: [rest, none], span };
    }
    case "equal":
      return compare("equal", guard.left, guard.right);
    default:
      return guard satisfies never;
  }
}

/** A coordinate is an i32: it is compared in the type of what it is compared with. */
function equality(value: Scalar, at: Integer, span: Span): Scalar {
  const { type } = value;
  const position: Scalar = type === "i32" ? integerScalar(at) : { kind: "cast", type, operand: integerScalar(at) };
  return { kind: "apply", type: "bool", within: type, operation: "equal", operands: [value, position], span };
}

export function negation(value: Scalar, span: Span): Scalar {
  if (value.kind === "constant") return { ...value, value: !value.value };
  if (value.kind === "apply" && value.operation === "not") return value.operands[0]!;
  return { kind: "apply", type: "bool", within: "bool", operation: "not", operands: [value], span };
}

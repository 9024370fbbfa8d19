// Solutions of random index equations, compared with enumeration.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { positive, within } from "./prove.ts";
import type { Fact } from "./prove.ts";
import { upTo } from "./range.ts";
import type { Range } from "./range.ts";
import { show } from "./show.ts";
import { solve } from "./solve.ts";
import type { Coordinate, Equation, Guard, Solution } from "./solve.ts";
import {
  add,
  constant,
  floorDiv,
  mod,
  multiply,
  negate,
  ofVariable,
  plus,
  scale,
  subtract,
  variable,
} from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { box, described, holdsAt } from "../../test/support/affine.ts";
import type { Assignment } from "../../test/support/affine.ts";
import { evaluate, mentions, substitute } from "./visit.ts";

function assignment(entries: ReadonlyMap<Variable, number>, fallback: Assignment): Assignment {
  return (each) => entries.get(each) ?? fallback(each);
}

function* nest(coordinates: readonly Coordinate[], fallback: Assignment): Generator<Assignment> {
  const [first, ...rest] = coordinates;
  if (!first) return yield fallback;
  const [from, to] = [evaluate(first.range.from, fallback), evaluate(first.range.to, fallback)];
  for (let value = from; value < to; value++)
    yield* nest(rest, assignment(new Map([[first.variable, value]]), fallback));
}

function passes(guard: Guard, valueOf: Assignment): boolean {
  if (guard.kind === "equal")
    return evaluate(guard.left, valueOf) === evaluate(guard.right, valueOf);
  const value = evaluate(guard.value, valueOf);
  if (guard.kind === "divisible") return value % evaluate(guard.by, valueOf) === 0;
  return evaluate(guard.range.from, valueOf) <= value && value < evaluate(guard.range.to, valueOf);
}

function check(
  unknowns: Coordinate[],
  equations: Equation[],
  assumptions: Fact[],
  parameters: Variable[],
  low: number,
  high: number,
): Solution {
  const solution = solve(unknowns, equations, assumptions);
  const holdsAll = (each: Equation, valueOf: Assignment) =>
    evaluate(each.left, valueOf) === evaluate(each.right, valueOf);
  const point = (valueOf: Assignment) => unknowns.map((u) => valueOf(u.variable)).join();
  for (const given of box(parameters, low, high)) {
    if (!assumptions.every((fact) => holdsAt(fact, given) === true)) continue;
    const fixed = assignment(new Map(parameters.map((each) => [each, given(each)])), () => NaN);
    const expected: string[] = [];
    for (const valueOf of nest(unknowns, fixed))
      if (equations.every((each) => holdsAll(each, valueOf))) expected.push(point(valueOf));
    const actual: string[] = [];
    for (const valueOf of nest(solution.remaining, fixed)) {
      if (!solution.guards.every((guard) => passes(guard, valueOf))) continue;
      const full = assignment(
        new Map([...solution.solved].map(([u, term]) => [u, evaluate(term, valueOf)])),
        valueOf,
      );
      if (solution.unsolved.every((each) => holdsAll(each, full))) actual.push(point(full));
    }
    if (actual.sort().join(";") === expected.sort().join(";")) continue;
    const where =
      `${equations.map((each) => `${show(each.left)} = ${show(each.right)}`).join(", ")} at ` +
      `${parameters.map((each) => `${each.name}=${given(each)}`).join()}\n` +
      described(solution, assumptions);
    expect([where, ...actual]).toEqual([where, ...expected]);
  }
  return solution;
}

describe("exactness", () => {
  const xs = ["x", "y", "z"].map((name) => variable(name));
  const ps = ["p1", "p2"].map((name) => variable(name));
  const n = variable("n");
  const affine = fc
    .tuple(
      fc.array(fc.constantFrom(0, 0, 1, 1, -1, 2, -2, 3, 4), { minLength: 3, maxLength: 3 }),
      fc.integer({ min: -3, max: 3 }),
    )
    .map(([coefficients, c]) =>
      coefficients.reduce((total, a, k) => add(total, scale(ofVariable(xs[k]!), a)), constant(c)),
    );
  const lone = fc
    .tuple(fc.constantFrom(...xs), fc.constantFrom(1, -1), fc.integer({ min: -2, max: 2 }))
    .map(([x, a, c]) => plus(scale(ofVariable(x), a), c));
  const by = fc.constantFrom(constant(2), constant(3), constant(4), ofVariable(n));
  const quotient = fc.tuple(fc.oneof(lone, affine), by).map(([e, d]) => floorDiv(e, d));
  const remainder = fc.tuple(fc.oneof(lone, affine), by).map(([e, d]) => mod(e, d));
  const radix = fc
    .tuple(fc.shuffledSubarray(xs, { minLength: 2, maxLength: 2 }), by)
    .map(([[x, y], d]) => add(multiply(ofVariable(x!), d), ofVariable(y!)));
  const index = fc.oneof(
    { weight: 4, arbitrary: affine },
    { weight: 2, arbitrary: lone },
    { weight: 2, arbitrary: radix },
    { weight: 2, arbitrary: quotient },
    { weight: 2, arbitrary: remainder },
    { weight: 1, arbitrary: fc.tuple(remainder, lone).map(([a, b]) => add(a, b)) },
    { weight: 1, arbitrary: fc.tuple(remainder, quotient).map(([a, b]) => add(scale(a, 2), b)) },
    { weight: 1, arbitrary: affine.map((e) => negate(e)) },
  );
  const range = fc.oneof(
    fc
      .tuple(fc.integer({ min: -1, max: 2 }), fc.integer({ min: 0, max: 5 }))
      .map(([from, length]) => ({ from: constant(from), to: constant(from + length) })),
    fc.constantFrom(upTo(ofVariable(n)), upTo(scale(ofVariable(n), 2)), upTo(constant(4))),
    fc.constant(upTo(plus(ofVariable(xs[0]!), 1))),
  );

  it("describes the same set as enumeration, each point once", { timeout: 60_000 }, () => {
    const seen = { solved: 0, unsolved: 0 };
    const problem = fc.record({
      rights: fc.array(index, { minLength: 1, maxLength: 2 }),
      ranges: fc.array(range, { minLength: 1, maxLength: 3 }),
      bounded: fc.boolean(),
    });
    fc.assert(
      fc.property(problem, ({ rights, ranges, bounded }) => {
        // The first range has nothing to depend on. Variables beyond the unknowns are replaced by
        // 1.
        const own = ranges.map((each, at) =>
          at === 0 && mentions(each.to, xs[0]!) ? upTo(constant(3)) : each,
        );
        const unknowns = own.map((each, at): Coordinate => ({ variable: xs[at]!, range: each }));
        const fixed = new Map(xs.slice(ranges.length).map((x) => [x, constant(1)]));
        const used = ps.slice(0, rights.length);
        const equations = used.map((left, at): Equation => ({
          left: ofVariable(left),
          right: substitute(rights[at]!, fixed),
        }));
        const bounds = bounded
          ? used.flatMap((each) => within(ofVariable(each), upTo(constant(5))))
          : [];
        const solution = check(
          unknowns,
          equations,
          [positive(ofVariable(n)), ...bounds],
          [n, ...used],
          -2,
          4,
        );
        seen[solution.unsolved.length === 0 ? "solved" : "unsolved"]++;
      }),
      { numRuns: 250 },
    );
    expect(seen.unsolved).toBeLessThan(seen.solved / 5);
  });

  it("holds for reshapes, periods and windows with symbolic extents", () => {
    const [x, y, z] = xs as [Variable, Variable, Variable];
    const [h, w, p1, p2, p3] = ["h", "w", "p1", "p2", "p3"].map((name) => variable(name)) as [
      Variable,
      Variable,
      Variable,
      Variable,
      Variable,
    ];
    const [X, Y, Z, H, W] = [x, y, z, h, w].map(ofVariable) as [Term, Term, Term, Term, Term];
    const cells = multiply(H, W);
    const problems: [[Variable, Range][], [Variable, Term, Term][]][] = [
      [
        [[x, upTo(scale(cells, 2))]],
        [
          [p1, floorDiv(X, cells), constant(2)],
          [p2, mod(floorDiv(X, W), H), H],
          [p3, mod(X, W), W],
        ],
      ],
      [
        [
          [x, upTo(constant(2))],
          [y, upTo(H)],
          [z, upTo(W)],
        ],
        [[p1, add(multiply(add(multiply(X, H), Y), W), Z), scale(cells, 2)]],
      ],
      [[[x, upTo(H)]], [[p1, mod(add(X, W), H), H]]],
      [
        [
          [x, upTo(H)],
          [y, upTo(W)],
        ],
        [[p1, mod(subtract(X, Y), H), H]],
      ],
      [
        [
          [x, upTo(floorDiv(H, W))],
          [y, upTo(W)],
        ],
        [[p1, add(multiply(X, W), Y), H]],
      ],
      [
        [
          [x, upTo(H)],
          [y, upTo(plus(X, 1))],
        ],
        [[p1, subtract(X, Y), H]],
      ],
      [
        [
          [x, upTo(H)],
          [y, upTo(W)],
        ],
        [[p1, plus(add(scale(X, 2), Y), -1), scale(H, 2)]],
      ],
      [
        [
          [x, upTo(scale(H, 2))],
          [y, upTo(W)],
        ],
        [
          [p1, floorDiv(X, constant(2)), H],
          [p2, add(multiply(mod(X, constant(2)), W), Y), scale(W, 2)],
        ],
      ],
      [[[x, upTo(H)]], [[p1, mod(X, W), W]]],
      [
        [
          [x, upTo(H)],
          [y, upTo(H)],
        ],
        [
          [p1, X, H],
          [p2, X, H],
        ],
      ],
    ];
    for (const [unknowns, reads] of problems) {
      const coordinates = unknowns.map(([each, itsRange]): Coordinate => ({
        variable: each,
        range: itsRange,
      }));
      const equations = reads.map(([left, right]): Equation => ({ left: ofVariable(left), right }));
      const extents = reads.flatMap(([left, , extent]) => within(ofVariable(left), upTo(extent)));
      const parameters = [h, w, ...reads.map(([left]) => left)];
      const solution = check(
        coordinates,
        equations,
        [positive(H), positive(W), ...extents],
        parameters,
        0,
        5,
      );
      expect(solution.unsolved).toEqual([]);
    }
  });
});

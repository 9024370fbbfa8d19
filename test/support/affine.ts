// Generators and brute force for the tests of index arithmetic.

import fc from "fast-check";
import { knownUnder, within } from "../../src/affine/prove.ts";
import type { Fact } from "../../src/affine/prove.ts";
import type { Range } from "../../src/affine/range.ts";
import { show, type Knowledge } from "../../src/affine/show.ts";
import { factsOf } from "../../src/affine/solve.ts";
import type { Guard, Solution } from "../../src/affine/solve.ts";
import {
  add,
  constant,
  floorDiv,
  maximum,
  minimum,
  mod,
  multiply,
  negate,
  ofVariable,
  scale,
  subtract,
} from "../../src/affine/term.ts";
import type { Term, Variable } from "../../src/affine/term.ts";
import { evaluate } from "../../src/affine/visit.ts";

export type Assignment = (v: Variable) => number;

/** A term with its value, computed without the canonical form. */
export interface Sample {
  readonly term: Term;
  readonly value: (valueOf: Assignment) => number;
}

/** Every assignment of the integers low..=high. */
export function* box(
  variables: readonly Variable[],
  low: number,
  high: number,
): Generator<Assignment> {
  const values = new Map<Variable, number>(variables.map((v) => [v, low]));
  for (;;) {
    yield (v) => values.get(v)!;
    let at = 0;
    while (at < variables.length && values.get(variables[at]!) === high)
      values.set(variables[at++]!, low);
    if (at === variables.length) return;
    values.set(variables[at]!, values.get(variables[at]!)! + 1);
  }
}

/** Whether a fact holds under an assignment. `undefined` if the fact divides by zero. */
export function holdsAt(fact: Fact, valueOf: Assignment): boolean | undefined {
  try {
    const value = evaluate(fact.term, valueOf);
    return fact.relation === ">" ? value > 0 : fact.relation === ">=" ? value >= 0 : value === 0;
  } catch {
    return undefined;
  }
}

const floorOf = (a: number, d: number): number => Math.floor(a / d);

export function sampleOver(variables: readonly Variable[]): fc.Arbitrary<Sample> {
  const leaf: fc.Arbitrary<Sample> = fc.oneof(
    fc.integer({ min: -5, max: 5 }).map((n): Sample => ({ term: constant(n), value: () => n })),
    fc
      .constantFrom(...variables)
      .map((v): Sample => ({ term: ofVariable(v), value: (valueOf) => valueOf(v) })),
  );
  const { tree } = fc.letrec<{ tree: Sample }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      binary(tie("tree"), add, (a, b) => a + b),
      binary(tie("tree"), subtract, (a, b) => a - b),
      binary(tie("tree"), multiply, (a, b) => a * b),
      binary(tie("tree"), minimum, Math.min),
      binary(tie("tree"), maximum, Math.max),
      tie("tree").map((a): Sample => ({
        term: negate(a.term),
        value: (valueOf) => -a.value(valueOf),
      })),
      fc.tuple(tie("tree"), fc.integer({ min: -4, max: 4 })).map(([a, n]): Sample => ({
        term: scale(a.term, n),
        value: (valueOf) => a.value(valueOf) * n,
      })),
      fc.tuple(tie("tree"), fc.integer({ min: 1, max: 6 })).map(([a, n]): Sample => ({
        term: floorDiv(a.term, constant(n)),
        value: (valueOf) => floorOf(a.value(valueOf), n),
      })),
      fc.tuple(tie("tree"), fc.integer({ min: 1, max: 6 })).map(([a, n]): Sample => ({
        term: mod(a.term, constant(n)),
        value: (valueOf) => a.value(valueOf) - n * floorOf(a.value(valueOf), n),
      })),
      // A symbolic divisor that is positive by construction: max(t, 1).
      fc.tuple(tie("tree"), tie("tree")).map(([a, d]): Sample => ({
        term: floorDiv(a.term, maximum(d.term, constant(1))),
        value: (valueOf) => floorOf(a.value(valueOf), Math.max(d.value(valueOf), 1)),
      })),
    ),
  }));
  return tree;
}

function binary(
  side: fc.Arbitrary<Sample>,
  build: (a: Term, b: Term) => Term,
  compute: (a: number, b: number) => number,
): fc.Arbitrary<Sample> {
  return fc.tuple(side, side).map(([a, b]) => ({
    term: build(a.term, b.term),
    value: (valueOf) => compute(a.value(valueOf), b.value(valueOf)),
  }));
}

/** Small terms, mostly linear, some with quotients, products, minima and maxima. */
export function termOver(variables: readonly Variable[]): fc.Arbitrary<Term> {
  const linear = fc
    .tuple(
      fc.array(fc.integer({ min: -3, max: 3 }), {
        minLength: variables.length,
        maxLength: variables.length,
      }),
      fc.integer({ min: -4, max: 4 }),
    )
    .map(([coefficients, c]) =>
      coefficients.reduce(
        (total, a, k) => add(total, scale(ofVariable(variables[k]!), a)),
        constant(c),
      ),
    );
  return fc.oneof(
    { weight: 3, arbitrary: linear },
    { weight: 1, arbitrary: sampleOver(variables).map((sample) => sample.term) },
  );
}

/** The value of shown source, with the truncating `/` and `%` of the language. */
export function valueOfSource(text: string, valueOf: (name: string) => number): number {
  const tokens = text.match(/[A-Za-z_]\w*|\d+|\S/g) ?? [];
  let at = 0;
  const expect = (token: string): void => {
    if (tokens[at++] !== token) throw new Error(`expected ${token} in ${text}`);
  };
  const sum = (): number => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === "*" || tokens[at] === "/" || tokens[at] === "%") {
      const operator = tokens[at++];
      const right = factor();
      value =
        operator === "*"
          ? value * right
          : operator === "/"
            ? Math.trunc(value / right)
            : value % right;
    }
    return value;
  };
  const factor = (): number => {
    const token = tokens[at++]!;
    if (token === "-") return -factor();
    if (token === "(") {
      const value = sum();
      expect(")");
      return value;
    }
    if (token === "min" || token === "max") {
      expect("(");
      const left = sum();
      expect(",");
      const right = sum();
      expect(")");
      return token === "min" ? Math.min(left, right) : Math.max(left, right);
    }
    return /^\d/.test(token) ? Number(token) : valueOf(token);
  };
  const value = sum();
  if (at !== tokens.length) throw new Error(`unexpected ${tokens[at]} in ${text}`);
  return value + 0;
}

function showGuard(guard: Guard, assumptions: readonly Fact[]): string {
  const text = (term: Term) => show(term, knownUnder(assumptions));
  if (guard.kind === "in")
    return `${text(guard.value)} in ${showRange(guard.range, knownUnder(assumptions))}`;
  if (guard.kind === "divisible") return `(${text(guard.value)}) % ${text(guard.by)} == 0`;
  return `${text(guard.left)} == ${text(guard.right)}`;
}

/** The solution as text: `i = …; sum k in 0..3; where …`. */
export function described(solution: Solution, assumptions: readonly Fact[]): string {
  const ranges = solution.remaining.flatMap((c) => within(ofVariable(c.variable), c.range));
  const facts = [
    ...assumptions,
    ...ranges,
    ...solution.guards.flatMap((guard) => (guard.kind === "in" ? [] : factsOf(guard))),
  ];
  return [
    ...[...solution.solved].map(([v, value]) => `${v.name} = ${show(value, knownUnder(facts))}`),
    ...solution.remaining.map(
      (c) => `sum ${c.variable.name} in ${showRange(c.range, knownUnder(facts))}`,
    ),
    ...solution.guards.map((guard) => `where ${showGuard(guard, facts)}`),
    ...solution.unsolved.map((each) => `unsolved ${show(each.left)} = ${show(each.right)}`),
  ].join("; ");
}

export function showRange(range: Range, known?: Knowledge): string {
  return `${show(range.from, known)}..${show(range.to, known)}`;
}

// Decides facts about terms under assumptions: that a read stays within its bounds, that a
// recurrence reads earlier steps, that a guard always holds.
//
// A fact follows from the assumptions if they have no integer solution together with its negation.
// It is violated by every solution if they have none together with the fact itself. `eliminate.ts`
// answers both questions, with every monomial as an unknown of its own. Further inequalities say
// how the monomials are related:
//
//   q = ⌊e/d⌋, d ≥ 1 known:   d·q ≤ e ≤ d·q + d - 1
//   m = min(a, b):            m ≤ a, m ≤ b, and in one of two cases m = a, in the other m = b
//                             (max likewise)
//   products:                 t ≥ 0 and c ≥ 0 give t·c ≥ 0, where c is what a monomial of the
//                             system has beyond a monomial of t; and t·d ≥ 0 where t mentions
//                             ⌊e/d⌋ with a symbolic divisor d
//
// Facts that share no variable are decided apart (`connected.ts`), those of the question first.
//
// The answers "true" and "false" are certain. Everything else is "unknown", an exhausted budget and
// an arithmetic overflow included. Under contradictory assumptions every fact is "true".

import { connected } from "./connected.ts";
import { boundsOfUnknowns, infeasible, spend } from "./eliminate.ts";
import type { Budget, Row, System } from "./eliminate.ts";
import type { Knowledge } from "./show.ts";
import type { Range } from "./range.ts";
import {
  attempt,
  keyOf,
  mod,
  multiply,
  negate,
  ofAtom,
  ofFactors,
  plus,
  subtract,
  withoutFactors,
} from "./term.ts";
import type { Atom, Part, Term } from "./term.ts";
import { rewrite } from "./visit.ts";

/** `term >= 0`, `term > 0` or `term == 0`. */
export interface Fact {
  readonly term: Term;
  readonly relation: ">=" | ">" | "==";
}

export type Assumptions = readonly Fact[];
export type Verdict = "true" | "false" | "unknown";

export function nonNegative(term: Term): Fact {
  return { term, relation: ">=" };
}

export function positive(term: Term): Fact {
  return { term, relation: ">" };
}

export function equalsZero(term: Term): Fact {
  return { term, relation: "==" };
}

export function atMost(a: Term, b: Term): Fact {
  return nonNegative(subtract(b, a));
}

export function lessThan(a: Term, b: Term): Fact {
  return positive(subtract(b, a));
}

export function sameValue(a: Term, b: Term): Fact {
  return equalsZero(subtract(a, b));
}

/** from <= value < to */
export function within(value: Term, range: Range): Fact[] {
  return [atMost(range.from, value), lessThan(value, range.to)];
}

/** Limits that keep a question fast. Beyond them the answer is "unknown". */
const limits = {
  /** Cells of rows touched for one question, with those of its cases and its divisors. */
  cells: 60_000,
  /** Products of inequalities that are added to a system. */
  products: 64,
  /** Factors of a monomial in a product. */
  degree: 4,
  /** What a case costs beyond its elimination, in cells. */
  perCase: 2_000,
  /** Nested case distinctions on min and max. */
  cases: 4,
};

/**
 * How many new monomials a product may bring in, and how often products of products are taken. The
 * prover tries small efforts first.
 */
interface Effort {
  readonly monomials: number;
  readonly rounds: number;
  /** The part of the budget that the elimination may use. */
  readonly share: number;
}

const efforts: readonly Effort[] = [
  { monomials: 0, rounds: 1, share: 1 / 3 },
  { monomials: 1, rounds: 1, share: 1 / 2 },
  { monomials: 1, rounds: 2, share: 1 },
];
const mostEffort = efforts[efforts.length - 1]!;

export function prove(fact: Fact, assumptions: Assumptions): Verdict {
  if (fact.term.parts.length === 0) {
    const { constant } = fact.term;
    const holds =
      fact.relation === ">"
        ? constant > 0
        : fact.relation === ">="
          ? constant >= 0
          : constant === 0;
    if (holds) return "true";
    return refuted(assumptions, budgetOf(1)) ? "true" : "false";
  }
  if (holds(fact, assumptions)) return "true";
  return refuted([fact, ...assumptions], budgetOf(1 / 2)) ? "false" : "unknown";
}

/**
 * Whether the fact is certain. Half the work of `prove`, for callers that do not ask whether the
 * fact is impossible.
 */
export function holds(fact: Fact, assumptions: Assumptions): boolean {
  if (fact.term.parts.length === 0) return prove(fact, assumptions) === "true";
  if (assumptions.some((known) => impliesAtSight(known, fact))) return true;
  const budget = budgetOf(1);
  return negationsOf(fact).every((negation) => refuted([negation, ...assumptions], budget));
}

/**
 * Whether one fact implies another at sight: `n - 1 >= 0` implies `n > 0` and `n + 3 >= 0`. This
 * answers many questions without a system.
 */
function impliesAtSight(known: Fact, fact: Fact): boolean {
  const [own, other] = [known.term.parts, fact.term.parts];
  const hasEqualPart = (part: Part, k: number): boolean =>
    part.key === other[k]!.key && part.coefficient === other[k]!.coefficient;
  if (own.length !== other.length || !own.every(hasEqualPart)) return false;
  const beyond = fact.term.constant - known.term.constant;
  if (fact.relation === "==") return known.relation === "==" && beyond === 0;
  return beyond + (known.relation === ">" ? 1 : 0) >= (fact.relation === ">" ? 1 : 0);
}

/** Whether a value certainly lies in a range. */
export function holdsWithin(value: Term, range: Range, assumptions: Assumptions): boolean {
  return within(value, range).every((fact) => holds(fact, assumptions));
}

/**
 * Whether no assignment satisfies the assumptions. `false` means that none of the methods here
 * shows it.
 */
export function contradictory(assumptions: Assumptions): boolean {
  return refuted(assumptions, budgetOf(1));
}

/** The assumptions in the form that `show` takes. */
export function knownUnder(assumptions: Assumptions): Knowledge {
  return {
    nonNegative: (term) => holds(nonNegative(term), assumptions),
    divisible: (value, by) => holds(equalsZero(mod(value, by)), assumptions),
  };
}

/** The cases in which a fact does not hold. */
function negationsOf(fact: Fact): Fact[] {
  switch (fact.relation) {
    case ">=":
      return [positive(negate(fact.term))];
    case ">":
      return [nonNegative(negate(fact.term))];
    case "==":
      return [positive(fact.term), positive(negate(fact.term))];
    default:
      return fact.relation satisfies never;
  }
}

function budgetOf(portion: number): Budget {
  return { cells: limits.cells * portion };
}

function refuted(facts: readonly Fact[], budget: Budget): boolean {
  return connected(facts).some(
    (part) => attempt(() => refutable(part, budget, limits.cases)) ?? false,
  );
}

// ── from facts to a linear system ───────────────────────────────────────────────────────────

interface Facts {
  readonly inequalities: Term[];
  readonly equalities: Term[];
  /** The keys of the products that have been added. */
  readonly products: Set<string>;
}

interface Floor {
  readonly atom: Atom;
  readonly dividend: Term;
  readonly divisor: Term;
}

interface Extremum {
  readonly atom: Atom & { kind: "min" | "max" };
  readonly value: Term;
}

function refutable(facts: readonly Fact[], budget: Budget, cases: number): boolean {
  const known: Facts = { inequalities: [], equalities: [], products: new Set() };
  for (const { term, relation } of facts) {
    if (relation === "==") known.equalities.push(term);
    else known.inequalities.push(relation === ">" ? plus(term, -1) : term);
  }
  const extrema: Extremum[] = [];
  const floors = defineAtoms(known, extrema, budget);
  multiplyByDivisors(known, floors);
  for (const effort of efforts) {
    const added = addProducts(known, effort, budget);
    if (added === 0 && effort !== efforts[0]) continue;
    const { system } = linearise(known, budget);
    if (
      boundsOfUnknowns(system) === undefined ||
      withShare(budget, effort.share, (part) => infeasible(system, part))
    )
      return true;
  }
  const split = cases > 0 ? extrema[0] : undefined;
  if (!split) return false;
  return split.atom.members.every((member) => {
    if (!spend(budget, limits.perCase)) return false;
    const chosen = facts.map((fact) => ({
      ...fact,
      term: replaceAtom(fact.term, split.atom, member),
    }));
    const least = split.atom.members.map((other) =>
      nonNegative(split.atom.kind === "min" ? subtract(other, member) : subtract(member, other)),
    );
    return refutable(
      [...chosen, ...least.filter((fact) => fact.term.parts.length > 0)],
      budget,
      cases - 1,
    );
  });
}

function replaceAtom(term: Term, atom: Atom, by: Term): Term {
  return rewrite(term, (other) => (other.key === atom.key ? by : undefined));
}

/**
 * Adds the inequalities that define the atoms. The result is the floors whose symbolic divisor is
 * known to be positive.
 */
function defineAtoms(known: Facts, extrema: Extremum[], budget: Budget): Floor[] {
  const seen = new Set<string>();
  const symbolic: Floor[] = [];
  const { inequalities, equalities } = known;
  let nextInequality = 0;
  let nextEquality = 0;
  const waiting: Floor[] = [];
  for (;;) {
    const fresh: Term[] = [];
    while (nextInequality < inequalities.length) fresh.push(inequalities[nextInequality++]!);
    while (nextEquality < equalities.length) fresh.push(equalities[nextEquality++]!);
    for (const term of fresh) {
      for (const part of term.parts) {
        for (const atom of part.factors) {
          if (atom.kind === "variable" || seen.has(atom.key)) continue;
          seen.add(atom.key);
          const value = ofAtom(atom);
          if (atom.kind === "floor") {
            const floor: Floor = { atom, dividend: atom.dividend, divisor: atom.divisor };
            if (atom.divisor.parts.length === 0) addQuotient(known, floor);
            else waiting.push(floor);
          } else {
            extrema.push({ atom, value });
            for (const member of atom.members) {
              inequalities.push(
                atom.kind === "min" ? subtract(member, value) : subtract(value, member),
              );
            }
          }
        }
      }
    }
    if (nextInequality < inequalities.length) continue;
    const floor = waiting.shift();
    if (!floor) return symbolic;
    if (!certainlyPositive(floor.divisor, known, budget)) continue;
    addQuotient(known, floor);
    symbolic.push(floor);
  }
}

function addQuotient(known: Facts, { atom, dividend, divisor }: Floor): void {
  const rest = subtract(dividend, multiply(divisor, ofAtom(atom)));
  known.inequalities.push(rest, plus(subtract(divisor, rest), -1));
}

/** Whether d ≥ 1 follows from the known facts: first by bounds, then by elimination. */
function certainlyPositive(divisor: Term, known: Facts, budget: Budget): boolean {
  const negated: Facts = {
    inequalities: [negate(divisor), ...known.inequalities],
    equalities: [...known.equalities],
    products: new Set(),
  };
  if (boundsOfUnknowns(linearise(negated, budget).system) === undefined) return true;
  addProducts(negated, mostEffort, budget);
  return withShare(budget, 1 / 8, (part) => infeasible(linearise(negated, part).system, part));
}

/** Does some work with a part of the budget. */
function withShare(budget: Budget, portion: number, work: (part: Budget) => boolean): boolean {
  const part: Budget = { cells: budget.cells * portion };
  const before = part.cells;
  const result = work(part);
  spend(budget, before - part.cells);
  return result;
}

/** t ≥ 0 and d ≥ 1 give t·d ≥ 0: this relates a bound on ⌊e/d⌋ to d·⌊e/d⌋ ≤ e. */
function multiplyByDivisors(known: Facts, floors: readonly Floor[]): void {
  if (floors.length === 0) return;
  const given = [...known.inequalities];
  for (const floor of floors) {
    for (const term of given) {
      const linear = term.parts.some(
        (part) => part.factors.length === 1 && part.factors[0]!.key === floor.atom.key,
      );
      if (linear) known.inequalities.push(multiply(term, floor.divisor));
    }
  }
}

/** Adds products of known facts. The result is how many were added. */
function addProducts(known: Facts, effort: Effort, budget: Budget): number {
  let products = 0;
  for (let round = 0; round < effort.rounds; round++) {
    const monomials = nonlinearParts(known);
    if (monomials.length === 0 || !spend(budget, monomials.length * known.inequalities.length * 8))
      return products;
    const present = new Set(monomials.map((monomial) => monomial.key));
    const { system, columns } = linearise(known, budget);
    const bounds = boundsOfUnknowns(system);
    if (!bounds) return products;
    const lowest = (atom: Atom): number =>
      bounds.low[columns.get(`*${atom.key}`) ?? 0] ?? -Infinity;
    const inequalities = [...known.inequalities];
    const equalities = [...known.equalities];
    const offer = (into: Term[], term: Term, factors: readonly Atom[], key: string): void => {
      const label = `${key}|${factors.map((atom) => atom.key).join("*")}`;
      if (known.products.size >= limits.products || known.products.has(label)) return;
      const product = multiply(term, ofFactors(factors));
      const fresh = product.parts.filter(
        (part) => part.factors.length > 1 && !present.has(part.key),
      );
      if (
        fresh.length > effort.monomials ||
        fresh.some((part) => part.factors.length > limits.degree)
      )
        return;
      products++;
      known.products.add(label);
      spend(budget, product.parts.length * 16);
      into.push(product);
    };
    for (const monomial of monomials) {
      const signs = monomial.factors.map(lowest);
      if (signs.every((low) => low >= 0) && !known.products.has(monomial.key)) {
        known.products.add(monomial.key);
        known.inequalities.push(ofFactors(monomial.factors));
      }
      monomial.factors.forEach((atom, k) => {
        const others = monomial.factors.filter((_, at) => at !== k);
        if (
          signs[k]! > 0 &&
          Number.isFinite(signs[k]!) &&
          others.every((_, at) => signs[at < k ? at : at + 1]! >= 0)
        ) {
          offer(
            known.inequalities,
            plus(ofAtom(atom), -signs[k]!),
            others,
            `${atom.key}>=${signs[k]}`,
          );
        }
      });
      for (const [sources, target, signed] of [
        [equalities, known.equalities, false],
        [inequalities, known.inequalities, true],
      ] as const) {
        for (const term of sources) {
          for (const part of term.parts) {
            if (part.factors.length >= monomial.factors.length) continue;
            const others = withoutFactors(monomial, part);
            if (!others || (signed && others.some((atom) => lowest(atom) < 0))) continue;
            offer(target, term, others, keyOf(term));
          }
        }
      }
    }
  }
  return products;
}

function nonlinearParts(known: Facts): Part[] {
  const found = new Map<string, Part>();
  for (const terms of [known.inequalities, known.equalities]) {
    for (const term of terms)
      for (const part of term.parts) if (part.factors.length > 1) found.set(part.key, part);
  }
  return [...found.values()];
}

/** The linear system over the monomials, and the column of each monomial. */
function linearise(known: Facts, budget: Budget): { system: System; columns: Map<string, number> } {
  const columns = new Map<string, number>();
  for (const terms of [known.inequalities, known.equalities]) {
    for (const term of terms) {
      for (const part of term.parts)
        if (!columns.has(part.key)) columns.set(part.key, columns.size + 1);
    }
  }
  const width = columns.size + 1;
  spend(budget, (known.inequalities.length + known.equalities.length) * width * 2);
  const rowOf = (term: Term): Row => {
    const row = new Array<number>(width).fill(0);
    row[0] = term.constant;
    for (const part of term.parts) row[columns.get(part.key)!] = part.coefficient;
    return row;
  };
  const system: System = {
    unknowns: columns.size,
    inequalities: known.inequalities.map(rowOf),
    equalities: known.equalities.map(rowOf),
  };
  return { system, columns };
}

// Contributions that never meet in one cell are chosen from, and not added up: where one counts the
// others are 0.
//
//   (if 9 == t { 1 } else { 0 }) + (if t + 1 in 1..10 { d_y[t + 1] / b } else { 0 })   is
//   if t + 1 in 1..10 { d_y[t + 1] / b } else { 1 },
//
// for t in 0..10. Of a recurrence's adjoint the last step and the others are such contributions.
// Only conditions on coordinates are looked at: what data decides is tested where it was written.

import { contradictory, holds, type Fact } from "../../affine/prove.ts";
import { workAtPoint } from "../../cost/tally.ts";
import { factsOf, isExact, isImplied, loopFacts, type Opaque } from "../../analyse/facts.ts";
import { keyOf } from "../../ir/keys.ts";
import { negation } from "../../analyse/opposite.ts";
import { isAnywhere } from "../../ir/parts.ts";
import type { Definition, Loop, Scalar } from "../../ir/program.ts";
import type { Algebra } from "../../scalar/derivative.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import type { Span } from "../../base/source.ts";
import { conditionsInCommon, sumOfCounting, type Counting } from "./choices.ts";
import { tangentType } from "../legality/handed-on.ts";
import { algebraOf } from "../scalar/products.ts";
import type { Sweep } from "../sweep/sweep.ts";

/** How many conditions are compared with one another. */
const several = 16;

/** The sum of what arrives in the cells of a definition, at some loops over them. */
export function sumInCells(
  sweep: Sweep,
  definition: Definition,
  written: readonly Counting[],
  loops: readonly Loop[],
): Scalar {
  const { opaque, known } = sweep;
  const { span } = definition;
  const type = tangentType(definition);
  const site: Site = {
    loops,
    opaque,
    facts: [...known, ...loopFacts(opaque, loops, known)],
    algebra: algebraOf(type, span),
    span,
  };
  const parts = saidAlike(site, written);
  return sumOfCounting(chosen(site, parts), site.algebra, span);
}

interface Site {
  readonly loops: readonly Loop[];
  readonly opaque: Opaque;
  /** What holds in every cell. */
  readonly facts: readonly Fact[];
  readonly algebra: Algebra<Scalar>;
  readonly span: Span;
}

/**
 * The same contributions, without conditions that hold in all cells, and with those that hold in
 * the same cells said in the same way: for i in 0..n, `i + 1 in 0..n` is `i < n - 1`.
 */
function saidAlike(
  { loops, opaque, facts }: Site,
  parts: readonly Counting[],
): readonly Counting[] {
  const said: Scalar[] = [];
  const implies = (a: Scalar, b: Scalar): boolean => {
    const there = [...facts, ...factsOf(opaque, a, true, facts)];
    return factsOf(opaque, b, true, there).every((fact) => holds(fact, there));
  };
  const alike = (condition: Scalar): Scalar => {
    if (!isOfCoordinates(condition, loops) || !isExact(opaque, condition, true, facts))
      return condition;
    const found = said.find(
      (each) =>
        keyOf(each) === keyOf(condition) || (implies(each, condition) && implies(condition, each)),
    );
    if (!found && said.length < several) said.push(condition);
    return found ?? condition;
  };
  const isSaid = (condition: Scalar): boolean => isImplied(opaque, condition, facts);
  return parts.map((part) => ({
    ...part,
    conditions: part.conditions.filter((each) => !isSaid(each)).map(alike),
  }));
}

/** What counts under the same conditions on coordinates. */
interface Group {
  readonly conditions: readonly Scalar[];
  readonly parts: readonly Counting[];
}

/** The same contributions, with those that never meet as one that is always there. */
function chosen(site: Site, parts: readonly Counting[]): readonly Counting[] {
  const groups = groupsOf(site, parts);
  if (groups.length > several) return parts;
  for (const [k, first] of groups.entries()) {
    const apart = groups
      .slice(k + 1)
      .reduce(
        (some, other) =>
          some.every((each) => isApart(site, each, other)) ? [...some, other] : some,
        [first],
      );
    if (apart.length === 1) continue;
    const choice: Counting = { conditions: [], value: choiceOf(site, apart) };
    const joined = new Set(apart.flatMap((group) => group.parts));
    return chosen(
      site,
      parts.flatMap((part) =>
        part === first.parts[0] ? [choice] : joined.has(part) ? [] : [part],
      ),
    );
  }
  return parts;
}

/**
 * Contributions by the first of their conditions, each group with all that its members have in
 * common.
 */
function groupsOf({ loops }: Site, parts: readonly Counting[]): readonly Group[] {
  const groups = new Map<string, Counting[]>();
  for (const part of parts) {
    const [condition] = part.conditions;
    if (!condition || !isOfCoordinates(condition, loops)) continue;
    const key = keyOf(condition);
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()].map((alike) => {
    const common = alike[0]!.conditions.slice(0, conditionsInCommon(alike));
    const ofData = common.findIndex((condition) => !isOfCoordinates(condition, loops));
    return { conditions: ofData < 0 ? common : common.slice(0, ofData), parts: alike };
  });
}

/** Whether a condition says which cells of some loops it holds for, and nothing about data. */
function isOfCoordinates(condition: Scalar, loops: readonly Loop[]): boolean {
  const isOther = ({ kind }: Scalar): boolean => !["apply", "integer", "constant"].includes(kind);
  return !isAnywhere(condition, isOther) && usesAny(condition, loops);
}

/** Whether no cell gets something of both. */
function isApart({ opaque, facts, span }: Site, a: Group, b: Group): boolean {
  const factsWith = (...groups: Group[]): readonly Fact[] => [
    ...facts,
    ...groups.flatMap(({ conditions }) =>
      conditions.flatMap((condition) => factsOf(opaque, condition, true, facts)),
    ),
  ];
  // That two positions differ is no fact of the solver: it contradicts facts that say they are the
  // same.
  const isDenied = (group: Group, other: Group): boolean =>
    group.conditions
      .flatMap(conjuncts)
      .some((each) => isImplied(opaque, negation(each, span), factsWith(other)));
  return contradictory(factsWith(a, b)) || isDenied(a, b) || isDenied(b, a);
}

/** A value where its conditions hold. */
type Branch = Pick<Group, "conditions"> & { readonly value: Scalar };

function choiceOf(site: Site, apart: readonly Group[]): Scalar {
  const { opaque, facts, algebra, span } = site;
  const branches = apart.map(({ conditions, parts }): Branch => {
    const there = [
      ...facts,
      ...conditions.flatMap((condition) => factsOf(opaque, condition, true, facts)),
    ];
    const inside = parts.map((part) => ({
      ...part,
      conditions: part.conditions.slice(conditions.length),
    }));
    return {
      conditions,
      value: sumOfCounting(chosen({ ...site, facts: there }, inside), algebra, span),
    };
  });
  const ordered = [...branches].sort((a, b) => rankOf(a) - rankOf(b));
  const where = ({ conditions: [first, ...others], value }: Branch, otherwise: Scalar): Scalar =>
    first
      ? algebra.select(
          others.reduce((a, b) => algebra.apply("and", a, b), first),
          value,
          otherwise,
        )
      : value;
  const before = ordered.slice(0, -1);
  const last = ordered.at(-1)!;
  const isTested = (condition: Scalar): boolean => !isLeftBy(site, before, condition, facts);
  const end = where({ ...last, conditions: last.conditions.filter(isTested) }, algebra.number(0));
  return before.reduceRight((otherwise, branch) => where(branch, otherwise), end);
}

/**
 * What counts in few cells is tested first, unless it takes no work: what is tested last is
 * computed in all of them.
 */
function rankOf({ conditions, value }: Branch): number {
  const isEquation = (part: Scalar): boolean => part.kind === "apply" && part.operation === "equal";
  if (!conditions.flatMap(conjuncts).some(isEquation)) return 1;
  return workAtPoint([value]) === 0 ? 2 : 0;
}

/** Whether a condition holds wherever none of some branches is taken. */
function isLeftBy(
  site: Site,
  [first, ...others]: readonly Branch[],
  one: Scalar,
  facts: readonly Fact[],
): boolean {
  const { opaque } = site;
  if (contradictory(facts)) return true;
  if (!first)
    return (
      isImplied(opaque, one, facts) ||
      contradictory([...facts, ...factsOf(opaque, one, false, facts)])
    );
  // It is not taken where one of its conditions fails.
  return first.conditions
    .flatMap(conjuncts)
    .every((part) =>
      isLeftBy(site, others, one, [...facts, ...factsOf(opaque, part, false, facts)]),
    );
}

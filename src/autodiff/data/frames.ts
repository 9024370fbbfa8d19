// What the calls of a function keep for its pullback. Beside f stands the function that also tells
// what its calls inside have given:
//
//   kept(x…) = (f(x…)…, frame)
//   frame = [what each call inside has given, and the frame of that call]
//
// A frame has what cannot be had again at a constant cost, and powers, which cost as much as all
// the rest. A function that ends with a call of itself runs as a loop: there, each round's frame
// has the round's arguments, whether it is the first one, and the frame of the round before, and
// the last one is given back.

import { holding, type Outcome } from "../../analyse/opposite.ts";
import { callsSomething, partsOf, isAnywhere } from "../../ir/parts.ts";
import type { Invocation, Local, Parameter, Scalar, ScalarFunction } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { isFloat, type ElementType } from "../../scalar/types.ts";
import {
  newParameter,
  scalarOfParameter,
  zeroScalar,
  applied,
  dataCall,
} from "../../ir/simple-scalars.ts";
import { lookedAt, sharedBranch, sharedCall } from "../../lower/functions/tail-calls.ts";
import { type Span } from "../../base/source.ts";
import { keyOf } from "../../ir/keys.ts";
import { changer } from "./changer.ts";
import { isStandIn, tangentType } from "../legality/handed-on.ts";
import { inTurn } from "./in-turn.ts";
import { withSharedInEach } from "../rewrites/share.ts";

export { newParameter, scalarOfParameter as valueOf, zeroScalar };

/** How a function ends, branch by branch: with its results, or with a call of itself. */
export type Ends =
  | {
      readonly kind: "branch";
      readonly condition: Scalar;
      readonly then: Ends;
      readonly otherwise: Ends;
    }
  | { readonly kind: "value"; readonly results: readonly Scalar[] }
  | { readonly kind: "again"; readonly invocation: Invocation };

/** A function whose calls are kept. */
export interface Plan {
  readonly of: ScalarFunction;
  readonly ends: Ends;
  /** Whether it ends with a call of itself. */
  readonly loops: boolean;
  /**
   * Where the frame has what the calls inside have given, and powers; behind what a call has given
   * stands the call's own frame, if it has one.
   */
  readonly slots: ReadonlyMap<Node, number>;
  /** Whether a scalar moves with what the function is taken back for. */
  readonly isMoving: (scalar: Scalar) => boolean;
  readonly kept: ScalarFunction;
}

/** Plans of functions that call one another, and what moves in them. */
export interface Plans extends Pick<Plan, "isMoving"> {
  readonly made: Map<ScalarFunction, Plan>;
}

/** `isMoving` leaves out what would be taken back for nothing. */
export function newPlans(isMoving: Plan["isMoving"] = () => true): Plans {
  return { made: new Map(), isMoving };
}

/** Floats move, and data that may hold some. */
export function moves(type: ElementType): boolean {
  return isFloat(type) || type === "data";
}

/**
 * The type of the cotangent of a result, where it has one: an integer that a rule moves has that of
 * the rule.
 */
export function cotangentType(
  { results, rule }: ScalarFunction,
  member: number,
): ElementType | undefined {
  const { type } = (rule ?? { results }).results[member]!;
  return moves(type) ? type : undefined;
}

/**
 * Whether a derivative can pass through a function: it has something that moves to give, and
 * something to move it.
 */
export function isFollowed(called: ScalarFunction): boolean {
  if (!called.results.some((_, member) => cotangentType(called, member))) return false;
  return (
    called.parameters.some(({ type }) => moves(type)) ||
    [...readsOfFunction(called)].some(
      (each) => each.element === "data" || isFloat(tangentType(each)),
    )
  );
}

/** Whether a call inside a function is taken back with it. */
export function isTakenBack({ isMoving }: Plan, invocation: Invocation): boolean {
  const { function: called } = invocation;
  return (
    isFollowed(called) &&
    isMoving({ kind: "call", type: called.results[0]!.type, invocation, member: 0 })
  );
}

export const nothing: Scalar = { kind: "constant", type: "data", value: [] };
const [yes, no] = [true, false].map((value): Scalar => ({
  kind: "constant",
  type: "bool",
  value,
})) as [Scalar, Scalar];

/** A scalar under a name, so that it is computed once. */
export function named(name: string, value: Scalar): Scalar {
  if (
    value.kind === "constant" ||
    value.kind === "integer" ||
    value.kind === "parameter" ||
    value.kind === "local"
  )
    return value;
  return { kind: "local", type: value.type, local: { name, value } };
}

export function boxOf(operands: readonly Scalar[]): Scalar {
  if (operands.length === 0) return nothing;
  return dataCall("box", operands, "data");
}

export function partAt(data: Scalar, member: number, type: ElementType): Scalar {
  return dataCall("part", [data], type, member);
}

/** What a call of the function that keeps is given: a loop begins with no rounds before it. */
export function keptCall({ loops, kept }: Plan, given: readonly Scalar[], span: Span): Invocation {
  return { function: kept, arguments: loops ? [...given, yes, nothing] : given, span };
}

export function planOf(called: ScalarFunction, plans: Plans): Plan {
  const of = inTurn(called);
  const known = plans.made.get(of);
  if (known) return known;
  const lookups = lookedAt(of.results);
  const ends = of.rule ? endOfRule(of) : endsOf(of, of.results, lookups);
  const loops = endsAgain(ends);
  const slots = new Map<Node, number>();
  let next = loops ? of.parameters.length + 2 : 0;
  const place = (node: Node): void => {
    slots.set(node, next);
    next += "function" in node ? node.function.results.length + 1 : 1;
  };
  if (!of.rule) keptIn(ends).forEach(place);
  const own = loops ? [newParameter("isFirst", "bool"), newParameter("before", "data")] : [];
  const kept: ScalarFunction = {
    name: of.name,
    parameters: [...of.parameters, ...own],
    results: [],
    needs: of.needs,
    ...(of.rounds ? { rounds: of.rounds } : {}),
    span: of.span,
  };
  const plan: Plan = { of, ends, loops, slots, isMoving: plans.isMoving, kept };
  // Remembered before its results are made, because they may call it.
  plans.made.set(of, plan);
  kept.results = keptResults(plan, plans, own);
  return plan;
}

/** A function with a rule of its own is called as it is: what is inside does not count. */
function endOfRule(of: ScalarFunction): Ends {
  const invocation: Invocation = {
    function: of,
    arguments: of.parameters.map(scalarOfParameter),
    span: of.span,
  };
  return {
    kind: "value",
    results: of.results.map(({ type }, member) => ({ kind: "call", type, invocation, member })),
  };
}

function endsOf(
  of: ScalarFunction,
  results: readonly Scalar[],
  lookups: ReadonlySet<Invocation>,
): Ends {
  const branch = sharedBranch(results);
  if (branch)
    return {
      kind: "branch",
      condition: branch.condition,
      then: endsOf(of, branch.then, lookups),
      otherwise: endsOf(of, branch.otherwise, lookups),
    };
  const last = sharedCall(results);
  if (last?.function !== of || lookups.has(last))
    return { kind: "value", results: withNames(results) };
  return { kind: "again", invocation: { ...last, arguments: withNames(last.arguments) } };
}

/**
 * What stands twice has a name, so that all that comes back to it is added up before it goes
 * further, and so have powers, which are kept. Calls are names already.
 */
function withNames(scalars: readonly Scalar[]): readonly Scalar[] {
  if (scalars.some(callsSomething)) return scalars;
  const shared = withSharedInEach(scalars);
  const withPowers = changer(
    (call) => call,
    (scalar) => (isPower(scalar) ? named("power", scalar) : scalar),
  );
  return shared.some(hasPowers) ? shared.map(withPowers) : shared;
}

/** A power of floats whose exponent is no number. */
function isPower(scalar: Scalar): boolean {
  return (
    scalar.kind === "apply" &&
    scalar.operation === "power" &&
    isFloat(scalar.type) &&
    scalar.operands[1]!.kind !== "constant"
  );
}

function hasPowers(scalar: Scalar): boolean {
  return isAnywhere(scalar, (part) => isPower(part));
}

function endsAgain(ends: Ends): boolean {
  return ends.kind === "branch"
    ? endsAgain(ends.then) || endsAgain(ends.otherwise)
    : ends.kind === "again";
}

/** Every call whose value is looked at, and every name of a power. */
function keptIn(ends: Ends): ReadonlySet<Node> {
  const found = new Set<Node>();
  const visit = (at: Ends): void => {
    const here = at.kind === "branch" ? [at.condition] : rootsOf(at);
    for (const node of reached(here).order)
      if ("function" in node || isPower(node.value)) found.add(node);
    if (at.kind !== "branch") return;
    visit(at.then);
    visit(at.otherwise);
  };
  visit(ends);
  return found;
}

/** What is computed at an end. */
export function rootsOf(end: Exclude<Ends, { kind: "branch" }>): readonly Scalar[] {
  return end.kind === "value" ? end.results : end.invocation.arguments;
}

// ── what is computed where ──────────────────────────────────────────────────────────────────────

type Node = Local | Invocation;

interface Reached {
  /** Names and calls, each before what it uses. */
  readonly order: readonly Node[];
  /** Under which outcomes each is computed at all. */
  readonly under: ReadonlyMap<Node, readonly Outcome[]>;
}

/** The names and calls that some scalars need. */
export function reached(roots: readonly Scalar[]): Reached {
  const order = usersFirst(roots);
  const found = new Map<Node, (readonly Outcome[])[]>();
  const walk = (scalar: Scalar, at: readonly Outcome[]): void => {
    switch (scalar.kind) {
      case "local":
        note(scalar.local, at);
        return;
      case "call":
        note(scalar.invocation, at);
        return;
      case "select":
        walk(scalar.condition, at);
        walk(scalar.then, [...at, { value: scalar.condition, holds: true }]);
        walk(scalar.otherwise, [...at, { value: scalar.condition, holds: false }]);
        return;
      case "apply":
        if (scalar.operation === "and" || scalar.operation === "or") {
          const [first, second] = scalar.operands;
          walk(first!, at);
          walk(second!, [...at, { value: first!, holds: scalar.operation === "and" }]);
          return;
        }
        for (const operand of scalar.operands) walk(operand, at);
        return;
      default:
        for (const part of partsOf(scalar)) walk(part, at);
    }
  };
  const note = (node: Node, at: readonly Outcome[]): void =>
    void found.set(node, [...(found.get(node) ?? []), at]);
  for (const root of roots) walk(root, []);
  const under = new Map<Node, readonly Outcome[]>();
  for (const node of order) {
    const at = eitherOf(found.get(node) ?? []);
    under.set(node, at);
    for (const part of "value" in node ? [node.value] : node.arguments) walk(part, at);
  }
  return { order, under };
}

function usersFirst(roots: readonly Scalar[]): readonly Node[] {
  const seen = new Set<Node>();
  const after: Node[] = [];
  const visit = (scalar: Scalar): void => {
    const node =
      scalar.kind === "local"
        ? scalar.local
        : scalar.kind === "call"
          ? scalar.invocation
          : undefined;
    if (node && seen.has(node)) return;
    if (node) seen.add(node);
    for (const part of partsOf(scalar)) visit(part);
    if (node) after.push(node);
  };
  roots.forEach(visit);
  return after.reverse();
}

/** The outcomes under which one of several lists of outcomes comes about. */
export function eitherOf(alternatives: readonly (readonly Outcome[])[]): readonly Outcome[] {
  const distinct = [...new Map(alternatives.map((each) => [outcomesKey(each), each])).values()];
  const [first, ...others] = distinct;
  if (!first || distinct.some((each) => each.length === 0)) return [];
  if (others.length === 0) return first;
  const all = (outcomes: readonly Outcome[]): Scalar =>
    outcomes.map(holding).reduce((a, b) => applied("and", [a, b]));
  return [{ value: distinct.map(all).reduce((a, b) => applied("or", [a, b])), holds: true }];
}

export function outcomesKey(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ value, holds }) => `${holds ? "" : "!"}${keyOf(value)}`).join(" ");
}

/** A value under outcomes, and another one where one of them does not come about. */
export function whereAll(outcomes: readonly Outcome[], value: Scalar, otherwise: Scalar): Scalar {
  return outcomes.reduceRight<Scalar>(
    (inner, { value: condition, holds }) => ({
      kind: "select",
      type: value.type,
      condition,
      then: holds ? inner : otherwise,
      otherwise: holds ? otherwise : inner,
    }),
    value,
  );
}

// ── the function that keeps ─────────────────────────────────────────────────────────────────────

function keptResults(plan: Plan, plans: Plans, own: readonly Parameter[]): readonly Scalar[] {
  const { of, slots, loops, kept } = plan;
  if (of.rule) return [...(plan.ends as Extract<Ends, { kind: "value" }>).results, nothing];
  const invocations = new Map<Invocation, Invocation>();
  const changed = changer((scalar, again) => {
    let invocation = invocations.get(scalar.invocation);
    if (!invocation) {
      const { function: called, arguments: given, span } = scalar.invocation;
      const values = given.map(again);
      invocation = isTakenBack(plan, scalar.invocation)
        ? keptCall(planOf(called, plans), values, span)
        : { ...scalar.invocation, arguments: values };
      invocations.set(scalar.invocation, invocation);
    }
    return { ...scalar, invocation };
  }, whereStill);
  const frames = new Map<string, Scalar>();
  const frameOf = (at: readonly Scalar[]): Scalar => {
    const { under } = reached(at);
    const operands: Scalar[] = loops ? [...of.parameters, ...own].map(scalarOfParameter) : [];
    for (const [node, slot] of slots) {
      const outcomes = under.get(node);
      if (!outcomes) continue;
      while (operands.length < slot) operands.push(zeroScalar("i32"));
      const where = outcomes.map((outcome) => ({ ...outcome, value: changed(outcome.value) }));
      if (!("function" in node)) {
        const { type } = node.value;
        operands.push(
          whereAll(where, changed({ kind: "local", type, local: node }), zeroScalar(type)),
        );
        continue;
      }
      const invocation = node;
      const { results } = invocation.function;
      const whole = changed({ kind: "call", type: results[0]!.type, invocation, member: 0 });
      const { invocation: made } = whole as Extract<Scalar, { kind: "call" }>;
      const given = [
        ...results.map(({ type }) => type),
        ...(isTakenBack(plan, invocation) ? ["data" as const] : []),
      ];
      for (const [member, type] of given.entries())
        operands.push(
          whereAll(where, { kind: "call", type, invocation: made, member }, zeroScalar(type)),
        );
    }
    const key = operands.map(keyOf).join();
    let frame = frames.get(key);
    if (!frame) frames.set(key, (frame = named("frame", boxOf(operands))));
    return frame;
  };
  const build = (ends: Ends, path: readonly Scalar[]): readonly Scalar[] => {
    if (ends.kind === "branch") {
      const condition = changed(ends.condition);
      const [then, otherwise] = [ends.then, ends.otherwise].map((each) =>
        build(each, [...path, ends.condition]),
      );
      return then!.map((value, k): Scalar => ({
        kind: "select",
        type: value.type,
        condition,
        then: value,
        otherwise: otherwise![k]!,
      }));
    }
    const frame = frameOf([...path, ...rootsOf(ends)]);
    if (ends.kind === "value") return [...ends.results.map(changed), frame];
    const given = [...ends.invocation.arguments.map(changed), no, frame];
    const invocation: Invocation = { function: kept, arguments: given, span: ends.invocation.span };
    const types = [...of.results.map(({ type }) => type), "data" as const];
    return types.map((type, member) => ({ kind: "call", type, invocation, member }));
  };
  return build(plan.ends, []);
}

/** The value of a scalar where no tangent in it moves. */
export function whereStill(scalar: Scalar): Scalar {
  return scalar.kind === "read" && isStandIn(scalar.definition) ? zeroScalar(scalar.type) : scalar;
}

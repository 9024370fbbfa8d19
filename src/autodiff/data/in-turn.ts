// Functions that end with calls of one another, as one function that ends with calls of itself:
// what is computed next is a number that it is given, and it has room for the parameters of each of
// them.
//
//   f(x) = … g(a)      g(y) = … f(b)      are
//   turn(0, x) = … turn(1, a)      turn(1, x) = … turn(0, b)
//
// Parameters of one name have one place, so that what all of them hand on stays where it is; others
// take a place of their type that is free.

import { constant } from "../../affine/term.ts";
import type { Invocation, Parameter, Scalar, ScalarFunction } from "../../ir/program.ts";
import { newParameter, scalarOfParameter, zeroScalar } from "../../ir/simple-scalars.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { lookedAt, sharedBranch, sharedCall, tailGroup } from "../../lower/functions/tail-calls.ts";
import { compared } from "../../ir/integers.ts";
import type { Span } from "../../base/source.ts";
import { withParameters } from "./changer.ts";

const turns = new WeakMap<ScalarFunction, ScalarFunction>();

/**
 * The same function, as a call of one that goes on by itself; the function as it is where it does
 * so already.
 */
export function inTurn(of: ScalarFunction): ScalarFunction {
  const known = turns.get(of);
  if (known) return known;
  const group = tailGroup(of);
  if (group.length === 1 || group.some(({ rule }) => rule)) return of;
  const next = newParameter("next", "i32");
  const places = placesFor(group);
  const turn: ScalarFunction = {
    name: of.name,
    parameters: [next, ...places],
    results: [],
    needs: new Set(group.flatMap(({ needs }) => [...needs])),
    span: of.span,
  };
  const turnTo = (
    member: ScalarFunction,
    given: readonly Scalar[],
    span: Span,
  ): readonly Scalar[] => {
    const at = placesOf(member, places);
    const values = places.map((place) => given[at.indexOf(place)] ?? zeroScalar(place.type));
    const turning = [integerScalar(constant(group.indexOf(member))), ...values];
    const invocation: Invocation = { function: turn, arguments: turning, span };
    return member.results.map(({ type }, k) => ({ kind: "call", type, invocation, member: k }));
  };
  const inPlaces = (member: ScalarFunction): readonly Scalar[] => {
    const at = placesOf(member, places);
    const by = new Map(
      member.parameters.map(({ variable }, k) => [variable, scalarOfParameter(at[k]!)]),
    );
    const called = (last: Invocation): readonly Scalar[] =>
      turnTo(last.function, last.arguments, last.span);
    return withParameters(ended(member.results, lookedAt(member.results), group, called), by);
  };
  turn.results = group
    .map((member, k) => ({ k, results: inPlaces(member) }))
    .reduceRight<readonly Scalar[]>(
      (others, { k, results }) =>
        others.length === 0
          ? results
          : results.map((then, member): Scalar => ({
              kind: "select",
              type: then.type,
              condition: isNext(next, k, of.span),
              then,
              otherwise: others[member]!,
            })),
      [],
    );
  for (const each of group) {
    const results = turnTo(each, each.parameters.map(scalarOfParameter), each.span);
    turns.set(each, { ...each, results });
  }
  return turns.get(of)!;
}

function isNext(next: Parameter, k: number, span: Span): Scalar {
  return compared("equal", scalarOfParameter(next), integerScalar(constant(k)), span);
}

/** As many places as the parameters of each function need. */
function placesFor(group: readonly ScalarFunction[]): readonly Parameter[] {
  return group.reduce<readonly Parameter[]>((places, member) => {
    const at = placesOf(member, places);
    const others = member.parameters.filter((_, k) => !at[k]);
    return [...places, ...others.map(({ name, type }) => newParameter(name, type))];
  }, []);
}

/** Where each parameter of a function stands: in a place of its name, if there is one. */
function placesOf(
  { parameters }: ScalarFunction,
  places: readonly Parameter[],
): readonly (Parameter | undefined)[] {
  const taken = new Map<Parameter, Parameter>();
  const take = (isFor: (place: Parameter, each: Parameter) => boolean): void => {
    for (const each of parameters.filter((parameter) => !taken.has(parameter))) {
      const free = places.find(
        (place) => ![...taken.values()].includes(place) && isFor(place, each),
      );
      if (free) taken.set(each, free);
    }
  };
  take(({ name, type }, each) => name === each.name && type === each.type);
  take(({ type }, each) => type === each.type);
  return parameters.map((each) => taken.get(each));
}

/** Results with other calls at their ends. */
function ended(
  results: readonly Scalar[],
  lookups: ReadonlySet<Invocation>,
  group: readonly ScalarFunction[],
  called: (invocation: Invocation) => readonly Scalar[],
): readonly Scalar[] {
  const branch = sharedBranch(results);
  if (branch) {
    const [then, otherwise] = [branch.then, branch.otherwise].map((side) =>
      ended(side, lookups, group, called),
    );
    const { condition } = branch;
    return then!.map((value, k): Scalar => ({
      kind: "select",
      type: value.type,
      condition,
      then: value,
      otherwise: otherwise![k]!,
    }));
  }
  const last = sharedCall(results);
  return last && group.includes(last.function) && !lookups.has(last) ? called(last) : results;
}

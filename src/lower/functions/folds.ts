// Functions that lowering makes within a function: a loop that carries values along, and a body at
// indices that only the run knows. A loop is a function whose last call is a call of itself, so it
// takes no stack. Captured values are passed as further parameters:
//
//   loop(i, end, a…) = loop(i + 1, end, step(i, a)…)  if i < end,  else  a…

import type { Binder, Item, TensorBinding, ValueBinding } from "../../check/types/typed.ts";
import type { Span } from "../../base/source.ts";
import { ofVariable, plus, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { makeHere, noteCall } from "./calls.ts";
import { guardsOf } from "../conditions.ts";
import { lower } from "../forms.ts";
import { declareItems, isAround, type Site, type WithinSite } from "../site.ts";
import { agreed } from "../terms.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Invocation, Parameter, Scalar, ScalarFunction } from "../../ir/program.ts";
import { newParameter, scalarOfParameter } from "../../ir/simple-scalars.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { ElementType } from "../../scalar/types.ts";
import { compared } from "../../ir/integers.ts";

/**
 * The carried values after all positions of the coordinates at which the guards among the items
 * hold.
 */
export function fold(
  site: Site,
  binders: readonly Binder[],
  items: readonly Item[],
  initial: readonly Scalar[],
  step: (inside: Site, carried: readonly Scalar[]) => readonly Scalar[],
  span: Span,
): readonly Scalar[] {
  const [binder, ...rest] = binders;
  if (!binder) {
    declareItems(site, items);
    const guards = guardsOf(site, items);
    const next = step(site, initial);
    return next.map((value, k) =>
      guards.reduceRight<Scalar>(
        (then, condition) => ({
          kind: "select",
          type: value.type,
          condition,
          then,
          otherwise: initial[k]!,
        }),
        value,
      ),
    );
  }
  const [at, end] = [newParameter(binder.name, "i32"), newParameter("end", "i32")];
  const carried = initial.map(({ type }, k) => newParameter(`carried_${k}`, type));
  const given = [
    lower(site, binder.from!),
    agreed(site, binder.agreements, lower(site, binder.to!)),
    ...initial,
  ];
  return makeWithin(
    site,
    [at, end, ...carried],
    given,
    (inside, again) => {
      const here = new Map(inside.here).set(binder.variable, ofVariable(at.variable));
      const before = carried.map(scalarOfParameter);
      const after = fold({ ...inside, here }, rest, items, before, step, span);
      const next = again([
        integerScalar(plus(ofVariable(at.variable), 1)),
        scalarOfParameter(end),
        ...after,
      ]);
      const condition = compared("less", scalarOfParameter(at), scalarOfParameter(end), span);
      return before.map(({ type }, member): Scalar => ({
        kind: "select",
        type,
        condition,
        then: { kind: "call", type, invocation: next, member },
        otherwise: before[member]!,
      }));
    },
    span,
  );
}

/**
 * The results of a new function that is called here. Its parameters are `own` and what it captures.
 */
export function makeWithin(
  site: Site,
  own: readonly Parameter[],
  given: readonly Scalar[],
  body: (inside: Site, again: (given: readonly Scalar[]) => Invocation) => readonly Scalar[],
  span: Span,
): readonly Scalar[] {
  const scalarFunction: ScalarFunction = {
    name: site.owner,
    parameters: [],
    results: [],
    needs: new Set(),
    span,
  };
  const within: WithinSite = { around: site, parameters: own, own: new Set(), taken: new Map() };
  const passed = [...given];
  const opened = makeHere(site, scalarFunction, (function_) => {
    const inside: Site = {
      ...site,
      conditions: [],
      locals: new Map(),
      needs: scalarFunction.needs,
      function: function_,
      within,
    };
    const calls: Scalar[][] = [];
    const callAgain = (values: readonly Scalar[]): Invocation => {
      const all = [...values];
      calls.push(all);
      return { function: scalarFunction, arguments: all, span };
    };
    scalarFunction.results = body(inside, callAgain);
    const around = freeParameters(scalarFunction.results, parametersAround(site), own);
    const taken = [...within.taken.values()];
    const extra = [...around, ...taken.map(({ parameter }) => parameter)];
    scalarFunction.parameters = [...own, ...extra];
    for (const each of calls) {
      each.push(...extra.map(scalarOfParameter));
      noteCall(site.lowering, function_, function_, each);
    }
    passed.push(...around.map(scalarOfParameter), ...taken.map(({ value }) => value));
  });
  noteCall(site.lowering, site.function, opened, passed);
  const invocation: Invocation = { function: scalarFunction, arguments: passed, span };
  return scalarFunction.results.map(({ type }, member) => ({
    kind: "call",
    type,
    invocation,
    member,
  }));
}

/**
 * The parameters of the functions around a site, and the coordinates of the definition around it.
 */
function parametersAround(site: Site): ReadonlyMap<Variable, Parameter> {
  const { within } = site;
  const own = within?.parameters ?? site.function?.scalarFunction.parameters ?? coordinatesOf(site);
  const further = within ? [...parametersAround(within.around).values()] : [];
  return new Map([...further, ...own].map((parameter) => [parameter.variable, parameter]));
}

function coordinatesOf({ here }: Site): readonly Parameter[] {
  const found = new Set([...here.values()].flatMap((term) => [...variablesOf(term)]));
  return [...found].map((v): Parameter => ({ name: v.name, type: "i32", variable: v }));
}

function freeParameters(
  scalars: readonly Scalar[],
  around: ReadonlyMap<Variable, Parameter>,
  own: readonly Parameter[],
): readonly Parameter[] {
  const found = new Set<Variable>();
  const note = (v: Variable): void => void (around.has(v) && found.add(v));
  for (const scalar of scalars) {
    eachScalar(scalar, (part) => {
      if (part.kind === "parameter") note(part.parameter.variable);
      if (part.kind === "integer") for (const v of variablesOf(part.term)) note(v);
    });
  }
  for (const { variable: v } of own) found.delete(v);
  return [...found].map((v) => around.get(v)!);
}

/**
 * The value of a name from around a function that is made within another: the value is passed as
 * one more parameter. Undefined if the name is not from around.
 */
export function takenAlong(
  site: Site,
  binding: ValueBinding | TensorBinding,
  type: ElementType,
  valueThere: (around: Site) => Scalar,
): Scalar | undefined {
  const { within } = site;
  if (!within || within.own.has(binding) || !isAround(site, binding)) return undefined;
  let taken = within.taken.get(binding);
  if (!taken) {
    taken = { parameter: newParameter(binding.name, type), value: valueThere(within.around) };
    within.taken.set(binding, taken);
  }
  return scalarOfParameter(taken.parameter);
}

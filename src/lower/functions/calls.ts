// Calls of functions that stay functions. Each instance is lowered once, when it is first called,
// to scalars over its parameters. A coordinate or a float that a function captures becomes one more
// parameter. So the arguments of a call are everything that its value depends on, and derivatives
// go through the arguments alone.

import type {
  Effect,
  Instance,
  Invocation as TypedInvocation,
  Typed,
  ValueBinding,
} from "../../check/types/typed.ts";
import { decided, type TensorType } from "../../check/types/types.ts";
import type { Span } from "../../base/source.ts";
import type { Checker } from "../../check/context.ts";
import { ofVariable, variable, type Term, type Variable } from "../../affine/term.ts";
import { capturedBy } from "../../check/ranges/outer-variables.ts";
import { lower } from "../forms.ts";
import { topOf, type FunctionSite, type Lowering, type Site } from "../site.ts";
import { agreed } from "../terms.ts";
import type {
  Definition,
  FunctionEffect,
  Invocation,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";

interface State {
  readonly functions: Map<Instance, FunctionSite>;
  /**
   * Functions that are being lowered, and the calls in them. The arguments of these calls are
   * completed when all the functions are lowered.
   */
  readonly open: FunctionSite[];
  readonly calls: NotedCall[];
  depth: number;
}

interface NotedCall {
  /** Undefined for a call in a definition. */
  readonly within: FunctionSite | undefined;
  readonly called: FunctionSite;
  readonly arguments: Scalar[];
}

const states = new WeakMap<Lowering, State>();
/** Invocations by the locals of the clause in which they occur, so that a call is made once. */
const invocations = new WeakMap<Site["locals"], Map<TypedInvocation, Invocation>>();

export function callAt(site: Site, value: Extract<Typed, { kind: "call" }>): Scalar {
  const invocation = invocationAt(site, value.invocation, value.span);
  return { kind: "call", type: decided(value.type.element), invocation, member: value.member };
}

function invocationAt(site: Site, typed: TypedInvocation, span: Span): Invocation {
  const invocationsHere = invocations.get(site.locals) ?? new Map<TypedInvocation, Invocation>();
  invocations.set(site.locals, invocationsHere);
  let invocation = invocationsHere.get(typed);
  if (!invocation) {
    const called = functionSiteOf(site, typed.function);
    const passed = typed.arguments.map((argument) => lower(site, argument));
    const around = called.coordinates.map((v) => argumentFor(site, v, span));
    const given = [...passed, ...around];
    noteCall(site.lowering, site.function, called, given);
    invocationsHere.set(
      typed,
      (invocation = { function: called.scalarFunction, arguments: given, span }),
    );
  }
  return invocation;
}

/** An effect of a function. Each part takes place under its conditions. */
function effectAt(site: Site, effect: Effect): FunctionEffect {
  let conditions = site.conditions;
  const when = effect.when.map(({ condition, holds }) => {
    const tested = { condition: lower({ ...site, conditions }, condition), holds };
    conditions = [...conditions, { value: condition, holds }];
    return tested;
  });
  const inside: Site = { ...site, conditions };
  switch (effect.kind) {
    case "print":
      return { kind: "print", text: lower(inside, effect.values[0]!), when };
    case "assert": {
      const message = effect.message ? { message: lower(inside, effect.message) } : {};
      return {
        kind: "assert",
        condition: lower(inside, effect.condition),
        ...message,
        when,
        span: effect.span,
      };
    }
    case "call":
      return {
        kind: "call",
        invocation: invocationAt(inside, effect.invocation, effect.span),
        when,
      };
    default:
      return effect satisfies never;
  }
}

/** A captured coordinate, or a captured parameter of the function around a call, as an argument. */
function argumentFor(site: Site, v: Variable, span: Span): Scalar {
  const binding = site.lowering.checker.parameters.get(v);
  if (binding && !binding.term) return parameterOf(binding);
  return lower(site, {
    kind: "integer",
    term: ofVariable(v),
    type: { kind: "tensor", element: { known: "i32" }, axes: [] },
    span,
  });
}

export function parameterOf(binding: ValueBinding): Scalar {
  const parameter = asParameter(binding);
  return { kind: "parameter", type: parameter.type, parameter };
}

function asParameter({ name, type, parameter }: ValueBinding): Parameter {
  return { name, type: decided((type as TensorType).element), variable: parameter! };
}

/** A captured float as a parameter. Undefined for a definition that is no float scalar. */
export function captured(
  { captured: known }: FunctionSite,
  definition: Definition,
): Scalar | undefined {
  if (definition.axes.length > 0 || !isFloat(definition.element)) return undefined;
  let parameter = known.get(definition);
  if (!parameter) {
    parameter = {
      name: definition.name,
      type: definition.element,
      variable: variable(definition.name),
    };
    known.set(definition, parameter);
  }
  return { kind: "parameter", type: parameter.type, parameter };
}

function readOf(definition: Definition): Scalar {
  return { kind: "read", type: definition.element, definition, indices: [], span: definition.span };
}

function stateOf(lowering: Lowering): State {
  let state = states.get(lowering);
  if (!state)
    states.set(lowering, (state = { functions: new Map(), open: [], calls: [], depth: 0 }));
  return state;
}

/** Opens a function that is made at the place of its call, and has `fill` lower it. */
export function makeHere(
  site: Site,
  scalarFunction: ScalarFunction,
  fill: (opened: FunctionSite) => void,
): FunctionSite {
  const state = stateOf(site.lowering);
  const outside = site.function?.outside ?? site;
  const opened: FunctionSite = {
    scalarFunction,
    coordinates: [],
    captured: new Map(),
    own: new Set(),
    outside,
  };
  state.open.push(opened);
  state.depth++;
  fill(opened);
  state.depth--;
  if (state.depth === 0) complete(state);
  return opened;
}

/** Notes a call. Its arguments are completed when all functions that are being lowered are done. */
export function noteCall(
  lowering: Lowering,
  within: FunctionSite | undefined,
  called: FunctionSite,
  given: Scalar[],
): void {
  const state = stateOf(lowering);
  state.calls.push({ within, called, arguments: given });
  if (state.depth === 0) complete(state);
}

/** The function of an instance, lowered when it is first asked for. */
export function functionSiteOf(caller: Site, instance: Instance): FunctionSite {
  const { lowering } = caller;
  const state = stateOf(lowering);
  const known = state.functions.get(instance);
  if (known) return known;
  const coordinates = capturedCoordinates(lowering.checker, instance);
  const parameters = [
    ...instance.parameters.map(asParameter),
    ...coordinates.map((v) => {
      const binding = lowering.checker.parameters.get(v);
      return binding ? asParameter(binding) : { name: v.name, type: "i32" as const, variable: v };
    }),
  ];
  const scalarFunction: ScalarFunction = {
    name: instance.name,
    parameters,
    results: [],
    needs: new Set(),
    span: instance.span,
  };
  const isCoordinate = (v: Variable): boolean => lowering.binders.has(v);
  const coordinateTerms = new Map<Variable, Term>(
    coordinates.filter(isCoordinate).map((v) => [v, ofVariable(v)]),
  );
  const site: FunctionSite = {
    scalarFunction,
    coordinates,
    captured: new Map(),
    own: new Set(),
    outside: { ...topOf(lowering), here: coordinateTerms },
  };
  // Remembered before its results are lowered, because they may call it.
  state.functions.set(instance, site);
  state.open.push(site);
  state.depth++;
  const here = new Map<Variable, Term>(parameters.map(({ variable: v }) => [v, ofVariable(v)]));
  const { name: owner, needs } = scalarFunction;
  const inside: Site = {
    lowering,
    here,
    conditions: [],
    locals: new Map(),
    owner,
    needs,
    function: site,
  };
  scalarFunction.results = instance.body.map((result) =>
    agreed(inside, instance.agreements, lower(inside, result)),
  );
  // Effects share their names and calls with the results: a call that prints is made once, and
  // gives its value too.
  if (instance.effects.length > 0)
    scalarFunction.effects = instance.effects.map((effect) => effectAt(inside, effect));
  if (instance.rule) {
    const { tangents, body, surrogate, span } = instance.rule;
    const moving = tangents.map(asParameter);
    const ruled = new Map([
      ...here,
      ...moving.map(({ variable: v }) => [v, ofVariable(v)] as const),
    ]);
    // Loops in the rule take tangents along like any other parameter.
    const ruleSite: FunctionSite = {
      ...site,
      scalarFunction: { ...scalarFunction, parameters: [...parameters, ...moving] },
    };
    const results = body.map((result) =>
      lower({ ...inside, here: ruled, locals: new Map(), function: ruleSite }, result),
    );
    scalarFunction.rule = { tangents: moving, results, surrogate, span };
  }
  state.depth--;
  if (state.depth === 0) complete(state);
  return site;
}

/** Passes captured floats through all calls: a caller has to capture what its callee captures. */
function complete(state: State): void {
  for (let more = true; more;) {
    more = false;
    for (const { within, called } of state.calls) {
      if (!within) continue;
      const before = within.captured.size;
      for (const definition of called.captured.keys()) captured(within, definition);
      if (within.captured.size > before) more = true;
    }
  }
  for (const { within, called, arguments: given } of state.calls)
    for (const definition of called.captured.keys())
      given.push(within ? captured(within, definition)! : readOf(definition));
  for (const { scalarFunction, captured: extra } of state.open)
    scalarFunction.parameters = [...scalarFunction.parameters, ...extra.values()];
  state.open.length = 0;
  state.calls.length = 0;
}

/** The coordinates and parameters from further out that a function depends on. */
function capturedCoordinates(checker: Checker, instance: Instance): readonly Variable[] {
  return capturedBy(instance, checker.opaqueValue).filter(
    (v) => !checker.extents.has(v) && !checker.scalars.has(v),
  );
}

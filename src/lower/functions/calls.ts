// Calls of functions that stay functions: each instance is lowered once, to scalars over its
// parameters, when it is first called. A coordinate or a float that a function uses from around it
// becomes one more parameter, so that a call says all that its value depends on and derivatives go
// through its arguments alone.

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
   * Functions that are being lowered, and the calls in them, whose arguments are completed when all
   * are there.
   */
  readonly open: FunctionSite[];
  readonly calls: NotedCall[];
  depth: number;
}

interface NotedCall {
  /** Nothing for a call in a definition. */
  readonly within: FunctionSite | undefined;
  readonly called: FunctionSite;
  readonly arguments: Scalar[];
}

const states = new WeakMap<Lowering, State>();
/** Invocations by the locals of the clause that they stand in. */
const invocations = new WeakMap<Site["locals"], Map<TypedInvocation, Invocation>>();

export function callAt(site: Site, value: Extract<Typed, { kind: "call" }>): Scalar {
  const invocation = invocationAt(site, value.invocation, value.span);
  return { kind: "call", type: decided(value.type.element), invocation, member: value.member };
}

function invocationAt(site: Site, typed: TypedInvocation, span: Span): Invocation {
  const here = invocations.get(site.locals) ?? new Map<TypedInvocation, Invocation>();
  invocations.set(site.locals, here);
  let invocation = here.get(typed);
  if (!invocation) {
    const called = functionOf(site, typed.function);
    const passed = typed.arguments.map((argument) => lower(site, argument));
    const around = called.coordinates.map((v) => valueOf(site, v, span));
    const given = [...passed, ...around];
    noteCall(site.lowering, site.function, called, given);
    here.set(typed, (invocation = { function: called.made, arguments: given, span }));
  }
  return invocation;
}

/** What a function does, as its results are: each part where its conditions hold. */
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

/** A coordinate, or a parameter of a function around it, as an argument. */
function valueOf(site: Site, v: Variable, span: Span): Scalar {
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

/** A float that a function uses from around it. */
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

/**
 * A function that is made where it is called; the floats that it uses from around it are parameters
 * of it too.
 */
export function makeHere(
  site: Site,
  made: ScalarFunction,
  fill: (opened: FunctionSite) => void,
): FunctionSite {
  const state = stateOf(site.lowering);
  const outside = site.function?.outside ?? site;
  const opened: FunctionSite = {
    made,
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

/**
 * A call of a function: its arguments are complete when all functions that are being lowered are
 * there.
 */
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

/** The function that an instance is, lowered when it is first asked for. */
export function functionOf(caller: Site, instance: Instance): FunctionSite {
  const { lowering } = caller;
  const state = stateOf(lowering);
  const known = state.functions.get(instance);
  if (known) return known;
  const coordinates = around(lowering.checker, instance);
  const parameters = [
    ...instance.parameters.map(asParameter),
    ...coordinates.map((v) => {
      const binding = lowering.checker.parameters.get(v);
      return binding ? asParameter(binding) : { name: v.name, type: "i32" as const, variable: v };
    }),
  ];
  const made: ScalarFunction = {
    name: instance.name,
    parameters,
    results: [],
    needs: new Set(),
    span: instance.span,
  };
  const isCoordinate = (v: Variable): boolean => lowering.binders.has(v);
  const walked = new Map<Variable, Term>(
    coordinates.filter(isCoordinate).map((v) => [v, ofVariable(v)]),
  );
  const site: FunctionSite = {
    made,
    coordinates,
    captured: new Map(),
    own: new Set(),
    outside: { ...topOf(lowering), here: walked },
  };
  // Remembered before its results are lowered, because they may call it.
  state.functions.set(instance, site);
  state.open.push(site);
  state.depth++;
  const here = new Map<Variable, Term>(parameters.map(({ variable: v }) => [v, ofVariable(v)]));
  const { name: owner, needs } = made;
  const inside: Site = {
    lowering,
    here,
    conditions: [],
    locals: new Map(),
    owner,
    needs,
    function: site,
  };
  made.results = instance.body.map((result) =>
    agreed(inside, instance.agreements, lower(inside, result)),
  );
  // What is done and what is given share their names and their calls: a call that prints is made
  // once, and its value is there.
  if (instance.effects.length > 0)
    made.effects = instance.effects.map((effect) => effectAt(inside, effect));
  if (instance.rule) {
    const { tangents, body, surrogate, span } = instance.rule;
    const moving = tangents.map(asParameter);
    const ruled = new Map([
      ...here,
      ...moving.map(({ variable: v }) => [v, ofVariable(v)] as const),
    ]);
    // Loops in the rule take tangents along like any other parameter.
    const own: FunctionSite = {
      ...site,
      made: { ...made, parameters: [...parameters, ...moving] },
    };
    const results = body.map((result) =>
      lower({ ...inside, here: ruled, locals: new Map(), function: own }, result),
    );
    made.rule = { tangents: moving, results, surrogate, span };
  }
  state.depth--;
  if (state.depth === 0) complete(state);
  return site;
}

/** What a function uses from around it is passed on by the functions that call it. */
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
  for (const { made, captured: extra } of state.open)
    made.parameters = [...made.parameters, ...extra.values()];
  state.open.length = 0;
  state.calls.length = 0;
}

/** The coordinates and parameters from further out that a function depends on. */
function around(checker: Checker, instance: Instance): readonly Variable[] {
  return capturedBy(instance, checker.opaqueValue).filter(
    (v) => !checker.extents.has(v) && !checker.scalars.has(v),
  );
}

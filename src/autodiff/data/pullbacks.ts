// Pullbacks of functions: beside f stands the function that takes back, call by call, what the
// calls of f have kept (frames.ts):
//
//   pulled(x…, frame, ȳ…, t…) = (x̄…, t…)
//
// With v̄ for how much the numerator moves per unit of v: the results have ȳ, and v = g(u₁, …) adds
// v̄·∂g/∂uₖ to ūₖ. A call inside is taken back by its own pullback, with the frame that it has
// kept. What the reads of a tensor from around the function bring together is added to the tensor's
// totals t, which go from call to call: whatever is asked for, a gradient costs a constant per
// call. A parameter that all calls hand on has such a total, too, which is its cotangent in the end
// (handed-round.ts). The cotangent of data is data: of what has parts, the cotangents of the parts;
// of an array, totals by place (cotangents.ts). Loops are taken back round by round, the last one
// first.

import { keyOf } from "../../ir/keys.ts";
import { operationRow } from "../../scalar/operations.ts";
import { isFloat, type ElementType } from "../../scalar/types.ts";
import type {
  Definition,
  FunctionRule,
  Invocation,
  Local,
  Parameter,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { Variable } from "../../affine/term.ts";
import type { Span } from "../../base/source.ts";
import { asType } from "../sweep/cells.ts";
import {
  cotangentType,
  eitherOf,
  isTakenBack,
  keptCall,
  moves,
  named,
  newParameter,
  newPlans,
  partAt,
  planOf,
  reached,
  rootsOf,
  valueOf,
  whereAll,
  whereStill,
  zeroScalar,
  type Ends,
  type Plan,
  type Plans,
} from "./frames.ts";
import { changer, inPlace } from "./changer.ts";
import { madeInside } from "./made-of.ts";
import { placeOf, sumOf, throughData, type Bar } from "./cotangents.ts";
import { tangentType } from "../legality/handed-on.ts";
import { handedRound } from "./handed-round.ts";
import { algebraOf, slopeTimes } from "../scalar/products.ts";
import { argumentsIn, loopSlots, steadyIn } from "./rounds.ts";
import { givenOnce } from "./steady.ts";
import { dataCall } from "../../ir/simple-scalars.ts";

/**
 * Pullbacks of functions that call one another, for the tensors around them that they move with.
 */
interface Family {
  readonly plans: Plans;
  readonly captured: readonly Definition[];
  readonly pulled: Map<ScalarFunction, ScalarFunction>;
}

/** Those of the tensors around it that a function may read. */
function capturedBy({ captured }: Family, of: ScalarFunction): readonly Definition[] {
  if (of.rule) return [];
  const reads = readsOfFunction(of);
  return captured.filter((each) => reads.has(each));
}

/**
 * What the pullback of a function is called with behind what it needs of its arguments (a function
 * that is no loop, all of them) and its frame, and what it gives, in this order.
 */
interface Pulled {
  readonly function: ScalarFunction;
  /**
   * What it takes and gives totals of: a float for a scalar, data by place for a tensor, the
   * cotangent of data.
   */
  readonly captured: readonly Definition[];
}

/** The pullback of a function whose calls are kept, with totals for some tensors around it. */
export function pullbackOf(plan: Plan, plans: Plans, captured: readonly Definition[]): Pulled {
  const family: Family = { plans, captured, pulled: new Map() };
  return { function: pulledOf(family, plan), captured: capturedBy(family, plan.of) };
}

export function totalType(definition: Definition): ElementType {
  const { axes, element } = definition;
  return axes.length > 0 || element === "data" ? "data" : tangentType(definition);
}

function pulledOf(family: Family, plan: Plan): ScalarFunction {
  const { of } = plan;
  const known = family.pulled.get(of);
  if (known) return known;
  const frame = newParameter("frame", "data");
  const incoming = of.results.flatMap((_, k) => {
    const type = cotangentType(of, k);
    return type ? [newParameter(`d_${of.name}_${k}`, type)] : [];
  });
  const totals = totalParameters(family, plan);
  const made = functionOf(of, [...neededBack(plan), frame, ...incoming, ...totals.values()]);
  // Remembered before its results are made, because they may call it.
  family.pulled.set(of, made);
  if (of.rule)
    made.results = [...byRule(of, of.rule, incoming), ...[...totals.values()].map(valueOf)];
  else if (plan.loops) made.results = unwound(family, plan, frame, incoming, totals);
  else {
    const inside = newInside(family, plan, frame, totals);
    made.results = takenBack(inside, plan.ends, (end) =>
      end.kind === "value" ? backFrom(inside, end, resultBars(end.results, incoming)) : undefined,
    );
  }
  return made;
}

/**
 * What a function is given again where it is taken back: the frame of a loop has what its rounds
 * were given.
 */
function neededBack(plan: Plan): readonly Parameter[] {
  return plan.loops ? steadyIn(plan) : plan.of.parameters;
}

function functionOf(of: ScalarFunction, parameters: readonly Parameter[]): ScalarFunction {
  const { name, needs, rounds, span } = of;
  return {
    name,
    parameters,
    results: [],
    needs,
    ...(rounds ? { rounds } : {}),
    takesBack: of,
    span,
  };
}

/**
 * What has totals where a function is taken back: parameters that its calls hand on, and tensors
 * around it. The totals of parameters are the cotangents that it gives for them.
 */
type Totals<T> = ReadonlyMap<Variable | Definition, T>;

function totalParameters(family: Family, plan: Plan): Totals<Parameter> {
  const handed = handedOnBy(family, plan).map(
    ({ name, type, variable: v }) => [v, newParameter(`d_${name}`, type)] as const,
  );
  const around = capturedBy(family, plan.of).map(
    (each) => [each, newParameter(`d_${each.name}`, totalType(each))] as const,
  );
  return new Map<Variable | Definition, Parameter>([...handed, ...around]);
}

function handedOnBy({ plans }: Family, { of, isMoving }: Plan): readonly Parameter[] {
  return handedRound(of, plans).filter((each) => isMoving(valueOf(each)));
}

/**
 * Where the program says how the results move, the rule is a function of what it is called with and
 * of the tangents, and linear in these: it is taken back for them alone, whatever they are.
 */
function byRule(
  of: ScalarFunction,
  { tangents, results }: FunctionRule,
  incoming: readonly Parameter[],
): readonly Scalar[] {
  const { name, needs, span } = of;
  const parameters = [...of.parameters, ...tangents];
  const rule: ScalarFunction = { name, parameters, results, needs, span };
  const plans = newPlans(madeInside(rule, new Set(tangents.map(({ variable }) => variable))));
  const plan = planOf(rule, plans);
  const given = [...of.parameters.map(valueOf), ...tangents.map(({ type }) => zeroScalar(type))];
  const frame: Scalar = {
    kind: "call",
    type: "data",
    invocation: keptCall(plan, given, span),
    member: results.length,
  };
  const pulled = pulledOf({ plans, captured: [], pulled: new Map() }, plan);
  const moving = parameters.filter(({ type }) => moves(type));
  const all = allOf(
    pulled,
    [...given, frame, ...incoming.map(valueOf)],
    span,
    moving.map(({ type }) => type),
  );
  // Names from around the function that the rule does not speak of stay where they are.
  const others = of.parameters.filter(({ type }) => moves(type)).slice(tangents.length);
  return [
    ...all.slice(moving.length - tangents.length),
    ...others.map(({ type }) => zeroScalar(type)),
  ];
}

// ── loops ───────────────────────────────────────────────────────────────────────────────────────

/**
 * The last round is taken back from the results, every other from the arguments of the round behind
 * it.
 */
function unwound(
  family: Family,
  plan: Plan,
  frame: Parameter,
  incoming: readonly Parameter[],
  totals: Totals<Parameter>,
): readonly Scalar[] {
  const { of } = plan;
  const given = of.parameters
    .filter(({ type }) => moves(type))
    .map(({ name, type }) => newParameter(`d_${name}`, type));
  const round = functionOf(of, [...neededBack(plan), frame, ...given, ...totals.values()]);
  const inside = newInside(family, plan, frame, totals, argumentsIn(plan, valueOf(frame)));
  const onwards = (results: readonly Scalar[], more: readonly Scalar[] = []): readonly Scalar[] =>
    goingOn(plan, round, valueOf(frame), results, more);
  round.results = takenBack(inside, plan.ends, (end) =>
    end.kind === "again"
      ? onwards(backFrom(inside, end, argumentBars(end.invocation, given)))
      : undefined,
  );
  const once = givenOnce(round, neededBack(plan));
  return takenBack(inside, plan.ends, (end) =>
    end.kind === "value"
      ? onwards(backFrom(inside, end, resultBars(end.results, incoming)), once)
      : undefined,
  );
}

/**
 * What was found for one round is what comes in at the round before it, beside what the first one
 * to be taken back is given for all of them; the first round's is the answer.
 */
function goingOn(
  plan: Plan,
  round: ScalarFunction,
  frame: Scalar,
  found: readonly Scalar[],
  once: readonly Scalar[],
): readonly Scalar[] {
  const { of } = plan;
  const slots = loopSlots(of);
  const moved = found.map((value) => named("moved", value));
  const condition = named("isFirst", partAt(frame, slots.isFirst, "bool"));
  const before = named("before", partAt(frame, slots.before, "data"));
  const further = allOf(
    round,
    [...neededBack(plan).map(valueOf), before, ...moved, ...once],
    of.span,
    found.map(({ type }) => type),
  );
  return moved.map((value, k): Scalar => ({
    kind: "select",
    type: value.type,
    condition,
    then: value,
    otherwise: further[k]!,
  }));
}

/** Every result of one call. */
function allOf(
  called: ScalarFunction,
  given: readonly Scalar[],
  span: Span,
  types: readonly ElementType[] = called.results.map(({ type }) => type),
): readonly Scalar[] {
  const invocation: Invocation = { function: called, arguments: given, span };
  return types.map((type, member) => ({ kind: "call", type, invocation, member }));
}

// ── one call ────────────────────────────────────────────────────────────────────────────────────

/** Where a call is taken back. */
interface Inside {
  readonly family: Family;
  readonly plan: Plan;
  readonly frame: Scalar;
  /** What has come together before. */
  readonly totals: Totals<Scalar>;
  /**
   * The values of the function's scalars, with what the frame has in the place of calls, and in a
   * loop of parameters.
   */
  readonly value: (scalar: Scalar) => Scalar;
}

function newInside(
  family: Family,
  plan: Plan,
  frame: Parameter,
  totals: Totals<Parameter>,
  given: ReadonlyMap<Variable, Scalar> = new Map(),
): Inside {
  const kept = valueOf(frame);
  const before = new Map([...totals].map(([of, total]) => [of, valueOf(total)]));
  return { family, plan, frame: kept, totals: before, value: valuesIn(plan, kept, given) };
}

/** Where a cotangent comes in. */
type Start = readonly (readonly [Scalar, Bar])[];

function resultBars(results: readonly Scalar[], incoming: readonly Parameter[]): Start {
  return results
    .filter(({ type }) => moves(type))
    .map((result, k) => [result, { value: valueOf(incoming[k]!), under: [] }] as const);
}

function argumentBars({ arguments: given }: Invocation, incoming: readonly Parameter[]): Start {
  return resultBars(given, incoming);
}

type End = Exclude<Ends, { kind: "branch" }>;

/** Branch by branch; an end that this function never comes to leaves everything as it is. */
function takenBack(
  inside: Inside,
  ends: Ends,
  back: (end: End) => readonly Scalar[] | undefined,
): readonly Scalar[] {
  const { plan, value } = inside;
  const { of } = plan;
  const build = (at: Ends): readonly Scalar[] | undefined => {
    if (at.kind !== "branch") return back(at);
    const [then, otherwise] = [build(at.then), build(at.otherwise)];
    if (!then || !otherwise) return then ?? otherwise;
    const condition = value(at.condition);
    return then.map((result, k): Scalar => ({
      kind: "select",
      type: result.type,
      condition,
      then: result,
      otherwise: otherwise[k]!,
    }));
  };
  const still = of.parameters.flatMap(({ type }) => (moves(type) ? [zeroScalar(type)] : []));
  return build(ends) ?? [...still, ...inside.totals.values()];
}

function valuesIn(
  plan: Plan,
  frame: Scalar,
  given: ReadonlyMap<Variable, Scalar>,
): (scalar: Scalar) => Scalar {
  const held = new Map<string, Scalar>();
  const heldAt = (slot: number, type: ElementType, name: string): Scalar => {
    const key = `${slot} ${type}`;
    let value = held.get(key);
    if (!value) held.set(key, (value = named(name, partAt(frame, slot, type))));
    return value;
  };
  /** Powers that the frame has, by their names and by themselves. */
  const powers = new Map<Local | Scalar, { readonly slot: number; readonly name: string }>();
  for (const [node, slot] of plan.slots)
    if (!("function" in node))
      for (const each of [node, node.value]) powers.set(each, { slot, name: node.name });
  return changer(
    ({ invocation, member, type }) =>
      heldAt(plan.slots.get(invocation)! + member, type, invocation.function.name),
    (scalar) =>
      scalar.kind === "apply" || scalar.kind === "data"
        ? named("value", scalar)
        : inPlace(whereStill(scalar), given),
    (scalar) => {
      const power = powers.get(scalar.kind === "local" ? scalar.local : scalar);
      return power && heldAt(power.slot, scalar.type, power.name);
    },
  );
}

/** The cotangents of the parameters, and the totals, behind one end. */
function backFrom(inside: Inside, end: End, start: Start): readonly Scalar[] {
  const { family, plan, frame, value } = inside;
  const { of, slots } = plan;
  const { span } = of;
  const totals = new Map(inside.totals);
  const ofParameters = new Map<Variable, Bar[]>();
  const ofLocals = new Map<Local, Bar[]>();
  const ofCalls = new Map<Invocation, Map<number, Bar[]>>();
  const note = <K>(into: Map<K, Bar[]>, key: K, bar: Bar): void =>
    void into.set(key, [...(into.get(key) ?? []), bar]);

  const visit = (scalar: Scalar, bar: Bar): void => {
    if (!plan.isMoving(scalar)) return;
    switch (scalar.kind) {
      case "constant":
      case "integer":
      case "text":
        return;
      case "parameter":
        note(ofParameters, scalar.parameter.variable, bar);
        return;
      case "local":
        note(ofLocals, scalar.local, bar);
        return;
      case "call": {
        const members = ofCalls.get(scalar.invocation) ?? new Map<number, Bar[]>();
        note(members, scalar.member, bar);
        ofCalls.set(scalar.invocation, members);
        return;
      }
      case "read":
        gather(scalar, bar);
        return;
      case "select": {
        const condition = value(scalar.condition);
        visit(scalar.then, { ...bar, under: [...bar.under, { value: condition, holds: true }] });
        visit(scalar.otherwise, {
          ...bar,
          under: [...bar.under, { value: condition, holds: false }],
        });
        return;
      }
      case "cast":
        // A float that becomes an integer moves no more; an integer hands on what comes in.
        if (!isFloat(scalar.operand.type)) visit(scalar.operand, bar);
        else if (isFloat(scalar.type))
          visit(scalar.operand, { ...bar, value: asType(bar.value, scalar.operand.type) });
        return;
      case "apply": {
        const { derivative } = operationRow(scalar.operation);
        if (!isFloat(scalar.type) || typeof derivative === "string") return;
        const algebra = algebraOf(scalar.type, scalar.span);
        const slopes = derivative(algebra, scalar.operands.map(value), value(scalar));
        const shared = named("d_value", bar.value);
        const quotients = new Map<string, Scalar>();
        const divided = (value: Scalar, by: Scalar): Scalar => {
          const key = keyOf(by);
          let quotient = quotients.get(key);
          if (!quotient)
            quotients.set(key, (quotient = named("quotient", algebra.apply("divide", value, by))));
          return quotient;
        };
        for (const [k, slope] of slopes.entries()) {
          const operand = scalar.operands[k]!;
          if (slope === "zero" || !isFloat(operand.type)) continue;
          visit(operand, {
            ...bar,
            value: asType(slopeTimes(slope, shared, algebra, divided), operand.type),
          });
        }
        return;
      }
      case "data":
        for (const [operand, moved] of throughData(scalar, bar, value, span)) visit(operand, moved);
        return;
      default:
        scalar satisfies never;
    }
  };

  /**
   * What a read brings together is added to the total of its tensor, at the place that it reads.
   */
  const gather = (read: Extract<Scalar, { kind: "read" }>, coming: Bar): void => {
    const { definition } = read;
    const before = totals.get(definition);
    if (!before) return;
    const { axes, element } = definition;
    const { value: bar, under } = coming;
    if (element === "data") {
      totals.set(definition, sumOf([{ value: before, under: [] }, coming], element, span));
      return;
    }
    const type = tangentType(definition);
    const moved = asType(bar, type);
    if (axes.length === 0) {
      const algebra = algebraOf(type, span);
      totals.set(
        definition,
        named("total", algebra.apply("add", before, whereAll(under, moved, algebra.number(0)))),
      );
      return;
    }
    const place = placeOf(
      read.indices.map(value),
      axes.map(({ extent }) => integerScalar(extent)),
      span,
    );
    totals.set(
      definition,
      named("total", whereAll(under, dataCall("add", [before, place, moved], "data"), before)),
    );
  };

  /** What an argument has a total of, which goes on through a call. */
  const totalFor = (argument: Scalar): Variable | Definition | undefined => {
    if (!plan.isMoving(argument)) return undefined;
    const of =
      argument.kind === "parameter"
        ? argument.parameter.variable
        : argument.kind === "read"
          ? argument.definition
          : undefined;
    return of && totals.get(of)?.type === argument.type ? of : undefined;
  };

  /** A call is taken back with the frame that it has kept. */
  const takeBack = (invocation: Invocation, members: ReadonlyMap<number, readonly Bar[]>): void => {
    const { function: called, arguments: given } = invocation;
    if (!isTakenBack(plan, invocation)) return;
    const under = eitherOf([...members.values()].flat().map((bar) => bar.under));
    const incoming = called.results.flatMap((_, k) => {
      const type = cotangentType(called, k);
      return type ? [sumOf(members.get(k) ?? [], type, span)] : [];
    });
    const kept = partAt(frame, slots.get(invocation)! + called.results.length, "data");
    const inner = planOf(called, family.plans);
    const pulled = pulledOf(family, inner);
    const back = neededBack(inner);
    const needed = inner.of.parameters.flatMap((each, k) =>
      back.includes(each) ? [value(given[k]!)] : [],
    );
    const moving = called.parameters.flatMap(({ type }, k) => (moves(type) ? [k] : []));
    const around = capturedBy(family, called);
    // Each total goes on once: where an argument is given again, what comes together there is added
    // to it.
    const goesOn = new Map<Variable | Definition, Parameter | undefined>(
      around.map((each) => [each, undefined]),
    );
    const begun = handedOnBy(family, inner).map((each) => {
      const argument = given[inner.of.parameters.indexOf(each)]!;
      const of = totalFor(argument);
      if (!of || goesOn.has(of)) return zeroScalar(each.type);
      goesOn.set(of, each);
      return totals.get(of)!;
    });
    const before = around.map((each) => totals.get(each)!);
    const types = [
      ...moving.map((k) => called.parameters[k]!.type),
      ...before.map(({ type }) => type),
    ];
    const results = allOf(
      pulled,
      [...needed, kept, ...incoming, ...begun, ...before],
      invocation.span,
      types,
    );
    const goOn = (of: Variable | Definition, result: Scalar): void =>
      void totals.set(of, named("total", whereAll(under, result, totals.get(of)!)));
    for (const [k, each] of around.entries()) goOn(each, results[moving.length + k]!);
    const gone = new Set(goesOn.values());
    const isTotal = (k: number): boolean => gone.has(inner.of.parameters[k]);
    // All totals are there before something is added to them.
    for (const [at, k] of moving.entries())
      if (isTotal(k)) goOn(totalFor(given[k]!)!, results[at]!);
    for (const [at, k] of moving.entries())
      if (!isTotal(k)) visit(given[k]!, { value: results[at]!, under });
  };

  for (const [scalar, bar] of start) visit(scalar, bar);
  for (const node of reached(rootsOf(end)).order) {
    if ("function" in node) {
      const members = ofCalls.get(node);
      if (members) takeBack(node, members);
      continue;
    }
    const bars = ofLocals.get(node);
    if (!bars) continue;
    const [first, ...others] = bars;
    const type = moves(node.value.type) ? node.value.type : first!.value.type;
    if (others.length === 0) visit(node.value, first!);
    else
      visit(node.value, {
        value: named(`d_${node.name}`, sumOf(bars, type, span)),
        under: eitherOf(bars.map((bar) => bar.under)),
      });
  }
  const found = of.parameters.flatMap((parameter) => {
    const total = totals.get(parameter.variable);
    const bars = [
      ...(total ? [{ value: total, under: [] }] : []),
      ...(ofParameters.get(parameter.variable) ?? []),
    ];
    return moves(parameter.type) ? [sumOf(bars, parameter.type, span)] : [];
  });
  return [...found, ...capturedBy(family, of).map((each) => totals.get(each)!)];
}

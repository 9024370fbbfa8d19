// Derivatives inside functions that stay functions: `@y / @x` between scalars of a call is how y
// moves with x there, by the rule of the companions (functions.ts), and is computed where it
// stands. By an array it is the cotangent of that array: y as a function of its own is called so
// that it keeps what its pullback needs, and taken back (frames.ts, pullbacks.ts).
//
// By what is there around the function it is the same, as long as nothing else that y is made of
// moves with that. Where it also moves what the function was called with, that comes with its own
// derivatives (carried.ts).
//
// A function that y calls has its own derivatives answered before. One on the path that is being
// answered would need the derivative of this very derivative, and that one the next: each call
// would take an order more.

import { gradientNotDefined } from "../../sweep/not-defined.ts";
import { error, warning, type Diagnostic } from "../../../diagnostics/diagnostic.ts";
import { hasSlopes } from "../../../analyse/asked-of-program.ts";
import { eachScalar, mapParts, scalarsOf } from "../../../ir/parts.ts";
import type {
  Definition,
  Invocation,
  Local,
  Parameter,
  Scalar,
  ScalarFunction,
  Slope,
} from "../../../ir/program.ts";
import { callsOf, functionsFrom, readsOf, readsOfFunction } from "../../../ir/references.ts";
import type { Span } from "../../../base/source.ts";
import { activityOf } from "../../sweep/activity.ts";
import { carriedBy, type Carried, type Inside } from "./carried.ts";
import { asType } from "../../sweep/cells.ts";
import { withSharedCalls } from "../changer.ts";
import {
  keptCall,
  moves,
  newParameter,
  newPlans,
  nothing,
  planOf,
  valueOf,
  zeroScalar,
  type Plan,
} from "../frames.ts";
import { dualOf } from "../functions.ts";
import { noTotal } from "../kept-data.ts";
import { madeInside } from "../made-of.ts";
import { pullbackOf } from "../pullbacks.ts";
import { withoutDataReads } from "../through-data.ts";
import {
  isTouched,
  makingsOf,
  movedCells,
  type Makings,
  type Stopped,
} from "../../legality/stops.ts";

/**
 * Gives every derivative inside the functions that definitions call its value: the functions are
 * rewritten in place.
 */
export function answerSlopes(
  all: readonly Definition[],
  claim: (name: string) => string,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const around: (readonly [ScalarFunction, Slope])[] = [];
  const carried = carriedIn(all, claim, diagnostics);
  const done = new Map<ScalarFunction, "under way" | "answered">();
  const answerIn = (called: ScalarFunction): void => {
    if (done.has(called)) return;
    done.set(called, "under way");
    if (hasSlopes(called) || carried?.isGiven(called)) called.results = answered(called);
    done.set(called, "answered");
  };
  const answered = (within: ScalarFunction): readonly Scalar[] => {
    const locals = new Map<Local, Local>();
    const denominators = new Set(
      slopesIn(within).flatMap(({ by }) => (by.kind === "local" ? [by.local] : [])),
    );
    const held = new Set<Local>();
    const calls = new Map<Invocation, Invocation>();
    const inside = carried?.isGiven(within) ? carried.inside(within) : undefined;
    const visit = (scalar: Scalar): Scalar => {
      if (scalar.kind === "call" && inside) {
        const whole = mapParts(scalar, visit) as typeof scalar;
        let invocation = calls.get(scalar.invocation);
        if (!invocation)
          calls.set(scalar.invocation, (invocation = given(within, inside, whole.invocation)));
        return { ...whole, invocation };
      }
      if (scalar.kind !== "local") return mapParts(scalar, visit);
      const { local } = scalar;
      let made = locals.get(local);
      if (!made) {
        const { slope, name } = local;
        const value = slope
          ? slopeOf(
              within,
              { ...slope, of: visit(slope.of), by: visit(slope.by) },
              (each) => held.has(each),
              inside,
            )
          : visit(local.value);
        locals.set(local, (made = { name, value: asType(value, scalar.type) }));
        if (denominators.has(local)) held.add(made);
      }
      return { ...scalar, local: made };
    };
    return within.results.map(visit);
  };
  const given = (within: ScalarFunction, inside: Inside, invocation: Invocation): Invocation => {
    const isNext = ({ type }: Scalar, k: number): boolean =>
      moves(type) && carried!.isOfTangents(invocation.arguments[k]!);
    if (!carried!.isGiven(invocation.function)) return invocation;
    if (invocation.arguments.some(isNext)) diagnostics.push(ofNextOrder(within, invocation.span));
    return inside.call(invocation);
  };
  const slopeOf = (
    within: ScalarFunction,
    slope: Slope,
    isHeld: (local: Local) => boolean,
    inside?: Inside,
  ): Scalar => {
    const isArray = slope.by.type === "data" || slope.by.kind === "read";
    const zero = isArray ? nothing : zeroScalar(slope.of.type);
    for (const called of functionsIn(slope.of)) answerIn(called);
    if (inside && slope.around && inside.isBy(slope.around) && carried!.isOfTangents(slope.of))
      diagnostics.push(ofNextOrder(within, slope.span));
    const { stopped, moving, tangent } = isArray
      ? movedByCells(within, slope)
      : movedByName(slope, isHeld);
    const itself = [...moving].find(
      (called) => done.get(called) === "under way" && hasSlopes(called),
    );
    if (itself) {
      diagnostics.push(ofItself(itself, slope));
      return zero;
    }
    const isCarried = inside && slope.around && inside.isBy(slope.around);
    const found = isCarried ? inside.tangent(slope.of, slope.around) : tangent();
    if (slope.around && !isCarried) around.push([within, slope]);
    if (stopped) diagnostics.push(notDefined(stopped, slope));
    else if (!found) diagnostics.push(noPath(slope));
    return found ?? zero;
  };
  for (const definition of all)
    for (const called of callsOf(definition))
      for (const each of functionsFrom(called)) answerIn(each);
  carried?.give();
  // What such derivatives have given may go on to the next call.
  for (const [within, slope] of around)
    if (isTouched(madeOtherwise(within, slope, slope.around!, all)))
      diagnostics.push(ofNextOrder(within, slope.span));
  return diagnostics;
}

/**
 * What is around functions and derivatives inside of these are taken by, where it also moves what
 * the functions are called with.
 */
function carriedIn(
  all: readonly Definition[],
  claim: (name: string) => string,
  diagnostics: Diagnostic[],
): Carried | undefined {
  const asked = new Map<Definition, Set<ScalarFunction>>();
  const seen = new Set<ScalarFunction>();
  for (const called of all.flatMap((definition) => [...callsOf(definition)]))
    for (const within of functionsFrom(called)) {
      if (seen.has(within)) continue;
      seen.add(within);
      for (const slope of slopesIn(within)) {
        const { around: denominator } = slope;
        const made = denominator ? madeOtherwise(within, slope, denominator, all) : {};
        if (!denominator || !isTouched(made)) continue;
        if (made.stopped) diagnostics.push(notDefined(made.stopped, slope));
        asked.set(denominator, (asked.get(denominator) ?? new Set()).add(within));
      }
    }
  return asked.size > 0 ? carriedBy(asked, all, claim) : undefined;
}

function slopesIn({ results }: ScalarFunction): readonly Slope[] {
  const found = new Set<Slope>();
  for (const result of results)
    eachScalar(
      result,
      (part) => void (part.kind === "local" && part.local.slope && found.add(part.local.slope)),
    );
  return [...found];
}

function ofNextOrder({ name }: ScalarFunction, span: Span): Diagnostic {
  return error(
    "E0709",
    `a derivative inside of \`${name}\` of what such derivatives have given`,
    span,
    {
      help:
        "each call would take a derivative of an order more than the one before it: " +
        "hold it still with `stop(…)`, or pass the denominator to the function and take the " +
        "derivative by that parameter",
    },
  );
}

function notDefined(stopped: Stopped, { span }: Slope): Diagnostic {
  return gradientNotDefined(stopped, span, []);
}

function noPath({ span }: Slope): Diagnostic {
  return warning(
    "W0701",
    "the numerator does not depend on the denominator: this derivative is 0",
    span,
    {
      help: "only paths through that very name count",
    },
  );
}

/**
 * What else that moves with the denominator the numerator is made of: what the function is called
 * with, or a tensor around it.
 */
function madeOtherwise(
  within: ScalarFunction,
  slope: Slope,
  denominator: Definition,
  all: readonly Definition[],
): Makings {
  const there = new Set(all);
  const ways = (definition: Definition): readonly Definition[] =>
    [...readsOf(definition)].filter((read) => there.has(read));
  const { isActive, stopsFor } = activityOf(
    { all, ways, isTangent: () => false },
    new Set([denominator]),
  );
  const stops = stopsFor(denominator);
  const calls = makingsOf({ isActive, stops });
  for (const definition of all)
    for (const scalar of definition.clauses.flatMap(scalarsOf))
      eachScalar(
        withoutDataReads(scalar),
        (part) => void (part.kind === "call" && calls.ofScalar(part)),
      );
  const given = calls.ofParameters(within).map((made, k): Makings => {
    const { by } = slope;
    return by.kind === "parameter" && within.parameters[k]!.variable === by.parameter.variable
      ? {}
      : made;
  });
  const others = makingsOf({
    isActive: (definition) => definition !== denominator && isActive(definition),
    stops,
  });
  return others.ofCall({ ...within, results: [slope.of] }, given)[0]!;
}

interface Moved {
  readonly stopped?: Stopped | undefined;
  /** The functions that its path goes through. */
  readonly moving: Iterable<ScalarFunction>;
  /** Nothing where the numerator stays. */
  readonly tangent: () => Scalar | undefined;
}

const unmoved: Moved = { moving: [], tangent: () => undefined };

function ofItself({ name }: ScalarFunction, { span }: Slope): Diagnostic {
  return error("E0709", `a derivative of \`${name}\` inside of \`${name}\` itself`, span, {
    help:
      "each call would take a derivative of an order more than the one inside of it: " +
      "let the function give value and derivative together, " +
      "or hold the call still with `stop(…)`",
  });
}

/** How one scalar of a function moves with another, a local or a parameter of it. */
function movedByName({ of, by, span }: Slope, isHeld: (local: Local) => boolean): Moved {
  const makings = makingsOf({ independent: by });
  const { stopped } = makings.ofScalar(of);
  return {
    stopped,
    moving: makings.moving(),
    tangent: () => dualOf(new Map(), undefined, span, by, isHeld)(of).tangent,
  };
}

/**
 * How a scalar of a function moves with the cells of an array, by place: of a local or a parameter
 * of it, or of a tensor around it.
 */
function movedByCells(within: ScalarFunction, slope: Slope): Moved {
  return slope.by.kind === "read"
    ? movedByTensor(within, slope, slope.by.definition)
    : movedByArray(within, slope);
}

/** What the pullback of a numerator gives, made a function of its own. */
function pulledBack(
  of: ScalarFunction,
  given: readonly Scalar[],
  member: number,
  isMoving: Plan["isMoving"],
  captured: readonly Definition[] = [],
): Scalar {
  const { span, results } = of;
  const { type } = results[0]!;
  const plans = newPlans(isMoving);
  const plan = planOf(of, plans);
  const frame: Scalar = {
    kind: "call",
    type: "data",
    invocation: keptCall(plan, given, span),
    member: 1,
  };
  const one = asType({ kind: "constant", type, value: 1 }, type);
  const { function: pulled, captured: totals } = pullbackOf(plan, plans, captured);
  const invocation: Invocation = {
    function: pulled,
    arguments: [...given, frame, one, ...totals.map(noTotal)],
    span,
  };
  return { kind: "call", type: "data", invocation, member };
}

function movedByTensor(within: ScalarFunction, { of, span }: Slope, tensor: Definition): Moved {
  const made: ScalarFunction = numeratorIn(within, [], withSharedCalls(of), span);
  if (!readsOfFunction(made).has(tensor)) return unmoved;
  const [result] = made.results;
  const { stopped } = makingsOf({ isActive: (definition) => definition === tensor }).ofScalar(
    result!,
  );
  const isMoving = madeInside(made, new Set(), tensor);
  // The totals come out of it behind the cotangents of all parameters that move.
  const member = made.parameters.filter(({ type }) => moves(type)).length;
  const tangent = (): Scalar =>
    pulledBack(made, made.parameters.map(valueOf), member, isMoving, [tensor]);
  return { stopped, moving: functionsIn(result!, isMoving), tangent };
}

function numeratorIn(
  { name, parameters, needs }: ScalarFunction,
  more: readonly Parameter[],
  numerator: Scalar,
  span: Span,
): ScalarFunction {
  return { name, parameters: [...parameters, ...more], results: [numerator], needs, span };
}

function movedByArray(within: ScalarFunction, { of, by, span }: Slope): Moved {
  const cells = newParameter("cells", "data");
  let isRead = false;
  const isBy = (scalar: Scalar): boolean =>
    scalar.kind === "local"
      ? by.kind === "local" && scalar.local === by.local
      : scalar.kind === "parameter" && by.kind === "parameter" && scalar.parameter === by.parameter;
  const locals = new Map<Local, Local>();
  const visit = (scalar: Scalar): Scalar => {
    if (isBy(scalar)) {
      isRead = true;
      return valueOf(cells);
    }
    if (scalar.kind === "apply" && scalar.operation === "stop") return scalar;
    if (scalar.kind !== "local") return mapParts(scalar, visit);
    const { local } = scalar;
    let made = locals.get(local);
    if (!made) locals.set(local, (made = { name: local.name, value: visit(local.value) }));
    return { ...scalar, local: made };
  };
  const made = numeratorIn(within, [cells], withSharedCalls(visit(of)), span);
  if (!isRead) return unmoved;
  const { parameters } = within;
  const [{ stopped }] = makingsOf({}).ofCall(made, [
    ...parameters.map(() => ({})),
    movedCells,
  ]) as readonly [Makings];
  const isMoving = madeInside(made, new Set([cells.variable]));
  // The cotangents of all parameters that move come out of it, in their order.
  const member = made.parameters.filter(({ type }) => moves(type)).length - 1;
  const tangent = (): Scalar =>
    pulledBack(made, [...parameters.map(valueOf), by], member, isMoving);
  return { stopped, moving: functionsIn(made.results[0]!, isMoving), tangent };
}

/** The functions that a scalar calls, those of some calls only, and those that they call. */
function functionsIn(
  scalar: Scalar,
  isCounted: (call: Scalar) => boolean = () => true,
): ReadonlySet<ScalarFunction> {
  const found = new Set<ScalarFunction>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "call" || !isCounted(part)) return;
    for (const each of functionsFrom(part.invocation.function)) found.add(each);
  });
  return found;
}

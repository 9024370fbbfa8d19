// Derivatives inside functions that stay functions: `@y / @x` between scalars of a call is how y moves with x there, by the rule of the companions
// (functions.ts), and is computed where it stands. By an array it is the cotangent of that array: y as a function of its own is called so that it keeps
// what its pullback needs, and taken back (frames.ts, pullbacks.ts).
//
// A function that y calls has its own derivatives answered before. One that is being answered would need the derivative of this very derivative, and
// that one the next: each call would take an order more.

import { error, warning, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { hasSlopes } from "../ir/asked-of-program.ts";
import { eachScalar, mapParts } from "../ir/parts.ts";
import type { Definition, Invocation, Local, Scalar, ScalarFunction, Slope } from "../ir/program.ts";
import { callsOf, functionsFrom } from "../ir/references.ts";
import { asType } from "./cells.ts";
import {
  keptCall,
  moves,
  newParameter,
  nothing,
  planOf,
  valueOf,
  withSharedCalls,
  zeroScalar,
  type Plans,
} from "./frames.ts";
import { dualOf } from "./functions.ts";
import { pullbackOf } from "./pullbacks.ts";
import { makingsOf, movedCells, type Stopped } from "./stops.ts";

/** Gives every derivative inside the functions that definitions call its value: the functions are rewritten in place. */
export function answerSlopes(all: readonly Definition[]): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const done = new Map<ScalarFunction, "under way" | "answered">();
  const answerIn = (called: ScalarFunction): void => {
    if (done.has(called)) return;
    done.set(called, "under way");
    if (hasSlopes(called)) called.results = answered(called);
    done.set(called, "answered");
  };
  const answered = (around: ScalarFunction): readonly Scalar[] => {
    const locals = new Map<Local, Local>();
    const visit = (scalar: Scalar): Scalar => {
      if (scalar.kind !== "local") return mapParts(scalar, visit);
      const { local } = scalar;
      let made = locals.get(local);
      if (!made) {
        const { slope, name } = local;
        const value = slope
          ? slopeOf(around, { ...slope, of: visit(slope.of), by: visit(slope.by) })
          : visit(local.value);
        locals.set(local, (made = { name, value: asType(value, scalar.type) }));
      }
      return { ...scalar, local: made };
    };
    return around.results.map(visit);
  };
  const slopeOf = (around: ScalarFunction, slope: Slope): Scalar => {
    const zero = slope.by.type === "data" ? nothing : zeroScalar(slope.of.type);
    for (const called of functionsIn(slope.of)) {
      answerIn(called);
      if (done.get(called) === "answered" || !hasSlopes(called)) continue;
      diagnostics.push(
        error(
          "E0190",
          `a derivative of \`${called.name}\`, inside of which it is taken, cannot be taken yet`,
          slope.span,
          {
            help: "each call would take a derivative of an order more: write the steps as a recurrence",
          },
        ),
      );
      return zero;
    }
    const { tangent: found, stopped } = slope.by.type === "data" ? movedByCells(around, slope) : movedByName(slope);
    if (stopped)
      diagnostics.push(
        error("E0701", `gradient of ${stopped.operation} is not defined`, slope.span, {
          ...(stopped.span ? { labels: [{ span: stopped.span, text: "the derivative ends here" }] } : {}),
          help: "use it as an index or a condition, wrap it in `stop(…)`, or give the function that contains it a rule with `@fn`",
        }),
      );
    else if (!found)
      diagnostics.push(
        warning("W0701", "the numerator does not depend on the denominator: this derivative is 0", slope.span, {
          help: "only paths through that very name count",
        }),
      );
    return found ?? zero;
  };
  for (const definition of all)
    for (const called of callsOf(definition)) for (const each of functionsFrom(called)) answerIn(each);
  return diagnostics;
}

interface Moved {
  /** Nothing where it stays. */
  readonly tangent?: Scalar | undefined;
  readonly stopped?: Stopped | undefined;
}

/** How one scalar of a function moves with another, a local or a parameter of it. */
function movedByName({ of, by, span }: Slope): Moved {
  const { stopped } = makingsOf({ independent: by }).ofScalar(of);
  return { tangent: dualOf(new Map(), undefined, span, by)(of).tangent, stopped };
}

/** How a scalar of a function moves with the cells of an array, a local or a parameter of it, by place. */
function movedByCells(around: ScalarFunction, { of, by, span }: Slope): Moved {
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
    if (scalar.kind !== "local") return mapParts(scalar, visit);
    const { local } = scalar;
    let made = locals.get(local);
    if (!made) locals.set(local, (made = { name: local.name, value: visit(local.value) }));
    return { ...scalar, local: made };
  };
  const { name, needs } = around;
  const parameters = [...around.parameters, cells];
  const made: ScalarFunction = { name, parameters, results: [withSharedCalls(visit(of))], needs, span };
  if (!isRead) return {};
  const [result] = makingsOf({}).ofCall(made, [...around.parameters.map(() => ({})), movedCells]);
  const plans: Plans = new Map();
  const plan = planOf(made, plans);
  const given = [...around.parameters.map(valueOf), by];
  const frame: Scalar = { kind: "call", type: "data", invocation: keptCall(plan, given, span), member: 1 };
  const one = asType({ kind: "constant", type: of.type, value: 1 }, of.type);
  const invocation: Invocation = {
    function: pullbackOf(plan, plans, []).function,
    arguments: [...given, frame, one],
    span,
  };
  // The cotangents of all parameters that move come out of it, in their order.
  const member = parameters.filter(({ type }) => moves(type)).length - 1;
  return { tangent: { kind: "call", type: "data", invocation, member }, stopped: result!.stopped };
}

/** The functions that a scalar calls, and those that they call. */
function functionsIn(scalar: Scalar): ReadonlySet<ScalarFunction> {
  const found = new Set<ScalarFunction>();
  eachScalar(scalar, (part) => {
    if (part.kind === "call") for (const each of functionsFrom(part.invocation.function)) found.add(each);
  });
  return found;
}

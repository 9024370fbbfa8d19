// Derivatives inside functions that stay functions: `@y / @x` between scalars of a call is how y moves with x there, by the rule of the companions
// (functions.ts), and is computed where it stands.
//
// A function that y calls has its own derivatives answered before. One that is being answered would need the derivative of this very derivative, and
// that one the next: each call would take an order more.

import { error, warning, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { hasSlopes } from "../ir/asked-of-program.ts";
import { eachScalar, mapParts } from "../ir/parts.ts";
import type { Definition, Local, Scalar, ScalarFunction, Slope } from "../ir/program.ts";
import { callsOf, functionsFrom } from "../ir/references.ts";
import { asType } from "./cells.ts";
import { dualOf, stopsInside, type Notes } from "./functions.ts";
import type { Stopped } from "./linearize.ts";

/** Gives every derivative inside the functions that definitions call its value: the functions are rewritten in place. */
export function answerSlopes(all: readonly Definition[]): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const done = new Map<ScalarFunction, "under way" | "answered">();
  const answerIn = (called: ScalarFunction): void => {
    if (done.has(called)) return;
    done.set(called, "under way");
    if (hasSlopes(called)) called.results = answered(called.results);
    done.set(called, "answered");
  };
  const answered = (results: readonly Scalar[]): readonly Scalar[] => {
    const locals = new Map<Local, Local>();
    const visit = (scalar: Scalar): Scalar => {
      if (scalar.kind !== "local") return mapParts(scalar, visit);
      const { local } = scalar;
      let made = locals.get(local);
      if (!made) {
        const { slope, name } = local;
        const value = slope ? valueOf({ ...slope, of: visit(slope.of), by: visit(slope.by) }) : visit(local.value);
        locals.set(local, (made = { name, value: asType(value, scalar.type) }));
      }
      return { ...scalar, local: made };
    };
    return results.map(visit);
  };
  const valueOf = (slope: Slope): Scalar => {
    const zero: Scalar = { kind: "constant", type: slope.of.type, value: 0 };
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
    const { tangent: found, stopped } = movedByName(slope);
    for (const { operation, span } of stopped)
      diagnostics.push(
        error("E0701", `gradient of ${operation} is not defined`, slope.span, {
          ...(span ? { labels: [{ span, text: "the derivative ends here" }] } : {}),
          help: "use it as an index or a condition, wrap it in `stop(…)`, or give the function that contains it a rule with `@fn`",
        }),
      );
    if (!found && stopped.length === 0)
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

/** How one scalar of a function moves with another, a local or a parameter of it; nothing where it stays. */
function movedByName({ of, by, span }: Slope): { readonly tangent?: Scalar; readonly stopped: readonly Stopped[] } {
  const stopped: Stopped[] = [];
  const note: Notes["note"] = (called, moving) => void stopped.push(...stopsInside(called, moving));
  const { tangent } = dualOf(new Map(), undefined, span, { found: stopped, note }, by)(of);
  return { ...(tangent ? { tangent } : {}), stopped };
}

/** The functions that a scalar calls, and those that they call. */
function functionsIn(scalar: Scalar): ReadonlySet<ScalarFunction> {
  const found = new Set<ScalarFunction>();
  eachScalar(scalar, (part) => {
    if (part.kind === "call") for (const each of functionsFrom(part.invocation.function)) found.add(each);
  });
  return found;
}

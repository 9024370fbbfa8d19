// Answers every request `@y / @x` of a program: its definition becomes a read of the adjoint that the backward program gives.
// Requests inside the numerator of another are answered first; requests with one numerator share one backward program.

import { error, warning, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { components } from "../ir/components.ts";
import { ofVariable, variable, type Term, type Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import {
  claim,
  eachScalar,
  scalarsOf,
  type Clause,
  type Definition,
  type Loop,
  type Program,
  type Scalar,
} from "../ir/program.ts";
import { rootsOf } from "../ir/roots.ts";
import { reachable } from "../ir/schedule.ts";
import { integerScalar } from "../ir/substitute.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { graphOf } from "./graph.ts";
import { backward, type Backward, type Problem, type Workshop } from "./backward.ts";
import { forward } from "./forward.ts";

/** `extents` are known not to be negative. */
export function answerRequests(program: Program, extents: Iterable<Variable>): readonly Diagnostic[] {
  const workshop: Workshop = { claim: (wanted) => claim(program.names, wanted), extents };
  const diagnostics: Diagnostic[] = [];
  const requests = reachable(rootsOf(program)).filter((definition) => definition.request);
  for (const group of byNumerator(requests)) {
    const numerator = group[0]!.request!.of;
    const denominators = [...new Set(group.map((definition) => definition.request!.wrt))];
    const { adjoints, problems } = derived(group, numerator, denominators, workshop);
    for (const request of group) {
      const { of, wrt } = request.request!;
      diagnostics.push(...problems.map((problem) => explainProblem(problem, of, wrt, request.span)));
      answer(request, adjoints.get(request.request!.wrt), diagnostics, problems.length === 0);
    }
  }
  for (const definition of reachable(rootsOf(program))) addNeeds(program, definition);
  return diagnostics;
}

/** One backward program for all denominators of a number; a Jacobian is pushed forward, one denominator at a time. */
function derived(
  group: readonly Definition[],
  numerator: Definition,
  denominators: readonly Definition[],
  workshop: Workshop,
): Backward {
  const { step, jacobian } = group[0]!.request!;
  if (!jacobian) return backward(numerator, denominators, workshop, { step });
  const parts = denominators.map((wrt) => forward(numerator, wrt, workshop));
  return {
    adjoints: new Map(parts.flatMap((part) => [...part.adjoints])),
    problems: parts.flatMap((part) => part.problems),
  };
}

/** Requests with one numerator together; those that a numerator depends on before it. */
function byNumerator(requests: readonly Definition[]): readonly (readonly Definition[])[] {
  const numerators = [...new Set(requests.map((definition) => definition.request!.of))];
  const withinStep = requests.filter((definition) => definition.request!.step !== undefined);
  const within = numerators.map((numerator) => {
    const needed = new Set(graphOf(numerator).all);
    return numerators.flatMap((_, k) =>
      requests.some((request) => request.request!.of === numerators[k] && needed.has(request)) ? [k] : [],
    );
  });
  const answers = components(numerators.length, (k) => within[k]!.filter((other) => other !== k))
    .flat()
    .map((k) => requests.filter((request) => request.request!.of === numerators[k]));
  // Requests inside a recurrence come first: whatever else asks about the recurrence goes through them.
  const inside = answers.map((group) => group.filter((request) => withinStep.includes(request)));
  const outside = answers.flatMap((group) => {
    const rest = group.filter((request) => !withinStep.includes(request));
    return [rest.filter((request) => !request.request!.jacobian), rest.filter((request) => request.request!.jacobian)];
  });
  return [...inside, ...outside].filter((group) => group.length > 0);
}

function answer(request: Definition, adjoint: Definition | undefined, diagnostics: Diagnostic[], fine: boolean): void {
  const loops = request.axes.map((axis, k): Loop => ({
    variable: variable(axis.name ?? "ijklmnpq"[k] ?? "i"),
    from: integerScalar({ constant: 0, parts: [] }),
    to: integerScalar(axis.extent),
    reversed: false,
  }));
  const { of, wrt } = request.request!;
  const value: Scalar = adjoint
    ? {
        kind: "read",
        type: request.element,
        definition: adjoint,
        indices: loops.map((loop) => integerScalar(ofVariable(loop.variable))),
        span: request.span,
      }
    : { kind: "constant", type: request.element, value: 0 };
  const clause: Clause = { loops, guards: [], body: { kind: "map", value }, span: request.span };
  request.clauses = [clause];
  if (!adjoint && fine) diagnostics.push(zeroDerivative(of, wrt, request.span));
}

/** No path leads from the numerator to the denominator. */
export function zeroDerivative(of: Definition, wrt: Definition, span: Span): Diagnostic {
  return warning(
    "W0701",
    `\`${sourceName(of)}\` does not depend on \`${sourceName(wrt)}\`: this derivative is 0`,
    span,
    {
      labels: [{ span: wrt.span, text: `\`${sourceName(wrt)}\` is independent of everything but its own readers` }],
      help: "only paths through that very name count",
    },
  );
}

/** What stops a derivative, said at the request. */
export function explainProblem(problem: Problem, of: Definition, wrt: Definition, span: Span): Diagnostic {
  if (problem.kind === "unsupported") {
    return error("E0190", `${problem.what} cannot be taken yet`, span, {
      labels: [{ span: problem.span, text: "on the path" }],
    });
  }
  const { stopped, through } = problem;
  return error("E0701", `gradient of ${stopped.operation} is not defined`, span, {
    labels: [
      ...(stopped.span ? [{ span: stopped.span, text: "the derivative ends here" }] : []),
      { span: through.span, text: `on the path from \`${of.name}\` to \`${wrt.name}\`` },
    ],
    help: "use it as an index or a condition, wrap it in `stop(…)`, or give the function that contains it a rule with `@fn`",
  });
}

/** Integer scalars that a derived definition uses by value. */
export function addNeeds(program: Program, definition: Definition): void {
  const use = (term: Term): void => {
    for (const v of variablesOf(term)) {
      const scalar = program.scalars.get(v);
      if (scalar) definition.needs.add(scalar);
    }
  };
  for (const axis of definition.axes) use(axis.extent);
  for (const scalar of definition.clauses.flatMap(scalarsOf)) {
    eachScalar(scalar, (part) => {
      if (part.kind === "integer") use(part.term);
    });
  }
}

/** The name that a definition has in the source; a shadowed namesake has a number behind it in the IR. */
function sourceName(definition: Definition): string {
  const text = textOf(definition.span);
  return /^\w+$/.test(text) ? text : definition.name;
}

// This folder answers the requests `@y / @x` of a program: it decides which sweeps are needed, in
// which order, and what they share. The sweeps themselves are in `sweep`.
//
// The definition of a request becomes a read of the adjoint from the backward program. Requests
// inside the numerator of another request are answered first. Requests with one numerator share one
// backward program.

import { gradientNotDefined } from "../sweep/not-defined.ts";
import { error, warning, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { components } from "../../base/components.ts";
import { constantOf, type Term, type Variable } from "../../affine/term.ts";
import { knownOfSizes } from "../../affine/agreeing.ts";
import { variablesOf } from "../../affine/visit.ts";
import { newOpaque } from "../../analyse/facts.ts";
import { eachScalar, scalarsOf, scalarsOfFunction } from "../../ir/parts.ts";
import type { Definition, HostPart, Loop, Program, Request, Scalar } from "../../ir/program.ts";
import { claim } from "../../base/claim.ts";
import { callsOf, functionsFrom, readsOf } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { reachable } from "../../analyse/schedule.ts";
import { textOf, type Span } from "../../base/source.ts";
import { standApart } from "../sweep/apart.ts";
import { giveStep, isByNoStep } from "./given-steps.ts";
import { graphOf } from "../sweep/graph.ts";
import { backward, type Start } from "../sweep/backward.ts";
import type { Backward, Problem, Workshop } from "../sweep/sweep.ts";
import { leftOutOf } from "../legality/left-out.ts";
import { isCarried } from "../data/within/carried.ts";
import { keepCalls, keepCallsInSteps } from "../data/calls.ts";
import { answerSlopes } from "../data/within/slopes.ts";
import { keepProducts } from "../rules/sparse-products.ts";
import { splitContractions } from "../rewrites/split-contractions.ts";
import { splitExpressions } from "../rewrites/split-expressions.ts";
import { measuredBy } from "../transpose/measured.ts";
import { standInSteps } from "./single-steps.ts";
import { splitRunning } from "../rewrites/split-running.ts";
import { stepGraphOf } from "./step-graph.ts";
import { asType, wholeLoops, readCell } from "../sweep/cells.ts";
import { contractJacobians, isJacobian } from "./contractions.ts";
import { eliminateDeltas } from "./deltas.ts";
import { forward } from "../sweep/forward.ts";

/** A derivative that is requested from outside the program, by names. */
export interface Asked {
  readonly of: string;
  readonly wrt: readonly string[];
}

/**
 * Answers the requests of a program. `extents` are known not to be negative. `further` is a request
 * that will be made to the answered program.
 */
export function answerRequests(
  program: Program,
  extents: Iterable<Variable>,
  further?: Asked,
): readonly Diagnostic[] {
  const claimed = (wanted: string): string => claim(program.names, wanted);
  const roots = [...rootsOf(program), ...shownIn(program)];
  const diagnostics: Diagnostic[] = [...answerSlopes(withRules(roots), claimed)];
  const asked = withRules(roots).filter((definition) => definition.request);
  if (asked.length === 0) return diagnostics;
  const nested = derivedAgain(asked, program, further);
  for (const { wrt } of nested) standApart(wrt, claimed);
  const workshop: Workshop = {
    claim: claimed,
    isDerivedAgain: nested.length > 0,
    known: knownOfSizes(program, extents),
    keepCalls,
    keepCallsInSteps,
    keepProducts,
    splitRunning,
    splitContractions,
    splitExpressions,
  };
  const stepless = withRules(roots).filter(
    (definition) => definition.request && isByNoStep(definition),
  );
  const unanswerable = stepless.filter((definition) => !giveStep(definition, workshop.claim));
  const all = reachable(roots);
  if (all.some(isJacobian)) contractJacobians(all, new Set(nested.map(({ wrt }) => wrt)), workshop);
  const requests = withRules(roots).filter((definition) => definition.request);
  for (const request of requests) answerWithinStep(request);
  const across = [
    ...unanswerable,
    ...requests.filter((each) => !unanswerable.includes(each) && isAcrossSteps(each)),
  ];
  for (const request of across) {
    diagnostics.push(acrossSteps(request));
    answer(request, undefined, diagnostics, false);
  }
  if (across.length > 0) return withoutDuplicates(diagnostics);
  for (const { request } of requests)
    if (request!.step !== undefined) standInSteps(request!.of, request!.step, workshop.claim);
  for (const group of byNumerator(requests).flatMap(byQuestion)) {
    const denominators = [...new Set(group.map((definition) => definition.request!.wrt))];
    const question = group[0]!.request!;
    const together = derived(question, denominators, workshop);
    // A problem with one denominator may have nothing to do with the other denominators.
    const alone = (wrt: Definition): Answers =>
      together.problems.length === 0 ? together : derived(question, [wrt], workshop);
    const leftOutBy = leftOutOf(program, question.of);
    for (const request of group) {
      const { of, wrt } = request.request!;
      const { answers, problems } = alone(wrt);
      diagnostics.push(
        ...problems.map((problem) => explainProblem(problem, of, wrt, request.span)),
      );
      const leftOut = problems.length === 0 ? leftOutBy(wrt, request.span) : [];
      diagnostics.push(...leftOut);
      answer(request, answers.get(wrt), diagnostics, problems.length + leftOut.length === 0);
    }
  }
  for (const definition of reachable(roots)) addNeeds(program, definition);
  return withoutDuplicates(diagnostics);
}

/** The requests whose numerator depends on the answer to another request. */
function derivedAgain(
  asked: readonly Definition[],
  program: Program,
  further: Asked | undefined,
): readonly Pick<Request, "of" | "wrt">[] {
  const named = (name: string): readonly Definition[] => {
    const output = program.outputs.get(name);
    return output ? [output.definition] : [];
  };
  const shown = derivationsIn(program.actions).flatMap(({ of, wrt }) => (wrt ? [{ of, wrt }] : []));
  const later = named(further?.of ?? "").flatMap((of) =>
    further!.wrt.flatMap(named).map((wrt) => ({ of, wrt })),
  );
  const questions: readonly Pick<Request, "of" | "wrt" | "step">[] = [
    ...asked.map(({ request }) => request!),
    ...shown,
    ...later,
  ];
  const asks = new Set(asked);
  return questions.filter(({ of, wrt, step }) => {
    // Within its step, the numerator depends on requests in earlier steps only as on constants.
    const { all } = step === undefined ? graphOf(of) : stepGraphOf(of, step, [wrt]);
    return all.some((each) => asks.has(each));
  });
}

/**
 * Everything that the roots may depend on, including the tangents of rules, which may contain
 * requests.
 */
function withRules(roots: readonly Definition[]): readonly Definition[] {
  const found = new Set(roots);
  for (const definition of found) {
    for (const read of readsOf(definition)) found.add(read);
    if (definition.rule) found.add(definition.rule.tangent);
  }
  return [...found];
}

/**
 * Numerators and denominators of derivations that are printed as source. Requests inside them are
 * answered, too.
 */
function shownIn({ actions }: Program): readonly Definition[] {
  return derivationsIn(actions).flatMap(({ of, wrt }) => (wrt ? [of, wrt] : [of]));
}

function derivationsIn(
  actions: Program["actions"],
): readonly Extract<HostPart, { kind: "derivation" }>[] {
  const prints = actions.flatMap((action) => (action.kind === "print" ? action.parts.flat() : []));
  return prints.filter((part) => part.kind === "derivation");
}

/**
 * A request between names that are local to the body of a recurrence:
 *
 *    let w[t in 1..9] = { let p = w[t - 1]; let loss = p * p; p - 0.1 * (@loss / @p) };
 *
 * The numerator depends on the request, by way of earlier steps. So the request is answered within
 * the step. The coordinate of the step is the outermost one around both names.
 */
function answerWithinStep(definition: Definition): void {
  const request = definition.request!;
  const { of, wrt, step, jacobian, shared = [], contracted } = request;
  const isLocal = of.outer > 0 && wrt.outer > 0 && (!jacobian || shared.includes(0));
  if (!isLocal || step !== undefined || contracted || !graphOf(of).all.includes(definition)) return;
  definition.request = { ...request, step: 0 };
}

/**
 * Does a recurrence ask in its own steps for its derivative by a number outside the recurrence?
 * Each step would then need a higher derivative than the step before.
 */
function isAcrossSteps(definition: Definition): boolean {
  return isCarried(definition) && graphOf(definition.request!.of).all.includes(definition);
}

function acrossSteps({ request, span }: Definition): Diagnostic {
  const { of, wrt } = request!;
  const [numerator, denominator] = [sourceName(of), sourceName(wrt)];
  const title =
    `\`${denominator}\` stands at no step of the recurrence in which its derivative is asked ` +
    "for";
  return error("E0708", title, span, {
    labels: [{ span: of.span, text: `\`${numerator}\` depends on what is asked` }],
    help:
      `pass \`${denominator}\` to the function that asks, ` +
      "and take the derivative by that parameter: only paths through that very name count",
  });
}

type Question = Omit<Request, "wrt">;

/**
 * The Jacobian of one definition by another, in closed form if there is one. There is no answer if
 * no path leads from the numerator to the denominator.
 */
export function jacobianOf(
  of: Definition,
  wrt: Definition,
  workshop: Workshop,
): { readonly answer?: Answer | undefined; readonly problems: readonly Problem[] } {
  const { answers, problems } = derived({ of, jacobian: true }, [wrt], workshop);
  return { answer: answers.get(wrt), problems };
}

/** The definition with the answer. A tangent has the coordinates of the denominator first. */
interface Answer {
  readonly definition: Definition;
  readonly isTangent?: true;
}

interface Answers {
  readonly answers: ReadonlyMap<Definition, Answer>;
  readonly problems: readonly Problem[];
}

/**
 * Answers a question for all its denominators, with one backward program. Pushforwards need one
 * sweep for each denominator.
 */
function derived(
  { of, step, jacobian, shared, contracted }: Question,
  denominators: readonly Definition[],
  workshop: Workshop,
): Answers {
  const pullBack = (wrt: readonly Definition[], start: Start): Answers =>
    answersOf(backward(of, wrt, workshop, start));
  if (contracted?.kind === "cotangent") return pullBack(denominators, { seed: contracted.with });
  if (contracted)
    return mergedAnswers(
      denominators.map((wrt) => answersOf(forward(of, wrt, workshop, contracted.with))),
    );
  if (!jacobian) return pullBack(denominators, { step });
  const narrow = denominators.filter((wrt) => step === undefined && !shared && isSmaller(wrt, of));
  const wide = denominators.filter((wrt) => !narrow.includes(wrt));
  return inClosedForm(
    [of, ...denominators],
    mergedAnswers([
      ...narrow.map((wrt) => answersOf(forward(of, wrt, workshop), { isTangent: true })),
      ...(wide.length > 0 ? [pullBack(wide, { eachCell: shared ?? [], step })] : []),
    ]),
    workshop,
  );
}

function inClosedForm(primal: readonly Definition[], found: Answers, { known }: Workshop): Answers {
  const before = new Set(reachable(primal));
  const added = reachable([...found.answers.values()].map((each) => each.definition));
  eliminateDeltas(
    added.filter((definition) => !before.has(definition)),
    newOpaque(),
    known,
  );
  return found;
}

function answersOf({ adjoints, problems }: Backward, as: Omit<Answer, "definition"> = {}): Answers {
  return {
    answers: new Map([...adjoints].map(([wrt, definition]) => [wrt, { definition, ...as }])),
    problems,
  };
}

function mergedAnswers(parts: readonly Answers[]): Answers {
  return {
    answers: new Map(parts.flatMap((part) => [...part.answers])),
    problems: parts.flatMap((part) => part.problems),
  };
}

/** Has the first definition fewer cells? If the extents do not tell, fewer axes. */
function isSmaller(a: Definition, b: Definition): boolean {
  const [left, right] = [a, b].map(cellCount);
  return left !== undefined && right !== undefined ? left < right : a.axes.length < b.axes.length;
}

/** The number of cells, if all extents are numbers. */
function cellCount({ axes }: Pick<Definition, "axes">): number | undefined {
  return axes.reduce<number | undefined>((cells, { extent }) => {
    const fixed = constantOf(extent);
    return cells === undefined || fixed === undefined ? undefined : cells * fixed;
  }, 1);
}

/**
 * Groups of requests with one numerator, in the order in which they are answered. A request on
 * which a numerator depends comes before it. Requests inside a recurrence come first, because all
 * other requests about the recurrence go through them. Inside a recurrence, dependence means
 * dependence within the same step: across steps, every member depends on every other.
 */
function byNumerator(requests: readonly Definition[]): readonly (readonly Definition[])[] {
  const isInside = ({ request }: Definition): boolean => request!.step !== undefined;
  return [
    ...inOrderOfNeed(
      requests.filter(isInside),
      ({ of, step, wrt }) => stepGraphOf(of, step!, [wrt]).all,
    ),
    ...inOrderOfNeed(
      requests.filter((request) => !isInside(request)),
      ({ of }) => graphOf(of).all,
    ),
  ];
}

function inOrderOfNeed(
  requests: readonly Definition[],
  neededFor: (question: Request) => readonly Definition[],
): readonly (readonly Definition[])[] {
  const numerators = [...new Set(requests.map((definition) => definition.request!.of))];
  const asked = numerators.map((numerator) =>
    requests.filter((request) => request.request!.of === numerator),
  );
  const within = asked.map((own) => {
    const needed = new Set(own.flatMap((request) => neededFor(request.request!)));
    return asked.flatMap((others, k) =>
      others !== own && others.some((request) => needed.has(request)) ? [k] : [],
    );
  });
  return components(numerators.length, (k) => within[k]!).flatMap((group) =>
    group.map((k) => asked[k]!),
  );
}

/** Groups of requests that one sweep answers. */
function byQuestion(requests: readonly Definition[]): readonly (readonly Definition[])[] {
  const areAnsweredTogether = ({ request: a }: Definition, { request: b }: Definition): boolean =>
    a!.step === b!.step &&
    a!.jacobian === b!.jacobian &&
    a!.shared?.join() === b!.shared?.join() &&
    a!.contracted?.kind === b!.contracted?.kind &&
    a!.contracted?.with === b!.contracted?.with;
  const groups: Definition[][] = [];
  for (const request of requests) {
    const group = groups.find(([first]) => areAnsweredTogether(first!, request));
    if (group) group.push(request);
    else groups.push([request]);
  }
  return groups;
}

function answer(
  request: Definition,
  found: Answer | undefined,
  diagnostics: Diagnostic[],
  isValid: boolean,
): void {
  const loops = wholeLoops(request);
  const { of, wrt } = request.request!;
  const { span, element: type } = request;
  const value: Scalar = found
    ? cellOf(found, inOrder(loops, request.request!), wrt, span)
    : { kind: "constant", type, value: 0 };
  request.clauses = [
    { loops, guards: [], body: { kind: "map", value: asType(value, type) }, span },
  ];
  if (!found && isValid) diagnostics.push(zeroDerivative(of, wrt, span));
}

/**
 * The coordinates in the order of the answer. Coordinates that numerator and denominator share
 * stand with those of the denominator. A step that is not shared belongs to the denominator alone.
 */
function inOrder(
  loops: readonly Loop[],
  { of, step, shared = [], contracted }: Request,
): readonly Loop[] {
  // The answer of a contraction has no coordinates of the weighed side.
  if (contracted) return loops;
  const axes = [...of.axes.keys()].filter((axis) => axis !== step || shared.includes(axis));
  const lanes = axes.flatMap((axis, k) => (shared.includes(axis) ? [] : [loops[k]!]));
  return [
    ...lanes,
    ...shared.map((axis) => loops[axes.indexOf(axis)]!),
    ...loops.slice(axes.length),
  ];
}

/** A cell of an answer, at the coordinates of the numerator and then those of the denominator. */
export function cellOf(found: Answer, loops: readonly Loop[], wrt: Definition, span: Span): Scalar {
  const rank = loops.length - wrt.axes.length;
  const order = found.isTangent ? [...loops.slice(rank), ...loops.slice(0, rank)] : loops;
  return readCell(found.definition, order, span);
}

/** A mistake that spoils several requests is reported once. */
function withoutDuplicates(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ title, span }: Diagnostic): string => `${title} ${span?.start} ${span?.end}`;
  return [...new Map(diagnostics.map((each) => [keyOf(each), each] as const)).values()];
}

/** The warning that no path leads from the numerator to the denominator. */
export function zeroDerivative(of: Definition, wrt: Definition, span: Span): Diagnostic {
  return warning(
    "W0701",
    `\`${sourceName(of)}\` does not depend on \`${sourceName(wrt)}\`: this derivative is 0`,
    span,
    {
      labels: [
        {
          span: wrt.span,
          text: `\`${sourceName(wrt)}\` is independent of everything but its own readers`,
        },
      ],
      help: "only paths through that very name count",
    },
  );
}

/** The error for a derivative that ends at an operation, reported at the request. */
export function explainProblem(
  { stopped, through }: Problem,
  of: Definition,
  wrt: Definition,
  span: Span,
): Diagnostic {
  const path = { span: through.span, text: `on the path from \`${of.name}\` to \`${wrt.name}\`` };
  return gradientNotDefined(stopped, span, [path]);
}

/** Adds the integer scalars that a derived definition uses by value to its needs. */
export function addNeeds(program: Program, definition: Definition): void {
  const use = (needs: Set<Definition>, term: Term): void => {
    for (const v of variablesOf(term)) {
      const scalar = program.scalars.get(v) ?? addMeasured(program, v);
      if (scalar) needs.add(scalar);
    }
  };
  const useIn = (needs: Set<Definition>, scalars: readonly Scalar[]): void => {
    for (const scalar of scalars)
      eachScalar(scalar, (part) => {
        if (part.kind === "integer") use(needs, part.term);
      });
  };
  for (const axis of definition.axes) use(definition.needs, axis.extent);
  useIn(definition.needs, definition.clauses.flatMap(scalarsOf));
  for (const called of callsOf(definition))
    for (const each of functionsFrom(called)) useIn(each.needs, scalarsOfFunction(each));
}

/** Adds a scalar that a rule has measured to the scalars of the program. */
function addMeasured(program: Program, v: Variable): Definition | undefined {
  const scalar = measuredBy(v);
  if (!scalar) return undefined;
  program.scalars.set(v, scalar);
  for (const definition of reachable([scalar])) addNeeds(program, definition);
  return scalar;
}

/**
 * The name of a definition in the source. A shadowed name has no number there, as `x` for `x_2`. A
 * definition without a name is shown as its text.
 */
function sourceName({ span, origin, name }: Definition): string {
  const text = textOf(span);
  const isNumbered = origin === "helper" && /_\d+$/.test(name);
  return /^\w+$/.test(text) || (isNumbered && text !== "") ? text : name;
}

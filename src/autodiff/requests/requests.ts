// Answers every request `@y / @x` of a program: its definition becomes a read of the adjoint that
// the backward program gives. Requests inside the numerator of another are answered first; requests
// with one numerator share one backward program.

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

/** A derivative that is asked for from outside the text, by names of the program. */
export interface Asked {
  readonly of: string;
  readonly wrt: readonly string[];
}

/** `extents` are known not to be negative; `further` is asked about the answered program later. */
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
  const again = derivedAgain(asked, program, further);
  for (const { wrt } of again) standApart(wrt, claimed);
  const workshop: Workshop = {
    claim: claimed,
    isDerivedAgain: again.length > 0,
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
  const stuck = stepless.filter((definition) => !giveStep(definition, workshop.claim));
  const all = reachable(roots);
  if (all.some(isJacobian)) contractJacobians(all, new Set(again.map(({ wrt }) => wrt)), workshop);
  const requests = withRules(roots).filter((definition) => definition.request);
  for (const request of requests) answerWithinStep(request);
  const across = [
    ...stuck,
    ...requests.filter((each) => !stuck.includes(each) && isAcrossSteps(each)),
  ];
  for (const request of across) {
    diagnostics.push(acrossSteps(request));
    answer(request, undefined, diagnostics, false);
  }
  if (across.length > 0) return distinct(diagnostics);
  for (const { request } of requests)
    if (request!.step !== undefined) standInSteps(request!.of, request!.step, workshop.claim);
  for (const group of byNumerator(requests).flatMap(byQuestion)) {
    const denominators = [...new Set(group.map((definition) => definition.request!.wrt))];
    const question = group[0]!.request!;
    const together = derived(question, denominators, workshop);
    // What stops the derivative by one denominator may have nothing to do with another.
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
  return distinct(diagnostics);
}

/** The questions about derivatives: those whose numerator depends on the answer to another. */
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
    // Within its step, a numerator depends on what is asked in earlier steps as on constants.
    const { all } = step === undefined ? graphOf(of) : stepGraphOf(of, step, [wrt]);
    return all.some((each) => asks.has(each));
  });
}

/**
 * Whatever the roots may depend on once derivatives are there: the tangents that rules give ask
 * questions too.
 */
function withRules(roots: readonly Definition[]): readonly Definition[] {
  const found = new Set(roots);
  for (const definition of found) {
    for (const read of readsOf(definition)) found.add(read);
    if (definition.rule) found.add(definition.rule.tangent);
  }
  return [...found];
}

/** What is printed as source, not as numbers: its own requests are answered all the same. */
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
 * A request between names that are local to the body of a recurrence, `{ let p = w[t - 1]; let loss
 * = …; @loss / @p }`, is part of what its own numerator depends on: it is answered within the step,
 * whose coordinate is the outermost one around both.
 */
function answerWithinStep(definition: Definition): void {
  const request = definition.request!;
  const { of, wrt, step, jacobian, shared = [], contracted } = request;
  const isLocal = of.outer > 0 && wrt.outer > 0 && (!jacobian || shared.includes(0));
  if (!isLocal || step !== undefined || contracted || !graphOf(of).all.includes(definition)) return;
  definition.request = { ...request, step: 0 };
}

/**
 * How the cells of a recurrence move with a number around it, where their own steps ask for that:
 * each step would take an order more.
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
 * The Jacobian of one definition by another, in closed form where there is one; nothing where no
 * path leads there.
 */
export function jacobianOf(
  of: Definition,
  wrt: Definition,
  workshop: Workshop,
): { readonly answer?: Answer | undefined; readonly problems: readonly Problem[] } {
  const { answers, problems } = derived({ of, jacobian: true }, [wrt], workshop);
  return { answer: answers.get(wrt), problems };
}

/**
 * The definition that has the answer; a tangent has the denominator's coordinates before the
 * numerator's.
 */
interface Answer {
  readonly definition: Definition;
  readonly isTangent?: true;
}

interface Answers {
  readonly answers: ReadonlyMap<Definition, Answer>;
  readonly problems: readonly Problem[];
}

/**
 * One backward program for all denominators of a question; what is pushed forward goes one
 * denominator at a time.
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
    return joined(
      denominators.map((wrt) => answersOf(forward(of, wrt, workshop, contracted.with))),
    );
  if (!jacobian) return pullBack(denominators, { step });
  const narrow = denominators.filter((wrt) => step === undefined && !shared && isSmaller(wrt, of));
  const wide = denominators.filter((wrt) => !narrow.includes(wrt));
  return inClosedForm(
    [of, ...denominators],
    joined([
      ...narrow.map((wrt) => answersOf(forward(of, wrt, workshop), { isTangent: true })),
      ...(wide.length > 0 ? [pullBack(wide, { eachCell: shared ?? [], step })] : []),
    ]),
    workshop,
  );
}

function inClosedForm(primal: readonly Definition[], found: Answers, { known }: Workshop): Answers {
  const before = new Set(reachable(primal));
  const made = reachable([...found.answers.values()].map((each) => each.definition));
  eliminateDeltas(
    made.filter((definition) => !before.has(definition)),
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

function joined(parts: readonly Answers[]): Answers {
  return {
    answers: new Map(parts.flatMap((part) => [...part.answers])),
    problems: parts.flatMap((part) => part.problems),
  };
}

/** Which of two has fewer cells; where extents do not tell, fewer axes. */
function isSmaller(a: Definition, b: Definition): boolean {
  const [left, right] = [a, b].map(cellsOf);
  return left !== undefined && right !== undefined ? left < right : a.axes.length < b.axes.length;
}

/** How many cells a definition has, where the extents are numbers. */
function cellsOf({ axes }: Pick<Definition, "axes">): number | undefined {
  return axes.reduce<number | undefined>((cells, { extent }) => {
    const fixed = constantOf(extent);
    return cells === undefined || fixed === undefined ? undefined : cells * fixed;
  }, 1);
}

/**
 * Requests with one numerator together; those that a numerator depends on before it. Requests
 * inside a recurrence come first, since whatever else asks about the recurrence goes through them.
 * There a numerator depends on what its own step reads: as a whole, everything in a recurrence
 * depends on everything.
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

/** Requests with one numerator that one sweep answers together. */
function byQuestion(requests: readonly Definition[]): readonly (readonly Definition[])[] {
  const isSame = ({ request: a }: Definition, { request: b }: Definition): boolean =>
    a!.step === b!.step &&
    a!.jacobian === b!.jacobian &&
    a!.shared?.join() === b!.shared?.join() &&
    a!.contracted?.kind === b!.contracted?.kind &&
    a!.contracted?.with === b!.contracted?.with;
  const groups: Definition[][] = [];
  for (const request of requests) {
    const group = groups.find(([first]) => isSame(first!, request));
    if (group) group.push(request);
    else groups.push([request]);
  }
  return groups;
}

function answer(
  request: Definition,
  found: Answer | undefined,
  diagnostics: Diagnostic[],
  fine: boolean,
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
  if (!found && fine) diagnostics.push(zeroDerivative(of, wrt, span));
}

/**
 * Coordinates that numerator and denominator share stand with the denominator's; a step that is not
 * listed among them is there alone.
 */
function inOrder(
  loops: readonly Loop[],
  { of, step, shared = [], contracted }: Request,
): readonly Loop[] {
  // A contraction has no coordinates of what it weighs.
  if (contracted) return loops;
  const axes = [...of.axes.keys()].filter((axis) => axis !== step || shared.includes(axis));
  const lanes = axes.flatMap((axis, k) => (shared.includes(axis) ? [] : [loops[k]!]));
  return [
    ...lanes,
    ...shared.map((axis) => loops[axes.indexOf(axis)]!),
    ...loops.slice(axes.length),
  ];
}

/** A cell of an answer, at the numerator's coordinates and then the denominator's. */
export function cellOf(found: Answer, loops: readonly Loop[], wrt: Definition, span: Span): Scalar {
  const rank = loops.length - wrt.axes.length;
  const order = found.isTangent ? [...loops.slice(rank), ...loops.slice(0, rank)] : loops;
  return readCell(found.definition, order, span);
}

/** One mistake is one message, however many questions it spoils. */
function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ title, span }: Diagnostic): string => `${title} ${span?.start} ${span?.end}`;
  return [...new Map(diagnostics.map((each) => [keyOf(each), each] as const)).values()];
}

/** No path leads from the numerator to the denominator. */
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

/** What stops a derivative, said at the request. */
export function explainProblem(
  { stopped, through }: Problem,
  of: Definition,
  wrt: Definition,
  span: Span,
): Diagnostic {
  const path = { span: through.span, text: `on the path from \`${of.name}\` to \`${wrt.name}\`` };
  return gradientNotDefined(stopped, span, [path]);
}

/** Integer scalars that a derived definition uses by value. */
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

/** A scalar that a rule has measured, from now on one of the program's. */
function addMeasured(program: Program, v: Variable): Definition | undefined {
  const made = measuredBy(v);
  if (!made) return undefined;
  program.scalars.set(v, made);
  for (const definition of reachable([made])) addNeeds(program, definition);
  return made;
}

/**
 * The name that a definition has in the source, where a shadowed namesake has no number behind it;
 * what has none there is shown as it stands.
 */
function sourceName({ span, origin, name }: Definition): string {
  const text = textOf(span);
  const isNumbered = origin === "helper" && /_\d+$/.test(name);
  return /^\w+$/.test(text) || (isNumbered && text !== "") ? text : name;
}

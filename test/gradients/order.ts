// The growth of the work of gradients with the extents, compared with the work of the numerator.
// The work is computed from the polynomials that the compiler counts; nothing is run.
//
//   let loss = sum[i, k](sum[j](A[i, j] * B[j, k]) ** 2); let g = @loss / @A;
//
// With 64 cells along each axis, loss takes 1.1 million operations and both together 3.2 million,
// which is 2.9 times as much. With 1,024 cells the ratio is 3: it grows by 3 %.
//
// All extents have one size. So have the numbers that only a run knows, such as the length of a
// sparse row or the number of calls: the work of a gradient may not contain their square either.

import { constantOf } from "../../src/affine/term.ts";
import { asWritten } from "../../src/autodiff/sweep/as-written.ts";
import { answerRequests } from "../../src/autodiff/requests/requests.ts";
import { check } from "../../src/check/check.ts";
import {
  evaluate,
  number,
  ofTerm,
  plus,
  times,
  type Polynomial,
} from "../../src/cost/polynomial.ts";
import { totalWork, workBy, workOf } from "../../src/cost/work.ts";
import { normalise } from "../../src/lower/normalise.ts";
import type { Axis, Definition, Program, Request } from "../../src/ir/program.ts";
import { switchOff, type Rewrite } from "../../src/ir/rewrites.ts";
import { rootsOf } from "../../src/ir/roots.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import { waysWithParameters } from "./as-parameters.ts";

/** A program with its derivatives. `undefined` if the program is wrong. */
export function derivedProgram(text: string, off: readonly Rewrite[] = []): Program | undefined {
  const { module, diagnostics, damage } = parse({ name: "test.ein", text });
  const { checker, program: typed } = check(module, { damage });
  const isWrong = [...diagnostics, ...checker.diagnostics].some(({ level }) => level === "error");
  if (isWrong) return undefined;
  const program = normalise(checker, typed);
  switchOff(off);
  try {
    const answered = answerRequests(program, checker.extents);
    return answered.some(({ level }) => level === "error") ? undefined : program;
  } finally {
    switchOff([]);
  }
}

/** A program with its numbers as parameters, in the first way that keeps its meaning. */
export function withParameters(text: string, off?: readonly Rewrite[]): Program | undefined {
  for (const way of waysWithParameters(text)) {
    const program = derivedProgram(way, off);
    // A parameter that must have a fixed value is no parameter.
    const isFree = program?.agreements.every(
      ({ left, right }) => constantOf(left) === undefined && constantOf(right) === undefined,
    );
    if (program && isFree) return program;
  }
  return undefined;
}

/** The work of some definitions and of everything that they read. */
export function workFor(roots: readonly Definition[]): Polynomial {
  return plus(...reachable(roots).map((definition) => totalWork(workOf(definition))));
}

/** All requests for derivatives of one numerator of one kind. */
export interface Question {
  readonly of: string;
  readonly wrt: readonly string[];
  /** The work of the numerator: as written, and as rewritten by its derivatives. */
  readonly primal: readonly [written: Polynomial, rewritten: Polynomial];
  /** The work of the numerator and of all derivatives in one program. */
  readonly both: Polynomial;
  /** The cells of all denominators. Cells without a derivative are filled with 0. */
  readonly filled: Polynomial;
  /** The number of passes: the cells of the smaller side of a free Jacobian, or 1. */
  readonly passes: (size: number) => number;
}

export function questionsIn(program: Program): readonly Question[] {
  const known = new Map<Definition, Polynomial>();
  const workOfOne = (definition: Definition): Polynomial => {
    if (!known.has(definition)) known.set(definition, totalWork(workOf(definition)));
    return known.get(definition)!;
  };
  const workOfAll = (definitions: readonly Definition[]): Polynomial =>
    plus(...definitions.map(workOfOne));
  const asking = reachable(rootsOf(program)).filter(({ request }) => request);
  const questions = new Map<string, Definition[]>();
  const names = new Map<Definition, string>();
  const nameOf = (definition: Definition | undefined): string => {
    if (!definition) return "";
    names.set(definition, names.get(definition) ?? String(names.size));
    return names.get(definition)!;
  };
  for (const definition of asking) {
    const { of, contracted } = definition.request!;
    // A tensor that is weighted in two ways counts as two numerators, and each Jacobian as one.
    const own = isFreeJacobian(definition.request!) ? nameOf(definition) : "";
    const key = [nameOf(of), nameOf(contracted?.with), own].join();
    questions.set(key, [...(questions.get(key) ?? []), definition]);
  }
  return [...questions.values()].map((answers) => {
    const request = answers[0]!.request!;
    const { of } = request;
    const written = [...asWritten([of])].map(([name, definition]) =>
      name === definition ? workOfOne(name) : totalWork(workBy(name, definition.clauses)),
    );
    return {
      of: of.name,
      wrt: answers.map((answer) => answer.request!.wrt.name),
      primal: [plus(...written), workOfAll(reachable([of]))],
      both: workOfAll(reachable([of, ...answers])),
      filled: plus(...answers.map((answer) => cellsOf(answer.request!.wrt.axes))),
      passes: (size) => (isFreeJacobian(request) ? cellsOfSmallerSide(request, size) : 1),
    };
  });
}

function isFreeJacobian({ jacobian, contracted }: Request): boolean {
  return jacobian === true && !contracted;
}

/** Shared coordinates, and the step of a recurrence, do not count twice. */
function cellsOfSmallerSide({ of, wrt, shared = [], step }: Request, size: number): number {
  const cells = (axes: readonly Axis[]): number => at(cellsOf(axes), size);
  const own = of.axes.filter((_, k) => k !== step && !shared.includes(k));
  return Math.max(1, Math.min(cells(own), cells(wrt.axes.slice(shared.length))));
}

function cellsOf(axes: readonly Axis[]): Polynomial {
  return axes.reduce((product, { extent }) => times(product, ofTerm(extent)), number(1));
}

function at(polynomial: Polynomial, size: number): number {
  return evaluate(polynomial, { extent: () => size, data: () => size });
}

/**
 * The work of one pass, with the numerator, over the work of the numerator. Filling the cells of
 * the answers is added to the numerator's work: `@x[0] / @x` has as many cells as x.
 */
export function ratioAt({ primal, both, filled, passes }: Question, size: number): number {
  const own = Math.min(...primal.map((work) => at(work, size)));
  const pass = (at(both, size) - own) / passes(size);
  return (own + pass) / (own + at(filled, size));
}

/** The ratio for large extents over the ratio for small extents. */
export function growthOf(question: Question): number {
  return ratioAt(question, 1024) / ratioAt(question, 64);
}

/** Whether the work of a numerator grows with the extents. */
export function isAboutExtents({ primal: [written] }: Question): boolean {
  return at(written, 1024) !== at(written, 64);
}

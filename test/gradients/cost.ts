// The work of a program's gradients against that of its primal, from the IR.

import { asWritten } from "../../src/autodiff/as-written.ts";
import { answerRequests } from "../../src/autodiff/requests.ts";
import { check } from "../../src/check/check.ts";
import { evaluate, ofTerm, type Sizes } from "../../src/ir/cost/polynomial.ts";
import { totalWork, workOfAll, type Work } from "../../src/ir/cost/work.ts";
import { normalise } from "../../src/ir/normalise.ts";
import type { Definition, Program } from "../../src/ir/program.ts";
import { rootsOf } from "../../src/ir/roots.ts";
import { reachable } from "../../src/ir/schedule.ts";
import { parse } from "../../src/syntax/parser.ts";

/** All requests that weigh one numerator in one way, against the numerator alone. */
export interface Ratio {
  readonly of: string;
  readonly wrt: readonly string[];
  /** Of all denominators together. */
  readonly cells: number;
  /** The answers are part of another numerator: they have kept what its gradient takes, which is counted with both. */
  readonly isAskedAbout: boolean;
  /** The numerator's work, by the clauses that the program has. */
  readonly written: number;
  /** As written, or as the sweep has rewritten it, if that is less. */
  readonly primal: number;
  /** Without the cells that are only filled because no clause owns them. */
  readonly both: number;
}

/** Extents that no number is known for, large enough that constants do not decide. */
export const small: Sizes = { extent: (v) => 7 + (v.name.length % 3), data: () => 4 };
/** So large that only the longest walks count. */
export const large: Sizes = { extent: (v) => 500 + (v.name.length % 3), data: () => 20 };

export function ratiosOf(text: string, sizes: Sizes = small): readonly Ratio[] {
  const program = derivedProgram(text);
  return program ? ratiosIn(program, sizes) : [];
}

export function derivedProgram(text: string): Program | undefined {
  const { module, diagnostics, damage } = parse({ name: "test.ein", text });
  const { checker, program: typed } = check(module, { damage });
  const program = normalise(checker, typed);
  const answered = answerRequests(program, checker.extents);
  const wrong = [...diagnostics, ...checker.diagnostics, ...answered].some(
    ({ level }) => level === "error",
  );
  return wrong ? undefined : program;
}

export function ratiosIn(program: Program, sizes: Sizes = small): readonly Ratio[] {
  const requests = reachable(rootsOf(program)).filter(
    ({ request }) => request && !request.jacobian,
  );
  // A tensor that is weighed in two ways is two numerators.
  const questions = new Map<Definition, Map<Definition | undefined, Definition[]>>();
  for (const definition of requests) {
    const { of, contracted } = definition.request!;
    const ways = questions.get(of) ?? new Map<Definition | undefined, Definition[]>();
    questions.set(of, ways);
    ways.set(contracted?.with, [...(ways.get(contracted?.with) ?? []), definition]);
  }
  const asking = [...questions].flatMap(([of, ways]) =>
    [...ways.values()].map((asked) => ({ of, asked })),
  );
  const within = new Map([...questions.keys()].map((of) => [of, new Set(reachable([of]))]));
  const isPartOf = (other: Definition, answers: readonly Definition[]): boolean =>
    answers.some((answer) => within.get(other)!.has(answer));
  return asking.map(({ of, asked }) => {
    const [written, rewritten] = [workOfAll(asWritten([of])), workFor([of])].map((work) =>
      evaluate(totalWork(work), sizes),
    );
    const both = workFor([of, ...asked]);
    return {
      of: of.name,
      wrt: asked.map((definition) => definition.request!.wrt.name),
      cells: asked.reduce((total, { request }) => total + cellsOf(request!.wrt, sizes), 0),
      isAskedAbout: [...questions.keys()].some((other) => other !== of && isPartOf(other, asked)),
      written: written!,
      primal: Math.min(written!, rewritten!),
      both: evaluate(totalWork(both), sizes),
    };
  });
}

function cellsOf({ axes }: Definition, sizes: Sizes): number {
  return axes.reduce((cells, { extent }) => cells * evaluate(ofTerm(extent), sizes), 1);
}

export function workFor(roots: readonly Definition[]): Work {
  return workOfAll(reachable(roots));
}

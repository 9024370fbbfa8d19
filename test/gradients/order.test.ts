// A gradient takes a constant times the work of what is differentiated, whatever the extents are.
// So the ratio of the two may not grow with the extents: by less than 20 % from 64 to 1,024.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Rewrite } from "../../src/ir/rewrites.ts";
import { askingPrograms } from "../ablate/programs.ts";
import {
  derivedProgram,
  growthOf,
  isAboutExtents,
  questionsIn,
  ratioAt,
  withParameters,
  type Question,
} from "./order.ts";
import { waysWithParameters } from "./as-parameters.ts";

const programs = askingPrograms(fileURLToPath(new URL("../..", import.meta.url)));
const textOf = new Map(programs.map(({ name, text }) => [name, text]));

const allowed = 1.2;

/** Programs whose gradients take more, by order. Each of them is a defect. */
const tooMuch: readonly string[] = [
  // The range of a running sum ends where a row ends that data bounds. Each term is sent back once
  // for each cell behind it: y[i] = sum[j in 0..n / i](sum[k in 0..j](x[k]) ** 2).
  "test/cases/07-ranges/bounds-under-conditions: @s / @x",
  // In a Jacobian that is not contracted, what a call keeps is not kept: each lane calls the
  // tangent again, for every cell that moves.
  "test/cases/09-derivatives/products-that-their-recurrence-bounds: @h / @a",
  "test/cases/09-derivatives/recursion-within-steps-reads-around: @du / @w",
  // Six scatters into one table are added up cell by cell, beside steps that visit few of its
  // cells. The ratio tends to 10, as often as the cells of the table are filled and read.
  "a particle on a grid: @loss / @V, @x0",
];

/** Programs whose numbers do not become parameters. They are looked at as they are written. */
const withNumbers: readonly string[] = [
  // Numbers that are data, and stand where a type is written.
  "a struct with an array out of recursion",
  "test/cases/04-data/functions-in-modules-and-trees",
  // Arrays that hold a name, as long as others that do not.
  "test/cases/09-derivatives/factors-that-guards-leave-out-in-steps",
  "test/cases/09-derivatives/steps-that-guards-on-coordinates-filter",
  // A step that is named by its number.
  "test/cases/09-derivatives/requests-about-single-steps",
];

interface Asked {
  readonly questions: readonly Question[];
  /** Whether the program has numbers that did not become parameters. */
  readonly isStuck: boolean;
}

/** What a program is asked for, by the first way in which its numbers are parameters. */
function askedOf(text: string, off?: readonly Rewrite[]): Asked {
  const general = withParameters(text, off);
  const program = general ?? derivedProgram(text, off);
  // Some cases are wrong programs, and ask for nothing.
  if (!program) return { questions: [], isStuck: false };
  const isStuck = !general && waysWithParameters(text).length > 0;
  return { questions: questionsIn(program), isStuck };
}

describe("the ratio of gradients to what is differentiated does not grow", () => {
  let depending = 0;

  test.each(programs)("in $name", ({ name, text }) => {
    const { questions, isStuck } = askedOf(text);
    expect(isStuck).toBe(withNumbers.includes(name));
    depending += questions.filter(isAboutExtents).length;
    const asked = new Map(
      questions.map((question) => [
        `${name}: @${question.of} / @${question.wrt.join(", @")}`,
        question,
      ]),
    );
    const growing = [...asked].filter(([, question]) => growthOf(question) >= allowed);
    // A question that no longer grows leaves the list.
    expect(growing.map(([key, each]) => [key, ratioAt(each, 64), ratioAt(each, 1024)])).toEqual(
      tooMuch
        .filter((key) => key.startsWith(`${name}: `))
        .map((key) => [key, expect.any(Number), expect.any(Number)]),
    );
  });

  test("and nearly all of them depend on extents", () => {
    expect(depending).toBeGreaterThan(800);
  });
});

describe("order", () => {
  // Each of these rules keeps the order of some gradients: the test notices where it is missing.
  test.each<readonly [Rewrite, string]>([
    ["split-running", "linear attention"],
    ["split-running", "pairs within segments"],
    ["running", "monotone attention in logarithms"],
    ["running", "a running product in steps"],
    ["keep-products", "scattered products"],
    ["keep-products", "test/cases/09-derivatives/products-within-steps"],
    ["keep-calls", "a tower of powers"],
    ["keep-calls", "rows out of recursion"],
    ["split-contractions", "a chain of five matrices"],
    ["split-contractions", "a graph whose edges are normalised by degrees"],
  ])("hangs on %s in %s", (rule, name) => {
    const { questions } = askedOf(textOf.get(name)!);
    expect(questions.map(growthOf).filter((growth) => growth >= allowed)).toEqual([]);
    // What is differentiated is what the whole compiler makes of it.
    const without = askedOf(textOf.get(name)!, [rule]).questions.map((question, k) =>
      growthOf({ ...question, primal: questions[k]!.primal }),
    );
    expect(Math.max(...without)).toBeGreaterThan(8);
  });
});

// A gradient takes a constant times the work of its numerator, whatever the extents are. So the
// ratio of the two may grow by less than 20 % from 64 to 1,024 cells.

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

/** Programs whose gradients have a higher order of work. Each of them is a defect. */
const tooMuch: readonly string[] = [
  // The range of a running sum ends at the end of a row, which data decides. Each term is sent back
  // once for each later cell: y[i] = sum[j in 0..n / i](sum[k in 0..j](x[k]) ** 2).
  "test/cases/07-ranges/bounds-under-conditions: @s / @x",
  // In a Jacobian that is not contracted, the values inside a call are not kept. Each lane calls
  // the tangent again for every moving cell.
  "test/cases/09-derivatives/products-that-their-recurrence-bounds: @h / @a",
  "test/cases/09-derivatives/recursion-within-steps-reads-around: @du / @w",
  // Six scatters into one table are added cell by cell, beside steps that visit few of its cells.
  // The ratio tends to 10, the number of times that the cells of the table are filled and read.
  "a particle on a grid: @loss / @V, @x0",
];

/** Programs with numbers that cannot become parameters. They are tested as they are written. */
const withNumbers: readonly string[] = [
  // Numbers that are data, and numbers in types.
  "a struct with an array out of recursion",
  "test/cases/04-data/functions-in-modules-and-trees",
  // Arrays with names in them, as long as arrays without names.
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

/** The requests of a program, in the first way in which its numbers become parameters. */
function askedOf(text: string, off?: readonly Rewrite[]): Asked {
  const general = withParameters(text, off);
  const program = general ?? derivedProgram(text, off);
  // Some cases are wrong programs, without requests.
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
    // A question that does not grow must leave the list.
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
  // Each of these rules keeps the order of some gradients. The test shows that the order grows
  // without the rule.
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
    // The numerator is the one that the complete compiler makes.
    const without = askedOf(textOf.get(name)!, [rule]).questions.map((question, k) =>
      growthOf({ ...question, primal: questions[k]!.primal }),
    );
    expect(Math.max(...without)).toBeGreaterThan(8);
  });
});

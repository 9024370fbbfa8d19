// What an expression of one cell takes at each point, alone and with its derivatives: what
// splitting it is weighed by.

import { variable } from "../../affine/term.ts";
import { workAtPoint } from "../../cost/tally.ts";
import { keyOf } from "../../ir/keys.ts";
import { holding } from "../../analyse/opposite.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import type { FloatType } from "../../scalar/types.ts";
import { usesAny } from "../../analyse/ties.ts";
import { nowhere } from "../../base/source.ts";
import { newDefinition, readCell } from "../sweep/cells.ts";
import { sumOfCounting } from "./choices.ts";
import { tangentType } from "../legality/handed-on.ts";
import { linearize, type Coefficient } from "../scalar/linearize.ts";
import { isSmallFactor } from "../rules/other-factors.ts";
import { algebraOf, productScalar, withQuotients } from "../scalar/products.ts";

/** The points at which an expression is computed. */
export interface Site {
  readonly loops: readonly Loop[];
  /** Those along which nothing is stored but what is read. */
  readonly unstored: readonly Loop[];
  /** Which of the points count. */
  readonly guards: readonly Scalar[];
  readonly varies: (definition: Definition) => boolean;
  readonly isRecurrent: boolean;
  /** Which definitions read themselves. */
  readonly isInSteps: (definition: Definition) => boolean;
  /** Along which its recurrence goes on, from cell to cell. */
  readonly steps: readonly Loop[];
  /**
   * Which definitions have their cells at the points: what comes back to those is computed there,
   * together.
   */
  readonly isHere: (definition: Definition) => boolean;
}

/** What one point takes in the primal, and in the program with the derivatives. */
export interface PointWork {
  readonly own: number;
  readonly both: number;
  /**
   * The reads that get something, by their structure, and those that get what comes in as it is.
   */
  readonly sent: readonly string[];
  readonly handedOn: readonly string[];
}

/**
 * What stands before the derivatives of an expression, and what one point of it takes in the primal
 * and in the program with its derivatives.
 */
export interface Way {
  readonly leads: (value: Scalar) => readonly Scalar[];
  readonly own: (work: number) => number;
  readonly both: (work: number, value: Scalar) => number;
  /** The value itself, where it is there afterwards. */
  readonly result?: Scalar;
  /** The cell itself, or what its reduction keeps, is as large as a part. */
  readonly isStored: boolean;
  /** The reduction puts something before every derivative: all of the expression may be a part. */
  readonly isWeighed: boolean;
}

const standInFor = (name: string): Scalar =>
  readCell(newDefinition(name, "f32", [], [], nowhere), [], nowhere);

/** The gradient that comes in, the cell, and what a product has before and behind a factor. */
export const [incoming, result, before, behind] = ["d", "y", "before", "behind"].map(
  standInFor,
) as [Scalar, Scalar, Scalar, Scalar];

/** How many elements a mean has: a number. */
const count: Scalar = {
  kind: "parameter",
  type: "f32",
  parameter: { name: "n", type: "f32", variable: variable("n") },
};

export const asCell = ofCell([incoming]);

function ofCell(gradient: readonly Scalar[]): Way {
  return { ...ofSum(gradient), result, isStored: true };
}

function ofSum(gradient: readonly Scalar[]): Way {
  const added = (work: number): number => work + 1;
  return { leads: () => gradient, own: added, both: added, isStored: false, isWeighed: false };
}

/** Nothing for reductions that send everything to one element, or nothing at all. */
export function wayOf(
  body: Clause["body"],
  gradient: readonly Scalar[],
  isRecurrent: boolean,
): Way | undefined {
  if (body.kind === "map") return ofCell(gradient);
  switch (body.reduction) {
    case "sum":
      return ofSum(gradient);
    case "mean":
      return { ...ofSum([...gradient, count]), isWeighed: true };
    case "logsumexp": {
      const leads = (value: Scalar): readonly Scalar[] => {
        const algebra = algebraOf(value.type as FloatType, nowhere);
        return [...gradient, algebra.apply("exp", algebra.apply("subtract", value, result))];
      };
      const added = (work: number): number => work + 4;
      return { ...ofSum(gradient), isWeighed: true, leads, own: added, both: added };
    }
    case "prod": {
      // The factors are kept, unless they are small, and so is what stands before and behind each.
      const kept = (work: number, value: Scalar): number =>
        (isSmallFactor(value) ? 2 * work : work + 3) + 4;
      const whole = { ...ofSum(gradient), isStored: true, isWeighed: true };
      // In steps the product is taken beside them, and the gradient is still being made.
      return isRecurrent
        ? {
            ...whole,
            leads: () => [...gradient, before, behind],
            both: (work, value) => work + 1 + kept(work, value),
          }
        : { ...whole, leads: () => [behind, before], both: kept };
    }
    case "max":
    case "min":
    case "argmax":
    case "argmin":
    case "any":
    case "all":
    case "count":
      return undefined;
    default:
      return body.reduction satisfies never;
  }
}

/** One point of an expression and of what it sends back: each derivative is added up or written. */
export function workOf({ loops, varies, isHere }: Site, value: Scalar, way: Way): PointWork {
  const work = workAtPoint([value]);
  const { coefficients } = linearize(value, varies, () => undefined, way.result);
  // What arrives in one cell is computed together there, unless it is summed before; where data
  // chooses among sums they are one.
  const isApart = ({ read, conditions }: Coefficient): boolean =>
    conditions.length === 0 && !loops.every((loop) => usesAny(read, [loop]));
  const groups = new Map<string, Coefficient[]>();
  for (const [k, each] of coefficients.entries()) {
    const key = isApart(each) ? String(k) : keyOf(each.read);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const first = way.leads(value);
  // Another name for what is there already takes nothing; a sum of it does.
  const isHandedOn = ([only, another]: readonly Coefficient[]): boolean => {
    const { read, product } = only!;
    const isAlias = !another && first.length + product.factors.length === 1 && isPlain(only!);
    return (
      isAlias &&
      (first[0] ?? product.factors[0]!).kind === "read" &&
      loops.every((loop) => usesAny(read, [loop]))
    );
  };
  const sentBy = (group: readonly Coefficient[]): readonly Scalar[] => {
    const [{ read }] = group as [Coefficient];
    const type = tangentType(read.definition);
    const counting = group.map((each) => ({
      conditions: each.conditions.map(holding),
      value: productScalar(
        withQuotients({ ...each.product, factors: [...first, ...each.product.factors] }),
        type,
        nowhere,
      ),
    }));
    // What is summed alone is guarded by its conditions; of what is added up in one cell each is
    // tested once.
    const [{ conditions, value: only }] = counting as [(typeof counting)[0]];
    const isSummedAlone = group.length === 1 && !loops.every((loop) => usesAny(read, [loop]));
    const sum = isSummedAlone
      ? [...conditions, only]
      : [sumOfCounting(counting, algebraOf(type, nowhere), nowhere)];
    // A lookup is made again to find where the term goes.
    const places = read.indices.filter((index) => index.kind !== "integer");
    return [...sum, ...places];
  };
  const sending = [...groups.values()].filter((group) => !isHandedOn(group));
  const isCopied = ([first]: readonly Coefficient[]): boolean => isHere(first!.read.definition);
  const [together, apart] = [sending.filter(isCopied), sending.filter((group) => !isCopied(group))];
  const sentBack =
    sending.length +
    [together.flatMap(sentBy), ...apart.map(sentBy)].reduce(
      (sum, each) => sum + workAtPoint(each),
      0,
    );
  const keysOf = (list: readonly (readonly Coefficient[])[]): readonly string[] =>
    list.map(([only]) => keyOf(only!.read));
  return {
    own: way.own(work),
    both: way.both(work, value) + sentBack,
    sent: keysOf([...groups.values()]),
    handedOn: keysOf([...groups.values()].filter(isHandedOn)),
  };
}

function isPlain({ product, conditions }: Coefficient): boolean {
  return product.constant === 1 && product.divisors.length === 0 && conditions.length === 0;
}

// This folder predicts what a program and its gradients cost in work and memory. It does not
// measure the time of a run.
//
// Work and bytes are polynomials in the extents, and numbers for one choice of sizes:
//
//    let y[i] = sum[k](A[i, k] * x[k]);   needs about 2·n·m operations for n rows and m columns

import { ofVariable, type Variable } from "../../affine/term.ts";
import { evaluate, showPolynomial, type Polynomial } from "../../cost/polynomial.ts";
import { sumOfWork, totalWork, workBy, workOfAll, type Work } from "../../cost/work.ts";
import { asWritten } from "../../autodiff/sweep/as-written.ts";
import type { Definition } from "../../ir/program.ts";
import { reachable } from "../../analyse/schedule.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { Probe } from "../../run/probe.ts";
import type { Derivation } from "../source/derived-source.ts";

/** A polynomial, and its value at the sizes. The value is absent if it depends on data. */
interface Amount {
  readonly polynomial: string;
  readonly value?: number;
}

interface Cost {
  readonly arithmetic: Amount;
  readonly reads: Amount;
  readonly cells: Amount;
  /** The sum of arithmetic, reads and written cells. */
  readonly work: Amount;
  readonly bytes: Amount;
}

export interface CostReport {
  readonly of: string;
  readonly primal: Cost;
  /**
   * The cost of each gradient without the primal, and its work relative to the work of the primal.
   */
  readonly gradients: readonly {
    readonly wrt: string;
    readonly cost: Cost;
    readonly ratio?: number;
  }[];
  /** The primal and all gradients in one program. */
  readonly together: Cost;
  readonly ratio?: number;
  /** The sizes for which the numbers hold. */
  readonly sizes: readonly { readonly extent: string; readonly size: number }[];
}

export function costOf(derivation: Derivation, running: Probe): CostReport {
  const { program, numerator, denominators, swept } = derivation;
  const primal = asWritten([numerator]);
  const sizeOf = sizesFrom(running);
  const costs = (definitions: readonly Definition[]): Cost =>
    costFrom(workOfAll(definitions), sizeOf);
  const beyond = (answers: readonly Definition[]): readonly Definition[] =>
    reachable(answers).filter((definition) => !primal.has(definition));
  const written = [...primal].map(([name, definition]) => workBy(name, definition.clauses));
  const primalCost = costFrom(sumOfWork(written), sizeOf);
  const together = derivation.asSwept(costs);
  const gradients = denominators.flatMap((denominator) => {
    const adjoint = swept.adjoints.get(denominator);
    if (!adjoint) return [];
    const cost = costs(beyond([adjoint]));
    return [{ wrt: denominator.name, cost, ...ratioOf(cost, primalCost) }];
  });
  return {
    of: numerator.name,
    primal: primalCost,
    gradients,
    together,
    ...ratioOf(together, primalCost),
    sizes: [...program.dimensions].map(([extent, v]) => ({ extent, size: sizeOf(v) })),
  };
}

/** The extents in a run. */
function sizesFrom(running: Probe): (v: Variable) => number {
  return (v) => Number(running.evaluator(integerScalar(ofVariable(v)))(new Map()));
}

function ratioOf(part: Cost, whole: Cost): { readonly ratio?: number } {
  const [a, b] = [part.work.value, whole.work.value];
  return a === undefined || b === undefined || b === 0 ? {} : { ratio: a / b };
}

function costFrom(work: Work, sizeOf: (v: Variable) => number): Cost {
  const amount = (polynomial: Polynomial): Amount => {
    const isKnown = polynomial.every(({ factors }) =>
      factors.every(({ kind }) => kind === "extent"),
    );
    const shown = { polynomial: showPolynomial(polynomial) };
    return isKnown
      ? { ...shown, value: evaluate(polynomial, { extent: sizeOf, data: () => NaN }) }
      : shown;
  };
  return {
    arithmetic: amount(work.arithmetic),
    reads: amount(work.reads),
    cells: amount(work.cells),
    work: amount(totalWork(work)),
    bytes: amount(work.bytes),
  };
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

export function costText({ of, primal, gradients, together, ratio, sizes }: CostReport): string {
  const times = (value: number | undefined): string =>
    value === undefined ? "" : `, ${Number(value.toPrecision(3))} times the work of ${of}`;
  const at =
    sizes.length > 0
      ? `, with ${sizes.map(({ extent, size }) => `${extent} = ${size}`).join(", ")}`
      : "";
  return [
    `The cost of ${of}${at}`,
    "",
    ...costLines(primal),
    "",
    ...gradients.flatMap(({ wrt, cost, ratio: own }) => [
      `Its gradient by ${wrt} takes further${times(own)}`,
      "",
      ...costLines(cost),
      "",
    ]),
    `All in one program${times(ratio)}`,
    "",
    ...costLines(together),
    "",
  ].join("\n");
}

function costLines(cost: Cost): readonly string[] {
  const rows = (["arithmetic", "reads", "cells", "work", "bytes"] as const).map(
    (name) => [name, cost[name]] as const,
  );
  const width = Math.max(...rows.map(([, { polynomial }]) => polynomial.length));
  return rows.map(([name, { polynomial, value }]) => {
    const isNumber = String(value) === polynomial;
    const number = value === undefined ? "only data can tell" : value.toLocaleString("en-US");
    const shown = isNumber ? number : `${polynomial.padEnd(width)}  =  ${number}`;
    return `  ${name.padEnd(11)} ${shown}`;
  });
}

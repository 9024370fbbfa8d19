// What a program and its gradients cost: work and bytes as polynomials in the extents, and as
// numbers for one choice of sizes.

import { ofVariable, type Variable } from "../../affine/term.ts";
import { evaluate, showPolynomial, type Polynomial } from "../../cost/polynomial.ts";
import { sumOfWork, totalWork, workBy, workOfAll, type Work } from "../../cost/work.ts";
import { asWritten } from "../../autodiff/sweep/as-written.ts";
import type { Definition } from "../../ir/program.ts";
import { reachable } from "../../analyse/schedule.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { Probe } from "../../run/probe.ts";
import type { Derivation } from "../source/derived-source.ts";

/** One amount: the polynomial, and its value at the sizes, unless only data could tell. */
interface Amount {
  readonly polynomial: string;
  readonly value?: number;
}

interface Cost {
  readonly arithmetic: Amount;
  readonly reads: Amount;
  readonly cells: Amount;
  /** Arithmetic, reads and cells written together. */
  readonly work: Amount;
  readonly bytes: Amount;
}

export interface CostReport {
  readonly of: string;
  readonly primal: Cost;
  /** What each gradient takes beyond the primal, and how many times the primal's work that is. */
  readonly gradients: readonly {
    readonly wrt: string;
    readonly cost: Cost;
    readonly ratio?: number;
  }[];
  /** Primal and all gradients in one program. */
  readonly together: Cost;
  readonly ratio?: number;
  /** The sizes at which the numbers hold. */
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
  const own = costFrom(sumOfWork(written), sizeOf);
  const together = derivation.asSwept(costs);
  const gradients = denominators.flatMap((denominator) => {
    const adjoint = swept.adjoints.get(denominator);
    if (!adjoint) return [];
    const cost = costs(beyond([adjoint]));
    return [{ wrt: denominator.name, cost, ...ratioOf(cost, own) }];
  });
  return {
    of: numerator.name,
    primal: own,
    gradients,
    together,
    ...ratioOf(together, own),
    sizes: [...program.dimensions].map(([extent, v]) => ({ extent, size: sizeOf(v) })),
  };
}

/** Extents as the run has them. */
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
    return `  ${name.padEnd(11)} ${isNumber ? number : `${polynomial.padEnd(width)}  =  ${number}`}`;
  });
}

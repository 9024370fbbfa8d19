// Totals are cells in which the terms of a reduction are added up when no single loop has all terms
// of a cell: in scatters, scans and contractions. This file has their type, their start value, and
// how the cells of the definition read them.

import type { Definition, Local, Scalar } from "../../ir/program.ts";
import type { ReductionName } from "../../scalar/reductions.ts";
import type { ElementType, Scalar as Value } from "../../scalar/types.ts";
import { integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { inType } from "../narrow.ts";
import { rewriteScalar } from "../rewrite.ts";
import type { Case, Reduced, Reduction, Region, Side, Sized } from "../regions/regions.ts";
import { applied } from "../../ir/simple-scalars.ts";

export interface Totals {
  readonly definition: Definition;
  readonly element: ElementType;
  readonly shape: readonly number[];
  readonly start: Value;
  /**
   * An axis that a surrounding loop holds. There are totals for one position of this axis at a
   * time.
   */
  readonly heldAt?: number;
}

/**
 * The type in which terms are added up one by one; `undefined` where a reduction needs more than
 * one total, as a mean does.
 */
export function totalsType(reduction: ReductionName, type: ElementType): ElementType | undefined {
  switch (reduction) {
    case "sum":
    case "prod":
      // A contraction that is multiplied as matrices stays in f32. Terms that are added one by one
      // are added in f64.
      if (type === "f32") return "f64";
      return type === "f64" || type === "i32" || type === "i64" ? type : undefined;
    case "max":
    case "min":
      return type === "f32" || type === "f64" ? type : undefined;
    case "count":
      return "i32";
    case "any":
    case "all":
      return "bool";
    case "mean":
    case "argmax":
    case "argmin":
    case "logsumexp":
      return undefined;
    default:
      return reduction satisfies never;
  }
}

/** The term of a reduction in the type of its totals. */
export function inTotals({ reduction, value }: Reduction, element: ElementType): Scalar {
  return reduction === "count" ? value : inType(element, value);
}

export function startOf(reduction: ReductionName, element: ElementType): Value {
  const isOne = reduction === "prod";
  switch (reduction) {
    case "max":
      return -Infinity;
    case "min":
      return Infinity;
    case "all":
      return true;
    case "any":
      return false;
    default:
      return element === "i64" ? BigInt(isOne) : Number(isOne);
  }
}

export function newTotals(
  of: Definition,
  element: ElementType,
  shape: readonly number[],
  start: Value,
): Totals {
  const axes = of.axes.slice(0, shape.length);
  const definition: Definition = {
    ...of,
    name: `${of.name}_totals`,
    element,
    axes,
    origin: "helper",
    clauses: [],
  };
  return { definition, element, shape, start };
}

/** A definition that gives totals their start values. */
export function initialTotals(
  { definition, element, shape, start }: Totals,
  sides: readonly Side[],
): Sized {
  const value: Scalar =
    element === "i32"
      ? integerScalar({ constant: Number(start), parts: [] })
      : { kind: "constant", type: element, value: start };
  return {
    definition,
    element,
    shape,
    regions: [{ sides, cases: [{ guards: [], reductions: [], value }] }],
  };
}

/** Replaces each mean of a case by a sum and a count, which can be added up separately. */
export function withoutMeans(original: Case): Case {
  const reductions: Reduced[] = [];
  const names = new Map<Local, Local>();
  for (const { name, body } of original.reductions) {
    if (body.reduction !== "mean") {
      names.set(name, name);
      reductions.push({ name, body });
      continue;
    }
    const { type } = body.value;
    const { span } = body;
    const wide: ElementType = "f64";
    const isTerm: Scalar = { kind: "constant", type: "bool", value: true };
    const sum: Reduced = {
      name: { ...name },
      body: { ...body, reduction: "sum", value: inType(wide, body.value) },
    };
    const count: Reduced = {
      name: { ...name },
      body: { ...body, reduction: "count", value: isTerm },
    };
    reductions.push(sum, count);
    const counted: Scalar = { kind: "local", type: "i32", local: count.name };
    const total: Scalar = { kind: "local", type: wide, local: sum.name };
    const divisor: Scalar = { kind: "cast", type: wide, operand: counted };
    const value = inType(type, applied("divide", [total, divisor], span));
    // The names of the sum and the count must stay when the value that reads them is rewritten.
    names.set(name, { name: name.name, value });
    names.set(sum.name, sum.name);
    names.set(count.name, count.name);
  }
  return { ...original, reductions, value: rewriteScalar(original.value, () => undefined, names) };
}

/** Reads the total of a cell at the given sides. */
export function readTotals(
  totals: Totals,
  sides: readonly Side[],
  type: ElementType,
  of: Reduction,
): Scalar {
  return readTotalsAt(totals, sides.map(coordinateScalar), type, of);
}

/** Reads the total at the given indices. */
export function readTotalsAt(
  { definition, element }: Totals,
  indices: readonly Scalar[],
  type: ElementType,
  { span }: Reduction,
): Scalar {
  const read: Scalar = { kind: "read", type: element, definition, indices, span };
  return inType(type, read);
}

/** The reduction whose result is the whole value of a region's cells, if there is one. */
export function onlyReduction({ cases: [first, ...rest] }: Region): Reduced | undefined {
  if (rest.length > 0 || first?.reductions.length !== 1) return undefined;
  const [only] = first.reductions;
  return first.value.kind === "local" && first.value.local === only!.name ? only : undefined;
}

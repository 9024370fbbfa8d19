// Operations that reduce the cells along some axes to one.

import { isFloat } from "../../scalar/types.ts";
import type { TensorType } from "../core/definition.ts";
import { TensorError } from "../core/error.ts";
import { cell, indexedPlan, reduced, type Writing } from "../core/indexed.ts";
import type { Form, Operation } from "../core/operation.ts";
import { checkOptions } from "../core/options.ts";
import type { Pattern } from "../core/pattern.ts";
import { axesOf, type Shape } from "../core/shape.ts";

export interface Along {
  /** One or several axes to reduce. The default is all axes. */
  readonly dim?: number | readonly number[] | undefined;
  /** Whether reduced axes stay, with extent 1. */
  readonly keepdim?: boolean | undefined;
}

interface Row {
  readonly isDifferentiable?: false;
  readonly result: (type: TensorType) => TensorType;
  readonly lines: (writing: Writing, type: TensorType, isWhole: boolean) => string;
  readonly functions?: (type: TensorType) => string;
}

/** `let y[kept] = op[reduced](value);` */
const plainReduction =
  (reduction: string) =>
  ({ out, slots, reduced: along, read }: Writing): string =>
    `let ${cell(out, slots)} = ${reduced(reduction, along, read(0))};`;

/**
 * The maximum or minimum. Along named axes, the first of several winners gets the gradient. Over
 * the whole tensor they share it evenly, by a tangent rule.
 */
const sharedExtreme = (name: "max" | "min") => ({
  result: (type: TensorType) => type,
  lines: (writing: Writing, type: TensorType, isWhole: boolean) => {
    if (!isWhole || !isFloat(type)) return plainReduction(name)(writing);
    return `let ${writing.out} = shared_${name}(${writing.read(0).replace(/\[.*/, "")});`;
  },
  functions: (
    type: TensorType,
  ) => `fn shared_${name}(x: [${type}; ..all]) -> ${type} { ${name}[..all](x[..all]) }
@fn shared_${name}(x: [${type}; ..all]) {
    let winner = ${name}[..all](x[..all]);
    let wins[..all] = x[..all] == winner || x[..all] != x[..all];
    sum[..all](@x[..all] where wins[..all]) / stop(count[..all](wins[..all]) as ${type})
}`,
});

const rows = {
  sum: {
    result: (type) => (type === "bool" ? "i32" : type),
    lines: (writing, type) =>
      type === "bool"
        ? `let ${cell(writing.out, writing.slots)} = ` +
          `${reduced("count", writing.reduced, writing.read(0))};`
        : plainReduction("sum")(writing),
  },
  mean: { result: floatOnly("mean"), lines: plainReduction("mean") },
  prod: { result: numbersOnly, lines: plainReduction("prod") },
  max: sharedExtreme("max"),
  min: sharedExtreme("min"),
  logsumexp: { result: floatOnly("logsumexp"), lines: plainReduction("logsumexp") },
  any: { isDifferentiable: false, result: boolOnly("any"), lines: plainReduction("any") },
  all: { isDifferentiable: false, result: boolOnly("all"), lines: plainReduction("all") },
} satisfies Record<string, Row>;

export type ReductionName = keyof typeof rows;

export const reductions = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, operationOf(name, row)]),
) as unknown as Record<ReductionName, Operation<Along>>;

function operationOf(name: string, row: Row): Operation<Along> {
  return {
    name,
    isDifferentiable: row.isDifferentiable ?? true,
    plan: (forms, options) => {
      checkOptions(name, options, ["dim", "keepdim"]);
      const { dtype } = forms[0]!;
      const { pattern, apart, shape } = patternAlong(name, forms, options);
      const isWhole = options.dim === undefined;
      return indexedPlan(forms, {
        shape,
        dtype: row.result(dtype),
        pattern,
        apart,
        functions: isWhole && isFloat(dtype) ? (row.functions?.(dtype) ?? "") : "",
        lines: (writing) => row.lines(writing, dtype, isWhole),
      });
    },
  };
}

export interface VarOptions extends Along {
  /** A number to subtract from the number of cells in the divisor. The default is 1. */
  readonly correction?: number | undefined;
}

/** The squared distances from the mean, over the number of cells minus the correction. */
export const variance: Operation<VarOptions> = {
  name: "var",
  isDifferentiable: true,
  plan: (forms, options) => {
    checkOptions("var", options, ["dim", "keepdim", "correction"]);
    const { correction = 1 } = options;
    if (!Number.isFinite(correction))
      throw new TensorError(`var: \`correction\` is a number, and ${String(correction)} came`);
    const dtype = floatOnly("var")(forms[0]!.dtype);
    const { pattern, apart, shape } = patternAlong("var", forms, options);
    return indexedPlan(forms, {
      shape,
      dtype,
      pattern,
      apart,
      lines: ({ out, slots, kept, reduced: over, read, count }) => {
        const mean = `${out}_mean`;
        const square = `(${read(0)} - ${cell(mean, kept)}) ** 2.0`;
        const divisor = `max((${count}) as ${dtype} - (${correction.toExponential()}), 0.0)`;
        return `let ${cell(mean, slots)} = ${reduced("mean", over, read(0))};
let ${cell(out, slots)} = ${reduced("sum", over, square)} / ${divisor};`;
      },
    });
  },
};

/** The position of the first winner, along one axis or in the flattened tensor. */
export const winners = {
  argmax: winner("argmax"),
  argmin: winner("argmin"),
} as const;

function winner(name: "argmax" | "argmin"): Operation<Along> {
  return {
    name,
    isDifferentiable: false,
    plan: (forms, options) => {
      checkOptions(name, options, ["dim", "keepdim"]);
      const axes = axesOf(name, options.dim, forms[0]!.shape.length);
      if (options.dim !== undefined && axes.length !== 1)
        throw new TensorError(`${name}: one axis is wanted, ${axes.length} are given`);
      const { pattern, apart, shape } = patternAlong(name, forms, options);
      if (
        pattern.operands[0]!.some(
          (c) => pattern.extents[c as number] === 0 && !pattern.result.includes(c as number),
        )
      )
        throw new TensorError(`${name}: there is no winner among no cells`);
      return indexedPlan(forms, {
        shape,
        dtype: "i32",
        pattern,
        apart,
        lines: plainReduction(name),
      });
    },
  };
}

/** The pattern of a reduction. The result has the coordinates that are not reduced. */
function patternAlong(
  name: string,
  forms: readonly Form[],
  { dim, keepdim }: Along,
): { readonly pattern: Pattern; readonly apart: readonly number[]; readonly shape: Shape } {
  const { shape } = forms[0]!;
  const axes = new Set(axesOf(name, dim, shape.length));
  const all = shape.map((_, axis) => axis);
  const kept = all.filter((axis) => !axes.has(axis));
  // A scalar gets an axis of extent 1, so that there is always something to reduce.
  const extents = axes.size === 0 ? [...shape, 1] : shape;
  const operand = extents.map((_, axis) => axis);
  const over = operand.filter((axis) => !kept.includes(axis));
  return {
    pattern: { operands: [operand], result: kept, extents },
    apart: over.every((axis) => extents[axis] === 1) ? over.slice(0, 1) : [],
    shape: keepdim
      ? shape.map((extent, axis) => (axes.has(axis) ? 1 : extent))
      : kept.map((axis) => shape[axis]!),
  };
}

function floatOnly(name: string) {
  return (type: TensorType): TensorType => {
    if (isFloat(type)) return type;
    throw new TensorError(
      `${name}: the tensor is ${type}; cast it first, \`x.to("f32").${name}()\``,
    );
  };
}

function numbersOnly(type: TensorType): TensorType {
  if (type !== "bool") return type;
  throw new TensorError('prod: the tensor is bool; cast it first, `x.to("i32").prod()`');
}

function boolOnly(name: string) {
  return (type: TensorType): TensorType => {
    if (type === "bool") return type;
    throw new TensorError(
      `${name}: the tensor is ${type}; compare it first, \`x.notEqual(0).${name}()\``,
    );
  };
}

// Operations that only move cells: other shapes, other orders, several tensors joined to one.

import { sizeOf, stridesOf } from "../../scalar/values/value.ts";
import type { TensorType } from "../core/definition.ts";
import { TensorError } from "../core/error.ts";
import { cell, indexedPlan, plainPattern } from "../core/indexed.ts";
import type { Form, Operation, Plan } from "../core/operation.ts";
import type { Walk } from "../core/pattern.ts";
import { axisOf, broadcast, showShape, type Shape } from "../core/shape.ts";
import { promoted } from "./pointwise.ts";

/** The same cells in row-major order, in another shape. One extent may be -1. */
export const reshape: Operation<Shape> = {
  name: "reshape",
  isDifferentiable: true,
  plan: (forms, wanted) => {
    const { shape: from, dtype } = forms[0]!;
    const shape = completed(from, wanted);
    const size = sizeOf(shape);
    return {
      ...indexedPlan([{ shape: [size], dtype }], {
        shape,
        dtype,
        pattern: plainPattern([size]),
        lines: ({ out, slots, read }) => `let ${cell(out, slots)} = ${read(0)};`,
      }),
      shape,
      written: ([operand], out) => reshaped(operand!, out, from, shape, dtype),
    };
  },
};

/**
 * Writes a reshape as source: the row-major position of a cell, and from it the indices into the
 * operand.
 */
function reshaped(
  operand: string,
  out: string,
  from: Shape,
  to: Shape,
  dtype: TensorType,
): Plan["definition"] {
  const names = to.map((_, axis) => `i${axis}`);
  const flat = stridesOf(to).map((stride, axis) =>
    stride === 1 ? names[axis]! : `${stride} * ${names[axis]!}`,
  );
  const position = flat.length === 0 ? "0" : flat.join(" + ");
  const index = stridesOf(from).map((stride, axis) => {
    const outer = stride === 1 ? `(${position})` : `(${position}) / ${stride}`;
    return axis === 0 ? outer : `${outer} % ${from[axis]!}`;
  });
  return {
    functions: "",
    sizes: [],
    operands: [{ name: operand, dtype, axes: from.map(String) }],
    lines: `let ${cell(
      out,
      names.map((name, axis) => `${name} in 0..${to[axis]!}`),
    )} = ${cell(operand, index)};`,
    result: { name: out, dtype, axes: to.map(String) },
  };
}

function completed(from: Shape, wanted: Shape): Shape {
  const open = wanted.filter((extent) => extent === -1).length;
  const known = sizeOf(wanted.filter((extent) => extent !== -1));
  const size = sizeOf(from);
  const bad = wanted.find((extent) => extent !== -1 && !(Number.isInteger(extent) && extent >= 0));
  if (bad !== undefined) throw new TensorError(`reshape: ${bad} is not an extent`);
  if (open > 1) throw new TensorError(`reshape: only one extent of ${showShape(wanted)} may be -1`);
  const shape =
    open === 0 ? wanted : wanted.map((extent) => (extent === -1 ? size / known : extent));
  if (shape.every(Number.isInteger) && sizeOf(shape) === size) return shape;
  throw new TensorError(
    `reshape: a tensor of shape ${showShape(from)} has ${size} cells, ` +
      `which do not fill the shape ${showShape(wanted)}`,
  );
}

/** `order[k]` is the axis of the operand that becomes axis k. */
export const permute: Operation<readonly number[]> = {
  name: "permute",
  isDifferentiable: true,
  plan: (forms, order) => {
    const { shape, dtype } = forms[0]!;
    const axes = order.map((dim) => axisOf("permute", dim, shape.length));
    if (axes.length !== shape.length || new Set(axes).size !== axes.length)
      throw new TensorError(
        `permute: [${order.join(", ")}] does not name each of the ${shape.length} axes once`,
      );
    return indexedPlan(forms, {
      shape: axes.map((axis) => shape[axis]!),
      dtype,
      pattern: { operands: [shape.map((_, axis) => axis)], result: axes, extents: shape },
      lines: ({ out, slots, read }) => `let ${cell(out, slots)} = ${read(0)};`,
    });
  },
};

/** Broadcasts a tensor to a larger shape, by NumPy's rule. */
export const expand: Operation<Shape> = {
  name: "expand",
  isDifferentiable: true,
  plan: (forms, wanted) => {
    const { shape: from, dtype } = forms[0]!;
    const shape = wanted.map((extent, axis) =>
      extent === -1 ? (from[axis - wanted.length + from.length] ?? -1) : extent,
    );
    const bad = shape.find((extent) => !(Number.isInteger(extent) && extent >= 0));
    if (bad === -1)
      throw new TensorError(
        `expand: -1 in ${showShape(wanted)} stands for an axis that ${showShape(from)} does ` +
          "not have",
      );
    if (bad !== undefined) throw new TensorError(`expand: ${bad} is not an extent`);
    const common = broadcast("expand", [from, shape]);
    if (shape.length < from.length || common.some((extent, axis) => extent !== shape[axis]))
      throw new TensorError(
        `expand: a tensor of shape ${showShape(from)} cannot become ${showShape(wanted)}`,
      );
    const operand = from.map((extent, axis): Walk => {
      const c = axis + shape.length - from.length;
      return extent === shape[c] ? c : "one";
    });
    return indexedPlan(forms, {
      shape,
      dtype,
      pattern: { operands: [operand], result: shape.map((_, c) => c), extents: shape },
      lines: ({ out, slots, read }) => `let ${cell(out, slots)} = ${read(0)};`,
    });
  },
};

/** Reverses some axes. */
export const flip: Operation<readonly number[]> = {
  name: "flip",
  isDifferentiable: true,
  plan: (forms, dims) => {
    const { shape, dtype } = forms[0]!;
    const axes = dims.map((dim) => axisOf("flip", dim, shape.length));
    return indexedPlan(forms, {
      shape,
      dtype,
      pattern: plainPattern(shape),
      apart: axes,
      lines: ({ out, kept, slots, read, coordinate }) => {
        const turned = new Set(axes.map(coordinate));
        const [name] = read(0).split("[");
        // Coordinates may be merged, so the extent is taken from the operand: `shape(a)[0]`.
        const indices = kept.map((c, axis) =>
          turned.has(c) ? `shape(${name})[${axis}] - 1 - ${c}` : c,
        );
        const ranged = slots.map((c, axis) =>
          turned.has(c) ? `${c} in 0..shape(${name})[${axis}]` : c,
        );
        return `let ${cell(out, ranged)} = ${cell(name!, indices)};`;
      },
    });
  },
};

export interface Padding {
  /** The cells to add before and after each axis, from the first axis on. */
  readonly amounts: readonly (readonly [number, number])[];
}

/** Adds cells around a tensor. The second operand is their value. */
export const pad: Operation<Padding> = {
  name: "pad",
  isDifferentiable: true,
  plan: (forms, { amounts }) => {
    const [{ shape: from, dtype }] = forms as [Form, Form];
    if (amounts.length > from.length)
      throw new TensorError(
        `pad: amounts for ${amounts.length} axes of a tensor of rank ${from.length}`,
      );
    const pairs = from.map((_, axis) => amounts[axis] ?? ([0, 0] as const));
    const bad = pairs.flat().find((amount) => !Number.isInteger(amount));
    if (bad !== undefined) throw new TensorError(`pad: ${String(bad)} is not a number of cells`);
    const shape = from.map((extent, axis) => extent + pairs[axis]![0] + pairs[axis]![1]);
    if (shape.some((extent) => extent < 0)) throw new TensorError("pad: more is cut than there is");
    const names = from.map((_, axis) => `i${axis}`);
    const write = (
      [x, value]: readonly string[],
      out: string,
      axes: readonly string[],
    ): Plan["definition"] => {
      const extents = axes.map((axis) => (/^\d/.test(axis) ? axis : `extent(${axis})`));
      const slots = names.map((name, axis) => {
        const [before, after] = pairs[axis]!;
        return `${name} in 0..${extents[axis]!} + ${before + after}`;
      });
      const indices = names.map((name, axis) => `${name} - ${pairs[axis]![0]}`);
      const guards = indices.map((index, axis) => `${index} in 0..${extents[axis]!}`);
      return {
        functions: "",
        sizes: [],
        operands: [
          { name: x!, dtype, axes },
          { name: value!, dtype: forms[1]!.dtype, axes: [] },
        ],
        lines:
          `let ${cell(out, slots)} = ${cell(x!, indices)}` +
          `${guards.length === 0 ? "" : ` where ${guards.join(", ")} else ${value!}`};`,
        result: { name: out, dtype, axes: axes.map(() => "?") },
      };
    };
    return {
      shape,
      dtype,
      views: [from, []],
      view: shape,
      sizes: [],
      definition: write(
        ["a", "b"],
        "y",
        from.map((_, axis) => `n${axis}`),
      ),
      written: (operands, out) => write(operands, out, from.map(String)),
    };
  },
};

/** Joins tensors along an axis. Each operand is one clause. */
export const concat: Operation<number> = {
  name: "concat",
  isDifferentiable: true,
  plan: (forms, dim) => {
    const first = forms[0]!.shape;
    const axis = axisOf("concat", dim, first.length);
    for (const { shape } of forms) {
      if (
        shape.length === first.length &&
        shape.every((extent, k) => k === axis || extent === first[k])
      )
        continue;
      throw new TensorError(
        `concat: the shapes ${showShape(first)} and ${showShape(shape)} differ beside axis ` +
          `${axis}, along which they are put together`,
      );
    }
    const dtype = promoted(forms.map((form) => form.dtype));
    const lengths = forms.map(({ shape }) => shape[axis]!);
    const [before, after] = [first.slice(0, axis), first.slice(axis + 1)];
    const shape = [...before, lengths.reduce((a, b) => a + b, 0), ...after];
    const outer = sizeOf(before);
    const inner = sizeOf(after);
    const write = (
      names: readonly string[],
      out: string,
      [outside, inside]: readonly [readonly string[], readonly string[]],
      extents: readonly string[],
    ): Plan["definition"] => {
      const o = outside.map((_, k) => `o${k}`);
      const r = inside.map((_, k) => `r${k}`);
      const sizeText = (extent: string): string =>
        /^\d/.test(extent) ? extent : `extent(${extent})`;
      let start = "0";
      const lines = names.map((name, k) => {
        const end = start === "0" ? sizeText(extents[k]!) : `${start} + ${sizeText(extents[k]!)}`;
        const index = start === "0" ? "j" : `j - (${start})`;
        const read = cell(name, [...o, index, ...r]);
        const value = forms[k]!.dtype === dtype ? read : `${read} as ${dtype}`;
        const line = `let ${cell(out, [...o, `j in ${start}..${end}`, ...r])} = ${value};`;
        start = end;
        return line;
      });
      return {
        functions: "",
        sizes: [],
        operands: names.map((name, k) => ({
          name,
          dtype: forms[k]!.dtype,
          axes: [...outside, extents[k]!, ...inside],
        })),
        lines: lines.join("\n"),
        result: { name: out, dtype, axes: [...outside, "?", ...inside] },
      };
    };
    return {
      shape,
      dtype,
      views: lengths.map((length) => [outer, length, inner]),
      view: [outer, shape[axis]!, inner],
      sizes: [],
      definition: write(
        forms.map((_, k) => `a${k}`),
        "y",
        [["o"], ["r"]],
        forms.map((_, k) => `n${k}`),
      ),
      written: (operands, out) =>
        write(operands, out, [before.map(String), after.map(String)], lengths.map(String)),
    };
  },
};

/** Casts the cells to another type. Derivatives pass between floats. */
export const castTo: Operation<TensorType> = {
  name: "to",
  isDifferentiable: true,
  plan: (forms, dtype) =>
    indexedPlan(forms, {
      shape: forms[0]!.shape,
      dtype,
      pattern: plainPattern(forms[0]!.shape),
      lines: ({ out, slots, read }) => `let ${cell(out, slots)} = ${read(0, dtype)};`,
    }),
};

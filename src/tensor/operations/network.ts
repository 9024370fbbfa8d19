// Operations of neural networks, each as one definition in Einlang. The compiler finds their
// gradients.

import { sizeOf } from "../../scalar/values/value.ts";
import { isFloat, isInteger } from "../../scalar/types.ts";
import { TensorError } from "../core/error.ts";
import { cell, indexedPlan, plainPattern, reduced, type Writing } from "../core/indexed.ts";
import type { Form, Operation, Plan } from "../core/operation.ts";
import { checkWhole } from "../core/options.ts";
import { axisOf, showShape } from "../core/shape.ts";

/** An operation along one axis that keeps the shape: softmax and its logarithm. */
function alongAxis(
  name: string,
  lines: (writing: Writing, along: string, others: readonly string[]) => string,
) {
  const operation: Operation<number> = {
    name,
    isDifferentiable: true,
    plan: (forms, dim) => {
      const { shape, dtype } = forms[0]!;
      if (!isFloat(dtype))
        throw new TensorError(`${name}: the tensor is ${dtype}, and a float is wanted`);
      const axis = axisOf(name, dim, shape.length);
      return indexedPlan(forms, {
        shape,
        dtype,
        pattern: plainPattern(shape),
        apart: [axis],
        lines: (writing) => {
          const along = writing.coordinate(axis);
          return lines(
            writing,
            along,
            writing.kept.filter((c) => c !== along),
          );
        },
      });
    },
  };
  return operation;
}

// softmax(x) = softmax(x - m) for every m. With the greatest cell as m, exp does not overflow. The
// result does not depend on m, so `stop` keeps derivatives away from it.
export const softmax = alongAxis("softmax", ({ out, kept, read }, along, others) => {
  const [top, power, total] = [`${out}_top`, `${out}_exp`, `${out}_sum`];
  return `let ${cell(top, others)} = stop(${reduced("max", [along], read(0))});
let ${cell(power, kept)} = exp(${read(0)} - ${cell(top, others)});
let ${cell(total, others)} = ${reduced("sum", [along], cell(power, kept))};
let ${cell(out, kept)} = ${cell(power, kept)} / ${cell(total, others)};`;
});

export const logSoftmax = alongAxis("logSoftmax", ({ out, kept, read }, along, others) => {
  const [top, low, total] = [`${out}_top`, `${out}_low`, `${out}_total`];
  return `let ${cell(top, others)} = stop(${reduced("max", [along], read(0))});
let ${cell(low, kept)} = ${read(0)} - ${cell(top, others)};
let ${cell(total, others)} = ${reduced("logsumexp", [along], cell(low, kept))};
let ${cell(out, kept)} = ${cell(low, kept)} - ${cell(total, others)};`;
});

export interface LossOptions {
  readonly reduction: "mean" | "sum" | "none";
}

/**
 * Minus the logarithm of the probability of the given classes. The classes are the second axis of
 * the scores, or the only one.
 */
export const crossEntropy: Operation<LossOptions> = {
  name: "crossEntropy",
  isDifferentiable: true,
  plan: (forms, { reduction }) => {
    const [{ shape, dtype }, { shape: classes, dtype: classType }] = forms as [Form, Form];
    if (!isFloat(dtype))
      throw new TensorError(`crossEntropy: the scores are ${dtype}, and a float is wanted`);
    if (!isInteger(classType))
      throw new TensorError(`crossEntropy: the classes are ${classType}, and integers are wanted`);
    const axis = shape.length === 1 ? 0 : 1;
    const rest = shape.filter((_, k) => k !== axis);
    if (shape.length === 0 || showShape(rest) !== showShape(classes)) {
      throw new TensorError(
        `crossEntropy: scores of shape ${showShape(shape)} want classes of shape ` +
          `${showShape(rest)}, and ${showShape(classes)} came`,
      );
    }
    const whole = reduction !== "none";
    const write = (
      [scores, given]: readonly string[],
      out: string,
      axes: readonly string[],
      at: number,
    ): Plan["definition"] => {
      const names = axes.map((_, k) => (k === at ? "class" : `i${k}`));
      const others = names.filter((_, k) => k !== at);
      const otherAxes = axes.filter((_, k) => k !== at);
      const [total, each] = [`${out}_total`, whole ? `${out}_each` : out];
      const own = cell(
        scores!,
        names.map((name, k) => (k === at ? cell(given!, others) : name)),
      );
      const lines = [
        `let ${cell(total, others)} = ${reduced("logsumexp", ["class"], cell(scores!, names))};`,
        `let ${cell(each, others)} = ${cell(total, others)} - ${own};`,
      ];
      if (whole)
        lines.push(
          `let ${out} = ` +
            `${others.length === 0 ? each : reduced(reduction, others, cell(each, others))};`,
        );
      return {
        functions: "",
        sizes: [],
        operands: [
          { name: scores!, dtype, axes },
          { name: given!, dtype: classType, axes: otherAxes },
        ],
        lines: lines.join("\n"),
        result: { name: out, dtype, axes: whole ? [] : otherAxes },
      };
    };
    const view = [...shape.slice(0, axis), shape[axis]!, sizeOf(shape.slice(axis + 1))].slice(
      0,
      shape.length <= 2 ? shape.length : 3,
    );
    const viewRest = view.filter((_, k) => k !== axis);
    return {
      shape: whole ? [] : rest,
      dtype,
      views: [view, viewRest],
      view: whole ? [] : viewRest,
      sizes: [],
      definition: write(
        ["a", "b"],
        "y",
        view.map((_, k) => `n${k}`),
        axis,
      ),
      written: (operands, out) => write(operands, out, shape.map(String), axis),
    };
  },
};

export interface NormOptions {
  /** The number of last axes that are normalised together. */
  readonly axes: number;
  readonly eps: number;
  readonly hasWeight: boolean;
  readonly hasBias: boolean;
}

/**
 * Scales the last axes to mean 0 and variance 1, then applies weight and bias. The operands are x,
 * and weight and bias if they are given.
 */
export const layerNorm: Operation<NormOptions> = {
  name: "layerNorm",
  isDifferentiable: true,
  plan: (forms, { axes, eps, hasWeight, hasBias }) => {
    const { shape, dtype } = forms[0]!;
    if (!isFloat(dtype))
      throw new TensorError(`layerNorm: the tensor is ${dtype}, and a float is wanted`);
    if (axes < 1 || axes > shape.length)
      throw new TensorError(
        `layerNorm: ${axes} axes of a tensor of rank ${shape.length} cannot be normalised`,
      );
    sameType("layerNorm", forms);
    const split = shape.length - axes;
    const own = shape.slice(split);
    for (const form of forms.slice(1)) {
      if (showShape(form.shape) === showShape(own)) continue;
      throw new TensorError(
        `layerNorm: weight and bias must have the shape ${showShape(own)} of the normalised ` +
          `axes, and ${showShape(form.shape)} came`,
      );
    }
    const write = (
      names: readonly string[],
      out: string,
      before: readonly string[],
      after: readonly string[],
    ): Plan["definition"] => {
      const outer = before.map((_, k) => `i${k}`);
      const inner = after.map((_, k) => `j${k}`);
      const every = [...outer, ...inner];
      const [mean, centered, variance] = [`${out}_mean`, `${out}_centered`, `${out}_var`];
      const scaled = `${cell(centered, every)} / sqrt(${cell(
        variance,
        outer,
      )} + ${eps.toExponential()})`;
      const weighted = hasWeight ? `${scaled} * ${cell(names[1]!, inner)}` : scaled;
      const shifted = hasBias
        ? `${weighted} + ${cell(names[hasWeight ? 2 : 1]!, inner)}`
        : weighted;
      const x = cell(names[0]!, every);
      const axes = [...before, ...after];
      return {
        functions: "",
        sizes: [],
        operands: forms.map((form, k) => ({
          name: names[k]!,
          dtype: form.dtype,
          axes: k === 0 ? axes : after,
        })),
        lines: `let ${cell(mean, outer)} = ${reduced("mean", inner, x)};
let ${cell(centered, every)} = ${x} - ${cell(mean, outer)};
let ${cell(variance, outer)} = ${reduced(
          "mean",
          inner,
          `${cell(centered, every)} * ${cell(centered, every)}`,
        )};
let ${cell(out, every)} = ${shifted};`,
        result: { name: out, dtype, axes },
      };
    };
    const view = [sizeOf(shape.slice(0, split)), sizeOf(own)];
    return {
      shape,
      dtype,
      views: forms.map((_, k) => (k === 0 ? view : view.slice(1))),
      view,
      sizes: [],
      definition: write(
        forms.map((_, k) => ["a", "b", "c"][k]!),
        "y",
        ["m"],
        ["n"],
      ),
      written: (operands, out) =>
        write(operands, out, shape.slice(0, split).map(String), own.map(String)),
    };
  },
};

function sameType(name: string, forms: readonly Form[]): void {
  const types = forms.map(({ dtype }) => dtype);
  if (new Set(types).size === 1) return;
  throw new TensorError(
    `${name}: the operands are ${types.join(", ")}; cast them to one type with \`to\``,
  );
}

export interface Window {
  readonly stride: readonly [number, number];
  readonly padding: readonly [number, number];
  readonly dilation: readonly [number, number];
}

/** The number of positions that a window has along an axis. */
function windowCount(
  name: string,
  extent: number,
  window: number,
  along: 0 | 1,
  { stride, padding, dilation }: Window,
): number {
  checkWhole(name, "window", [window], 1);
  checkWhole(name, "stride", stride, 1);
  checkWhole(name, "padding", padding, 0);
  checkWhole(name, "dilation", dilation, 1);
  const span = dilation[along] * (window - 1) + 1;
  const count = Math.floor((extent + 2 * padding[along] - span) / stride[along]) + 1;
  if (count > 0) return count;
  throw new TensorError(
    `${name}: a window that spans ${span} does not fit into ${extent} cells with ` +
      `${padding[along]} of padding on either side`,
  );
}

/** The input index of cell `k` in the window at position `o`: `2 * oh + kh - 1`. */
function windowIndex(
  o: string,
  k: string,
  along: 0 | 1,
  { stride, padding, dilation }: Window,
): string {
  const times = (factor: number, name: string): string =>
    factor === 1 ? name : `${factor} * ${name}`;
  const moved = `${times(stride[along], o)} + ${times(dilation[along], k)}`;
  return padding[along] === 0 ? moved : `${moved} - ${padding[along]}`;
}

export interface ConvOptions extends Window {
  readonly groups: number;
}

/**
 * Convolves images [batch, channel, height, width] with kernels [out channel, channel of its group,
 * height, width], and adds a bias if it is given.
 */
export const conv2d: Operation<ConvOptions> = {
  name: "conv2d",
  isDifferentiable: true,
  plan: (forms, options) => {
    const [{ shape: x, dtype }, { shape: w }, bias] = forms as [Form, Form, Form | undefined];
    const { groups } = options;
    checkWhole("conv2d", "groups", [groups], 1);
    sameType("conv2d", forms);
    if (x.length !== 4 || w.length !== 4)
      throw new TensorError(
        "conv2d: images are [batch, channel, height, width] and kernels [out, channel, " +
          `height, width]; ${showShape(x)} and ${showShape(w)} came`,
      );
    const [batch, channels, height, width] = x as [number, number, number, number];
    const [outs, own, kernelHeight, kernelWidth] = w as [number, number, number, number];
    if (channels !== own * groups || outs % groups !== 0)
      throw new TensorError(
        `conv2d: ${channels} channels in ${groups} group${groups === 1 ? "" : "s"} want ` +
          `kernels over ${channels / groups}, and ${showShape(w)} came`,
      );
    if (bias && showShape(bias.shape) !== showShape([outs]))
      throw new TensorError(
        `conv2d: the bias must have the shape [${outs}], and ${showShape(bias.shape)} came`,
      );
    const oh = windowCount("conv2d", height, kernelHeight, 0, options);
    const ow = windowCount("conv2d", width, kernelWidth, 1, options);
    const rows = windowIndex("oh", "kh", 0, options);
    const columns = windowIndex("ow", "kw", 1, options);
    const padded = options.padding.some((amount) => amount > 0);
    const per = outs / groups;
    const write = (
      names: readonly string[],
      out: string,
      [sizeH, sizeW, oH, oW]: readonly string[],
    ) => {
      const channel = groups === 1 ? "ic" : `${own} * (oc / ${per}) + ic`;
      const guard = padded ? ` where ${rows} in 0..${sizeH!}, ${columns} in 0..${sizeW!}` : "";
      const product =
        `${names[0]!}[image, ${channel}, ${rows}, ${columns}] * ${names[1]!}[oc, ic, kh, ` +
        `kw]${guard}`;
      const added = bias ? ` + ${names[2]!}[oc]` : "";
      return {
        lines:
          `let ${out}[image, oc, oh in 0..${oH!}, ow in 0..${oW!}] = ` +
          `sum[ic, kh, kw](${product})${added};`,
      };
    };
    const definitionFor = (
      names: readonly string[],
      out: string,
      axes: readonly string[],
      lines: string,
    ): Plan["definition"] => {
      const [b, c, h, wide, oc, ic, kh, kw, oH, oW] = axes as string[];
      return {
        functions: "",
        sizes: ["s_oh", "s_ow"].filter((size) => oH === size || oW === size),
        operands: [
          { name: names[0]!, dtype, axes: [b!, c!, h!, wide!] },
          { name: names[1]!, dtype: forms[1]!.dtype, axes: [oc!, ic!, kh!, kw!] },
          ...(bias ? [{ name: names[2]!, dtype: bias.dtype, axes: [oc!] }] : []),
        ],
        lines,
        result: { name: out, dtype, axes: [b!, oc!, oH!, oW!] },
      };
    };
    const names = ["a", "w", "c"].slice(0, forms.length);
    return {
      shape: [batch, outs, oh, ow],
      dtype,
      views: forms.map((form) => form.shape),
      view: [batch, outs, oh, ow],
      sizes: [oh, ow],
      definition: definitionFor(
        names,
        "y",
        ["n", groups === 1 ? "ci" : "ca", "h", "v", "co", "ci", "fh", "fw", "s_oh", "s_ow"],
        write(names, "y", ["extent(h)", "extent(v)", "s_oh", "s_ow"]).lines,
      ),
      written: (operands, out) =>
        definitionFor(
          operands,
          out,
          [...x, ...w, oh, ow].map(String),
          write(operands, out, [height, width, oh, ow].map(String)).lines,
        ),
    };
  },
};

export interface PoolOptions extends Window {
  readonly window: readonly [number, number];
}

/** The greatest cell of each window of images [batch, channel, height, width]. */
export const maxPool2d: Operation<PoolOptions> = {
  name: "maxPool2d",
  isDifferentiable: true,
  plan: (forms, options) => {
    const { shape, dtype } = forms[0]!;
    if (shape.length !== 4)
      throw new TensorError(
        `maxPool2d: images are [batch, channel, height, width], and ${showShape(shape)} came`,
      );
    const [batch, channels, height, width] = shape as [number, number, number, number];
    const [kh, kw] = options.window;
    const half = options.window.map((extent, along) =>
      Math.floor((options.dilation[along]! * (extent - 1) + 1) / 2),
    );
    if (options.padding.some((amount, along) => amount > half[along]!))
      throw new TensorError(
        `maxPool2d: a padding of [${options.padding.join(", ")}] is more than half of the ` +
          "window, and leaves windows without a cell",
      );
    const oh = windowCount("maxPool2d", height, kh, 0, options);
    const ow = windowCount("maxPool2d", width, kw, 1, options);
    const rows = windowIndex("oh", "kh", 0, options);
    const columns = windowIndex("ow", "kw", 1, options);
    const padded = options.padding.some((amount) => amount > 0);
    const write = (
      x: string,
      out: string,
      axes: readonly string[],
      sizes: readonly string[],
    ): Plan["definition"] => {
      const [b, c, h, v, oH, oW] = axes as string[];
      const size = (axis: string): string => (/^\d/.test(axis) ? axis : `extent(${axis})`);
      const guard = padded ? ` where ${rows} in 0..${size(h!)}, ${columns} in 0..${size(v!)}` : "";
      return {
        functions: "",
        sizes,
        operands: [{ name: x, dtype, axes: [b!, c!, h!, v!] }],
        lines:
          `let ${out}[image, channel, oh in 0..${oH!}, ow in 0..${oW!}] = ` +
          `max[kh in 0..${kh}, kw in 0..${kw}](${x}[image, channel, ${rows}, ` +
          `${columns}]${guard});`,
        result: { name: out, dtype, axes: [b!, c!, oH!, oW!] },
      };
    };
    return {
      shape: [batch, channels, oh, ow],
      dtype,
      views: [[batch, channels, height, width]],
      view: [batch, channels, oh, ow],
      sizes: [oh, ow],
      definition: write("a", "y", ["nb", "nc", "h", "v", "s_oh", "s_ow"], ["s_oh", "s_ow"]),
      written: ([x], out) =>
        write(x!, out, [batch, channels, height, width, oh, ow].map(String), []),
    };
  },
};

/** Sets random cells to 0 and scales the others. The operands are x, the rate and the seed. */
export const dropout: Operation = {
  name: "dropout",
  isDifferentiable: true,
  plan: (forms) => {
    const { shape, dtype } = forms[0]!;
    if (!isFloat(dtype))
      throw new TensorError(`dropout: the tensor is ${dtype}, and a float is wanted`);
    const size = sizeOf(shape);
    const write = (
      [x, rate, seed]: readonly string[],
      out: string,
      axes: readonly string[],
      position: string,
    ): Plan["definition"] => {
      const names = axes.map((_, k) => `i${k}`);
      const kept = `${cell(x!, names)} / (1.0 - ${rate!})`;
      return {
        functions: "",
        sizes: [],
        operands: [
          { name: x!, dtype, axes },
          { name: rate!, dtype, axes: [] },
          { name: seed!, dtype: "i32", axes: [] },
        ],
        lines:
          `let ${cell(out, names)} = if (uniform(${seed!}, ${position}) as ${dtype}) < ` +
          `${rate!} { 0.0 } else { ${kept} };`,
        result: { name: out, dtype, axes },
      };
    };
    const strides = shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));
    return {
      shape,
      dtype,
      views: [[size], [], []],
      view: [size],
      sizes: [],
      definition: write(["a", "rate", "seed"], "y", ["n"], "i0"),
      written: (operands, out) =>
        write(
          operands,
          out,
          shape.map(String),
          strides.length === 0
            ? "0"
            : strides.map((stride, axis) => `${stride} * i${axis}`).join(" + "),
        ),
    };
  },
};

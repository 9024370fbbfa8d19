// The usual layers. Linear and convolution weights start uniform in ±1/√fan-in.

import { ones, rand, randn, zeros, nextSeed } from "../constructors.ts";
import { TensorError } from "../core/error.ts";
import * as f from "../functions.ts";
import { noGrad } from "../mode.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../tensor.ts";
import { Module } from "./module.ts";

export interface LayerOptions {
  readonly bias?: boolean;
  /** The seed of the initial weights. */
  readonly seed?: number;
}

function initialWeights(shape: Shape, fanIn: number, seed: number): Tensor {
  const bound = 1 / Math.sqrt(fanIn);
  const weights = noGrad(() =>
    rand(shape, { seed })
      .multiply(2 * bound)
      .subtract(bound),
  );
  return weights.requiresGrad_();
}

/** `x Wᵀ + b`, over the last axis. */
export class Linear extends Module {
  readonly weight: Tensor;
  readonly bias: Tensor | undefined;

  constructor(
    inputs: number,
    outputs: number,
    { bias = true, seed = nextSeed() }: LayerOptions = {},
  ) {
    super();
    this.weight = initialWeights([outputs, inputs], inputs, seed).named("weight");
    this.bias = bias ? initialWeights([outputs], inputs, seed + 1).named("bias") : undefined;
  }

  forward(x: Tensor): Tensor {
    const product = f.einsum("...i,oi->...o", x, this.weight);
    return this.bias ? product.add(this.bias) : product;
  }
}

export interface Conv2dLayerOptions extends LayerOptions {
  readonly stride?: number;
  readonly padding?: number;
  readonly dilation?: number;
  readonly groups?: number;
}

export class Conv2d extends Module {
  readonly weight: Tensor;
  readonly bias: Tensor | undefined;
  readonly options: f.Conv2dOptions;

  constructor(inputs: number, outputs: number, window: number, options: Conv2dLayerOptions = {}) {
    super();
    const { bias = true, seed = nextSeed(), ...rest } = options;
    const { groups = 1 } = rest;
    if (inputs % groups !== 0 || outputs % groups !== 0)
      throw new TensorError(
        `Conv2d: ${inputs} channels to ${outputs} cannot be shared by ${groups} groups`,
      );
    const channels = inputs / groups;
    const fanIn = channels * window * window;
    this.weight = initialWeights([outputs, channels, window, window], fanIn, seed).named("weight");
    this.bias = bias ? initialWeights([outputs], fanIn, seed + 1).named("bias") : undefined;
    this.options = rest;
  }

  forward(x: Tensor): Tensor {
    return f.conv2d(x, this.weight, { ...this.options, ...(this.bias ? { bias: this.bias } : {}) });
  }
}

export class LayerNorm extends Module {
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly shape: Shape;
  readonly eps: number;

  constructor(shape: number | Shape, { eps = 1e-5 }: { readonly eps?: number } = {}) {
    super();
    this.shape = typeof shape === "number" ? [shape] : shape;
    this.weight = ones(this.shape, { requiresGrad: true }).named("weight");
    this.bias = zeros(this.shape, { requiresGrad: true }).named("bias");
    this.eps = eps;
  }

  forward(x: Tensor): Tensor {
    return f.layerNorm(x, this.shape, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

/** A table of rows. `forward` takes integer positions. */
export class Embedding extends Module {
  readonly weight: Tensor;

  constructor(
    rows: number,
    features: number,
    { seed = nextSeed() }: { readonly seed?: number } = {},
  ) {
    super();
    this.weight = randn([rows, features], { seed, requiresGrad: true }).named("weight");
  }

  forward(rows: Tensor): Tensor {
    return f.embedding(this.weight, rows);
  }
}

/** Sets random cells to 0 while training, other cells in every call. */
export class Dropout extends Module {
  readonly rate: number;
  seed: number;

  constructor(rate = 0.5, { seed = nextSeed() }: { readonly seed?: number } = {}) {
    super();
    this.rate = rate;
    this.seed = seed;
  }

  forward(x: Tensor): Tensor {
    return this.isTraining && this.rate > 0 ? f.dropout(x, this.rate, this.seed++) : x;
  }
}

/** Applies layers one after another. A layer may be a plain function. */
export class Sequential extends Module {
  readonly layers: readonly (Module | ((x: Tensor) => Tensor))[];

  constructor(...layers: readonly (Module | ((x: Tensor) => Tensor))[]) {
    super();
    this.layers = layers;
  }

  forward(x: Tensor): Tensor {
    return this.layers.reduce(
      (value, layer) => (layer instanceof Module ? layer.forward(value) : layer(value)),
      x,
    );
  }
}

/**
 * Scaled dot-product attention with several heads. `attend` takes queries, keys and values.
 * `forward` takes one tensor as all three.
 */
export class MultiHeadAttention extends Module {
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly out: Linear;
  readonly heads: number;

  constructor(
    features: number,
    heads: number,
    { seed = nextSeed(), bias = true }: LayerOptions = {},
  ) {
    super();
    if (features % heads !== 0)
      throw new TensorError(
        `MultiHeadAttention: ${features} features cannot be shared by ${heads} heads`,
      );
    const part = (k: number): Linear =>
      new Linear(features, features, { bias, seed: seed + 2 * k });
    [this.query, this.key, this.value, this.out] = [part(0), part(1), part(2), part(3)];
    this.heads = heads;
  }

  forward(x: Tensor): Tensor {
    return this.attend(x, x, x);
  }

  /**
   * `mask` is true where a query may attend to a key. Its shape is [query, key], or another shape
   * that broadcasts to [batch, head, query, key].
   */
  attend(queries: Tensor, keys: Tensor, values: Tensor, mask?: Tensor): Tensor {
    const { heads } = this;
    const split = (x: Tensor): Tensor =>
      x.reshape(...x.shape.slice(0, -1), heads, x.shape.at(-1)! / heads);
    const [q, k, v] = [
      split(this.query.forward(queries)),
      split(this.key.forward(keys)),
      split(this.value.forward(values)),
    ];
    const scores = f.einsum("...qhd,...khd->...hqk", q, k).divide(Math.sqrt(q.shape.at(-1)!));
    const allowed = mask ? f.where(mask, scores, Number.NEGATIVE_INFINITY) : scores;
    const read = f.einsum("...hqk,...khd->...qhd", allowed.softmax(-1), v);
    return this.out.forward(read.reshape(...queries.shape));
  }
}

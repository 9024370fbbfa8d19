// Training of eager tensors: optimisers and learning rates. The networks are in `nn`.
//
// Optimisers, which step along gradients. They change parameters in place and record nothing.

import { zeros } from "../constructors.ts";
import * as f from "../functions.ts";
import { noGrad } from "../mode.ts";
import type { Tensor } from "../tensor.ts";

export abstract class Optimiser {
  readonly parameters: readonly Tensor[];
  rate: number;
  steps = 0;

  constructor(parameters: readonly Tensor[], rate: number) {
    this.parameters = parameters;
    this.rate = rate;
  }

  /** Makes one step for every parameter that has a gradient. */
  step(): void {
    this.steps++;
    noGrad(() => {
      for (const parameter of this.parameters)
        if (parameter.grad) this.update(parameter, parameter.grad);
    });
  }

  zeroGrad(): void {
    for (const parameter of this.parameters) parameter.grad = undefined;
  }

  protected abstract update(parameter: Tensor, gradient: Tensor): void;
}

/** A tensor for each parameter, which is 0 at first. */
class Memory {
  readonly #kept = new Map<Tensor, Tensor>();

  of(parameter: Tensor): Tensor {
    let kept = this.#kept.get(parameter);
    if (!kept)
      this.#kept.set(parameter, (kept = zeros(parameter.shape, { dtype: parameter.dtype })));
    return kept;
  }
}

export interface SgdOptions {
  readonly momentum?: number;
  readonly nesterov?: boolean;
  readonly weightDecay?: number;
}

/** v ← μ v + g, p ← p − η v. */
export class SGD extends Optimiser {
  readonly #options: Required<SgdOptions>;
  readonly #velocity = new Memory();

  constructor(
    parameters: readonly Tensor[],
    rate: number,
    { momentum = 0, nesterov = false, weightDecay = 0 }: SgdOptions = {},
  ) {
    super(parameters, rate);
    this.#options = { momentum, nesterov, weightDecay };
  }

  protected update(parameter: Tensor, gradient: Tensor): void {
    const { momentum, nesterov, weightDecay } = this.#options;
    const decayed = weightDecay === 0 ? gradient : gradient.add(parameter.multiply(weightDecay));
    if (momentum === 0) {
      parameter.sub_(decayed, this.rate);
      return;
    }
    const velocity = this.#velocity.of(parameter);
    velocity.mul_(momentum).add_(decayed);
    parameter.sub_(nesterov ? decayed.add(velocity.multiply(momentum)) : velocity, this.rate);
  }
}

export interface AdamOptions {
  readonly betas?: readonly [number, number];
  readonly eps?: number;
  readonly weightDecay?: number;
}

/**
 * Kingma and Ba (2015). The step is the mean of the gradients over the root of the mean of their
 * squares, both corrected for their start at 0:
 *
 *   m ← β₁ m + (1 − β₁) g,  s ← β₂ s + (1 − β₂) g²,  p ← p − η m̂ / (√ŝ + ε)
 */
export class Adam extends Optimiser {
  readonly options: Required<AdamOptions>;
  readonly #mean = new Memory();
  readonly #square = new Memory();

  constructor(
    parameters: readonly Tensor[],
    rate = 1e-3,
    { betas = [0.9, 0.999], eps = 1e-8, weightDecay = 0 }: AdamOptions = {},
  ) {
    super(parameters, rate);
    this.options = { betas, eps, weightDecay };
  }

  protected update(parameter: Tensor, gradient: Tensor): void {
    const { weightDecay } = this.options;
    this.descend(
      parameter,
      weightDecay === 0 ? gradient : gradient.add(parameter.multiply(weightDecay)),
    );
  }

  protected descend(parameter: Tensor, gradient: Tensor): void {
    const [keepMean, keepSquare] = this.options.betas;
    const mean = this.#mean.of(parameter);
    const square = this.#square.of(parameter);
    mean.mul_(keepMean).add_(gradient, 1 - keepMean);
    square.mul_(keepSquare).add_(gradient.multiply(gradient), 1 - keepSquare);
    const rate = this.rate / (1 - keepMean ** this.steps);
    const root = f.sqrt(square).divide(Math.sqrt(1 - keepSquare ** this.steps));
    parameter.sub_(mean.divide(root.add(this.options.eps)), rate);
  }
}

/**
 * Loshchilov and Hutter (2019). The weight decay acts on the parameter directly, not through the
 * gradient.
 */
export class AdamW extends Adam {
  constructor(
    parameters: readonly Tensor[],
    rate = 1e-3,
    { weightDecay = 0.01, ...rest }: AdamOptions = {},
  ) {
    super(parameters, rate, { ...rest, weightDecay });
  }

  protected override update(parameter: Tensor, gradient: Tensor): void {
    parameter.mul_(1 - this.rate * this.options.weightDecay);
    this.descend(parameter, gradient);
  }
}

/** Scales all gradients so that their common norm is at most `most`. Gives the norm before. */
export function clipGradNorm(parameters: readonly Tensor[], most: number): number {
  return noGrad(() => {
    const gradients = parameters.flatMap(({ grad }) => (grad ? [grad] : []));
    const norm = Math.sqrt(gradients.reduce((total, g) => total + g.multiply(g).sum().item(), 0));
    if (norm > most) for (const gradient of gradients) gradient.mul_(most / (norm + 1e-6));
    return norm;
  });
}

/** Cuts every gradient to the interval from `-most` to `most`. */
export function clipGradValue(parameters: readonly Tensor[], most: number): void {
  noGrad(() => {
    for (const parameter of parameters)
      if (parameter.grad) parameter.grad = parameter.grad.clamp(-most, most);
  });
}

// This folder has the elementary functions on f32, written once for vectors and for JavaScript;
// functions on f64 are the host's and are not here.
//
// Each function stands here under the name of its operation, with the error that it may have.

import type { OperationName } from "../../scalar/operations.ts";
import { erf } from "./erf.ts";
import { exp, expm1 } from "./exponential.ts";
import { tanh } from "./hyperbolic.ts";
import type { Lanes } from "./lanes.ts";
import { log, log1p } from "./logarithm.ts";
import { power } from "./power.ts";
import { sigmoid } from "./sigmoid.ts";
import { cos, sin, tan } from "./trigonometric.ts";

export interface Elementary {
  /** A function of one argument ignores `y`. */
  readonly compute: <V>(m: Lanes<V>, x: V, y: V) => V;
  /**
   * No result is further from the exact value than this, in units of the last place. Zeros,
   * infinities and NaN are exact.
   */
  readonly ulps: number;
  /** Whether the function is one chain of steps in f32, without a longer way for some arguments. */
  readonly isStraight: boolean;
}

// Measured with `npm run ulps`, which docs/numerics.md describes.
export const elementary = {
  exp: { compute: exp, ulps: 2, isStraight: true },
  log: { compute: log, ulps: 1, isStraight: false },
  sin: { compute: sin, ulps: 2, isStraight: false },
  cos: { compute: cos, ulps: 2, isStraight: false },
  tan: { compute: tan, ulps: 1, isStraight: false },
  tanh: { compute: tanh, ulps: 2, isStraight: true },
  sigmoid: { compute: sigmoid, ulps: 2.5, isStraight: true },
  erf: { compute: erf, ulps: 1, isStraight: false },
  log1p: { compute: log1p, ulps: 2, isStraight: false },
  expm1: { compute: expm1, ulps: 2, isStraight: true },
  power: { compute: power, ulps: 1, isStraight: false },
} as const satisfies Partial<Record<OperationName, Elementary>>;

export type ElementaryName = keyof typeof elementary;

export const elementaryNames = Object.keys(elementary) as readonly ElementaryName[];

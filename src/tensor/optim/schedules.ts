// Learning rates over time: pure functions of the step, and a function that sets the rate of an
// optimiser.

import type { Optimiser } from "./optimiser.ts";

/** The factor on the initial rate at each step. */
export type Schedule = (step: number) => number;

/** Multiplies the rate by `factor` after every `every` steps. */
export function stepDecay(every: number, factor: number): Schedule {
  return (step) => factor ** Math.floor(step / every);
}

export function exponentialDecay(factor: number): Schedule {
  return (step) => factor ** step;
}

/** Falls from 1 to `floor` along half a cosine. */
export function cosine(steps: number, floor = 0): Schedule {
  return (step) =>
    floor + ((1 - floor) * (1 + Math.cos((Math.PI * Math.min(step, steps)) / steps))) / 2;
}

/** Rises linearly over the first steps, then follows another schedule from its beginning. */
export function warmup(steps: number, then: Schedule = () => 1): Schedule {
  return (step) => (step < steps ? (step + 1) / steps : then(step - steps));
}

/** Sets the rate of an optimiser. Call the result after every step. */
export function scheduled(optimiser: Optimiser, schedule: Schedule): () => void {
  const initial = optimiser.rate;
  let step = 0;
  optimiser.rate = initial * schedule(0);
  return () => {
    optimiser.rate = initial * schedule(++step);
  };
}

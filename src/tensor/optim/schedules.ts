// Learning rates over time: pure functions of the step, and one that puts them into an optimiser.

import type { Optimiser } from "./optimiser.ts";

/** A factor on the initial rate. */
export type Schedule = (step: number) => number;

/** Times `factor` after every `every` steps. */
export function stepDecay(every: number, factor: number): Schedule {
  return (step) => factor ** Math.floor(step / every);
}

export function exponentialDecay(factor: number): Schedule {
  return (step) => factor ** step;
}

/** From 1 down to `floor` along half a cosine. */
export function cosine(steps: number, floor = 0): Schedule {
  return (step) =>
    floor + ((1 - floor) * (1 + Math.cos((Math.PI * Math.min(step, steps)) / steps))) / 2;
}

/** Linear from 0 for the first steps, then another schedule from its start. */
export function warmup(steps: number, then: Schedule = () => 1): Schedule {
  return (step) => (step < steps ? (step + 1) / steps : then(step - steps));
}

/** Sets the rate before each step: call the result once a step. */
export function scheduled(optimiser: Optimiser, schedule: Schedule): () => void {
  const initial = optimiser.rate;
  let step = 0;
  optimiser.rate = initial * schedule(0);
  return () => {
    optimiser.rate = initial * schedule(++step);
  };
}

// Optimisers: what `import { optim } from "einlang/tensor"` offers.

export * from "./optimiser.ts";
export * from "./schedules.ts";

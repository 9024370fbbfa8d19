// Networks: what `import { nn } from "einlang/tensor"` offers.

export * from "./layers.ts";
export { Module } from "./module.ts";
export { loadState, saveState } from "./state.ts";

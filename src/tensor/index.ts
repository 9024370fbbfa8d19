// The door `einlang/tensor`: eager tensors with a recorded graph, on the engine of the language.

import { backward } from "./backward.ts";
import { fillMethods } from "./core/methods.ts";
import * as functions from "./functions.ts";
import * as inPlace from "./in-place.ts";

fillMethods({ ...functions, ...inPlace, backward });

export { gradientsOf, type BackwardOptions } from "./backward.ts";
export * from "./constructors.ts";
export type { TensorType } from "./core/definition.ts";
export { define, defineFunction } from "./define.ts";
export { TensorError } from "./core/error.ts";
export * from "./functions.ts";
export { gradcheck, jvp, vjp, type GradcheckOptions, type TensorFunction } from "./functional.ts";
export { graph, type RecordedEdge, type RecordedGraph, type RecordedNode } from "./core/graph.ts";
export { slice, type IndexItem, type Slice } from "./core/index-items.ts";
export { enableGrad, isTracking, noGrad, traceOps } from "./mode.ts";
export type { Operand } from "./core/operand.ts";
export type { Along, VarOptions } from "./operations/reductions.ts";
export type { Recipe } from "./core/recipe.ts";
export { record, type Recording } from "./record.ts";
export { registerBackward, type RegisteredBackward } from "./core/registry.ts";
export { Tensor, type Hook, type NestedNumbers } from "./tensor.ts";
export * as nn from "./nn/index.ts";
export * as optim from "./optim/index.ts";

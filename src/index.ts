// The door `einlang`: the library, in Node and in a browser. Eager tensors are in `einlang/tensor`,
// explanations of gradients in `einlang/explain`, and files in `einlang/files` and
// `einlang/formats`.

export { compile } from "./library/compile-async.ts";
export type { CompileOptions } from "./library/compile.ts";
export type { Finite } from "./library/inputs.ts";
export type { Equation } from "./library/notation.ts";
export { EinError } from "./library/error.ts";
export type {
  AbortSignalLike,
  AsyncOptions,
  Callable,
  Gradient,
  Inputs,
  Program,
  RunOptions,
  SyncOptions,
  Values,
} from "./library/program.ts";
export { ein, type Ein, type Results } from "./library/tag.ts";
export { tensor, type CellsOf, type Given, type Shape, type Value } from "./library/value.ts";
export type { DType } from "./scalar/types.ts";
export { useRelaxedSimd } from "./backends/wasm/contract/form.ts";
export { useThreads } from "./backends/wasm/threads/threads.ts";
export type { Progress } from "./backends/progress.ts";
export type { DeclaredInput } from "./lower/declared-input.ts";
export type { Backend, Printed, PrintedPart } from "./backends/results.ts";
export type { ModuleText, ReadModule } from "./check/names/modules.ts";
export type { Code } from "./diagnostics/codes.ts";
export type { Diagnostic, Label, Level } from "./diagnostics/diagnostic.ts";
export { renderAllText, renderText, type TextOptions } from "./diagnostics/render-text.ts";
export { showTensor } from "./scalar/values/show.ts";
export type { Nested, TensorValue } from "./scalar/values/value.ts";
export type { ElementType } from "./scalar/types.ts";
export type { Source, Span } from "./base/source.ts";

// The library: what `import … from "einlang"` offers, in Node and in a browser alike.

export { compile } from "./compile.ts";
export type {
  Backend,
  Compiled,
  CompiledProgram,
  CompileOptions,
  DeclaredInput,
  NamedValue,
  Printed,
  PrintedPart,
  RunOptions,
  RunResult,
} from "./compile.ts";
export type { ProfileLine } from "./backends/profile.ts";
export { auditText } from "./explain/audit-text.ts";
export type { Audit, Broadcast, Shared } from "./explain/audit.ts";
export { costText, type CostReport } from "./explain/cost.ts";
export { graphDot, type DependencyGraph } from "./explain/dependency-graph.ts";
export { explanationHtml } from "./explain/explanation-html.ts";
export { explanationJson } from "./explain/explanation-json.ts";
export { explanationTex } from "./explain/explanation-tex.ts";
export { explanationText } from "./explain/explanation-text.ts";
export type { Asked, ExplainOptions } from "./explain/explain-request.ts";
export type {
  CellAccount,
  Contribution,
  Explanation,
  GradientStep,
  Ledger,
  PullbackStep,
} from "./explain/explanation.ts";
export { graphSvg } from "./explain/graph-svg.ts";
export { heatPng, heatText } from "./explain/heat.ts";
export type { MemoryReport } from "./explain/memory.ts";
export { memoryText } from "./explain/memory-text.ts";
export type { ModuleText, ReadModule } from "./check/modules.ts";
export type { Code } from "./diagnostics/codes.ts";
export type { Diagnostic, Label, Level } from "./diagnostics/diagnostic.ts";
export { diagnosticCss, renderHtml } from "./diagnostics/render-html.ts";
export { toJson as diagnosticToJson, type JsonDiagnostic, type JsonLabel } from "./diagnostics/render-json.ts";
export { renderAllText, renderText, type TextOptions } from "./diagnostics/render-text.ts";
export { showAligned, type AlignedOptions } from "./host/aligned.ts";
export { failed, type Failure } from "./host/failure.ts";
export { fromJson as tensorFromJson, toJson as tensorToJson, type JsonScalar, type JsonTensor } from "./host/json.ts";
export { showTensor } from "./host/show.ts";
export { fromNested, type Nested, type TensorValue } from "./host/value.ts";
export type { ElementType } from "./ir/scalar/types.ts";
export type { Source, Span } from "./syntax/source.ts";

// The door `einlang/explain`: programs with all their explanations, and the forms in which these
// are shown.
//
// This folder has the doors of the package, one file for each import. What they offer is defined in
// other folders.

export { compile as examine } from "../driver/compile.ts";
export type { Compiled, CompiledProgram, CompileOptions } from "../driver/compile.ts";
export type { NamedValue, RunOptions, RunResult } from "../backends/results.ts";
export type { ProfileLine } from "../backends/profile.ts";
export { diagnosticCss, renderHtml } from "../diagnostics/render-html.ts";
export {
  toJson as diagnosticToJson,
  type JsonDiagnostic,
  type JsonLabel,
} from "../diagnostics/render-json.ts";
export { showAligned, type AlignedOptions } from "../scalar/values/aligned.ts";
export { failed, type Failure } from "../base/failure.ts";
export {
  fromJson as tensorFromJson,
  toJson as tensorToJson,
  type JsonScalar,
  type JsonTensor,
} from "../host/json.ts";
export { fromNested } from "../scalar/values/value.ts";
export { auditText } from "../explain/audit/audit-text.ts";
export type { Audit, Broadcast, Shared } from "../explain/audit/audit.ts";
export { costText, type CostReport } from "../explain/cost/cost.ts";
export { graphDot, type DependencyGraph } from "../explain/pictures/dependency-graph.ts";
export { explanationHtml } from "../explain/ledger/html.ts";
export { explanationJson } from "../explain/ledger/json.ts";
export { explanationTex } from "../explain/ledger/tex.ts";
export { explanationText } from "../explain/ledger/text.ts";
export type { Asked } from "../autodiff/requests/requests.ts";
export type { ExplainOptions } from "../explain/ledger/explain-request.ts";
export type {
  CellAccount,
  Contribution,
  Explanation,
  GradientStep,
  Ledger,
  PullbackStep,
} from "../explain/ledger/explanation.ts";
export { graphSvg } from "../explain/pictures/graph-svg.ts";
export { heatPng, heatText } from "../explain/pictures/heat.ts";
export type { MemoryReport } from "../explain/cost/memory.ts";
export { memoryText } from "../explain/cost/memory-text.ts";

// What `import … from "einlang/explain"` offers: programs with all that can be said about them, and
// the forms in which it is said.

export { compile as examine } from "../compile.ts";
export type { Compiled, CompiledProgram, CompileOptions } from "../compile.ts";
export type { NamedValue, RunOptions, RunResult } from "../backends/results.ts";
export type { ProfileLine } from "../backends/profile.ts";
export { diagnosticCss, renderHtml } from "../diagnostics/render-html.ts";
export {
  toJson as diagnosticToJson,
  type JsonDiagnostic,
  type JsonLabel,
} from "../diagnostics/render-json.ts";
export { showAligned, type AlignedOptions } from "../host/aligned.ts";
export { failed, type Failure } from "../host/failure.ts";
export {
  fromJson as tensorFromJson,
  toJson as tensorToJson,
  type JsonScalar,
  type JsonTensor,
} from "../host/json.ts";
export { fromNested } from "../host/value.ts";
export { auditText } from "./audit-text.ts";
export type { Audit, Broadcast, Shared } from "./audit.ts";
export { costText, type CostReport } from "./cost.ts";
export { graphDot, type DependencyGraph } from "./dependency-graph.ts";
export { explanationHtml } from "./explanation-html.ts";
export { explanationJson } from "./explanation-json.ts";
export { explanationTex } from "./explanation-tex.ts";
export { explanationText } from "./explanation-text.ts";
export type { Asked } from "../autodiff/requests.ts";
export type { ExplainOptions } from "./explain-request.ts";
export type {
  CellAccount,
  Contribution,
  Explanation,
  GradientStep,
  Ledger,
  PullbackStep,
} from "./explanation.ts";
export { graphSvg } from "./graph-svg.ts";
export { heatPng, heatText } from "./heat.ts";
export type { MemoryReport } from "./memory.ts";
export { memoryText } from "./memory-text.ts";

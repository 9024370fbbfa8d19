// How values and prints are written: aligned for a terminal, exact text for a pipe, one JSON object
// for `--json`.

import type { ProfileLine } from "../../backends/profile.ts";
import type { NamedValue, Printed, RunResult } from "../../backends/results.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { showAligned } from "../../scalar/values/aligned.ts";
import { toJson, type JsonScalar } from "../../host/json.ts";
import { showTensor } from "../../scalar/values/show.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import type { Stream } from "../io.ts";
import { byLevel } from "./report.ts";

/** A stream with its choice of colour. */
export interface Shown extends Stream {
  readonly color: boolean;
}

/** The text of one `print`. In a terminal a tensor with axes stands on lines of its own. */
export function printedText(printed: Printed, out: Shown): string {
  const laidOut = printed.parts.some(
    (part) => part.kind === "value" && part.value.shape.length > 0,
  );
  if (!out.isTerminal || !laidOut) return printed.text;
  const lines: string[] = [];
  let words: string[] = [];
  const endLine = () => {
    // The spaces between the arguments are parts too, so a line may begin or end with one.
    const line = words.join("").trim();
    if (line) lines.push(line);
    words = [];
  };
  for (const part of printed.parts) {
    if (part.kind === "text") words.push(part.text);
    else if (part.value.shape.length === 0) words.push(showTensor(part.value));
    else {
      endLine();
      lines.push(aligned(part.value, part.names, out));
    }
  }
  endLine();
  return lines.join("\n");
}

/** The text of a value that was requested by name, or of the last expression. */
export function valueText(
  name: string | undefined,
  { value, names }: NamedValue,
  out: Shown,
): string {
  if (out.isTerminal && value.shape.length > 0) return aligned(value, names, out, name);
  const text = showTensor(value);
  return name === undefined ? text : `${name} = ${text}`;
}

function aligned(
  value: TensorValue,
  names: NamedValue["names"],
  out: Shown,
  name?: string,
): string {
  return showAligned(value, { name, names, width: out.columns, color: out.color });
}

export interface RunTime {
  readonly compile_ms: number;
  readonly run_ms: number;
  readonly peak_bytes: number;
}

/** The JSON object of `ein run --json`. */
export function jsonReport(
  result: RunResult,
  printed: readonly string[],
  diagnostics: readonly Diagnostic[],
  time: RunTime | undefined,
): string {
  const { warnings } = byLevel(diagnostics);
  const values = [...result.values].map(
    ([name, { value }]) => `${JSON.stringify(name)}:${jsonTensor(value)}`,
  );
  return `{${[
    `"values":{${values.join(",")}}`,
    `"printed":${JSON.stringify(printed)}`,
    ...(result.omitted.length > 0 ? [`"omitted":${JSON.stringify(result.omitted)}`] : []),
    ...(warnings.length > 0 ? [`"warnings":${JSON.stringify(warnings)}`] : []),
    ...(time ? [`"time":${JSON.stringify(rounded(time))}`] : []),
    ...(result.profile ? [`"profile":${JSON.stringify(result.profile.map(profileJson))}`] : []),
  ].join(",")}}`;
}

/** The cost of a source line and its rate. The rate is null if the clock measured no time. */
function profileJson(line: ProfileLine): ProfileLine & { readonly gflops: number | null } {
  const { ms, flops } = line;
  return {
    ...line,
    ms: Math.round(ms * 1000) / 1000,
    gflops: ms > 0 ? Number((flops / ms / 1e6).toPrecision(4)) : null,
  };
}

/** The clock has no meaningful digits below a microsecond. */
function rounded({ compile_ms, run_ms, peak_bytes }: RunTime): RunTime {
  const micro = (ms: number) => Math.round(ms * 1000) / 1000;
  return { compile_ms: micro(compile_ms), run_ms: micro(run_ms), peak_bytes };
}

function jsonTensor(value: TensorValue): string {
  const { dtype, shape, data } = toJson(value);
  return `{"dtype":"${dtype}","shape":${JSON.stringify(shape)},"data":[${data
    .map(jsonScalar)
    .join(",")}]}`;
}

/** `JSON.stringify` drops the sign of a negative zero. */
function jsonScalar(x: JsonScalar): string {
  return Object.is(x, -0) ? "-0.0" : JSON.stringify(x);
}

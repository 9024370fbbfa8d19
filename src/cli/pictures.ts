// `ein explain --graph` and `--heat`: pictures of a program and of its values.

import { extname } from "node:path";
import type { CompiledProgram } from "../compile.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { graphDot } from "../explain/dependency-graph.ts";
import { graphSvg } from "../explain/graph-svg.ts";
import { heatPng, heatText } from "../explain/heat.ts";
import { writeAtomically } from "../host/node/files.ts";
import { exitCode, wantsColour, type ExitCode } from "./io.ts";
import { readInputs } from "./inputs.ts";
import type { Task } from "./main.ts";
import { show } from "./report.ts";
import { FlagProblem, readSettings } from "./settings.ts";

export function drawn(task: Task, program: CompiledProgram, diagnostics: readonly Diagnostic[]): ExitCode {
  const { flags, io } = task;
  show(diagnostics, io);
  const [graph, heat] = [flags.value("graph"), flags.value("heat")];
  if (graph !== undefined) writeGraph(program, graph);
  if (heat !== undefined) showHeat(task, program, heat);
  return exitCode.fine;
}

function writeGraph(program: CompiledProgram, path: string): void {
  const form = extname(path);
  if (form !== ".svg" && form !== ".dot") throw unsupported(path, "a graph is written as `.svg` or `.dot`");
  const graph = program.graph();
  write(path, new TextEncoder().encode(form === ".svg" ? graphSvg(graph) : graphDot(graph)));
}

function showHeat({ flags, io }: Task, program: CompiledProgram, name: string): void {
  const settings = readSettings({ ...flags, values: (flag) => (flag === "save" ? [] : flags.values(flag)) });
  const inputs = program.drawInputs(readInputs(settings, program.inputs));
  const { values, fault } = program.run({ inputs, get: [name], f64: settings.f64 });
  if (fault) throw new FlagProblem(fault, exitCode.programWrong);
  const { value, names } = values.get(name)!;
  if (value.dtype === "str") {
    throw new FlagProblem(
      error("E0883", `\`${name}\` is text, and a heat map is of numbers`, undefined),
      exitCode.programWrong,
    );
  }
  const path = flags.value("save");
  if (path === undefined) {
    const colour = wantsColour(io.out, io.env);
    io.out.write(heatText(value, { name, axes: names, colour, columns: io.out.columns }));
    return;
  }
  if (extname(path) !== ".png") throw unsupported(path, "a heat map is written as `.png`");
  write(path, heatPng(value));
}

function unsupported(path: string, help: string): FlagProblem {
  return new FlagProblem(error("E0883", `cannot write \`${path}\``, undefined, { help }), exitCode.commandWrong);
}

function write(path: string, bytes: Uint8Array): void {
  const written = writeAtomically(path, bytes);
  if (!written.ok)
    throw new FlagProblem(error("E0882", `cannot write \`${path}\`: ${written.why}`, undefined), exitCode.commandWrong);
}

// Pictures of a program and of its values, for `ein explain --graph` and `--heat`.

import { extname } from "node:path";
import type { CompiledProgram } from "../../driver/compile.ts";
import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { graphDot } from "../../explain/pictures/dependency-graph.ts";
import { graphSvg } from "../../explain/pictures/graph-svg.ts";
import { heatPng, heatText } from "../../explain/pictures/heat.ts";
import { toJson } from "../../host/json.ts";
import { writeAtomically } from "../../host/node/files.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { exitCode, wantsColour, type ExitCode } from "../io.ts";
import { readInputs } from "../inputs.ts";
import type { Task } from "../main.ts";
import { byLevel, show } from "./report.ts";
import { FlagProblem, readSettings } from "../settings.ts";

export function drawn(
  task: Task,
  program: CompiledProgram,
  diagnostics: readonly Diagnostic[],
): ExitCode {
  const { flags, json, io } = task;
  const [graph, heat] = [flags.value("graph"), flags.value("heat")];
  const written = graph === undefined ? undefined : writeGraph(program, graph);
  const shown = heat === undefined ? undefined : heatOf(task, program, heat);
  if (json) {
    const { warnings } = byLevel(diagnostics);
    io.out.write(
      `${JSON.stringify({ ...written, ...(shown ? { heat: heatJson(shown) } : {}), warnings })}\n`,
    );
    return exitCode.fine;
  }
  show(diagnostics, io);
  if (shown && shown.file === undefined) {
    const { name, value, axes } = shown;
    io.out.write(
      heatText(value, { name, axes, colour: wantsColour(io.out, io.env), columns: io.out.columns }),
    );
  }
  return exitCode.fine;
}

function writeGraph(program: CompiledProgram, file: string): { readonly graph: object } {
  const form = extname(file);
  if (form !== ".svg" && form !== ".dot")
    throw unsupported(file, "a graph is written as `.svg` or `.dot`");
  const graph = program.graph();
  writePicture(file, new TextEncoder().encode(form === ".svg" ? graphSvg(graph) : graphDot(graph)));
  return { graph: { ...graph, file } };
}

/** A value to draw, and the file for the picture, if there is one. */
interface Heat {
  readonly name: string;
  readonly value: TensorValue;
  readonly axes: readonly (string | undefined)[];
  readonly file: string | undefined;
}

function heatOf({ flags }: Task, program: CompiledProgram, name: string): Heat {
  const settings = readSettings({
    ...flags,
    values: (flag) => (flag === "save" ? [] : flags.values(flag)),
  });
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
  const file = flags.value("save");
  if (file !== undefined) {
    if (extname(file) !== ".png") throw unsupported(file, "a heat map is written as `.png`");
    writePicture(file, heatPng(value));
  }
  return { name, value, axes: names, file };
}

function heatJson({ name, value, axes, file }: Heat): object {
  return {
    name,
    axes: axes.map((axis) => axis ?? null),
    ...toJson(value),
    ...(file === undefined ? {} : { file }),
  };
}

function unsupported(path: string, help: string): FlagProblem {
  return new FlagProblem(
    error("E0883", `cannot write \`${path}\``, undefined, { help }),
    exitCode.commandWrong,
  );
}

function writePicture(path: string, bytes: Uint8Array): void {
  const written = writeAtomically(path, bytes);
  if (!written.ok)
    throw new FlagProblem(
      error("E0882", `cannot write \`${path}\`: ${written.why}`, undefined),
      exitCode.commandWrong,
    );
}

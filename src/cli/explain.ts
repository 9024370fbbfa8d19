// `ein explain`: how gradients come about, and what they cost.

import { compile, type CompiledProgram, type DeclaredInput } from "../compile.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ExplainOptions } from "../explain/explain-request.ts";
import type { Explanation } from "../explain/explanation.ts";
import { explanationJson } from "../explain/explanation-json.ts";
import { explanationText } from "../explain/explanation-text.ts";
import { modulesBeside } from "../host/node/modules.ts";
import type { Flags } from "./arguments.ts";
import { readInputs } from "./inputs.ts";
import { exitCode, type ExitCode } from "./io.ts";
import type { Task } from "./main.ts";
import { byLevel, fail, show } from "./report.ts";
import { styleFor } from "./style.ts";
import { commandProblem, FlagProblem, readSettings } from "./settings.ts";

export function explain(task: Task): ExitCode {
  const { source, json, io } = task;
  const { diagnostics, program } = compile(source, { open: true, readModule: modulesBeside(source) });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  try {
    return explained(task, program, diagnostics);
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic, ...diagnostics], problem.exit, json, io);
  }
}

function explained({ flags, json, io }: Task, program: CompiledProgram, diagnostics: readonly Diagnostic[]): ExitCode {
  const outcomes = explanations(flags, program);
  const problems = outcomes.flatMap((outcome) => ("diagnostics" in outcome ? outcome.diagnostics : []));
  if (problems.length > 0) return fail([...problems, ...diagnostics], exitCode.programWrong, json, io);
  const all = outcomes.filter((outcome): outcome is Explanation => !("diagnostics" in outcome));
  if (json) {
    const { warnings } = byLevel(diagnostics);
    io.out.write(`${JSON.stringify({ ...explanationJson(all), ...(warnings.length > 0 ? { warnings } : {}) })}\n`);
    return exitCode.fine;
  }
  show(diagnostics, io);
  io.out.write(all.map((explanation) => explanationText(explanation, styleFor(io))).join("\n"));
  return exitCode.fine;
}

function explanations(flags: Flags, program: CompiledProgram): ReturnType<CompiledProgram["explainRequests"]> {
  const of = flags.value("of");
  const wrt = (flags.value("wrt") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const options = optionsOf(flags, program, of);
  if (of !== undefined && wrt.length > 0) return [program.explain(of, wrt, options)];
  if (of !== undefined || wrt.length > 0)
    throw commandProblem("`--of` and `--wrt` go together", "write `ein explain FILE --of loss --wrt W,b`");
  const found = program.explainRequests(options);
  if (found.length > 0) return found;
  throw new FlagProblem(
    error("E0880", "the program asks for no derivative", undefined, {
      help: "say which to explain: `ein explain FILE --of loss --wrt W`",
    }),
    exitCode.commandWrong,
  );
}

function optionsOf(flags: Flags, program: CompiledProgram, of: string | undefined): ExplainOptions {
  const settings = readSettings(flags);
  const incoming: readonly DeclaredInput[] = of === undefined ? [] : [{ name: `d_${of}`, dtype: "f32" }];
  const inputs = readInputs(settings, [...program.inputs, ...incoming]);
  const cell = flags.value("cell");
  return { inputs, f64: settings.f64, ...(cell === undefined ? {} : { cell: positionsIn(cell) }) };
}

function positionsIn(text: string): readonly number[] {
  if (text.trim() === "") return [];
  return text.split(",").map((word) => {
    if (!/^\s*\d+\s*$/.test(word))
      throw commandProblem(`\`--cell ${text}\` is not a list of positions`, "write `--cell 1,2`");
    return Number(word);
  });
}

// The commands of `ein`, one file for each. How their flags are read and how results are shown is
// in the folders around this one.
//
// `ein run`: compiles a program, gives it its inputs, runs it, and shows or saves the requested
// values.

import { compile, type CompiledProgram, type CompileOptions } from "../../driver/compile.ts";
import type { Printed, RunResult } from "../../backends/results.ts";
import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { failed } from "../../base/failure.ts";
import { writeAtomically } from "../../host/node/files.ts";
import { modulesBeside } from "../../host/node/modules.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { leadsOut } from "../../host/zip.ts";
import { dumpPass, isOptimisers, writeDump } from "./dump.ts";
import {
  isArchive,
  isWritable,
  partsFor,
  filePlaceOf,
  writable,
  type FilePlace,
} from "../../host/node/formats.ts";
import { readInputs } from "../inputs.ts";
import { exitCode, wantsColour, type ExitCode } from "../io.ts";
import { progressLine } from "../show/progress.ts";
import type { Task } from "../main.ts";
import { runFast } from "../../host/node/speed.ts";
import type { Program } from "../../ir/program.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import { newHeard, type Heard } from "../../plan/print.ts";
import { fail, show } from "../show/report.ts";
import { commandProblem, FlagProblem, readSettings, type Settings } from "../settings.ts";
import { profileText } from "../show/profile.ts";
import { jsonReport, printedText, valueText, type RunTime, type Shown } from "../show/values.ts";

export function run(task: Task): ExitCode {
  return reportingFlags(task, [], () => {
    const settings = readSettings(task.flags);
    checkSaves(settings);
    runFast(settings);
    const start = task.io.now();
    const { diagnostics, program } = compile(task.source, compilingFor(settings, task));
    const compileTime = task.io.now() - start;
    if (!program) return fail(diagnostics, exitCode.programWrong, task.json, task.io);
    return reportingFlags(task, diagnostics, () =>
      withInputs({ settings, task, diagnostics, program, compileTime }),
    );
  });
}

function compilingFor({ get }: Settings, { source }: Task): CompileOptions {
  return { readModule: modulesBeside(source), ...(get ? { shown: get } : {}) };
}

/** Runs `answer`. If a flag is wrong, its message is reported together with the warnings so far. */
function reportingFlags(
  { json, io }: Task,
  warnings: readonly Diagnostic[],
  answer: () => ExitCode,
): ExitCode {
  try {
    return answer();
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic, ...warnings], problem.exit, json, io);
  }
}

/** A compiled program and everything that its run needs. */
interface Ready {
  readonly settings: Settings;
  readonly task: Task;
  readonly diagnostics: readonly Diagnostic[];
  readonly program: CompiledProgram;
  readonly compileTime: number;
}

function withInputs(ready: Ready): ExitCode {
  const { settings, task, program } = ready;
  if (program.inputs.every(({ shape }) => shape)) {
    dumpBefore(ready);
    checkNames(settings, program);
    return runWith(ready, readInputs(settings, program.inputs));
  }
  const inputs = readInputs(settings, program.inputs);
  const unknown = program.inputs.find(({ name, shape }) => !shape && !inputs.has(name));
  // Without the value the program has no rank to compile with. The run reports which input is
  // missing.
  if (unknown) return runWith(ready, inputs);
  // With the ranks known, the program is compiled again, with all checks.
  const start = task.io.now();
  const ranks = new Map([...inputs].map(([name, value]) => [name, value.shape.length]));
  const again = compile(task.source, { ...compilingFor(settings, task), ranks });
  const compileTime = ready.compileTime + task.io.now() - start;
  if (!again.program) return fail(again.diagnostics, exitCode.programWrong, task.json, task.io);
  dumpBefore({ ...ready, program: again.program });
  checkNames(settings, again.program);
  return runWith(
    { ...ready, diagnostics: again.diagnostics, program: again.program, compileTime },
    inputs,
  );
}

/** Writes the dumps that do not need a run. The optimiser's passes are written after the run. */
function dumpBefore({ settings, task, program }: Ready): void {
  const { dump } = settings;
  if (dump !== undefined && !isOptimisers(dump))
    dumpPass(program, dump, task.io, wantedNames(settings, program, task.json));
}

function runWith(ready: Ready, inputs: ReadonlyMap<string, TensorValue>): ExitCode {
  const { settings, diagnostics, program, compileTime } = ready;
  const { json, io } = ready.task;
  if (!json) show(diagnostics, io);
  const out: Shown = { ...io.out, color: wantsColour(io.out, io.env) };
  const printed: string[] = [];
  const line = progressLine(io);
  let heard: Heard | undefined;
  const begun = io.now();
  const result = program.run({
    inputs,
    get: wantedNames(settings, program, json),
    f64: settings.f64,
    maxMemory: settings.maxMemory,
    trap: settings.trap,
    backend: settings.backend,
    ...(settings.profile ? { profile: io.now } : {}),
    ...(line ? { onProgress: line.tell } : {}),
    ...(settings.dump !== undefined && isOptimisers(settings.dump)
      ? {
          hearing: (of: Program, schedules: readonly Schedule[]) =>
            (heard = newHeard(of, schedules)),
        }
      : {}),
    onPrint: (print: Printed) => {
      if (json) printed.push(print.text);
      else {
        line?.clear();
        io.out.write(`${printedText(print, out)}\n`);
      }
    },
  });
  line?.clear();
  const time = { compile_ms: compileTime, run_ms: io.now() - begun, peak_bytes: result.peakBytes };
  if (heard) writeDump(heard.text(settings.dump!), io);
  const problem = result.fault ?? save(settings, result);
  if (problem) {
    const exit = problem === result.fault ? exitCode.programWrong : exitCode.commandWrong;
    // In text the warnings were shown before the run. In JSON they belong to the one object.
    return fail(json ? [problem, ...diagnostics] : [problem], exit, json, io, printed);
  }
  if (json)
    io.out.write(`${jsonReport(result, printed, diagnostics, settings.time ? time : undefined)}\n`);
  else {
    for (const name of settings.get ?? ["_"]) {
      const found = result.values.get(name);
      if (found) io.out.write(`${valueText(settings.get ? name : undefined, found, out)}\n`);
    }
    if (settings.time) io.err.write(`${timeText(time)}\n`);
    if (result.profile) io.err.write(`${profileText(result.profile, ready.task.source)}\n`);
  }
  return exitCode.fine;
}

/**
 * The values that the run computes. Without `--get` these are all values for JSON, and the last
 * expression for text.
 */
function wantedNames(
  settings: Settings,
  program: CompiledProgram,
  json: boolean,
): readonly string[] | undefined {
  const saved = settings.saves.map(({ name }) => name);
  if (settings.get) return [...new Set([...settings.get, ...saved])];
  if (json) return undefined;
  return [...new Set([...saved, ...program.values.filter((name) => name === "_")])];
}

function checkNames(settings: Settings, program: CompiledProgram): void {
  const asked = [...(settings.get ?? []), ...settings.saves.map(({ name }) => name)];
  const unknown = asked.find((name) => !program.values.includes(name));
  if (unknown === undefined) return;
  const names = program.values.filter((name) => name !== "_");
  const list =
    names.length > 0
      ? `it has ${names.map((name) => `\`${name}\``).join(", ")}`
      : "it has no named values";
  const title = `the program has no value \`${unknown}\` to ask for`;
  const help = didYouMean(unknown, names) ?? list;
  throw new FlagProblem(error("E0884", title, undefined, { help }), exitCode.programWrong);
}

/** Checks the files of `--save` before the run, so that a long run is not wasted. */
function checkSaves({ saves }: Settings): void {
  const strange = saves.find(({ rest }) => !isWritable(filePlaceOf(rest)));
  if (strange) {
    const title = `\`${strange.rest}\` cannot be written: its format is not known`;
    const help =
      `what can be written is ${writable.join(", ")}: ` +
      `\`--save ${strange.name}=${strange.rest.replace(/(\.\w+)?$/, ".npy")}\``;
    throw new FlagProblem(error("E0883", title, undefined, { help }), exitCode.commandWrong);
  }
  for (const { name, rest } of saves) {
    const { path, format, key } = filePlaceOf(rest)!;
    if (format !== "npz" || key === undefined || !leadsOut(`${key}.npy`)) continue;
    const title =
      `\`${key}\` is no key for \`${path}\`: ` +
      "who unpacks the archive would write outside of the folder";
    throw commandProblem(
      title,
      `write \`--save ${name}=${path}:${key.split(/[\\/]/).at(-1) || name}\``,
    );
  }
  const targets = saves.map(({ name, rest }) => targetOf(name, filePlaceOf(rest)!));
  const twice = targets.find((target, k) => targets.indexOf(target) < k);
  if (twice !== undefined) throw commandProblem(`\`${twice}\` would be written twice`);
}

/** The place of a value: a file, or a key in an archive. */
function targetOf(name: string, { path, format, key }: FilePlace): string {
  return isArchive(format) ? `${path}:${key ?? name}` : path;
}

/** Writes the saved values. Values of one archive are written together. */
function save({ saves }: Settings, result: RunResult): Diagnostic | undefined {
  const files = new Map<string, Map<string, TensorValue>>();
  for (const { name, rest } of saves) {
    const { path, key } = filePlaceOf(rest)!;
    const found = result.values.get(name);
    if (found) files.set(path, new Map([...(files.get(path) ?? []), [key ?? name, found.value]]));
  }
  for (const [path, values] of files) {
    const content = partsFor(filePlaceOf(path)!.format, values);
    const written = failed(content)
      ? { ok: false as const, why: content.error }
      : writeAtomically(path, content);
    const names = [...values.keys()].map((name) => `\`${name}\``).join(", ");
    if (!written.ok)
      return error("E0882", `cannot write ${names} to \`${path}\`: ${written.why}`, undefined);
  }
  return undefined;
}

function timeText(time: RunTime): string {
  const [compile, run] = [time.compile_ms.toFixed(1), time.run_ms.toFixed(1)];
  return (
    `compiled in ${compile} ms, ran in ${run} ms, ` +
    `at most ${time.peak_bytes.toLocaleString("en")} bytes in use`
  );
}

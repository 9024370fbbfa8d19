// `ein build`: writes a program as an ES module that contains its kernels, with its types and the
// runtime beside it.

import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build as buildProgram } from "../../build/build.ts";
import { moduleText, typesText } from "../../build/module-text.ts";
import { compile } from "../../driver/compile.ts";
import { error } from "../../diagnostics/diagnostic.ts";
import { writeAtomically } from "../../host/node/files.ts";
import { modulesBeside } from "../../host/node/modules.ts";
import { readInputs } from "../inputs.ts";
import { exitCode, type ExitCode } from "../io.ts";
import type { Task } from "../main.ts";
import { packageRoot } from "../package.ts";
import { byLevel, fail, show } from "../show/report.ts";
import { commandProblem, FlagProblem, pair, readSettings } from "../settings.ts";

/** The file of the runtime. All modules in one folder share it. */
const runtimeFile = "einlang-runtime.js";

export function build(task: Task): ExitCode {
  const { source, flags, json, io, place } = task;
  const { diagnostics, program } = compile(source, { readModule: modulesBeside(source) });
  if (!program) return fail(diagnostics, exitCode.programWrong, json, io);
  try {
    const folder = flags.value("out");
    if (folder === undefined)
      throw commandProblem("`ein build` needs `--out`", "write `ein build model.ein --out dist`");
    const settings = readSettings(flags);
    const fixed = readInputs(settings, program.inputs);
    const outcome = buildProgram(program, {
      extents: extentsOf(flags.values("extent")),
      fixed,
      ...(settings.get ? { get: settings.get } : {}),
    });
    if ("diagnostics" in outcome)
      return fail([...outcome.diagnostics, ...diagnostics], exitCode.programWrong, json, io);
    const name = place.kind === "file" ? basename(place.path).replace(/\.ein$/, "") : "program";
    const { built } = outcome;
    const files = new Map([
      [`${name}.js`, moduleText(built, `./${runtimeFile}`)],
      [`${name}.d.ts`, typesText(built)],
      [runtimeFile, readFileSync(join(packageRoot(), "dist/runtime.js"), "utf8")],
    ]);
    for (const [file, text] of files) writeFile(folder, file, text);
    if (json)
      io.out.write(
        `${JSON.stringify({
          files: [...files.keys()].map((file) => join(folder, file)),
          ...byLevel(diagnostics),
        })}\n`,
      );
    else {
      show(diagnostics, io);
      for (const file of files.keys()) io.out.write(`${join(folder, file)}\n`);
    }
    return exitCode.fine;
  } catch (problem) {
    if (!(problem instanceof FlagProblem)) throw problem;
    return fail([problem.diagnostic, ...diagnostics], problem.exit, json, io);
  }
}

/**
 * The extents of each dimension. One flag may give several, `n=32,64`, and several flags add up.
 */
function extentsOf(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  for (const text of texts) {
    const { name, rest } = pair("--extent", text, "n=64");
    const extents = rest.split(",");
    if (!extents.every((each) => /^\d+$/.test(each)))
      throw commandProblem(
        `\`--extent ${text}\` is not an extent`,
        "write a number, `--extent n=64`, or several, `--extent n=32,64`",
      );
    found.set(name, [...(found.get(name) ?? []), ...extents.map(Number)]);
  }
  return found;
}

function writeFile(folder: string, file: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    throw new FlagProblem(
      error("E0882", `cannot make the folder \`${folder}\`: ${why}`, undefined),
      exitCode.commandWrong,
    );
  }
  const written = writeAtomically(join(folder, file), text);
  if (written.ok) return;
  throw new FlagProblem(
    error("E0882", `cannot write \`${join(folder, file)}\`: ${written.why}`, undefined),
    exitCode.commandWrong,
  );
}

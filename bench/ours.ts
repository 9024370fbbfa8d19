// Einlang as a contender: compiles a row's program once and runs it as the library is meant to be used.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve, type Prepared, type Tensor } from "./serve.ts";
import type { Task } from "./protocol.ts";
import type { CompiledProgram, examine, RunResult } from "../src/explain/index.ts";

interface Library {
  readonly examine: typeof examine;
}
type Inputs = Map<string, Tensor>;

const { EIN_BENCH_ROOT: root = "." } = process.env;

await serve(async () => {
  const library = (await import(pathToFileURL(`${root}/dist/explain.js`).href)) as Library;
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { version: string };
  return {
    versions: { einlang: version, "node (ours)": process.versions.node },
    prepare: (task, inputs) => prepare(library, task, new Map(Object.entries(inputs))),
  };
});

function prepare(library: Library, task: Task, inputs: Inputs): Prepared {
  const text = readFileSync(task.program, "utf8");
  const compiled = (source: string): CompiledProgram => {
    const { program, diagnostics } = library.examine({ name: task.program, text: source });
    if (!program) throw new Error(diagnostics[0]?.title);
    return program;
  };
  const program = compiled(text);
  let runs = 0;
  // With a constant that differs from all earlier ones, a text is a program that was never seen before.
  const { fresh } = task;
  const next = (): CompiledProgram =>
    fresh === undefined || runs === 0
      ? program
      : compiled(text.replace(new RegExp(`const ${fresh} = .*;`), `const ${fresh} = ${runs}.5;`));
  let latest: RunResult["values"] = new Map();
  const run = (): void => {
    const { values, fault } = next().run({ inputs, get: task.outputs });
    if (fault) throw new Error(fault.title);
    for (const [output, input] of Object.entries(task.feedback)) inputs.set(input, values.get(output)!.value as Tensor);
    latest = values;
    runs++;
  };
  const outputs = (): readonly ArrayLike<number>[] =>
    task.outputs.map((name) => latest.get(name)!.value.data as ArrayLike<number>);
  return { run, outputs };
}

// Einlang as a contender: compiles the program of a row once and runs it. The inputs lie in the
// memory of the kernels, and the results are read there without a copy.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve, type Prepared, type Tensor } from "./serve.ts";
import type { Task } from "./protocol.ts";
import type { examine } from "../src/doors/explain.ts";
import type * as Library from "../src/index.ts";

type Examine = typeof examine;
type Inputs = Readonly<Record<string, Tensor>>;

const { EIN_BENCH_ROOT: root = ".", EIN_BENCH_THREADS: threads = "1" } = process.env;

await serve(async () => {
  const door = (name: string): Promise<unknown> =>
    import(pathToFileURL(`${root}/dist/${name}.js`).href);
  const library = (await door("index")) as typeof Library;
  const { examine } = (await door("explain")) as { readonly examine: Examine };
  library.useRelaxedSimd();
  library.useThreads(Number(threads));
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    version: string;
  };
  return {
    versions: { einlang: version, "node (ours)": process.versions.node },
    prepare: (task, inputs) =>
      task.fresh === undefined
        ? prepare(library, task, inputs)
        : prepareFresh(examine, task, task.fresh, inputs),
  };
});

/** A program that is compiled once. The outputs in `feedback` become inputs of the next run. */
async function prepare(library: typeof Library, task: Task, given: Inputs): Promise<Prepared> {
  const program = await library.compile(readFileSync(task.program, "utf8"));
  // For arrays of at most a page, a copy costs less than the record of where they lie.
  const isLarge = Object.values(given).some(({ data }) => data.byteLength > 1 << 12);
  const inputs: Record<string, Library.Value> = {};
  for (const [name, tensor] of Object.entries(given)) {
    if (!isLarge) {
      inputs[name] = tensor as Library.Value;
      continue;
    }
    const own = program.alloc(name, tensor.shape);
    (own.data as Float32Array).set(tensor.data);
    inputs[name] = own;
  }
  let latest: Library.Values = {};
  return {
    run() {
      latest = program.run(inputs, { get: task.outputs, view: isLarge });
      for (const [output, input] of Object.entries(task.feedback)) inputs[input] = latest[output]!;
    },
    outputs: () => task.outputs.map((name) => latest[name]!.data as Float32Array),
  };
}

/**
 * A program that is compiled in every run. A constant gets a new value each time, so that the text
 * was never compiled before.
 */
function prepareFresh(compile: Examine, task: Task, constant: string, given: Inputs): Prepared {
  const text = readFileSync(task.program, "utf8");
  const inputs = new Map(Object.entries(given));
  let runs = 0;
  let latest: readonly ArrayLike<number>[] = [];
  return {
    run() {
      const own =
        runs === 0
          ? text
          : text.replace(new RegExp(`const ${constant} = .*;`), `const ${constant} = ${runs}.5;`);
      runs++;
      const { program, diagnostics } = compile({ name: task.program, text: own });
      if (!program) throw new Error(diagnostics[0]?.title);
      const { values, fault } = program.run({ inputs, get: task.outputs });
      if (fault) throw new Error(fault.title);
      latest = task.outputs.map((name) => values.get(name)!.value.data as ArrayLike<number>);
    },
    outputs: () => latest,
  };
}

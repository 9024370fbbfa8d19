// Einlang as a contender: compiles a row's program once and runs it as the library is meant to be
// used, on inputs that lie where the kernels read them and with results that are looked at where
// they lie.

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

/** Compiled once. What a step returns takes the place of an input in the next one. */
async function prepare(library: typeof Library, task: Task, given: Inputs): Promise<Prepared> {
  const program = await library.compile(readFileSync(task.program, "utf8"));
  // Of arrays of a page or less a copy costs less than keeping account of where they lie.
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
 * Compiled in every run: with a constant that differs from all earlier ones, a text is a program
 * that was never seen before.
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

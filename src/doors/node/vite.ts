// The Vite plugin. `import { run } from "./model.ein"` gives the program, built for fixed extents.
// The plugin writes its types beside it and reloads it when the file changes.

import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build } from "../../build/build.ts";
import { moduleText, typesText } from "../../build/module-text.ts";
import { compile } from "../../driver/compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { renderText } from "../../diagnostics/render-text.ts";
import { failed } from "../../base/failure.ts";
import { fromNested, type Nested, type TensorValue } from "../../scalar/values/value.ts";
import { positionOf, type Source } from "../../base/source.ts";
import { writeAtomically } from "../../host/node/files.ts";
import { modulesBeside } from "../../host/node/modules.ts";

export interface EinlangOptions {
  /**
   * The extents for which kernels are built, by dimension name: `{ batch: 64 }`, or several:
   * `{ batch: [32, 64] }`.
   */
  readonly extents?: Readonly<Record<string, number | readonly number[]>>;
  /** Inputs that become constants: `{ steps: 100 }`. */
  readonly set?: Readonly<Record<string, Nested>>;
  /**
   * Whether the types of `model.ein` are written beside it, as `model.d.ein.ts`. The default is
   * true.
   */
  readonly types?: boolean;
}

/** The parts of Vite's plugin type that are used, so that Vite is not needed for the types. */
export interface EinlangPlugin {
  readonly name: string;
  readonly enforce: "pre";
  config(): {
    readonly optimizeDeps: { readonly exclude: string[] };
    readonly worker: { readonly format: "es" };
  };
  load(this: LoadContext, id: string): string | undefined;
  handleHotUpdate<M>(update: HotUpdate<M>): M[] | undefined;
}

interface LoadContext {
  addWatchFile(path: string): void;
  warn(message: string): void;
  error(problem: ErrorReport): never;
}

interface ErrorReport {
  readonly message: string;
  readonly id: string;
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number };
}

interface HotUpdate<M> {
  readonly file: string;
  readonly modules: readonly M[];
  readonly server: {
    readonly moduleGraph: { getModulesByFile(file: string): Iterable<M> | undefined };
  };
}

/**
 * Imports `.ein` files as modules with a function `run`, built for the given extents. `?program`
 * imports the program with its compiler instead.
 */
export default function einlang(options: EinlangOptions = {}): EinlangPlugin {
  /** The programs that read each module file. */
  const readers = new Map<string, Set<string>>();
  return {
    name: "einlang",
    enforce: "pre",
    // Vite must not bundle the library beforehand, because it starts threads from files beside it.
    // Workers are modules, so that they load their parts as pages do.
    config: () => ({ optimizeDeps: { exclude: ["einlang"] }, worker: { format: "es" } }),
    load(id) {
      const [path = "", query] = id.split("?");
      if (!path.endsWith(".ein")) return undefined;
      const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
      const source: Source = { name: nearby(path), text };
      if (query === "program") return programModule(source);
      const watch = (name: string): void => {
        const file = resolve(name).replaceAll("\\", "/");
        readers.set(file, (readers.get(file) ?? new Set()).add(path));
        this.addWatchFile(file);
      };
      const read = modulesBeside(source);
      const { program, diagnostics } = compile(source, {
        readModule: (name, from) => {
          const found = read(name, from);
          if ("source" in found) watch(found.source.name);
          return found;
        },
      });
      for (const warning of diagnostics.filter(({ level }) => level === "warning"))
        this.warn(messageText(warning));
      if (!program) return this.error(reportOf(path, diagnostics));
      const fixed = new Map<string, TensorValue>();
      for (const [name, nested] of Object.entries(options.set ?? {})) {
        const declared = program.inputs.find((input) => input.name === name);
        if (!declared) continue;
        const value = fromNested(declared.dtype, nested);
        if (failed(value))
          return this.error({ message: `the constant \`${name}\`: ${value.error}`, id: path });
        fixed.set(name, value);
      }
      const dimensions = new Set(program.inputs.flatMap(({ shape = [] }) => shape));
      const wanted = Object.entries(options.extents ?? {}).filter(([name]) => dimensions.has(name));
      const extents = new Map(
        wanted.map(([name, each]) => [name, typeof each === "number" ? [each] : each]),
      );
      const outcome = build(program, { extents, fixed });
      if ("diagnostics" in outcome) return this.error(reportOf(path, outcome.diagnostics));
      if (options.types !== false) {
        const beside = join(dirname(path), `${basename(path, ".ein")}.d.ein.ts`);
        const written = writeAtomically(beside, typesText(outcome.built));
        if (!written.ok) this.warn(`cannot write ${beside}: ${written.why}`);
      }
      return hotModule(moduleText(outcome.built, "einlang/runtime"));
    },
    handleHotUpdate({ file, modules, server }) {
      const programs = readers.get(file);
      if (!programs) return undefined;
      return [
        ...modules,
        ...[...programs].flatMap((path) => [...(server.moduleGraph.getModulesByFile(path) ?? [])]),
      ];
    },
  };
}

/**
 * A module whose `run` changes to the next version in place. The importing module need not be
 * loaded again.
 */
function hotModule(text: string): string {
  return `${text
    .replace("export const run = await", "let current = await")
    .replace(
      "export default run;\n",
      "export const run = (inputs) => current(inputs);\nexport default run;\n",
    )}\
if (import.meta.hot) {
  import.meta.hot.accept((next) => {
    if (next) current = next.run;
  });
}
`;
}

/** A module with the program for any extents, and with the compiler. */
function programModule({ name, text }: Source): string {
  return [
    'import { compile } from "einlang";',
    `export const program = await compile(${JSON.stringify(text)}, ` +
      `{ name: ${JSON.stringify(name)} });`,
    "export default program;",
    "",
  ].join("\n");
}

/**
 * The name of a file in messages and built modules: relative to the working folder if the file is
 * inside it.
 */
function nearby(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

function messageText(diagnostic: Diagnostic): string {
  return renderText(diagnostic, { color: false });
}

/** All errors in one message, at the place of the first. */
function reportOf(path: string, diagnostics: readonly Diagnostic[]): ErrorReport {
  const errors = diagnostics.filter(({ level }) => level === "error");
  const span = errors[0]?.span;
  const message = `\n${errors.map(messageText).join("\n\n")}`;
  if (!span) return { message, id: path };
  const { line, column } = positionOf(span.source, span.start);
  return { message, id: path, loc: { file: path, line, column: column - 1 } };
}

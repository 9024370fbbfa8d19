// From text to a program of the library: compiles it, or throws everything that is wrong with it.

import type { CoreProgram } from "../driver/core.ts";
import type { Rooms } from "../driver/rooms.ts";
import type { Backend } from "../backends/results.ts";
import type { ReadModule } from "../check/names/modules.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { isUnsized } from "../scalar/types.ts";
import type { Source } from "../base/source.ts";
import { refused } from "./error.ts";
import type * as front from "./front.ts";
import type { Finite } from "./inputs.ts";
import type { Value } from "./value.ts";

export interface CompileOptions {
  /**
   * Types of inputs that the text does not declare, as one writes them (`"[f32; batch, 3]"`), or
   * values of such types.
   */
  readonly inputs?: Readonly<Record<string, string | Pick<Value, "dtype" | "shape">>>;
  /** What computes: kernels in WebAssembly where the host has them, unless this says otherwise. */
  readonly backend?: Backend;
  /**
   * Undeclared names that are only read become inputs; their ranks and element types follow from
   * their uses.
   */
  readonly open?: boolean;
  /** Inputs that must hold finite numbers only: all of them, or some by name. */
  readonly finite?: Finite;
  /** What messages call the text. */
  readonly name?: string;
  /** Finds the text of `mod m;`. */
  readonly readModule?: ReadModule;
}

/** A text with all that it takes to compile it again, in another thread too. */
export interface Recipe {
  readonly source: Source;
  readonly declarations?: Source;
  readonly open: boolean;
  readonly backend?: Backend;
  readonly finite: Finite;
  /**
   * Names that may be given though no input is called so: those of the program that this is a
   * gradient of.
   */
  readonly spare?: readonly string[];
  /** The texts of `mod m;` that have been read, by the module and the text that asks for it. */
  readonly modules: ReadonlyMap<string, Source>;
}

/** The loaded rooms of the compiler: a program compiles its gradients and calls with them. */
export interface Compiler extends Pick<typeof front, "compileCore" | "callProgram"> {
  readonly rooms: Rooms;
}

export interface Prepared {
  readonly compiler: Compiler;
  readonly recipe: Recipe;
  readonly program: CoreProgram;
  readonly diagnostics: readonly Diagnostic[];
}

export function recipeOf(source: string | Source, options: CompileOptions): Recipe {
  const given =
    typeof source === "string" ? { name: options.name ?? "program.ein", text: source } : source;
  // Nothing else of what the caller has goes to other threads.
  const text = { name: given.name, text: given.text };
  const declared = Object.entries(options.inputs ?? {}).map(
    ([name, type]) => `input ${name}: ${typeText(type)};`,
  );
  return {
    source: text,
    ...(declared.length > 0 ? { declarations: { name: "inputs", text: declared.join("\n") } } : {}),
    open: options.open ?? false,
    ...(options.backend ? { backend: options.backend } : {}),
    finite: options.finite ?? false,
    modules: new Map(),
  };
}

function typeText(type: string | Pick<Value, "dtype" | "shape">): string {
  if (typeof type === "string") return type;
  const { dtype, shape } = type;
  return shape.length === 0 || isUnsized(dtype)
    ? dtype
    : `[${dtype}; ${shape.map(() => "?").join(", ")}]`;
}

const keyOf = (name: string, from: Source): string => JSON.stringify([name, from.name]);

/** The modules of a recipe for a text that was made of its own, and asks for the same ones. */
export function modulesOf({ modules, source }: Recipe, made: Source): ReadonlyMap<string, Source> {
  const own = [...modules].flatMap(([key, text]) => {
    const [name, from] = JSON.parse(key) as [string, string];
    return from === source.name ? [[keyOf(name, made), text] as const] : [];
  });
  return new Map([...modules, ...own]);
}

/** Compiles a recipe; what `readModule` gives becomes a part of it. */
export function prepare(recipe: Recipe, compiler: Compiler, readModule?: ReadModule): Prepared {
  const { source, declarations, open } = recipe;
  const modules = new Map(recipe.modules);
  const { program, diagnostics } = compiler.compileCore(source, compiler.rooms, {
    open,
    ...(declarations ? { declarations } : {}),
    readModule: (name, from) => {
      const known = modules.get(keyOf(name, from));
      if (known) return { source: known };
      const found = readModule?.(name, from) ?? {
        why: "this host reads no files; give `compile` a `readModule`",
      };
      if ("source" in found)
        modules.set(keyOf(name, from), { name: found.source.name, text: found.source.text });
      return "source" in found || "why" in found
        ? found
        : { why: "`readModule` gave neither a source nor a reason, at once" };
    },
  });
  if (!program) throw refused(diagnostics);
  return { compiler, recipe: { ...recipe, modules }, program, diagnostics };
}

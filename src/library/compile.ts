// From a text to a compiled program, or an `EinError` with all messages.

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
   * Types of inputs that the text does not declare, in the notation of the language
   * (`"[f32; batch, 3]"`), or values of such types.
   */
  readonly inputs?: Readonly<Record<string, string | Pick<Value, "dtype" | "shape">>>;
  /** What runs the program. The default is WebAssembly kernels, if the host has WebAssembly. */
  readonly backend?: Backend;
  /**
   * Whether names that are read and not declared become inputs. Their ranks and element types
   * follow from their uses.
   */
  readonly open?: boolean;
  /** Inputs that must hold finite numbers only: all of them, or some by name. */
  readonly finite?: Finite;
  /** The name of the text in messages. */
  readonly name?: string;
  /** Finds the text of `mod m;`. */
  readonly readModule?: ReadModule;
}

/** A text and everything that is needed to compile it again, perhaps in another thread. */
export interface Recipe {
  readonly source: Source;
  readonly declarations?: Source;
  readonly open: boolean;
  readonly backend?: Backend;
  readonly finite: Finite;
  /**
   * Names that `run` accepts although no input has them. A gradient accepts all inputs of the
   * program from which it was derived.
   */
  readonly spare?: readonly string[];
  /**
   * The texts of `mod m;` that have been read, by the name of the module and the text that uses it.
   */
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
  // Only these two properties go to other threads, whatever else the object of the caller has.
  const text = { name: given.name, text: given.text };
  const declared = Object.entries(options.inputs ?? {}).map(
    ([name, type]) => `input ${name}: ${typeOfInput(type)};`,
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

function typeOfInput(type: string | Pick<Value, "dtype" | "shape">): string {
  if (typeof type === "string") return type;
  const { dtype, shape } = type;
  return shape.length === 0 || isUnsized(dtype)
    ? dtype
    : `[${dtype}; ${shape.map(() => "?").join(", ")}]`;
}

const moduleKey = (name: string, from: Source): string => JSON.stringify([name, from.name]);

/**
 * The modules for `made`, a text that was derived from the recipe's own and uses the same modules.
 */
export function modulesOf(
  { modules, source }: Recipe,
  derived: Source,
): ReadonlyMap<string, Source> {
  const own = [...modules].flatMap(([key, text]) => {
    const [name, from] = JSON.parse(key) as [string, string];
    return from === source.name ? [[moduleKey(name, derived), text] as const] : [];
  });
  return new Map([...modules, ...own]);
}

/** Compiles a recipe. The texts that `readModule` finds are added to the recipe. */
export function prepare(recipe: Recipe, compiler: Compiler, readModule?: ReadModule): Prepared {
  const { source, declarations, open } = recipe;
  const modules = new Map(recipe.modules);
  const { program, diagnostics } = compiler.compileCore(source, compiler.rooms, {
    open,
    ...(declarations ? { declarations } : {}),
    readModule: (name, from) => {
      const known = modules.get(moduleKey(name, from));
      if (known) return { source: known };
      const found = readModule?.(name, from) ?? {
        why: "this host reads no files; give `compile` a `readModule`",
      };
      if ("source" in found)
        modules.set(moduleKey(name, from), { name: found.source.name, text: found.source.text });
      return "source" in found || "why" in found
        ? found
        : { why: "`readModule` gave neither a source nor a reason, at once" };
    },
  });
  if (!program) throw refused(diagnostics);
  return { compiler, recipe: { ...recipe, modules }, program, diagnostics };
}

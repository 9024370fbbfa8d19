// What a name stands for, and where it is looked up.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import type { Term, Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import type { Axis, Domain, Element, Type } from "../types/types.ts";
import type { Action, Binder, TensorBinding, ValueBinding } from "../types/typed.ts";

export type Binding =
  | ValueBinding
  | TensorBinding
  | ConstBinding
  | CoordinateBinding
  | PackBinding
  | DimensionBinding
  | SignaturePack
  | FunctionBinding
  | WrongBinding;

/** `const N = 64;`: read anew at every use, so that its literals stay polymorphic. */
export interface ConstBinding {
  readonly kind: "const";
  readonly name: string;
  readonly span: Span;
  readonly value: ast.Expression;
  readonly type?: ast.Type;
  readonly scope: Scope;
}

export interface CoordinateBinding {
  readonly kind: "coordinate";
  readonly name: string;
  readonly span: Span;
  readonly binder: Binder;
}

/** `..b` resolved to the coordinates it stands for. */
export interface PackBinding {
  readonly kind: "pack";
  readonly name: string;
  readonly span: Span;
  readonly coordinates: readonly CoordinateBinding[];
}

/** A dimension name of the inputs: not a number, `extent(n)` is. */
export interface DimensionBinding {
  readonly kind: "dimension";
  readonly name: string;
  readonly span: Span;
  readonly extent: Term;
  readonly domain: Domain;
}

/** A pack of a function's signature: the axes it took from the arguments. */
export interface SignaturePack {
  readonly kind: "signature-pack";
  readonly name: string;
  readonly span: Span;
  readonly axes: readonly Axis[];
}

export interface FunctionBinding {
  readonly kind: "function";
  readonly name: string;
  readonly span: Span;
  readonly declaration: ast.Fn;
  readonly scope: Scope;
  /** Its `@fn`, if it has one. */
  rule?: ast.TangentFn;
  /** The type that it is a value of, where it stands for a function under a declared type. */
  readonly held?: Held;
}

/** A function type, and what the words and type parameters in it stand for. */
export interface Held {
  readonly type: Extract<ast.Type, { kind: "function" }>;
  /** The same for all types that say the same. */
  readonly meaning: string;
  readonly words: ReadonlyMap<string, Element>;
  readonly generics: ReadonlyMap<string, Type>;
}

/** An enum or struct. */
export interface DataBinding {
  readonly kind: "data";
  readonly name: string;
  readonly span: Span;
  readonly declaration: ast.Enum | ast.Struct;
  readonly scope: Scope;
}

/** `mod m { … }`, `mod m;`, or a part of the library. */
export interface ModuleBinding {
  readonly kind: "module";
  readonly name: string;
  readonly span: Span;
  readonly scope: Scope;
  readonly statements: readonly ast.Statement[];
  /** The names that others may use; `*m::n` stands for those of `pub use m::n::*`. */
  readonly public: ReadonlySet<string>;
  /** "broken" has been reported: its names say nothing more. */
  state: "waiting" | "loading" | "ready" | "broken";
  /** Its prints and assertions. */
  actions: readonly Action[];
}

/** A name whose own statement failed: uses of it say nothing more. */
export interface WrongBinding {
  readonly kind: "wrong";
  readonly name: string;
  readonly span: Span;
}

/** A name that two `use …::*` bring. It is wrong to use it, not to bring it. */
export interface Ambiguity {
  readonly name: string;
  /** What the first one brought; a declaration of the block itself takes its place. */
  readonly meanings: ReadonlySet<object>;
  readonly from: readonly [AllOf, AllOf];
  used: boolean;
}

/** `m::*` of a `use`. */
export interface AllOf {
  readonly path: string;
  readonly span: Span;
}

/**
 * A table of names. Most scopes never get an entry in most of their tables: it has a map from the
 * first entry on.
 */
export class Names<V> {
  #entries: Map<string, V> | undefined;

  constructor(from?: Names<V>) {
    this.#entries = from && new Map(from);
  }

  get(name: string): V | undefined {
    return this.#entries?.get(name);
  }
  has(name: string): boolean {
    return this.#entries?.has(name) ?? false;
  }
  set(name: string, value: V): this {
    (this.#entries ??= new Map<string, V>()).set(name, value);
    return this;
  }
  delete(name: string): boolean {
    return this.#entries?.delete(name) ?? false;
  }
  keys(): Iterable<string> {
    return this.#entries?.keys() ?? [];
  }
  values(): Iterable<V> {
    return this.#entries?.values() ?? [];
  }
  [Symbol.iterator](): Iterator<[string, V]> {
    return (this.#entries ?? new Map<string, V>())[Symbol.iterator]();
  }
}

export interface Scope {
  readonly parent?: Scope;
  /**
   * Names that can be read; packs stand under `..name`. Functions and coordinates live here too:
   * `name[…](…)` asks for functions first.
   */
  readonly names: Names<Binding>;
  readonly functions: Names<FunctionBinding>;
  readonly types: Names<DataBinding>;
  readonly modules: Names<ModuleBinding>;
  /** Built-in functions that `use` has brought, by the names they have here. */
  readonly builtins: Names<string>;
  /** Where the plain bindings of the block stand, those further down included. */
  readonly bound: Names<Span>;
  /** Names that two `*` have brought with different meanings, of which the first is found. */
  readonly ambiguous: Names<Ambiguity>;
  /**
   * Names that a `*` has brought, with whether an entry of a session before this one has: one of
   * this entry takes their place.
   */
  readonly starred: Names<"here" | "before">;
  /** Of a module: where it was declared. Only modules are looked up there. */
  readonly outer?: Scope;
  /** Of a module, whose values nobody asks for by name. */
  readonly module?: true;
}

export function scopeInside(parent?: Scope): Scope {
  return parent ? { parent, ...newNames() } : newNames();
}

function newNames(): Omit<Scope, "parent" | "outer" | "module"> {
  return {
    names: new Names(),
    functions: new Names(),
    types: new Names(),
    modules: new Names(),
    builtins: new Names(),
    bound: new Names(),
    ambiguous: new Names(),
    starred: new Names(),
  };
}

/** The scope of a module: it sees no names around it. */
export function moduleScope(outer?: Scope): Scope {
  return { ...newNames(), ...(outer ? { outer } : {}), module: true };
}

/** Notes that a name was looked up which could mean something else. */
function used<T extends object>({ ambiguous }: Scope, name: string, found: T): T {
  const two = ambiguous.get(name);
  if (two?.meanings.has(found)) two.used = true;
  return found;
}

export function lookUp(scope: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return used(at, name, found);
  }
  return undefined;
}

export function lookUpFunction(scope: Scope, name: string): FunctionBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.functions.get(name);
    if (found) return used(at, name, found);
  }
  return undefined;
}

export function lookUpType(scope: Scope, name: string): DataBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.types.get(name);
    if (found) return used(at, name, found);
  }
  return undefined;
}

export function lookUpModule(scope: Scope, name: string): ModuleBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent ?? at.outer) {
    const found = at.modules.get(name);
    if (found) return used(at, name, found);
  }
  return undefined;
}

/** The name that a built-in function has in the language, where `use` gave it another one. */
export function builtinName(scope: Scope, name: string): string {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.builtins.get(name);
    const two = at.ambiguous.get(name);
    if (found && two?.meanings.size === 0) two.used = true;
    if (found) return found;
  }
  return name;
}

/** What `name(…)` calls: the innermost function of that name, be it declared or a value. */
export function lookUpCallee(
  scope: Scope,
  name: string,
): FunctionBinding | ValueBinding | ConstBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const value = at.names.get(name);
    if (value?.kind === "value" && value.type.kind === "function") return used(at, name, value);
    const found = at.functions.get(name);
    if (found) return used(at, name, found);
    if (value?.kind === "const" && value.value.kind === "lambda") return used(at, name, value);
  }
  return undefined;
}

/** The functions that a block declares itself, without those that `use` brings. */
export function ownFunctions(scope: Scope): readonly FunctionBinding[] {
  return [...scope.functions.values()].filter((binding) => binding.scope.parent === scope);
}

/** A name that is given anew means to the functions above what it has meant so far. */
export function keepForFunctions(scope: Scope, { text, span }: ast.Name): void {
  const before = scope.names.get(text);
  if (!before) return;
  for (const { scope: own, span: declared } of ownFunctions(scope)) {
    const isAbove = declared.source === span.source && declared.start < span.start;
    if (isAbove && !own.names.has(text)) own.names.set(text, before);
  }
}

/** The names as they stand now: what is bound later does not change what a function value sees. */
export function frozen(scope: Scope): Scope {
  return {
    ...scope,
    ...(scope.parent ? { parent: frozen(scope.parent) } : {}),
    names: new Names(scope.names),
  };
}

/** Whether a chain of members begins with a name that stands for nothing: `np.random.rand`. */
export function isUnbound(scope: Scope, { base }: ast.Member): boolean {
  if (base.kind === "member") return isUnbound(scope, base);
  if (base.kind !== "path" || base.segments.length > 1) return false;
  const { text } = base.segments[0]!;
  return !lookUp(scope, text) && !lookUpModule(scope, text) && !lookUpCallee(scope, text);
}

/**
 * Whether a declaration in sight has lost its name: any unknown name may be the one that was meant.
 */
export function hasNameless(scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at; at = at.parent ?? at.outer)
    if (at.functions.has("") || at.types.has("") || at.modules.has("")) return true;
  return false;
}

// A dimension name is no value: a tensor may have the same name (a bias `b` beside a batch `b`). So
// it stands under a key of its own too, which is no name, and outlives a value that takes its place
// in the table.
const dimensionKey = (name: string): string => `extent ${name}`;

export function declareDimension(file: Scope, dimension: DimensionBinding): void {
  file.names.set(dimensionKey(dimension.name), dimension);
  if (!file.names.has(dimension.name)) file.names.set(dimension.name, dimension);
}

/** The dimension of that name, whatever value may have it too. */
export function dimensionNamed(scope: Scope, name: string): DimensionBinding | undefined {
  const found = [lookUp(scope, name), lookUp(scope, dimensionKey(name))];
  return found.find((binding) => binding?.kind === "dimension");
}

/** The dimensions of a file whose names mean nothing else. */
export function dimensionsOf(file: Scope): ReadonlyMap<string, Variable> {
  const dimensions = new Map<string, Variable>();
  for (const [key, binding] of file.names)
    if (binding.kind === "dimension" && key === binding.name)
      dimensions.set(key, [...variablesOf(binding.extent)][0]!);
  return dimensions;
}

/** Every name in sight, innermost first. */
export function* namesInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    for (const [key, binding] of at.names)
      if (binding.kind !== "dimension" || key === binding.name) yield key;
    yield* at.functions.keys();
  }
}

// Scopes: what a name can stand for, and how it is looked up from the inside out.

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

/**
 * `const N = 64;`. The value is elaborated anew at each use, so its literals fit any type there.
 */
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

/** A pack `..b`, with the coordinates that it stands for. */
export interface PackBinding {
  readonly kind: "pack";
  readonly name: string;
  readonly span: Span;
  readonly coordinates: readonly CoordinateBinding[];
}

/** A dimension name of the inputs. It is not a number; `extent(n)` is. */
export interface DimensionBinding {
  readonly kind: "dimension";
  readonly name: string;
  readonly span: Span;
  readonly extent: Term;
  readonly domain: Domain;
}

/** A pack in the signature of a function, with the axes that it takes from the arguments. */
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
  /** The rule `@fn` of the function. */
  rule?: ast.TangentFn;
  /** The declared function type, if the function was passed under one. */
  readonly held?: Held;
}

/** A function type, with the meanings of its type words and type parameters. */
export interface Held {
  readonly type: Extract<ast.Type, { kind: "function" }>;
  /** Equal for two function types with the same meaning. */
  readonly meaning: string;
  readonly words: ReadonlyMap<string, Element>;
  readonly generics: ReadonlyMap<string, Type>;
}

export interface DataBinding {
  readonly kind: "data";
  readonly name: string;
  readonly span: Span;
  readonly declaration: ast.Enum | ast.Struct;
  readonly scope: Scope;
}

/** `mod m { … }`, `mod m;`, or a module of the library. */
export interface ModuleBinding {
  readonly kind: "module";
  readonly name: string;
  readonly span: Span;
  readonly scope: Scope;
  readonly statements: readonly ast.Statement[];
  /** The names that other modules may use. `*m::n` stands for the names of `pub use m::n::*`. */
  readonly public: ReadonlySet<string>;
  /** "broken" after a report. Uses of its names then report nothing. */
  state: "waiting" | "loading" | "ready" | "broken";
  /** The prints and assertions of the module. */
  actions: readonly Action[];
}

/** A name whose own statement failed. Uses of the name report nothing. */
export interface WrongBinding {
  readonly kind: "wrong";
  readonly name: string;
  readonly span: Span;
}

/**
 * A name that two `use …::*` bring with different meanings. Using it is an error; bringing it is
 * not.
 */
export interface Ambiguity {
  readonly name: string;
  /** The meanings from the first star. A declaration in the block itself replaces them. */
  readonly meanings: ReadonlySet<object>;
  readonly from: readonly [AllOf, AllOf];
  used: boolean;
}

/** The path and place of `m::*` in a `use`. */
export interface AllOf {
  readonly path: string;
  readonly span: Span;
}

/**
 * A table of names. The map is made with the first entry, because most scopes leave most of their
 * tables empty.
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
   * Names of values, tensors, coordinates and packs; a pack stands under `..name`. A call
   * `name[…](…)` looks among the functions first.
   */
  readonly names: Names<Binding>;
  readonly functions: Names<FunctionBinding>;
  readonly types: Names<DataBinding>;
  readonly modules: Names<ModuleBinding>;
  /** Built-in functions that `use` has brought, by their names in this scope. */
  readonly builtins: Names<string>;
  /** Where the block has its plain bindings, also below the current statement. */
  readonly bound: Names<Span>;
  /** Names that two `*` have brought with different meanings. The first meaning is found. */
  readonly ambiguous: Names<Ambiguity>;
  /**
   * Names that a `*` has brought: in this entry of a session, or in one before it. A `*` of this
   * entry replaces a name from before.
   */
  readonly starred: Names<"here" | "before">;
  /** For a module: the scope of its declaration. Only modules are looked up there. */
  readonly outer?: Scope;
  /** Present for a module. No host asks for its values by name. */
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

/** The scope of a module. It sees no names around it except modules. */
export function moduleScope(outer?: Scope): Scope {
  return { ...newNames(), ...(outer ? { outer } : {}), module: true };
}

/** Records the use of a name that may be ambiguous. */
function noteUse<T extends object>({ ambiguous }: Scope, name: string, found: T): T {
  const ambiguity = ambiguous.get(name);
  if (ambiguity?.meanings.has(found)) ambiguity.used = true;
  return found;
}

export function lookUp(scope: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return noteUse(at, name, found);
  }
  return undefined;
}

export function lookUpFunction(scope: Scope, name: string): FunctionBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.functions.get(name);
    if (found) return noteUse(at, name, found);
  }
  return undefined;
}

export function lookUpType(scope: Scope, name: string): DataBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.types.get(name);
    if (found) return noteUse(at, name, found);
  }
  return undefined;
}

export function lookUpModule(scope: Scope, name: string): ModuleBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent ?? at.outer) {
    const found = at.modules.get(name);
    if (found) return noteUse(at, name, found);
  }
  return undefined;
}

/** The original name of a built-in function that `use` has renamed. */
export function builtinName(scope: Scope, name: string): string {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.builtins.get(name);
    const ambiguity = at.ambiguous.get(name);
    if (found && ambiguity?.meanings.size === 0) ambiguity.used = true;
    if (found) return found;
  }
  return name;
}

/** What `name(…)` calls: the innermost function or function value of that name. */
export function lookUpCallee(
  scope: Scope,
  name: string,
): FunctionBinding | ValueBinding | ConstBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const value = at.names.get(name);
    if (value?.kind === "value" && value.type.kind === "function") return noteUse(at, name, value);
    const found = at.functions.get(name);
    if (found) return noteUse(at, name, found);
    if (value?.kind === "const" && value.value.kind === "lambda") return noteUse(at, name, value);
  }
  return undefined;
}

/** The functions that a block declares itself, without those that `use` brings. */
export function ownFunctions(scope: Scope): readonly FunctionBinding[] {
  return [...scope.functions.values()].filter((binding) => binding.scope.parent === scope);
}

/**
 * Keeps the meaning of a name for the functions above, before a statement binds the name again:
 *
 *   let k = 2.0;
 *   fn f(x) { x * k }   // `k` is 2.0 in `f`, also below
 *   let k = 3.0;
 */
export function keepForFunctions(scope: Scope, { text, span }: ast.Name): void {
  const before = scope.names.get(text);
  if (!before) return;
  for (const { scope: own, span: declared } of ownFunctions(scope)) {
    const isAbove = declared.source === span.source && declared.start < span.start;
    if (isAbove && !own.names.has(text)) own.names.set(text, before);
  }
}

/** A copy of the names in scope. Later bindings do not change what a function value sees. */
export function snapshotOfScope(scope: Scope): Scope {
  return {
    ...scope,
    ...(scope.parent ? { parent: snapshotOfScope(scope.parent) } : {}),
    names: new Names(scope.names),
  };
}

/** Whether a chain of members begins with an unbound name: `np.random.rand`. */
export function isUnbound(scope: Scope, { base }: ast.Member): boolean {
  if (base.kind === "member") return isUnbound(scope, base);
  if (base.kind !== "path" || base.segments.length > 1) return false;
  const { text } = base.segments[0]!;
  return !lookUp(scope, text) && !lookUpModule(scope, text) && !lookUpCallee(scope, text);
}

/**
 * Whether a declaration in scope has lost its name. Any unknown name may then be the one that it
 * was to declare.
 */
export function hasNameless(scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at; at = at.parent ?? at.outer)
    if (at.functions.has("") || at.types.has("") || at.modules.has("")) return true;
  return false;
}

// A dimension and a tensor may share a name: a bias `b` beside a batch dimension `b`. A dimension
// is therefore also stored under a second key, which no program can write. It stays there when a
// value takes its place under the first.
const dimensionKey = (name: string): string => `extent ${name}`;

export function declareDimension(file: Scope, dimension: DimensionBinding): void {
  file.names.set(dimensionKey(dimension.name), dimension);
  if (!file.names.has(dimension.name)) file.names.set(dimension.name, dimension);
}

/** The dimension of that name, even if a value has the name too. */
export function dimensionNamed(scope: Scope, name: string): DimensionBinding | undefined {
  const found = [lookUp(scope, name), lookUp(scope, dimensionKey(name))];
  return found.find((binding) => binding?.kind === "dimension");
}

/** The dimensions of a file whose names stand for nothing else. */
export function dimensionsOf(file: Scope): ReadonlyMap<string, Variable> {
  const dimensions = new Map<string, Variable>();
  for (const [key, binding] of file.names)
    if (binding.kind === "dimension" && key === binding.name)
      dimensions.set(key, [...variablesOf(binding.extent)][0]!);
  return dimensions;
}

/** All names in scope, innermost first. */
export function* namesInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    for (const [key, binding] of at.names)
      if (binding.kind !== "dimension" || key === binding.name) yield key;
    yield* at.functions.keys();
  }
}

// What a name stands for, and where it is looked up.

import type * as ast from "../syntax/ast.ts";
import type { Span } from "../syntax/source.ts";
import type { Term } from "../ir/affine/term.ts";
import type { Axis, Domain } from "./types.ts";
import type { Binder, TensorBinding, ValueBinding } from "./typed.ts";

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
}

/** A name whose own statement failed: uses of it say nothing more. */
export interface WrongBinding {
  readonly kind: "wrong";
  readonly name: string;
  readonly span: Span;
}

export interface Scope {
  readonly parent?: Scope;
  /** Names that can be read; packs stand under `..name`. Functions and coordinates live here too: `name[…](…)` asks for functions first. */
  readonly names: Map<string, Binding>;
  readonly functions: Map<string, FunctionBinding>;
}

export function scopeInside(parent?: Scope): Scope {
  return { ...(parent ? { parent } : {}), names: new Map(), functions: new Map() };
}

export function lookUp(scope: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return found;
  }
  return undefined;
}

export function lookUpFunction(scope: Scope, name: string): FunctionBinding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.functions.get(name);
    if (found) return found;
  }
  return undefined;
}

/** Every name in sight, innermost first. */
export function* namesInSight(scope: Scope): Generator<string> {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    yield* at.names.keys();
    yield* at.functions.keys();
  }
}

/** The symbolic value of an integer binding, if it has one. */
export function termOfBinding(binding: Binding): Term | undefined {
  return binding.kind === "value" ? binding.term : undefined;
}

// Values that are functions live in this folder: lambdas, functions under a declared type, arrays
// of functions. Calls of functions by name do not.
//
// This file holds a function to its declared type. It makes a function with the declared parameters
// and result, which calls the given function:
//
//   fn twice(f: (f32) -> f32, x: f32) …      inside, `f` is  fn f(a: f32) -> f32 { given(a) }

import type * as ast from "../../../syntax/tree/ast.ts";
import { serialOf } from "../instances/call-graph.ts";
import type { Place } from "../../context.ts";
import { isEnum } from "../../data/data.ts";
import { dataAt } from "../../data/data-at.ts";
import { declaredFields, declaredType } from "../../types/declared-types.ts";
import { rootOf } from "../../data/forms.ts";
import {
  snapshotOfScope,
  scopeInside,
  lookUp,
  type FunctionBinding,
  type DataBinding,
} from "../../names/scope.ts";
import { functionsIn, membersOf } from "../../values/tuples.ts";
import type { Closure, Functions, Typed } from "../../types/typed.ts";
import { known, showType, type Element, type Type } from "../../types/types.ts";
import type { Bound } from "../bound.ts";

type FunctionAst = Extract<ast.Type, { kind: "function" }>;

/**
 * The same value. Functions in it are held to their declared type, whose names are looked up at the
 * place.
 */
export function heldTo(place: Place, bound: Bound, type: ast.Type, value: Typed): Typed {
  if (value.kind === "wrong" || value.type.kind === "absent") return value;
  switch (type.kind) {
    case "function":
      return value.type.kind === "function" ? heldFunction(place, bound, type, value) : value;
    case "tuple": {
      const members = value.type.kind === "tuple" ? membersOf(value) : undefined;
      return members
        ? tupleOf(
            value,
            members.map((member, k) => heldTo(place, bound, type.members[k]!, member)),
          )
        : value;
    }
    case "tensor":
      return heldList(place, bound, type, value);
    case "named": {
      const given = bound.generics?.get(type.path[0]!.text);
      const declared =
        given?.kind === "function" && value.type.kind === "function" ? given.declared : undefined;
      if (!declared) return heldFields(place, bound, type, value);
      const { scope, generics } = declared;
      return heldFunction(
        { ...place, scope },
        { ...bound, generics: new Map(generics) },
        declared.type,
        value,
      );
    }
    case "jagged":
    case "missing":
      return value;
    default:
      return type satisfies never;
  }
}

function tupleOf(value: Typed, members: readonly Typed[]): Typed {
  const type: Type =
    value.type.kind === "tuple"
      ? { ...value.type, members: members.map((m) => m.type) }
      : value.type;
  return { kind: "tuple", members, type, span: value.span };
}

/** An array of functions or of tuples. An array of tuples is one array for each member. */
function heldList(
  place: Place,
  bound: Bound,
  type: Extract<ast.Type, { kind: "tensor" }>,
  value: Typed,
): Typed {
  if (value.type.kind !== "list") return value;
  const functions = functionsIn(value);
  const of = type.element;
  if (functions && of.kind === "function") return heldFunctions(place, bound, of, functions);
  const members = of.kind === "tuple" ? membersOf(value) : undefined;
  if (!members || of.kind !== "tuple") return value;
  const held = members.map((member, k) =>
    heldTo(place, bound, { ...type, element: of.members[k]! }, member),
  );
  return { kind: "tuple", members: held, type: value.type, span: value.span };
}

function heldFunctions(place: Place, bound: Bound, type: FunctionAst, functions: Functions): Typed {
  const identity = remembered(functions.identity, meaningOf(place, bound, type), () => ({}));
  const at: Functions["at"] = (asking, codes, span) =>
    heldFunction(place, bound, type, functions.at(asking, codes, span));
  const list = functions.type.kind === "list" ? functions.type : undefined;
  const held = { ...functions, at, identity };
  return list ? { ...held, type: { ...list, of: functionType(place, bound, type) } } : held;
}

/** What the type parameters of an enum or struct stand for in a type: `i32` for T in `Op<i32>`. */
export function givenGenerics(
  place: Place,
  { generics }: Bound,
  type: Extract<ast.Type, { kind: "named" }>,
  of: DataBinding,
): Map<string, Type> {
  const given = type.arguments.map((argument) =>
    declaredType(place, argument, generics ?? new Map()),
  );
  return new Map(of.declaration.generics.map(({ text }, k) => [text, given[k]!]));
}

/**
 * The functions in the fields of a value of a generic type, `Op<i32>`. The type parameters were not
 * known where the value was made.
 */
function heldFields(
  place: Place,
  bound: Bound,
  type: Extract<ast.Type, { kind: "named" }>,
  value: Typed,
): Typed {
  if (value.type.kind !== "data" || type.arguments.length === 0) return value;
  const { of } = value.type;
  const members = membersOf(value);
  if (!members) return value;
  const generics = givenGenerics(place, bound, type, of);
  const inside: Place = { ...place, scope: of.scope };
  const fields = declaredFields(of);
  const from = isEnum(of) ? 1 : 0;
  const held = members.map((member, k) =>
    k < from ? member : heldTo(inside, { ...bound, generics }, fields[k - from]!.type, member),
  );
  return { kind: "tuple", members: held, type: value.type, span: value.span };
}

/** The name of the given function. No name of a program contains a blank. */
const givenName = "function behind";

function heldFunction(place: Place, bound: Bound, type: FunctionAst, value: Typed): Typed {
  const root = rootOf(value);
  if (isHeldTo(place, bound, type, root)) return value;
  const meaning = meaningOf(place, bound, type);
  const callee = remembered(identityOf(root), meaning, () =>
    calleeFor(place, bound, type, value, root),
  );
  return { kind: "closure", callee, type: functionType(place, bound, type), span: value.span };
}

/** Whether a function has the declared type already. */
export function isHeldTo(place: Place, bound: Bound, type: FunctionAst, value: Typed): boolean {
  if (value.kind !== "closure" || typeof value.callee === "string") return false;
  return value.callee.held?.meaning === meaningOf(place, bound, type);
}

function calleeFor(
  place: Place,
  bound: Bound,
  type: FunctionAst,
  value: Typed,
  root: Typed,
): FunctionBinding {
  const own = root.kind === "closure" && typeof root.callee !== "string" ? root.callee : undefined;
  const { span } = own ?? value;
  const name: ast.Name = { text: own?.name ?? "function", span };
  const names = type.parameters.map((_, k): ast.Name => ({
    text: own?.declaration.parameters[k]?.name.text ?? `argument${k}`,
    span,
  }));
  const path = (each: ast.Name): ast.Path => ({ kind: "path", segments: [each], span });
  const call: ast.Call = {
    kind: "call",
    callee: path({ text: givenName, span }),
    arguments: names.map((each) => ({ value: path(each), span })),
    span,
  };
  const declaration: ast.Fn = {
    kind: "fn",
    name,
    coordinates: [],
    parameters: names.map((each, k) => ({ name: each, type: type.parameters[k]!, span })),
    body: { kind: "block", statements: [], value: call, span },
    allow: [],
    public: false,
    span,
  };
  const scope = scopeInside(snapshotOfScope(place.scope));
  scope.names.set(givenName, {
    kind: "value",
    role: "parameter",
    name: name.text,
    span,
    type: value.type,
    value,
  });
  const { words, generics } = bound;
  return {
    kind: "function",
    name: name.text,
    span,
    declaration,
    scope,
    held: { type, meaning: meaningOf(place, bound, type), words, generics: generics ?? new Map() },
  };
}

function functionType(
  { scope }: Place,
  { generics }: Bound,
  type: FunctionAst,
): Extract<Type, { kind: "function" }> {
  return {
    kind: "function",
    arity: type.parameters.length,
    declared: { type, scope, generics: generics ?? new Map() },
  };
}

const rememberedObjects = new WeakMap<object, Map<string, unknown>>();

/**
 * One object for each function and type, so that a recursive function that passes its function on
 * passes the same object.
 */
function remembered<T>(owner: object, key: string, newObject: () => T): T {
  const known = rememberedObjects.get(owner) ?? new Map<string, unknown>();
  rememberedObjects.set(owner, known);
  if (!known.has(key)) known.set(key, newObject());
  return known.get(key) as T;
}

const operations = new Map<string, object>();

/** An object that is the same for all uses of a function. */
function identityOf(root: Typed): object {
  if (root.kind === "reference") return root.binding;
  if (root.kind !== "closure") return root;
  if (typeof root.callee !== "string") return root.callee;
  const one = operations.get(root.callee) ?? {};
  operations.set(root.callee, one);
  return one;
}

/** The meaning of generic words and type parameters. */
interface Meanings {
  readonly words: ReadonlyMap<string, Element>;
  readonly generics?: ReadonlyMap<string, Type>;
}

/** A text that is equal for two types if they mean the same, wherever they are written. */
export function meaningOf(place: Place, bound: Meanings, type: ast.Type): string {
  const all = (types: readonly ast.Type[]): string =>
    types.map((each) => meaningOf(place, bound, each)).join();
  switch (type.kind) {
    case "named": {
      const word = type.path.map((each) => each.text).join("::");
      const cell = bound.words.get(word);
      if (cell) return known(cell) ?? `${word} ${serialOf(cell)}`;
      const generic = bound.generics?.get(word);
      if (generic) return generic.kind === "absent" ? word : showType(generic);
      const of = dataAt(place, { kind: "path", segments: type.path, span: type.span });
      return of && of !== "wrong" ? `${serialOf(of.declaration)}<${all(type.arguments)}>` : word;
    }
    case "tensor":
      return (
        `[${meaningOf(place, bound, type.element)}; ` +
        `${(type.dims ?? [undefined]).map((dim) => dimText(place, dim)).join()}]`
      );
    case "tuple":
      return `(${all(type.members)})`;
    case "function":
      return `(${all(type.parameters)}) -> ${meaningOf(place, bound, type.result)}`;
    case "jagged":
      return `jagged[${meaningOf(place, bound, type.element)}]`;
    case "missing":
      return "?";
    default:
      return type satisfies never;
  }
}

function dimText({ scope }: Place, dim: ast.Dim | undefined): string {
  if (dim?.kind === "number") return String(dim.value);
  if (dim?.kind === "pack") return `..${dim.name.text}`;
  if (dim?.kind !== "name") return dim?.kind === "any-rank" ? "*" : "?";
  const binding = lookUp(scope, dim.name.text);
  return binding?.kind === "const" || binding?.kind === "value"
    ? `${dim.name.text} ${serialOf(binding)}`
    : dim.name.text;
}

/** The functions that a value may be. */
export function closuresIn(value: Typed): readonly Closure[] {
  switch (value.kind) {
    case "closure":
      return [value];
    case "block":
      return closuresIn(value.value);
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? closuresIn(value.binding.value)
        : [];
    case "select":
      return [...closuresIn(value.then), ...closuresIn(value.otherwise)];
    default:
      return [];
  }
}

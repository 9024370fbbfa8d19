// Calls of functions with tangent rules (`@fn f`, rules.ts); `@a` in a rule is the tangent of `a`.

import { textOf } from "../../base/source.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { variable } from "../../affine/term.ts";
import { isFloat } from "../../scalar/types.ts";
import { refuse, wrongAt, type Place } from "../context.ts";
import { elementsOf } from "../data/forms.ts";
import { bodyOf } from "../calls/function-body.ts";
import { valueBinding } from "../types/integers.ts";
import { lookUp, scopeInside, type FunctionBinding, type Scope } from "../names/scope.ts";
import { membersOf } from "../values/tuples.ts";
import type { Ruled, Typed, ValueBinding } from "../types/typed.ts";
import { decided, showType, type TensorType } from "../types/types.ts";
import type { Bound } from "../calls/bound.ts";
import { expression } from "../elaborate.ts";
import type { Form } from "../data/form.ts";

/**
 * A call of a function with a rule: its value, and its tangent in terms of the tangents of its
 * float parameters.
 */
export function ruled(
  place: Place,
  callee: FunctionBinding,
  scope: Scope,
  bound: Bound,
  parameters: readonly ValueBinding[],
  value: Extract<Typed, { kind: "block" }>,
): Typed {
  const rule = callee.rule!;
  const tangents = new Map<string, ValueBinding>();
  const pairs = parameters.flatMap((binding) => {
    if (binding.type.kind !== "tensor" || !isFloat(decided(binding.type.element))) return [];
    const tangent: ValueBinding = {
      kind: "value",
      role: "tangent",
      name: `${binding.name}_tangent`,
      span: binding.span,
      type: binding.type,
      primal: binding,
    };
    tangents.set(binding.name, tangent);
    place.checker.denominators.add(binding);
    return [{ primal: binding, tangent }];
  });
  const inScope = scopeInside(scope);
  for (const [name, tangent] of tangents) inScope.names.set(`@${name}`, tangent);
  // In its own rule a function is just its value: the rule says what its tangent is.
  const inside: Place = {
    ...place,
    scope: inScope,
    tangents: new Set(tangents.keys()),
    calls: place.calls.filter((declaration) => declaration !== callee.declaration),
    ruling: new Set([...(place.ruling ?? []), callee.declaration]),
  };
  const asFunction: ast.Fn = {
    kind: "fn",
    name: rule.name,
    coordinates: rule.coordinates,
    parameters: rule.parameters,
    body: rule.body,
    span: rule.span,
    allow: [],
    public: false,
    ...(callee.declaration.result
      ? { result: floatResult(callee.declaration.result, [...tangents.values()]) }
      : {}),
  };
  const tangent = bodyOf(inside, asFunction, { ...bound, words: new Map() });
  if (tangent.kind === "wrong") return wrongAt(value.span);
  const paired = pairedWith(value, tangent, (part, move) => ({
    kind: "ruled",
    value: part,
    parameters: pairs,
    tangent: move,
    surrogate: rule.surrogate,
    rule: rule.name.span,
    type: part.type as TensorType,
    span: value.span,
  }));
  if (paired) return paired;
  return refuse(
    place,
    "E0706",
    `\`@fn ${callee.name}\` gives ${showType(tangent.type)}, ` +
      `laid out unlike \`${callee.name}\`, which gives ${showType(value.type)}`,
    rule.name.span,
    {
      labels: [{ span: callee.span, text: "the function" }],
    },
  );
}

type Block = Extract<Typed, { kind: "block" }>;

/** Each tensor of a result with its tangent; nothing where the two are laid out differently. */
function pairedWith(
  value: Block,
  tangent: Typed,
  pair: (part: Block, move: Typed) => Ruled,
): Typed | undefined {
  const { type } = value;
  if (type.kind === "tensor") {
    if (decided(type.element) === "str") return value;
    const fits = tangent.type.kind === "tensor" && tangent.type.axes.length === type.axes.length;
    return fits ? pair(value, tangent) : undefined;
  }
  const [parts, moves] = [membersOf(value), membersOf(tangent)];
  if (!parts || tangent.type.kind !== type.kind || parts.length !== moves?.length) return undefined;
  // The integer fields of a struct have no place for a tangent.
  const isStill = ({ type: own }: Typed): boolean =>
    type.kind === "data" && own.kind === "tensor" && !isFloat(decided(own.element));
  const members = parts.map((part, k) =>
    isStill(part) ? part : pairedWith(part as Block, moves[k]!, pair),
  );
  if (!members.every((member) => member !== undefined)) return undefined;
  return { kind: "tuple", members, type, span: value.span };
}

/**
 * The rule of a function that stays one: how its results move with the tangents of its parameters.
 * Everything that may move has one; that of an array has the array's extents.
 */
export function ruleOf(
  inside: Place,
  callee: FunctionBinding,
  scalars: readonly ValueBinding[],
  forms: readonly Form[],
  bound: Bound,
): { readonly tangents: readonly ValueBinding[]; readonly value: Typed } {
  const rule = callee.rule!;
  const tangents: ValueBinding[] = [];
  const moving = new Map<string, ValueBinding>();
  let at = 0;
  const next = (count: number): readonly ValueBinding[] => {
    const own = scalars.slice(at, (at += count)).flatMap(tangentOfScalar);
    tangents.push(...own);
    return own;
  };
  for (const [k, { name }] of callee.declaration.parameters.entries()) {
    const form = forms[k]!;
    const tangent = tangentOf(inside, name, form, next(elementsOf(form).length));
    if (tangent) moving.set(name.text, tangent);
  }
  // Behind the parameters stand the cells of guards, which the rule says nothing of.
  next(scalars.length - at);
  const scope = scopeInside(inside.scope);
  for (const [name, tangent] of moving) scope.names.set(`@${name}`, tangent);
  const place: Place = {
    ...inside,
    scope,
    tangents: new Set(moving.keys()),
    ruling: new Set([...(inside.ruling ?? []), callee.declaration]),
  };
  const { result } = callee.declaration;
  const asFunction: ast.Fn = {
    kind: "fn",
    name: rule.name,
    coordinates: [],
    parameters: rule.parameters,
    body: rule.body,
    span: rule.span,
    allow: [],
    public: false,
    ...(result ? { result: floatResult(result, [...moving.values()]) } : {}),
  };
  return { tangents, value: bodyOf(place, asFunction, { ...bound, words: new Map() }) };
}

function tangentOfScalar({ name, type, span }: ValueBinding): readonly ValueBinding[] {
  const cell = decided((type as TensorType).element);
  if (!isFloat(cell) && cell !== "data") return [];
  const text = `d_${name}`;
  return [{ kind: "value", role: "parameter", name: text, span, type, parameter: variable(text) }];
}

/** What `@a` is: the tangent of a number, or of an array of some. */
function tangentOf(
  place: Place,
  name: ast.Name,
  form: Form,
  own: readonly ValueBinding[],
): ValueBinding | undefined {
  const [tangent] = own;
  if (form.kind === "scalar") return tangent;
  if (form.kind !== "array" || !isFloat(decided(form.element))) return undefined;
  const { span } = name;
  const { type } = lookUp(place.scope, name.text) as ValueBinding;
  const box: Typed = { kind: "reference", binding: tangent!, type: tangent!.type, span };
  return valueBinding(
    place,
    "part",
    { text: tangent!.name, span },
    { kind: "cells", box, type: type as TensorType, span },
  );
}

/**
 * The tangent of an integer result is a float of the same layout, as wide as the widest of those
 * that it is made of.
 */
function floatResult(type: ast.Type, tangents: readonly ValueBinding[]): ast.Type {
  const given = new Set(tangents.map((tangent) => decided((tangent.type as TensorType).element)));
  const widest = (["f64", "f32", "bf16", "f16"] as const).find((each) => given.has(each)) ?? "f32";
  const float = (each: ast.Type): ast.Type => {
    if (each.kind === "tensor") return { ...each, element: float(each.element) };
    if (each.kind === "tuple") return { ...each, members: each.members.map(float) };
    const word = each.kind === "named" ? each.path[0]!.text : "";
    if (each.kind !== "named" || !["i8", "i32", "i64", "bool"].includes(word)) return each;
    return { ...each, path: [{ ...each.path[0]!, text: widest }] };
  };
  return float(type);
}

function tangentHelp(place: Place, name: ast.Name | undefined): string {
  const binding = name && lookUp(place.scope, name.text);
  const isData =
    binding?.kind === "value" && (binding.type.kind === "data" || binding.type.kind === "tuple");
  if (isData)
    return (
      `\`${name!.text}\` is ${showType(binding.type)}: ` +
      "let the function take its parts as parameters"
    );
  return (
    "the parameters with tangents are " +
    `${[...place.tangents!].map((each) => `\`@${each}\``).join(", ") || "none"}`
  );
}

/** `@a` in the body of a rule. */
export function differential(place: Place, e: ast.Unary): Typed {
  const { operand } = e;
  if (!place.tangents) {
    return refuse(place, "E0707", "a differential has no number of its own", e.span, {
      help: "ask for a quotient, `@y / @x`, or show it with `print(@y)`",
    });
  }
  const base = operand.kind === "index" ? operand.base : operand;
  const name = base.kind === "path" && base.segments.length === 1 ? base.segments[0]! : undefined;
  if (!name || !place.tangents.has(name.text)) {
    return refuse(place, "E0706", "in a rule, `@` stands before a float parameter", e.span, {
      help:
        operand.kind === "binary"
          ? `here it takes all of \`${textOf(operand.span)}\`: ` +
            "write the tangent of that out, with `@` before parameters alone"
          : tangentHelp(place, name),
    });
  }
  const tangent: ast.Path = {
    kind: "path",
    segments: [{ text: `@${name.text}`, span: name.span }],
    span: base.span,
  };
  return expression(place, operand.kind === "index" ? { ...operand, base: tangent } : tangent);
}

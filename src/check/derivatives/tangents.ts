// Calls of functions with tangent rules: the value of the call together with its tangent. In the
// rule, `@a` is the tangent of the parameter `a`:
//
//   @fn product(a, b) { @a * b + a * @b }
//
// Rules are attached to their functions in `rules.ts`.

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
 * A call of a function with a rule: its value, and its tangent, written with the tangents of the
 * float parameters.
 */
export function valueAndTangent(
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
  const tangentScope = scopeInside(scope);
  for (const [name, tangent] of tangents) tangentScope.names.set(`@${name}`, tangent);
  // A call of a function inside its own rule stands for the value alone, without a tangent.
  const inside: Place = {
    ...place,
    scope: tangentScope,
    tangents: new Set(tangents.keys()),
    calls: place.calls.filter((declaration) => declaration !== callee.declaration),
    ruling: new Set([...(place.ruling ?? []), callee.declaration]),
  };
  const ruleFunction: ast.Fn = {
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
  const tangent = bodyOf(inside, ruleFunction, { ...bound, words: new Map() });
  if (tangent.kind === "wrong") return wrongAt(value.span);
  const paired = pairWithTangent(value, tangent, (part, move) => ({
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

/** Pairs each tensor of a result with its tangent. Undefined if the two have different layouts. */
function pairWithTangent(
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
  // An integer field of a struct has no tangent.
  const isStill = ({ type: own }: Typed): boolean =>
    type.kind === "data" && own.kind === "tensor" && !isFloat(decided(own.element));
  const members = parts.map((part, k) =>
    isStill(part) ? part : pairWithTangent(part as Block, moves[k]!, pair),
  );
  if (!members.every((member) => member !== undefined)) return undefined;
  return { kind: "tuple", members, type, span: value.span };
}

/**
 * The rule of a recursive function: the tangents of its parameters, and the tangent of its result.
 * Every float parameter and every reference has a tangent. The tangent of an array has the extents
 * of the array.
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
  let position = 0;
  const nextTangents = (count: number): readonly ValueBinding[] => {
    const own = scalars.slice(position, (position += count)).flatMap(tangentsOfScalar);
    tangents.push(...own);
    return own;
  };
  for (const [k, { name }] of callee.declaration.parameters.entries()) {
    const form = forms[k]!;
    const tangent = tangentOfParameter(inside, name, form, nextTangents(elementsOf(form).length));
    if (tangent) moving.set(name.text, tangent);
  }
  // The scalars after the parameters are cells of guards. The rule does not mention them.
  nextTangents(scalars.length - position);
  const scope = scopeInside(inside.scope);
  for (const [name, tangent] of moving) scope.names.set(`@${name}`, tangent);
  const place: Place = {
    ...inside,
    scope,
    tangents: new Set(moving.keys()),
    ruling: new Set([...(inside.ruling ?? []), callee.declaration]),
  };
  const { result } = callee.declaration;
  const ruleFunction: ast.Fn = {
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
  return { tangents, value: bodyOf(place, ruleFunction, { ...bound, words: new Map() }) };
}

function tangentsOfScalar({ name, type, span }: ValueBinding): readonly ValueBinding[] {
  const cell = decided((type as TensorType).element);
  if (!isFloat(cell) && cell !== "data") return [];
  const text = `d_${name}`;
  return [{ kind: "value", role: "parameter", name: text, span, type, parameter: variable(text) }];
}

/** The value of `@a` in a rule: the tangent of a number or of an array of numbers. */
function tangentOfParameter(
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
 * The result type of a rule. Where the function gives an integer, its tangent is a float of the
 * same layout: of the widest float type among the parameters' tangents, or `f32`.
 */
function floatResult(type: ast.Type, tangents: readonly ValueBinding[]): ast.Type {
  const given = new Set(tangents.map((tangent) => decided((tangent.type as TensorType).element)));
  const widest = (["f64", "f32", "bf16", "f16"] as const).find((each) => given.has(each)) ?? "f32";
  const asFloat = (each: ast.Type): ast.Type => {
    if (each.kind === "tensor") return { ...each, element: asFloat(each.element) };
    if (each.kind === "tuple") return { ...each, members: each.members.map(asFloat) };
    const word = each.kind === "named" ? each.path[0]!.text : "";
    if (each.kind !== "named" || !["i8", "i32", "i64", "bool"].includes(word)) return each;
    return { ...each, path: [{ ...each.path[0]!, text: widest }] };
  };
  return asFloat(type);
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
    ([...place.tangents!].map((each) => `\`@${each}\``).join(", ") || "none")
  );
}

/** `@a` in the body of a rule; anywhere else it is refused. */
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

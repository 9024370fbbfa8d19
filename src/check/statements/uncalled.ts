// Functions that nothing calls are checked too, where their types say enough: with arguments of
// symbolic extents.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Span } from "../../base/source.ts";
import { constant, ofVariable } from "../../affine/term.ts";
import { operationOfFunction } from "../../scalar/operations.ts";
import { isReductionName } from "../../scalar/reductions.ts";
import { isElementType, type ElementType } from "../../scalar/types.ts";
import { attemptCheck } from "../attempt.ts";
import { extentVariable, newFrame, type Place, type Checker, placeIn } from "../context.ts";
import { declaredType } from "../types/declared-types.ts";
import { namesOf } from "../names/free-names.ts";
import { callFunction } from "../calls/functions.ts";
import { undefinedName } from "../names/names.ts";
import { isBuiltin } from "../calls/builtins.ts";
import {
  dimensionNamed,
  lookUp,
  lookUpFunction,
  scopeInside,
  type FunctionBinding,
  type Scope,
  ownFunctions,
} from "../names/scope.ts";
import type { Typed, ValueBinding } from "../types/typed.ts";
import { element, tensor, type Axis, type TensorType } from "../types/types.ts";
import { wholeStandIn } from "../calls/stand-ins.ts";

/** What a generic word is checked with. */
const standard: Readonly<Record<string, ElementType>> = { float: "f32", int: "i32", num: "f32" };

export function checkUncalled(place: Place, functions: Iterable<FunctionBinding>): void {
  for (const binding of functions) {
    if (place.checker.called.has(binding.declaration)) {
      checkPassedOver(place, binding);
      continue;
    }
    const scope = scopeInside(place.scope);
    if (!declareArguments(place, binding, scope)) {
      checkNames({ ...place, scope: binding.scope }, binding.declaration);
      if (binding.rule) tryRule(place, binding);
      continue;
    }
    const { parameters } = binding.declaration;
    lookAt(
      place,
      binding,
      callFunction({ ...place, scope, frame: newFrame() }, binding, callOf(binding, parameters)),
    );
    // And once as its defaults would have it.
    const required = parameters.filter((parameter) => !parameter.default);
    if (required.length < parameters.length)
      callFunction({ ...place, scope, frame: newFrame() }, binding, callOf(binding, required));
  }
}

/** Lambdas that nothing calls wait for the types of their arguments. */
export function checkUncalledLambdas(place: Place): void {
  const { lambdas, called } = place.checker;
  for (const met of lambdas.values()) {
    if (met.some(({ declaration }) => called.has(declaration))) continue;
    const [{ declaration, scope }] = met as [FunctionBinding];
    checkNames({ ...place, scope }, declaration);
  }
}

/**
 * Arms of a recursive function that no call has come to: what is wrong in them is said all the
 * same.
 */
function checkPassedOver(place: Place, binding: FunctionBinding): void {
  const { checker } = place;
  const { span } = binding.declaration;
  const isWithin = (inner: Span, outer: Span): boolean =>
    inner.source === outer.source && outer.start <= inner.start && inner.end <= outer.end;
  const arms = [...checker.passedOver].filter(
    (arm) => !checker.elaborated.has(arm) && isWithin(arm.body.span, span),
  );
  const scope = scopeInside(place.scope);
  if (arms.length === 0 || !declareArguments(place, binding, scope)) return;
  const aside: Place = { ...place, scope, frame: newFrame(), effects: [] };
  const call = callOf(binding, binding.declaration.parameters);
  const trial = attemptCheck(aside, () => callFunction(aside, binding, call));
  trial.undo();
  const inArms = trial.said.filter(
    ({ level, code, span: at }) =>
      level === "error" &&
      code !== "E0190" &&
      code !== "E0508" &&
      at &&
      arms.some(({ body }) => isWithin(at, body.span)),
  );
  checker.diagnostics.push(...inArms);
}

/** What later stages find in it is said, although nobody asks for the value. */
function lookAt(place: Place, { name, span }: FunctionBinding, value: Typed): void {
  if (value.kind === "wrong") return;
  place.checker.uncalled.push({ kind: "value", role: "let", name, span, type: value.type, value });
}

/** A rule is linear whatever it is called with: numbers are tried, or else arrays of them. */
function tryRule(place: Place, binding: FunctionBinding): void {
  for (const rank of [0, 1]) {
    const scope = scopeInside(place.scope);
    const inside: Place = { ...place, scope, frame: newFrame(), effects: [] };
    if (!declareArguments(place, binding, scope, rank)) return;
    const call = callOf(binding, binding.declaration.parameters);
    const trial = attemptCheck(inside, () => callFunction(inside, binding, call));
    if (!trial.isWrong) return lookAt(place, binding, trial.keep());
    trial.undo();
    // What is wrong about derivatives does not depend on what was tried.
    const ofRule = trial.said.filter(({ code }) => code.startsWith("E07"));
    place.checker.diagnostics.push(...ofRule);
    if (ofRule.length > 0) return;
  }
}

/** Of a function that waits for the types of its arguments, at least every name must be known. */
function checkNames(place: Place, declaration: ast.Fn): void {
  const { bound, read } = namesOf(declaration);
  for (const name of read) {
    const { text } = name;
    const isThere =
      lookUp(place.scope, text) !== undefined || lookUpFunction(place.scope, text) !== undefined;
    // A capital begins the name of a type or variant, which is looked up where it is met.
    const isKnown = bound.has(text) || isThere || /^[A-Z]/.test(text);
    if (
      isKnown ||
      isBuiltin(text) ||
      operationOfFunction.has(text) ||
      isReductionName(text) ||
      text === "rev"
    )
      continue;
    undefinedName(place, name);
  }
}

function callOf({ declaration }: FunctionBinding, given: readonly ast.Parameter[]): ast.Call {
  const span = declaration.name.span;
  const path = (name: ast.Name): ast.Path => ({ kind: "path", segments: [name], span: name.span });
  return {
    kind: "call",
    callee: path(declaration.name),
    arguments: given.map(({ name }) => ({ name, value: path(name), span: name.span })),
    span,
    ...(declaration.coordinates.length > 0
      ? {
          bracket: declaration.coordinates.map(({ name, pack, span: at }): ast.BracketItem =>
            pack
              ? { kind: "group", names: [name], span: at }
              : { kind: "coordinate", name, span: at },
          ),
        }
      : {}),
  };
}

/**
 * A value for each parameter; false where a type leaves too much open. Parameters without a type
 * are floats of the given rank.
 */
function declareArguments(
  place: Place,
  { declaration, scope: of }: FunctionBinding,
  scope: Scope,
  rank?: number,
): boolean {
  const extents = new Map<string, Axis>();
  const named = (name: string): Axis => {
    let axis = extents.get(name);
    if (!axis) {
      // A call would most likely bring the dimension that the file has under this name: the body
      // may read tensors that have it.
      const known = dimensionNamed(of, name);
      const { extent, domain } = known ?? {
        extent: ofVariable(extentVariable(place.checker, name)),
        domain: {},
      };
      extents.set(name, (axis = { name, extent, domain }));
    }
    return axis;
  };
  for (const { name, type } of declaration.parameters) {
    const guessed =
      rank === undefined ? undefined : tensor(element("f32"), rank === 0 ? [] : [named("n")]);
    const own = type ? typeOf(type, named) : guessed;
    // What a damaged declaration makes of a type is no mistake of the function.
    const isOfData = type && !own && place.checker.damage.length === 0;
    const declared = isOfData ? declaredType({ ...place, scope: of }, type, new Map()) : undefined;
    const whole = declared && wholeStandIn(place, declared, name.span);
    if (!own && !whole) return false;
    const binding: ValueBinding = whole
      ? {
          kind: "value",
          role: "parameter",
          name: name.text,
          span: name.span,
          type: whole.type,
          value: whole,
        }
      : { kind: "value", role: "input", name: name.text, span: name.span, type: own! };
    scope.names.set(name.text, binding);
  }
  return true;
}

function typeOf(type: ast.Type, named: (name: string) => Axis): TensorType | undefined {
  if (type.kind === "named") {
    const word = type.path[0]!.text;
    const known = isElementType(word) ? word : standard[word];
    return known && tensor(element(known), []);
  }
  if (type.kind !== "tensor") return undefined;
  const inner = typeOf(type.element, named);
  const axes = (type.dims ?? []).map((dim): Axis | undefined => {
    switch (dim.kind) {
      case "number":
        return { extent: constant(dim.value), domain: {} };
      case "name":
      case "pack":
        return named(dim.name.text);
      default:
        return undefined;
    }
  });
  if (!inner || !type.dims || axes.some((axis) => axis === undefined)) return undefined;
  return tensor(inner.element, axes as Axis[]);
}

/** Functions of modules that nothing calls, once all modules are there. */
export function checkUncalledInModules(checker: Checker): void {
  for (const { scope } of checker.modules) {
    const own = ownFunctions(scope);
    checkUncalled(placeIn(checker, scope), own);
  }
}

// Checks functions that nothing calls. If the types of the parameters say enough, the function is
// called with arguments of symbolic extents. Otherwise every name in the body must at least be
// known.

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

/** The types that stand for the generic type words. */
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
    keepForAnalysis(
      place,
      binding,
      callFunction(
        { ...place, scope, frame: newFrame() },
        binding,
        callWithParameters(binding, parameters),
      ),
    );
    // A second call leaves out the arguments that have defaults.
    const required = parameters.filter((parameter) => !parameter.default);
    if (required.length < parameters.length)
      callFunction(
        { ...place, scope, frame: newFrame() },
        binding,
        callWithParameters(binding, required),
      );
  }
}

/** Checks the names in lambdas that nothing calls. The types of their parameters are unknown. */
export function checkUncalledLambdas(place: Place): void {
  const { lambdas, called } = place.checker;
  for (const met of lambdas.values()) {
    if (met.some(({ declaration }) => called.has(declaration))) continue;
    const [{ declaration, scope }] = met as [FunctionBinding];
    checkNames({ ...place, scope }, declaration);
  }
}

/** Reports mistakes in the arms of a recursive function that no elaborated call could take. */
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
  const call = callWithParameters(binding, binding.declaration.parameters);
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

/** Keeps the value for the later stages, which report mistakes of their own. */
function keepForAnalysis(place: Place, { name, span }: FunctionBinding, value: Typed): void {
  if (value.kind === "wrong") return;
  place.checker.uncalled.push({ kind: "value", role: "let", name, span, type: value.type, value });
}

/**
 * Checks that a rule is linear. Its parameters have no types, so it is tried with numbers, and if
 * that fails with arrays.
 */
function tryRule(place: Place, binding: FunctionBinding): void {
  for (const rank of [0, 1]) {
    const scope = scopeInside(place.scope);
    const inside: Place = { ...place, scope, frame: newFrame(), effects: [] };
    if (!declareArguments(place, binding, scope, rank)) return;
    const call = callWithParameters(binding, binding.declaration.parameters);
    const trial = attemptCheck(inside, () => callFunction(inside, binding, call));
    if (!trial.isWrong) return keepForAnalysis(place, binding, trial.keep());
    trial.undo();
    // Mistakes about derivatives do not depend on the rank that was tried.
    const ofRule = trial.said.filter(({ code }) => code.startsWith("E07"));
    place.checker.diagnostics.push(...ofRule);
    if (ofRule.length > 0) return;
  }
}

/** Reports unknown names in a function whose parameter types are not known. */
function checkNames(place: Place, declaration: ast.Fn): void {
  const { bound, read } = namesOf(declaration);
  for (const name of read) {
    const { text } = name;
    const isInScope =
      lookUp(place.scope, text) !== undefined || lookUpFunction(place.scope, text) !== undefined;
    // A capital letter begins the name of a type or variant, which is looked up elsewhere.
    const isKnown = bound.has(text) || isInScope || /^[A-Z]/.test(text);
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

function callWithParameters(
  { declaration }: FunctionBinding,
  given: readonly ast.Parameter[],
): ast.Call {
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
 * Gives each parameter a value of symbolic extents. False if a type leaves too much open. With
 * `rank`, a parameter without a type is an `f32` tensor of that rank.
 */
function declareArguments(
  place: Place,
  { declaration, scope: functionScope }: FunctionBinding,
  scope: Scope,
  rank?: number,
): boolean {
  const extents = new Map<string, Axis>();
  const axisNamed = (name: string): Axis => {
    let axis = extents.get(name);
    if (!axis) {
      // If the file has a dimension of this name, a call most likely uses it: the body may read
      // tensors that have it.
      const known = dimensionNamed(functionScope, name);
      const { extent, domain } = known ?? {
        extent: ofVariable(extentVariable(place.checker, name)),
        domain: {},
      };
      extents.set(name, (axis = { name, extent, domain }));
    }
    return axis;
  };
  for (const { name, type } of declaration.parameters) {
    const typeOfRank =
      rank === undefined ? undefined : tensor(element("f32"), rank === 0 ? [] : [axisNamed("n")]);
    const symbolic = type ? symbolicType(type, axisNamed) : typeOfRank;
    // In a damaged file the type may be wrong because its declaration is damaged.
    const isOfData = type && !symbolic && place.checker.damage.length === 0;
    const declared = isOfData
      ? declaredType({ ...place, scope: functionScope }, type, new Map())
      : undefined;
    const standIn = declared && wholeStandIn(place, declared, name.span);
    if (!symbolic && !standIn) return false;
    const binding: ValueBinding = standIn
      ? {
          kind: "value",
          role: "parameter",
          name: name.text,
          span: name.span,
          type: standIn.type,
          value: standIn,
        }
      : { kind: "value", role: "input", name: name.text, span: name.span, type: symbolic! };
    scope.names.set(name.text, binding);
  }
  return true;
}

function symbolicType(type: ast.Type, named: (name: string) => Axis): TensorType | undefined {
  if (type.kind === "named") {
    const word = type.path[0]!.text;
    const known = isElementType(word) ? word : standard[word];
    return known && tensor(element(known), []);
  }
  if (type.kind !== "tensor") return undefined;
  const inner = symbolicType(type.element, named);
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

/** Checks functions of modules that nothing calls. All modules must have been checked before. */
export function checkUncalledInModules(checker: Checker): void {
  for (const { scope } of checker.modules) {
    const own = ownFunctions(scope);
    checkUncalled(placeIn(checker, scope), own);
  }
}

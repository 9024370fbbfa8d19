// Functions as values. A lambda keeps its code and the scope around it, and is elaborated where it
// is called, in `call-value.ts`.

import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf } from "../../../base/source.ts";
import { arityOf, operationOfFunction, type OperationName } from "../../../scalar/operations.ts";
import type { Place } from "../../context.ts";
import { checkParameterNames } from "../parameters.ts";
import {
  builtinName,
  snapshotOfScope,
  lookUpFunction,
  type FunctionBinding,
} from "../../names/scope.ts";
import type { Closure, Typed } from "../../types/typed.ts";

/** `|a, b| e` */
export function lambdaOf(place: Place, e: ast.Lambda): Typed {
  const name: ast.Name = { text: textOf(e.span), span: e.span };
  const declaration: ast.Fn = {
    kind: "fn",
    name,
    coordinates: [],
    parameters: e.parameters.map((parameter) => ({ ...parameter, span: parameter.name.span })),
    body: { kind: "block", statements: [], value: e.body, span: e.body.span },
    allow: [],
    public: false,
    span: e.span,
  };
  checkParameterNames(place, declaration);
  const scope = snapshotOfScope(place.scope);
  const callee: FunctionBinding = {
    kind: "function",
    name: name.text,
    span: e.span,
    declaration,
    scope,
  };
  const { lambdas } = place.checker;
  const known = lambdas.get(e);
  if (known) known.push(callee);
  else lambdas.set(e, [callee]);
  return {
    kind: "closure",
    callee,
    type: { kind: "function", arity: e.parameters.length },
    span: e.span,
  };
}

/** The function that a name stands for, if no value has that name. */
export function functionValue(place: Place, e: ast.Path): Typed | undefined {
  const [name] = e.segments;
  const own = lookUpFunction(place.scope, name!.text);
  if (own) return closureOf(own, own.declaration.parameters.length, e);
  const operation = operationOfFunction.get(builtinName(place.scope, name!.text));
  return operation && closureOf(operation, arityOf(operation), e);
}

function closureOf(
  callee: FunctionBinding | OperationName,
  arity: number,
  { span }: ast.Path,
): Closure {
  return { kind: "closure", callee, type: { kind: "function", arity }, span };
}

/** `Shape::Circle` without arguments: the function that makes one. */
export function constructorValue(place: Place, e: ast.Path, count: number): Typed {
  const { span } = e;
  const names = Array.from({ length: count }, (_, k): ast.Name => ({ text: `payload${k}`, span }));
  const given = names.map((name): ast.Argument => ({
    value: { kind: "path", segments: [name], span },
    span,
  }));
  const body: ast.Call = { kind: "call", callee: e, arguments: given, span };
  return lambdaOf(place, {
    kind: "lambda",
    parameters: names.map((name) => ({ name })),
    body,
    span,
  });
}

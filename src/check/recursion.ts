// Functions that call themselves, directly or through others. A call cannot be replaced by the body for ever, so the function stays
// a function: one instance for each list of argument types, with scalars as parameters and a scalar, or a tuple of them, as its value.

import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { ofVariable, variable, type Variable } from "../ir/affine/term.ts";
import { outerVariables } from "../ir/outer-variables.ts";
import { isElementType } from "../ir/scalar/types.ts";
import { newFrame, notBuilt, refuse, wrongAt, type Checker, type Place } from "./context.ts";
import { dependsOnOthers } from "./enclosing.ts";
import { namesIn } from "./free-names.ts";
import { bodyOf } from "./function-body.ts";
import { inferRanges } from "./ranges.ts";
import { lookUp, lookUpFunction, lookUpModule, scopeInside, type FunctionBinding } from "./scope.ts";
import { matchParameter, type Bound } from "./signatures.ts";
import { ruleOf } from "./tangents.ts";
import { membersOf } from "./tuples.ts";
import type { Instance, Typed, ValueBinding } from "./typed.ts";
import {
  decided,
  element,
  isScalar,
  scalar,
  settle,
  showType,
  unify,
  waitingElement,
  waitNoMore,
  type TensorType,
} from "./types.ts";

const recursive = new WeakMap<FunctionBinding, boolean>();

/** The functions that a body names, also by a path through modules. */
function calledIn({ declaration, scope }: FunctionBinding): readonly FunctionBinding[] {
  const byPath: (FunctionBinding | undefined)[] = [];
  const names = namesIn(declaration.body, ({ callee }) => {
    if (callee.kind !== "path" || callee.segments.length === 1) return;
    const [first, ...rest] = callee.segments.map((segment) => segment.text);
    let module = lookUpModule(scope, first!);
    for (const step of rest.slice(0, -1)) module = module?.scope.modules.get(step);
    byPath.push(module?.scope.functions.get(rest.at(-1)!));
  });
  const byName = [...names].map((name) => lookUpFunction(scope, name));
  return [...byName, ...byPath].flatMap((found) => found ?? []);
}

/** Whether the body reaches a call of the function itself. */
export function isRecursive(callee: FunctionBinding): boolean {
  const known = recursive.get(callee);
  if (known !== undefined) return known;
  const seen = new Set<ast.Fn>();
  const pending = [callee];
  let found = false;
  for (let at = pending.pop(); at && !found; at = pending.pop()) {
    for (const reached of calledIn(at)) {
      if (seen.has(reached.declaration)) continue;
      if (reached.declaration === callee.declaration) found = true;
      seen.add(reached.declaration);
      pending.push(reached);
    }
  }
  recursive.set(callee, found);
  return found;
}

/** The functions that a function reaches, itself included. */
function reachedFrom(callee: FunctionBinding): ReadonlySet<FunctionBinding> {
  const found = new Set([callee]);
  for (const each of found) {
    for (const reached of calledIn(each)) found.add(reached);
  }
  return found;
}

const numbers = new WeakMap<object, number>();
let count = 0;

/** What the names around a function stand for where it is called: a later `let` may give one of them anew. */
function surroundings(callee: FunctionBinding): string {
  const seen: number[] = [];
  for (const { declaration, scope } of reachedFrom(callee)) {
    for (const name of namesIn(declaration.body)) {
      const binding = lookUp(scope, name);
      if (!binding) continue;
      const number = numbers.get(binding) ?? count++;
      numbers.set(binding, number);
      seen.push(number);
    }
  }
  return seen.join();
}

/** A scalar type, a generic word, or a tuple of such. */
function isScalarResult(type: ast.Type): boolean {
  if (type.kind === "tuple") return type.members.every((member) => member.kind === "named" && isScalarResult(member));
  if (type.kind !== "named" || type.path.length !== 1) return false;
  const word = type.path[0]!.text;
  return word !== "str" && (isElementType(word) || word === "float" || word === "int" || word === "num");
}

/** Instances under way and finished, by function and argument types. */
const instances = new WeakMap<Checker, Map<FunctionBinding, Map<string, Instance>>>();

/** Calls the instance for the types of the arguments, which is checked when it is first asked for. */
export function callRecursive(place: Place, callee: FunctionBinding, values: readonly Typed[], span: Span): Typed {
  const { declaration } = callee;
  const odd = values.find((value) => !isScalar(value.type) || decided(value.type.element) === "str");
  if (odd) {
    const help = "pass scalars; for steps over a tensor write a recurrence: `let h[t in 1..n] = … h[t - 1] …;`";
    return notBuilt(place, `the recursion of \`${callee.name}\` on ${showType(odd.type)}`, odd.span, help);
  }
  if (declaration.coordinates.length > 0)
    return notBuilt(place, `the recursion of the coordinate function \`${callee.name}\``, span);
  const bound: Bound = { axes: new Map(), packs: new Map(), words: new Map(), named: new Map() };
  for (const [k, parameter] of declaration.parameters.entries()) {
    const what = `\`${textOf(values[k]!.span)}\``;
    const inCallee: Place = { ...place, scope: callee.scope };
    if (parameter.type && !matchParameter(inCallee, bound, parameter.type, values[k]!, what)) return wrongAt(span);
  }
  if (declaration.result && !isScalarResult(declaration.result)) {
    const what = `a recursive function that gives ${textOf(declaration.result.span)}`;
    return notBuilt(place, what, declaration.result.span, "let it give a scalar, or a tuple of scalars");
  }
  for (const value of values) settle(value.type);
  const types = values.map((value) => decided((value.type as TensorType).element)).join();
  const key = `${types} ${surroundings(callee)}`;
  const instance = instanceOf(place, callee, values, bound, key);
  if (instance.failed) return wrongAt(span);
  const own = new Set(instance.parameters.map((binding) => binding.parameter!));
  if (dependsOnOthers(place.checker, instance.body, own))
    return notBuilt(
      place,
      `the recursive function \`${callee.name}\`, which uses a coordinate from around it,`,
      span,
      "pass the coordinate as an argument",
    );
  const invocation = { function: instance, arguments: values };
  const members = instance.results.map((cell, member): Typed => ({
    kind: "call",
    invocation,
    member,
    type: scalar(cell),
    span,
  }));
  const [only] = members;
  if (members.length === 1) return only!;
  return { kind: "tuple", members, type: { kind: "tuple", members: members.map((each) => each.type) }, span };
}

function instanceOf(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  bound: Bound,
  key: string,
): Instance {
  const { checker } = place;
  const { declaration } = callee;
  const all = instances.get(checker) ?? new Map<FunctionBinding, Map<string, Instance>>();
  instances.set(checker, all);
  const own = all.get(callee) ?? new Map<string, Instance>();
  all.set(callee, own);
  const known = own.get(key);
  if (known) return known;
  const parameters = declaration.parameters.map(({ name }, k): ValueBinding => {
    const stand = variable(name.text);
    const cell = decided((values[k]!.type as TensorType).element);
    const term = cell === "i32" ? { term: ofVariable(stand) } : {};
    const type = scalar(cell);
    return { kind: "value", role: "parameter", name: name.text, span: name.span, type, parameter: stand, ...term };
  });
  const { result, body } = declaration;
  const count = (result?.kind === "tuple" ? result.members.length : undefined) ?? tailArity(body) ?? 1;
  const results = Array.from({ length: count }, (_, k) => {
    const type = result?.kind === "tuple" ? result.members[k] : result;
    const word = type?.kind === "named" ? type.path.map((each) => each.text).join("::") : "";
    return isElementType(word) ? element(word) : waitingElement();
  });
  const instance: Instance = { name: callee.name, parameters, results, body: [], failed: false, span: callee.span };
  own.set(key, instance);
  fill(place, callee, instance, bound);
  results.forEach(waitNoMore);
  return instance;
}

/** Checks the body. Calls in it that come back here find the instance under way, with results of open types. */
function fill(place: Place, callee: FunctionBinding, instance: Instance, bound: Bound): void {
  const { declaration } = callee;
  const scope = scopeInside(callee.scope);
  for (const binding of instance.parameters) scope.names.set(binding.name, binding);
  const { result, ...open } = declaration;
  const frame = newFrame();
  const inside: Place = {
    checker: place.checker,
    scope,
    frame,
    guarded: new Set(),
    effects: [],
    when: [],
    filters: [],
    calls: [],
    inner: true,
    indexed: declaration.name.span,
    recursion: declaration.name.span,
  };
  const fail = (): void => void (instance.failed = true);
  const value = bodyOf(inside, result && result.kind !== "tuple" ? declaration : open, bound);
  if (value.kind === "wrong") return fail();
  inferRanges(inside, frame, "result");
  const members = instance.results.length === 1 ? [value] : membersOf(value);
  if (members?.length !== instance.results.length || members.some((member) => !isScalar(member.type))) {
    notBuilt(inside, `a recursive function with a value of type ${showType(value.type)}`, value.span);
    return fail();
  }
  for (const [k, member] of members.entries()) {
    if (unify((member.type as TensorType).element, instance.results[k]!)) continue;
    refuse(
      inside,
      "E0411",
      `\`${callee.name}\` gives ${showType(member.type)} here, and elsewhere ${showType(scalar(instance.results[k]!))}`,
      member.span,
    );
    return fail();
  }
  const variables = new Set(instance.parameters.map((binding) => binding.parameter!));
  const tensor = members.map((member) => tensorIn(member, variables)).find((each) => each !== undefined);
  if (tensor) {
    const what = tensor.kind === "reduce" ? `\`${tensor.reduction}\`` : "a tensor";
    const help = "move it into a function of its own that is called with the finished values, or write a recurrence";
    notBuilt(
      inside,
      `${what} that depends on the parameters of the recursive function \`${callee.name}\``,
      tensor.span,
      help,
    );
    return fail();
  }
  instance.body = members;
  if (callee.rule) fillRule(inside, callee, instance, bound);
}

/** Checks the rule of a function, in the function's own parameters. */
function fillRule(inside: Place, callee: FunctionBinding, instance: Instance, bound: Bound): void {
  const { surrogate, name } = callee.rule!;
  const { tangents, value } = ruleOf(inside, callee, instance.parameters, bound);
  if (value.kind === "wrong") return void (instance.failed = true);
  inferRanges(inside, inside.frame, "result");
  const body = instance.results.length === 1 ? [value] : membersOf(value);
  if (body?.length === instance.results.length && body.every((member) => isScalar(member.type))) {
    instance.rule = { tangents, body, surrogate, span: name.span };
    return;
  }
  refuse(
    inside,
    "E0706",
    `\`@fn ${callee.name}\` gives ${showType(value.type)}, laid out unlike \`${callee.name}\``,
    name.span,
    { labels: [{ span: callee.span, text: "the function" }] },
  );
  instance.failed = true;
}

/** The number of members of a tuple that the body ends with. */
function tailArity(e: ast.Expression): number | undefined {
  switch (e.kind) {
    case "tuple":
      return e.members.length;
    case "block":
      return e.value && tailArity(e.value);
    case "if":
      return tailArity(e.then) ?? (e.otherwise && tailArity(e.otherwise));
    case "match":
      return e.arms.map((arm) => tailArity(arm.body)).find((count) => count !== undefined);
    default:
      return undefined;
  }
}

/** A part that needs a definition of its own for each list of arguments, which a function has no place for. */
function tensorIn(root: Typed, variables: ReadonlySet<Variable>): Typed | undefined {
  const seen = new Set<ValueBinding>();
  const visit = (value: Typed): Typed | undefined => {
    const first = (parts: readonly Typed[]): Typed | undefined => {
      for (const part of parts) {
        const found = visit(part);
        if (found) return found;
      }
      return undefined;
    };
    switch (value.kind) {
      case "reduce":
      case "abstract":
      case "array":
      case "request":
        return outerVariables([value], variables).length > 0 ? value : undefined;
      case "reference": {
        const { binding } = value;
        if (binding.kind === "tensor") return outerVariables([value], variables).length > 0 ? value : undefined;
        if (!binding.value || seen.has(binding)) return undefined;
        seen.add(binding);
        return visit(binding.value);
      }
      case "read":
        return first([value.base, ...value.indices]);
      case "apply":
        return first(value.operands);
      case "cast":
        return visit(value.operand);
      case "select":
        return first([value.condition, value.then, value.otherwise]);
      case "block":
        return visit(value.value);
      case "call":
        return first(value.invocation.arguments);
      default:
        return undefined;
    }
  };
  return visit(root);
}

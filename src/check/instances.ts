// Functions that stay functions: those that call themselves, and those whose calls would be too many to be replaced by their bodies. There is one
// instance for each list of argument forms (spread.ts), with scalars as parameters and scalars as results.

import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { constantOf, ofVariable, variable, type Variable } from "../ir/affine/term.ts";
import { windowIn, windowOver } from "./windows.ts";
import { outerVariables } from "../ir/outer-variables.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { partsOfEffect } from "./effects.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { effectIn, surroundings } from "./call-graph.ts";
import { newFrame, notBuilt, refuse, wrongAt, type Checker, type Place } from "./context.ts";
import { dataAt } from "./data.ts";
import { bodyOf } from "./function-body.ts";
import { relabelled } from "./functions.ts";
import { valueBinding } from "./integers.ts";
import { inferRanges } from "./ranges.ts";
import { lookUpFunction, scopeInside, type FunctionBinding } from "./scope.ts";
import { inBlock, isPlain, share } from "./share.ts";
import { declareSignature, matchParameter, type Bound } from "./signatures.ts";
import { declaredForm, elementsOf, formKey, formOf, gathered, isEndless, spread, type Form } from "./spread.ts";
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
  unit,
  waitNoMore,
  type DataType,
  type Type,
} from "./types.ts";

/** Why a call cannot be one of a function that stays one: a form that has no scalars, or a body that needs tensors of its own. */
export interface Unfit {
  readonly kind: "unfit";
  readonly what: string;
  readonly span: Span;
  readonly help?: string;
}

function unfit(what: string, span: Span, help?: string): Unfit {
  return { kind: "unfit", what, span, ...(help ? { help } : {}) };
}

/** For which functions an instance is made, and how much its body may need. */
export type Reason = "recursive" | "many calls";

interface Made {
  readonly instance: Instance;
  /** Absent until the body has been checked, where nothing declares it. */
  form?: Form;
  readonly parameters: readonly Form[];
  unfit?: Unfit;
}

const instances = new WeakMap<Checker, Map<FunctionBinding, Map<string, Made>>>();

/** Calls the instance for the forms of the arguments, which is checked when it is first asked for. */
export function callInstance(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  span: Span,
  reason: Reason,
): Typed | Unfit {
  const { declaration } = callee;
  const { name } = callee;
  if (declaration.coordinates.length > 0) return unfit(`the recursion of the coordinate function \`${name}\``, span);
  const effect = effectIn(callee);
  if (effect && reason === "many calls")
    return unfit(`\`${textOf(effect.span)}\` inside the function \`${name}\``, effect.span);
  if (effect && place.indexed && !place.acts) {
    return refuse(place, "E0505", `\`${textOf(effect.span)}\` inside an indexed body`, effect.span, {
      labels: [{ span: place.indexed, text: "evaluated once per cell, in no fixed order" }],
      help: "finish the tensor and print that",
    });
  }
  const named = values.map((value, k) => tensorByName(place, callee, value, k, reason));
  const changing = named.find((each) => each.changes);
  if (changing) {
    const help =
      "pass the same tensor on and count with an index, or write a recurrence: `let h[t in 1..n] = … h[t - 1] …;`";
    return unfit(
      `the recursion of \`${name}\` on a tensor that is another one in each call`,
      changing.value.span,
      help,
    );
  }
  // Data that is passed on has names for its parts: calls inside one another would be met again with every part.
  const shared = named.map(({ value }, k) =>
    value.type.kind === "data" && isEndless(place, value.type)
      ? share(place, declaration.parameters[k]!.name, value)
      : { bindings: [], value },
  );
  const given = shared.map((each) => each.value);
  const bound: Bound = { axes: new Map(), packs: new Map(), words: new Map(), named: new Map() };
  for (const [k, parameter] of declaration.parameters.entries()) {
    const what = `\`${textOf(values[k]!.span)}\``;
    const inCallee: Place = { ...place, scope: callee.scope };
    if (parameter.type && !matchParameter(inCallee, bound, parameter.type, given[k]!, what)) return wrongAt(span);
  }
  const forms = given.map((value) => formOf(place, value));
  const endless = forms.findIndex((form) => !form);
  if (endless >= 0)
    return unfit(`the recursion of \`${name}\` on ${showType(given[endless]!.type)}`, given[endless]!.span);
  if (callee.rule && forms.some((form) => form!.kind !== "scalar"))
    return unfit(`the rule \`@fn ${name}\` of a recursive function on data`, callee.rule.name.span);
  const made = instanceOf(place, callee, given, forms as readonly Form[], bound, reason);
  if (made.unfit) return made.unfit;
  const { instance, form } = made;
  if (instance.failed || !form) return wrongAt(span);
  // What is passed has the types that the instance was made for.
  given.forEach((value) => settle(value.type));
  const invocation = { function: instance, arguments: given.flatMap((value, k) => spread(value, made.parameters[k]!)) };
  if (effect) place.effects.push({ kind: "call", invocation, when: place.when, span });
  const results = instance.results.map((cell, member): Typed => ({
    kind: "call",
    invocation,
    member,
    type: scalar(cell),
    span,
  }));
  return inBlock(
    [...named.flatMap(({ binding }) => binding ?? []), ...shared.flatMap((each) => each.bindings)],
    gathered(form, results, span),
  );
}

/** So few elements are taken one by one when compiling: the body may then make of them what it likes. */
const few = 64;

/** A tensor that is passed gets a name, by which calls inside recognise it; some elements of one are a window. */
function tensorByName(
  place: Place,
  callee: FunctionBinding,
  value: Typed,
  k: number,
  reason: Reason,
): { readonly value: Typed; readonly binding?: ValueBinding; readonly changes?: true } {
  if (value.type.kind !== "tensor" || isScalar(value.type)) return { value };
  const isInside = place.calls.includes(callee.declaration);
  const [axis] = value.type.axes;
  const isLong = ((axis!.extent && constantOf(axis!.extent)) ?? few + 1) > few;
  const window = reason === "recursive" && isLong && isInside ? windowIn(place, value) : undefined;
  if (window) return { value: windowOver(window, axis!, value.span) };
  if (isInside) return isSameInEachCall(value) ? { value } : { value, changes: true };
  if (isPlain(value)) return { value };
  const { name } = callee.declaration.parameters[k]!;
  const binding = valueBinding(place, "part", name, value);
  return { value: { kind: "reference", binding, type: binding.type, span: value.span }, binding };
}

/** Whether a tensor is there before the function is called: one of the file, or one that a function was called with. */
function isSameInEachCall(value: Typed): boolean {
  if (value.kind !== "reference") return false;
  const { binding } = value;
  if (binding.global) return true;
  if (binding.kind === "tensor") return false;
  if (binding.role === "input" || binding.role === "parameter") return true;
  return binding.value !== undefined && isSameInEachCall(binding.value);
}

function instanceOf(
  place: Place,
  callee: FunctionBinding,
  values: readonly Typed[],
  forms: readonly Form[],
  bound: Bound,
  reason: Reason,
): Made {
  const { checker } = place;
  const all = instances.get(checker) ?? new Map<FunctionBinding, Map<string, Made>>();
  instances.set(checker, all);
  const own = all.get(callee) ?? new Map<string, Made>();
  all.set(callee, own);
  const key = `${forms.map(formKey).join("; ")} ${surroundings(callee)}`;
  const known = own.get(key);
  if (known) return known;

  // The instance has types of its own: a literal that was passed is not bound to them before it is clear that there is one.
  const taken = forms.map(withOwnTypes);
  const scope = scopeInside(callee.scope);
  const scalars: ValueBinding[] = [];
  for (const [k, { name, type }] of callee.declaration.parameters.entries()) {
    const parts = elementsOf(taken[k]!).map((cell): ValueBinding => parameterOf(checker, name, decided(cell)));
    scalars.push(...parts);
    const whole = gathered(
      taken[k]!,
      parts.map((binding): Typed => ({ kind: "reference", binding, type: binding.type, span: name.span })),
      name.span,
    );
    const labelled = relabelled(
      type,
      { ...whole, type: taken[k]!.kind === "fixed" ? values[k]!.type : whole.type } as Typed,
      bound,
    );
    scope.names.set(
      name.text,
      taken[k]!.kind === "scalar" ? parts[0]! : valueBinding(place, "parameter", name, labelled),
    );
  }
  const signature = declareSignature(scope, callee.declaration, bound);
  const inside: Place = {
    checker,
    scope,
    frame: newFrame(),
    guarded: new Set(),
    effects: [],
    when: [],
    filters: [],
    calls: [...place.calls, callee.declaration],
    inner: true,
    indexed: callee.declaration.name.span,
    recursion: callee.declaration.name.span,
    ...(effectIn(callee) ? { acts: true } : {}),
    signature,
    words: bound.words,
  };
  const byName = new Map(callee.declaration.parameters.map(({ name }, k) => [name.text, taken[k]!]));
  const form = reason === "recursive" ? resultForm(inside, callee.declaration, byName) : undefined;
  const results = form ? [...elementsOf(form)] : [];
  const instance: Instance = {
    name: callee.name,
    parameters: scalars,
    results,
    body: [],
    effects: [],
    failed: false,
    span: callee.span,
  };
  const made: Made = { instance, parameters: taken, ...(form ? { form } : {}) };
  if (reason === "recursive" && !form) {
    const { result } = callee.declaration;
    const what = `a recursive function that gives ${result ? textOf(result.span) : "data without end"}`;
    return {
      ...made,
      unfit: unfit(what, (result ?? callee.declaration.name).span, "let it give scalars, or data made of them"),
    };
  }
  own.set(key, made);
  // Where nothing declares the value, a guess about its form may have been wrong.
  const guessed =
    reason === "recursive" && !callee.declaration.result && form?.kind === "scalar" && taken.some(isCompound);
  attempt(checker, made, guessed, () => fill(inside, callee, made, bound, results, reason));
  results.forEach(waitNoMore);
  return made;
}

function parameterOf(checker: Checker, name: ast.Name, cell: ReturnType<typeof decided>): ValueBinding {
  const stand = variable(name.text);
  const binding: ValueBinding = {
    kind: "value",
    role: "parameter",
    name: name.text,
    span: name.span,
    type: scalar(cell),
    parameter: stand,
    ...(cell === "i32" ? { term: ofVariable(stand) } : {}),
  };
  checker.parameters.set(stand, binding);
  return binding;
}

function isCompound(form: Form): boolean {
  return form.kind !== "scalar";
}

function withOwnTypes(form: Form): Form {
  if (form.kind === "scalar") return { kind: "scalar", element: element(decided(form.element)) };
  if (form.kind === "boxed") return form.ofType(ownType(form.type) as DataType);
  return form.kind === "parts" ? { ...form, members: form.members.map(withOwnTypes) } : form;
}

function ownType(type: Type): Type {
  if (type.kind === "tensor") return { ...type, element: element(decided(type.element)) };
  if (type.kind === "tuple") return { ...type, members: type.members.map(ownType) };
  return type.kind === "data" ? { ...type, arguments: type.arguments.map(ownType) } : type;
}

/** What the body says is kept only if it is a mistake; that a function cannot stay one is not. */
function attempt(checker: Checker, made: Made, guessed: boolean, check: () => Unfit | undefined): void {
  const { diagnostics: said, silenced } = checker;
  const agreements = checker.agreements.length;
  checker.diagnostics = [];
  const cannot = check();
  const own: readonly Diagnostic[] = checker.diagnostics;
  checker.diagnostics = said;
  const errors = own.filter(({ level }) => level === "error");
  const [first] = errors;
  const isBeyond = first !== undefined && (guessed || errors.every(({ code }) => code === "E0190"));
  if (cannot ?? isBeyond) {
    checker.agreements.length = agreements;
    if (!silenced) delete checker.silenced;
    made.unfit = cannot ?? {
      kind: "unfit",
      what: first!.title.replace(/ cannot be run yet$/, ""),
      span: first!.span!,
      ...(first!.help ? { help: first!.help } : {}),
    };
    return;
  }
  said.push(...own);
  if (errors.length > 0) made.instance.failed = true;
}

/** Checks the body. Calls in it that come back here find the instance under way, with results of open types. */
function fill(
  inside: Place,
  callee: FunctionBinding,
  made: Made,
  bound: Bound,
  results: ReturnType<typeof elementsOf>[number][],
  reason: Reason,
): Unfit | undefined {
  const { declaration } = callee;
  const { instance } = made;
  const { result, ...open } = declaration;
  const value = bodyOf(inside, result && result.kind !== "tuple" ? declaration : open, bound);
  const fail = (): undefined => void (instance.failed = true);
  if (value.kind === "wrong") return fail();
  inferRanges(inside, inside.frame, "result");
  const form = made.form ?? formOf(inside, value);
  const isNothing = value.type.kind === "unit" && form?.kind === "parts" && form.type.kind === "unit";
  if (!form || (!isNothing && (value.type.kind === "unit" || elementsOf(form).length === 0)) || hasTensor(form))
    return unfit(`a recursive function with a value of type ${showType(value.type)}`, value.span);
  if (!made.form) {
    made.form = withOwnTypes(form);
    results.push(...elementsOf(made.form));
  }
  if (!fits(value, made.form))
    return unfit(`a recursive function with a value of type ${showType(value.type)}`, value.span);
  const members = spread(value, made.form);
  for (const [k, member] of members.entries()) {
    if (isScalar(member.type) && unify(member.type.element, results[k]!)) continue;
    const [here, elsewhere] = [showType(member.type), showType(scalar(results[k]!))];
    refuse(inside, "E0411", `\`${callee.name}\` gives ${here} here, and elsewhere ${elsewhere}`, member.span);
    return fail();
  }
  const variables = new Set(inside.checker.parameters.keys());
  const effects = inside.effects.filter(
    (each) => each.kind === "print" || each.kind === "assert" || each.kind === "call",
  );
  const needs = [...members, ...effects.flatMap(partsOfEffect)]
    .map((member) => tensorIn(member, variables, reason))
    .find((each) => each !== undefined);
  if (needs) {
    const what =
      needs.kind === "reduce" ? `\`${needs.reduction}\`` : needs.kind === "request" ? "a derivative" : "a tensor";
    const help = "move it into a function of its own that is called with the finished values, or write a recurrence";
    return unfit(
      `${what} that depends on the parameters of the recursive function \`${callee.name}\``,
      needs.span,
      help,
    );
  }
  instance.body = members;
  instance.effects = effects;
  if (callee.rule) fillRule(inside, callee, instance, bound);
  return undefined;
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

function hasTensor(form: Form): boolean {
  if (form.kind === "fixed") return form.value.type.kind !== "absent";
  return form.kind === "window" || (form.kind === "parts" && form.members.some(hasTensor));
}

/** Whether a value has the parts that a form wants; types of scalars are compared one by one. */
function fits(value: Typed, form: Form): boolean {
  if (value.type.kind === "absent") return true;
  if (form.kind === "scalar") return isScalar(value.type);
  if (form.kind === "fixed" || form.kind === "window") return false;
  if (form.kind === "boxed")
    return value.type.kind === "data" && value.type.of.declaration === form.type.of.declaration;
  const members = membersOf(value);
  if (value.type.kind === "data" && form.type.kind === "data" && value.type.of.declaration !== form.type.of.declaration)
    return false;
  return members?.length === form.members.length && form.members.every((member, k) => fits(members[k]!, member));
}

/** The form of a recursive function's value: declared, or that of what its body ends with: a literal, or a parameter. */
function resultForm(
  place: Place,
  { name, result, body }: ast.Fn,
  parameters: ReadonlyMap<string, Form>,
): Form | undefined {
  if (result) return declaredForm(place, result);
  if (givesNothing(place, body, new Set([name.text]))) return { kind: "parts", type: unit, members: [] };
  return tailForm(place, body, parameters) ?? { kind: "scalar", element: waitingElement() };
}

function tailForm(place: Place, e: ast.Expression, parameters: ReadonlyMap<string, Form>): Form | undefined {
  const of = (part: ast.Expression): Form | undefined => tailForm(place, part, parameters);
  switch (e.kind) {
    case "call":
      return e.callee.kind === "path" ? variantForm(place, e.callee, parameters) : undefined;
    case "path": {
      if (e.segments.length > 1) return variantForm(place, e, parameters);
      const form = e.segments.length === 1 ? parameters.get(e.segments[0]!.text) : undefined;
      return form?.kind === "parts" ? form : undefined;
    }
    case "tuple": {
      const members = e.members.map((member): Form => of(member) ?? { kind: "scalar", element: waitingElement() });
      return { kind: "parts", type: { kind: "tuple", members: members.map(typeOfForm) }, members };
    }
    case "struct-literal": {
      const data = dataAt(place, e.path);
      if (!data || data === "wrong" || data.declaration.generics.length > 0) return undefined;
      return declaredForm(place, { kind: "named", path: e.path.segments, arguments: [], span: e.span });
    }
    case "block":
      return e.value && of(e.value);
    case "if":
      return of(e.then) ?? (e.otherwise && of(e.otherwise));
    case "match":
      return e.arms.map((arm) => of(arm.body)).find((form) => form !== undefined);
    default:
      return undefined;
  }
}

/** Whether a body ends with an effect, or with a call of a function that does, whatever happens. */
function givesNothing(place: Place, e: ast.Expression, open: ReadonlySet<string>): boolean {
  const again = (part: ast.Expression): boolean => givesNothing(place, part, open);
  switch (e.kind) {
    case "block":
      return !e.value || again(e.value);
    case "if":
      return !e.otherwise || (again(e.then) && again(e.otherwise));
    case "match":
      return e.arms.every((arm) => again(arm.body));
    case "call": {
      const called = e.callee.kind === "path" && e.callee.segments.length === 1 ? e.callee.segments[0]!.text : "";
      if (called === "print" || called === "assert" || open.has(called)) return true;
      const { declaration } = lookUpFunction(place.scope, called) ?? {};
      if (!declaration || declaration.result) return false;
      return givesNothing(place, declaration.body, new Set([...open, called]));
    }
    default:
      return false;
  }
}

/** The form of the enum that a variant belongs to; a generic one is that of a parameter, if one has it. */
function variantForm(
  place: Place,
  { segments, span }: ast.Path,
  parameters: ReadonlyMap<string, Form>,
): Form | undefined {
  const path: ast.Path = { kind: "path", segments: segments.slice(0, -1), span };
  const data = segments.length > 1 ? dataAt(place, path) : undefined;
  if (!data || data === "wrong") return undefined;
  if (data.declaration.generics.length === 0)
    return declaredForm(place, { kind: "named", path: path.segments, arguments: [], span });
  return [...parameters.values()].find(
    (form) => form.kind === "parts" && form.type.kind === "data" && form.type.of.declaration === data.declaration,
  );
}

function typeOfForm(form: Form): Typed["type"] {
  if (form.kind === "scalar") return scalar(form.element);
  if (form.kind === "window") return form.base.type;
  return form.kind === "fixed" ? form.value.type : form.type;
}

/**
 * A part that needs a definition of its own for each list of arguments, which a function has no place for. A function that
 * could also be replaced by its body reads no floats from tensors either: derivatives go through its parameters alone.
 */
function tensorIn(root: Typed, variables: ReadonlySet<Variable>, reason: Reason): Typed | undefined {
  const seen = new Set<ValueBinding>();
  const isActive = (value: Typed): boolean =>
    reason === "many calls" &&
    value.type.kind === "tensor" &&
    value.type.axes.length > 0 &&
    isFloat(decided(value.type.element));
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
      case "ruled":
        return isActive(value) || outerVariables([value], variables).length > 0 ? value : undefined;
      case "reference": {
        const { binding } = value;
        if (isActive(value)) return value;
        if (binding.kind === "tensor") return outerVariables([value], variables).length > 0 ? value : undefined;
        if (!binding.value || binding.global || seen.has(binding)) return undefined;
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
      case "data":
        return first(value.operands);
      default:
        return undefined;
    }
  };
  return visit(root);
}

/** Says why a function cannot stay one where it has to. */
export function refuseInstance(place: Place, { what, span, help }: Unfit): Typed {
  return notBuilt(place, what, span, help);
}

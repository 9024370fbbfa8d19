// Functions that stay functions: those that call themselves, and those whose calls would be too
// many to be replaced by their bodies. There is one instance for each list of argument forms
// (spread.ts), with scalars as parameters and scalars as results.

import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../../base/source.ts";
import { ofVariable, variable } from "../../../affine/term.ts";
import type { Call } from "../arguments.ts";
import { partsOfEffect } from "../../statements/effects.ts";
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import {
  boundBy,
  bracketKey,
  groundCoordinates,
  underCallerNames,
  underNames,
  type Bracketed,
} from "../brackets.ts";
import { filteredResult, filtersOf } from "../call-guards.ts";
import { filtersBehind, masksOf, type Mask } from "./guarded-instances.ts";
import { effectIn, isRecursive, surroundings } from "./call-graph.ts";
import {
  newFrame,
  notBuilt,
  notKnown,
  refuse,
  wrongAt,
  type Checker,
  type Place,
} from "../../context.ts";
import { bodyOf } from "../function-body.ts";
import { valueBinding } from "../../types/integers.ts";
import { beyondInstance, inWords, type Reason } from "./instance-needs.ts";
import {
  hasArray,
  isCompound,
  isOfOwnLength,
  sameElements,
  settleArrays,
  withOwnTypes,
} from "./own-forms.ts";
import { keptByName, passedTensor } from "./passed-tensors.ts";
import { refuseEffect } from "../../statements/refuse-effect.ts";
import { functionGiven, resultForm, typeOfForm } from "./result-forms.ts";
import { inferRanges } from "../../ranges/ranges.ts";
import { scopeInside, type FunctionBinding } from "../../names/scope.ts";
import { inBlock, share, type Shared } from "../../values/share.ts";
import { declareSignature, functionsLast, matchParameter } from "../signatures.ts";
import { elementsOf, fits, formKey, hasFixed } from "../../data/forms.ts";
import { formOf } from "../../data/form-of.ts";
import { gathered, spread } from "./spread.ts";
import { completed, isOpen } from "../../types/completed.ts";
import { declaredType, holdsFunction, isRecursiveType } from "../../types/declared-types.ts";
import { ruleOf } from "../../derivatives/tangents.ts";
import { heldTo } from "../held/held-functions.ts";
import { holdsFunctions } from "../../values/tuples.ts";
import type { Instance, Typed, ValueBinding } from "../../types/typed.ts";
import {
  decided,
  isScalar,
  scalar,
  settle,
  showType,
  unify,
  waitNoMore,
} from "../../types/types.ts";
import type { Bound } from "../bound.ts";
import { withDeclaredAxisNames } from "../../types/relabelled.ts";
import type { Form } from "../../data/form.ts";

/**
 * Why a call cannot be one of a function that stays one: a form that has no scalars, or a body that
 * needs tensors of its own.
 */
export interface Unfit {
  readonly kind: "unfit";
  readonly what: string;
  readonly span: Span;
  readonly help?: string;
  /** It is a function that only the run would know. */
  readonly unknown?: true;
}

/** So many calls inside one another may each be given another function. */
const mostNested = 24;

function unfit(what: string, span: Span, help?: string): Unfit {
  return { kind: "unfit", what, span, ...(help ? { help } : {}) };
}

interface Made {
  readonly instance: Instance;
  /** Absent until the body has been checked, where nothing declares it. */
  form?: Form;
  readonly parameters: readonly Form[];
  unfit?: Unfit;
}

const instances = new WeakMap<Checker, Map<FunctionBinding, Map<string, Made>>>();

/**
 * Calls the instance for the forms of the arguments, which is checked when it is first asked for.
 */
export function callInstance(
  place: Place,
  call: Call,
  values: readonly Typed[],
  reason: Reason,
  where?: ast.Where,
): Typed | Unfit {
  const { callee } = call;
  const { declaration, name } = callee;
  const { span } = call.e;
  const effect = effectIn(callee, values);
  if (effect && reason === "many calls")
    return unfit(`\`${textOf(effect.span)}\` inside the function \`${name}\``, effect.span);
  if (effect && place.indexed && !place.acts)
    return refuseEffect(place, textOf(effect.span), effect.span, place.indexed);
  const named = values.map((value, k) =>
    passedTensor(place, callee, asDeclared(place, callee, value, k), k, reason),
  );
  const changing = named.find((each) => each.changes);
  if (changing) {
    const help =
      "pass the same tensor on and count with an index, or write a recurrence: " +
      "`let h[t in 1..n] = … h[t - 1] …;`";
    return unfit(
      `the recursion of \`${name}\` on a tensor that is another one in each call`,
      changing.value.span,
      help,
    );
  }
  // Data that is passed on has names for its parts: calls inside one another would be met again
  // with every part. So has an array that is made for the call alone: each part of what the
  // function gives is asked for with the same one.
  const isAsked = ({ type }: Typed): boolean =>
    type.kind === "data" && isRecursiveType(place, type);
  const shared = named.map(({ value }, k): Shared => {
    const { name: parameter } = declaration.parameters[k]!;
    if (isAsked(value)) return share(place, parameter, value);
    return reason === "makes arrays" && !place.recursion
      ? keptByName(place, parameter, value)
      : { bindings: [], value };
  });
  const bound: Bound = { ...boundBy(call), words: new Map() };
  const inCallee: Place = { ...place, scope: callee.scope };
  for (const [k, { type }] of functionsLast(declaration.parameters)) {
    const what = `\`${textOf(values[k]!.span)}\``;
    if (type && !matchParameter(inCallee, bound, type, shared[k]!.value, what))
      return wrongAt(span);
  }
  if (!groundCoordinates(place, call, bound, values)) return wrongAt(span);
  const filters = where ? filtersOf(place, call, bound, where) : [];
  if (!filters) return wrongAt(span);
  const masks = masksOf([...place.filters, ...filters], bound);
  if (masks.length > 0 && reason !== "makes arrays")
    return unfit(`a guard on a call of \`${name}\``, span);
  const given = shared.map(({ value }, k) => {
    const { type } = declaration.parameters[k]!;
    return type && holdsFunctions(value) ? heldTo(inCallee, bound, type, value) : value;
  });
  const forms = given.map((value) =>
    formOf(reason === "makes arrays" ? { ...place, arrays: true } : place, value),
  );
  const endless = forms.findIndex((form) => !form);
  if (endless >= 0 && holdsFunction(place, given[endless]!.type)) {
    const { type, span: at } = given[endless]!;
    return unknownFunction(
      `which functions this ${showType(type)} holds is known to the run alone`,
      at,
    );
  }
  if (endless >= 0)
    return unfit(
      `the recursion of \`${name}\` on ${showType(given[endless]!.type)}`,
      given[endless]!.span,
    );
  // A tensor that is the same in each call has no tangent there.
  const isStill = (form: Form, k: number): boolean =>
    (form.kind === "window" || form.kind === "fixed") && given[k]!.type.kind === "tensor";
  if (callee.rule && (forms as readonly Form[]).some(isStill))
    return unfit(
      `the rule \`@fn ${name}\` for a tensor that is the same in each call`,
      callee.rule.name.span,
    );
  const nested = place.calls.filter((each) => each === declaration).length;
  const grown =
    nested > mostNested && reason !== "many calls" ? given.find(holdsFunctions) : undefined;
  if (grown) {
    const others = grown.type.kind === "function" ? "another function" : "other functions";
    return unknownFunction(`\`${name}\` calls itself with ${others} each time`, grown.span);
  }
  const made = instanceOf(place, call, given, forms as readonly Form[], masks, bound, reason);
  if (made.unfit) return made.unfit;
  const { instance, form } = made;
  if (instance.failed || !form) return wrongAt(span);
  // What is passed has the types that the instance was made for.
  given.forEach((value) => settle(value.type));
  const invocation = {
    function: instance,
    arguments: [
      ...given.flatMap((value, k) => spread(value, made.parameters[k]!)),
      ...masks.map((mask) => mask.cells),
    ],
  };
  if (effect) place.effects.push({ kind: "call", invocation, when: place.when, span });
  const results = instance.results.map((cell, member): Typed => ({
    kind: "call",
    invocation,
    member,
    type: scalar(cell),
    span,
  }));
  // An array that is given back is one value, however often its cells are read.
  const kept = results.map((result) =>
    hasArray(form)
      ? share(place, callee.declaration.name, result)
      : { bindings: [], value: result },
  );
  const result = inBlock(
    [
      ...named.flatMap(({ binding }) => binding ?? []),
      ...shared.flatMap((each) => each.bindings),
      ...kept.flatMap((each) => each.bindings),
    ],
    underCallerNames(
      inCallee,
      declaration.result,
      gathered(
        place.checker,
        form,
        kept.map((each) => each.value),
        span,
      ),
      bound,
    ),
  );
  return where && result.type.kind === "tensor"
    ? filteredResult(place, call, result, where)
    : result;
}

/** An argument with what the type of its parameter says beyond its own. */
function asDeclared(
  place: Place,
  { declaration, scope }: FunctionBinding,
  value: Typed,
  k: number,
): Typed {
  const { type } = declaration.parameters[k]!;
  return type && isOpen(value.type)
    ? completed(place, value, declaredType({ ...place, scope }, type, new Map()))
    : value;
}

function unknownFunction(what: string, span: Span): Unfit {
  return { kind: "unfit", what, span, unknown: true };
}

function instanceOf(
  place: Place,
  call: Bracketed,
  values: readonly Typed[],
  forms: readonly Form[],
  masks: readonly Mask[],
  called: Bound,
  reason: Reason,
): Made {
  const { checker } = place;
  const { callee } = call;
  const all = instances.get(checker) ?? new Map<FunctionBinding, Map<string, Made>>();
  instances.set(checker, all);
  const own = all.get(callee) ?? new Map<string, Made>();
  all.set(callee, own);
  const key =
    `${reason} ${forms.map(formKey).join("; ")} ${surroundings(callee)} ` +
    `${bracketKey(call, values)} ${masks.map(({ name, at }) => `${name} ${at}`).join()}`;
  const known = own.get(key);
  if (known) return known;

  // The instance has types of its own: a literal that was passed is not bound to them before it is
  // clear that there is one.
  const taken = forms.map(withOwnTypes);
  const scope = scopeInside(callee.scope);
  const scalars: ValueBinding[] = [];
  const wholes = callee.declaration.parameters.map(({ name }, k): Typed => {
    const parts = elementsOf(taken[k]!).map((cell, part): ValueBinding => {
      const text =
        taken[k]!.kind === "window" ? `${name.text}_${part === 0 ? "from" : "length"}` : name.text;
      return parameterOf(checker, { text, span: name.span }, decided(cell));
    });
    scalars.push(...parts);
    const whole = gathered(
      checker,
      taken[k]!,
      parts.map((binding): Typed => ({
        kind: "reference",
        binding,
        type: binding.type,
        span: name.span,
      })),
      name.span,
    );
    const { type } = values[k]!;
    return {
      ...whole,
      type: taken[k]!.kind === "fixed" ? type : underNames(call, whole.type, type),
    } as Typed;
  });
  const since = checker.agreements.length;
  const bound = taken.some(isOfOwnLength) ? boundInside(place, call, wholes, called) : called;
  const agreements = checker.agreements.slice(since);
  for (const [k, { name, type }] of callee.declaration.parameters.entries()) {
    const whole = wholes[k]!;
    const labelled = withDeclaredAxisNames({ ...place, scope: callee.scope }, type, whole, bound);
    scope.names.set(
      name.text,
      taken[k]!.kind === "scalar" && whole.kind === "reference"
        ? whole.binding
        : valueBinding(place, "parameter", name, labelled),
    );
  }
  const signature = declareSignature(scope, callee.declaration, bound);
  const { span } = call.e;
  const kept = masks.map(({ name }) =>
    parameterOf(checker, { text: `where_${name}`, span }, "data"),
  );
  scalars.push(...kept);
  const boxes = kept.map((binding): Typed => ({
    kind: "reference",
    binding,
    type: binding.type,
    span,
  }));
  const inside: Place = {
    checker,
    scope,
    frame: newFrame(),
    guarded: new Set(),
    effects: [],
    when: [],
    filters: filtersBehind(checker, masks, boxes, bound, span),
    calls: [...place.calls, callee.declaration],
    inner: true,
    indexed: callee.declaration.name.span,
    recursion: callee.declaration.name.span,
    ...(reason === "makes arrays" ? { arrays: true } : {}),
    ...(effectIn(callee, values) ? { acts: true } : {}),
    signature,
    words: bound.words,
  };
  const byName = new Map(
    callee.declaration.parameters.map(({ name }, k) => [name.text, taken[k]!]),
  );
  // What does not call itself is known when it has been checked.
  const isAsked = reason !== "many calls" && isRecursive(callee);
  const form = isAsked ? resultForm(inside, callee.declaration, byName, bound.packs) : undefined;
  const results = form ? [...elementsOf(form)] : [];
  const instance: Instance = {
    name: callee.name,
    parameters: scalars,
    results,
    body: [],
    effects: [],
    agreements,
    failed: false,
    span: callee.span,
  };
  const made: Made = { instance, parameters: taken, ...(form ? { form } : {}) };
  const givenFunction = callee.declaration.result
    ? undefined
    : functionGiven(inside, callee.declaration.body);
  if (givenFunction && isAsked)
    return {
      ...made,
      unfit: unknownFunction(
        "which function this recursion gives is known to the run alone",
        givenFunction.span,
      ),
    };
  if (isAsked && !form) {
    const { result } = callee.declaration;
    const given = result && declaredType(inside, result, new Map());
    if (given && holdsFunction(inside, given)) {
      const what =
        `which functions this recursion gives in its \`${textOf(result.span)}\` is known to ` +
        "the run alone";
      return { ...made, unfit: unknownFunction(what, result.span) };
    }
    const what = `a recursive function that gives ${result ? textOf(result.span) : "data without end"}`;
    return {
      ...made,
      unfit: unfit(
        what,
        (result ?? callee.declaration.name).span,
        "let it give scalars, arrays, or data made of scalars",
      ),
    };
  }
  own.set(key, made);
  // Where nothing declares the value, a guess about its form may have been wrong.
  const mayBeArray = (): boolean =>
    resultForm({ ...inside, arrays: true }, callee.declaration, byName, bound.packs)?.kind ===
    "array";
  const guessed =
    isAsked &&
    !callee.declaration.result &&
    form?.kind === "scalar" &&
    (taken.some(isCompound) || mayBeArray());
  attempt(checker, made, guessed, () => fill(inside, callee, made, bound, results, reason));
  results.forEach(waitNoMore);
  if (made.form) settleArrays(made.form);
  return made;
}

function parameterOf(
  checker: Checker,
  name: ast.Name,
  cell: ReturnType<typeof decided>,
): ValueBinding {
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

/** What the names of the signature stand for in every call. */
function boundInside(
  place: Place,
  call: Bracketed,
  wholes: readonly Typed[],
  { words }: Bound,
): Bound {
  const { callee } = call;
  const own: Bound = { ...boundBy(call), words };
  const inCallee: Place = {
    ...place,
    scope: callee.scope,
    recursion: callee.declaration.name.span,
  };
  for (const [k, { type, name }] of functionsLast(callee.declaration.parameters))
    if (type) matchParameter(inCallee, own, type, wholes[k]!, `\`${name.text}\``);
  groundCoordinates(place, call, own, wholes);
  return own;
}

/** What the body says is kept only if it is a mistake; that a function cannot stay one is not. */
function attempt(
  checker: Checker,
  made: Made,
  guessed: boolean,
  check: () => Unfit | undefined,
): void {
  const { diagnostics: said, silenced } = checker;
  const agreements = checker.agreements.length;
  checker.diagnostics = [];
  const cannot = check();
  const own: readonly Diagnostic[] = checker.diagnostics;
  checker.diagnostics = said;
  const errors = own.filter(({ level }) => level === "error");
  const [first] = errors;
  const isBeyond =
    first !== undefined &&
    (guessed || errors.every(({ code }) => code === "E0190" || code === "E0508"));
  if (cannot ?? isBeyond) {
    checker.agreements.length = agreements;
    if (!silenced) delete checker.silenced;
    made.unfit = cannot ?? {
      kind: "unfit",
      what: first!.title.replace(/ cannot be run yet$/, ""),
      span: first!.span!,
      ...(first!.help ? { help: first!.help } : {}),
      ...(first!.code === "E0508" ? { unknown: true } : {}),
    };
    return;
  }
  said.push(...own);
  if (errors.length > 0) made.instance.failed = true;
}

/**
 * Checks the body. Calls in it that come back here find the instance under way, with results of
 * open types.
 */
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
  const isNothing =
    value.type.kind === "unit" && form?.kind === "parts" && form.type.kind === "unit";
  if (
    !form ||
    (!isNothing && (value.type.kind === "unit" || elementsOf(form).length === 0)) ||
    hasFixed(form)
  )
    return unfit(`a recursive function with a value of type ${showType(value.type)}`, value.span);
  if (!made.form) {
    made.form = withOwnTypes(form);
    results.push(...elementsOf(made.form));
  }
  if (!fits(value, made.form))
    return unfit(`a recursive function with a value of type ${showType(value.type)}`, value.span);
  if (!sameElements(value, made.form)) return mixed(inside, callee, value, made.form, fail);
  const members = spread(value, made.form);
  for (const [k, member] of members.entries()) {
    if (isScalar(member.type) && unify(member.type.element, results[k]!)) continue;
    return mixed(inside, callee, member, { kind: "scalar", element: results[k]! }, fail);
  }
  const effects = inside.effects.filter(
    (each) => each.kind === "print" || each.kind === "assert" || each.kind === "call",
  );
  const needs = [...members, ...effects.flatMap(partsOfEffect)]
    .map((member) => beyondInstance(inside.checker, member, inside.checker.parameters, reason))
    .find((each) => each !== undefined);
  if (needs) {
    const { what, help } = inWords(needs, reason);
    const title = `${what} that depends on the parameters of the recursive function \`${callee.name}\``;
    return unfit(title, needs.span, help);
  }
  instance.body = members;
  instance.effects = effects;
  if (callee.rule) fillRule(inside, callee, made, bound);
  return undefined;
}

function mixed(
  place: Place,
  { name }: FunctionBinding,
  value: Typed,
  form: Form,
  fail: () => undefined,
): undefined {
  const [here, elsewhere] = [showType(value.type), showType(typeOfForm(form))];
  refuse(place, "E0411", `\`${name}\` gives ${here} here, and elsewhere ${elsewhere}`, value.span);
  return fail();
}

/** Checks the rule of a function, in the function's own parameters. */
function fillRule(
  inside: Place,
  callee: FunctionBinding,
  { instance, parameters, form }: Made,
  bound: Bound,
): void {
  const { surrogate, name } = callee.rule!;
  const { tangents, value } = ruleOf(inside, callee, instance.parameters, parameters, bound);
  if (value.kind === "wrong") return void (instance.failed = true);
  inferRanges(inside, inside.frame, "result");
  if (fits(value, form!)) {
    instance.rule = { tangents, body: spread(value, form!), surrogate, span: name.span };
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

/** Says why a function cannot stay one where it has to. */
export function refuseInstance(place: Place, { what, span, help, unknown }: Unfit): Typed {
  return unknown ? notKnown(place, what, span) : notBuilt(place, what, span, help);
}

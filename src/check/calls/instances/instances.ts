// Calls of functions that stay functions are checked in this folder; calls that are replaced by the
// body of their function are not.
//
// Instances: functions that stay functions. Most calls are replaced by the body of the function. A
// recursive function, or one whose replaced calls would be too many, becomes an instance.
//
//   fn power(x: f32, n: i32) -> f32 { if n == 0 { 1 } else { x * power(x, n - 1) } }
//
// There is one instance for each list of argument forms. Its parameters and results are scalars;
// `spread.ts` takes values apart into scalars and puts them together again.

import type * as ast from "../../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../../base/source.ts";
import { ofVariable, variable } from "../../../affine/term.ts";
import type { Call } from "../arguments.ts";
import { partsOfEffect } from "../../statements/effects.ts";
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import {
  newBound,
  bracketKey,
  groundCoordinates,
  resultWithCallerNames,
  withNamesOfArgument,
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
import { findUnfitPart, wordsOfNeed, type Reason } from "./instance-needs.ts";
import {
  hasArray,
  isCompound,
  hasOwnLength,
  unifyElements,
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
import { elementsOf, hasForm, formKey, hasFixed } from "../../data/forms.ts";
import { formOf } from "../../data/form-of.ts";
import { valueOfScalars, scalarsOfValue } from "./spread.ts";
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
 * Why a call cannot be a call of an instance: a value has no form, or the body needs tensors that
 * differ from call to call.
 */
export interface Unfit {
  readonly kind: "unfit";
  readonly what: string;
  readonly span: Span;
  readonly help?: string;
  /** The reason is a function that only the run would know. */
  readonly unknown?: true;
}

/** The most calls inside one another that may each be given another function. */
const mostNestedCalls = 24;

function newUnfit(what: string, span: Span, help?: string): Unfit {
  return { kind: "unfit", what, span, ...(help ? { help } : {}) };
}

interface InstanceRecord {
  readonly instance: Instance;
  /** Absent until the body has been checked, if no result type is declared. */
  form?: Form;
  readonly parameters: readonly Form[];
  unfit?: Unfit;
}

const instances = new WeakMap<Checker, Map<FunctionBinding, Map<string, InstanceRecord>>>();

/**
 * Calls the instance for the forms of the arguments. The first call with these forms checks the
 * instance.
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
    return newUnfit(`\`${textOf(effect.span)}\` inside the function \`${name}\``, effect.span);
  if (effect && place.indexed && !place.acts)
    return refuseEffect(place, textOf(effect.span), effect.span, place.indexed);
  const named = values.map((value, k) =>
    passedTensor(place, callee, asDeclared(place, callee, value, k), k, reason),
  );
  const changed = named.find((each) => each.changes);
  if (changed) {
    const help =
      "pass the same tensor on and count with an index, or write a recurrence: " +
      "`let h[t in 1..n] = … h[t - 1] …;`";
    return newUnfit(
      `the recursion of \`${name}\` on a tensor that is another one in each call`,
      changed.value.span,
      help,
    );
  }
  // Data of a recursive type gets names for its parts; otherwise nested calls would check every
  // part again. An array that is made for this call gets a name too, because each result of the
  // call refers to it.
  const isAsked = ({ type }: Typed): boolean => type.kind === "data" && isRecursiveType(place, type);
  const shared = named.map(({ value }, k): Shared => {
    const { name: parameter } = declaration.parameters[k]!;
    if (isAsked(value)) return share(place, parameter, value);
    return reason === "makes arrays" && !place.recursion
      ? keptByName(place, parameter, value)
      : { bindings: [], value };
  });
  const bound: Bound = { ...newBound(call), words: new Map() };
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
    return newUnfit(`a guard on a call of \`${name}\``, span);
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
    return newUnfit(
      `the recursion of \`${name}\` on ${showType(given[endless]!.type)}`,
      given[endless]!.span,
    );
  // A tensor that is the same in each call has no tangent inside the instance.
  const isStill = (form: Form, k: number): boolean =>
    (form.kind === "window" || form.kind === "fixed") && given[k]!.type.kind === "tensor";
  if (callee.rule && (forms as readonly Form[]).some(isStill))
    return newUnfit(
      `the rule \`@fn ${name}\` for a tensor that is the same in each call`,
      callee.rule.name.span,
    );
  const nested = place.calls.filter((each) => each === declaration).length;
  const grown =
    nested > mostNestedCalls && reason !== "many calls" ? given.find(holdsFunctions) : undefined;
  if (grown) {
    const others = grown.type.kind === "function" ? "another function" : "other functions";
    return unknownFunction(`\`${name}\` calls itself with ${others} each time`, grown.span);
  }
  const record = findOrMakeInstance(
    place,
    call,
    given,
    forms as readonly Form[],
    masks,
    bound,
    reason,
  );
  if (record.unfit) return record.unfit;
  const { instance, form } = record;
  if (instance.failed || !form) return wrongAt(span);
  // The arguments get the element types of the instance.
  given.forEach((value) => settle(value.type));
  const invocation = {
    function: instance,
    arguments: [
      ...given.flatMap((value, k) => scalarsOfValue(value, record.parameters[k]!)),
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
  // An array in a result gets a name, so that it is computed once for all reads of its cells.
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
    resultWithCallerNames(
      inCallee,
      declaration.result,
      valueOfScalars(
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

/** An argument, completed by the type of its parameter: `[]` becomes an empty list of that type. */
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

function findOrMakeInstance(
  place: Place,
  call: Bracketed,
  values: readonly Typed[],
  forms: readonly Form[],
  masks: readonly Mask[],
  called: Bound,
  reason: Reason,
): InstanceRecord {
  const { checker } = place;
  const { callee } = call;
  const all = instances.get(checker) ?? new Map<FunctionBinding, Map<string, InstanceRecord>>();
  instances.set(checker, all);
  const own = all.get(callee) ?? new Map<string, InstanceRecord>();
  all.set(callee, own);
  const key =
    `${reason} ${forms.map(formKey).join("; ")} ${surroundings(callee)} ` +
    `${bracketKey(call, values)} ${masks.map(({ name, at }) => `${name} ${at}`).join()}`;
  const known = own.get(key);
  if (known) return known;

  // The instance has element types of its own. A literal argument takes them only once it is clear
  // that there is an instance.
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
    const whole = valueOfScalars(
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
      type: taken[k]!.kind === "fixed" ? type : withNamesOfArgument(call, whole.type, type),
    } as Typed;
  });
  const since = checker.agreements.length;
  const bound = taken.some(hasOwnLength) ? boundOfInstance(place, call, wholes, called) : called;
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
  // The form of a function that is not recursive is known after its body has been checked.
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
  const record: InstanceRecord = { instance, parameters: taken, ...(form ? { form } : {}) };
  const givenFunction = callee.declaration.result
    ? undefined
    : functionGiven(inside, callee.declaration.body);
  if (givenFunction && isAsked)
    return {
      ...record,
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
      return { ...record, unfit: unknownFunction(what, result.span) };
    }
    const shown = result ? textOf(result.span) : "data without end";
    const what = `a recursive function that gives ${shown}`;
    return {
      ...record,
      unfit: newUnfit(
        what,
        (result ?? callee.declaration.name).span,
        "let it give scalars, arrays, or data made of scalars",
      ),
    };
  }
  own.set(key, record);
  // If no result type is declared, the form is a guess, which may be wrong.
  const mayBeArray = (): boolean =>
    resultForm({ ...inside, arrays: true }, callee.declaration, byName, bound.packs)?.kind ===
    "array";
  const guessed =
    isAsked &&
    !callee.declaration.result &&
    form?.kind === "scalar" &&
    (taken.some(isCompound) || mayBeArray());
  checkAsInstance(checker, record, guessed, () =>
    checkBody(inside, callee, record, bound, results, reason),
  );
  results.forEach(waitNoMore);
  if (record.form) settleArrays(record.form);
  return record;
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

/** The meaning of the names of the signature in every call of the instance. */
function boundOfInstance(
  place: Place,
  call: Bracketed,
  wholes: readonly Typed[],
  { words }: Bound,
): Bound {
  const { callee } = call;
  const own: Bound = { ...newBound(call), words };
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

/**
 * Checks the body. Its messages are kept if they are mistakes of the program. If the function
 * merely cannot be an instance, the attempt leaves no messages.
 */
function checkAsInstance(
  checker: Checker,
  record: InstanceRecord,
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
    record.unfit = cannot ?? {
      kind: "unfit",
      what: first!.title.replace(/ cannot be run yet$/, ""),
      span: first!.span!,
      ...(first!.help ? { help: first!.help } : {}),
      ...(first!.code === "E0508" ? { unknown: true } : {}),
    };
    return;
  }
  said.push(...own);
  if (errors.length > 0) record.instance.failed = true;
}

/**
 * Checks the body. A recursive call in it finds this instance, whose results have open types until
 * then.
 */
function checkBody(
  inside: Place,
  callee: FunctionBinding,
  record: InstanceRecord,
  bound: Bound,
  results: ReturnType<typeof elementsOf>[number][],
  reason: Reason,
): Unfit | undefined {
  const { declaration } = callee;
  const { instance } = record;
  const { result, ...open } = declaration;
  const value = bodyOf(inside, result && result.kind !== "tuple" ? declaration : open, bound);
  const fail = (): undefined => void (instance.failed = true);
  if (value.kind === "wrong") return fail();
  inferRanges(inside, inside.frame, "result");
  const form = record.form ?? formOf(inside, value);
  const isNothing =
    value.type.kind === "unit" && form?.kind === "parts" && form.type.kind === "unit";
  if (
    !form ||
    (!isNothing && (value.type.kind === "unit" || elementsOf(form).length === 0)) ||
    hasFixed(form)
  )
    return newUnfit(
      `a recursive function with a value of type ${showType(value.type)}`,
      value.span,
    );
  if (!record.form) {
    record.form = withOwnTypes(form);
    results.push(...elementsOf(record.form));
  }
  if (!hasForm(value, record.form))
    return newUnfit(
      `a recursive function with a value of type ${showType(value.type)}`,
      value.span,
    );
  if (!unifyElements(value, record.form))
    return refuseMixedResults(inside, callee, value, record.form, fail);
  const members = scalarsOfValue(value, record.form);
  for (const [k, member] of members.entries()) {
    if (isScalar(member.type) && unify(member.type.element, results[k]!)) continue;
    return refuseMixedResults(
      inside,
      callee,
      member,
      { kind: "scalar", element: results[k]! },
      fail,
    );
  }
  const effects = inside.effects.filter(
    (each) => each.kind === "print" || each.kind === "assert" || each.kind === "call",
  );
  const needs = [...members, ...effects.flatMap(partsOfEffect)]
    .map((member) => findUnfitPart(inside.checker, member, inside.checker.parameters, reason))
    .find((each) => each !== undefined);
  if (needs) {
    const { what, help } = wordsOfNeed(needs, reason);
    const where = `the parameters of the recursive function \`${callee.name}\``;
    const title = `${what} that depends on ${where}`;
    return newUnfit(title, needs.span, help);
  }
  instance.body = members;
  instance.effects = effects;
  if (callee.rule) checkRule(inside, callee, record, bound);
  return undefined;
}

function refuseMixedResults(
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

/** Checks the tangent rule of a function, written with the parameters of the instance. */
function checkRule(
  inside: Place,
  callee: FunctionBinding,
  { instance, parameters, form }: InstanceRecord,
  bound: Bound,
): void {
  const { surrogate, name } = callee.rule!;
  const { tangents, value } = ruleOf(inside, callee, instance.parameters, parameters, bound);
  if (value.kind === "wrong") return void (instance.failed = true);
  inferRanges(inside, inside.frame, "result");
  if (hasForm(value, form!)) {
    instance.rule = { tangents, body: scalarsOfValue(value, form!), surrogate, span: name.span };
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

/** Reports why a function that has to be an instance cannot be one. */
export function refuseInstance(place: Place, { what, span, help, unknown }: Unfit): Typed {
  return unknown ? notKnown(place, what, span) : notBuilt(place, what, span, help);
}

// A request inside a recurrence may have an expression as its numerator:
//
//   let W[t in 1..9, i] = W[t - 1, i] - 0.1 * @mse(p[t - 1], y) / @W[t - 1, i];
//
// The compiler makes the numerator a tensor over the steps, so that the request is about a cell of
// a tensor like any other:
//
//   numerator[s] = mse(p[s], y)        read at s = t - 1
//
// If the denominator stands at the step s = t + c, the expression is checked with s - c in the
// place of t. Requests of one recurrence with the same numerator share one tensor, and so they
// share one backward program.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { add, constantOf, equal, ofVariable, subtract, type Term } from "../../affine/term.ts";
import type { Range } from "../../affine/range.ts";
import { outerVariables } from "../ranges/outer-variables.ts";
import { isFloat } from "../../scalar/types.ts";
import { refuse, type Checker, type Place } from "../context.ts";
import { newBinder } from "../ranges/coordinates.ts";
import { coordinatesAround } from "../ranges/enclosing.ts";
import { indexNodes, namesReadIn } from "../names/free-names.ts";
import { integerTerm, valueBinding } from "../types/integers.ts";
import { rangeOfBinder, binderAlong } from "../ranges/ranges.ts";
import { lookUp, scopeInside, type Binding } from "../names/scope.ts";
import { inBlock } from "../values/share.ts";
import type { TensorBinding, Typed, ValueBinding } from "../types/typed.ts";
import { withLocals } from "../values/with-locals.ts";
import { decided, scalar, showType, tensor } from "../types/types.ts";
import { expression } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

interface StepNumerator {
  /** The cell of the numerator's tensor at the step of the denominator. */
  readonly read: Extract<Typed, { kind: "read" }>;
  /** Puts a value inside the block that declares the tensor, if the tensor is local. */
  readonly around: (value: Typed) => Typed;
}

/** The text of a numerator, the meaning of its names, and the steps at which it is computed. */
interface Written {
  readonly text: string;
  readonly names: readonly (readonly [string, Binding | undefined])[];
  readonly from: Term;
  readonly to: Term;
}

const tensorsOf = new WeakMap<Checker, (Written & { readonly binding: TensorBinding })[]>();

/**
 * The numerator as a cell of a tensor over the steps. Undefined if the numerator reads no tensor of
 * the recurrence around it, or if no constant shift leads from its coordinate to the denominator's.
 */
export function stepNumerator(
  place: Place,
  e: ast.Binary,
  numerator: ast.Expression,
  bottom: ast.Expression,
  denominatorIndices: readonly Typed[],
): StepNumerator | "wrong" | undefined {
  const top = withLocals(place.statement, numerator);
  const names = [...namesReadIn(top)];
  if (!names.some((name) => isMember(place, name))) return undefined;
  const step = findStep(place, names, denominatorIndices);
  if (!step) return undefined;
  const { name, shift, range } = step;
  if (!range) {
    refuse(place, "E0302", `nothing determines the range of \`${name.text}\``, name.span, {
      labels: [{ span: top.span, text: "this is differentiated at each of its steps" }],
      help:
        `declare its range: \`${name.text} in 0..…\`, ` +
        "with the number of its positions for `…`",
    });
    return "wrong";
  }
  const otherRead = findReadAtOtherStep(place, top, step);
  if (otherRead) {
    refuseSteps(place, e.span, otherRead.span, bottom.span);
    return "wrong";
  }
  const written: Written = {
    text: `${name.text}: ${textOf(top.span).replaceAll(/\s+/g, " ")}`,
    names: names
      .filter((text) => text !== name.text)
      .map((text) => [text, lookUp(place.scope, text)]),
    from: add(range.from, shift),
    to: add(range.to, shift),
  };
  const all = tensorsOf.get(place.checker) ?? [];
  const binding =
    all.find((other) => areSameNumerator(other, written))?.binding ??
    newStepTensor(place, top, step, written);
  if (!binding) return "wrong";
  tensorsOf.set(place.checker, [...all, { ...written, binding }]);
  const { element, axes } = binding.type;
  const base: Typed = { kind: "reference", binding, type: binding.type, span: top.span };
  const isLocal = outerVariables([binding], coordinatesAround(place.scope)).length > 0;
  return {
    read: {
      kind: "read",
      base,
      indices: [step.index],
      type: tensor(element, axes.slice(1)),
      span: top.span,
    },
    around: (value) => (isLocal ? inBlock([binding], value) : value),
  };
}

/**
 * Refuses a request inside a recurrence whose two sides stand at different steps: `@loss[t] / @w[t
 * - 1]`.
 */
export function refuseSteps(place: Place, request: Span, top: Span, bottom: Span): Typed {
  const title =
    "within a recurrence, numerator and denominator of a derivative stand at the same step";
  return refuse(place, "E0708", title, request, {
    labels: [
      { span: top, text: "this step" },
      { span: bottom, text: "and not this one" },
    ],
    help: "a derivative across steps is asked for outside of the recurrence",
  });
}

function isMember({ scope, group }: Place, name: string): boolean {
  const binding = lookUp(scope, name);
  return binding?.kind === "tensor" && group?.has(binding) === true;
}

interface Step {
  readonly name: ast.Name;
  /** The value of the coordinate as a term. */
  readonly term: Term;
  readonly range: Range | undefined;
  readonly reversed: boolean;
  /** The constant c if the denominator stands at the step t + c. */
  readonly shift: Term;
  readonly index: Typed;
}

/**
 * While a numerator is checked at a step, a value takes the place of its coordinate. The range of
 * that coordinate is kept here.
 */
const rangeOfStandIn = new WeakMap<ValueBinding, Pick<Step, "range" | "reversed">>();

/**
 * The coordinate of the numerator along which the denominator stands at a step. A shifted index
 * wins over an equal one: in `@loss[t - 1, i] / @W[t - 1, i]` the step is `t`, and `i` is only
 * shared.
 */
function findStep(
  place: Place,
  names: readonly string[],
  denominatorIndices: readonly Typed[],
): Step | undefined {
  const coordinates = names.flatMap((text) => {
    const binding = lookUp(place.scope, text);
    if (binding?.kind === "coordinate") {
      const { binder, span } = binding;
      const { reversed } = binder;
      const range = rangeOfBinder(place.checker, binder);
      return [{ name: { text, span }, term: ofVariable(binder.variable), range, reversed }];
    }
    const walk = binding?.kind === "value" ? rangeOfStandIn.get(binding) : undefined;
    if (binding?.kind !== "value" || !walk) return [];
    return [{ name: { text, span: binding.span }, term: binding.term!, ...walk }];
  });
  const found = denominatorIndices.flatMap((index) =>
    coordinates.flatMap((each): readonly Step[] => {
      const shift = subtract(integerTerm(place.checker, index), each.term);
      return constantOf(shift) === undefined ? [] : [{ ...each, shift, index }];
    }),
  );
  return found.find(({ shift }) => constantOf(shift) !== 0) ?? found[0];
}

/**
 * A read of the recurrence at a later step than the denominator's. If no read is at the step of the
 * denominator, any read of the recurrence.
 */
function findReadAtOtherStep(
  place: Place,
  top: ast.Expression,
  { name, term, shift, reversed }: Step,
): ast.Expression | undefined {
  const here = add(term, shift);
  const reads = indexNodes(top).flatMap((read) => {
    if (read.base.kind !== "path" || !isMember(place, read.base.segments[0]!.text)) return [];
    const steps = read.items.flatMap((item) => {
      if (item.kind !== "expression") return [];
      const names = [...namesReadIn(item.value)];
      if (!names.includes(name.text) || names.some((each) => !lookUp(place.scope, each))) return [];
      const away = constantOf(
        subtract(integerTerm(place.checker, expression(place, item.value)), here),
      );
      return away === undefined ? [] : [reversed ? -away : away];
    });
    return steps.length > 0 ? [{ read, distance: Math.max(...steps) }] : [];
  });
  const [first] = reads;
  if (!first) return undefined;
  return (
    reads.find(({ distance }) => distance > 0)?.read ??
    (reads.some((each) => each.distance === 0) ? undefined : first.read)
  );
}

function areSameNumerator(a: Written, b: Written): boolean {
  return (
    a.text === b.text &&
    equal(a.from, b.from) &&
    equal(a.to, b.to) &&
    a.names.every(([name, binding], k) => name === b.names[k]?.[0] && binding === b.names[k][1])
  );
}

function newStepTensor(
  place: Place,
  top: ast.Expression,
  { name, range, reversed, shift }: Step,
  { from, to }: Written,
): TensorBinding | undefined {
  const { span } = top;
  const integer = (term: Term): Typed => integerValue(term, span);
  const binder = newBinder(name.text, span, true);
  binder.from = integer(from);
  binder.to = integer(to);
  const scope = scopeInside(place.scope);
  const inside: Place = { ...place, scope };
  const here = integer(subtract(ofVariable(binder.variable), shift));
  const standIn = valueBinding(inside, "let", name, here);
  rangeOfStandIn.set(standIn, { range, reversed });
  scope.names.set(name.text, standIn);
  const body = expression(inside, top);
  if (body.kind === "wrong") return undefined;
  if (body.type.kind !== "tensor" || !isFloat(decided(body.type.element))) {
    refuse(
      place,
      "E0704",
      `the numerator is ${showType(body.type)}, and derivatives are of floats`,
      span,
    );
    return undefined;
  }
  const others = body.type.axes.map((axis) => binderAlong(axis, span));
  const cell: Typed = {
    kind: "read",
    base: body,
    indices: others.map((own) => integer(ofVariable(own.variable))),
    type: scalar(decided(body.type.element)),
    span,
  };
  return {
    kind: "tensor",
    made: true,
    name: "numerator",
    span,
    clauses: [
      {
        slots: [binder, ...others].map((own) => ({ kind: "binder", binder: own })),
        items: [],
        body: others.length > 0 ? cell : body,
        span,
      },
    ],
    type: tensor(body.type.element, [{ name: name.text, extent: to }, ...body.type.axes]),
    ranked: true,
    complete: true,
  };
}

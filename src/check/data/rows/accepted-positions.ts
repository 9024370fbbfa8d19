// The positions that a filter accepts, as ordinary tensors. With the outcome t[p] of the filter at
// position p of n:
//
//   rank[0] = 0,  rank[p] = rank[p - 1] + (if t[p - 1] { 1 } else { 0 })
//   count = rank[n]
//   accepted[k] = sum[p](p where t[p], rank[p] == k)
//
// rank[p] is the number of accepted positions before p. accepted[k] is the k-th accepted position;
// it is a scatter.

import type { Span } from "../../../base/source.ts";
import { ofVariable, plus, variable, zero, type Term } from "../../../affine/term.ts";
import { variablesOf } from "../../../affine/visit.ts";
import type { Place } from "../../context.ts";
import { newBinder } from "../../ranges/coordinates.ts";
import { dependsOnOthers } from "../../ranges/enclosing.ts";
import { localNames } from "../../names/local-names.ts";
import { integerTerm } from "../../types/integers.ts";
import { addClause } from "../../statements/declarations.ts";
import { inBlock } from "../../values/share.ts";
import { integerValue } from "../../values/integer-value.ts";
import type {
  Binder,
  Clause,
  ClauseSlot,
  TensorBinding,
  Typed,
  ValueBinding,
} from "../../types/typed.ts";
import { element, scalar, tensor, type Element } from "../../types/types.ts";

export interface Accepted {
  readonly bindings: readonly (ValueBinding | TensorBinding)[];
  readonly count: Term;
  /** The position of the element at a coordinate. */
  readonly at: (binder: Binder) => Typed;
}

/** The positions of the coordinate `tested` at which the test holds. */
export function acceptedPositions(
  place: Place,
  tested: Binder,
  test: Typed,
  total: Term,
  span: Span,
): Accepted {
  const outcome = newTensor(place, "passes", element("bool"), span, () => [
    clauseAt(tested, test, span),
  ]);
  const rank = newTensor(place, "rank", element("i32"), span, (self) => {
    const step = newRangeBinder(
      "p",
      integerValue(plus(zero, 1), span),
      integerValue(plus(total, 1), span),
      span,
    );
    const previous = plus(ofVariable(step.variable), -1);
    const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span };
    const none: Typed = { kind: "constant", value: 0, type: scalar("i32"), span };
    const condition = cell(outcome, integerValue(previous, span), span);
    const own: Typed = {
      kind: "select",
      condition,
      then: one,
      otherwise: none,
      type: scalar("i32"),
      span,
    };
    const operands = [cell(self, integerValue(previous, span), span), own];
    const first: Clause = {
      slots: [{ kind: "fixed", at: zero, span }],
      items: [],
      body: none,
      span,
    };
    return [
      first,
      clauseAt(
        step,
        { kind: "apply", operation: "add", operands, type: scalar("i32"), span },
        span,
      ),
    ];
  });
  const count = countOf(place, "count", cell(rank, integerValue(total, span), span));
  for (const v of variablesOf(count.term)) place.checker.countedAmong.set(v, total);
  const accepted = newTensor(place, "accepted", element("i32"), span, () => {
    const k = newRangeBinder("k", integerValue(zero, span), integerValue(count.term, span), span);
    const p = newRangeBinder("p", integerValue(zero, span), integerValue(total, span), span);
    const at = integerValue(ofVariable(p.variable), span);
    const operands = [cell(rank, at, span), integerValue(ofVariable(k.variable), span)];
    const isNext: Typed = {
      kind: "apply",
      operation: "equal",
      operands,
      type: scalar("bool"),
      span,
    };
    const body: Typed = {
      kind: "reduce",
      reduction: "sum",
      binders: [p],
      items: [
        { kind: "guard", condition: cell(outcome, at, span) },
        { kind: "guard", condition: isNext },
      ],
      body: at,
      type: scalar("i32"),
      span,
    };
    return [clauseAt(k, body, span)];
  });
  return {
    bindings: [outcome, rank, count.binding, accepted],
    count: count.term,
    at: (binder) => cell(accepted, integerValue(ofVariable(binder.variable), span), span),
  };
}

export interface Count {
  readonly binding: ValueBinding;
  readonly term: Term;
}

/**
 * A number of elements that only a run knows. It is an extent, so it is never negative. If it
 * depends on coordinates, there is one number for each of their positions. Such a number may be
 * needed before the names in it are bound.
 */
export function countOf(place: Place, name: string, value: Typed): Count {
  const { type, span } = value;
  if (place.recursion) {
    // Inside an instance, each call has its own number.
    const binding: ValueBinding = { kind: "value", role: "let", name, span, type, value };
    return {
      binding,
      term: integerTerm(place.checker, { kind: "reference", binding, type, span }),
    };
  }
  const stand = variable(name);
  place.checker.extents.add(stand);
  const dependsOnCoordinates = place.indexed && dependsOnOthers(place.checker, [value], new Set());
  const role = dependsOnCoordinates ? "length" : "let";
  const binding: ValueBinding = {
    kind: "value",
    role,
    name,
    span,
    type,
    value,
    term: ofVariable(stand),
  };
  const reference: Typed = { kind: "reference", binding, type, span };
  if (dependsOnCoordinates)
    place.checker.opaqueValue.set(
      stand,
      inBlock([...localNames(place.checker, value), binding], reference),
    );
  else place.checker.scalars.set(stand, binding);
  return { binding, term: binding.term! };
}

export function newRangeBinder(name: string, from: Typed, to: Typed, span: Span): Binder {
  return { ...newBinder(name, span, true), from, to };
}

/** The number of positions of a coordinate at which a condition holds. */
export function howMany(binder: Binder, condition: Typed, span: Span): Typed {
  return {
    kind: "reduce",
    reduction: "sum",
    binders: [binder],
    items: [{ kind: "guard", condition }],
    body: { kind: "constant", value: 1, type: scalar("i32"), span },
    type: scalar("i32"),
    span,
  };
}

function clauseAt(binder: Binder, body: Typed, span: Span): Clause {
  const slots: readonly ClauseSlot[] = [{ kind: "binder", binder }];
  return { slots, items: [], body, span };
}

function cell(of: TensorBinding, at: Typed, span: Span): Typed {
  const base: Typed = { kind: "reference", binding: of, type: of.type, span };
  return { kind: "read", base, indices: [at], type: scalar(of.type.element), span };
}

export function newTensor(
  place: Place,
  name: string,
  type: Element,
  span: Span,
  clausesOf: (self: TensorBinding) => readonly Clause[],
): TensorBinding {
  const binding: TensorBinding = {
    kind: "tensor",
    name,
    span,
    clauses: [],
    type: tensor(type, [{}]),
    ranked: true,
    complete: false,
  };
  for (const [k, clause] of clausesOf(binding).entries()) addClause(place, binding, clause, k);
  binding.complete = true;
  return binding;
}

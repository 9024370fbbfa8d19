// The positions that a filter accepts, as ordinary tensors: with t[p] the filter's outcome at
// position p of n,
//
//   rank[0] = 0,  rank[p] = rank[p - 1] + (1 if t[p - 1], else 0)      how many are accepted before p
//   count = rank[n]
//   accepted[k] = sum[p](p where t[p], rank[p] == k)                   a scatter: k-th accepted position

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

/** A filter's outcome for each position that `tested` walks. */
export function acceptedPositions(
  place: Place,
  tested: Binder,
  test: Typed,
  total: Term,
  span: Span,
): Accepted {
  const outcome = tensorOf(place, "passes", element("bool"), span, () => [
    clauseAt(tested, test, span),
  ]);
  const rank = tensorOf(place, "rank", element("i32"), span, (self) => {
    const step = walking("p", integer(plus(zero, 1), span), integer(plus(total, 1), span), span);
    const previous = plus(ofVariable(step.variable), -1);
    const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span };
    const none: Typed = { kind: "constant", value: 0, type: scalar("i32"), span };
    const condition = cell(outcome, integer(previous, span), span);
    const own: Typed = {
      kind: "select",
      condition,
      then: one,
      otherwise: none,
      type: scalar("i32"),
      span,
    };
    const operands = [cell(self, integer(previous, span), span), own];
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
  const count = countOf(place, "count", cell(rank, integer(total, span), span));
  for (const v of variablesOf(count.term)) place.checker.countedAmong.set(v, total);
  const accepted = tensorOf(place, "accepted", element("i32"), span, () => {
    const k = walking("k", integer(zero, span), integer(count.term, span), span);
    const p = walking("p", integer(zero, span), integer(total, span), span);
    const at = integer(ofVariable(p.variable), span);
    const operands = [cell(rank, at, span), integer(ofVariable(k.variable), span)];
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
    at: (binder) => cell(accepted, integer(ofVariable(binder.variable), span), span),
  };
}

export interface Count {
  readonly binding: ValueBinding;
  readonly term: Term;
}

/**
 * A number of elements that only a run can tell: an extent, so never negative. Beside coordinates
 * that it depends on, it is a number for each of their positions, which may be asked for before the
 * names that it is made of are bound.
 */
export function countOf(place: Place, name: string, value: Typed): Count {
  const { type, span } = value;
  if (place.recursion) {
    // Inside a function it is a number of each call.
    const binding: ValueBinding = { kind: "value", role: "let", name, span, type, value };
    return {
      binding,
      term: integerTerm(place.checker, { kind: "reference", binding, type, span }),
    };
  }
  const stand = variable(name);
  place.checker.extents.add(stand);
  const isOfEach = place.indexed && dependsOnOthers(place.checker, [value], new Set());
  const role = isOfEach ? "length" : "let";
  const binding: ValueBinding = {
    kind: "value",
    role,
    name,
    span,
    type,
    value,
    term: ofVariable(stand),
  };
  const counted: Typed = { kind: "reference", binding, type, span };
  if (isOfEach)
    place.checker.opaqueValue.set(
      stand,
      inBlock([...localNames(place.checker, value), binding], counted),
    );
  else place.checker.scalars.set(stand, binding);
  return { binding, term: binding.term! };
}

function integer(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

export function walking(name: string, from: Typed, to: Typed, span: Span): Binder {
  return { ...newBinder(name, span, true), from, to };
}

/** At how many positions of a binder a condition holds. */
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

export function tensorOf(
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

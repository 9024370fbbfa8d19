// The sources of a generator for all positions of the generators before it at once. In `[x | i in
// 0..n, x in f(i)]` the arrays `f(i)` differ in length. They are computed once, as the rows of one
// tensor:
//
//   rows[i, q] = f(i)[q] where q < lengths[i], else 0      q in 0..longest

import type * as ast from "../../../syntax/tree/ast.ts";
import type { Span } from "../../../base/source.ts";
import { ofVariable, zero, type Term } from "../../../affine/term.ts";
import { countOf, newRangeBinder, type Count } from "./accepted-positions.ts";
import { zerosLike } from "../../values/choose.ts";
import type { Place } from "../../context.ts";
import { integerTerm, valueBinding } from "../../types/integers.ts";
import { elementAt, elementsOver, walkedAxes } from "../lists.ts";
import { apply } from "../../expressions/operators.ts";
import { inBlock, share } from "../../values/share.ts";
import { integerValue } from "../../values/integer-value.ts";
import type { Binder, Item, Typed, ValueBinding } from "../../types/typed.ts";
import { scalar, type Axis } from "../../types/types.ts";

/** The coordinates of the generators so far, and the conditions under which there is an element. */
export interface Walked {
  readonly binders: readonly Binder[];
  readonly conditions: readonly Typed[];
}

export interface Rows {
  readonly value: Typed;
  readonly lengths: Typed;
}

/**
 * The greatest of some lengths, or 0 if there is none. The maximum is taken of floats, because the
 * maximum of no integers would stop the run.
 */
export function longestOf(place: Place, { binders, conditions }: Walked, length: Typed): Count {
  const { span } = length;
  const items = conditions.map((condition): Item => ({ kind: "guard", condition }));
  const body: Typed = { kind: "cast", operand: length, type: scalar("f64"), span };
  const type = scalar("f64");
  const most: Typed = { kind: "reduce", reduction: "max", binders, items, body, type, span };
  const none: Typed = { kind: "constant", value: 0, type: scalar("f64"), span };
  const operands = [most, none];
  const held: Typed = { kind: "apply", operation: "max", operands, type: scalar("f64"), span };
  return countOf(place, "longest", { kind: "cast", operand: held, type: scalar("i32"), span });
}

export function rowsBeside(
  place: Place,
  { binders, conditions }: Walked,
  source: Typed,
  longest: Term,
  name: ast.Name,
): Rows & { readonly bindings: readonly ValueBinding[] } {
  const { span } = name;
  const axes = binders.map(({ to }): Axis => ({
    extent: integerTerm(place.checker, to!),
    origin: { span, text: "as many as there are" },
  }));
  const own = integerValue(walkedAxes(source.type)[0]!.extent ?? zero, span);
  const whereReached = (value: Typed): Typed =>
    conditions.reduceRight((then, condition): Typed => {
      return { kind: "select", condition, then, otherwise: zerosLike(then), type: then.type, span };
    }, value);
  const lengths = valueBinding(
    place,
    "part",
    { text: "lengths", span },
    elementsOver(place, binders, axes, whereReached(own), span),
  );
  const length = reference(lengths, span);
  const along = newRangeBinder("q", integerValue(zero, span), integerValue(longest, span), span);
  const position = integerValue(ofVariable(along.variable), span);
  const row = share(place, { text: "row", span }, source);
  const element = elementAt(place, row.value, [position], span, [span]);
  const isInRow = apply(place, "less", [position, cellAtBinders(length, binders, span)], span);
  const filled: Typed = {
    kind: "select",
    condition: isInRow,
    then: element,
    otherwise: zerosLike(element),
    type: element.type,
    span,
  };
  const axis: Axis = { extent: longest, origin: { span, text: "as many as the longest has" } };
  const rows = share(
    place,
    name,
    elementsOver(
      place,
      [...binders, along],
      [...axes, axis],
      whereReached(inBlock(row.bindings, filled)),
      span,
    ),
  );
  return { value: rows.value, lengths: length, bindings: [lengths, ...rows.bindings] };
}

function cellAtBinders(base: Typed, binders: readonly Binder[], span: Span): Typed {
  const indices = binders.map(({ variable }) => integerValue(ofVariable(variable), span));
  return { kind: "read", base, indices, type: scalar("i32"), span };
}

function reference(binding: ValueBinding, span: Span): Typed {
  return { kind: "reference", binding, type: binding.type, span };
}

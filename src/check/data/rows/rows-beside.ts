// What a generator walks, for all positions of the generators before it at once: rows beside one
// another, each filled up where it is shorter than the longest, and how long each is. So an array
// that is computed for a position is computed once, whoever walks it.

import type * as ast from "../../../syntax/tree/ast.ts";
import type { Span } from "../../../base/source.ts";
import { ofVariable, zero, type Term } from "../../../affine/term.ts";
import { countOf, walking, type Count } from "./accepted-positions.ts";
import { zerosLike } from "../../values/choose.ts";
import type { Place } from "../../context.ts";
import { integerTerm, valueBinding } from "../../types/integers.ts";
import { elementAt, elementsOver, walkedAxes } from "../lists.ts";
import { apply } from "../../expressions/operators.ts";
import { inBlock, share } from "../../values/share.ts";
import type { Binder, Item, Typed, ValueBinding } from "../../types/typed.ts";
import { scalar, type Axis } from "../../types/types.ts";

/**
 * The coordinates of the generators so far, and what has to hold for there to be an element at
 * them.
 */
export interface Walked {
  readonly binders: readonly Binder[];
  readonly conditions: readonly Typed[];
}

export interface Rows {
  readonly value: Typed;
  readonly lengths: Typed;
}

/**
 * The greatest of some lengths, 0 where there is none. As a float, because nothing has no greatest
 * integer.
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
  const own = integer(walkedAxes(source.type)[0]!.extent ?? zero, span);
  const where = (value: Typed): Typed =>
    conditions.reduceRight((then, condition): Typed => {
      return { kind: "select", condition, then, otherwise: zerosLike(then), type: then.type, span };
    }, value);
  const lengths = valueBinding(
    place,
    "part",
    { text: "lengths", span },
    elementsOver(place, binders, axes, where(own), span),
  );
  const length = reference(lengths, span);
  const along = walking("q", integer(zero, span), integer(longest, span), span);
  const position = integer(ofVariable(along.variable), span);
  const row = share(place, { text: "row", span }, source);
  const element = elementAt(place, row.value, [position], span, [span]);
  const isThere = apply(place, "less", [position, cellAt(length, binders, span)], span);
  const filled: Typed = {
    kind: "select",
    condition: isThere,
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
      where(inBlock(row.bindings, filled)),
      span,
    ),
  );
  return { value: rows.value, lengths: length, bindings: [lengths, ...rows.bindings] };
}

function cellAt(base: Typed, binders: readonly Binder[], span: Span): Typed {
  const indices = binders.map(({ variable }) => integer(ofVariable(variable), span));
  return { kind: "read", base, indices, type: scalar("i32"), span };
}

function reference(binding: ValueBinding, span: Span): Typed {
  return { kind: "reference", binding, type: binding.type, span };
}

function integer(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

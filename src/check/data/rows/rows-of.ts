// Reads ragged rows: the number of rows, and a row as a tensor.

import { fixed, replace } from "../../../diagnostics/fixes.ts";
import { plus, type Term } from "../../../affine/term.ts";
import { textOf, type Span } from "../../../base/source.ts";
import { refuse, type Place } from "../../context.ts";
import { integerTerm } from "../../types/integers.ts";
import { apply } from "../../expressions/operators.ts";
import { membersOf, windowOf } from "../../values/tuples.ts";
import type { Abstract, Typed, Window } from "../../types/typed.ts";
import { scalar, type JaggedType, type TensorType } from "../../types/types.ts";
import { cellOfWindow, windowOver } from "./windows.ts";
import { readAt } from "../../ranges/reads.ts";

/** The number of rows. */
export function rowCount(value: Typed): Term {
  const starts = membersOf(value)![0]!.type as TensorType;
  return plus(starts.axes[0]!.extent!, -1);
}

/** `a[i]`: a row as a tensor. `a[i, j]` is refused, because it has to be written `a[i][j]`. */
export function rowAt(
  place: Place,
  base: Typed,
  indices: readonly Typed[],
  span: Span,
  spans: readonly Span[],
): Typed {
  const [index] = indices;
  if (indices.length !== 1) {
    const apart = `${textOf(base.span)}${spans.map((each) => `[${textOf(each)}]`).join("")}`;
    return refuse(place, "E0402", "ragged rows are read one index at a time", span, {
      help: `write \`${textOf(base.span)}[i][j]\``,
      ...fixed(`write \`${apart}\``, replace(span, apart)),
    });
  }
  const { element: cell, levels } = base.type as JaggedType;
  const [starts, next, ...further] = membersOf(base)!.map((member): Typed => ({
    ...member,
    span: base.span,
  }));
  const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span };
  const startAt = (at: Typed): Typed =>
    cellOfWindow(place, starts!, at, span) ?? readAt(place, starts!, [at], span, spans);
  const from = startAt(index!);
  const to = startAt(apply(place, "add", [index!, one], span));
  const length = apply(place, "subtract", [to, from], span);
  const part = (count: Typed): Typed => {
    const axis = {
      extent: integerTerm(place.checker, count),
      origin: { span, text: "the length of this row" },
    };
    return windowOver({ base: next!, from, length: count }, axis, span);
  };
  if (levels > 1) {
    const type: JaggedType = { kind: "jagged", element: cell, levels: levels - 1 };
    return {
      kind: "tuple",
      members: [part(apply(place, "add", [length, one], span)), ...further],
      type,
      span,
    };
  }
  const row = part(length);
  rows.add((row as Abstract).window!);
  return row;
}

/** The windows that are rows of ragged values. */
const rows = new WeakSet<Window>();

export function isRow(value: Typed): boolean {
  const window = windowOf(value);
  return window !== undefined && rows.has(window);
}

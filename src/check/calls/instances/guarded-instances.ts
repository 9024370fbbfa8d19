// Guards on a call of an instance: `f[class](x[class]) where valid[class]`. The outcomes of the
// guard are an array that is passed to the instance. Inside, the guard reads that array.

import type { Span } from "../../../base/source.ts";
import { arrayBehind, keptCells } from "../../data/arrays.ts";
import type { Checker } from "../../context.ts";
import { coordinateValue, newBinder } from "../../ranges/coordinates.ts";
import { withRenamedCoordinate } from "../../names/rename.ts";
import type { Filter, Typed } from "../../types/typed.ts";
import { element, sameDomain, scalar, tensor, type Axis } from "../../types/types.ts";
import type { Bound } from "../bound.ts";
import { binderAlong } from "../../ranges/ranges.ts";

/** A guard on one of the domains of a call. */
export interface Mask {
  /**
   * The name in the signature that has the domain, and the number of the axis if the name is a
   * pack.
   */
  readonly name: string;
  readonly at: number;
  /** The outcome of the guard at each position. */
  readonly cells: Typed;
}

/** The guards on the domains that a call binds. Other guards do not concern the function. */
export function masksOf(filters: readonly Filter[], bound: Bound): readonly Mask[] {
  return filters.flatMap((filter) => {
    const [found] = namedAxes(bound).filter(({ axis }) => sameDomain(filter.domain, axis.domain));
    return found ? [{ name: found.name, at: found.at, cells: outcomesOf(filter, found.axis) }] : [];
  });
}

/**
 * The guards of a call, as the instance sees them. The caller computes the outcomes of each guard
 * into an array of bools and passes the array; inside the instance, the guard is a read of it.
 */
export function filtersBehind(
  checker: Checker,
  masks: readonly Mask[],
  boxes: readonly Typed[],
  bound: Bound,
  span: Span,
): readonly Filter[] {
  return masks.map(({ name, at }, k): Filter => {
    const { axis } = namedAxes(bound).find((each) => each.name === name && each.at === at)!;
    const binder = newBinder(name, span, true);
    const base = arrayBehind(checker, boxes[k]!, element("bool"), [], span);
    const indices = [coordinateValue({ kind: "coordinate", name, span, binder }, span)];
    const condition: Typed = { kind: "read", base, indices, type: scalar("bool"), span };
    return { domain: axis.domain!, binder, condition, span };
  });
}

function namedAxes({ axes, packs }: Bound): readonly { name: string; at: number; axis: Axis }[] {
  return [
    ...[...axes].map(([name, axis]) => ({ name, at: 0, axis })),
    ...[...packs].flatMap(([name, all]) => all.map((axis, at) => ({ name, at, axis }))),
  ];
}

function outcomesOf({ binder, condition, span }: Filter, axis: Axis): Typed {
  const own = binderAlong(axis, span, binder.name);
  const body = withRenamedCoordinate(condition, binder.variable, own.variable);
  return keptCells({
    kind: "abstract",
    binders: [own],
    body,
    type: tensor(element("bool"), [axis]),
    span,
  });
}

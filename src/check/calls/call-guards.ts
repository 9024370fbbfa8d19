// A `where` on a coordinate call, `f[class](x[b, class]) where class < n`. The guard holds inside
// the function for every reduction over the same domain, and for the cells of the result.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Call } from "./arguments.ts";
import { report, type Place } from "../context.ts";
import { coordinateValue, declareCoordinate } from "../ranges/coordinates.ts";
import { mayStop } from "../values/may-stop.ts";
import { scopeInside } from "../names/scope.ts";
import { inBlock, share } from "../values/share.ts";
import { standsIn } from "../ranges/stands-in.ts";
import type { Binder, Filter, Typed } from "../types/typed.ts";
import { scalar, type Domain, type TensorType } from "../types/types.ts";
import { otherwiseOf, whereItems } from "../statements/where.ts";
import type { Bound } from "./bound.ts";
import { binderAlong } from "../ranges/ranges.ts";

/** The guards of a call, each with the domain of the coordinate that it restricts. */
export function filtersOf(
  place: Place,
  call: Call,
  bound: Bound,
  where: ast.Where,
): readonly Filter[] | undefined {
  const inside: Place = { ...place, scope: call.scope };
  const { items } = whereItems(inside, where.items);
  const filters: Filter[] = [];
  for (const item of items) {
    if (item.kind !== "guard") continue;
    const tied = call.binders.filter((binder) => standsIn(binder, item.condition));
    if (tied.length > 1) {
      report(
        place,
        "E0506",
        `this guard ties \`${tied[0]!.name}\` and \`${tied[1]!.name}\`, both bound by the call`,
        item.condition.span,
        {
          help: "write it inside the function",
        },
      );
      return undefined;
    }
    const [binder] = tied;
    if (!binder) continue;
    const parameter = [...bound.named].find(([, names]) => names.includes(binder.name))?.[0];
    const domain =
      parameter === undefined
        ? undefined
        : (bound.axes.get(parameter)?.domain ?? packDomain(bound, parameter, binder.name));
    if (domain) filters.push({ domain, binder, condition: item.condition, span: call.e.span });
  }
  return filters;
}

function packDomain(bound: Bound, parameter: string, name: string): Domain | undefined {
  return bound.packs.get(parameter)?.find((axis) => axis.name === name)?.domain;
}

/** The result with 0, or the value of `else`, at the positions that the guards exclude. */
export function filteredResult(place: Place, call: Call, result: Typed, where: ast.Where): Typed {
  const type = result.type as TensorType;
  const names = call.binders.map((binder) => binder.name);
  if (!type.axes.some((axis) => axis.name !== undefined && names.includes(axis.name)))
    return result;
  const scope = scopeInside(place.scope);
  const binders = type.axes.map((axis): Binder => {
    const binder = binderAlong(axis, call.e.span);
    if (axis.name && names.includes(axis.name)) declareCoordinate(scope, binder);
    return binder;
  });
  const { items, place: inside } = whereItems(
    { ...place, scope, indexed: call.e.span },
    where.items,
  );
  const indices = binders.map((binder) =>
    coordinateValue(
      { kind: "coordinate", name: binder.name, span: call.e.span, binder },
      call.e.span,
    ),
  );
  // If all guards mention coordinates of the call, the call is computed once, outside of the
  // guards. A call that may stop the run stays inside, because the guards may exclude all
  // positions.
  const isOnce =
    items.every(
      (item) => item.kind === "guard" && binders.some((binder) => standsIn(binder, item.condition)),
    ) && !mayStop(result);
  const { bindings, value: base } = isOnce
    ? share(place, { text: call.callee.name, span: call.e.span }, result)
    : { bindings: [], value: result };
  const cell: Typed = {
    kind: "read",
    base,
    indices,
    type: scalar(type.element),
    span: call.e.span,
  };
  const otherwise = otherwiseOf(inside, where, type, call.e.span);
  if (otherwise.kind === "wrong") return otherwise;
  let body: Typed = cell;
  for (const item of [...items].reverse()) {
    if (item.kind === "guard")
      body = {
        kind: "select",
        condition: item.condition,
        then: body,
        otherwise,
        type: cell.type,
        span: call.e.span,
      };
    else
      body = {
        kind: "block",
        bindings: [item.binding],
        value: body,
        type: cell.type,
        span: call.e.span,
      };
  }
  return inBlock(bindings, { kind: "abstract", binders, body, type, span: call.e.span });
}

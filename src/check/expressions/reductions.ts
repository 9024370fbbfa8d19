// `sum[k](x[k] where x[k] > 0)`: binds the coordinates of the bracket, checks the guards and the
// body, and finds the element type of the result.

import { after, fixed, nearest, replace, write, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { reductionRow, type ReductionName } from "../../scalar/reductions.ts";
import { classNames, isFloat } from "../../scalar/types.ts";
import { ofVariable } from "../../affine/term.ts";
import { mentions } from "../../affine/visit.ts";
import { refuse, wrongAt, type Place } from "../context.ts";
import { constrain, indexedPart } from "./operators.ts";
import { packRanks, bracketBinders } from "../types/packs.ts";
import type { Binder, Typed } from "../types/typed.ts";
import {
  decided,
  element,
  scalar,
  showType,
  tensor,
  type Axis,
  type Element,
} from "../types/types.ts";
import { whereItems, withoutElse } from "../statements/where.ts";
import { readAt } from "../ranges/reads.ts";
import { expression } from "../elaborate.ts";
import { binderAlong } from "../ranges/ranges.ts";
import { integerValue } from "../values/integer-value.ts";

export function reductionOf(place: Place, reduction: ReductionName, call: ast.Call): Typed {
  const [argument, ...others] = call.arguments;
  if (!argument || others.length > 0 || argument.name) {
    return refuse(place, "E0501", `\`${reduction}\` reduces one expression`, call.span, {
      help: `write \`${reduction}[i](x[i])\``,
    });
  }
  const bound = bracketBinders(place, call.bracket!, packRanks(place, argument.value));
  if (!bound) return wrongAt(call.span);
  const { binders } = bound;
  if ((reduction === "argmax" || reduction === "argmin") && binders.length !== 1) {
    return refuse(
      place,
      "E0501",
      `\`${reduction}\` gives the position along one coordinate, here are ${binders.length}`,
      call.span,
    );
  }
  place.frame.reduced.push(...binders);
  for (const binder of binders) place.frame.within.set(binder, place);

  const before = place.frame.uses.length;
  const guarded = argument.value.kind === "guarded" ? argument.value : undefined;
  if (guarded?.where.otherwise) {
    return refuse(
      place,
      "E0308",
      "`else` belongs to a declaration: a filtered element of a reduction adds nothing",
      guarded.where.otherwise.span,
      withoutElse(guarded.where.otherwise.span),
    );
  }
  const inside = whereItems(
    { ...place, scope: bound.scope, indexed: call.span, reduction: call },
    guarded?.where.items ?? [],
  );
  const written = expression(inside.place, guarded?.value ?? argument.value);
  if (written.kind === "wrong") return written;
  if (written.type.kind !== "tensor")
    return refuse(
      place,
      "E0401",
      `\`${reduction}\` cannot reduce ${showType(written.type)}`,
      written.span,
    );

  const used = (binder: Binder): boolean =>
    place.frame.uses.slice(before).some((use) => mentions(use.term, binder.variable));
  const body = indexByAxisNames(
    inside.place,
    written,
    binders.filter((binder) => !binder.explicit && !used(binder)),
  );
  if (body.kind === "wrong" || body.type.kind !== "tensor") return wrongAt(call.span);

  const shadowed = body.type.axes.find((axis) =>
    binders.some((binder) => binder.name === axis.name),
  );
  if (shadowed) {
    return refuse(
      place,
      "E0402",
      `this has an axis \`${shadowed.name!}\` of its own, which \`${reduction}\` does not reach`,
      body.span,
      { help: `index it: ${indexedPart(body)}` },
    );
  }
  const row = reductionRow(reduction);
  if (!constrain(body.type.element, row.accepts)) {
    const wants = classNames[row.accepts];
    return refuse(
      place,
      "E0409",
      `\`${reduction}\` wants ${wants}, this is ${showType(scalar(body.type.element))}`,
      body.span,
      {
        ...repairOfBools(reduction, call, body.type.element),
        ...(row.accepts === "float"
          ? write(written.span, `${bracketed(textOf(written.span))} as f32`)
          : row.accepts === "bool"
            ? {
                help: "compare: `x[i] > 0`",
                ...fixed("compare with 0", after(written.span, ` != ${zeroOf(body.type.element)}`)),
              }
            : {}),
      },
    );
  }
  const result = row.result === "same" ? body.type.element : element(row.result);
  return {
    kind: "reduce",
    reduction,
    binders,
    items: inside.items,
    body,
    type: tensor(result, body.type.axes),
    span: call.span,
  };
}

/**
 * The repair for a reduction of bools: `sum[i](b[i])` is `count[i](b[i])`, `min` is `all`, `max` is
 * `any`.
 */
function repairOfBools(
  reduction: ReductionName,
  { callee, span }: ast.Call,
  cell: Element,
): Repair | undefined {
  const meant = { sum: "count", prod: "all", min: "all", max: "any" } as Record<string, string>;
  const name = decided(cell) === "bool" ? meant[reduction] : undefined;
  if (name === undefined) return undefined;
  const text = `${name}${textOf(span).slice(textOf(callee.span).length)}`;
  return { help: `write \`${text}\``, ...fixed(`write \`${name}\``, replace(callee.span, name)) };
}

/**
 * The repair for a reduction of a tensor without axis names: `sum[i](x)` is `sum[i](x[i])`, and
 * `sum[i](x[r])` is `sum[i](x[r, i])`.
 */
function repairOfIndices(
  { span }: Typed,
  axes: readonly Axis[],
  unused: readonly Binder[],
): Repair | undefined {
  const text = textOf(span);
  const isPlain =
    axes.every(({ name }) => name === undefined) && /^\w+(?:\[[^[\]]+\])?$/.test(text);
  if (!isPlain || axes.length !== unused.length) return undefined;
  const names = unused.map(({ name }) => name).join(", ");
  return write(span, text.endsWith("]") ? `${text.slice(0, -1)}, ${names}]` : `${text}[${names}]`);
}

/** The repair for a coordinate whose name is nearly the name of an axis. */
function nearestName({ name, span }: Binder, axes: readonly Axis[]): Pick<Repair, "fixes"> {
  const near = nearest(
    span,
    name,
    axes.flatMap((axis) => axis.name ?? []),
  );
  return near?.fixes ? { fixes: near.fixes } : {};
}

function zeroOf(cell: Element): string {
  return isFloat(decided(cell)) ? "0.0" : "0";
}

function bracketed(text: string): string {
  return /[\s]/.test(text) ? `(${text})` : text;
}

/**
 * `mean[height, width](f)`: coordinates without an index reduce the axes of `f` with their names.
 * The other axes remain.
 */
function indexByAxisNames(place: Place, body: Typed, unused: readonly Binder[]): Typed {
  if (unused.length === 0 || body.type.kind !== "tensor" || body.type.axes.length === 0)
    return body;
  const { axes } = body.type;
  for (const binder of unused) {
    const count = axes.filter((axis) => axis.name === binder.name).length;
    if (count !== 1) {
      const names = axes.map((axis) => (axis.name ? `\`${axis.name}\`` : "unnamed")).join(", ");
      return refuse(
        place,
        "E0303",
        `\`${textOf(body.span)}\` has ${count === 0 ? "no" : "more than one"} axis ` +
          `\`${binder.name}\``,
        body.span,
        {
          ...(repairOfIndices(body, axes, unused) ?? {
            help: `its axes are ${names}; index it to say which one is meant`,
            ...nearestName(binder, axes),
          }),
        },
      );
    }
  }
  const kept: Binder[] = [];
  const indices = axes.map((axis): Typed => {
    let binder = unused.find((candidate) => candidate.name === axis.name);
    if (!binder) {
      binder = binderAlong(axis, body.span);
      kept.push(binder);
    }
    return integerValue(ofVariable(binder.variable), body.span);
  });
  const cell = readAt(
    place,
    body,
    indices,
    body.span,
    indices.map((index) => index.span),
  );
  if (kept.length === 0) return cell;
  const remaining = axes.filter((axis) => !unused.some((binder) => binder.name === axis.name));
  return {
    kind: "abstract",
    binders: kept,
    body: cell,
    type: tensor(body.type.element, remaining),
    span: body.span,
  };
}

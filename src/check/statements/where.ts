// `where`: its guards and bindings in order. A `where` behind a right side that is one reduction is
// split between the reduction and the declaration:
//
//   let y[i] = sum[k](x[i, k]) where x[i, k] > 0.0, i > 1;
//   let y[i] = sum[k](x[i, k] where x[i, k] > 0.0) where i > 1;   // the same

import {
  removeItem,
  after,
  fixed,
  remove,
  repair,
  replace,
  write,
  type Repair,
} from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { isReductionName } from "../../scalar/reductions.ts";
import { refuse, report, type Place, underBranch } from "../context.ts";
import { namesBesideSizes, namesReadIn } from "../names/free-names.ts";
import { valueBinding } from "../types/integers.ts";
import { dimensionNamed, lookUp, lookUpFunction, scopeInside } from "../names/scope.ts";
import type { Item, Typed } from "../types/typed.ts";
import { scalar, showType, unify, type TensorType } from "../types/types.ts";
import { underCondition } from "../ranges/under-condition.ts";
import { expression, conditionOf } from "../elaborate.ts";

/**
 * Checks guards and bindings in order. Gives the checked items, and the place behind them: bindings
 * are in scope there, and guards hold.
 */
export function whereItems(
  place: Place,
  items: readonly ast.WhereItem[],
): { readonly items: readonly Item[]; readonly place: Place } {
  let inside: Place = { ...place, scope: scopeInside(place.scope) };
  const checked: Item[] = [];
  for (const item of items) {
    if (item.kind === "binding") {
      const value = expression(inside, item.value);
      if (value.kind === "wrong") {
        inside.scope.names.set(item.name.text, {
          kind: "wrong",
          name: item.name.text,
          span: item.name.span,
        });
        continue;
      }
      const binding = valueBinding(inside, "let", item.name, value);
      inside.scope.names.set(item.name.text, binding);
      checked.push({ kind: "binding", binding });
    } else if (reportRangeInWhere(inside, item.condition)) {
      continue;
    } else {
      const condition = conditionOf(inside, item.condition, "a guard");
      if (condition.kind === "wrong") continue;
      checked.push({ kind: "guard", condition });
      inside = underBranch(underCondition(inside, condition), condition, true);
    }
  }
  return { items: checked, place: inside };
}

/** Reports `where i in 0..n` for a coordinate `i`: its range belongs in its bracket. */
function reportRangeInWhere(place: Place, e: ast.Expression): boolean {
  if (
    e.kind !== "binary" ||
    e.operator !== "in" ||
    e.left.kind !== "path" ||
    e.left.segments.length !== 1
  )
    return false;
  const name = e.left.segments[0]!.text;
  const own = lookUp(place.scope, name);
  if (own?.kind !== "coordinate") return false;
  const ranged = `${name} in ${textOf(e.right.span)}`;
  const help = `write \`[${ranged}]\``;
  const { span, explicit } = own.binder;
  const isPlainSlot = !explicit && textOf(span) === name;
  report(place, "E0307", `the range of \`${name}\` belongs in its bracket`, e.span, {
    help,
    ...(isPlainSlot ? fixed(help, replace(span, ranged), removeItem(e.span)) : {}),
  });
  return true;
}

/**
 * Splits a `where` at the end of a `let` whose right side is one reduction or one coordinate call.
 * Items that mention a coordinate of the reduction, or a binding that does, move inside. The others
 * stay with the declaration.
 */
export function distribute(
  place: Place,
  value: ast.Expression,
  where: ast.Where | undefined,
): { readonly value: ast.Expression; readonly where?: ast.Where } {
  if (!where || where.items.length === 0) return { value, ...(where ? { where } : {}) };
  if (where.otherwise && where.items.every(({ kind }) => kind === "binding"))
    report(
      place,
      "E0308",
      "nothing decides about this `else`: there is no guard before it",
      where.otherwise.span,
      {
        ...withoutElse(where.otherwise.span),
        help: "write a guard, `where …, i > 0 else …`, or leave out `else`",
      },
    );
  if (isCoordinateCall(place, value)) return distributeToCall(value, where);
  const reduction = soleReduction(place, value);
  if (!reduction) {
    const bound = bracketNames(value);
    for (const item of where.items) {
      const hidden = [...namesReadIn(item)].find(
        (name) => bound.has(name) && !lookUp(place.scope, name),
      );
      if (hidden) {
        const only = bound.get(hidden);
        report(
          place,
          "E0308",
          `this \`where\` uses \`${hidden}\`, which only a reduction inside the right side knows`,
          item.span,
          {
            help:
              "write the guard inside that reduction: " +
              `\`sum[${hidden}](… where ${textOf(item.span)})\``,
            ...(only ? moveIntoReduction(only, item.span) : {}),
          },
        );
        return { value };
      }
    }
    return { value, where };
  }

  const inner = new Set(
    reduction.bracket!.flatMap((item) => (item.kind === "coordinate" ? [item.name.text] : [])),
  );
  const head = `${textOf(reduction.callee.span)}[${[...inner].join(", ")}]`;
  // The size of a dimension is the same for every term. An item that mentions only the size does
  // not choose among terms.
  const choosesTerms = (item: ast.WhereItem, name: string): boolean =>
    namesBesideSizes(item).has(name) || !dimensionNamed(place.scope, name);
  const { moved, kept } = partition(where.items, inner, choosesTerms);
  const [only] = reduction.arguments;
  if (moved.length === 0 || !only) return { value, where };
  const isGuard = ({ kind }: ast.WhereItem): boolean => kind === "guard";
  if (where.otherwise && moved.some(isGuard) && !kept.some(isGuard)) {
    const guards = moved.filter(isGuard).map(({ span }) => span);
    const guardTexts = guards.map(textOf).join(", ");
    const itemTexts = moved.map(({ span }) => textOf(span)).join(", ");
    report(
      place,
      "E0308",
      `nothing decides about this \`else\`: \`${guardTexts}\` belongs to the reduction`,
      where.otherwise.span,
      {
        labels: guards.map((span) => ({ span, text: `chooses among the terms of \`${head}\`` })),
        ...withoutElse(where.otherwise.span),
        help:
          `write the guard inside, \`${head}(… where ${itemTexts})\`, ` +
          "and `else` behind a guard on the coordinates of the left side",
      },
    );
  }
  const body = only.value;
  const guarded: ast.Expression = {
    kind: "guarded",
    value: body.kind === "guarded" ? body.value : body,
    where: {
      items: [...(body.kind === "guarded" ? body.where.items : []), ...moved],
      span: where.span,
    },
    span: body.span,
  };
  const call: ast.Call = { ...reduction, arguments: [{ ...only, value: guarded }] };
  return kept.length > 0 || where.otherwise
    ? { value: call, where: { ...where, items: kept } }
    : { value: call };
}

function isCoordinateCall(place: Place, e: ast.Expression): e is ast.Call {
  if (e.kind !== "call" || !e.bracket || e.callee.kind !== "path" || e.callee.segments.length !== 1)
    return false;
  return lookUpFunction(place.scope, e.callee.segments[0]!.text) !== undefined;
}

/**
 * Splits a `where` behind a coordinate call. Items that mention what the call binds move to the
 * call.
 */
function distributeToCall(
  call: ast.Call,
  where: ast.Where,
): { readonly value: ast.Expression; readonly where?: ast.Where } {
  const inner = new Set(
    call.bracket!.flatMap((item) =>
      item.kind === "coordinate"
        ? [item.name.text]
        : item.kind === "group"
          ? item.names.map((name) => name.text)
          : [],
    ),
  );
  const { moved, kept } = partition(where.items, inner, () => true);
  if (moved.length === 0) return { value: call, where };
  const guarded: ast.Expression = {
    kind: "guarded",
    value: call,
    where: {
      items: moved,
      span: where.span,
      ...(where.otherwise ? { otherwise: where.otherwise } : {}),
    },
    span: call.span,
  };
  return kept.length > 0
    ? { value: guarded, where: { ...where, items: kept } }
    : { value: guarded };
}

/** Splits items into those that mention some names, or a binding that does, and the others. */
function partition(
  items: readonly ast.WhereItem[],
  inner: Set<string>,
  isSaid: (item: ast.WhereItem, name: string) => boolean,
): { moved: readonly ast.WhereItem[]; kept: readonly ast.WhereItem[] } {
  const moved: ast.WhereItem[] = [];
  const kept: ast.WhereItem[] = [];
  for (const item of items) {
    const inside = [...namesReadIn(item)].some((name) => inner.has(name) && isSaid(item, name));
    if (inside && item.kind === "binding") inner.add(item.name.text);
    (inside ? moved : kept).push(item);
  }
  return { moved, kept };
}

function soleReduction(place: Place, e: ast.Expression): ast.Call | undefined {
  if (e.kind !== "call" || !e.bracket || e.callee.kind !== "path" || e.callee.segments.length !== 1)
    return undefined;
  const name = e.callee.segments[0]!.text;
  return isReductionName(name) && !lookUpFunction(place.scope, name) ? e : undefined;
}

/**
 * The names that brackets in an expression bind. Each has its call if only one bracket binds it.
 */
function bracketNames(e: ast.Expression): Map<string, ast.Call | undefined> {
  const names = new Map<string, ast.Call | undefined>();
  namesReadIn(e, (call) => {
    for (const item of call.bracket ?? [])
      if (item.kind === "coordinate")
        names.set(item.name.text, names.has(item.name.text) ? undefined : call);
  });
  return names;
}

/** Moves a guard from behind the right side into a reduction. */
function moveIntoReduction({ arguments: [only] }: ast.Call, guard: Span): Pick<Repair, "fixes"> {
  if (!only) return {};
  const { value } = only;
  const text = `${value.kind === "guarded" ? "," : " where"} ${textOf(guard)}`;
  return fixed("write the guard inside the reduction", after(value.span, text), removeItem(guard));
}

/** A repair that leaves out `else` and its value. */
export function withoutElse(value: Span): Repair {
  const { source, start } = value;
  const word = /\s*\belse\s*$/.exec(source.text.slice(0, start))?.[0] ?? "";
  return repair("leave out `else`", remove({ ...value, start: start - word.length }));
}

/**
 * The value of the cells whose guard fails: the `else` value, which must have the type of the other
 * cells, or 0.
 */
export function otherwiseOf(
  place: Place,
  where: ast.Where | undefined,
  type: TensorType,
  span: Span,
): Typed {
  const cell = scalar(type.element);
  if (!where?.otherwise) return { kind: "constant", value: 0, type: cell, span };
  const written = expression(place, where.otherwise);
  if (written.kind === "wrong") return written;
  if (
    written.type.kind === "tensor" &&
    written.type.axes.length === 0 &&
    unify(type.element, written.type.element)
  )
    return written;
  const isOneCell = written.type.kind === "tensor" && written.type.axes.length === 0;
  return refuse(
    place,
    "E0401",
    `the \`else\` value is ${showType(written.type)}, the others are ${showType(cell)}`,
    written.span,
    {
      ...(isOneCell ? write(written.span, `(${textOf(written.span)}) as ${showType(cell)}`) : {}),
    },
  );
}

// Binds the coordinates of declarations, and refuses free ones: `let row[i] = A[i, k];` binds `k`
// nowhere. The brackets of reductions and calls are bound in `packs.ts`, because packs may stand
// there.

import { after, before, fixed, nearest, replace, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { adviceOnNotation } from "../../diagnostics/foreign/advice.ts";
import { ofVariable, variable } from "../../affine/term.ts";
import { refuse, report, silent, type Place } from "../context.ts";
import { namesReadIn } from "../names/free-names.ts";
import { idleCoordinate } from "./idle-coordinates.ts";
import { dimensionNamed, lookUp, type CoordinateBinding, type Scope } from "../names/scope.ts";
import type { Binder, Typed } from "../types/typed.ts";
import { namedResult } from "../calls/result-help.ts";
import { summedLine, usesAsIndex } from "./summed-line.ts";
import { showType, type Domain } from "../types/types.ts";
import { expression } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

export function newBinder(name: string, span: Span, explicit: boolean, pack?: string): Binder {
  return {
    name,
    variable: variable(name),
    span,
    explicit,
    reversed: false,
    ...(pack ? { pack } : {}),
  };
}

export function declareCoordinate(scope: Scope, binder: Binder): CoordinateBinding {
  const binding: CoordinateBinding = {
    kind: "coordinate",
    name: binder.name,
    span: binder.span,
    binder,
  };
  scope.names.set(binder.name, binding);
  return binding;
}

/** A coordinate as a value. */
export function coordinateValue(binding: CoordinateBinding, span: Span): Typed {
  return integerValue(ofVariable(binding.binder.variable), span);
}

/** Gives a binder the range behind its `in`. False, after a report, if that is not a range. */
export function setExplicitRange(place: Place, binder: Binder, e: ast.Expression): boolean {
  const range = rangeExpression(place, e);
  if (!range) return false;
  binder.from = range.from;
  binder.to = range.to;
  binder.reversed = range.reversed;
  const domain = extentDomain(place, e);
  if (domain) binder.domain = domain;
  return true;
}

/** The domain of `0..extent(d)`: that of `d`. */
function extentDomain(place: Place, e: ast.Expression): Domain | undefined {
  if (
    e.kind !== "range" ||
    e.inclusive ||
    e.from.kind !== "number" ||
    Number(e.from.text) !== 0 ||
    e.to.kind !== "call"
  )
    return undefined;
  const { callee, arguments: args } = e.to;
  const argument = args[0]?.value;
  if (callee.kind !== "path" || callee.segments[0]!.text !== "extent" || argument?.kind !== "path")
    return undefined;
  const { text } = argument.segments[0]!;
  const binding = lookUp(place.scope, text);
  return binding?.kind === "coordinate"
    ? binding.binder.domain
    : dimensionNamed(place.scope, text)?.domain;
}

function rangeExpression(
  place: Place,
  e: ast.Expression,
): Extract<Typed, { kind: "range" }> | undefined {
  const range = expression(place, e);
  if (range.kind === "wrong") return undefined;
  if (range.kind !== "range") {
    report(
      place,
      "E0401",
      `a coordinate runs over a range, this is ${showType(range.type)}`,
      e.span,
      {
        help: "write `i in 0..n`",
      },
    );
    return undefined;
  }
  return range;
}

/** Refuses a name in an index that nothing binds. */
export function freeCoordinate(place: Place, name: ast.Name): Typed {
  if (place.frame.reported.has(name.text)) return silent(place, name.span);
  place.frame.reported.add(name.text);
  const coordinates = coordinatesInSight(place.scope);
  if (name.text === "end")
    return refuse(place, "E0301", "`end` is not bound by anything here", name.span, {
      help: adviceOnNotation("x[end]"),
    });
  const idle = idleCoordinate(place.scope, place.frame, name, coordinates);
  if (idle) {
    const { binder, help, fixes } = idle;
    return refuse(
      place,
      "E0301",
      `the coordinate \`${binder.name}\` stands in no index`,
      binder.span,
      {
        labels: [{ span: name.span, text: `\`${name.text}\` is bound by nothing` }],
        help,
        fixes,
      },
    );
  }
  const near = nearest(name.span, name.text, coordinates);
  const result = near ? undefined : namedResult(place.scope, name);
  if (result || (!place.indexed && coordinates.length === 0)) {
    return refuse(place, "E0301", `\`${name.text}\` is not bound by anything here`, name.span, {
      ...result,
      help:
        result?.help ??
        `put it on the left, \`let y[${name.text}] = …\`, ` +
          `or reduce over it, \`sum[${name.text}](…)\``,
    });
  }
  const summed = place.statement && summedLine(place.statement, name.text);
  const others = place.statement
    ? usesAsIndex(place.statement.value, name.text).filter((span) => span.start !== name.span.start)
    : [];
  return refuse(
    place,
    "E0301",
    `the coordinate \`${name.text}\` stands neither on the left nor in a reduction`,
    name.span,
    {
      labels: others.map((span) => ({ span, text: "and here" })),
      ...(near ??
        (place.statement && repairUnusedOnLeft(place.statement, name.text)) ??
        (summed
          ? {
              help: `sum over it: \`${summed.line}\`, or give it a place on the left`,
              ...fixed(
                `sum over \`${name.text}\``,
                before(summed.product, `sum[${name.text}](`),
                after(summed.product, ")"),
              ),
            }
          : { help: `reduce over it, \`sum[${name.text}](…)\`, or give it a place on the left` })),
    },
  );
}

/**
 * A coordinate on the left that the right side does not use is likely this one under another name.
 */
function repairUnusedOnLeft(
  { name: tensor, slots, value, where }: ast.IndexedLet,
  name: string,
): Repair | undefined {
  const used = namesReadIn({ value, where });
  const unused = slots.flatMap((slot) =>
    slot.kind === "coordinate" && !slot.range && !used.has(slot.name.text) ? [slot.name] : [],
  );
  const [only] = unused;
  if (!only || unused.length > 1) return undefined;
  const left = slots
    .map((slot) => (slot.kind === "coordinate" && slot.name === only ? name : textOf(slot.span)))
    .join(", ");
  const written = `let ${tensor.text}[${left}] = …`;
  return {
    help:
      `\`${only.text}\` on the left is used nowhere: ` +
      `write \`${written}\`, or reduce over \`${name}\``,
    ...fixed(`write \`${written}\``, replace(only.span, name)),
  };
}

function coordinatesInSight(scope: Scope): string[] {
  const names: string[] = [];
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    for (const [name, binding] of at.names)
      if (binding.kind === "coordinate" && lookUp(scope, name) === binding) names.push(name);
  }
  return names;
}

// Extents that meet must agree: wrong for every size is an error now, wrong for some is checked
// when sizes are pinned.

import { equal, ofVariable, type Term } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { asVariable } from "../../affine/agreeing.ts";
import { nonNegative, prove, sameValue, type Fact, type Verdict } from "../../affine/prove.ts";
import { textOf, type Span } from "../../base/source.ts";
import type { Label } from "../../diagnostics/diagnostic.ts";
import { lint, type Checker, type Place } from "../context.ts";
import { resolved } from "../types/sizes.ts";
import type { Agreement } from "../../affine/agreement.ts";
import type { TensorBinding, ValueBinding } from "../types/typed.ts";
import type { Axis } from "../types/types.ts";

/** True unless the two extents can never be equal, in which case `disagree` says so. */
export function mustAgree(
  place: Place,
  a: Axis,
  b: Axis,
  span: Span,
  disagree: () => void,
  what = `two axes that meet in \`${textOf(span)}\``,
): boolean {
  if (!a.extent || !b.extent) return true;
  switch (sameExtent(place.checker, a.extent, b.extent)) {
    case "true":
      return true;
    case "false":
      disagree();
      return false;
    case "unknown":
      agreeLater(place, a.extent, b.extent, what, span);
      if (isDimension(a) && isDimension(b))
        warnOfNames(
          place,
          a,
          b,
          (own, other) => `the dimensions \`${own}\` and \`${other}\` meet`,
          span,
        );
      return true;
  }
}

/**
 * Whether an axis is one of a declared dimension, and has its name: that of a coordinate that walks
 * it may be another one.
 */
function isDimension({ name, extent, domain }: Axis): boolean {
  return domain !== undefined && extent !== undefined && asVariable(extent)?.name === name;
}

/** Dimensions with different names may have the same extent, but nothing says so. */
export function warnOfNames(
  place: Place,
  { name: own }: Axis,
  { name: other }: Axis,
  title: (own: string, other: string) => string,
  span: Span,
  labels: readonly Label[] = [],
): void {
  if (!own || !other || own === other) return;
  lint(place, "W0301", title(own, other), span, {
    labels,
    help:
      "their extents are compared when the inputs arrive; " +
      "give both the same name if they always agree",
  });
}

/** Held to when both are known. */
export function agreeLater(
  { checker, recursion }: Place,
  left: Term,
  right: Term,
  text: string,
  span: Span,
): void {
  const agreement: Agreement = { left, right, text, span };
  checker.agreements.push(agreement);
  checker.neededBy.set(agreement, recursion ? "function" : "host");
}

/** The agreements since some number are about one value. */
export function ownAgreements(
  { checker }: Place,
  since: number,
  owner: TensorBinding | ValueBinding,
): void {
  for (const agreement of checker.agreements.slice(since))
    if (checker.neededBy.get(agreement) === "host") checker.neededBy.set(agreement, owner);
}

export function sameExtent(checker: Checker, a: Term, b: Term): Verdict {
  const [left, right] = [resolved(a), resolved(b)];
  return equal(left, right)
    ? "true"
    : prove(sameValue(left, right), extentFacts(checker, [left, right]));
}

/** Extents are not negative. */
export function extentFacts(checker: Checker, terms: readonly Term[]): Fact[] {
  const extents = new Set(
    terms.flatMap((term) => [...variablesOf(term)].filter((v) => checker.extents.has(v))),
  );
  return [...extents].map((v) => nonNegative(ofVariable(v)));
}

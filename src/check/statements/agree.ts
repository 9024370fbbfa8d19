// Extents that meet must be equal. If they differ for every size, that is an error at compile time.
// If they are equal only for some sizes, the check is an agreement, made once the sizes are known:
//
//   input a: [f32; n]; input b: [f32; m];
//   let y[i] = a[i] * b[i];   // agreement: n == m

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
import type { Repair } from "../../diagnostics/fixes.ts";

/** False if the two extents can never be equal; `disagree` then reports it. */
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
 * Whether an axis has a declared dimension and carries its name. An axis that a coordinate walks
 * may carry the name of the coordinate instead.
 */
function isDimension({ name, extent, domain }: Axis): boolean {
  return domain !== undefined && extent !== undefined && asVariable(extent)?.name === name;
}

/**
 * A lint for two dimensions that meet and have different names. Their extents may be equal, but the
 * program does not say so.
 */
export function warnOfNames(
  place: Place,
  { name: own }: Axis,
  { name: other }: Axis,
  title: (own: string, other: string) => string,
  span: Span,
  labels: readonly Label[] = [],
  meant: Repair = {},
): void {
  if (!own || !other || own === other) return;
  const compared =
    "their extents are compared when the inputs arrive; " +
    "give both the same name if they always agree";
  lint(place, "W0301", title(own, other), span, {
    ...meant,
    labels,
    help: meant.help === undefined ? compared : `${meant.help} Otherwise ${compared}`,
  });
}

/** Records that two extents must be equal. They are compared once both are known. */
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

/** Assigns to `owner` the agreements recorded since number `since` that no other value owns. */
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

/** For the solver: no extent in the terms is negative. */
export function extentFacts(checker: Checker, terms: readonly Term[]): Fact[] {
  const extents = new Set(
    terms.flatMap((term) => [...variablesOf(term)].filter((v) => checker.extents.has(v))),
  );
  return [...extents].map((v) => nonNegative(ofVariable(v)));
}

// Extents that meet must agree: wrong for every size is an error now, wrong for some is checked when sizes are pinned.

import { equal, ofVariable, type Term } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { nonNegative, prove, sameValue, type Fact, type Verdict } from "../ir/affine/prove.ts";
import { textOf, type Span } from "../syntax/source.ts";
import type { Checker, Place } from "./context.ts";
import { resolved } from "./sizes.ts";
import type { Agreement } from "../ir/program.ts";
import type { TensorBinding, ValueBinding } from "./typed.ts";
import type { Axis } from "./types.ts";

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
      return true;
  }
}

/** Held to when both are known. */
export function agreeLater({ checker, recursion }: Place, left: Term, right: Term, text: string, span: Span): void {
  const agreement: Agreement = { left, right, text, span };
  checker.agreements.push(agreement);
  checker.neededBy.set(agreement, recursion ? "function" : "host");
}

/** The agreements since some number are about one value. */
export function ownAgreements({ checker }: Place, since: number, owner: TensorBinding | ValueBinding): void {
  for (const agreement of checker.agreements.slice(since))
    if (checker.neededBy.get(agreement) === "host") checker.neededBy.set(agreement, owner);
}

export function sameExtent(checker: Checker, a: Term, b: Term): Verdict {
  const [left, right] = [resolved(a), resolved(b)];
  return equal(left, right) ? "true" : prove(sameValue(left, right), extentFacts(checker, [left, right]));
}

/** Extents are not negative. */
export function extentFacts(checker: Checker, terms: readonly Term[]): Fact[] {
  const extents = new Set(terms.flatMap((term) => [...variablesOf(term)].filter((v) => checker.extents.has(v))));
  return [...extents].map((v) => nonNegative(ofVariable(v)));
}

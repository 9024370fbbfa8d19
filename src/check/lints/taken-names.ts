// In `const n = 3; fn f(x: [f32; n]) { … }` the type means the constant 3, not a dimension name.
// That is legal and often a mistake, so the messages about such a function point at the constant.

import type { Diagnostic, Label } from "../../diagnostics/diagnostic.ts";
import { textOf, type Span } from "../../base/source.ts";
import { statementsOf } from "./allow.ts";
import type { Checker, TakenName } from "../context.ts";

/** The codes of messages that a taken name may have caused. */
const concerned: ReadonlySet<string> = new Set(["E0305", "E0402", "E0411", "E0504"]);

/**
 * The same messages. Each gets a label at every number that the signature around it uses as an
 * extent.
 */
export function withTakenNames(
  { taken }: Checker,
  diagnostics: readonly Diagnostic[],
): readonly Diagnostic[] {
  if (taken.length === 0) return diagnostics;
  return diagnostics.map((diagnostic) => {
    if (diagnostic.level !== "error" || !concerned.has(diagnostic.code)) return diagnostic;
    const labels = new Map<string, Label>();
    for (const each of taken) if (isAbout(diagnostic, each)) labels.set(each.name, labelAt(each));
    return labels.size === 0
      ? diagnostic
      : { ...diagnostic, labels: [...diagnostic.labels, ...labels.values()] };
  });
}

function labelAt({ name, declared, what }: TakenName): Label {
  const text = `\`${name}\` is ${what} here, not a dimension name`;
  return { span: declared, text: `${text}; rename the dimension, in the types and in the body` };
}

/**
 * Whether a message points into the function whose signature uses the name, at a text with that
 * name.
 */
function isAbout({ span, labels }: Diagnostic, { name, at }: TakenName): boolean {
  const around = signatureAround(at);
  if (!around || !span) return false;
  const pointed = [span, ...labels.map((label) => label.span)].filter((place) =>
    liesIn(place, around),
  );
  return pointed.some((place) => new RegExp(`\\b${name}\\b`).test(textOf(place)));
}

/** The span of the function whose parameters or result contain a place. */
function signatureAround(at: Span): Span | undefined {
  for (const statement of statementsOf(at.source)) {
    if (statement.kind !== "fn" || !liesIn(at, statement.span)) continue;
    if (at.start < statement.body.span.start) return statement.span;
  }
  return undefined;
}

function liesIn(inner: Span, outer: Span): boolean {
  return inner.source === outer.source && outer.start <= inner.start && inner.end <= outer.end;
}

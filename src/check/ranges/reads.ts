// Reads a tensor at elaborated indices, and records each index as a use from which ranges are
// inferred. `access.ts` elaborates the brackets that a program writes.

import type { Term } from "../../affine/term.ts";
import { textOf, type Span } from "../../base/source.ts";
import { report, type Place, type Use } from "../context.ts";
import { integerTerm } from "../types/integers.ts";
import type { Typed } from "../types/typed.ts";
import { sameDomain, tensor, type Axis, type TensorType } from "../types/types.ts";

/** The read of a tensor at elaborated indices. Each index is recorded as a use of its axis. */
export function readAt(
  place: Place,
  base: Typed,
  indices: readonly Typed[],
  span: Span,
  spans: readonly Span[],
): Typed {
  const type = base.type as TensorType;
  noteUses(place, base, indices, spans);
  return {
    kind: "read",
    base,
    indices,
    type: tensor(type.element, type.axes.slice(indices.length)),
    span,
  };
}

/** Records each index of a read as a use of its axis. */
export function noteUses(
  place: Place,
  base: Typed,
  indices: readonly Typed[],
  spans: readonly Span[],
): void {
  const type = base.type as TensorType;
  const read: Use[] = [];
  for (const [k, index] of indices.entries()) {
    refuseShift(place, type.axes[k], index, spans[k]!);
    read.push({
      index,
      term: integerTerm(place.checker, index),
      axis: axisGetter(base, k),
      tensor: textOf(base.span),
      growing:
        base.kind === "reference" && base.binding.kind === "tensor" && !base.binding.complete,
      span: spans[k]!,
      guarded: place.guarded,
      read,
    });
  }
  place.frame.uses.push(...read);
}

/**
 * Refuses `x[j + 1]` in a function whose call has a guard on the domain of j. The guard may exclude
 * the other position, and only a reduction over the whole domain respects guards.
 */
function refuseShift(place: Place, axis: Axis | undefined, index: Typed, span: Span): void {
  const filter = place.filters.find((candidate) => sameDomain(candidate.domain, axis?.domain));
  if (!filter || (index.kind === "integer" && isBare(index.term))) return;
  report(
    place,
    "E0506",
    "this call is guarded, and the function reads other positions of the guarded coordinate",
    filter.span,
    {
      labels: [{ span, text: "read here" }],
      help: "write the guard inside the function, where it can say what such a read means",
    },
  );
}

function isBare(term: Term): boolean {
  return (
    term.constant === 0 &&
    term.parts.length === 1 &&
    term.parts[0]!.coefficient === 1 &&
    term.parts[0]!.factors.length === 1
  );
}

/**
 * Gives the axis of a read. The axis of a tensor that is still being declared is looked up when it
 * is needed, because it may have grown.
 */
function axisGetter(base: Typed, k: number): () => Axis {
  if (base.kind === "reference" && base.binding.kind === "tensor") {
    const binding = base.binding;
    return () => binding.type.axes[k] ?? {};
  }
  const type = base.type as TensorType;
  return () => type.axes[k]!;
}

// Reads of one tensor on both sides of a coordinate. The inferred range of the coordinate ends
// before the tensor does, and the border is easily forgotten.
//
//   let y[i] = x[i + 1] - x[i - 1];     `i` runs over 1..len(x) - 1: `y` lacks its first cell, and
//                                       ends one cell before `x` does

import { warning, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { isInLibrary, textOf } from "../../base/source.ts";
import {
  constantOf,
  equal,
  ofVariable,
  plus,
  subtract,
  zero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { atMost, holds, lessThan, type Fact } from "../../affine/prove.ts";
import { show } from "../../affine/show.ts";
import { slotsText } from "./coverage.ts";
import { accessesOf, boundsOf, termOf, type Opaque } from "../facts.ts";
import { hasNameInSource, nameInSource } from "../name-in-source.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { writtenSize } from "../../check/types/written-size.ts";

type Read = Extract<Scalar, { kind: "read" }>;

/** One axis of a clause that reads a tensor on both sides. */
interface Stencil {
  /** The axis of the tensor that is declared. */
  readonly axis: number;
  readonly loop: Loop;
  /** The read that ends the range. */
  readonly read: Read;
  /** The extent of the axis that is read. */
  readonly extent: Term;
  /** The fact that the range has positions. */
  readonly running: Fact;
}

/**
 * The axes of a tensor that end where a stencil ends: no clause goes on to the end of the tensor
 * that the stencil reads.
 */
export function stencilsOf(
  opaque: Opaque,
  definition: Definition,
  known: readonly Fact[],
): readonly Stencil[] {
  return definition.clauses
    .flatMap((clause) => stencilsIn(opaque, definition, clause, known))
    .filter((each, k, all) => all.findIndex(({ axis }) => axis === each.axis) === k);
}

function stencilsIn(
  opaque: Opaque,
  definition: Definition,
  clause: Clause,
  known: readonly Fact[],
): readonly Stencil[] {
  const open = clause.loops
    .map((loop, axis) => ({ loop, axis }))
    .filter(({ loop, axis }) => axis >= definition.outer && loop.inferred && !startsAtZero(loop));
  if (open.length === 0) return [];
  const reads = accessesOf(opaque, clause, known).flatMap(({ read, facts }) =>
    read.definition === definition || !hasNameInSource(read.definition)
      ? []
      : read.indices.map((index, k) => ({ read, k, index: termOf(opaque, index, facts) })),
  );
  return open.flatMap(({ loop, axis }): readonly Stencil[] => {
    const { from, to } = boundsOf(opaque, loop, known);
    const running = lessThan(from, to);
    const isFurthest = definition.clauses.every(({ loops }) =>
      holds(atMost(boundsOf(opaque, loops[axis]!, known).to, to), [...known, running]),
    );
    if (!isFurthest) return [];
    const shifts = reads.flatMap(({ read, k, index }) => {
      const by = constantOf(subtract(index, ofVariable(loop.variable)));
      return by === undefined ? [] : [{ read, k, by }];
    });
    for (const { read, k, by } of shifts) {
      const extent = read.definition.axes[k]!.extent;
      const isLast = by > 0 && equal(plus(to, by), extent);
      const isBefore = (other: (typeof shifts)[number]): boolean =>
        other.by < 0 && other.k === k && other.read.definition === read.definition;
      if (isLast && shifts.some(isBefore)) return [{ axis, loop, read, extent, running }];
    }
    return [];
  });
}

function startsAtZero({ from }: Loop): boolean {
  return from.kind === "integer" && constantOf(from.term) === 0;
}

/**
 * A lint for a tensor with a clause for one border of a stencil and none for the other. The tensor
 * ends early, and no other message says so.
 */
export function shortened(
  opaque: Opaque,
  definition: Definition,
  known: readonly Fact[],
  sizes: ReadonlySet<Variable>,
): readonly Diagnostic[] {
  if (definition.clauses.length < 2 || isInLibrary(definition.span)) return [];
  return stencilsOf(opaque, definition, known).map(({ axis, loop, read, extent }) => {
    const [own, other] = [nameInSource(definition), nameInSource(read.definition)];
    const { name } = loop.variable;
    const { from, to } = boundsOf(opaque, loop, known);
    const rest = definition.axes
      .slice(definition.outer)
      .map((each, k) =>
        k + definition.outer === axis ? { from: to, to: extent } : { from: zero, to: each.extent },
      );
    const range = [from, to].map((bound) => writtenSize(sizes, bound) ?? show(bound)).join("..");
    return warning(
      "W0307",
      `\`${own}\` ends at ${show(to)} along \`${name}\`, ` +
        `and \`${other}\` goes on to ${show(extent)}`,
      definition.span,
      {
        labels: [
          { span: read.span, text: `\`${textOf(read.span)}\` ends the range of \`${name}\`` },
        ],
        help:
          `give the other border a clause too: ` +
          `\`let ${own}[${slotsText(sizes, definition, rest)}] = …;\`; ` +
          `if \`${own}\` is to end there, declare the range: \`${name} in ${range}\``,
      },
    );
  });
}

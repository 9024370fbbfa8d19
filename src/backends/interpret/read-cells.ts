// Reads cells, and explains reads of cells that do not exist: outside of the tensor or of the row,
// or not computed yet.

import { textOf, type Span } from "../../base/source.ts";
import { error, Fault } from "../../diagnostics/diagnostic.ts";
import { nameInSource } from "../../analyse/name-in-source.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import type { RowsPart } from "../../scalar/types.ts";
import type { Scalar as Value } from "../../scalar/types.ts";
import { cellInSource } from "./blame.ts";
import { offsetOf, type Machine, type StepWindow, type Store } from "./machine.ts";
import { guardTheAccess } from "./stops.ts";

/** Reads a cell at given indices. */
export function readerOf(
  machine: Machine,
  scalar: Extract<Scalar, { kind: "read" }>,
): (...indices: number[]) => Value {
  let held: Store | undefined;
  return (...indices) => {
    held ??= machine.stores.get(scalar.definition)!;
    if (held.window) return readWindow(held, held.window, scalar, indices);
    let offset = 0;
    for (const [axis, index] of indices.entries()) {
      if (!(index >= 0 && index < held.shape[axis]!))
        throw outOfBounds(scalar, axis, index, held.shape[axis]!);
      offset += index * held.strides[axis]!;
    }
    const { done, shape, strides } = held;
    if (done && !done[offset])
      throw notComputed(scalar.definition, positionAtOffset(shape, strides, offset), scalar.span);
    return held.get(offset);
  };
}

/**
 * Reads a cell of a store that keeps only some steps. A missing step is computed, again or for the
 * first time.
 */
export function readWindow(
  store: Store,
  window: StepWindow,
  scalar: Extract<Scalar, { kind: "read" }>,
  position: readonly number[],
): Value {
  for (const [axis, index] of position.entries())
    if (!(index >= 0 && index < store.shape[axis]!))
      throw outOfBounds(scalar, axis, index, store.shape[axis]!);
  const offset = offsetOf(store, position);
  const step = position[window.axis]!;
  if (window.held[offset] !== step + 1) window.restore?.(step);
  if (window.held[offset] !== step + 1) throw notComputed(scalar.definition, position, scalar.span);
  return store.get(offset);
}

export function outOfBounds(
  scalar: Extract<Scalar, { kind: "read" }>,
  axis: number,
  index: number,
  extent: number,
): Fault {
  const { definition } = scalar;
  const { name, rows } = definition.axes[axis] ?? {};
  if (rows) return outOfRows(scalar, rows, index, extent);
  const place = name ? `axis \`${name}\`` : `axis ${axis}`;
  return new Fault(
    error("E0901", `index ${index} is out of bounds in \`${textOf(scalar.span)}\``, scalar.span, {
      text: `${place} of \`${nameInSource(definition)}\` has extent ${extent}`,
      labels: [{ span: definition.span, text: `\`${nameInSource(definition)}\` is declared here` }],
      help: guardTheAccess,
    }),
  );
}

/**
 * The fault for a cell outside of its row. The cells of all rows lie one behind the other; `index`
 * is behind all of them by the position that was asked for in the row.
 */
function outOfRows(
  { definition, span }: Extract<Scalar, { kind: "read" }>,
  rows: RowsPart,
  index: number,
  extent: number,
): Fault {
  const name = nameInSource(definition);
  const column = index < 0 ? index : index - extent;
  const last =
    rows === "starts"
      ? `\`${name}\` has ${extent === 2 ? "1 row" : `${extent - 1} rows`}`
      : "the row ends before it";
  const [title, text] =
    rows === "cells"
      ? [`index ${column} is out of bounds in \`${textOf(span)}\``, last]
      : [`there is no row \`${textOf(span)}\``, last];
  return new Fault(
    error("E0901", title, span, {
      text: column < 0 && rows === "cells" ? "an index is never negative" : text,
      labels: [{ span: definition.span, text: `\`${name}\` is declared here` }],
      help: "ask first: `len(a)` is the number of rows, `len(a[i])` the length of one",
    }),
  );
}

export function positionAtOffset(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): readonly number[] {
  return shape.map((extent, axis) => Math.floor(offset / strides[axis]!) % extent);
}

export function absent(definition: Definition, position: readonly number[], span: Span): Fault {
  if (!definition.axes.some((axis) => axis.ragged)) return notComputed(definition, position, span);
  const cell = cellInSource(definition, position) ?? textOf(span);
  return new Fault(
    error("E0901", `\`${textOf(span)}\` reads \`${cell}\`, which is not there`, span, {
      text: "the size depends on the coordinates around, and ends before this cell",
      labels: [{ span: definition.span, text: `\`${nameInSource(definition)}\` is declared here` }],
      help: guardTheAccess,
    }),
  );
}

function notComputed(definition: Definition, position: readonly number[], span: Span): Fault {
  const { axes } = definition;
  const cell = cellInSource(definition, position) ?? textOf(span);
  const where = axes.map((axis, k) => `${axis.name ?? `axis ${k}`} = ${position[k]}`).join(", ");
  return new Fault(
    error("E0904", `\`${cell}\` is not computed yet`, span, {
      text: `\`${textOf(span)}\` reads ${where}`,
      help: "a recurrence reads cells that come earlier in its order",
    }),
  );
}

// Arrays as one value that holds their cells, row after row: the address of a cell in such a value,
// and how cells are appended. `lower/functions/arrays.ts` decides which arrays are kept.

import { add, multiply, zero } from "../../affine/term.ts";
import type { Span } from "../../base/source.ts";
import { newBinder } from "../../check/ranges/coordinates.ts";
import type { Binder } from "../../check/types/typed.ts";
import { decided, type TensorType } from "../../check/types/types.ts";
import { fold } from "./folds.ts";
import type { Site } from "../site.ts";
import { extentAt } from "../terms.ts";
import type { Scalar } from "../../ir/program.ts";
import { integerScalar, arithmetic } from "../../ir/substitute.ts";
import { dataCall } from "../../ir/simple-scalars.ts";
import { integerValue } from "../../check/values/integer-value.ts";

/** An array without cells. */
export const noCells: Scalar = { kind: "constant", type: "data", value: [] };

/** One cell of a tensor whose cells are in `data`. */
export function cellOf(
  site: Site,
  data: Scalar,
  type: TensorType,
  indices: readonly Scalar[],
  span: Span,
): Scalar {
  return dataCall("cell", [data, addressOfCell(site, type, indices, span)], decided(type.element));
}

/** The address of a cell among all cells of a tensor: `i * m + j` in `n` rows of `m` cells. */
export function addressOfCell(
  site: Site,
  { axes }: TensorType,
  indices: readonly Scalar[],
  span: Span,
): Scalar {
  const extents = axes.map(({ extent }) => extentAt(site, extent ?? zero));
  return addressAmong(extents, indices, span);
}

export function addressAmong(
  extents: readonly Scalar[],
  indices: readonly Scalar[],
  span: Span,
): Scalar {
  return extents
    .slice(1)
    .reduce<Scalar>(
      (before, extent, k) => plusAt(timesAt(before, extent, span), indices[k + 1]!, span),
      indices[0]!,
    );
}

export function appendCells(
  site: Site,
  type: TensorType,
  span: Span,
  before: Scalar,
  cell: (inside: Site, indices: readonly Scalar[], cells: Scalar) => Scalar,
): Scalar {
  const binders = type.axes.map(({ name, extent }): Binder => {
    return {
      ...newBinder(name ?? "j", span, true),
      from: integerValue(zero, span),
      to: integerValue(extent ?? zero, span),
    };
  });
  const append = (inside: Site, [cells]: readonly Scalar[]): readonly Scalar[] => {
    const indices = binders.map(({ variable }) => integerScalar(inside.here.get(variable)!));
    return [dataCall("append", [cells!, cell(inside, indices, cells!)], "data")];
  };
  return fold(site, binders, [], [before], append, span)[0]!;
}

export function plusAt(a: Scalar, b: Scalar, span: Span): Scalar {
  return a.kind === "integer" && b.kind === "integer"
    ? integerScalar(add(a.term, b.term))
    : arithmetic("add", a, b, span);
}

export function timesAt(a: Scalar, b: Scalar, span: Span): Scalar {
  return a.kind === "integer" && b.kind === "integer"
    ? integerScalar(multiply(a.term, b.term))
    : arithmetic("multiply", a, b, span);
}

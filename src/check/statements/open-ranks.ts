// Types that leave their rank open, `[f32; *]` and `[f32; ..b, n]`, and their form for a known
// rank:
//
//   [f32; ..b, n] for rank 3 becomes [f32; ?, ?, n]

import type * as ast from "../../syntax/tree/ast.ts";

/** Whether the rank of a type depends on the value. */
export function isOpenRank(type: ast.Type): boolean {
  return (
    type.kind === "tensor" &&
    (type.dims ?? []).some((dim) => dim.kind === "any-rank" || dim.kind === "pack")
  );
}

/**
 * The type with one dimension for each axis of a value of the given rank. `undefined` if the type
 * has too many axes for the rank, or two packs, which could share the axes in several ways.
 */
export function withRank(type: ast.Type, rank: number, packDim: PackDim): ast.Type | undefined {
  if (type.kind !== "tensor" || !isOpenRank(type)) return type;
  const dims = type.dims ?? [];
  const open = dims.filter((dim) => dim.kind === "any-rank" || dim.kind === "pack");
  const taken = rank - (dims.length - open.length);
  if (taken < 0 || open.length > 1) return undefined;
  const dimsOfRank = dims.flatMap((dim): readonly ast.Dim[] => {
    if (dim.kind === "pack") return Array.from({ length: taken }, (_, k) => packDim(dim, k, taken));
    return dim.kind === "any-rank"
      ? Array.from({ length: taken }, () => ({ kind: "unknown", span: dim.span }))
      : [dim];
  });
  return dimsOfRank.length === 0 ? type.element : { ...type, dims: dimsOfRank };
}

/** The dimensions of a type that are known before its rank is. */
export function withoutOpenRank(type: ast.Type): ast.Type {
  if (type.kind !== "tensor") return type;
  return {
    ...type,
    dims: (type.dims ?? []).filter((dim) => dim.kind !== "any-rank" && dim.kind !== "pack"),
  };
}

/** Gives the dimension for axis `k` of the `of` axes of a pack. */
type PackDim = (pack: Extract<ast.Dim, { kind: "pack" }>, k: number, of: number) => ast.Dim;

/** Outside of inputs, each axis of a pack may have any extent. */
export const anyExtent: PackDim = ({ span }) => ({ kind: "unknown", span });

/**
 * Among the inputs of a file a pack has one shape. Its axes are named dimensions: `..b` with two
 * axes gives `b0, b1`.
 */
export const namedByPack: PackDim = ({ name, span }, k, of) => ({
  kind: "name",
  name: { text: of === 1 ? name.text : `${name.text}${k}`, span: name.span },
  span,
});

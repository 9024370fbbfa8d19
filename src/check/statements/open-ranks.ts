// Types that do not say their rank, `[f32; *]` and `[f32; ..b, n]`, laid out for a value of known
// rank.

import type * as ast from "../../syntax/tree/ast.ts";

/** Whether the rank of a type follows from the value that has it. */
export function isOpenRank(type: ast.Type): boolean {
  return (
    type.kind === "tensor" &&
    (type.dims ?? []).some((dim) => dim.kind === "any-rank" || dim.kind === "pack")
  );
}

/**
 * The type with as many axes as the rank says; nothing where it cannot have so many. Two packs
 * leave it open who takes what.
 */
export function withRank(type: ast.Type, rank: number, packDim: PackDim): ast.Type | undefined {
  if (type.kind !== "tensor" || !isOpenRank(type)) return type;
  const dims = type.dims ?? [];
  const open = dims.filter((dim) => dim.kind === "any-rank" || dim.kind === "pack");
  const taken = rank - (dims.length - open.length);
  if (taken < 0 || open.length > 1) return undefined;
  const laid = dims.flatMap((dim): readonly ast.Dim[] => {
    if (dim.kind === "pack") return Array.from({ length: taken }, (_, k) => packDim(dim, k, taken));
    return dim.kind === "any-rank"
      ? Array.from({ length: taken }, () => ({ kind: "unknown", span: dim.span }))
      : [dim];
  });
  return laid.length === 0 ? type.element : { ...type, dims: laid };
}

/** What a type says before the rank is known. */
export function withoutOpenRank(type: ast.Type): ast.Type {
  if (type.kind !== "tensor") return type;
  return {
    ...type,
    dims: (type.dims ?? []).filter((dim) => dim.kind !== "any-rank" && dim.kind !== "pack"),
  };
}

/** What stands for the k-th of so many axes of a pack. */
export type PackDim = (pack: Extract<ast.Dim, { kind: "pack" }>, k: number, of: number) => ast.Dim;

/** Outside of inputs the axes of a pack have the extents that they have. */
export const anyExtent: PackDim = ({ span }) => ({ kind: "unknown", span });

/**
 * Among the inputs of a file a pack has one shape: its axes are dimensions, named as its
 * coordinates are.
 */
export const namedByPack: PackDim = ({ name, span }, k, of) => ({
  kind: "name",
  name: { text: of === 1 ? name.text : `${name.text}${k}`, span: name.span },
  span,
});

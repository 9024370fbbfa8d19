// Reads a tensor at listed positions. Slices, integers, masks and integer tensors in an index all
// become such lists:
//
//   let y[i0, t0] = a[b0[i0], b1[t0]];

import { TensorError } from "../core/error.ts";
import type { Form, Operation, Plan } from "../core/operation.ts";
import { showShape } from "../core/shape.ts";

/**
 * How an axis of the operand is read. "all" reads the whole axis. "apart" reads a list of
 * positions, which has an axis of its own in the result. "together" reads a list that is walked
 * with the other lists of this kind; their common axes occur once in the result.
 */
export type AxisWalk = "all" | "apart" | "together";

interface GatherOptions {
  readonly axes: readonly AxisWalk[];
  /** The place of the common axes of the "together" lists among the other axes. */
  readonly at: number;
}

/**
 * The first operand is the tensor. The other operands are i32 positions, one list for each axis
 * that is not read as a whole.
 */
export const gather: Operation<GatherOptions> = {
  name: "index",
  isDifferentiable: true,
  plan: (forms, { axes, at }) => {
    const [{ shape: from, dtype }, ...lists] = forms as [Form, ...Form[]];
    const together = lists.find((_, k) => axesWithLists(axes)[k]?.walk === "together")?.shape ?? [];
    for (const [k, { axis, walk }] of axesWithLists(axes).entries()) {
      const { shape } = lists[k]!;
      if (walk === "together" && showShape(shape) !== showShape(together))
        throw new TensorError(
          `index: the positions for axis ${axis} have the shape ${showShape(shape)}, ` +
            `others ${showShape(together)}`,
        );
    }
    const own = axes.flatMap((walk, axis) => {
      if (walk === "all") return [from[axis]!];
      return walk === "apart" ? [lists[listAt(axes, axis)]!.shape[0]!] : [];
    });
    const shape = [...own.slice(0, at), ...together, ...own.slice(at)];
    const write = (
      names: readonly string[],
      out: string,
      extents: readonly string[],
    ): Plan["definition"] => {
      const [name, ...positions] = names;
      const shared = together.map((_, k) => `t${k}`);
      const sharedExtents = together.map((extent, k) =>
        isNumeral(extents[0]) ? String(extent) : `m${k}`,
      );
      const walked = axes.flatMap((walk, axis) => (walk === "together" ? [] : [`i${axis}`]));
      const walkedExtents = axes.flatMap((walk, axis) => {
        if (walk === "all") return [extents[axis]!];
        if (walk !== "apart") return [];
        return [isNumeral(extents[0]) ? String(lists[listAt(axes, axis)]!.shape[0]!) : `l${axis}`];
      });
      const index = axes.map((walk, axis) => {
        if (walk === "all") return `i${axis}`;
        const list = positions[listAt(axes, axis)]!;
        if (walk === "apart") return `${list}[i${axis}]`;
        return shared.length === 0 ? list : `${list}[${shared.join(", ")}]`;
      });
      const coordinates = [...walked.slice(0, at), ...shared, ...walked.slice(at)];
      const left = coordinates.length === 0 ? out : `${out}[${coordinates.join(", ")}]`;
      const listExtents = (axis: number, walk: AxisWalk): readonly string[] =>
        walk === "apart"
          ? [isNumeral(extents[0]) ? String(lists[listAt(axes, axis)]!.shape[0]!) : `l${axis}`]
          : sharedExtents;
      return {
        functions: "",
        sizes: [],
        operands: [
          { name: name!, dtype, axes: extents },
          ...axesWithLists(axes).map(({ axis, walk }, k) => ({
            name: positions[k]!,
            dtype: "i32" as const,
            axes: listExtents(axis, walk),
          })),
        ],
        lines: `let ${left} = ${name!}[${index.join(", ")}];`,
        result: {
          name: out,
          dtype,
          axes: [...walkedExtents.slice(0, at), ...sharedExtents, ...walkedExtents.slice(at)],
        },
      };
    };
    return {
      shape,
      dtype,
      views: [from, ...lists.map((list) => list.shape)],
      view: shape,
      sizes: [],
      definition: write(
        ["a", ...lists.map((_, k) => `b${k}`)],
        "y",
        from.map((_, axis) => `n${axis}`),
      ),
      written: (operands, out) => write(operands, out, from.map(String)),
    };
  },
};

/** The axes with a list, in order. */
function axesWithLists(
  axes: readonly AxisWalk[],
): readonly { readonly axis: number; readonly walk: AxisWalk }[] {
  return axes.flatMap((walk, axis) => (walk === "all" ? [] : [{ axis, walk }]));
}

function listAt(axes: readonly AxisWalk[], axis: number): number {
  return axesWithLists(axes).findIndex((each) => each.axis === axis);
}

function isNumeral(extent: string | undefined): boolean {
  return extent !== undefined && /^\d/.test(extent);
}

// The items of an index, such as `slice(1, 3)` or a mask, and the positions that they select. The
// order of the resulting axes follows PyTorch.

import { isInteger } from "../../scalar/types.ts";
import { TensorError } from "./error.ts";
import type { AxisWalk } from "../operations/gather.ts";
import { broadcast, showShape, type Shape } from "./shape.ts";
import { Tensor } from "../tensor.ts";

/**
 * The positions from `start` up to before `stop`, as in Python: negative ones count from the end,
 * and the range is cut to the axis.
 */
export interface Slice {
  readonly kind: "slice";
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly step: number;
}

export type IndexItem = number | Slice | Tensor;

export function slice(start?: number, stop?: number, step = 1): Slice {
  if (!Number.isInteger(step) || step === 0) throw new TensorError(`slice: ${step} is not a step`);
  for (const bound of [start, stop])
    if (bound !== undefined && !Number.isInteger(bound))
      throw new TensorError(`slice: ${bound} is not a position`);
  return { kind: "slice", start, stop, step };
}

interface Indexing {
  readonly axes: readonly AxisWalk[];
  readonly at: number;
  /** i32 positions for each axis that is not read as a whole. */
  readonly lists: readonly Tensor[];
  /** The final shape, if integers remove axes. */
  readonly shape?: Shape;
}

/** The kind of read along one axis. */
type Placed =
  | { readonly kind: "all" }
  | { readonly kind: "one"; readonly position: number }
  | { readonly kind: "list"; readonly positions: readonly number[] }
  | {
      readonly kind: "tensor";
      readonly shape: Shape;
      readonly positions: ArrayLike<number | bigint>;
    };

export function indexing(shape: Shape, items: readonly IndexItem[]): Indexing {
  const placed = items.flatMap((item, k) => placeItem(item, k, items, shape));
  if (placed.length > shape.length)
    throw new TensorError(
      `index: ${placed.length} axes are indexed in a tensor of shape ${showShape(shape)}`,
    );
  while (placed.length < shape.length) placed.push({ kind: "all" });
  return placed.some(({ kind }) => kind === "tensor")
    ? withTensors(placed)
    : withoutTensors(shape, placed);
}

/**
 * An index of integers and slices. An integer reads a list with one position, and its axis is
 * removed afterwards.
 */
function withoutTensors(shape: Shape, placed: readonly Placed[]): Indexing {
  const lists = placed.flatMap((item) => {
    if (item.kind === "one") return [positionTensor([item.position], [1])];
    return item.kind === "list" ? [positionTensor(item.positions, [item.positions.length])] : [];
  });
  const axes = placed.map((item): AxisWalk => (item.kind === "all" ? "all" : "apart"));
  const kept = placed.flatMap((item, axis) => {
    if (item.kind === "one") return [];
    return [item.kind === "list" ? item.positions.length : shape[axis]!];
  });
  return { axes, at: 0, lists, ...(kept.length === placed.length ? {} : { shape: kept }) };
}

/**
 * An index with tensors of positions. These tensors and all integers are walked together. If the
 * tensors are neighbours once the axes of the integers are removed, their common axes take that
 * place. Otherwise they come first.
 */
function withTensors(placed: readonly Placed[]): Indexing {
  const isTogether = (item: Placed): boolean => item.kind === "tensor" || item.kind === "one";
  const common = broadcast(
    "index",
    placed.flatMap((item) => (item.kind === "tensor" ? [item.shape] : [])),
  );
  const left = placed.filter(({ kind }) => kind !== "one");
  const first = left.findIndex(({ kind }) => kind === "tensor");
  const last = left.findLastIndex(({ kind }) => kind === "tensor");
  const sideBySide = left.slice(first, last + 1).every(({ kind }) => kind === "tensor");
  const lists = placed.flatMap((item) => {
    switch (item.kind) {
      case "all":
        return [];
      case "list":
        return [positionTensor(item.positions, [item.positions.length])];
      case "one":
        return [positionTensor(broadcastPositions([item.position], [], common), common)];
      case "tensor":
        return [positionTensor(broadcastPositions(item.positions, item.shape, common), common)];
      default:
        return item satisfies never;
    }
  });
  const axes = placed.map((item): AxisWalk => {
    if (item.kind === "all") return "all";
    return isTogether(item) ? "together" : "apart";
  });
  return { axes, at: sideBySide ? first : 0, lists };
}

function placeItem(
  item: IndexItem,
  k: number,
  items: readonly IndexItem[],
  shape: Shape,
): Placed[] {
  const axis = items
    .slice(0, k)
    .reduce<number>(
      (count, each) => count + (each instanceof Tensor && each.dtype === "bool" ? each.rank : 1),
      0,
    );
  const extent = shape[axis];
  if (extent === undefined)
    throw new TensorError(
      `index: there is no axis ${axis} in a tensor of shape ${showShape(shape)}`,
    );
  if (typeof item === "number") return [{ kind: "one", position: positionIn(item, extent, axis) }];
  if (item instanceof Tensor)
    return item.dtype === "bool"
      ? maskPositions(item, axis, shape)
      : [listedPositions(item, extent, axis)];
  if (!isSlice(item))
    throw new TensorError(
      `index: ${JSON.stringify(item) ?? "undefined"} is neither an integer nor a ` +
        "`slice(…)` nor a tensor; a list of positions is `tensor(Int32Array.of(…))`, " +
        "a mask `tensor([true, …])`",
    );
  const positions = slicePositions(item, extent);
  const isAll = positions.length === extent && item.step === 1;
  return [isAll ? { kind: "all" } : { kind: "list", positions }];
}

function isSlice(item: Slice | null | undefined): item is Slice {
  return item?.kind === "slice";
}

function positionIn(index: number, extent: number, axis: number): number {
  const position = index < 0 ? index + extent : index;
  if (Number.isInteger(position) && position >= 0 && position < extent) return position;
  throw new TensorError(`index: ${index} is outside axis ${axis}, which has the extent ${extent}`);
}

function listedPositions(item: Tensor, extent: number, axis: number): Placed {
  if (!isInteger(item.dtype))
    throw new TensorError(
      `index: a tensor of ${item.dtype} cannot index axis ${axis}; integers and bools can`,
    );
  return {
    kind: "tensor",
    shape: item.shape,
    positions: Array.from(item.data as ArrayLike<number | bigint>, (x) =>
      positionIn(Number(x), extent, axis),
    ),
  };
}

/** The positions at which a mask is true, one list for each of its axes. */
function maskPositions(item: Tensor, axis: number, shape: Shape): Placed[] {
  const own = shape.slice(axis, axis + item.rank);
  if (showShape(own) !== showShape(item.shape))
    throw new TensorError(
      `index: a mask of shape ${showShape(item.shape)} does not fit axes ` +
        `of extents ${showShape(own)}`,
    );
  const found: number[] = [];
  item.data.forEach((x, at) => {
    if (x) found.push(at);
  });
  return item.shape.map((extent, k) => {
    const inner = item.shape.slice(k + 1).reduce((a, b) => a * b, 1);
    return {
      kind: "tensor",
      shape: [found.length],
      positions: found.map((at) => Math.floor(at / inner) % extent),
    };
  });
}

function slicePositions({ start, stop, step }: Slice, extent: number): readonly number[] {
  const [least, greatest] = step > 0 ? [0, extent] : [-1, extent - 1];
  const bound = (value: number | undefined, absent: number): number => {
    if (value === undefined) return absent;
    return Math.min(Math.max(value < 0 ? value + extent : value, least), greatest);
  };
  const from = bound(start, step > 0 ? 0 : extent - 1);
  const to = bound(stop, step > 0 ? extent : -1);
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, k) => from + k * step);
}

/** Broadcasts positions to a common shape. */
function broadcastPositions(
  positions: ArrayLike<number | bigint>,
  shape: Shape,
  common: Shape,
): readonly number[] {
  const size = common.reduce((a, b) => a * b, 1);
  return Array.from({ length: size }, (_, at) => {
    let [rest, offset, step] = [at, 0, 1];
    for (let axis = common.length - 1; axis >= 0; axis--) {
      const index = rest % common[axis]!;
      rest = Math.floor(rest / common[axis]!);
      const own = shape[axis - common.length + shape.length];
      if (own === undefined) continue;
      if (own !== 1) offset += index * step;
      step *= own;
    }
    return Number(positions[offset]!);
  });
}

function positionTensor(positions: readonly number[], shape: Shape): Tensor {
  const list = new Tensor({ cells: Int32Array.from(positions), version: 0 }, shape, "i32");
  list.isLiteral = true;
  return list;
}

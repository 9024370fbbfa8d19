// Places the labels of a graph's edges: each on its own edge, away from the nodes and the other
// labels.
//
// The labels are placed one after another. A label stands at the free point of its edge that is
// nearest to the middle of the first stretch. There the edge runs alone.

import type { GraphEdge } from "./dependency-graph.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle that a label must not cover, given by its middle. */
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The width of a letter of a label, the height of a label, and the space around a label. */
const letter = 7;
const labelSize = { height: 14, apart: 4 };

/** The middles of the labels. `routes` are the points that each edge passes through. */
export function labelPlaces(
  routes: ReadonlyMap<GraphEdge, readonly Point[]>,
  nodes: readonly Box[],
): ReadonlyMap<GraphEdge, Point> {
  const taken = [...nodes];
  const places = new Map<GraphEdge, Point>();
  for (const [edge, route] of routes) {
    if (edge.label === "") continue;
    const boxAt = (point: Point): Box => ({
      ...point,
      width: edge.label.length * letter,
      height: labelSize.height,
    });
    const candidates = route.slice(1).flatMap((next, k) => alongCurve(route[k]!, next));
    const coveredArea = (point: Point): number =>
      taken.reduce((sum, box) => sum + overlap(boxAt(point), box), 0);
    const place =
      candidates.find((point) => coveredArea(point) === 0) ?? leastBy(candidates, coveredArea);
    places.set(edge, place);
    taken.push(boxAt(place));
  }
  return places;
}

/** The points of a stretch at which a label may stand, from the middle outward. */
const fractions = [0.5, 0.58, 0.42, 0.66, 0.34, 0.74, 0.26, 0.82];

/**
 * Points of the cubic Bézier curve that leaves `from` vertically and arrives at `to` vertically:
 *
 *    B(t) = (1 - t)³·P₀ + 3·t·(1 - t)²·P₁ + 3·t²·(1 - t)·P₂ + t³·P₃
 */
function alongCurve(from: Point, to: Point): readonly Point[] {
  const middle = (from.y + to.y) / 2;
  return fractions.map((t) => {
    const [first, inner, last] = [(1 - t) ** 3, 3 * t * (1 - t), t ** 3];
    const near = 3 * t * (1 - t) ** 2;
    return {
      x: (first + near) * from.x + (1 - first - near) * to.x,
      y: first * from.y + inner * middle + last * to.y,
    };
  });
}

function overlap(a: Box, b: Box): number {
  const overlapWidth = (a.width + b.width) / 2 + labelSize.apart - Math.abs(a.x - b.x);
  const overlapHeight = (a.height + b.height) / 2 - Math.abs(a.y - b.y);
  return overlapWidth > 0 && overlapHeight > 0 ? overlapWidth * overlapHeight : 0;
}

function leastBy<T>(items: readonly T[], measure: (item: T) => number): T {
  return items.reduce((least, item) => (measure(item) < measure(least) ? item : least));
}

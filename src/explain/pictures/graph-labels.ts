// Where the labels of a graph's edges stand: on their own edge, apart from the nodes and from one
// another.
//
// Labels are placed in turn, each at the point of its edge that is nearest to the middle of the
// first stretch (where the edge is still by itself) and free.

import type { GraphEdge } from "./dependency-graph.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What a label must not cover: a rectangle by its middle. */
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Size of a letter of a label, and the room around it. */
const letter = 7;
const line = { height: 14, apart: 4 };

/** The middles of labels; `routes` are the points that each edge passes through. */
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
      height: line.height,
    });
    const candidates = route.slice(1).flatMap((next, k) => alongCurve(route[k]!, next));
    const covered = (point: Point): number =>
      taken.reduce((sum, box) => sum + overlap(boxAt(point), box), 0);
    const place = candidates.find((point) => covered(point) === 0) ?? leastBy(candidates, covered);
    places.set(edge, place);
    taken.push(boxAt(place));
  }
  return places;
}

/** How far along a stretch a label may stand, the middle first. */
const fractions = [0.5, 0.58, 0.42, 0.66, 0.34, 0.74, 0.26, 0.82];

/**
 * Points of the curve that leaves one point straight down and comes straight to the next:
 * Bernstein's polynomials of its control points.
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
  const wide = (a.width + b.width) / 2 + line.apart - Math.abs(a.x - b.x);
  const high = (a.height + b.height) / 2 - Math.abs(a.y - b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

function leastBy<T>(items: readonly T[], measure: (item: T) => number): T {
  return items.reduce((least, item) => (measure(item) < measure(least) ? item : least));
}

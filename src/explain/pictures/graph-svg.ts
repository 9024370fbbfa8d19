// Draws a dependency graph as SVG, in layers from the inputs down to the results. Edges show the
// indices of the reads.
//
// The layer of a node is the length of the longest path to it from a node that reads nothing. Edges
// from a recurrence to itself do not count. Within a layer, nodes are ordered by the mean position
// of their neighbours, in several sweeps, as in the method of Sugiyama. An edge that crosses layers
// has a seat of its own in each of them, so it passes beside the nodes and not behind them.

import { escapeHtml } from "../../diagnostics/render-html.ts";
import type { DependencyGraph, GraphEdge, GraphNode } from "./dependency-graph.ts";
import { labelPlaces, type Point } from "./graph-labels.ts";

const size = { height: 40, between: 90, gap: 36, letter: 8.2, margin: 40, lane: 24 };

interface Placed extends GraphNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export function graphSvg(graph: DependencyGraph): string {
  const { placed, ways } = placeNodes(graph);
  const at = new Map(placed.map((node) => [node.name, node]));
  const loops = graph.edges.filter(({ from, to }) => from === to);
  const labels = labelPlaces(
    routesOf(graph.edges, at, ways),
    placed.map(({ x, y, width }) => ({ x, y: y + size.height / 2, width, height: size.height })),
  );
  const ends = [
    ...placed.map((node) => node.x + node.width / 2),
    ...loops.map(
      ({ from, label }) =>
        at.get(from)!.x + at.get(from)!.width / 2 + 44 + label.length * size.letter,
    ),
    ...graph.edges.flatMap((edge) => (ways.get(edge) ?? []).map(({ x }) => x)),
    ...[...labels].map(([{ label }, { x }]) => x + label.length * 3.5),
  ];
  const width = Math.max(240, ...ends) + size.margin;
  const height = Math.max(0, ...placed.map((node) => node.y)) + size.height + size.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ` +
      `${Math.ceil(height)}" width="${Math.ceil(width)}" height="${Math.ceil(height)}" ` +
      `font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="13">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" ' +
      'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" ' +
      'fill="#98a2b3"/></marker></defs>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...graph.edges.map((edge) => edgeSvg(edge, at, ways.get(edge) ?? [])),
    ...placed.map(nodeSvg),
    ...loops.map((edge) => loopLabelSvg(edge, at.get(edge.from))),
    ...[...labels].map(([{ label }, { x, y }]) => labelSvg(label, x, y + 4, "middle")),
    "</svg>",
    "",
  ].join("\n");
}

/** A node in a layer, or the space for an edge that passes through the layer. */
interface Seat {
  readonly name: string;
  readonly node?: GraphNode;
  readonly width: number;
}

function placeNodes({ nodes, edges }: DependencyGraph): {
  readonly placed: readonly Placed[];
  readonly ways: ReadonlyMap<GraphEdge, readonly Point[]>;
} {
  const layers = layersOf(nodes, edges).map((layer) =>
    layer.map((node): Seat => ({ name: node.name, node, width: widthOf(node) })),
  );
  const depth = new Map(layers.flatMap((layer, k) => layer.map(({ name }) => [name, k] as const)));
  const chains = new Map<GraphEdge, readonly string[]>();
  for (const edge of edges) {
    const [from, to] = [depth.get(edge.from), depth.get(edge.to)];
    if (from === undefined || to === undefined || from === to) continue;
    const between = Array.from(
      { length: Math.abs(to - from) - 1 },
      (_, k) => Math.min(from, to) + 1 + k,
    );
    const seats = between.map((level): Seat => ({
      name: `${edge.from}\n${edge.to}\n${level}`,
      width: size.lane,
    }));
    between.forEach((level, k) => layers[level]!.push(seats[k]!));
    const names = seats.map(({ name }) => name);
    chains.set(edge, [edge.from, ...(from < to ? names : names.reverse()), edge.to]);
  }
  orderLayers(layers, [...chains.values()]);
  const widths = layers.map((layer) =>
    layer.reduce((total, seat) => total + seat.width + size.gap, -size.gap),
  );
  const widest = Math.max(0, ...widths);
  const points = new Map<string, Point>();
  const placed = layers.flatMap((layer, level) => {
    let x = size.margin + (widest - widths[level]!) / 2;
    const y = size.margin + level * (size.height + size.between);
    return layer.flatMap(({ name, node, width }): Placed[] => {
      const middle = x + width / 2;
      points.set(name, { x: middle, y: y + size.height / 2 });
      x += width + size.gap;
      return node ? [{ ...node, x: middle, y, width }] : [];
    });
  });
  const ways = new Map(
    [...chains].map(
      ([edge, chain]) => [edge, chain.slice(1, -1).map((name) => points.get(name)!)] as const,
    ),
  );
  return { placed, ways };
}

/** Orders every layer by the mean position of the neighbours, downward and upward in turn. */
function orderLayers(layers: readonly Seat[][], chains: readonly (readonly string[])[]): void {
  const before = new Map<string, string[]>();
  const behind = new Map<string, string[]>();
  for (const chain of chains) {
    for (const [k, name] of chain.entries()) {
      const next = chain[k + 1];
      if (next === undefined) continue;
      behind.set(name, [...(behind.get(name) ?? []), next]);
      before.set(next, [...(before.get(next) ?? []), name]);
    }
  }
  const position = new Map<string, number>();
  const numberSeats = (layer: readonly Seat[]): void =>
    layer.forEach(({ name }, k) => position.set(name, k));
  layers.forEach(numberSeats);
  for (let sweep = 0; sweep < 8; sweep++) {
    const near = sweep % 2 === 0 ? before : behind;
    const mean = ({ name }: Seat): number => {
      const ends = near.get(name) ?? [];
      if (ends.length === 0) return position.get(name)!;
      return ends.reduce((sum, end) => sum + position.get(end)!, 0) / ends.length;
    };
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      layer.sort((a, b) => mean(a) - mean(b));
      numberSeats(layer);
    }
  }
}

function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphNode[][] {
  const depth = new Map(nodes.map((node) => [node.name, 0]));
  // Edges that close a recurrence would push nodes down forever. The longest path has no more edges
  // than there are nodes, so that many rounds are enough.
  for (let round = 0; round < nodes.length; round++) {
    for (const { from, to } of edges) {
      const wanted = (depth.get(from) ?? 0) + 1;
      if (from !== to && wanted > depth.get(to)! && wanted < nodes.length) depth.set(to, wanted);
    }
  }
  const used = [...new Set(depth.values())].sort((a, b) => a - b);
  return used.map((level) => nodes.filter((node) => depth.get(node.name) === level));
}

function labelOf({ name, coordinates }: GraphNode): string {
  return coordinates.length > 0 ? `${name}[${coordinates.join(", ")}]` : name;
}

function widthOf(node: GraphNode): number {
  return Math.max(64, labelOf(node).length * size.letter + 26);
}

const colours = {
  input: { fill: "#dbeafe", line: "#1d4ed8" },
  literal: { fill: "#f2f4f7", line: "#667085" },
  value: { fill: "#dcfce7", line: "#15803d" },
  derivative: { fill: "#ffe4e6", line: "#be123c" },
} as const;

function nodeSvg(node: Placed): string {
  const { x, y, width, kind } = node;
  const { fill, line } = colours[kind];
  const round = kind === "value" ? size.height / 2 : 8;
  return (
    `<rect x="${rounded(x - width / 2)}" y="${rounded(y)}" ` +
    `width="${rounded(width)}" height="${size.height}" ` +
    `rx="${round}" fill="${fill}" stroke="${line}"/>` +
    `<text x="${rounded(x)}" y="${rounded(y + size.height / 2 + 4.5)}" text-anchor="middle" ` +
    `fill="#1d2433">${escapeHtml(labelOf(node))}</text>`
  );
}

function edgeSvg(
  { from, to }: GraphEdge,
  at: ReadonlyMap<string, Placed>,
  way: readonly Point[],
): string {
  const [a, b] = [at.get(from), at.get(to)];
  if (!a || !b) return "";
  const path = (d: string): string =>
    `<path d="${d}" fill="none" stroke="#98a2b3" marker-end="url(#tip)"/>`;
  if (a === b) {
    const right = a.x + a.width / 2;
    const [top, bottom] = [a.y + 8, a.y + size.height - 8];
    return path(
      `M${rounded(right)},${rounded(top)} C${rounded(right + 46)},${rounded(top - 16)} ` +
        `${rounded(right + 46)},${rounded(bottom + 16)} ${rounded(right + 2)},${rounded(bottom)}`,
    );
  }
  const points = routeOf(a, b, way);
  const curves = points.slice(1).map((point, k) => {
    const middle = (points[k]!.y + point.y) / 2;
    return (
      `C${rounded(points[k]!.x)},${rounded(middle)} ` +
      `${rounded(point.x)},${rounded(middle)} ${rounded(point.x)},${rounded(point.y)}`
    );
  });
  return path(`M${rounded(points[0]!.x)},${rounded(points[0]!.y)} ${curves.join(" ")}`);
}

/**
 * The points from the border of one node, through the layers between, to the border of the other
 * node.
 */
function routeOf(a: Placed, b: Placed, way: readonly Point[]): readonly Point[] {
  const isDown = a.y < b.y;
  const start = { x: a.x, y: isDown ? a.y + size.height : a.y };
  const end = { x: b.x, y: isDown ? b.y - 2 : b.y + size.height + 2 };
  return [start, ...way, end];
}

/** The points that each edge between two different nodes passes through. */
function routesOf(
  edges: readonly GraphEdge[],
  at: ReadonlyMap<string, Placed>,
  ways: ReadonlyMap<GraphEdge, readonly Point[]>,
): ReadonlyMap<GraphEdge, readonly Point[]> {
  return new Map(
    edges.flatMap((edge) => {
      const [a, b] = [at.get(edge.from), at.get(edge.to)];
      return a && b && a !== b ? [[edge, routeOf(a, b, ways.get(edge) ?? [])] as const] : [];
    }),
  );
}

/** The label of a recurrence stands to the right of its loop. */
function loopLabelSvg({ label }: GraphEdge, node: Placed | undefined): string {
  return node && label !== ""
    ? labelSvg(label, node.x + node.width / 2 + 40, node.y + size.height / 2 + 4, "start")
    : "";
}

/** A label is drawn over nodes and edges. */
function labelSvg(label: string, x: number, y: number, anchor: "start" | "middle"): string {
  return (
    `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}" ` +
    `font-size="11.5" fill="#667085" ` +
    `stroke="#ffffff" stroke-width="4" paint-order="stroke">${escapeHtml(label)}</text>`
  );
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

// A dependency graph as SVG: layers from what is given down to what is made of it, edges with the coordinates of the read.
//
// A node's layer is the longest way to it from something that reads nothing (a recurrence's edge to itself does not count).
// Within a layer nodes are ordered by the mean position of what they read, swept a few times, as Sugiyama's method does.

import { escapeHtml } from "../diagnostics/render-html.ts";
import type { DependencyGraph, GraphEdge, GraphNode } from "./dependency-graph.ts";

const size = { height: 40, between: 90, gap: 36, letter: 8.2, margin: 40 };

interface Placed extends GraphNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export function graphSvg(graph: DependencyGraph): string {
  const placed = place(graph);
  const at = new Map(placed.map((node) => [node.name, node]));
  const width = Math.max(240, ...placed.map((node) => node.x + node.width / 2)) + size.margin;
  const height = Math.max(0, ...placed.map((node) => node.y)) + size.height + size.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}" height="${Math.ceil(height)}" font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="13">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#98a2b3"/></marker></defs>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...graph.edges.map((edge) => edgeSvg(edge, at)),
    ...placed.map(nodeSvg),
    "</svg>",
    "",
  ].join("\n");
}

function place({ nodes, edges }: DependencyGraph): readonly Placed[] {
  const layers = layersOf(nodes, edges);
  const position = new Map<string, number>();
  layers.forEach((layer) => layer.forEach((node, k) => position.set(node.name, k)));
  const near = (name: string, side: "from" | "to"): number => {
    const other = side === "from" ? "to" : "from";
    const ends = edges
      .filter((edge) => edge[other] === name && edge.from !== edge.to)
      .map((edge) => position.get(edge[side]) ?? 0);
    return ends.length === 0 ? (position.get(name) ?? 0) : ends.reduce((a, b) => a + b, 0) / ends.length;
  };
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const side = sweep % 2 === 0 ? "from" : "to";
      layer.sort((a, b) => near(a.name, side) - near(b.name, side));
      layer.forEach((node, k) => position.set(node.name, k));
    }
  }
  const widths = layers.map((layer) => layer.reduce((total, node) => total + widthOf(node) + size.gap, -size.gap));
  const widest = Math.max(0, ...widths);
  return layers.flatMap((layer, depth) => {
    let x = size.margin + (widest - widths[depth]!) / 2;
    return layer.map((node) => {
      const width = widthOf(node);
      const made = { ...node, x: x + width / 2, y: size.margin + depth * (size.height + size.between), width };
      x += width + size.gap;
      return made;
    });
  });
}

function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphNode[][] {
  const depth = new Map(nodes.map((node) => [node.name, 0]));
  // Edges that close a recurrence would push for ever: as many rounds as nodes are enough for all others.
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
    `<rect x="${n(x - width / 2)}" y="${n(y)}" width="${n(width)}" height="${size.height}" rx="${round}" fill="${fill}" stroke="${line}"/>` +
    `<text x="${n(x)}" y="${n(y + size.height / 2 + 4.5)}" text-anchor="middle" fill="#1d2433">${escapeHtml(labelOf(node))}</text>`
  );
}

function edgeSvg({ from, to, label }: GraphEdge, at: ReadonlyMap<string, Placed>): string {
  const [a, b] = [at.get(from), at.get(to)];
  if (!a || !b) return "";
  const text = (x: number, y: number, anchor: string): string =>
    label === ""
      ? ""
      : `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}" font-size="11.5" fill="#667085" stroke="#ffffff" stroke-width="4" paint-order="stroke">${escapeHtml(label)}</text>`;
  const path = (d: string): string => `<path d="${d}" fill="none" stroke="#98a2b3" marker-end="url(#tip)"/>`;
  if (a === b) {
    const right = a.x + a.width / 2;
    const [top, bottom] = [a.y + 8, a.y + size.height - 8];
    return (
      path(
        `M${n(right)},${n(top)} C${n(right + 46)},${n(top - 16)} ${n(right + 46)},${n(bottom + 16)} ${n(right + 2)},${n(bottom)}`,
      ) + text(right + 40, a.y + size.height / 2 + 4, "start")
    );
  }
  const isDown = a.y < b.y;
  const [y1, y2] = isDown ? [a.y + size.height, b.y - 2] : [a.y, b.y + size.height + 2];
  const middle = (y1 + y2) / 2;
  return (
    path(`M${n(a.x)},${n(y1)} C${n(a.x)},${n(middle)} ${n(b.x)},${n(middle)} ${n(b.x)},${n(y2)}`) +
    text((a.x + b.x) / 2, middle + 4, "middle")
  );
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

// The recorded graph, as data and as a drawing.

import { graphDot, type DependencyGraph } from "../../explain/pictures/dependency-graph.ts";
import { graphSvg } from "../../explain/pictures/graph-svg.ts";
import { reverseOrder } from "../backward.ts";
import type { Shape } from "./shape.ts";
import type { Tensor } from "../tensor.ts";

export interface RecordedNode {
  readonly id: number;
  /** The operation, or undefined for a leaf. */
  readonly operation?: string;
  readonly shape: Shape;
  readonly tensor: Tensor;
}

/** An edge from an operand to the result. */
export interface RecordedEdge {
  readonly from: number;
  readonly to: number;
  /** The position of the operand. */
  readonly argument: number;
}

export interface RecordedGraph {
  readonly nodes: readonly RecordedNode[];
  readonly edges: readonly RecordedEdge[];
  readonly toDot: () => string;
  readonly toSvg: () => string;
}

/** All tensors through which gradients of a root flow. Operands come before results. */
export function graph(root: Tensor): RecordedGraph {
  const order = [...reverseOrder(root)].reverse();
  const idOf = new Map(order.map((tensor, id) => [tensor, id]));
  const nodes = order.map((tensor, id): RecordedNode => {
    const { shape, recipe } = tensor;
    return recipe ? { id, operation: recipe.operation, shape, tensor } : { id, shape, tensor };
  });
  const edges = order.flatMap((tensor, to) =>
    [...(tensor.recipe?.parents ?? [])].map(([argument, parent]) => ({
      from: idOf.get(parent)!,
      to,
      argument,
    })),
  );
  const drawn = (): DependencyGraph => drawing(nodes, edges);
  return { nodes, edges, toDot: () => graphDot(drawn()), toSvg: () => graphSvg(drawn()) };
}

/**
 * The graph for drawing: boxes with operation and extents. Numbers distinguish equal operations.
 */
function drawing(nodes: readonly RecordedNode[], edges: readonly RecordedEdge[]): DependencyGraph {
  const nameOf = ({ id, operation, tensor }: RecordedNode): string =>
    `${tensor.name ?? operation ?? "leaf"} #${id}`;
  return {
    nodes: nodes.map((node) => ({
      name: nameOf(node),
      coordinates: node.shape.map(String),
      kind: node.operation === undefined ? "input" : "value",
    })),
    edges: edges.map(({ from, to, argument }) => ({
      from: nameOf(nodes[from]!),
      to: nameOf(nodes[to]!),
      label: `argument ${argument}`,
    })),
  };
}

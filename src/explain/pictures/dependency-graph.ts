// This folder draws programs and tensors: dependency graphs and heat maps. It computes no values.
//
// The dependency graph shows the named values of a program. An edge goes from a value to its
// reader, and its label shows the indices:
//
//    let y[i] = x[i + 1];   is the edge   x → y   with the label   i + 1

import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Definition, Program } from "../../ir/program.ts";
import { printOperand } from "../../print/print.ts";
import { rootsOf } from "../../ir/roots.ts";
import { reachable } from "../../analyse/schedule.ts";
import { isNamed, isOwn } from "../source/uses.ts";

export interface DependencyGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly name: string;
  /** The names of the axes, where they are known. */
  readonly coordinates: readonly string[];
  readonly kind: "input" | "literal" | "value" | "derivative";
}

/** `to` reads `from`. The label shows the indices of the reads. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** The graph of a program as written: requests are not answered. */
export function dependencyGraph(program: Program): DependencyGraph {
  const outputs = new Map([...program.outputs].map(([name, { definition }]) => [definition, name]));
  const isShown = (definition: Definition): boolean =>
    outputs.has(definition) ||
    definition.request !== undefined ||
    (isNamed(definition) && isOwn(definition));
  const shown = reachable(rootsOf(program)).filter(isShown);
  const nodeName = (definition: Definition): string =>
    outputs.get(definition) ?? (definition.request ? requestText(definition) : definition.name);
  const edges = shown.flatMap((definition) => edgesInto(definition, isShown, nodeName));
  return {
    nodes: shown.map((definition) => ({
      name: nodeName(definition),
      coordinates: definition.axes.flatMap(({ name }) => name ?? []),
      kind: kindOf(definition),
    })),
    edges: joinParallelEdges(edges),
  };
}

function requestText({ request }: Definition): string {
  return `@${request!.of.name} / @${request!.wrt.name}`;
}

function kindOf({ origin, request }: Definition): GraphNode["kind"] {
  if (request) return "derivative";
  return origin === "input" || origin === "literal" ? origin : "value";
}

/** The edges to a definition. Reads of unnamed parts of the declaration count as its own reads. */
function edgesInto(
  definition: Definition,
  isShown: (definition: Definition) => boolean,
  nodeName: (definition: Definition) => string,
): readonly GraphEdge[] {
  const to = nodeName(definition);
  if (definition.request) {
    const { of, wrt } = definition.request;
    return [
      { from: nodeName(of), to, label: "of" },
      { from: nodeName(wrt), to, label: "by" },
    ];
  }
  const found: GraphEdge[] = [];
  const seen = new Set<Definition>();
  const visit = (part: Definition): void => {
    if (seen.has(part)) return;
    seen.add(part);
    for (const scalar of part.clauses.flatMap(scalarsOf)) {
      eachScalar(scalar, (read) => {
        if (read.kind !== "read") return;
        if (!isShown(read.definition)) visit(read.definition);
        else
          found.push({
            from: nodeName(read.definition),
            to,
            label: read.indices.map(printOperand).join(", "),
          });
      });
    }
  };
  visit(definition);
  return found;
}

/** Edges between the same two nodes become one edge with all labels. */
function joinParallelEdges(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const seen = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = `${edge.from}\n${edge.to}`;
    const other = seen.get(key);
    const labels = new Set([...(other ? other.label.split(" · ") : []), edge.label]);
    seen.set(key, { ...edge, label: [...labels].filter((label) => label !== "").join(" · ") });
  }
  return [...seen.values()];
}

// ── DOT ─────────────────────────────────────────────────────────────────────────────────────────

const shapes = { input: "box", literal: "box", value: "ellipse", derivative: "diamond" } as const;

export function graphDot({ nodes, edges }: DependencyGraph): string {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
  return [
    "digraph program {",
    "  rankdir=TB;",
    ...nodes.map(({ name, coordinates, kind }) => {
      const label = coordinates.length > 0 ? `${name}[${coordinates.join(", ")}]` : name;
      return `  ${quoted(name)} [label=${quoted(label)}, shape=${shapes[kind]}];`;
    }),
    ...edges.map(
      ({ from, to, label }) => `  ${quoted(from)} -> ${quoted(to)} [label=${quoted(label)}];`,
    ),
    "}",
    "",
  ].join("\n");
}

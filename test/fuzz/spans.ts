// Verifies the spans in a syntax tree: children lie inside their parents, and siblings follow one
// another.

import type { Module } from "../../src/syntax/tree/ast.ts";
import type { Span } from "../../src/base/source.ts";

interface Node {
  readonly kind?: string;
  readonly span: Span;
}

export interface TreeReport {
  /** The first problem, if there is one. */
  readonly problem: string | undefined;
  readonly missing: number;
  readonly nodes: number;
}

/** Walks the tree with an explicit stack: long chains are deeper than the stack of the machine. */
export function inspectTree(module: Module): TreeReport {
  const stack: Node[] = [...module.statements];
  let missing = 0;
  let nodes = 0;
  let problem = checkChildren(module, module.statements);
  while (stack.length > 0) {
    const node = stack.pop()!;
    nodes++;
    if (node.kind === "missing") missing++;
    const children = childrenOf(node);
    problem ??= checkChildren(node, children);
    for (const child of children) stack.push(child);
  }
  return { problem, missing, nodes };
}

function checkChildren(parent: Node, children: readonly Node[]): string | undefined {
  const say = (what: string, child: Node) =>
    `${what}: ${child.kind ?? "name"} ${child.span.start}-${child.span.end} in ` +
    `${parent.kind ?? "node"} ${parent.span.start}-${parent.span.end}`;
  let end = parent.span.start;
  if (parent.span.end < parent.span.start) return say("reversed", parent);
  for (const child of [...children].sort(
    (a, b) => a.span.start - b.span.start || a.span.end - b.span.end,
  )) {
    if (child.span.start < parent.span.start || child.span.end > parent.span.end)
      return say("outside", child);
    if (child.span.start < end) return say("overlap", child);
    end = child.span.end;
  }
  return undefined;
}

/** The nodes directly below a node, through lists and through records without a span. */
function childrenOf(node: Node): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown, key: string) => {
    if (typeof value !== "object" || value === null || key === "span" || key === "operatorSpan")
      return;
    if (Array.isArray(value)) for (const one of value) visit(one, "");
    else if (isNode(value)) found.push(value);
    else for (const [name, one] of Object.entries(value)) visit(one, name);
  };
  for (const [key, value] of Object.entries(node)) visit(value, key);
  return withoutShorthands(found);
}

/** The shorthand field `x` of a struct literal is a name and a value with the same span. */
function withoutShorthands(nodes: Node[]): Node[] {
  return nodes.filter(
    (node, i) =>
      i === 0 ||
      node.span.start !== nodes[i - 1]!.span.start ||
      node.span.end !== nodes[i - 1]!.span.end ||
      node.span.start === node.span.end,
  );
}

function isNode(value: object): value is Node {
  return "span" in value;
}

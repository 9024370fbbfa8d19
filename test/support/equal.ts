// Compares two syntax trees. Spans, the source and the comments do not count: `x+(y)` equals `x +
// y`.

import type {
  Dim,
  Expression,
  Module,
  Pattern,
  Statement,
  Type,
  UseTree,
} from "../../src/syntax/tree/ast.ts";

export type Tree = Module | Statement | Expression | Type | Dim | Pattern | UseTree;

/** The parts of a node that say where the node stands. */
const places: ReadonlySet<string> = new Set(["span", "operatorSpan", "source", "comments"]);

export function equal(a: Tree, b: Tree): boolean {
  return firstDifference(a, b) === undefined;
}

/**
 * The path to the first part in which two trees differ, for example `statements.0.value.kind`.
 * `undefined` if the trees are equal.
 */
export function firstDifference(a: Tree, b: Tree): string | undefined {
  // The stack is explicit because a sum of 10,000 terms is a tree of 10,000 levels.
  const stack: Pair[] = [{ left: a, right: b, name: "", parent: undefined }];
  for (let pair = stack.pop(); pair; pair = stack.pop()) {
    const { left, right } = pair;
    if (Object.is(left, right)) continue;
    if (!isRecord(left) || !isRecord(right) || Array.isArray(left) !== Array.isArray(right))
      return pathOf(pair);
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    const children: Pair[] = [];
    for (const name of names) {
      // The keys of a list are its positions. An absent part equals a part that is `undefined`.
      if (!places.has(name))
        children.push({ left: left[name], right: right[name], name, parent: pair });
    }
    for (let k = children.length - 1; k >= 0; k--) stack.push(children[k]!);
  }
  return undefined;
}

interface Pair {
  readonly left: unknown;
  readonly right: unknown;
  readonly name: string;
  readonly parent: Pair | undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function pathOf(pair: Pair): string {
  const names: string[] = [];
  for (let at: Pair | undefined = pair; at?.parent; at = at.parent) names.push(at.name);
  return names.reverse().join(".");
}

// Whether two syntax trees say the same: equality of everything but the places, the source and the
// comments.

import type { Dim, Expression, Module, Pattern, Statement, Type, UseTree } from "./ast.ts";

export type Tree = Module | Statement | Expression | Type | Dim | Pattern | UseTree;

/** Parts of a node that tell where it stands, not what it says. */
const places: ReadonlySet<string> = new Set(["span", "operatorSpan", "source", "comments"]);

export function equal(a: Tree, b: Tree): boolean {
  return difference(a, b) === undefined;
}

/**
 * The path to the first part in which two trees differ (`statements.0.value.kind`), if there is
 * one.
 */
export function difference(a: Tree, b: Tree): string | undefined {
  // An explicit stack: a sum of ten thousand terms is a tree ten thousand levels deep.
  const stack: Pair[] = [{ left: a, right: b, name: "", parent: undefined }];
  for (let pair = stack.pop(); pair; pair = stack.pop()) {
    const { left, right } = pair;
    if (Object.is(left, right)) continue;
    if (!isRecord(left) || !isRecord(right) || Array.isArray(left) !== Array.isArray(right))
      return pathOf(pair);
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    const children: Pair[] = [];
    for (const name of names) {
      // A list's keys are its positions; an absent part and one that is `undefined` say the same.
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

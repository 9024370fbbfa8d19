// The sound actions of a program with errors: those that reach nothing wrong. Later stages analyse
// them to find further mistakes.

import type { Action, TensorBinding, ValueBinding } from "../types/typed.ts";

/** The actions that reach neither a broken tensor nor an expression with a diagnostic. */
export function soundActions(actions: readonly Action[]): readonly Action[] {
  const readers = new Map<object, object[]>();
  const wrong: object[] = [];
  const pending: object[] = [...actions];
  const seen = new Set<object>(pending);
  for (let node = pending.pop(); node; node = pending.pop()) {
    const contents = searchContents(node);
    if (contents.wrong) wrong.push(node);
    for (const binding of contents.bindings) {
      const known = readers.get(binding);
      if (known) known.push(node);
      else readers.set(binding, [node]);
      if (seen.has(binding)) continue;
      seen.add(binding);
      pending.push(binding);
    }
  }
  const unsound = new Set<object>(wrong);
  for (let node = wrong.pop(); node; node = wrong.pop()) {
    for (const reader of readers.get(node) ?? []) {
      if (unsound.has(reader)) continue;
      unsound.add(reader);
      wrong.push(reader);
    }
  }
  return unsound.size === 0 ? actions : actions.filter((action) => !unsound.has(action));
}

interface Contents {
  readonly wrong: boolean;
  readonly bindings: readonly (ValueBinding | TensorBinding)[];
}

/** Searches one action or binding, without looking into the bindings that it mentions. */
function searchContents(root: object): Contents {
  const bindings: (ValueBinding | TensorBinding)[] = [];
  const pending: object[] = [root];
  const seen = new Set<object>();
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (node !== root && isBinding(node)) {
      bindings.push(node);
      continue;
    }
    if (
      "kind" in node &&
      (node.kind === "wrong" ||
        (node.kind === "tensor" && "broken" in node && node.broken === true))
    ) {
      return { wrong: true, bindings };
    }
    // A coordinate has no range if the use that determines its range is missing.
    if ("variable" in node && "reversed" in node && !("from" in node))
      return { wrong: true, bindings };
    // A hole in the list of clauses stands for a clause that failed.
    if (
      "clauses" in node &&
      Array.isArray(node.clauses) &&
      Array.from(node.clauses as unknown[]).includes(undefined)
    ) {
      return { wrong: true, bindings };
    }
    for (const key in node) {
      if (key === "span" || key === "type" || key === "term") continue;
      const child = (node as Record<string, unknown>)[key];
      if (typeof child === "object" && child !== null) pending.push(child);
    }
  }
  return { wrong: false, bindings };
}

function isBinding(node: object): node is ValueBinding | TensorBinding {
  return (
    "kind" in node &&
    (("role" in node && node.kind === "value") || ("clauses" in node && node.kind === "tensor"))
  );
}

// What later stages may look at in a program with errors: the actions in which nothing wrong is
// left, however far away.

import type { Action, TensorBinding, ValueBinding } from "../types/typed.ts";

/** Actions that reach neither a broken tensor nor an expression that has a diagnostic. */
export function soundActions(actions: readonly Action[]): readonly Action[] {
  const readers = new Map<object, object[]>();
  const wrong: object[] = [];
  const pending: object[] = [...actions];
  const seen = new Set<object>(pending);
  for (let at = pending.pop(); at; at = pending.pop()) {
    const contents = look(at);
    if (contents.wrong) wrong.push(at);
    for (const binding of contents.bindings) {
      const known = readers.get(binding);
      if (known) known.push(at);
      else readers.set(binding, [at]);
      if (seen.has(binding)) continue;
      seen.add(binding);
      pending.push(binding);
    }
  }
  const unsound = new Set<object>(wrong);
  for (let at = wrong.pop(); at; at = wrong.pop()) {
    for (const reader of readers.get(at) ?? []) {
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

/** Looks through one action or binding, up to the bindings it mentions. */
function look(root: object): Contents {
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
    // A coordinate without a range: the use that determines it is lost.
    if ("variable" in node && "reversed" in node && !("from" in node))
      return { wrong: true, bindings };
    // A hole in the list of clauses is a clause that failed.
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

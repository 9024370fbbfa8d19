// What later stages may look at in a program with errors: the actions in which nothing wrong is left, however far away.

import type { Action, TensorBinding, ValueBinding } from "./typed.ts";

/** Actions that reach neither a broken tensor nor an expression that has a diagnostic. */
export function soundActions(actions: readonly Action[]): readonly Action[] {
  const reads = new Map<object, Contents>();
  const contentsOf = (node: object): Contents => {
    let contents = reads.get(node);
    if (!contents) reads.set(node, (contents = look(node)));
    return contents;
  };
  return actions.filter((action) => {
    const seen = new Set<object>();
    const pending: object[] = [action];
    for (let at = pending.pop(); at; at = pending.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const { wrong, bindings } = contentsOf(at);
      if (wrong) return false;
      pending.push(...bindings);
    }
    return true;
  });
}

interface Contents {
  readonly wrong: boolean;
  readonly bindings: readonly (ValueBinding | TensorBinding)[];
}

/** Looks through one action or binding, up to the bindings it mentions. */
function look(root: object): Contents {
  const bindings: (ValueBinding | TensorBinding)[] = [];
  const pending: unknown[] = [root];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (node !== root && isBinding(node)) {
      bindings.push(node);
      continue;
    }
    if (
      "kind" in node &&
      (node.kind === "wrong" || (node.kind === "tensor" && "broken" in node && node.broken === true))
    ) {
      return { wrong: true, bindings };
    }
    // A coordinate without a range: the use that determines it is lost.
    if ("variable" in node && "reversed" in node && !("from" in node)) return { wrong: true, bindings };
    // A hole in the list of clauses is a clause that failed.
    if ("clauses" in node && Array.isArray(node.clauses) && Array.from(node.clauses as unknown[]).includes(undefined)) {
      return { wrong: true, bindings };
    }
    for (const [key, child] of Object.entries(node))
      if (key !== "span" && key !== "type" && key !== "term") pending.push(child);
  }
  return { wrong: false, bindings };
}

function isBinding(node: object): node is ValueBinding | TensorBinding {
  return "kind" in node && (("role" in node && node.kind === "value") || ("clauses" in node && node.kind === "tensor"));
}

// The local names that an expression uses.

import type { Variable } from "../../affine/term.ts";
import { freeVariables } from "../ranges/outer-variables.ts";
import type { Checker } from "../context.ts";
import type { Binder, TensorBinding, Typed, ValueBinding } from "../types/typed.ts";

/**
 * The bindings below the top of the file that an expression uses and that do not depend on
 * coordinates bound inside the expression. Each binding comes after those that its own value uses.
 */
export function localNames(
  { opaqueValue }: Checker,
  value: Typed,
): readonly (ValueBinding | TensorBinding)[] {
  const found: (ValueBinding | TensorBinding)[] = [];
  const inside = new Set<Variable>();
  const seen = new Set<object>();
  const visit = (node: object): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (isBinding(node) && node.global) return;
    if (isBinder(node)) inside.add(node.variable);
    for (const [key, child] of Object.entries(node))
      if (!beside.has(key) && typeof child === "object" && child !== null) visit(child as object);
    if (isBinding(node)) found.push(node);
  };
  visit(value);
  return found.filter((binding) => {
    const reference: Typed = { kind: "reference", binding, type: binding.type, span: binding.span };
    return ![...freeVariables([reference], opaqueValue)].some((v) => inside.has(v));
  });
}

/** Properties of nodes that hold no parts of the expression. */
const beside = new Set([
  "span",
  "type",
  "term",
  "layout",
  "callee",
  "form",
  "identity",
  "agreements",
]);

function isBinding(node: object): node is ValueBinding | TensorBinding {
  return "role" in node || ("clauses" in node && "ranked" in node);
}

function isBinder(node: object): node is Binder {
  return "variable" in node && "reversed" in node;
}

// The corrected line for a forgotten sum: the product that mentions the free coordinate is summed.
//
//   let y[i] = A[i, k] * x[k] + b[i];            // `k` is free
//   let y[i] = sum[k](A[i, k] * x[k]) + b[i];    // the corrected line

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { indexNodes, occurrences } from "../names/free-names.ts";

/** The places at which a name stands alone as an index. */
export function usesAsIndex(syntax: object, name: string): readonly Span[] {
  return indexNodes(syntax)
    .flatMap((node) => node.items)
    .flatMap((item) => {
      const isName =
        item.kind === "expression" &&
        item.value.kind === "path" &&
        item.value.segments.length === 1;
      return isName && textOf(item.span) === name ? [item.span] : [];
    })
    .sort((a, b) => a.start - b.start);
}

/** A product to be summed, and the whole statement with the sum around it. */
interface Summed {
  readonly product: Span;
  readonly line: string;
}

/**
 * The statement with `sum[name](…)` around the smallest product that contains all uses of the name.
 */
export function summedLine(statement: ast.IndexedLet, name: string): Summed | undefined {
  const uses = usesAsIndex(statement.value, name);
  const [first] = uses;
  const last = uses.at(-1);
  if (!first || !last) return undefined;
  // If the name also stands outside of indices, a sum around the indices would not bind it there.
  if (occurrences(statement, name) > uses.length) return undefined;
  const holds = (e: ast.Expression): boolean =>
    e.span.start <= first.start && last.end <= e.span.end;
  let product: ast.Expression | undefined;
  const visit = (e: ast.Expression): void => {
    if (!holds(e)) return;
    if (isFactor(e) && (!product || !isFactor(product) || product.kind !== "binary")) product = e;
    else if (!isFactor(e)) product = undefined;
    for (const part of subexpressions(e)) visit(part);
  };
  visit(statement.value);
  const found = product ?? statement.value;
  const { text } = statement.span.source;
  const before = text.slice(statement.span.start, found.span.start);
  const after = text.slice(found.span.end, statement.span.end);
  const line = `${before}sum[${name}](${textOf(found.span)})${after}`.replaceAll(/\s+/g, " ");
  return { product: found.span, line };
}

/**
 * Whether a sum may go around an expression as a whole. Factors of one product are summed together;
 * across `+` or a call, only the part that mentions the name is summed.
 */
function isFactor(e: ast.Expression): boolean {
  return (
    e.kind === "index" ||
    (e.kind === "binary" && (e.operator === "*" || e.operator === "/")) ||
    (e.kind === "unary" && (e.operator === "-" || e.operator === "+"))
  );
}

function subexpressions(e: ast.Expression): readonly ast.Expression[] {
  switch (e.kind) {
    case "binary":
      return [e.left, e.right];
    case "unary":
    case "cast":
      return [e.operand];
    case "call":
      return e.arguments.map((argument) => argument.value);
    case "if":
      return [
        e.condition,
        ...(e.then.value ? [e.then.value] : []),
        ...(e.otherwise?.kind === "block" && e.otherwise.value ? [e.otherwise.value] : []),
      ];
    case "block":
      return e.value ? [e.value] : [];
    case "guarded":
      return [e.value];
    default:
      return [];
  }
}

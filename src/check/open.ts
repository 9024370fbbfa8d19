// Open programs: a name that is only read and bound by nothing becomes an input, with the rank that its first use shows.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { indexNodes } from "./free-names.ts";

/** The module with an `input` for every name that a check found undefined. */
export function withOpenInputs(module: ast.Module, diagnostics: readonly Diagnostic[]): ast.Module {
  const names = new Set(diagnostics.flatMap(({ code, span }) => (code === "E0201" && span ? [textOf(span)] : [])));
  if (names.size === 0) return module;
  const nodes = indexNodes(module.statements);
  const inputs = [...names].map((name): ast.Input => {
    const reads = nodes.filter(({ base }) => base.kind === "path" && textOf(base.span) === name);
    const rank = Math.max(0, ...reads.map((read) => read.items.length));
    const isIndex = nodes.some(({ items }) =>
      items.some((item) => reads.some((read) => item.kind === "expression" && item.value === read)),
    );
    return inputOf(name, isIndex ? "i32" : "f32", rank, module.span);
  });
  return { ...module, statements: [...inputs, ...module.statements] };
}

function inputOf(name: string, element: string, rank: number, span: Span): ast.Input {
  const scalar: ast.Type = { kind: "named", path: [{ text: element, span }], arguments: [], span };
  const dims = Array.from({ length: rank }, (): ast.Dim => ({ kind: "unknown", span }));
  const type: ast.Type = rank === 0 ? scalar : { kind: "tensor", element: scalar, dims, span };
  return { kind: "input", name: { text: name, span }, type, span, allow: [], public: false };
}

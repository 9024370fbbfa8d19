// Parses names, and paths of names joined by `::`.

import type { Name, Path } from "../tree/ast.ts";
import { eat, expectName, spanFrom, takeName, type Cursor } from "./cursor.ts";

export function parsePath(p: Cursor): Path {
  const start = p.token.start;
  const segments: Name[] = [takeName(p)];
  while (eat(p, "::")) segments.push(expectName(p, "a name after `::`"));
  return { kind: "path", segments, span: spanFrom(p, start) };
}

/** A path of one name. */
export function pathOf(name: Name): Path {
  return { kind: "path", segments: [name], span: name.span };
}

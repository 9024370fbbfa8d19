// Paths that may begin with a module: `m::f`.

import type * as ast from "../../syntax/tree/ast.ts";
import { isBuiltinModule } from "./builtin-modules.ts";
import type { Place } from "../context.ts";
import { alongPath, type Found } from "./modules.ts";
import { lookUpModule } from "./scope.ts";

/**
 * Follows a path through its modules. `undefined` if the path does not begin with a module, "wrong"
 * after a report.
 */
export function throughModules(place: Place, path: ast.Path): Found | "wrong" | undefined {
  const { segments, span } = path;
  const [first] = segments;
  if (segments.length < 2 || !first) return undefined;
  if (place.scope.names.get(first.text)?.kind === "wrong") return "wrong";
  if (!lookUpModule(place.scope, first.text) && !isBuiltinModule(first.text, span.source))
    return undefined;
  return alongPath(place, path);
}

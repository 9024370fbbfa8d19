// `e where c` inside an expression: a guard of the call or reduction before it. The `where` of a
// declaration is in `declarations.ts`, and its items are in `where.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import { refuse, type Place } from "../context.ts";
import { expression } from "../elaborate.ts";
import { callFunction } from "../calls/functions.ts";
import { throughModules } from "../names/module-paths.ts";
import { lookUpFunction, type FunctionBinding } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";
import { distribute } from "../statements/where.ts";

export function guardedOf(place: Place, e: ast.Guarded): Typed {
  const named = namedCall(place, e);
  if (named) return callFunction(place, named.callee, named.call, e.where);
  const moved = distribute(place, e.value, e.where);
  if (!moved.where) return expression(place, moved.value);
  return refuse(
    place,
    "E0308",
    "`where` here belongs to no reduction and no declaration",
    e.where.span,
    {
      help:
        "write it inside the reduction, `sum[i](x[i] where x[i] > 0)`, " +
        "or at the end of the `let`",
    },
  );
}

/** `f[i](x[i]) where c`: a call with a bracket whose callee is a named function. */
function namedCall(
  place: Place,
  { value }: ast.Guarded,
): { readonly callee: FunctionBinding; readonly call: ast.Call } | undefined {
  if (value.kind !== "call" || !value.bracket || value.callee.kind !== "path") return undefined;
  const { segments } = value.callee;
  const found = throughModules(place, value.callee);
  const at = found && found !== "wrong" ? found : undefined;
  const [name] = at?.path.segments ?? segments;
  if (!name || (!at && segments.length !== 1)) return undefined;
  const callee = lookUpFunction((at?.place ?? place).scope, name.text);
  return callee && { callee, call: value };
}

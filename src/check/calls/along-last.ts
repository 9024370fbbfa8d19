// The help for a call that does not say along which axis a function works. The last axis is the
// most likely one:
//
//   softmax(x) of a matrix      `let y[i, j] = softmax[j](x[i, j]);`

import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { textOf } from "../../base/source.ts";
import { freshNames } from "../names/fresh-names.ts";
import type { Typed } from "../types/typed.ts";
import type { Bound } from "./bound.ts";

/**
 * The call with coordinates. Undefined if the function works along several coordinates, if its
 * result has no declared type, or if the argument has no name or a single axis.
 */
export function alongLast(
  { call, coordinates, result }: Bound,
  { span }: Typed,
  rank: number,
  callerName?: string,
): Repair | undefined {
  const text = textOf(span);
  if (!call || coordinates?.size !== 1 || rank < 2 || !/^\w+$/.test(text)) return undefined;
  if (result?.kind !== "tensor") return undefined;
  const fresh = freshNames(rank, `${textOf(call.span)} ${callerName ?? ""}`);
  const names = [...fresh.slice(0, rank - 1), callerName ?? fresh[rank - 1]!];
  const indexed = `${text}[${names.join(", ")}]`;
  const given = call.arguments.map((argument) =>
    argument.value.span.start === span.start ? indexed : textOf(argument.span),
  );
  if (!given.includes(indexed)) return undefined;
  const value = `${textOf(call.callee.span)}[${names.at(-1)!}](${given.join(", ")})`;
  const isKept = result.dims?.some((dim) => dim.kind === "name" && coordinates.has(dim.name.text));
  const left = (isKept ? names : names.slice(0, -1)).join(", ");
  const block = `{ let y[${left}] = ${value}; y }`;
  return {
    help: `say along which axis, for example the last: \`let y[${left}] = ${value};\``,
    ...fixed("work along the last axis", ...(text === "y" ? [] : [replace(call.span, block)])),
  };
}

// Finds the first cell that is not finite when the denominator moves a little, and the guard that
// keeps the operation of this cell inside its domain.

import { isInLibrary, positionOf, textOf, type Span } from "../../base/source.ts";
import { Fault, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Definition } from "../../ir/program.ts";
import { movingBy, type Setting } from "./moving.ts";

/** How far each cell is moved, relative to its size. */
const step = 1e-3;

/** As text: "first, `a[1, 0]` is NaN (line 3): guard `log(A[i, j])` by `where A[i, j] > 0.0`". */
export function firstInfinite(
  setting: Setting,
  of: Definition,
  wrt: Definition,
): string | undefined {
  const moving = movingBy({ ...setting, trap: "nan" }, wrt);
  const still = moving.point.map(() => 0);
  const base = stopOf(() => moving.moved(still, of));
  // A value without the denominator may be infinite on purpose, as a mask is.
  if (base) return mentions(base, wrt) ? inWords(base) : undefined;
  for (const [k, x] of moving.point.entries())
    for (const by of [-step, step]) {
      const cells = still.with(k, by * Math.max(1, Math.abs(x)));
      const stop = stopOf(() => moving.moved(cells, of));
      if (stop) return inWords(stop);
    }
  return undefined;
}

function mentions({ span }: Diagnostic, { name }: Definition): boolean {
  return span !== undefined && new RegExp(`\\b${name}\\b`).test(textOf(span));
}

function stopOf(run: () => unknown): Diagnostic | undefined {
  try {
    run();
    return undefined;
  } catch (failure) {
    if (!(failure instanceof Fault)) throw failure;
    return failure.diagnostic;
  }
}

function inWords({ code, title, span }: Diagnostic): string | undefined {
  if (code !== "E0907" || !span || isInLibrary(span)) return undefined;
  const { line } = positionOf(span.source, span.start);
  const guarded = guardOf(span);
  const way = guarded === undefined ? "" : `: guard ${guarded}`;
  return `first, ${title} (line ${line})${way}`;
}

/**
 * `log(…)` or `sqrt(…)` with a guard, if it is the only operation with a domain in the statement.
 */
function guardOf(span: Span): string | undefined {
  const text = textOf(span);
  const [only, ...others] = [...text.matchAll(/\b(?:log|sqrt)\(/g)];
  if (!only || others.length > 0) return undefined;
  const from = only.index + only[0].length;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if ("([".includes(text[at]!)) depth++;
    else if (")]".includes(text[at]!) && --depth < 0) {
      const operand = text.slice(from, at);
      // An operand without an index has no cells that a guard could leave out.
      if (operand.includes("\n") || !operand.includes("[")) return undefined;
      return `\`${text.slice(only.index, at + 1)}\` by \`where ${operand} > 0.0\``;
    }
  }
  return undefined;
}

// Shows the values from which an expression was computed, as `text = value`, for messages about a
// value that should not have come out.

import { showScalar } from "../../../scalar/values/show.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { textOf } from "../../../base/source.ts";
import type { Machine } from "../machine.ts";
import { compile } from "./scalars.ts";

/** How many operands a message shows. More would not help a reader. */
const mostShown = 6;

/** The reads of an expression with their values. The coordinates must still have their values. */
export function operandsOf(machine: Machine, scalar: Scalar): readonly string[] {
  const shown = new Map<string, string>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "read" || shown.size >= mostShown) return;
    const text = textOf(part.span);
    if (shown.has(text)) return;
    try {
      shown.set(text, showScalar(part.type, compile(machine, part)()));
    } catch {
      // A read in a branch that was not taken may be out of bounds. It did not contribute to the
      // value.
    }
  });
  return [...shown].map(([text, value]) => `${text} = ${value}`);
}

/**
 * The values from which a local name was computed: other names, which are finite, because a trap
 * would have stopped at them before, and reads.
 */
export function finiteOperands(machine: Machine, { value }: Local): readonly string[] {
  const names = new Map<string, string>();
  eachScalar(value, (part) => {
    if (part.kind !== "local" || names.size >= mostShown) return;
    names.set(part.local.name, showScalar(part.type, compile(machine, part)()));
  });
  const named = [...names].map(([name, shown]) => `${name} = ${shown}`);
  return [...named, ...operandsOf(machine, value)].slice(0, mostShown);
}

/** The two sides of every comparison in a condition: `a > 3` compares 2 and 3. */
export function comparisonsIn(machine: Machine, condition: Scalar): readonly string[] {
  const shown = new Map<string, string>();
  eachScalar(condition, (part) => {
    if (
      part.kind !== "apply" ||
      part.type !== "bool" ||
      part.within === "bool" ||
      shown.size >= mostShown
    )
      return;
    try {
      const sides = part.operands.map((operand) =>
        showScalar(operand.type, compile(machine, operand)()),
      );
      shown.set(textOf(part.span), sides.join(" and "));
    } catch {
      // The other side of `&&` and `||` may contain an expression that has no value.
    }
  });
  return [...shown].map(([text, sides]) => `\`${text}\` compares ${sides}`);
}

// What an expression was computed from, as `text = value`: for messages about a value that should
// not have come out.

import { showScalar } from "../../../scalar/values/show.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Local, Scalar } from "../../../ir/program.ts";
import { textOf } from "../../../base/source.ts";
import type { Machine } from "../machine.ts";
import { compile } from "./scalars.ts";

/** More would not help a reader. */
const most = 6;

/** The reads of an expression and what they gave; its coordinates must still stand. */
export function operandsOf(machine: Machine, scalar: Scalar): readonly string[] {
  const shown = new Map<string, string>();
  eachScalar(scalar, (part) => {
    if (part.kind !== "read" || shown.size >= most) return;
    const text = textOf(part.span);
    if (shown.has(text)) return;
    try {
      shown.set(text, showScalar(part.type, compile(machine, part)()));
    } catch {
      // A read of a branch that was not taken may be out of bounds; it took no part.
    }
  });
  return [...shown].map(([text, value]) => `${text} = ${value}`);
}

/**
 * What a local name was computed from: other names, which are finite or would have been met before,
 * and reads.
 */
export function finiteOperands(machine: Machine, { value }: Local): readonly string[] {
  const names = new Map<string, string>();
  eachScalar(value, (part) => {
    if (part.kind !== "local" || names.size >= most) return;
    names.set(part.local.name, showScalar(part.type, compile(machine, part)()));
  });
  const named = [...names].map(([name, shown]) => `${name} = ${shown}`);
  return [...named, ...operandsOf(machine, value)].slice(0, most);
}

/** The sides of every comparison in a condition: `a > 3` compares 2 and 3. */
export function comparisonsIn(machine: Machine, condition: Scalar): readonly string[] {
  const shown = new Map<string, string>();
  eachScalar(condition, (part) => {
    if (
      part.kind !== "apply" ||
      part.type !== "bool" ||
      part.within === "bool" ||
      shown.size >= most
    )
      return;
    try {
      const sides = part.operands.map((operand) =>
        showScalar(operand.type, compile(machine, operand)()),
      );
      shown.set(textOf(part.span), sides.join(" and "));
    } catch {
      // Behind `&&` and `||` there may be something that has no value.
    }
  });
  return [...shown].map(([text, sides]) => `\`${text}\` compares ${sides}`);
}

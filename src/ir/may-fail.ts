// Whether evaluating a scalar can end the run: then it may be evaluated only where its value is used.

import { decided } from "../check/types.ts";
import type { Typed } from "../check/typed.ts";
import { isFloat } from "./scalar/types.ts";

/** What is known of a value; many names may lead to it, and it is looked at once. */
const answers = new WeakMap<Typed, boolean>();

export function mayFail(value: Typed | undefined): boolean {
  if (!value) return false;
  let answer = answers.get(value);
  if (answer === undefined) answers.set(value, (answer = canEndTheRun(value)));
  return answer;
}

function canEndTheRun(value: Typed): boolean {
  switch (value.kind) {
    case "read":
      return !value.indices.every((index) => index.kind === "constant") || mayFail(value.base);
    case "apply":
      return isCheckedOperation(value) || value.operands.some(mayFail);
    case "cast":
      return mayFail(value.operand);
    case "select":
      return mayFail(value.condition) || mayFail(value.then) || mayFail(value.otherwise);
    case "block":
      return mayFail(value.value);
    case "reference":
      return value.binding.kind === "value" && !value.binding.global && mayFail(value.binding.value);
    case "call":
      return true;
    // What becomes a definition of its own is evaluated before anything that uses it.
    default:
      return false;
  }
}

/** Integers have divisors and exponents that they do not take. */
function isCheckedOperation({ operation, operands, type }: Extract<Typed, { kind: "apply" }>): boolean {
  const [, second] = operands;
  if (second?.kind === "constant" && Number(second.value) > 0) return false;
  return (
    (operation === "divide" || operation === "remainder" || operation === "power") && !isFloat(decided(type.element))
  );
}

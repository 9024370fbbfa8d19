// `x |> f`: a call whose first argument comes before it. Other calls are in `calls.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import { attemptCheck } from "../attempt.ts";
import { callValue } from "../calls/held/call-value.ts";
import { callOf } from "../calls/calls.ts";
import type { Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";

/**
 * `x |> f` is `f(x)`. If `f(a)` is a function, `x |> f(a)` is `f(a)(x)`; otherwise it is `f(x, a)`.
 */
export function pipeline(place: Place, e: ast.Binary): Typed {
  const first: ast.Argument = { value: e.left, span: e.left.span };
  const call: ast.Call = { kind: "call", callee: e.right, arguments: [first], span: e.span };
  if (e.right.kind !== "call") return callOf(place, call);
  const { right } = e;
  let given: Typed | undefined;
  const step = attemptCheck(place, () => (given = callOf(place, right)));
  if (!step.isWrong && given?.type.kind === "function") return callValue(place, step.keep(), call);
  step.undo();
  const filled: ast.Call = { ...right, arguments: [first, ...right.arguments], span: e.span };
  const whole = attemptCheck(place, () => callOf(place, filled));
  // If `f(a)` has a mistake of its own, that mistake is reported.
  const isStepWrong =
    step.isWrong && step.said.length > 0 && step.said.every(({ code }) => code !== "E0501");
  if (!whole.isWrong || !isStepWrong) return whole.keep();
  whole.undo();
  return step.keep();
}

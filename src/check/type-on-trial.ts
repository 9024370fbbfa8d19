// The type of an expression that a message asks about. Nothing of the trial is kept.

import type * as ast from "../syntax/tree/ast.ts";
import { attemptCheck } from "./attempt.ts";
import { newFrame, type Place } from "./context.ts";
import { expression } from "./elaborate.ts";
import type { Typed } from "./types/typed.ts";
import type { TensorType } from "./types/types.ts";

/** The type of a tensor or scalar. Undefined if the expression is wrong, or has another type. */
export function typeOnTrial(place: Place, e: ast.Expression): TensorType | undefined {
  const apart: Place = { ...place, frame: newFrame() };
  let type: Typed["type"] | undefined;
  const tried = attemptCheck(apart, () => {
    const value = expression(apart, e);
    ({ type } = value);
    return value;
  });
  tried.undo();
  return tried.isWrong || type?.kind !== "tensor" ? undefined : type;
}

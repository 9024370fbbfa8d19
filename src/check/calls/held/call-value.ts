// Calls of values that are functions: a lambda, a function under another name, or a choice of
// functions. `closures.ts` makes these values.

import { arityOf, type OperationName } from "../../../scalar/operations.ts";
import type * as ast from "../../../syntax/tree/ast.ts";
import { choose } from "../../values/choose.ts";
import { refuse, silent, underBranch, wrongAt, type Place } from "../../context.ts";
import { areCount, counted } from "../../lints/count.ts";
import { forgottenEnd } from "../../lints/forgotten-end.ts";
import { callFunction } from "../functions.ts";
import { apply } from "../../expressions/operators.ts";
import { scopeInside } from "../../names/scope.ts";
import { inBlock, share } from "../../values/share.ts";
import type { Typed } from "../../types/typed.ts";
import { showType } from "../../types/types.ts";
import { underCondition } from "../../ranges/under-condition.ts";
import { expression } from "../../elaborate.ts";

/**
 * Calls a value. The arguments are checked once, even if the value may be one of several functions.
 */
export function callValue(place: Place, callee: Typed, e: ast.Call): Typed {
  if (callee.kind === "wrong") return silent(place, e.span);
  if (callee.type.kind !== "function") {
    return (
      forgottenEnd(place, e.callee.span, e.span) ??
      refuse(place, "E0202", `this is ${showType(callee.type)}, not a function`, e.callee.span)
    );
  }
  if (isOneFunction(callee)) return callOne(place, callee, e);
  const keyword = e.arguments.find((argument) => argument.name);
  if (keyword) {
    return refuse(
      place,
      "E0502",
      "a function chosen at run time takes its arguments by position",
      keyword.span,
    );
  }
  const scope = scopeInside(place.scope);
  const shared = e.arguments.map((argument, k) => {
    const value = expression(place, argument.value);
    // No name of a program contains a blank.
    return share(place, { text: `argument ${k}`, span: argument.span }, value);
  });
  if (shared.some(({ value }) => value.kind === "wrong")) return wrongAt(e.span);
  const callWithNames: ast.Call = {
    ...e,
    arguments: e.arguments.map((argument, k) => {
      const name: ast.Name = { text: `argument ${k}`, span: argument.span };
      const { value } = shared[k]!;
      scope.names.set(name.text, {
        kind: "value",
        role: "parameter",
        name: `argument${k}`,
        span: argument.span,
        type: value.type,
        value,
      });
      return {
        value: { kind: "path", segments: [name], span: argument.span },
        span: argument.span,
      };
    }),
  };
  const result = callOne({ ...place, scope }, callee, callWithNames);
  return inBlock(
    shared.flatMap(({ bindings }) => bindings),
    result,
  );
}

/** Whether a value is one known function. */
function isOneFunction(value: Typed): boolean {
  switch (value.kind) {
    case "closure":
      return true;
    case "block":
      return isOneFunction(value.value);
    case "reference":
      return (
        value.binding.kind === "value" &&
        value.binding.value !== undefined &&
        isOneFunction(value.binding.value)
      );
    default:
      return false;
  }
}

function callOne(place: Place, callee: Typed, e: ast.Call): Typed {
  switch (callee.kind) {
    case "closure":
      return typeof callee.callee === "string"
        ? callOperation(place, callee.callee, e)
        : callFunction(place, callee.callee, e);
    case "reference":
      if (callee.binding.kind === "value" && callee.binding.value)
        return callOne(place, callee.binding.value, e);
      return silent(place, e.span);
    case "block": {
      const value = callOne(place, callee.value, e);
      return value.kind === "wrong" ? value : { ...callee, value, type: value.type, span: e.span };
    }
    case "select": {
      const { condition } = callee;
      const inside = underCondition(place, condition);
      const then = callOne(underBranch(inside, condition, true), callee.then, e);
      const otherwise = callOne(underBranch(inside, condition, false), callee.otherwise, e);
      return choose(place, condition, then, otherwise, e.span, "branches of `if`");
    }
    default:
      return silent(place, e.span);
  }
}

function callOperation(place: Place, operation: OperationName, e: ast.Call): Typed {
  const arity = arityOf(operation);
  if (e.arguments.length !== arity || e.arguments.some((argument) => argument.name)) {
    const takes = `this function takes ${counted(arity, "argument")} by position`;
    const title = `${takes}, here ${areCount(e.arguments.length)}`;
    return refuse(place, "E0501", title, e.span);
  }
  const values = e.arguments.map((argument) => expression(place, argument.value));
  return apply(place, operation, values, e.span);
}

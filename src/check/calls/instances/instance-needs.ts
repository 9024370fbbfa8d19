// What an instance cannot contain: tensors that differ from call to call, and derivatives.

import { constantOf, ofVariable, subtract } from "../../../affine/term.ts";
import { outerVariables, type Enclosing } from "../../ranges/outer-variables.ts";
import { isFloat } from "../../../scalar/types.ts";
import type { Checker } from "../../context.ts";
import { integerTerm } from "../../types/integers.ts";
import type {
  Clause,
  Read,
  Request,
  TensorBinding,
  Typed,
  ValueBinding,
} from "../../types/typed.ts";
import { decided, type TensorType } from "../../types/types.ts";

/** Why an instance is made. The reason decides what its body may contain. */
export type Reason = "recursive" | "makes arrays" | "many calls";

/** The words for a part that an instance cannot contain, and the help. */
export function wordsOfNeed(
  part: Typed,
  reason: Reason,
): { readonly what: string; readonly help: string } {
  if (part.kind === "request" || part.kind === "ruled") {
    const help =
      "write the steps as a recurrence: `let x[t in 1..n] = " +
      "x[t - 1] - 0.1 * @y[t - 1] / @x[t - 1];`";
    return { what: "a derivative", help };
  }
  if (reason === "makes arrays")
    return {
      what: "a recurrence",
      help: "turn it round, so that it runs upward and reads itself alone",
    };
  const what = part.kind === "reduce" ? `\`${part.reduction}\`` : "a tensor";
  return {
    what,
    help: "move it into a function of its own that is called with the finished values",
  };
}

/**
 * Whether a value is the derivative of a number, where the numerator or the denominator differs
 * from call to call. Such a derivative is taken inside the instance.
 */
export function isSlope(value: Typed, variables: Enclosing): value is Request {
  if (value.kind !== "request" || value.step !== undefined || value.turned) return false;
  const { numerator, denominator } = value;
  if (
    denominator.type.kind !== "tensor" ||
    numerator.type.kind !== "tensor" ||
    numerator.type.axes.length > 0
  )
    return false;
  return outerVariables([value], variables).length > 0;
}

/** Whether a name stands for a value that differs from call to call. */
function differsByCall(binding: Request["denominator"], variables: Enclosing): boolean {
  const { type, span } = binding;
  return (
    outerVariables([{ kind: "reference", binding, type: type as TensorType, span }], variables)
      .length > 0
  );
}

/** Whether a tensor reads no other unfinished tensor, and is made from its first cell upward. */
function runsUpward(unfinished: readonly TensorBinding[], binding: TensorBinding): boolean {
  const isReversed = ({ slots }: TensorBinding["clauses"][number]): boolean =>
    slots.some((slot) => slot.kind === "binder" && slot.binder.reversed);
  return unfinished.at(-1) === binding && !binding.clauses.some(isReversed);
}

/** The first part of a value that an instance made for this reason cannot contain. */
export function findUnfitPart(
  checker: Checker,
  root: Typed,
  variables: Enclosing,
  reason: Reason,
): Typed | undefined {
  return reason === "makes arrays"
    ? findBeyondLoops(checker, root, variables)
    : findTensor(root, variables, reason);
}

/**
 * Whether a clause reads a later cell of its own tensor. The first axis where the read differs from
 * the cell decides.
 */
function readsAhead(checker: Checker, { slots }: Clause, { indices }: Read): boolean {
  for (const [k, index] of indices.entries()) {
    const slot = slots[k]!;
    const here = slot.kind === "fixed" ? slot.at : ofVariable(slot.binder.variable);
    const ahead = constantOf(subtract(integerTerm(checker, index), here));
    if (ahead !== 0) return ahead !== undefined && ahead > 0;
  }
  return false;
}

/**
 * The first part that an instance with loops cannot contain. Loops make tensors, reductions and
 * recurrences that run upward, but no derivatives, rules or other recurrences.
 */
function findBeyondLoops(checker: Checker, root: Typed, variables: Enclosing): Typed | undefined {
  const seen = new Set<object>();
  const unfinished: TensorBinding[] = [];
  const clauses = new Map<object, Clause>();
  const visit = (node: object): Typed | undefined => {
    if ("kind" in node && isSlope(node as Typed, variables))
      return visit((node as Request).numerator);
    if ("kind" in node && (node.kind === "request" || node.kind === "ruled"))
      return outerVariables([node as Typed], variables).length > 0 ? (node as Typed) : undefined;
    if ("kind" in node && node.kind === "reference") {
      const { binding } = node as Extract<Typed, { kind: "reference" }>;
      if (binding.kind === "tensor" && unfinished.includes(binding))
        return runsUpward(unfinished, binding) ? undefined : (node as Typed);
      return binding.global ? undefined : visitBinding(binding);
    }
    if ("clauses" in node) return visitBinding(node as TensorBinding);
    if (seen.has(node)) return undefined;
    seen.add(node);
    if ("kind" in node && node.kind === "read") {
      const read = node as Read;
      const making = read.base.kind === "reference" ? clauses.get(read.base.binding) : undefined;
      if (making && readsAhead(checker, making, read)) return read;
    }
    return visitParts(node);
  };
  const visitParts = (node: object): Typed | undefined => {
    for (const [key, child] of Object.entries(node)) {
      if (
        key === "span" ||
        key === "type" ||
        key === "term" ||
        key === "function" ||
        key === "layout"
      )
        continue;
      const found =
        typeof child === "object" && child !== null ? visit(child as object) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  const visitBinding = (binding: ValueBinding | TensorBinding): Typed | undefined => {
    if (binding.kind === "value") return binding.value && visit(binding.value);
    if (seen.has(binding) || outerVariables([binding], variables).length === 0) return undefined;
    seen.add(binding);
    unfinished.push(binding);
    let found: Typed | undefined;
    for (const clause of binding.clauses) {
      clauses.set(binding, clause);
      found ??= visitParts(clause);
    }
    clauses.delete(binding);
    unfinished.pop();
    return found;
  };
  return visit(root);
}

/**
 * The first part that needs a tensor definition for each list of arguments. An instance for many
 * calls reads no floats from tensors either, because its derivative goes through its parameters
 * only.
 */
function findTensor(root: Typed, variables: Enclosing, reason: Reason): Typed | undefined {
  const seen = new Set<ValueBinding>();
  const isFloatTensor = (value: Typed): boolean =>
    reason === "many calls" &&
    value.type.kind === "tensor" &&
    value.type.axes.length > 0 &&
    isFloat(decided(value.type.element));
  const visit = (value: Typed): Typed | undefined => {
    const first = (parts: readonly Typed[]): Typed | undefined => {
      for (const part of parts) {
        const found = visit(part);
        if (found) return found;
      }
      return undefined;
    };
    switch (value.kind) {
      case "reduce":
      case "abstract":
      case "array":
      case "request":
      case "ruled":
        if (isSlope(value, variables) && differsByCall(value.denominator, variables))
          return visit(value.numerator);
        return isFloatTensor(value) || outerVariables([value], variables).length > 0
          ? value
          : undefined;
      case "reference": {
        const { binding } = value;
        if (isFloatTensor(value)) return value;
        if (binding.kind === "tensor")
          return outerVariables([value], variables).length > 0 ? value : undefined;
        if (!binding.value || binding.global || seen.has(binding)) return undefined;
        seen.add(binding);
        return visit(binding.value);
      }
      case "read":
        return first([value.base, ...value.indices]);
      case "apply":
        return first(value.operands);
      case "cast":
        return visit(value.operand);
      case "select":
        return first([value.condition, value.then, value.otherwise]);
      case "block":
        return visit(value.value);
      case "call":
        return first(value.invocation.arguments);
      case "data":
        return first(value.operands);
      default:
        return undefined;
    }
  };
  return visit(root);
}

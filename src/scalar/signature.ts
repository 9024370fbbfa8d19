// The typing rule of a scalar operation as data: which operands have the same type, which types
// they may have, and the type of the result. For example, `comparison("numeric")` takes two numbers
// of one type and gives a bool.

import { belongsTo, classNames } from "./types.ts";
import type { ElementClass, ElementType } from "./types.ts";

/**
 * Operands with the same variable have the same type. The operation is evaluated in the type `T`.
 */
type TypeVariable = "T" | "S" | "N";

export interface Signature {
  readonly operands: readonly (TypeVariable | "bool")[];
  readonly accepts: Partial<Record<TypeVariable, ElementClass>>;
  readonly result: "T" | "bool" | "f32";
}

export const unary = (accepts: ElementClass): Signature => ({
  operands: ["T"],
  accepts: { T: accepts },
  result: "T",
});
export const binary = (accepts: ElementClass): Signature => ({
  ...unary(accepts),
  operands: ["T", "T"],
});
export const ternary = (accepts: ElementClass): Signature => ({
  ...unary(accepts),
  operands: ["T", "T", "T"],
});
export const comparison = (accepts: ElementClass): Signature => ({
  ...binary(accepts),
  result: "bool",
});
export const choice: Signature = {
  operands: ["bool", "T", "T"],
  accepts: { T: "any" },
  result: "T",
};
export const floatDraw: Signature = {
  operands: ["S", "N"],
  accepts: { S: "integer", N: "integer" },
  result: "f32",
};
export const integerDraw: Signature = {
  operands: ["S", "N", "T", "T"],
  accepts: { S: "integer", N: "integer", T: "integer" },
  result: "T",
};

/** Why operands do not fit. `operand` is the position of the first wrong operand. */
type TypeProblem =
  | { readonly kind: "count"; readonly expected: number; readonly found: number }
  | {
      readonly kind: "operand";
      readonly operand: number;
      readonly found: ElementType;
      readonly expected: string;
    }
  /** Two operands that must have one type and do not. `other` is the earlier one. */
  | {
      readonly kind: "mixed";
      readonly operand: number;
      readonly other: number;
      readonly found: ElementType;
      readonly expected: ElementType;
    };

export type Typed = { readonly type: ElementType } | { readonly problem: TypeProblem };

/** The type of the result for operands of the given types, or the problem with them. */
export function applySignature(signature: Signature, operands: readonly ElementType[]): Typed {
  if (operands.length !== signature.operands.length) {
    return {
      problem: { kind: "count", expected: signature.operands.length, found: operands.length },
    };
  }
  const solved = new Map<TypeVariable, { readonly type: ElementType; readonly operand: number }>();
  for (const [operand, slot] of signature.operands.entries()) {
    const found = operands[operand]!;
    if (slot === "bool") {
      if (found !== "bool")
        return { problem: { kind: "operand", operand, found, expected: "bool" } };
      continue;
    }
    const accepted = signature.accepts[slot] ?? "any";
    if (!belongsTo(found, accepted)) {
      return { problem: { kind: "operand", operand, found, expected: classNames[accepted] } };
    }
    const earlier = solved.get(slot);
    if (!earlier) solved.set(slot, { type: found, operand });
    else if (earlier.type !== found) {
      return {
        problem: { kind: "mixed", operand, other: earlier.operand, found, expected: earlier.type },
      };
    }
  }
  return { type: signature.result === "T" ? solved.get("T")!.type : signature.result };
}

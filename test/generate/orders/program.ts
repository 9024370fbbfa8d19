// The description of a program of the derivative fuzzer. Its text and its expected numbers are both
// made from this description.

/** An integer: `i`, `i + 1`, `(i + 1) % 3`, `at[i]`. */
export type Index =
  | { readonly kind: "number"; readonly value: number }
  | {
      readonly kind: "coordinate";
      readonly name: string;
      readonly plus: number;
      readonly modulo?: number;
    }
  | { readonly kind: "lookup"; readonly name: string; readonly at: Index };

export type Condition =
  | {
      readonly kind: "compare";
      readonly operation: "<" | "<=" | "==" | "!=";
      readonly left: Index;
      readonly right: Index;
    }
  /** A comparison with a number. The value must not be close to it. */
  | { readonly kind: "above"; readonly of: Expression; readonly than: number };

export interface Loop {
  readonly name: string;
  readonly from: Index;
  readonly to: Index;
}

export type Unary =
  | "negate"
  | "exp"
  | "log"
  | "sqrt"
  | "sin"
  | "cos"
  | "tan"
  | "tanh"
  | "sigmoid"
  | "erf"
  | "log1p"
  | "expm1"
  | "abs"
  | "relu"
  | "floor";

export type Binary = "+" | "-" | "*" | "/" | "%" | "**" | "max" | "min";

export type Reduction = "sum" | "prod" | "mean" | "max" | "min" | "logsumexp";

export type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "position"; readonly index: Index }
  | { readonly kind: "read"; readonly name: string; readonly at: readonly Index[] }
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "unary"; readonly operation: Unary; readonly of: Expression }
  | {
      readonly kind: "binary";
      readonly operation: Binary;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "clamp"; readonly of: Expression; readonly low: number; readonly high: number }
  | {
      readonly kind: "if";
      readonly condition: Condition;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | {
      readonly kind: "let";
      readonly name: string;
      readonly value: Expression;
      readonly body: Expression;
    }
  /** `@of / @by` of two local names. */
  | { readonly kind: "slope"; readonly of: string; readonly by: string }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly integers: readonly Index[];
      readonly floats: readonly Expression[];
    }
  | {
      readonly kind: "reduce";
      readonly operation: Reduction;
      readonly along: readonly Loop[];
      readonly guard?: Condition | undefined;
      readonly of: Expression;
    };

export interface Clause {
  /** A range, or one position. */
  readonly slots: readonly (Loop | number)[];
  readonly guard?: Condition | undefined;
  readonly body: Expression;
  readonly otherwise?: Expression | undefined;
}

export type Statement =
  | {
      readonly kind: "input";
      readonly name: string;
      readonly shape: readonly number[];
      readonly cells: readonly number[];
      /** The array is written into the text instead of being an input. */
      readonly isLiteral: boolean;
    }
  | {
      readonly kind: "integers";
      readonly name: string;
      readonly cells: readonly number[];
      readonly isLiteral: boolean;
    }
  | {
      readonly kind: "function";
      readonly name: string;
      readonly integers: readonly string[];
      readonly floats: readonly string[];
      readonly body: Expression;
      /** A rule for the function, as text. It is the derivative of the body in another form. */
      readonly rule?: string;
    }
  | {
      readonly kind: "define";
      readonly name: string;
      readonly shape: readonly number[];
      readonly clauses: readonly Clause[];
    }
  /**
   * `let name = @of / @by;`, with or without the coordinates of both. `@of[1] / @by` asks for a
   * cell, and `let name[t] = @of[t] / @by[t];` for each step of a recurrence.
   */
  | {
      readonly kind: "request";
      readonly name: string;
      readonly of: string;
      readonly by: string;
      readonly ofShape: readonly number[];
      readonly byShape: readonly number[];
      readonly isIndexed: boolean;
      readonly cell?: readonly number[];
      readonly inSteps?: boolean;
    };

export type Program = readonly Statement[];

export function shapeOf(statement: Statement): readonly number[] | undefined {
  switch (statement.kind) {
    case "input":
    case "define":
      return statement.shape;
    case "request":
      return statement.inSteps ? statement.byShape : [...statement.ofShape, ...statement.byShape];
    default:
      return undefined;
  }
}

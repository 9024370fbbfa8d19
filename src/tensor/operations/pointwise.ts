// The operations on eager tensors, each as a definition in Einlang. How definitions are compiled
// and recorded is in `core`.
//
// Operations that work cell by cell, with NumPy's broadcasting. Each operation is one row of a
// table, with its Einlang expression.

import { isFloat, isInteger } from "../../scalar/types.ts";
import type { TensorType } from "../core/definition.ts";
import { TensorError } from "../core/error.ts";
import { cell, indexedPlan } from "../core/indexed.ts";
import type { Form, Operation } from "../core/operation.ts";
import { broadcastPattern } from "../core/pattern.ts";
import { broadcast } from "../core/shape.ts";

/** The types to which operands are cast, and the type of the result. */
type Kind = "number" | "float" | "comparison" | "choice" | "bool";

interface Row {
  readonly kind: Kind;
  /** The expression of one cell of the result. */
  readonly value: (...operands: readonly string[]) => string;
  readonly calls?: Called;
}

/** A function that the definition calls, and the rule for its tangent, which only floats need. */
interface Called {
  readonly fn: string;
  readonly rule: string;
}

// Eager tensors follow PyTorch here: where the operands are equal, or both NaN, they share the
// gradient evenly. (In the language the first operand gets all of it.) A NaN beside a number gets
// the gradient.
const maximum: Called = {
  fn: "fn maximum(a: num, b: num) -> num { max(a, b) }",
  rule:
    "@fn maximum(a: num, b: num) { if a == b || a != a && b != " +
    "b { 0.5 * @a + 0.5 * @b } else if a < b || b != b { @b } else { @a } }",
};
const minimum: Called = {
  fn: "fn minimum(a: num, b: num) -> num { min(a, b) }",
  rule:
    "@fn minimum(a: num, b: num) { if a == b || a != a && b != " +
    "b { 0.5 * @a + 0.5 * @b } else if a > b || b != b { @b } else { @a } }",
};
// Eager tensors follow PyTorch here: the slope at the bounds themselves is 0. (In the language it
// is 1 on the closed interval.)
const cut: Called = {
  fn: "fn cut(x: num, least: num, greatest: num) -> num { clamp(x, least, greatest) }",
  rule:
    "@fn cut(x: num, least: num, greatest: " +
    "num) { if x > least && x < greatest { @x } else { 0 } }",
};
const floor: Called = {
  fn: "fn at_least(x: num, least: num) -> num { max(x, least) }",
  rule: "@fn at_least(x: num, least: num) { if x > least { @x } else { 0 } }",
};
const ceiling: Called = {
  fn: "fn at_most(x: num, greatest: num) -> num { min(x, greatest) }",
  rule: "@fn at_most(x: num, greatest: num) { if x < greatest { @x } else { 0 } }",
};

const rows = {
  negative: { kind: "number", value: (a) => `-${a}` },
  add: { kind: "number", value: (a, b) => `${a} + ${b}` },
  subtract: { kind: "number", value: (a, b) => `${a} - ${b}` },
  addScaled: { kind: "number", value: (a, b, factor) => `${a} + ${factor} * ${b}` },
  multiply: { kind: "number", value: (a, b) => `${a} * ${b}` },
  divide: { kind: "float", value: (a, b) => `${a} / ${b}` },
  pow: { kind: "number", value: (a, b) => `${a} ** ${b}` },
  maximum: { kind: "number", value: (a, b) => `maximum(${a}, ${b})`, calls: maximum },
  minimum: { kind: "number", value: (a, b) => `minimum(${a}, ${b})`, calls: minimum },
  exp: { kind: "float", value: (a) => `exp(${a})` },
  log: { kind: "float", value: (a) => `log(${a})` },
  sqrt: { kind: "float", value: (a) => `sqrt(${a})` },
  tanh: { kind: "float", value: (a) => `tanh(${a})` },
  sigmoid: { kind: "float", value: (a) => `sigmoid(${a})` },
  relu: { kind: "number", value: (a) => `maximum(${a}, 0)`, calls: maximum },
  abs: { kind: "number", value: (a) => `abs(${a})` },
  sin: { kind: "float", value: (a) => `sin(${a})` },
  cos: { kind: "float", value: (a) => `cos(${a})` },
  erf: { kind: "float", value: (a) => `erf(${a})` },
  gelu: { kind: "float", value: (a) => `0.5 * ${a} * (1.0 + erf(${a} * 0.7071067811865476))` },
  // The approximation by tanh of Hendrycks and Gimpel (2016).
  geluTanh: {
    kind: "float",
    value: (a) => `0.5 * ${a} * (1.0 + tanh(0.7978845608028654 * (${a} + 0.044715 * ${a} ** 3.0)))`,
  },
  clamp: {
    kind: "number",
    value: (a, least, greatest) => `cut(${a}, ${least}, ${greatest})`,
    calls: cut,
  },
  atLeast: { kind: "number", value: (a, least) => `at_least(${a}, ${least})`, calls: floor },
  atMost: { kind: "number", value: (a, greatest) => `at_most(${a}, ${greatest})`, calls: ceiling },
  where: { kind: "choice", value: (c, a, b) => `if ${c} { ${a} } else { ${b} }` },
  equal: { kind: "comparison", value: (a, b) => `${a} == ${b}` },
  notEqual: { kind: "comparison", value: (a, b) => `${a} != ${b}` },
  less: { kind: "comparison", value: (a, b) => `${a} < ${b}` },
  lessEqual: { kind: "comparison", value: (a, b) => `${a} <= ${b}` },
  greater: { kind: "comparison", value: (a, b) => `${a} > ${b}` },
  greaterEqual: { kind: "comparison", value: (a, b) => `${a} >= ${b}` },
  logicalNot: { kind: "bool", value: (a) => `!${a}` },
  logicalAnd: { kind: "bool", value: (a, b) => `${a} && ${b}` },
  logicalOr: { kind: "bool", value: (a, b) => `${a} || ${b}` },
} as const satisfies Record<string, Row>;

export type PointwiseName = keyof typeof rows;

export const pointwise = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, operationOf(name, row)]),
) as unknown as Record<PointwiseName, Operation>;

function operationOf(name: string, row: Row): Operation {
  return {
    name,
    isDifferentiable: row.kind !== "comparison" && row.kind !== "bool",
    plan: (forms) => {
      const shape = broadcast(
        name,
        forms.map((form) => form.shape),
      );
      const { operands: types, result } = typesFor(name, row.kind, forms);
      return indexedPlan(forms, {
        shape,
        dtype: result,
        pattern: broadcastPattern(
          forms.map((form) => form.shape),
          shape,
        ),
        functions: row.calls
          ? [row.calls.fn, ...(isFloat(result) ? [row.calls.rule] : [])].join("\n")
          : "",
        lines: ({ out, slots, read }) =>
          `let ${cell(out, slots)} = ${row.value(...forms.map((_, k) => read(k, types[k])))};`,
      });
    },
  };
}

/** The types to which operands are cast, and the type of the result. */
function typesFor(
  name: string,
  kind: Kind,
  forms: readonly Form[],
): { readonly operands: readonly TensorType[]; readonly result: TensorType } {
  const types = forms.map(({ dtype }) => dtype);
  const all = (type: TensorType): readonly TensorType[] => types.map(() => type);
  switch (kind) {
    case "number": {
      const type = numberType(promoted(types));
      return { operands: all(type), result: type };
    }
    case "float": {
      const type = floatType(promoted(types));
      return { operands: all(type), result: type };
    }
    case "comparison":
      return { operands: all(promoted(types)), result: "bool" };
    case "choice": {
      if (types[0] !== "bool")
        throw new TensorError(`${name}: the condition is ${types[0]}, and bool is wanted`);
      const type = promoted(types.slice(1));
      return { operands: ["bool", ...types.slice(1).map(() => type)], result: type };
    }
    case "bool": {
      const wrong = types.find((type) => type !== "bool");
      if (wrong)
        throw new TensorError(
          `${name}: an operand is ${wrong}, and bool is wanted; compare it first`,
        );
      return { operands: types, result: "bool" };
    }
    default:
      return kind satisfies never;
  }
}

const width: Record<TensorType, number> = {
  bool: 0,
  i8: 1,
  i32: 2,
  i64: 3,
  f16: 4,
  bf16: 5,
  f32: 6,
  f64: 7,
};

/**
 * The common type of several types: a float wins over an integer, and the wider type over the
 * narrower.
 */
export function promoted(types: readonly TensorType[]): TensorType {
  const widest = types.reduce((found, type) => (width[type] > width[found] ? type : found));
  // f16 and bf16 cannot hold each other's values.
  return types.includes("f16") && types.includes("bf16") && widest === "bf16" ? "f32" : widest;
}

function floatType(type: TensorType): TensorType {
  return isFloat(type) ? type : "f32";
}

function numberType(type: TensorType): TensorType {
  return isFloat(type) || isInteger(type) ? type : "i32";
}

// Scalar expressions as JavaScript text. The text gives the same values as the closures of
// scalars.ts; it pays for expressions that are evaluated often. Names of the program's source never
// stand in the text.
//
//     2.0 * a   // for a parameter of f32: `Math.fround((2) * a0)`

import { constantOf, type Atom, type Term, type Variable } from "../../../affine/term.ts";
import { partsOf } from "../../../ir/parts.ts";
import type { Invocation, Local, Scalar } from "../../../ir/program.ts";
import type { OperationName } from "../../../scalar/operations.ts";
import { roundTo } from "../../../scalar/round.ts";
import { isFloat, zeroOf, type ElementType, type Scalar as Value } from "../../../scalar/types.ts";
import type { Machine } from "../machine.ts";
import {
  operationEvaluator,
  castEvaluator,
  dataEvaluator,
  textEvaluator,
  watchedOperation,
  watchesIntegers,
} from "./evaluators.ts";
import { watchedInteger } from "../wrapping.ts";

/** The values from outside that a text uses, under names of their own. */
export interface Outside {
  readonly given: (value: unknown) => string;
  /** The declarations of the names. They stand before everything else. */
  readonly prelude: () => string;
  readonly values: readonly unknown[];
}

export function newOutside(): Outside {
  const values: unknown[] = [];
  return {
    values,
    given: (value) => `c${values.push(value) - 1}`,
    prelude: () => values.map((_, k) => `const c${k} = $[${k}];`).join(" "),
  };
}

/**
 * Compiles a text that ends with `return`. In the text, `V` are the values of the machine's
 * variables.
 */
export function evaluateText(machine: Machine, outside: Outside, text: string): unknown {
  // The text is made of the program's own operations and numbers.
  // oxlint-disable-next-line typescript/no-implied-eval
  const compiled = new Function("$", "V", `"use strict";\n${outside.prelude()}\n${text}`) as (
    outside: readonly unknown[],
    values: readonly number[],
  ) => unknown;
  return compiled(outside.values, machine.values);
}

/** The surroundings of a text. */
interface Setting {
  readonly machine: Machine;
  readonly outside: Outside;
  /** The names of the variables that are not the machine's. */
  readonly variables: ReadonlyMap<Variable, string>;
  /** The calls whose value is kept because it is asked for more than once. */
  readonly shared: ReadonlySet<Invocation>;
  readonly call: (invocation: Invocation, given: readonly string[]) => string;
  readonly read: (
    scalar: Extract<Scalar, { kind: "read" }>,
    indices: readonly string[],
    fresh: () => string,
  ) => string;
}

export interface Writer {
  readonly outside: Outside;
  readonly text: (scalar: Scalar) => string;
  /** The text of a value that its owner looks at under a trap. */
  readonly whole: (scalar: Scalar) => string;
  /** The text of an integer as an index or a bound: not wrapped around, and never a bigint. */
  readonly integer: (scalar: Scalar) => string;
  readonly invocation: (invocation: Invocation) => string;
  /** The results of a call, or its one result, computed when first asked for. */
  readonly kept: (invocation: Invocation) => string;
  /** The declarations of all values that the texts keep. */
  readonly declarations: () => string;
}

/**
 * If the text of a kept value is longer, it becomes a function, so that chains of kept values do
 * not grow with every use.
 */
const longestInPlace = 160;

const infix: Partial<Record<OperationName, string>> = {
  equal: "===",
  notEqual: "!==",
  less: "<",
  lessEqual: "<=",
  greater: ">",
  greaterEqual: ">=",
};

const arithmetic: Partial<Record<OperationName, string>> = {
  add: "+",
  subtract: "-",
  multiply: "*",
  divide: "/",
};

export function newWriter({ machine, outside, variables, shared, call, read }: Setting): Writer {
  const kept = new Map<Local | Invocation, string>();
  const declared: string[] = [];
  const functions: string[] = [];
  const { given } = outside;
  const fresh = (): string => {
    const name = `v${declared.length}`;
    declared.push(name);
    return name;
  };

  /**
   * The text of a value that is computed when it is first asked for. A long text is written only
   * once.
   */
  const keep = (of: Local | Invocation, write: () => string): string => {
    let use = kept.get(of);
    if (use === undefined) {
      const name = fresh();
      const value = `(${name} ??= ${write()})`;
      if (value.length <= longestInPlace) use = value;
      else {
        functions.push(`const ${name}f = () => ${value};`);
        use = `${name}f()`;
      }
      kept.set(of, use);
    }
    return use;
  };

  const term = ({ constant, parts }: Term): string => {
    if (parts.length === 0) return `(${constant})`;
    const texts = parts.map(({ coefficient, factors }) => {
      const product = factors.map(atom).join(" * ");
      return coefficient === 1 ? product : `${coefficient} * ${product}`;
    });
    return `(${[...texts, ...(constant === 0 ? [] : [String(constant)])].join(" + ")})`;
  };
  const atom = (of: Atom): string => {
    switch (of.kind) {
      case "variable":
        return variables.get(of.variable) ?? `V[${machine.slotOf(of.variable)}]`;
      case "floor":
        return `Math.floor(${term(of.dividend)} / ${term(of.divisor)})`;
      case "min":
      case "max":
        return `Math.${of.kind}(${of.members.map(term).join(", ")})`;
      default:
        return of satisfies never;
    }
  };
  const invocation = (of: Invocation): string => call(of, of.arguments.map(text));
  const integer = (scalar: Scalar): string => {
    if (scalar.kind === "integer") return term(scalar.term);
    return scalar.type === "i64" ? `Number(${text(scalar)})` : text(scalar);
  };
  const conversion = (scalar: Extract<Scalar, { kind: "cast" }>): string => {
    const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
    const operand = text(scalar.operand);
    if (from === to) return operand;
    return (
      nativeCastText(from, to, operand) ?? `${given(castEvaluator(machine, scalar))}(${operand})`
    );
  };
  const operation = (scalar: Extract<Scalar, { kind: "apply" | "cast" }>): string => {
    if (scalar.kind === "cast") return conversion(scalar);
    const operands = scalar.operands.map(text);
    const [a, b] = operands;
    if (scalar.operation === "and") return `(${a} && ${b})`;
    if (scalar.operation === "or") return `(${a} || ${b})`;
    if (scalar.operation === "not") return `(!${a})`;
    const comparison = infix[scalar.operation];
    if (comparison) return `(${a} ${comparison} ${b})`;
    const type = machine.typeOf(scalar.within);
    if (watchesIntegers(machine, scalar))
      return `${given(operationEvaluator(machine, scalar))}(${operands.join(", ")})`;
    const native =
      nativeText(scalar.operation, type, a!, b) ?? constantDivisionText(scalar, type, a!);
    return native ?? `${given(operationEvaluator(machine, scalar))}(${operands.join(", ")})`;
  };
  const text = (scalar: Scalar): string => {
    switch (scalar.kind) {
      case "constant":
        return constantText(machine.typeOf(scalar.type), scalar.value);
      case "integer":
        return machine.trap === "overflow"
          ? `${given(watchedInteger)}(${term(scalar.term)})`
          : `(${term(scalar.term)} | 0)`;
      case "parameter":
        return variables.get(scalar.parameter.variable)!;
      case "read":
        return read(scalar, scalar.indices.map(integer), fresh);
      case "select":
        return `(${text(scalar.condition)} ? ${text(scalar.then)} : ${text(scalar.otherwise)})`;
      case "local":
        return keep(scalar.local, () => text(scalar.local.value));
      case "call": {
        const isOne = scalar.invocation.function.results.length === 1;
        if (isOne && !shared.has(scalar.invocation)) return invocation(scalar.invocation);
        const value = keep(scalar.invocation, () => invocation(scalar.invocation));
        return isOne ? value : `${value}[${scalar.member}]`;
      }
      case "cast":
      case "apply":
        return machine.trap === "nan" && isFloat(scalar.type)
          ? `${given(watchedOperation(machine, scalar))}(${partsOf(scalar).map(text).join(", ")})`
          : operation(scalar);
      case "data": {
        const whole = scalar.function === "box" ? allOfOneCall(scalar.operands) : undefined;
        if (whole) return keep(whole, () => invocation(whole));
        const operands = scalar.operands.map(text);
        if (scalar.function === "box") return `[${operands.join(", ")}]`;
        if (scalar.function === "part") {
          const part = `${operands[0]!}[${scalar.member}]`;
          return isFloat(scalar.type) || scalar.type === "data"
            ? `(${part} ?? ${given(zeroOf(scalar.type))})`
            : part;
        }
        return `${given(dataEvaluator(machine, scalar))}(${operands.join(", ")})`;
      }
      case "text":
        return `${given(textEvaluator(machine, scalar))}(${scalar.operands.map(text).join(", ")})`;
      default:
        return scalar satisfies never;
    }
  };
  const declarations = (): string =>
    [declared.length > 0 ? `let ${declared.join(", ")};` : "", ...functions].join(" ");
  const whole = (scalar: Scalar): string => {
    if (scalar.kind === "apply" || scalar.kind === "cast") return operation(scalar);
    if (scalar.kind !== "select") return text(scalar);
    return `(${text(scalar.condition)} ? ${whole(scalar.then)} : ${whole(scalar.otherwise)})`;
  };
  const keptCall = (of: Invocation): string => keep(of, () => invocation(of));
  return { outside, text, whole, integer, invocation, kept: keptCall, declarations };
}

/**
 * The call whose results are the operands, all of them in order, so that the list of its results
 * can be used as it is.
 */
function allOfOneCall(operands: readonly Scalar[]): Invocation | undefined {
  const [first] = operands;
  if (first?.kind !== "call") return undefined;
  const { invocation } = first;
  if (operands.length === 1 || invocation.function.results.length !== operands.length)
    return undefined;
  const isWhole = operands.every(
    (each, k) => each.kind === "call" && each.invocation === invocation && each.member === k,
  );
  return isWhole ? invocation : undefined;
}

/** The operations that JavaScript has for types that it has. */
function nativeText(
  operation: OperationName,
  type: ElementType,
  a: string,
  b: string | undefined,
): string | undefined {
  const symbol = arithmetic[operation];
  if (symbol && b !== undefined) {
    if (type === "f64") return `(${a} ${symbol} ${b})`;
    if (type === "f32") return `Math.fround(${a} ${symbol} ${b})`;
    if (type !== "i32" || operation === "divide") return undefined;
    return operation === "multiply" ? `Math.imul(${a}, ${b})` : `(${a} ${symbol} ${b} | 0)`;
  }
  if (
    (operation === "max" || operation === "min") &&
    (type === "i32" || type === "f32" || type === "f64")
  )
    return `Math.${operation}(${a}, ${b})`;
  if (operation !== "negate") return undefined;
  if (type === "i32") return `(-${a} | 0)`;
  return type === "f32" || type === "f64" ? `(-${a})` : undefined;
}

/**
 * A quotient or remainder by a constant that is not 0. The table of operations decides what
 * division by 0 gives.
 */
function constantDivisionText(
  { operation, operands: [, divisor] }: Extract<Scalar, { kind: "apply" }>,
  type: ElementType,
  a: string,
): string | undefined {
  const by = divisor && constantIn(divisor);
  if (type !== "i32" || !by) return undefined;
  if (operation === "divide") return `(${a} / ${by} | 0)`;
  return operation === "remainder" ? `(${a} % ${by} | 0)` : undefined;
}

function constantIn(scalar: Scalar): number | undefined {
  if (scalar.kind === "integer") return constantOf(scalar.term);
  return scalar.kind === "constant" && typeof scalar.value === "number" ? scalar.value : undefined;
}

/** The casts between numbers that JavaScript makes by itself. */
function nativeCastText(from: ElementType, to: ElementType, operand: string): string | undefined {
  if (from === "i32" && to === "f64") return operand;
  if (to === "f32" && (from === "i32" || from === "f64")) return `Math.fround(${operand})`;
  return from === "f32" && to === "f64" ? operand : undefined;
}

function constantText(type: ElementType, value: Value): string {
  if (typeof value === "bigint") return `(${value}n)`;
  if (typeof value !== "number") return JSON.stringify(value);
  const rounded = isFloat(type) ? roundTo(type, value) : value;
  return Object.is(rounded, -0) ? "(-0)" : `(${rounded})`;
}

// Elementary functions as JavaScript source: straight-line statements on f32 numbers, which an
// engine compiles to machine code.
//
//   const v0 = fround(x * y); const v1 = fround(v0 + 1);
//
// A value is a float, a 32-bit integer or a condition, as its operation made it. If an operation
// reads it as another kind, its bits are reinterpreted through two views of the same four bytes.

import type { Doubles, Lanes } from "../../../src/backends/math/lanes.ts";

type Kind = "float" | "integer" | "condition";

export interface Value {
  readonly kind: Kind;
  /** A name or a numberText. */
  readonly text: string;
}

/** The functions and arrays that the statements use. It stands once before them. */
export const prelude = `const { fround, abs, floor, sqrt, imul } = Math;
const F = new Float32Array(1), I = new Int32Array(F.buffer);
const nearest = (x) => {
  if (!(abs(x) < 4503599627370496)) return x;
  const sum = x < 0 ? x - 4503599627370496 + 4503599627370496 \
: x + 4503599627370496 - 4503599627370496;
  return sum === 0 ? x * 0 : sum;
};
const powers = new Float64Array(2046);
for (let at = 0, power = 2.2250738585072014e-308; at < powers.length; at++, power *= 2) \
powers[at] = power;
const saturated = (x) => (x >= 2147483647 ? 2147483647 : x <= -2147483648 ? -2147483648 : x | 0);
`;

/** Lanes whose operations write statements. Each value has the name of its statement. */
export interface SourceLanes extends Lanes<Value> {
  /** A value that is given as text, such as a parameter. It is an f32. */
  given(text: string): Value;
  /** The text of a value as an f32. */
  number(value: Value): string;
}

const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
const isLiteral = (text: string): boolean => /^-?([\d.]|Infinity|NaN)/.test(text);

/** `write` receives the statements in order. Names begin with `prefix`. */
export function sourceLanes(write: (statement: string) => void, prefix: string): SourceLanes {
  let count = 0;
  /** Conversions that have been made and are still in scope, by kind and text. */
  let converted = new Map<string, string>();

  function name(expression: string): string {
    const fresh = `${prefix}${count++}`;
    write(`const ${fresh} = ${expression};`);
    return fresh;
  }
  const newValue = (kind: Kind, expression: string): Value => ({ kind, text: name(expression) });
  const float = (expression: string): Value => newValue("float", `fround(${expression})`);
  const integer = (expression: string): Value => newValue("integer", expression);
  const condition = (expression: string): Value => newValue("condition", expression);

  function as(kind: Kind, value: Value): string {
    if (value.kind === kind) return value.text;
    const key = `${kind} ${value.kind} ${value.text}`;
    const known = converted.get(key);
    if (known !== undefined) return known;
    const text = convert(kind, value);
    converted.set(key, text);
    return text;
  }

  function convert(kind: Kind, value: Value): string {
    switch (kind) {
      case "float":
        if (value.kind === "condition") return name(`${value.text} ? NaN : 0`);
        write(`I[0] = ${value.text};`);
        return name("F[0]");
      case "integer":
        if (value.kind === "condition") return name(`${value.text} ? -1 : 0`);
        if (isLiteral(value.text))
          return numberText(new Int32Array(new Float32Array([Number(value.text)]).buffer)[0]!);
        write(`F[0] = ${value.text};`);
        return name("I[0]");
      case "condition":
        return name(`${as("integer", value)} !== 0`);
    }
  }

  const f = (value: Value): string => as("float", value);
  const i = (value: Value): string => as("integer", value);
  const c = (value: Value): string => as("condition", value);
  const bothConditions = (a: Value, b: Value): boolean =>
    a.kind === "condition" && b.kind === "condition";
  /**
   * The kind in which two values can be mixed. A float and a condition are mixed as integers, by
   * their bits.
   */
  const common = (a: Value, b: Value): Kind => (a.kind === b.kind ? a.kind : "integer");

  const lanes: SourceLanes = {
    given: (text) => ({ kind: "float", text }),
    number: f,
    float: (value) => ({ kind: "float", text: numberText(Math.fround(value)) }),
    integer: (value) => ({ kind: "integer", text: String(value | 0) }),

    add: (a, b) => float(`${f(a)} + ${f(b)}`),
    sub: (a, b) => float(`${f(a)} - ${f(b)}`),
    mul: (a, b) => float(`${f(a)} * ${f(b)}`),
    mulAdd: (a, b, c) => float(`${f(float(`${f(a)} * ${f(b)}`))} + ${f(c)}`),
    mulSubtractFrom: (c, a, b) => float(`${f(c)} - ${f(float(`${f(a)} * ${f(b)}`))}`),
    div: (a, b) => float(`${f(a)} / ${f(b)}`),
    sqrt: (a) => float(`sqrt(${f(a)})`),
    floor: (a) => float(`floor(${f(a)})`),
    nearest: (a) => float(`nearest(${f(a)})`),
    abs: (a) => float(`abs(${f(a)})`),
    neg: (a) => float(`-(${f(a)})`),
    pmin: (a, b) => newValue("float", `${f(a)} < ${f(b)} ? ${f(a)} : ${f(b)}`),
    pmax: (a, b) => newValue("float", `${f(a)} > ${f(b)} ? ${f(a)} : ${f(b)}`),

    less: (a, b) => condition(`${f(a)} < ${f(b)}`),
    lessEqual: (a, b) => condition(`${f(a)} <= ${f(b)}`),
    equal: (a, b) => condition(`${f(a)} === ${f(b)}`),
    notEqual: (a, b) => condition(`${f(a)} !== ${f(b)}`),
    choose: (mask, a, b) => {
      const kind = common(a, b);
      const [yes, no] = [as(kind, a), as(kind, b)];
      return newValue(kind, `${c(mask)} ? ${yes} : ${no}`);
    },
    except: (mask, exceptional, usual) => {
      const fresh = `${prefix}${count++}`;
      const test = c(mask);
      write(`let ${fresh} = ${f(usual)};`);
      write(`if (${test}) {`);
      // The names inside the braces are not in scope after them.
      const outside = new Map(converted);
      write(`${fresh} = ${f(exceptional())};`);
      converted = outside;
      write("}");
      return { kind: "float", text: fresh };
    },

    and: (a, b) => {
      if (bothConditions(a, b)) return condition(`${a.text} && ${b.text}`);
      if (a.kind === "condition") return newValue(b.kind, `${a.text} ? ${b.text} : 0`);
      if (b.kind === "condition") return newValue(a.kind, `${b.text} ? ${a.text} : 0`);
      return integer(`${i(a)} & ${i(b)}`);
    },
    or: (a, b) => {
      if (bothConditions(a, b)) return condition(`${a.text} || ${b.text}`);
      // A mask of all ones is a NaN.
      if (a.kind === "float" && b.kind === "condition")
        return newValue("float", `${b.text} ? NaN : ${a.text}`);
      if (a.kind === "condition" && b.kind === "float")
        return newValue("float", `${a.text} ? NaN : ${b.text}`);
      return integer(`${i(a)} | ${i(b)}`);
    },
    xor: (a, b) => integer(`${i(a)} ^ ${i(b)}`),
    andNot: (a, b) =>
      bothConditions(a, b) ? condition(`${a.text} && !${b.text}`) : integer(`${i(a)} & ~${i(b)}`),

    addInteger: (a, b) => integer(`(${i(a)} + ${i(b)}) | 0`),
    subInteger: (a, b) => integer(`(${i(a)} - ${i(b)}) | 0`),
    mulInteger: (a, b) => integer(`imul(${i(a)}, ${i(b)})`),
    shiftLeft: (a, by) => integer(`${i(a)} << ${by}`),
    shiftRight: (a, by) => integer(`${i(a)} >> ${by}`),
    shiftRightUnsigned: (a, by) => integer(`(${i(a)} >>> ${by}) | 0`),
    equalInteger: (a, b) => condition(`${i(a)} === ${i(b)}`),
    lessInteger: (a, b) => condition(`${i(a)} < ${i(b)}`),

    toFloat: (a) => float(i(a)),
    toInteger: (a) => integer(`saturated(${f(a)})`),

    wide: (args, compute) => float(compute(doublesOf(name), args.map(f))),
  };
  return lanes;
}

/** f32 numbers are f64 numbers in JavaScript, so these operations only leave out the rounding. */
function doublesOf(name: (expression: string) => string): Doubles<string> {
  return {
    double: numberText,
    add: (a, b) => name(`${a} + ${b}`),
    sub: (a, b) => name(`${a} - ${b}`),
    mul: (a, b) => name(`${a} * ${b}`),
    div: (a, b) => name(`${a} / ${b}`),
    sqrt: (a) => name(`sqrt(${a})`),
    nearest: (a) => name(`nearest(${a})`),
    floor: (a) => name(`floor(${a})`),
    abs: (a) => name(`abs(${a})`),
    neg: (a) => name(`-(${a})`),
    pmin: (a, b) => name(`${a} < ${b} ? ${a} : ${b}`),
    pmax: (a, b) => name(`${a} > ${b} ? ${a} : ${b}`),
    less: (a, b) => name(`${a} < ${b}`),
    choose: (mask, a, b) => name(`${mask} ? ${a} : ${b}`),
    powerOfTwo: (n) => name(`powers[${n} + 1022] ?? NaN`),
  };
}

/** A function of numbers, each rounded to f32, made of a function of lanes. */
export function compiled(
  compute: (m: Lanes<Value>, x: Value, y: Value) => Value,
  parameters: readonly string[],
): (...args: number[]) => number {
  const statements = parameters.map((parameter) => `${parameter} = fround(${parameter});`);
  const lanes = sourceLanes((statement) => statements.push(statement), "v");
  const [x, y] = parameters.map((parameter) => lanes.given(parameter));
  const result = lanes.number(compute(lanes, x!, y ?? x!));
  const body = `(${parameters.join(", ")}) => {\n${statements.join("\n")}\nreturn ${result};\n}`;
  // The text is made of the operations above; nothing in it comes from a program.
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function(`"use strict";\n${prelude}return ${body};`)() as (
    ...args: number[]
  ) => number;
}

// Rewrites a program so that its extents become parameters. `[f32; 20]` and `0..20` then hold for
// any number of cells, and the work of the program is a polynomial in that number.
//
//   input x: [f32; 20]; let y[i in 0..19] = x[i + 1] - x[i];
//   input x: [f32; e20]; let y[i in 0..(extent(e20) - 1)] = x[i + 1] - x[i];
//
// Parameters replace the lengths of inputs, the ends of ranges, named constants, and arrays of
// numbers, which become inputs. A number near a parameter, or near its half, is expressed by the
// parameter. The compiler decides whether the result is a valid program: the first accepted way is
// taken.

import { lex } from "../../src/syntax/lex/lexer.ts";
import type { Token } from "../../src/syntax/lex/tokens.ts";

/** A part of the text, and the text that replaces it. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The texts of the program with parameters, from the most to the fewest parameters. */
export function waysWithParameters(text: string): readonly string[] {
  const ways = [
    written(text, { leastRow: 2, least: 4 }),
    written(text, { leastRow: 4, least: 4 }),
    written(text, { leastRow: Infinity, least: 4 }),
    written(text, { leastRow: Infinity, least: 6 }),
  ];
  return [...new Set(ways)].filter((way) => way !== text);
}

/** Smaller numbers stay: they are components, windows or powers. */
interface Way {
  /** The least length of an array of numbers that becomes a parameter. */
  readonly leastRow: number;
  /** The least length of an input, or end of a range, that becomes a parameter. */
  readonly least: number;
}

function written(text: string, { leastRow, least }: Way): string {
  const { tokens } = lex({ name: "test.ein", text });
  const inputs = arraysIn(tokens, leastRow);
  const rows = inputs.flatMap(({ shape }) => shape).filter((value) => value >= leastRow);
  const inside = (at: number): boolean => inputs.some(({ start, end }) => start <= at && at < end);
  const numbers = [...tokens.entries()].flatMap(([k, token]) => {
    const value = /^\d+$/.test(token.text) && token.kind === "number" ? Number(token.text) : NaN;
    const isLarge = value >= least || rows.includes(value);
    return isLarge && !inside(token.start) && !isFactor(tokens, k) ? [{ k, token, value }] : [];
  });
  const lengths = numbers.filter(({ k }) => isLengthOfInput(tokens, k));
  const ends = numbers.filter(({ k }) => isEnd(tokens, k));
  const known = [...lengths.map(({ value }) => value), ...rows];
  const parameters = new Set(known);
  // The largest first: an end that is expressed by another parameter is no parameter of its own.
  for (const { value } of ends.toSorted((a, b) => b.value - a.value))
    if (!following(value, parameters)) parameters.add(value);
  const changes = numbers.flatMap(({ k, token, value }): readonly Change[] => {
    const { start, end } = token;
    if (lengths.some((each) => each.k === k)) return [{ start, end, text: `e${value}` }];
    const parameter = following(value, parameters);
    return parameter === undefined || isInType(tokens, k) ? [] : [{ start, end, text: parameter }];
  });
  const made = inputs.map(({ start, end, name, shape, type }) => ({
    start,
    end,
    text:
      `input ${name}: ` +
      `[${type}; ${shape.map((value) => (value < leastRow ? value : `e${value}`)).join(", ")}]`,
  }));
  // Each parameter is the length of an input before the program.
  const beside = [...parameters].map((value) => `input of_length_${value}: [f32; e${value}];\n`);
  return beside.join("") + changed(text, [...changes, ...made]);
}

function changed(text: string, changes: readonly Change[]): string {
  return changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((all, { start, end, text: by }) => all.slice(0, start) + by + all.slice(end), text);
}

/** A number in terms of a parameter: the parameter, or its half, plus a small number. */
function following(value: number, parameters: ReadonlySet<number>): string | undefined {
  const known = [...parameters].toSorted((a, b) => a - b);
  const same = known.find((parameter) => parameter === value);
  if (same !== undefined) return `extent(e${same})`;
  if (value < 4) return undefined;
  const near = known.find((parameter) => Math.abs(parameter - value) <= 2);
  if (near !== undefined)
    return `(extent(e${near}) ${value > near ? "+" : "-"} ${Math.abs(value - near)})`;
  const double = known.find((parameter) => parameter === 2 * value || parameter === 2 * value + 1);
  if (double !== undefined) return `(extent(e${double}) / 2)`;
  const factor = known.find((parameter) => known.includes(value / parameter));
  return factor === undefined ? undefined : `(extent(e${factor}) * extent(e${value / factor}))`;
}

/**
 * The exponent of `x ** 2` or the factor of `4 * x`. In `x[2 * i]` the factor belongs to an index.
 */
function isFactor(tokens: readonly Token[], at: number): boolean {
  const [before, behind] = [tokens[at - 1]?.kind, tokens[at + 1]?.kind];
  return before === "**" || ((before === "*" || behind === "*") && !isInBrackets(tokens, at));
}

function isInBrackets(tokens: readonly Token[], at: number): boolean {
  let open = 0;
  for (let k = at - 1; k >= 0; k--) {
    const { kind } = tokens[k]!;
    if (kind === ";" || kind === "{" || kind === "}") return false;
    if (kind === "]" || kind === ")") open++;
    if ((kind === "[" || kind === "(") && open-- === 0) return kind === "[";
  }
  return false;
}

/** Whether the number is a length in `[f32; 20, 3]` after `input x:`. */
function isLengthOfInput(tokens: readonly Token[], at: number): boolean {
  for (let k = at - 1; k >= 0; k--) {
    const { kind, text } = tokens[k]!;
    if (kind === "[") return tokens[k - 1]?.kind === ":" && tokens[k - 3]?.text === "input";
    if (kind !== "," && kind !== ";" && kind !== "number" && kind !== "name") return false;
    if (text === "input") return false;
  }
  return false;
}

/** Whether the number is in another type. The lengths in a signature say what a function takes. */
function isInType(tokens: readonly Token[], at: number): boolean {
  for (let k = at - 1; k >= 0; k--) {
    const { kind } = tokens[k]!;
    if (kind === ";") return tokens[k - 2]?.kind === "[" && tokens[k - 1]?.kind === "name";
    if (kind !== "," && kind !== "number" && kind !== "name") return false;
  }
  return false;
}

/** Whether the number is an end, as in `0..20`, `const n = 20;` and `let n = 20;`. */
function isEnd(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.kind;
  if (before === "..") return true;
  const isNamed = tokens[at - 3]?.kind === "const" || tokens[at - 3]?.kind === "let";
  return before === "=" && isNamed && tokens[at + 1]?.kind === ";";
}

/** A statement that binds an array of numbers: `let x = [[1.0, 2.0], [3.0, 4.0]]`. */
interface ArrayOfNumbers {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
}

function arraysIn(tokens: readonly Token[], least: number): readonly ArrayOfNumbers[] {
  let depth = 0;
  return tokens.flatMap(({ kind, start }, k): readonly ArrayOfNumbers[] => {
    depth += kind === "{" ? 1 : kind === "}" ? -1 : 0;
    // Statements of a block cannot become inputs.
    if (depth > 0) return [];
    const name = tokens[k + 1];
    const equals = tokens.findIndex((token, at) => at > k && token.kind === "=");
    const type = tokens.slice(k + 2, equals);
    if (kind !== "let" || name?.kind !== "name" || tokens[equals + 1]?.kind !== "[") return [];
    // No type, or a type such as `: [f64; 5]`.
    if (type.length > 0 && (type[0]!.kind !== ":" || type[1]?.kind !== "[")) return [];
    const last = tokens.findIndex((token, at) => at > equals && token.kind === ";");
    const inside = tokens.slice(equals + 1, last);
    const isOfNumbers = inside.every(({ kind: each }) =>
      ["[", "]", ",", "-", "number", "true", "false"].includes(each),
    );
    const shape = isOfNumbers ? shapeOf(inside) : undefined;
    if (!shape || shape.every((length) => length < least)) return [];
    const isBool = inside.some(({ kind: each }) => each === "true" || each === "false");
    const isFloat = inside.some(({ text }) => /[.e]/.test(text));
    const element = type[2]?.text ?? (isBool ? "bool" : isFloat ? "f32" : "i32");
    return [{ start, end: tokens[last]!.start, name: name.text, type: element, shape }];
  });
}

/** The lengths of nested brackets. `undefined` if the rows differ in length. */
function shapeOf(tokens: readonly Token[]): readonly number[] | undefined {
  const text = tokens.map(({ kind, text: word }) => (kind === "number" ? word : kind)).join("");
  try {
    return lengthsOf(JSON.parse(text.replace(/(\d)\.(?!\d)/g, "$1").replace(/,]/g, "]")));
  } catch {
    return undefined;
  }
}

function lengthsOf(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return [];
  const [first, ...others] = value.map(lengthsOf);
  const isSame = others.every((other) => String(other) === String(first));
  return first && isSame ? [value.length, ...first] : undefined;
}

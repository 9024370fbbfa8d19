// Scalars of the IR as source, with no more parentheses and suffixes than reading back needs:
// `a - (b - c)`, and `a - b - c`.

import { oppositeOf } from "../analyse/opposite.ts";
import { escapeText } from "../syntax/lex/escape.ts";
import { constantText, type Setting, type Text } from "./constant.ts";
import { asVariable } from "../affine/agreeing.ts";
import { show, type Knowledge } from "../affine/show.ts";
import { nonNegative, holds, type Fact } from "../affine/prove.ts";
import { ofVariable, variable, type Term, type Variable } from "../affine/term.ts";
import { eachAtom, substitute, variablesOf } from "../affine/visit.ts";
import type { DataWords } from "./data.ts";
import type { Definition, Invocation, Local, Scalar, ScalarFunction } from "../ir/program.ts";
import { operations } from "../scalar/operations.ts";
import { isInteger } from "../scalar/types.ts";
import { strengths } from "../syntax/tree/strength.ts";
import { applied } from "../ir/simple-scalars.ts";

/** The names at the place of a scalar. */
export interface Names {
  definition(definition: Definition): string;
  /** The name of a coordinate, or the text of an extent or an integer scalar. */
  variable(v: Variable): string;
  /** Undefined for a local that is written out at each use. */
  local(local: Local): string | undefined;
  /** The locals that a branch binds for itself, and the names inside the branch. */
  branch?(value: Scalar): { readonly locals: readonly Local[]; readonly inside: Names };
  function(of: ScalarFunction): string;
  /** The name of a result of a call, if it has a name. */
  result?(invocation: Invocation, member: number): string | undefined;
  /**
   * The pack as which a coordinate is written, with all others of the pack. Undefined for a
   * coordinate that is written by itself.
   */
  pack?(v: Variable): Pack | undefined;
  /** Whether the lines of a definition do not tell its element type, so that reads of it cannot. */
  untold?(definition: Definition): boolean;
  /** How data that a run makes is written, if the lines are to compile again. */
  readonly data?: DataWords | undefined;
  /** The facts about coordinates and extents, which decide how a floor division is written. */
  readonly facts: readonly Fact[];
}

/** Coordinates that are written together: `..b`. */
export interface Pack {
  readonly text: string;
  readonly variables: readonly Variable[];
}

/** An `if` needs parentheses wherever it is an operand. */
const conditional = strengths.guarded;

export function scalarText(names: Names, scalar: Scalar, setting: Setting): Text {
  switch (scalar.kind) {
    case "constant":
      if (scalar.type === "data" && names.data)
        return { text: names.data.nothing(), strength: strengths.atom };
      return constantText(scalar.type, scalar.value, setting);
    case "integer":
      return termText(names, scalar.term);
    case "read": {
      const indices = scalar.indices.flatMap((index) => {
        const v = bareVariable(index);
        const pack = v && names.pack?.(v);
        if (!pack) return [scalarText(names, index, "alone").text];
        return pack.variables[0] === v ? [pack.text] : [];
      });
      const name = names.definition(scalar.definition);
      if (scalar.type === "data" && names.data && indices.length > 0)
        return { text: `${name}(${indices.join(", ")})`, strength: strengths.atom };
      return {
        text: indices.length === 0 ? name : `${name}[${indices.join(", ")}]`,
        strength: strengths.atom,
      };
    }
    case "apply":
      return membership(names, scalar) ?? application(names, scalar, setting);
    case "cast": {
      const operand = scalarText(
        names,
        scalar.operand,
        tellsItsType(names, scalar.operand) ? "known" : "forced",
      );
      return {
        text: `${parenthesised(operand, strengths.cast)} as ${scalar.type}`,
        strength: strengths.cast,
      };
    }
    case "select":
      return selection(names, scalar, setting);
    case "local": {
      const name = names.local(scalar.local);
      return name === undefined
        ? scalarText(names, scalar.local.value, setting)
        : { text: name, strength: strengths.atom };
    }
    case "call": {
      const { function: called, arguments: given } = scalar.invocation;
      const known = names.result?.(scalar.invocation, scalar.member);
      if (known !== undefined) return { text: known, strength: strengths.atom };
      const texts = given.map((argument) => scalarText(names, argument, "forced").text);
      const member = called.results.length > 1 ? `.${scalar.member}` : "";
      return {
        text: `${names.function(called)}(${texts.join(", ")})${member}`,
        strength: strengths.atom,
      };
    }
    case "text":
      return textText(names, scalar);
    case "data": {
      const { data } = names;
      if (data) {
        const text = data.scalar(scalar, (operand) => scalarText(names, operand, "forced").text);
        return { text, strength: strengths.atom };
      }
      const operands = scalar.operands
        .map((operand) => scalarText(names, operand, "forced").text)
        .join(", ");
      const member = scalar.function === "part" ? `.${scalar.member}` : "";
      return { text: `${scalar.function}(${operands})${member}`, strength: strengths.atom };
    }
    case "parameter":
      return { text: names.variable(scalar.parameter.variable), strength: strengths.atom };
    default:
      return scalar satisfies never;
  }
}

/** Interpolations, and methods of strings. */
function textText(names: Names, scalar: Extract<Scalar, { kind: "text" }>): Text {
  if (scalar.function === "show" || scalar.function === "concat")
    return { text: `"${pieces(names, scalar)}"`, strength: strengths.atom };
  const [base, ...given] = scalar.operands.map((operand) => scalarText(names, operand, "alone"));
  const list = given.map((each) => each.text).join(", ");
  return {
    text: `${parenthesised(base!, strengths.atom)}.${scalar.function}(${list})`,
    strength: strengths.atom,
  };
}

function pieces(names: Names, scalar: Scalar): string {
  if (scalar.kind === "constant" && scalar.type === "str") return escapeText(String(scalar.value));
  if (scalar.kind === "text" && scalar.function === "concat")
    return scalar.operands.map((operand) => pieces(names, operand)).join("");
  const isShown = scalar.kind === "text" && scalar.function === "show";
  const value = scalarText(names, isShown ? scalar.operands[0]! : scalar, "alone").text;
  return `{${value}${isShown && scalar.format !== undefined ? `:${scalar.format}` : ""}}`;
}

/** The coordinate that a scalar consists of. */
export function bareVariable(scalar: Scalar): Variable | undefined {
  return scalar.kind === "integer" ? asVariable(scalar.term) : undefined;
}

/** The text, in parentheses if it binds less strongly than its place requires. */
export function parenthesised(piece: Text, least: number): string {
  return piece.strength < least ? `(${piece.text})` : piece.text;
}

/** Whether the text of a scalar tells its element type by itself. A bare literal does not. */
export function tellsItsType(names: Pick<Names, "local" | "untold">, scalar: Scalar): boolean {
  switch (scalar.kind) {
    case "constant":
      return scalar.type === "bool" || scalar.type === "str";
    case "integer":
      return variablesOf(scalar.term).size > 0;
    case "read":
      return names.untold?.(scalar.definition) !== true;
    case "cast":
    case "call":
    case "text":
    case "data":
    case "parameter":
      return true;
    case "apply":
      return applicationTellsItsType(names, scalar);
    case "select":
      return tellsItsType(names, scalar.then) || tellsItsType(names, scalar.otherwise);
    case "local":
      return names.local(scalar.local) !== undefined || tellsItsType(names, scalar.local.value);
    default:
      return scalar satisfies never;
  }
}

type Apply = Extract<Scalar, { kind: "apply" }>;

function operandsTellType(names: Pick<Names, "local" | "untold">, scalar: Apply): boolean {
  const { signature } = operations[scalar.operation];
  if (signature.result !== "T") return true;
  // The last operand comes first: in `a + b + c` it is short, while the first may be a long chain.
  for (let k = scalar.operands.length - 1; k >= 0; k--)
    if (signature.operands[k] === "T" && tellsItsType(names, scalar.operands[k]!)) return true;
  return false;
}

const known = new WeakMap<object, WeakSet<Scalar>>();

/**
 * Remembers the answer, which is asked for at each level of `sin(sin(sin(x)))`. Only "yes" is
 * remembered: a local that gets a name later may turn a "no" into a "yes".
 */
function applicationTellsItsType(names: Pick<Names, "local" | "untold">, scalar: Apply): boolean {
  let telling = known.get(names);
  if (!telling) known.set(names, (telling = new WeakSet()));
  if (telling.has(scalar)) return true;
  const found = operandsTellType(names, scalar);
  if (found) telling.add(scalar);
  return found;
}

/** Operands that share a type. The first that has to tell it does, the others follow. */
function operandTexts(names: Names, scalar: Apply, setting: Setting): readonly Text[] {
  const { signature } = operations[scalar.operation];
  const told = new Set<string>();
  for (const [k, operand] of scalar.operands.entries())
    if (tellsItsType(names, operand)) told.add(signature.operands[k]!);
  // A loop, because a callback would take the stack of two more calls for each level of a chain.
  const texts: Text[] = [];
  for (const [k, operand] of scalar.operands.entries()) {
    const slot = signature.operands[k]!;
    const open: Setting = slot === "T" && signature.result === "T" ? setting : "alone";
    texts.push(scalarText(names, operand, told.has(slot) ? "known" : open));
    told.add(slot);
  }
  return texts;
}

function application(names: Names, scalar: Apply, setting: Setting): Text {
  const opposite = scalar.operation === "not" ? oppositeOf(scalar.operands[0]!) : undefined;
  if (opposite) return scalarText(names, opposite, setting);
  const { notation } = operations[scalar.operation];
  const operands = operandTexts(names, scalar, setting);
  const [left, right] = operands;
  switch (notation.kind) {
    case "infix": {
      const { strength, symbol } = notation;
      if (notation.groups === "right") {
        // `2 ** -x` needs no parentheses.
        return {
          text:
            `${parenthesised(left!, strength + 1)} ${symbol} ` +
            parenthesised(right!, strengths.prefix),
          strength,
        };
      }
      const chains = strength !== strengths.equality && strength !== strengths.comparison;
      return {
        text:
          `${parenthesised(left!, chains ? strength : strength + 1)} ${symbol} ` +
          parenthesised(right!, strength + 1),
        strength,
      };
    }
    case "prefix": {
      const operand = parenthesised(left!, notation.strength);
      return {
        text: `${notation.symbol}${operand.startsWith("-") ? `(${operand})` : operand}`,
        strength: notation.strength,
      };
    }
    case "call":
      return {
        text: `${notation.name}(${operands.map((operand) => operand.text).join(", ")})`,
        strength: strengths.atom,
      };
    case "if": {
      const [condition, then, otherwise] = operands;
      return {
        text:
          `if ${parenthesised(condition!, strengths.pipe)} { ${then!.text} } else ` +
          `{ ${otherwise!.text} }`,
        strength: conditional,
      };
    }
    default:
      return notation satisfies never;
  }
}

/**
 * `a <= v && v < b` is `v in a..b`. For a bare coordinate the comparisons stay, because ranges of
 * coordinates belong in brackets.
 */
function membership(names: Names, scalar: Apply): Text | undefined {
  const [low, high] = scalar.operands;
  if (scalar.operation !== "and" || low?.kind !== "apply" || high?.kind !== "apply")
    return undefined;
  if (
    low.operation !== "lessEqual" ||
    high.operation !== "less" ||
    !isInteger(low.within) ||
    !isInteger(high.within)
  )
    return undefined;
  const [from, value] = operandTexts(names, low, "alone");
  const [same, to] = operandTexts(names, high, "alone");
  if (value!.text !== same!.text || isBare(low.operands[1]!)) return undefined;
  const range =
    `${parenthesised(from!, strengths.range + 1)}..` + parenthesised(to!, strengths.range + 1);
  return {
    text: `${parenthesised(value!, strengths.comparison + 1)} in ${range}`,
    strength: strengths.comparison,
  };
}

/** Whether a scalar is a coordinate, a parameter or a number. */
function isBare(scalar: Scalar): boolean {
  if (scalar.kind === "integer")
    return variablesOf(scalar.term).size === 0 || bareVariable(scalar) !== undefined;
  return scalar.kind === "parameter" || scalar.kind === "constant";
}

type Select = Extract<Scalar, { kind: "select" }>;

/**
 * A choice inside a choice, with the same number in both `else`s, is one choice by both conditions.
 */
function withJoinedConditions(scalar: Select): Select {
  const conditions = [scalar.condition];
  let { then } = scalar;
  while (then.kind === "select" && isSameNumber(then.otherwise, scalar.otherwise)) {
    conditions.push(then.condition);
    ({ then } = then);
  }
  const condition = conditions.reduce((a, b) => applied("and", [a, b]));
  return { ...scalar, condition, then };
}

function isSameNumber(a: Scalar, b: Scalar): boolean {
  return a.kind === "constant" && b.kind === "constant" && Object.is(a.value, b.value);
}

function selection(names: Names, written: Select, setting: Setting): Text {
  const scalar = withJoinedConditions(written);
  const condition = parenthesised(scalarText(names, scalar.condition, "alone"), strengths.pipe);
  const told = tellsItsType(names, scalar.then) || tellsItsType(names, scalar.otherwise);
  const then = branchText(names, scalar.then, told ? "known" : setting);
  // A branch that only reads definitions that do not tell their type does not tell the type either.
  const tells = told || !tellsItsType({ local: (each) => names.local(each) }, scalar.then);
  const otherwise = branchText(names, scalar.otherwise, tells ? "known" : setting);
  const chained =
    scalar.otherwise.kind === "select" && !names.branch?.(scalar.otherwise).locals.length;
  return {
    text: `if ${condition} { ${then} } else ${chained ? otherwise : `{ ${otherwise} }`}`,
    strength: conditional,
  };
}

/** The text between the braces of a branch. */
function branchText(names: Names, value: Scalar, setting: Setting): string {
  const { locals, inside } = names.branch?.(value) ?? { locals: [], inside: names };
  const bound = locals.map(
    (local) => `let ${inside.local(local)!} = ${scalarText(inside, local.value, "alone").text}; `,
  );
  return `${bound.join("")}${scalarText(inside, value, setting).text}`;
}

// ── terms ───────────────────────────────────────────────────────────────────────────────────────

export function termText(names: Names, term: Term): Text {
  // Each variable is shown as a word of its own, and the words are in the order of the variables.
  // So `extent(n)` counts as one word.
  const texts: string[] = [];
  const words = new Map<Variable, Term>();
  for (const v of [...variablesOf(term)].sort((a, b) => a.id - b.id)) {
    words.set(v, ofVariable(variable(`word_${texts.length}_`)));
    texts.push(names.variable(v));
  }
  const original = new Map(
    [...words].map(([v, word]) => [[...variablesOf(word)][0]!, ofVariable(v)]),
  );
  const known: Knowledge = {
    nonNegative: (part) => holds(nonNegative(substitute(part, original)), names.facts),
    divisible: () => false,
  };
  let divides = false;
  eachAtom(term, (part) => (divides ||= part.kind === "floor"));
  const worded = substitute(term, words);
  const shown = divides ? show(worded, known) : show(worded);
  const text = shown.replace(/word_(\d+)_/g, (_, k: string) => texts[Number(k)]!);
  return { text, strength: strengthOf(shown) };
}

/** How strongly the outermost operator of a shown term binds. */
function strengthOf(text: string): number {
  let depth = 0;
  let strength: number = text.startsWith("-") ? strengths.prefix : strengths.atom;
  for (let k = 0; k < text.length; k++) {
    if (text[k] === "(") depth++;
    else if (text[k] === ")") depth--;
    else if (depth === 0 && k > 0 && text[k - 1] === " " && text[k + 1] === " ") {
      if (text[k] === "+" || text[k] === "-") return strengths.sum;
      if (text[k] === "*" || text[k] === "/" || text[k] === "%") strength = strengths.product;
    }
  }
  return strength;
}

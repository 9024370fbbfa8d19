// Arrays of functions: integers say which function an element is, its codes, and the function is
// made of them where it is asked for.

import type { Span } from "../../../base/source.ts";
import { constant, constantOf, variable, type Term, type Variable } from "../../../affine/term.ts";
import { substitute } from "../../../affine/visit.ts";
import { oneOf } from "../../values/choose.ts";
import { knownNumber } from "../../expressions/conditions.ts";
import { refuse, type Place } from "../../context.ts";
import { newBinder } from "../../ranges/coordinates.ts";
import { apply } from "../../expressions/operators.ts";
import { extentRange } from "../../ranges/ranges.ts";
import { neverCalled } from "../stand-ins.ts";
import { functionsIn } from "../../values/tuples.ts";
import type { Binder, Functions, Typed } from "../../types/typed.ts";
import { element, scalar, tensor, type Axis, type ListType } from "../../types/types.ts";
import { cellOfWindow } from "../../data/rows/windows.ts";
import { readAt } from "../../ranges/reads.ts";

/**
 * How the element at a position of a comprehension is made: of a number that is there for each, in
 * whatever place asks.
 */
export interface Remade {
  readonly code: Typed;
  readonly again: (place: Place, code: Typed) => Typed;
}

/** `[f, g]`, of functions or of arrays of them: the first code is the position. */
export function functionsOf(elements: readonly Typed[], type: ListType, span: Span): Functions {
  const [axis, ...rows] = type.axes;
  const lists = elements.map(functionsIn);
  const more = Math.max(...lists.map((list) => list?.codes.length ?? 0));
  const listed = (cells: readonly Typed[]): Typed => {
    return { kind: "array", elements: cells, type: tensor(element("i32"), [axis!, ...rows]), span };
  };
  const number = (value: number): Typed => ({
    kind: "constant",
    value,
    type: tensor(element("i32"), rows),
    span,
  });
  const inner = Array.from({ length: more }, (_, n) =>
    listed(lists.map((list) => list?.codes[n] ?? number(0))),
  );
  return {
    kind: "functions",
    codes: [listed(elements.map((_, k) => number(k))), ...inner],
    identity: elements,
    among: elements,
    since: variable("functions"),
    at: (place, [code, ...rest], asked) => {
      const one = (k: number): Typed => lists[k]?.at(place, rest, asked) ?? elements[k]!;
      const fixed = knownNumber(place.checker, code!);
      if (fixed !== undefined) return one(Math.min(fixed, elements.length - 1));
      return elements.slice(0, -1).reduceRight<Typed>(
        (otherwise, _, k) => {
          const position: Typed = { kind: "constant", value: k, type: scalar("i32"), span: asked };
          const condition = apply(place, "equal", [code!, position], asked);
          return oneOf(place, condition, one(k), otherwise, asked);
        },
        one(elements.length - 1),
      );
    },
    type,
    span,
  };
}

/** `[]` where an array of functions is declared. */
export function noFunctions(type: ListType, span: Span): Functions {
  const none: Typed = {
    kind: "array",
    elements: [],
    type: tensor(element("i32"), type.axes),
    span,
  };
  return {
    kind: "functions",
    codes: [none],
    identity: type,
    among: [],
    since: variable("functions"),
    // Nothing is ever found in it; what would be has the declared type.
    at: (place, _, asked) => neverCalled(place, type.of, asked),
    type,
    span,
  };
}

/**
 * The functions, or arrays of them, that a comprehension makes: its element is made again for the
 * code that is asked for.
 */
export function functionsOver(
  binder: Binder,
  type: ListType,
  body: Typed,
  made: Remade,
  span: Span,
): Functions {
  const from = takenIn(body);
  if (from && from.functions.since.id < binder.variable.id)
    return takenOver(binder, type, from, span);
  const rows = type.axes.slice(1);
  const over = (part: Typed): Typed => {
    return {
      kind: "abstract",
      binders: [binder],
      body: part,
      type: tensor(element("i32"), type.axes),
      span,
    };
  };
  return {
    kind: "functions",
    codes: [over(alongRows(made.code, rows)), ...(functionsIn(body)?.codes ?? []).map(over)],
    identity: made,
    among: [body],
    since: variable("functions"),
    at: (place, [code, ...rest], asked) => {
      const one = made.again(place, code!);
      return functionsIn(one)?.at(place, rest, asked) ?? one;
    },
    type,
    span,
  };
}

/** What was read of an array of functions, and at which codes. */
interface Taken {
  readonly functions: Functions;
  readonly codes: readonly Typed[];
}

const taken = new WeakMap<Typed, Taken>();

function takenIn(value: Typed): Taken | undefined {
  if (value.kind === "reference" && value.binding.kind === "value" && value.binding.value)
    return takenIn(value.binding.value);
  const inner = value.kind === "block" ? takenIn(value.value) : undefined;
  if (value.kind !== "block" || !inner) return taken.get(value);
  return {
    ...inner,
    codes: inner.codes.map((code): Typed => ({ ...value, value: code, type: code.type })),
  };
}

/**
 * Some functions of an array that was there before, in another order: they have the codes that they
 * have there.
 */
function takenOver(
  binder: Binder,
  type: ListType,
  { functions, codes }: Taken,
  span: Span,
): Functions {
  const over = (body: Typed): Typed => {
    return {
      kind: "abstract",
      binders: [binder],
      body,
      type: tensor(element("i32"), type.axes),
      span,
    };
  };
  return {
    ...functions,
    codes: codes.map(over),
    type: { ...type, of: (functions.type as ListType).of },
    span,
  };
}

function alongRows(code: Typed, rows: readonly Axis[]): Typed {
  if (rows.length === 0) return code;
  const { span } = code;
  const binders = rows.map((axis): Binder => {
    const binder = newBinder("i", span, true);
    extentRange(binder, axis);
    return binder;
  });
  return { kind: "abstract", binders, body: code, type: tensor(element("i32"), rows), span };
}

/** The function at as many indices as there are axes; with fewer of them, those that are left. */
export function functionAt(
  place: Place,
  functions: Functions,
  indices: readonly Typed[],
  span: Span,
  spans: readonly Span[],
): Typed {
  const type = functions.type as ListType;
  const left = type.axes.slice(indices.length);
  const beyond = indices.findIndex((index, k) => isBeyond(place, index, type.axes[k]!));
  if (beyond >= 0) {
    const [at, extent] = [
      knownNumber(place.checker, indices[beyond]!)!,
      constantOf(type.axes[beyond]!.extent!)!,
    ];
    const text = `the index of axis ${beyond} is ${at}, its extent is ${extent}`;
    return refuse(place, "E0305", "this leaves the array of functions", spans[beyond] ?? span, {
      text,
    });
  }
  const codes = functions.codes.map((code) => codeAt(place, code, indices, span, spans));
  const wrong = codes.find((code) => code.kind === "wrong");
  if (wrong) return wrong;
  const found: Typed =
    left.length > 0
      ? { ...functions, codes, type: { ...type, axes: left }, span }
      : { ...functions.at(place, codes, span) };
  taken.set(found, { functions, codes });
  return found;
}

/**
 * Whether an index is outside whatever the program does; what stands under a condition may never be
 * read.
 */
function isBeyond({ checker, when }: Place, index: Typed, { extent }: Axis): boolean {
  const [at, length] = [knownNumber(checker, index), extent && constantOf(extent)];
  return when.length === 0 && at !== undefined && length !== undefined && (at < 0 || at >= length);
}

/**
 * A code is known where its position is, and otherwise read like any cell, so that the array knows
 * its end.
 */
function codeAt(
  place: Place,
  codes: Typed,
  indices: readonly Typed[],
  span: Span,
  spans: readonly Span[],
): Typed {
  const at = indices.map((index) => knownNumber(place.checker, index));
  const value = at.every((each) => each !== undefined)
    ? knownCell(codes, at, new Map())
    : undefined;
  if (value !== undefined) return { kind: "constant", value, type: scalar("i32"), span };
  const [index] = indices;
  const cell = indices.length === 1 ? cellOfWindow(place, codes, index!, span) : undefined;
  return cell ?? readAt(place, { ...codes, span }, indices, span, spans);
}

type Known = ReadonlyMap<Variable, Term>;

/** The number in a cell, as far as it is written. */
function knownCell(value: Typed, at: readonly number[], known: Known): number | undefined {
  if (at.length === 0) return knownScalar(value, known);
  const [first, ...rest] = at;
  switch (value.kind) {
    case "constant":
      return typeof value.value === "number" ? value.value : undefined;
    case "block":
      return knownCell(value.value, at, known);
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? knownCell(value.binding.value, at, known)
        : undefined;
    case "array": {
      const cell = value.elements[first!];
      return cell && knownCell(cell, rest, known);
    }
    case "abstract": {
      const { binders, body, type } = value;
      if (binders.length > at.length) return undefined;
      const isInside = binders.every(
        (_, k) => at[k]! >= 0 && at[k]! < (constantOf(type.axes[k]!.extent!) ?? 0),
      );
      if (!isInside) return undefined;
      const inside = new Map([
        ...known,
        ...binders.map(({ variable }, k) => [variable, constant(at[k]!)] as const),
      ]);
      return knownCell(body, at.slice(binders.length), inside);
    }
    default:
      return undefined;
  }
}

function knownScalar(value: Typed, known: Known): number | undefined {
  switch (value.kind) {
    case "constant":
      return typeof value.value === "number" ? value.value : undefined;
    case "integer":
      return constantOf(substitute(value.term, known));
    case "block":
      return knownScalar(value.value, known);
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? knownScalar(value.binding.value, known)
        : undefined;
    case "read": {
      const at = value.indices.map((index) => knownScalar(index, known));
      return at.every((each) => each !== undefined) ? knownCell(value.base, at, known) : undefined;
    }
    default:
      return undefined;
  }
}

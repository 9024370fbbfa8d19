// Arrays of functions. Each element is an integer, its code; the function is made from the code
// where an element is called.
//
//   let fs = [sin, cos];      codes [0, 1]
//   fs[k](x)                  if code == 0 { sin(x) } else { cos(x) }

import type { Span } from "../../../base/source.ts";
import { constant, constantOf, variable, type Term, type Variable } from "../../../affine/term.ts";
import { substitute } from "../../../affine/visit.ts";
import { oneOf } from "../../values/choose.ts";
import { knownNumber } from "../../expressions/conditions.ts";
import { refuse, type Place } from "../../context.ts";
import { apply } from "../../expressions/operators.ts";
import { neverCalled } from "../stand-ins.ts";
import { functionsIn } from "../../values/tuples.ts";
import type { Binder, Functions, Typed } from "../../types/typed.ts";
import { element, scalar, tensor, type Axis, type ListType } from "../../types/types.ts";
import { cellOfWindow } from "../../data/rows/windows.ts";
import { readAt } from "../../ranges/reads.ts";
import { binderAlong } from "../../ranges/ranges.ts";

/**
 * How a comprehension makes the function at a position: from a code, again at each place that needs
 * the function.
 */
export interface Remade {
  readonly code: Typed;
  readonly again: (place: Place, code: Typed) => Typed;
}

/** `[f, g]`, with functions or arrays of functions as elements. The first code is the position. */
export function functionsOf(elements: readonly Typed[], type: ListType, span: Span): Functions {
  const [axis, ...rows] = type.axes;
  const lists = elements.map(functionsIn);
  const more = Math.max(...lists.map((list) => list?.codes.length ?? 0));
  const arrayOfCodes = (cells: readonly Typed[]): Typed => {
    return { kind: "array", elements: cells, type: tensor(element("i32"), [axis!, ...rows]), span };
  };
  const number = (value: number): Typed => ({
    kind: "constant",
    value,
    type: tensor(element("i32"), rows),
    span,
  });
  const inner = Array.from({ length: more }, (_, n) =>
    arrayOfCodes(lists.map((list) => list?.codes[n] ?? number(0))),
  );
  return {
    kind: "functions",
    codes: [arrayOfCodes(elements.map((_, k) => number(k))), ...inner],
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
    // Nothing is ever read from the array. An element would have the declared type.
    at: (place, _, asked) => neverCalled(place, type.of, asked),
    type,
    span,
  };
}

/**
 * The functions, or arrays of functions, that a comprehension makes. Its element is made again for
 * each code that is asked for.
 */
export function functionsOver(
  binder: Binder,
  type: ListType,
  body: Typed,
  made: Remade,
  span: Span,
): Functions {
  const from = findTaken(body);
  if (from && from.functions.since.id < binder.variable.id)
    return elementsInOrder(binder, type, from, span);
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

/** An element that was read from an array of functions, with its codes. */
interface Taken {
  readonly functions: Functions;
  readonly codes: readonly Typed[];
}

const takenElements = new WeakMap<Typed, Taken>();

function findTaken(value: Typed): Taken | undefined {
  if (value.kind === "reference" && value.binding.kind === "value" && value.binding.value)
    return findTaken(value.binding.value);
  const inner = value.kind === "block" ? findTaken(value.value) : undefined;
  if (value.kind !== "block" || !inner) return takenElements.get(value);
  return {
    ...inner,
    codes: inner.codes.map((code): Typed => ({ ...value, value: code, type: code.type })),
  };
}

/**
 * Elements of an earlier array of functions in another order. They keep their codes of that array.
 */
function elementsInOrder(
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
  const binders = rows.map((axis) => binderAlong(axis, span, "i"));
  return { kind: "abstract", binders, body: code, type: tensor(element("i32"), rows), span };
}

/** The function at as many indices as there are axes. With fewer indices, an array of functions. */
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
    const [position, extent] = [
      knownNumber(place.checker, indices[beyond]!)!,
      constantOf(type.axes[beyond]!.extent!)!,
    ];
    const text = `the index of axis ${beyond} is ${position}, its extent is ${extent}`;
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
  takenElements.set(found, { functions, codes });
  return found;
}

/**
 * Whether an index is outside of the axis in every run. A read under a condition may never happen.
 */
function isBeyond({ checker, when }: Place, index: Typed, { extent }: Axis): boolean {
  const [position, length] = [knownNumber(checker, index), extent && constantOf(extent)];
  return (
    when.length === 0 &&
    position !== undefined &&
    length !== undefined &&
    (position < 0 || position >= length)
  );
}

/**
 * The code at a position. If the position is known, the code is a constant; otherwise it is read
 * like a cell, so that bounds are checked.
 */
function codeAt(
  place: Place,
  codes: Typed,
  indices: readonly Typed[],
  span: Span,
  spans: readonly Span[],
): Typed {
  const positions = indices.map((index) => knownNumber(place.checker, index));
  const value = positions.every((each) => each !== undefined)
    ? knownCell(codes, positions, new Map())
    : undefined;
  if (value !== undefined) return { kind: "constant", value, type: scalar("i32"), span };
  const [index] = indices;
  const cell = indices.length === 1 ? cellOfWindow(place, codes, index!, span) : undefined;
  return cell ?? readAt(place, { ...codes, span }, indices, span, spans);
}

type Known = ReadonlyMap<Variable, Term>;

/** The number in a cell, if it is written in the program. */
function knownCell(value: Typed, positions: readonly number[], known: Known): number | undefined {
  if (positions.length === 0) return knownScalar(value, known);
  const [first, ...rest] = positions;
  switch (value.kind) {
    case "constant":
      return typeof value.value === "number" ? value.value : undefined;
    case "block":
      return knownCell(value.value, positions, known);
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? knownCell(value.binding.value, positions, known)
        : undefined;
    case "array": {
      const cell = value.elements[first!];
      return cell && knownCell(cell, rest, known);
    }
    case "abstract": {
      const { binders, body, type } = value;
      if (binders.length > positions.length) return undefined;
      const isInside = binders.every(
        (_, k) => positions[k]! >= 0 && positions[k]! < (constantOf(type.axes[k]!.extent!) ?? 0),
      );
      if (!isInside) return undefined;
      const inside = new Map([
        ...known,
        ...binders.map(({ variable }, k) => [variable, constant(positions[k]!)] as const),
      ]);
      return knownCell(body, positions.slice(binders.length), inside);
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
      const positions = value.indices.map((index) => knownScalar(index, known));
      return positions.every((each) => each !== undefined)
        ? knownCell(value.base, positions, known)
        : undefined;
    }
    default:
      return undefined;
  }
}

// What to write in place of an elementwise operation on different shapes: the same operation with
// indices.

import { fix, fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";
import { constantOf, keyOf } from "../../affine/term.ts";
import { operations, type OperationName } from "../../scalar/operations.ts";
import type { Typed } from "../types/typed.ts";
import type { Axis, TensorType } from "../types/types.ts";

const letters = "ijklmnpq";

/**
 * `let y[i, j] = A[i, j] - x[j];`: axes of one extent get one name, the others names of their own.
 * Where `x` fits the rows of `A` as well as its columns, both lines are shown.
 */
export function indexedForm(
  operation: OperationName,
  operands: readonly Typed[],
  types: readonly TensorType[],
  span: Span,
): Repair {
  const rank = Math.max(...types.map((type) => type.axes.length));
  const larger = types.find((type) => type.axes.length === rank)!.axes;
  const lineWith = (order: Alignment): ((name: string) => string) => {
    const names: string[] = [];
    const fresh = (axis: Axis): string => {
      const name = [axis.name, ...letters].find(
        (each) => each !== undefined && !names.includes(each),
      )!;
      names.push(name);
      return name;
    };
    const first = larger.map(fresh);
    const texts = operands.map((operand, k) => {
      const { axes } = types[k]!;
      const text = textOf(operand.span);
      if (axes.length === 0) return text;
      const own = axes === larger ? first : matching(axes, larger, first, fresh, order);
      return `${/^[\w[\]()., ]+$/.test(text) ? text : `(${text})`}[${own.join(", ")}]`;
    });
    return (name) => `let ${name}[${names.join(", ")}] = ${applied(operation, texts)};`;
  };
  const words = new Set(textOf(span).match(/\w+/g));
  const tensor = ["y", "z", "r", "outcome"].find((each) => !words.has(each)) ?? "cells";
  const [last, first] = [lineWith("last"), lineWith("first")];
  const block = (line: typeof first): string => `{ ${line(tensor)} ${tensor} }`;
  if (last("y") === first("y")) {
    return {
      help: `write it with indices, for example \`${first("y")}\``,
      ...fixed("write it with indices", replace(span, block(first))),
    };
  }
  return {
    help: `write it with indices: \`${last("y")}\` as in NumPy, or \`${first("y")}\``,
    fixes: [
      fix("write it with indices, as in NumPy", replace(span, block(last))),
      fix("write it with indices, along the first axis", replace(span, block(first))),
    ],
  };
}

/**
 * Whether the axes of the smaller tensor are tried first against the first axes of the larger, or
 * against the last.
 */
type Alignment = "first" | "last";

function applied(operation: OperationName, texts: readonly string[]): string {
  const { notation } = operations[operation];
  return notation.kind === "infix"
    ? texts.join(` ${notation.symbol} `)
    : `${nameOf(operation)}(${texts.join(", ")})`;
}

function nameOf(operation: OperationName): string {
  const { notation } = operations[operation];
  return notation.kind === "call" ? notation.name : operation;
}

/**
 * An axis goes to one of the same extent, its own place first; where extents are open, to one that
 * is left.
 */
function matching(
  axes: readonly Axis[],
  larger: readonly Axis[],
  names: readonly string[],
  fresh: (axis: Axis) => string,
  alignment: Alignment,
): readonly string[] {
  const taken = new Set<number>();
  const offset = alignment === "first" ? 0 : larger.length - axes.length;
  return axes.map((axis, k) => {
    const order = [k + offset, ...names.keys()].filter((n) => n < names.length && !taken.has(n));
    const same =
      order.find((n) => isSame(axis, larger[n]!)) ?? order.find((n) => mayBeSame(axis, larger[n]!));
    if (same === undefined) return fresh(axis);
    taken.add(same);
    return names[same]!;
  });
}

function isSame(a: Axis, b: Axis): boolean {
  return a.extent !== undefined && b.extent !== undefined && keyOf(a.extent) === keyOf(b.extent);
}

function mayBeSame(a: Axis, b: Axis): boolean {
  return (
    !a.extent ||
    !b.extent ||
    constantOf(a.extent) === undefined ||
    constantOf(b.extent) === undefined
  );
}

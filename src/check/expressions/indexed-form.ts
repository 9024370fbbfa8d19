// The help for an elementwise operation on different shapes: the same operation with indices.
//
//   A - x      `let y[i, j] = A[i, j] - x[j];`

import { fix, fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";
import { constantOf, keyOf } from "../../affine/term.ts";
import { operations, type OperationName } from "../../scalar/operations.ts";
import type { Typed } from "../types/typed.ts";
import type { Axis, TensorType } from "../types/types.ts";

const letters = "ijklmnpq";

/**
 * The operation with indices. Axes of one extent get one name, other axes get names of their own.
 * If `x` fits the rows of `A` as well as its columns, both forms are shown.
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
      const own = axes === larger ? first : matchedNames(axes, larger, first, fresh, order);
      return `${/^[\w[\]()., ]+$/.test(text) ? text : `(${text})`}[${own.join(", ")}]`;
    });
    return (name) => `let ${name}[${names.join(", ")}] = ${operationText(operation, texts)};`;
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
 * Whether the axes of the smaller tensor are matched with the first axes of the larger tensor, or
 * with the last.
 */
type Alignment = "first" | "last";

function operationText(operation: OperationName, texts: readonly string[]): string {
  const { notation } = operations[operation];
  return notation.kind === "infix"
    ? texts.join(` ${notation.symbol} `)
    : `${functionName(operation)}(${texts.join(", ")})`;
}

function functionName(operation: OperationName): string {
  const { notation } = operations[operation];
  return notation.kind === "call" ? notation.name : operation;
}

/**
 * The name of each axis of the smaller tensor. An axis takes the name of an axis with the same
 * extent, at its own position if possible. If no extent is the same, it takes one that is unknown.
 */
function matchedNames(
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
      order.find((n) => haveEqualExtent(axis, larger[n]!)) ??
      order.find((n) => mayHaveEqualExtent(axis, larger[n]!));
    if (same === undefined) return fresh(axis);
    taken.add(same);
    return names[same]!;
  });
}

function haveEqualExtent(a: Axis, b: Axis): boolean {
  return a.extent !== undefined && b.extent !== undefined && keyOf(a.extent) === keyOf(b.extent);
}

function mayHaveEqualExtent(a: Axis, b: Axis): boolean {
  return (
    !a.extent ||
    !b.extent ||
    constantOf(a.extent) === undefined ||
    constantOf(b.extent) === undefined
  );
}

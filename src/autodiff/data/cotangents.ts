// Cotangents: how much the numerator moves per unit of a value, under the outcomes of branches in
// which it counts. Those of floats are numbers; those of data are data: of what has parts, the
// cotangents of the parts; of an array, totals by place, which are data again where its cells are.

import { constant, constantOf } from "../../affine/term.ts";
import { holding, type Outcome } from "../../analyse/opposite.ts";
import type { Scalar } from "../../ir/program.ts";
import { isFloat, type ElementType } from "../../scalar/types.ts";
import { integerScalar, arithmetic } from "../../ir/substitute.ts";
import type { Span } from "../../base/source.ts";
import { asType } from "../sweep/cells.ts";
import { sumOfCounting } from "../rewrites/choices.ts";
import { moves, named, nothing, outcomesKey, partAt, whereAll } from "./frames.ts";

import { algebraOf, unsigned } from "../scalar/products.ts";
import { applied, dataCall } from "../../ir/simple-scalars.ts";

/** A cotangent, whole or of one part or place, and the outcomes under which it counts. */
export interface Bar {
  readonly value: Scalar;
  readonly under: readonly Outcome[];
  readonly at?:
    | { readonly kind: "part"; readonly member: number }
    | { readonly kind: "place"; readonly place: Scalar };
}

/** What a function of data sends back to its operands; `value` is what a scalar is there. */
export function throughData(
  scalar: Extract<Scalar, { kind: "data" }>,
  bar: Bar,
  value: (scalar: Scalar) => Scalar,
  span: Span,
): readonly (readonly [Scalar, Bar])[] {
  const { operands, function: called, member } = scalar;
  const [first, second, third] = operands as readonly [Scalar, Scalar, Scalar];
  const { under } = bar;
  const whole: Bar = bar.at ? { under, value: named("d_data", asWhole(bar)) } : bar;
  switch (called) {
    case "box": {
      const { at } = bar;
      const moving = operands
        .map((operand, k) => [operand, k] as const)
        .filter(([{ type }]) => moves(type));
      if (at?.kind === "part")
        return moving
          .filter(([, k]) => k === at.member)
          .map(([operand]) => [operand, { under, value: bar.value }]);
      const parts = named("d_box", bar.value);
      return moving.map(([operand, k]) => [
        operand,
        { under, value: partAt(parts, k, operand.type) },
      ]);
    }
    case "part":
      return moves(scalar.type) ? [[first, { ...whole, at: { kind: "part", member } }]] : [];
    case "cell":
      return moves(scalar.type)
        ? [[first, { ...whole, at: { kind: "place", place: value(second) } }]]
        : [];
    case "append": {
      if (!moves(second.type)) return [[first, whole]];
      const cells = named("d_cells", whole.value);
      const size: Scalar = third
        ? value(third)
        : { ...scalar, function: "size", operands: [value(first)], type: "i32" };
      const last = dataCall("total", [cells, size], second.type);
      return [
        [first, { under, value: cells }],
        [second, { under, value: last }],
      ];
    }
    case "slice":
      return [[first, { under, value: dataCall("shift", [whole.value, value(second)], "data") }]];
    // Totals are linear in what was added to them: these are the cotangents of cotangents.
    case "add": {
      const totals = named("d_total", whole.value);
      const added = dataCall("total", [totals, value(second)], third.type);
      return [
        [first, { under, value: totals }],
        [third, { under, value: added }],
      ];
    }
    case "total":
      return [[first, { ...whole, at: { kind: "place", place: value(second) } }]];
    case "put": {
      const parts = named("d_parts", whole.value);
      const added = operands.flatMap((operand, k): readonly (readonly [Scalar, Bar])[] => {
        if (k === 0 || k % 2 === 1 || !moves(operand.type)) return [];
        const { term } = operands[k - 1] as Extract<Scalar, { kind: "integer" }>;
        return [[operand, { under, value: partAt(parts, constantOf(term)!, operand.type) }]];
      });
      return [[first, { under, value: parts }], ...added];
    }
    case "join":
      if (third) throw new Error("cotangents that are weighed are differentiated by their formula");
      return [
        [first, bar],
        [second, bar],
      ];
    case "shift": {
      const back = applied("negate", [value(second)], span);
      return [[first, { under, value: dataCall("shift", [whole.value, back], "data") }]];
    }
    // What a loop holds by place has a formula beside it, which is what moves.
    case "hold":
    case "held":
      throw new Error("what a loop holds is differentiated by its formula");
    case "same":
    case "show":
    case "size":
    case "stop":
      return [];
    default:
      return called satisfies never;
  }
}

// ── sums of cotangents ──────────────────────────────────────────────────────────────────────────

/** The place of a cell among all cells, row after row. */
export function placeOf(
  indices: readonly Scalar[],
  extents: readonly Scalar[],
  span: Span,
): Scalar {
  const [first, ...rest] = indices.map((index) => asType(index, "i32"));
  return rest.reduce(
    (before, index, k) =>
      arithmetic("add", arithmetic("multiply", before, extents[k + 1]!, span), index, span),
    first!,
  );
}

/** A cotangent of a part or a place as one of the whole. */
function asWhole({ at, value }: Bar): Scalar {
  if (!at) return value;
  if (at.kind === "place") return dataCall("add", [nothing, at.place, value], "data");
  return putCall(nothing, [[at.member, value]]);
}

function putCall(parts: Scalar, more: readonly (readonly [number, Scalar])[]): Scalar {
  return dataCall(
    "put",
    [parts, ...more.flatMap(([member, value]) => [integerScalar(constant(member)), value])],
    "data",
  );
}

/** Everything that has come in, each under its outcomes. */
export function sumOf(bars: readonly Bar[], type: ElementType, span: Span): Scalar {
  if (isFloat(type)) {
    const algebra = algebraOf(type, span);
    const terms = bars.map(({ value, under }) => ({
      conditions: under.map(holding),
      value: asType(value, type),
    }));
    // Of two, the one that is taken away comes last.
    const isTurned = terms.length === 2 && unsigned(terms[0]!.value) !== undefined;
    return sumOfCounting(isTurned ? terms.toReversed() : terms, algebra, span);
  }
  let sum: Scalar = nothing;
  const put = new Set<Bar>();
  for (const bar of [...bars.filter(({ at }) => !at), ...bars.filter(({ at }) => at)]) {
    const { value, under, at } = bar;
    if (put.has(bar)) continue;
    // Parts that come in together are put together.
    const along = bars.flatMap((other) => {
      if (
        at?.kind !== "part" ||
        other.at?.kind !== "part" ||
        outcomesKey(other.under) !== outcomesKey(under)
      )
        return [];
      put.add(other);
      return [[other.at.member, other.value] as const];
    });
    const more = !at
      ? sum === nothing
        ? value
        : dataCall("join", [sum, value], "data")
      : at.kind === "part"
        ? putCall(sum, along)
        : dataCall("add", [sum, at.place, value], "data");
    sum = named("d_data", whereAll(under, more, sum));
  }
  return sum;
}

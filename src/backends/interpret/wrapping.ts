// `--trap overflow`: the first integer that wraps around stops the run. The message has the
// operation and its operands. The cell and its coordinates are added further out (blame.ts).

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Body, Scalar } from "../../ir/program.ts";
import { exactResult, fitsInto, showExact, widerType } from "../../scalar/overflow.ts";
import type { Accumulator } from "../../scalar/reductions.ts";
import type { IntegerType, Scalar as Value } from "../../scalar/types.ts";
import { textOf, type Span } from "../../base/source.ts";

type Integer = number | bigint;

/**
 * Watches an operation on integers: it stops if the result differs from arithmetic without bounds.
 */
export function watchedArithmetic(
  scalar: Extract<Scalar, { kind: "apply" }>,
  compute: (...given: Value[]) => Value,
): (...given: Value[]) => Value {
  const type = scalar.type as IntegerType;
  return (...given) => {
    const value = compute(...given);
    const exact = exactResult(scalar.operation, given as Integer[]);
    if (exact === undefined || fitsInto(type, exact)) return value;
    const shown = given.map(String);
    const operands =
      shown.length === 1 ? `the operand is ${shown[0]}` : `the operands are ${shown.join(" and ")}`;
    throw wrappingFault(textOf(scalar.span), type, value, exact, operands, scalar.span);
  };
}

/** Watches a cast to a narrower integer. */
export function watchedCast(
  { type, span }: Extract<Scalar, { kind: "cast" }>,
  compute: (value?: Value) => Value,
): (value?: Value) => Value {
  return (given) => {
    const value = compute(given);
    const exact = BigInt(given as Integer);
    if (fitsInto(type as IntegerType, exact)) return value;
    const shown = `the operand is ${String(given)}`;
    const wider = widerType(exact) ?? "i64";
    const help = `cast to \`${wider}\`, or keep the numbers smaller`;
    throw wrappingFault(
      span ? textOf(span) : "",
      type as IntegerType,
      value,
      exact,
      shown,
      span,
      help,
    );
  };
}

/**
 * Watches arithmetic on coordinates and extents, which are i32. Its place in a message is that of
 * the cell.
 */
export function watchedInteger(value: number): number {
  if (Math.abs(value) < 2 ** 31 || value === -(2 ** 31)) return value | 0;
  throw wrappingFault("", "i32", value | 0, BigInt(value), "", undefined);
}

/**
 * Watches a sum or product of integers. The totals on the way may wrap around and come back, but
 * the result may not.
 */
export function watchedTotal(
  accumulator: Accumulator,
  { reduction, span }: Extract<Body, { kind: "reduce" }>,
  type: IntegerType,
  coordinates: () => readonly string[],
): Accumulator {
  const operation = reduction === "sum" ? "add" : reduction === "prod" ? "multiply" : undefined;
  if (!operation) return accumulator;
  let exact = operation === "add" ? 0n : 1n;
  let firstOverflow: string | undefined;
  return {
    step(value, position) {
      accumulator.step(value, position);
      exact = exactResult(operation, [exact, value as Integer])!;
      if (fitsInto(type, exact)) firstOverflow = undefined;
      else
        firstOverflow ??=
          `it leaves ${type} at ${coordinates().join(", ")}, ` +
          `with the element ${String(value)}`;
    },
    finish() {
      const value = accumulator.finish();
      if (fitsInto(type, exact)) return value;
      throw wrappingFault(textOf(span), type, value, exact, firstOverflow ?? "", span);
    },
  };
}

function wrappingFault(
  written: string,
  type: IntegerType,
  value: Value,
  exact: bigint,
  operands: string,
  span: Span | undefined,
  help = widerHelp(exact),
): Fault {
  const named = written === "" ? "an integer" : `\`${written}\``;
  return new Fault(
    error("E0909", `${named} wraps around to ${String(value)}`, span, {
      text: [`${type} does not hold ${showExact(exact)}`, ...(operands ? [operands] : [])].join(
        "; ",
      ),
      help,
    }),
  );
}

function widerHelp(exact: bigint): string {
  const wider = widerType(exact);
  return wider
    ? `compute in a wider type: cast what it is made of, as in \`n as ${wider}\``
    : "no integer type holds it: compute in `f64`, or keep the numbers smaller";
}

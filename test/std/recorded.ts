// The records of test/reference/std.py: programs that call the standard library, inputs, and the
// results of NumPy, SciPy and PyTorch.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { failed } from "../../src/base/failure.ts";
import { fromJson, type JsonScalar } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import type { ElementType } from "../../src/scalar/types.ts";

export interface Recorded {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  readonly data: readonly JsonScalar[];
}

export interface Case {
  readonly inputs: Readonly<Record<string, Recorded>>;
  readonly values: Readonly<Record<string, Recorded>>;
  /** The gradients of the weighted sum of all float results, by each float input. */
  readonly gradients?: Readonly<Record<string, readonly JsonScalar[]>>;
}

export interface Row {
  readonly name: string;
  readonly program: string;
  readonly cases: readonly Case[];
}

export function rowsOf(module: string): readonly Row[] {
  return JSON.parse(
    readFileSync(fileURLToPath(new URL(`${module}.json`, import.meta.url)), "utf8"),
  ) as Row[];
}

/** The program with the recorded gradients: `d_x` for each float input x. */
export function withGradients({ program, cases }: Row): string {
  const [{ gradients, values }] = cases as [Case];
  if (!gradients) return program;
  const terms = Object.entries(values)
    .filter(([, { dtype }]) => dtype === "f64")
    .map(([name, { shape }]) => weighed(name, shape.length));
  return [
    program,
    "fn weight(k: i32) -> f64 { ((k * 7 + 3) % 11 - 5) as f64 / 4.0 }",
    `let loss = ${terms.join(" + ")};`,
    ...Object.keys(gradients).map((name) => `let d_${name} = @loss / @${name};`),
  ].join("\n");
}

/** The sum of the cells of a result, each weighted by its position in row-major order. */
function weighed(name: string, rank: number): string {
  if (rank === 0) return `${name} * weight(0)`;
  const indices = Array.from({ length: rank }, (_, axis) => `i${axis}`);
  const place = indices.reduce(
    (before, index, axis) => `(${before}) * shape(${name})[${axis}] + ${index}`,
  );
  return `sum[${indices.join(", ")}](${name}[${indices.join(", ")}] * weight(${place}))`;
}

export function inputsOf({ inputs }: Pick<Case, "inputs">): ReadonlyMap<string, TensorValue> {
  return new Map(Object.entries(inputs).map(([name, value]) => [name, valueOf(value)]));
}

export function valueOf(recorded: Recorded): TensorValue {
  const value = fromJson(recorded);
  if (failed(value)) throw new Error(value.error);
  return value;
}

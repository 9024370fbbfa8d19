// Checks all gradients of one numerator at once. Every cell of every denominator moves along a
// direction; the slope of the numerator must be the sum of the products, by differences and by
// forward mode:
//
//   d/ds f(x + s·v, y + s·w, …) = ⟨@f / @x, v⟩ + ⟨@f / @y, w⟩ + …
//
// Each cell moves by a random amount, and by less where its derivative is large. So every cell has
// its share in the sum, and a wrong cell shows. Agreement along two directions says as much as a
// comparison cell by cell, for a small part of the work. Only a comparison by cells can tell
// whether a kink causes a difference.

import { adjointTolerance } from "../../src/explain/check/adjoint-identity.ts";
import { columnOf, compared, ofRow } from "../../src/explain/check/differences.ts";
import { sizeOf, type TensorValue } from "../../src/scalar/values/value.ts";
import { uniform } from "../../src/scalar/random.ts";
import { isFloat } from "../../src/scalar/types.ts";
import { cellsOf, derive, WrongProgram, type Derived, type Inputs } from "./derived.ts";
import { movedAlong, numeratorName, stepName, type FoundRequest, type Moved } from "./perturb.ts";

const directions = [1, 2];

/**
 * Whether all gradients of one numerator agree with its slopes. `false` also if that cannot be
 * determined this way.
 */
export function agreesAlong(
  text: string,
  requests: readonly FoundRequest[],
  { program }: Derived,
  values: ReadonlyMap<string, TensorValue>,
): boolean {
  const moved: Moved[] = [];
  for (const { wrt } of requests) {
    const definition = program.outputs.get(wrt)?.definition;
    const point = values.get(wrt);
    if (!definition || !point || !isFloat(definition.element)) return false;
    if (moved.some(({ name }) => name === wrt)) return false;
    const { element } = definition;
    const type = point.shape.length === 0 ? element : `[${element}; ${point.shape.join(", ")}]`;
    moved.push({ name: wrt, way: `the_way_${moved.length}`, type });
  }
  const opened = openedAlong(text, requests[0]!, moved);
  const pushforward = opened?.pushforward(numeratorName, stepName);
  if (!opened || !pushforward) return false;
  return directions.every((seed) => {
    let drawn = 0;
    let expected = 0;
    let size = 0;
    const ways = requests.map(({ answer, wrt }, k): readonly [string, TensorValue] => {
      const { shape } = values.get(wrt)!;
      const gradient = cellsOf(values.get(answer)!);
      const data = Float64Array.from({ length: sizeOf(shape) }, (_, cell) => {
        const by = (2 * uniform(seed, drawn++) - 1) / Math.max(1, Math.abs(gradient[cell]!));
        expected += by * gradient[cell]!;
        size += Math.abs(by * gradient[cell]!);
        return by;
      });
      return [moved[k]!.way, { dtype: "f64", shape, data }];
    });
    const at = (step: number): Inputs => ({ ...Object.fromEntries(ways), [stepName]: step });
    const apart = Math.abs(pushforward(at(0)) - expected);
    if (!(apart <= adjointTolerance * Math.max(1, size))) return false;
    const f = (step: number): number =>
      cellsOf(opened.run([numeratorName], at(step)).get(numeratorName)!)[0]!;
    const column = columnOf((step) => [f(step)], [f(0)], 1);
    return compared(expected, ofRow(column, 0), 1).kind === "agrees";
  });
}

/** The program in which the denominators move. Absent if a denominator cannot be written so. */
function openedAlong(
  text: string,
  request: FoundRequest,
  moved: readonly Moved[],
): Derived | undefined {
  try {
    return derive(movedAlong(text, request, moved));
  } catch (failure) {
    if (failure instanceof WrongProgram) return undefined;
    throw failure;
  }
}

// The number of points of a nest, compared with enumeration: bounds on several coordinates at once,
// diagonals, triangles of triangles.

import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import { parse } from "../syntax/parse/parser.ts";
import { evaluate as valueOf } from "../affine/visit.ts";
import type { Variable } from "../affine/term.ts";
import { integerOf } from "../ir/integers.ts";
import { normalise } from "../lower/normalise.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { conjuncts, halfOf, pointsOf } from "./points.ts";
import { evaluate } from "./polynomial.ts";

const few = 7;
const many = 60;

function nestOf(
  loops: string,
  guards: string,
): { readonly loops: readonly Loop[]; readonly guards: readonly Scalar[] } {
  const text = `input x: [f32; n]; let y = sum[${loops}](1.0 where ${guards});`;
  const { module, damage } = parse({ name: "test.ein", text });
  const { checker, program } = check(module, { damage });
  expect(checker.diagnostics).toEqual([]);
  const { body } = normalise(checker, program).outputs.get("y")!.definition.clauses[0]!;
  if (body.kind !== "reduce") throw new Error("a sum is a reduction");
  return body;
}

/** Counts the points of the nest one by one. */
function enumerated(loops: readonly Loop[], guards: readonly Scalar[], extent = few): number {
  const at = new Map<Variable, number>();
  const valueAt = (scalar: Scalar): number =>
    valueOf(integerOf(scalar)!, (v) => at.get(v) ?? extent);
  const holds = (condition: Scalar): boolean => {
    const half = halfOf(condition);
    if (half) return valueOf(half, (v) => at.get(v) ?? extent) >= 0;
    const [a, b] = (condition as Extract<Scalar, { kind: "apply" }>).operands;
    return valueAt(a!) === valueAt(b!);
  };
  const conditions = guards.flatMap(conjuncts);
  const walk = ([loop, ...inner]: readonly Loop[]): number => {
    if (!loop) return conditions.every(holds) ? 1 : 0;
    let points = 0;
    for (let k = valueAt(loop.from); k < valueAt(loop.to); k++) {
      at.set(loop.variable, k);
      points += walk(inner);
    }
    return points;
  };
  return walk(loops);
}

test.each([
  ["i in 0..extent(n), k in 0..extent(n)", "k <= i"],
  ["i in 0..extent(n), k in 0..extent(n)", "!(k > i)"],
  ["i in 0..extent(n), k in 0..extent(n)", "i - k in 0..3"],
  ["i in 0..extent(n), j in 0..extent(n), k in 0..extent(n)", "i < j, j < k"],
  ["i in 0..extent(n), j in 0..extent(n), k in 0..extent(n)", "i < j, k > j, k > i"],
  ["l in 0..6, i in 0..6, k in 0..6", "l < k, i + k < 6"],
  ["l in 0..6, i in 0..6, k in 0..6", "i - k - 1 in 0..l + i - k, l + i - k in 1..6, i + l < 6"],
  ["l in 1..6, i in 0..6, k in 0..l", "i + l < 6"],
  ["i in 0..extent(n), j in 0..extent(n), k in 0..extent(n)", "i == j, k >= i + 1"],
  ["t in 0..extent(n) + 1, j in 0..extent(n)", "t == j"],
  ["t in 0..extent(n) + 1, i in 0..extent(n), j in 0..extent(n)", "t == i, t == j, t >= 1"],
])("%s where %s", (loops, guards) => {
  const nest = nestOf(loops, guards);
  const { count } = pointsOf(nest.loops, nest.guards);
  const said = evaluate(count, { extent: () => few, data: () => 1 });
  const is = enumerated(nest.loops, nest.guards);
  // A strip counts as equally wide everywhere, its ends included.
  if (guards === "i - k in 0..3") expect(said).toBe(3 * few);
  else expect(said).toBe(is);
});

test.each([
  ["k in 0..extent(n), i in 0..extent(n)", "i < 3 * k + 3, 2 * k + 2 <= i"],
  ["k in 0..extent(n), i in 0..extent(n), j in 0..extent(n)", "2 * k + 2 <= i + j"],
])("%s where %s, but for what quotients leave", (loops, guards) => {
  const nest = nestOf(loops, guards);
  const { count } = pointsOf(nest.loops, nest.guards);
  const said = evaluate(count, { extent: () => many, data: () => 1 });
  const is = enumerated(nest.loops, nest.guards, many);
  expect(Math.abs(said - is)).toBeLessThan(is / 20);
});

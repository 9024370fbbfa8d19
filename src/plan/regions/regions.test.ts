// Evaluates regions and tightened reductions plainly and compares them with the oracle: every cell
// lies in exactly one region, and the first case whose guards hold gives its value.

import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { kernelProgram } from "../../../test/generate/kernels.ts";
import { subjectOf, type Subject } from "../../../test/backends/compare.ts";
import { computeEverything } from "../../../test/support/everything.ts";
import type { Machine } from "../../backends/interpret/machine.ts";
import { compile, compileInteger } from "../../backends/interpret/scalars/scalars.ts";
import { failed } from "../../base/failure.ts";
import { fromJson } from "../../host/json.ts";
import { indicesOf, sizeOf, type TensorValue } from "../../scalar/values/value.ts";
import { constant } from "../../affine/term.ts";
import type { Definition } from "../../ir/program.ts";
import { reductionRow } from "../../scalar/reductions.ts";
import { isFloat, type Scalar as Value } from "../../scalar/types.ts";
import { integerScalar, type Replacements } from "../../ir/substitute.ts";
import { unfused } from "../fuse.ts";
import { sized, type Case, type Region, type Sized } from "./regions.ts";

/** The regions of a definition, for the sizes that a machine knows. */
function regionsOf(machine: Machine, { program }: Subject, definition: Definition): Sized {
  const known: Replacements = new Map(
    [...program.dimensions.values(), ...program.scalars.keys()].map((v) => [
      v,
      integerScalar(constant(machine.values[machine.slotOf(v)]!)),
    ]),
  );
  const { shape } = machine.stores.get(definition)!;
  return sized(definition, shape, { known, typeOf: machine.typeOf, ...unfused });
}

function caseValue(machine: Machine, each: Case): Value {
  machine.locals.clear();
  for (const { name, body } of each.reductions) {
    const accumulator = reductionRow(body.reduction).start(body.value.type);
    const slots = body.loops.map((loop) => machine.slotOf(loop.variable));
    const bounds = body.loops.map(
      ({ from, to }) => [compileInteger(machine, from), compileInteger(machine, to)] as const,
    );
    const guards = body.guards.map((guard) => compile(machine, guard));
    const value = compile(machine, body.value);
    const descend = (depth: number): void => {
      if (depth < slots.length) {
        const [from, to] = bounds[depth]!.map((bound) => bound());
        for (let at = from!; at < to!; at++) {
          machine.values[slots[depth]!] = at;
          descend(depth + 1);
        }
        return;
      }
      machine.tick++;
      if (guards.every((guard) => guard()))
        accumulator.step(value(), machine.values[slots[0]!] ?? 0);
    };
    descend(0);
    machine.tick++;
    const result = accumulator.finish();
    machine.locals.set(name, () => result);
  }
  return compile(machine, each.value)();
}

function cellOf(machine: Machine, { sides, cases }: Region, position: readonly number[]): Value {
  sides.forEach(
    ({ variable }, axis) => (machine.values[machine.slotOf(variable)] = position[axis]!),
  );
  machine.tick++;
  const first = cases.find(({ guards }) => {
    machine.locals.clear();
    return guards.every((guard) => compile(machine, guard)());
  });
  return caseValue(machine, first!);
}

/** A logsumexp subtracts the maximum first, so its last digits may differ. */
function agrees(type: TensorValue["dtype"], got: Value, wanted: Value): boolean {
  if (Object.is(got, wanted)) return true;
  // Structs are made anew in each evaluation, so their parts are compared.
  if (type === "data") return isDeepStrictEqual(got, wanted);
  return isFloat(type) && Math.abs(Number(got) - Number(wanted)) <= 1e-2 * Math.abs(Number(wanted));
}

function holds(subject: Subject, inputs: ReadonlyMap<string, TensorValue>): number {
  const machine = computeEverything(subject.program, subject.analysis, {
    inputs,
    backend: "interpret",
  });
  let cells = 0;
  for (const definition of subject.analysis.schedules.flatMap((schedule) => schedule.definitions)) {
    const store = machine.stores.get(definition);
    if (!store || definition.clauses.length === 0 || sizeOf(store.shape) > 200) continue;
    const { regions } = regionsOf(machine, subject, definition);
    for (let offset = 0; offset < sizeOf(store.shape); offset++) {
      const position = indicesOf(store.shape, offset);
      const own = regions.filter(({ sides }) =>
        sides.every(({ from, to }, k) => position[k]! >= from && position[k]! < to),
      );
      expect(own.length, `regions at ${definition.name}[${position.join()}]`).toBe(1);
      const got = cellOf(machine, own[0]!, position);
      const what =
        `${definition.name}[${position.join()}] is ${String(got)} instead of ` +
        String(store.get(offset));
      expect(agrees(machine.typeOf(definition.element), got, store.get(offset)), what).toBe(true);
      cells++;
    }
  }
  return cells;
}

function subject(text: string): Subject {
  const made = subjectOf("test.ein", text);
  if ("errors" in made) throw new Error(made.errors.map(({ title }) => title).join());
  return made;
}

/** The number of cases in each region of a value. */
function casesIn(text: string, name: string): readonly number[] {
  const own = subject(text);
  const machine = computeEverything(own.program, own.analysis, { backend: "interpret" });
  return regionsOf(machine, own, own.program.outputs.get(name)!.definition).regions.map(
    ({ cases }) => cases.length,
  );
}

describe("regions", () => {
  test("give every cell of random programs its value", () => {
    let cells = 0;
    for (let seed = 9000; seed < 9030; seed++) {
      const { text, inputs } = kernelProgram(seed);
      const own = subjectOf("test.ein", text);
      if ("errors" in own) continue;
      const given = Object.entries(inputs[0]!).map(([name, json]) => {
        const value = fromJson(json, json.dtype);
        if (failed(value)) throw new Error(value.error);
        return [name, value] as const;
      });
      cells += holds(own, new Map(given));
    }
    expect(cells).toBeGreaterThan(1000);
  }, 120_000);

  test("are cut where clauses, guards and borders change", () => {
    const heat =
      "let u[i in 0..9] = 1.0; let v[i in 0..9] = " +
      "if i > 0 && i < 8 { u[i - 1] + u[i + 1] } else { 0.0 };";
    expect(casesIn(heat, "u")).toEqual([1]);
    expect(casesIn(heat, "v")).toEqual([1, 1, 1]);
    // If guards depend on positions only, each region has a single case.
    expect(new Set(casesIn("let y[i in 0..9] = 1; let y[i in 2..5] = 2;", "y"))).toEqual(
      new Set([1]),
    );
    expect(casesIn("let y[i in 0..9] = i where i % 2 == 0 else 7;", "y")).toEqual([2]);
    expect(casesIn("let y[i in 0..0] = i;", "y")).toEqual([]);
  });
});

describe("tightened reductions", () => {
  const boundsOf = (text: string): readonly string[] => {
    const own = subject(text);
    const machine = computeEverything(own.program, own.analysis, { backend: "interpret" });
    const { regions } = regionsOf(machine, own, own.program.outputs.get("y")!.definition);
    return regions.flatMap(({ cases }) =>
      cases.flatMap(({ reductions }) =>
        reductions.map(({ body }) => `${body.loops.length} loops, ${body.guards.length} guards`),
      ),
    );
  };

  test("have guards on coordinates as bounds of loops", () => {
    const x = "let x[i in 0..8] = i as f32; ";
    expect(boundsOf(`${x}let y = sum[k](x[k] where k > 2, k < 6);`)).toEqual(["1 loops, 0 guards"]);
    expect(boundsOf(`${x}let y[i in 0..8] = sum[k](x[k] where k <= i);`)).toEqual([
      "1 loops, 0 guards",
    ]);
    expect(boundsOf(`${x}let y[i in 0..8] = sum[k](x[k] where k % 2 == 0);`)).toEqual([
      "1 loops, 1 guards",
    ]);
    expect(boundsOf(`${x}let y[i in 0..8] = sum[k](x[k] where x[k] > 1.0);`)).toEqual([
      "1 loops, 1 guards",
    ]);
  });

  test("keep the cells that they had", () => {
    const texts = [
      "let y[i in 0..7] = sum[k in 0..9](k * k where k > 2, k <= i, i + k < 9);",
      "let y[i in 0..7] = count[k in 0..9](k + i == 7 || k == 2);",
      "let y[i in 0..7, j in 0..3] = sum[k in 0..i, l in k..5](k + l where l - k == j);",
      "let y[i in 0..7] = sum[k in 0..9](if k >= i && k < 5 { k + 1 } else { 0 });",
    ];
    for (const text of texts) expect(holds(subject(text), new Map())).toBeGreaterThan(0);
  });
});

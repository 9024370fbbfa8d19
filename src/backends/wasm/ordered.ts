// The order in which kernels compute: a definition when it is first asked for, after what it reads.

import { at, type TensorValue } from "../../host/value.ts";
import type { Variable } from "../../ir/affine/term.ts";
import { readsOf, type Definition, type Program } from "../../ir/program.ts";
import type { Schedule } from "../../ir/schedule.ts";
import { agreements, holdStarts, type Engine } from "../interpret/engine.ts";
import { storeOf, type Machine } from "../interpret/machine.ts";
import type { Settling } from "./engine.ts";

/** Computes a definition when it is first asked for, after what it reads. */
export function kernelEngine(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  settling: Settling,
  kept: ReadonlyMap<Definition, TensorValue> = new Map(),
): Engine {
  const scheduleOf = new Map<Definition, number>();
  for (const [k, schedule] of schedules.entries())
    for (const definition of schedule.definitions) scheduleOf.set(definition, k);
  const byDefinition = new Map<Definition, Variable[]>();
  for (const [v, definition] of program.scalars)
    byDefinition.set(definition, [...(byDefinition.get(definition) ?? []), v]);
  const reads = new Map<number, readonly number[]>();
  const needed = (k: number): readonly number[] => {
    const known = reads.get(k);
    if (known) return known;
    const found = new Set<number>();
    for (const definition of schedules[k]!.definitions)
      for (const read of readsOf(definition)) if (!kept.has(read)) found.add(scheduleOf.get(read)!);
    found.delete(k);
    const list = [...found];
    reads.set(k, list);
    return list;
  };
  const computed = new Set<number>();
  const publish = (definition: Definition): void => {
    for (const v of byDefinition.get(definition) ?? [])
      machine.values[machine.slotOf(v)] = Number(at(settling.valueOf(definition), 0));
  };
  for (const [definition, value] of kept) {
    machine.stores.set(definition, storeOf(value));
    machine.bytes += "byteLength" in value.data ? value.data.byteLength : 0;
    publish(definition);
  }
  machine.peak = machine.bytes;
  const agree = agreements(machine, program);
  agree();
  const settle = (k: number): void => {
    for (const definition of schedules[k]!.definitions) holdStarts(machine, definition);
    // Inputs are there already.
    if (schedules[k]!.definitions[0]!.origin !== "input") settling.settle(schedules[k]!);
    for (const definition of schedules[k]!.definitions) publish(definition);
    agree();
    computed.add(k);
  };
  // Schedules come after what they read, so the ones that are needed are computed in their order.
  return (definition) => {
    const last = scheduleOf.get(definition)!;
    if (!computed.has(last) && !kept.has(definition)) {
      const wanted = new Set<number>([last]);
      for (const k of wanted) for (const read of needed(k)) if (!computed.has(read)) wanted.add(read);
      for (const k of [...wanted].sort((a, b) => a - b)) settle(k);
    }
    return settling.valueOf(definition);
  };
}

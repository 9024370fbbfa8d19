// The order in which kernels compute: a definition when it is first asked for, after what it reads.

import { at, type TensorValue } from "../../host/value.ts";
import type { Variable } from "../../ir/affine/term.ts";
import { readsOf, type Definition, type Program } from "../../ir/program.ts";
import type { Schedule } from "../../ir/schedule.ts";
import { agreements, holdStarts, type Engine } from "../interpret/engine.ts";
import { storeOf, type Machine } from "../interpret/machine.ts";
import type { Settling } from "./engine.ts";

/** What follows from the schedules alone, and is the same in every run. */
interface Order {
  /** Where a definition is computed, among the schedules. */
  readonly scheduleOf: ReadonlyMap<Definition, number>;
  /** The variables that a definition gives a value. */
  readonly variablesOf: ReadonlyMap<Definition, readonly Variable[]>;
  /** What a schedule reads of others. */
  readonly readsOfSchedule: (schedule: number) => readonly Definition[];
}

const orders = new WeakMap<readonly Schedule[], Order>();

function orderOf(program: Program, schedules: readonly Schedule[]): Order {
  const known = orders.get(schedules);
  if (known) return known;
  const scheduleOf = new Map<Definition, number>();
  for (const [k, schedule] of schedules.entries())
    for (const definition of schedule.definitions) scheduleOf.set(definition, k);
  const variablesOf = new Map<Definition, Variable[]>();
  for (const [v, definition] of program.scalars)
    variablesOf.set(definition, [...(variablesOf.get(definition) ?? []), v]);
  const reads = new Map<number, readonly Definition[]>();
  const readsOfSchedule = (k: number): readonly Definition[] => {
    let list = reads.get(k);
    if (!list) {
      const found = new Set(schedules[k]!.definitions.flatMap((definition) => [...readsOf(definition)]));
      for (const own of schedules[k]!.definitions) found.delete(own);
      reads.set(k, (list = [...found]));
    }
    return list;
  };
  const order: Order = { scheduleOf, variablesOf, readsOfSchedule };
  orders.set(schedules, order);
  return order;
}

/** Computes a definition when it is first asked for, after what it reads. */
export function kernelEngine(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  settling: Settling,
  kept: ReadonlyMap<Definition, TensorValue> = new Map(),
): Engine {
  const { scheduleOf, variablesOf, readsOfSchedule } = orderOf(program, schedules);
  const computed = new Set<number>();
  const publish = (definition: Definition): void => {
    for (const v of variablesOf.get(definition) ?? [])
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
      for (const k of wanted)
        for (const read of readsOfSchedule(k))
          if (!kept.has(read) && !computed.has(scheduleOf.get(read)!)) wanted.add(scheduleOf.get(read)!);
      for (const k of [...wanted].sort((a, b) => a - b)) settle(k);
    }
    return settling.valueOf(definition);
  };
}

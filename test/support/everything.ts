// For tests: all values of a program, of a backend of choice.

import type { Analysis } from "../../src/analyse/analyse.ts";
import { oracle, wholeUnits } from "../../src/backends/interpret/engine.ts";
import { newMachine, storeOf, type Machine } from "../../src/backends/interpret/machine.ts";
import { newEngine } from "../../src/backends/order.ts";
import type { EngineOptions } from "../../src/backends/results.ts";
import { kernels } from "../../src/backends/wasm/engine.ts";
import { Fault } from "../../src/diagnostics/diagnostic.ts";
import type { Program } from "../../src/ir/program.ts";
import { pinInputs } from "../../src/run/pinned.ts";
import { defaultMaxBytes } from "../../src/run/run.ts";

/**
 * Computes every definition that can be computed, for comparisons of backends. The machine holds
 * all values. A definition that a fault prevents has no store.
 */
export function computeEverything(
  program: Program,
  analysis: Analysis,
  options: EngineOptions,
): Machine {
  const machine = newMachine({ f64: options.f64 ?? false, maxBytes: defaultMaxBytes });
  pinInputs(machine, program, options.inputs ?? new Map());
  const units = wholeUnits(analysis);
  const { leastWork, leastProducts } = options;
  const wishes = { leastWork, leastProducts, keepsAll: true } as const;
  const computer =
    options.backend === "interpret"
      ? { ...oracle(machine, units.storage), close: () => undefined }
      : kernels(machine, program, analysis.schedules, units, wishes);
  const engine = newEngine(machine, program, units, computer);
  for (const definition of analysis.schedules.flatMap((schedule) => schedule.definitions)) {
    try {
      const value = engine(definition);
      if (!machine.stores.has(definition)) machine.stores.set(definition, storeOf(value));
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      machine.stores.delete(definition);
    }
  }
  computer.close();
  return machine;
}

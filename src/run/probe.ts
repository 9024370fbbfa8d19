// Asks a run for single values: of a definition, or of a scalar at given coordinates.

import { storeOf, newMachine } from "../backends/interpret/machine.ts";
import { pinInputs } from "./pinned.ts";
import { defaultMaxBytes } from "./run.ts";
import { wholeEngine } from "../backends/interpret/engine.ts";
import { compile } from "../backends/interpret/scalars/scalars.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import type { Analysis } from "../analyse/analyse.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Definition, Program, Scalar } from "../ir/program.ts";
import { readsOfFunction } from "../ir/references.ts";
import type { Variable } from "../affine/term.ts";
import type { Scalar as Value } from "../scalar/types.ts";

export interface Probe {
  readonly valueOf: (definition: Definition) => TensorValue;
  /** Sets the value of a definition that the host supplies. */
  readonly hold: (definition: Definition, value: TensorValue) => void;
  /** Evaluates a scalar at coordinates. The definitions that it reads are computed first. */
  readonly evaluator: (scalar: Scalar) => (at: ReadonlyMap<Variable, number>) => Value;
}

/** `f64`: every float is computed in f64. Throws a `Fault` if the run fails. */
export function probe(
  program: Program,
  analysis: Analysis,
  inputs: ReadonlyMap<string, TensorValue>,
  f64: boolean,
): Probe {
  const machine = newMachine({ f64, maxBytes: defaultMaxBytes });
  pinInputs(machine, program, inputs);
  const valueOf = wholeEngine(machine, program, analysis);
  return {
    valueOf,
    hold: (definition, value) => void machine.stores.set(definition, storeOf(value)),
    evaluator: (scalar) => {
      eachScalar(scalar, (part) => {
        if (part.kind === "read") valueOf(part.definition);
        if (part.kind === "call")
          for (const read of readsOfFunction(part.invocation.function)) valueOf(read);
      });
      const evaluate = compile(machine, scalar);
      return (at) => {
        for (const [v, value] of at) machine.values[machine.slotOf(v)] = value;
        machine.tick++;
        return evaluate();
      };
    },
  };
}

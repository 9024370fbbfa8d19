// The inputs of a program from what a case or an example writes down.

import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { Program } from "../../src/ir/program.ts";
import type { Inputs } from "./compare.ts";

export type Given = readonly (readonly [name: string, json: unknown])[];

export function inputsOf(program: Program, given: Given): Inputs {
  return new Map(
    given.map(([name, json]) => {
      const value = fromJson(json, program.inputs.find((input) => input.name === name)?.element);
      if (failed(value)) throw new Error(`input ${name}: ${value.error}`);
      return [name, value];
    }),
  );
}

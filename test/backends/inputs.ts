// The inputs of a program, from the JSON in a case or an example.

import { failed } from "../../src/base/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { ElementType } from "../../src/scalar/types.ts";
import type { Inputs } from "./compare.ts";

export type Given = readonly (readonly [name: string, json: unknown])[];

interface Declared {
  readonly name: string;
  readonly dtype?: ElementType;
  readonly element?: ElementType;
}

/** An input that the program does not declare gets the type that its cells suggest. */
export function inputsOf(declared: readonly Declared[], given: Given): Inputs {
  return new Map(
    given.map(([name, json]) => {
      const input = declared.find((each) => each.name === name);
      const value = fromJson(json, input?.dtype ?? input?.element);
      if (failed(value)) throw new Error(`input ${name}: ${value.error}`);
      return [name, value];
    }),
  );
}

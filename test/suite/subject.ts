// A program of the suite, compiled once for all looks.

import { compile, type Compiled, type CompiledProgram } from "../../src/driver/compile.ts";
import type { Parts } from "../../src/driver/core.ts";
import { inputsOf } from "../backends/inputs.ts";
import type { Inputs } from "../backends/compare.ts";
import type { SuiteProgram } from "./programs.ts";

export interface Subject extends SuiteProgram {
  readonly compiled: Compiled;
  /** Absent if the program has an error. */
  readonly program: CompiledProgram | undefined;
  /** The program as the stages left it. Absent if an input brings its rank. */
  readonly parts: Parts | undefined;
  /** The values of the inputs. */
  readonly inputs: Inputs;
}

export function subjectOf(one: SuiteProgram): Subject {
  const compiled = compile({ name: `${one.name}.ein`, text: one.text });
  const { program } = compiled;
  const isRanked = program?.inputs.every(({ shape }) => shape !== undefined) ?? false;
  const parts = isRanked ? program!.partsFor(new Map()) : undefined;
  const whole = parts && "analysis" in parts ? parts : undefined;
  return {
    ...one,
    compiled,
    program,
    parts: whole,
    get inputs() {
      return inputsOf(program?.inputs ?? [], one.given);
    },
  };
}

// The complete driver: the stages of the core, and everything that explains programs to people.

import { newProfile } from "../backends/profile.ts";
import * as runs from "../run/run.ts";
import {
  compileCore,
  type Compiled as CompiledCore,
  type CompileOptions,
  type CoreProgram,
  type Parts,
} from "./core.ts";
import type { Wrong } from "../diagnostics/diagnostic.ts";
import type { RunOptions, RunResult } from "../backends/results.ts";
import { auditOf, type Audit } from "../explain/audit/audit.ts";
import { checkGradients, type GradientReport } from "../explain/check/check-gradients.ts";
import type { CostReport } from "../explain/cost/cost.ts";
import { dependencyGraph, type DependencyGraph } from "../explain/pictures/dependency-graph.ts";
import { drawnFor } from "../explain/check/draw-inputs.ts";
import { costs, explain, memory, type ExplainOptions } from "../explain/ledger/explain-request.ts";
import type { Asked } from "../autodiff/requests/requests.ts";
import type { Explanation } from "../explain/ledger/explanation.ts";
import type { MemoryReport } from "../explain/cost/memory.ts";
import * as derivatives from "./derivatives.ts";
import { passes, passText } from "./passes.ts";
import type { Rooms } from "./rooms.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import type { Source } from "../base/source.ts";

export { declaredInput, derive, withinLimits } from "./core.ts";
export type { CompileOptions, Indexed } from "./core.ts";
export type { DeclaredInput } from "../lower/declared-input.ts";
export type {
  Backend,
  NamedValue,
  Printed,
  PrintedPart,
  RunOptions,
  RunResult,
} from "../backends/results.ts";

export type Compiled = CompiledCore<CompiledProgram>;

export interface CompiledProgram extends CoreProgram {
  run(options: RunOptions): RunResult;
  /** The names of the passes that `dump` knows, in order: "checks", "ir", "plan". */
  readonly passes: readonly string[];
  /**
   * The program after a pass, as text. `asked` are the values that a run would compute; without it,
   * all top-level values.
   */
  dump(pass: string, asked?: readonly string[]): string;
  /**
   * Compares every derivative of the program with differences, in f64. Inputs that are not given
   * are drawn.
   */
  checkGradients(inputs: ReadonlyMap<string, TensorValue>): readonly GradientReport[];
  /**
   * Explains gradients step by step; with a cell, in numbers. Without `asked`, explains every
   * derivative that the program requests.
   */
  explain(asked?: Asked, options?: ExplainOptions): readonly (Explanation | Wrong)[];
  /** Work and bytes of a value and of its gradients. */
  cost(asked?: Asked, options?: ExplainOptions): readonly (CostReport | Wrong)[];
  /** What is kept in memory for gradients, and why. */
  memory(asked?: Asked, options?: ExplainOptions): readonly (MemoryReport | Wrong)[];
  /** Every broadcast with its backward sum, what is shared, and lints. */
  audit(): Audit;
  /** Which value reads which, and along which coordinates. */
  graph(): DependencyGraph;
  /** Values for the inputs that are not given: extents that agree, floats around 1. */
  drawInputs(given: ReadonlyMap<string, TensorValue>): ReadonlyMap<string, TensorValue>;
}

export const allRooms: Rooms = { derivatives, runs };

/**
 * Compiles a text to a program that runs. Every stage that can still say something reports its
 * errors, so that they come together.
 */
export function compile(source: Source, options: CompileOptions = {}): Compiled {
  const { diagnostics, program } = compileCore(source, allRooms, options);
  return program
    ? { diagnostics, program: { ...program, ...explaining(program) } }
    : { diagnostics };
}

type Explaining = Omit<CompiledProgram, Exclude<keyof CoreProgram, "run">>;

const noInputs: ReadonlyMap<string, TensorValue> = new Map();

function explaining(program: CoreProgram): Explaining {
  /**
   * The answer of `use` for the program with the given values. If it does not compile, the answer
   * of `refused`.
   */
  const looked = <T>(
    given: typeof noInputs,
    use: (parts: Parts) => T,
    refused: (wrong: Wrong) => T,
    asked?: Asked,
  ): T => {
    const parts = program.partsFor(given, asked);
    return "diagnostics" in parts ? refused(parts) : use(parts);
  };
  return {
    run: ({ profile, ...options }) =>
      program.run({ ...options, ...(profile ? { profiler: newProfile(profile) } : {}) }),
    passes,
    dump: (pass, asked) => passText(program, pass, asked),
    checkGradients: (given) =>
      looked(
        given,
        ({ program: indexed, analysis, extents }) =>
          checkGradients({
            program: indexed,
            analysis,
            inputs: drawnFor(indexed, given, "growing"),
            extents,
          }),
        () => [],
      ),
    explain: (asked, options = {}) =>
      looked<readonly (Explanation | Wrong)[]>(
        options.inputs ?? noInputs,
        (parts) => explain(parts, asked, options),
        (wrong) => [wrong],
        asked,
      ),
    cost: (asked, options = {}) =>
      looked<readonly (CostReport | Wrong)[]>(
        options.inputs ?? noInputs,
        (parts) => costs(parts, asked, options),
        (wrong) => [wrong],
        asked,
      ),
    memory: (asked, options = {}) =>
      looked<readonly (MemoryReport | Wrong)[]>(
        options.inputs ?? noInputs,
        (parts) => memory(parts, asked, options),
        (wrong) => [wrong],
        asked,
      ),
    audit: () =>
      looked(
        noInputs,
        ({ asWritten }) => {
          const { program: written, extents } = asWritten();
          return auditOf(written, extents);
        },
        () => ({ broadcasts: [], shared: [], lints: [] }),
      ),
    graph: () =>
      looked(
        noInputs,
        ({ asWritten }) => dependencyGraph(asWritten().program),
        () => ({ nodes: [], edges: [] }),
      ),
    drawInputs: (given) =>
      looked(
        given,
        ({ program: indexed }) => drawnFor(indexed, given, "growing"),
        () => given,
      ),
  };
}

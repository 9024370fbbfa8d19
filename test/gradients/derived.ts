// A program with its derivatives: its IR, the report of the verifier, and a way to run it in f64.

import { newDefinition } from "../../src/autodiff/sweep/cells.ts";
import { asFormulas } from "../../src/autodiff/sweep/formulas.ts";
import { forward } from "../../src/autodiff/sweep/forward.ts";
import { addNeeds, answerRequests } from "../../src/autodiff/requests/requests.ts";
import { evaluateAt, runProgram } from "../../src/run/run.ts";
import { check } from "../../src/check/check.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { adjointError } from "../../src/explain/check/adjoint-identity.ts";
import { withRoots } from "../../src/explain/check/check-gradients.ts";
import { requestsOf } from "../../src/explain/ledger/explain-request.ts";
import { failed } from "../../src/base/failure.ts";
import {
  fromNested,
  fromScalars,
  type Nested,
  type TensorValue,
} from "../../src/scalar/values/value.ts";
import { knownOfSizes } from "../../src/affine/agreeing.ts";
import { analyse } from "../../src/analyse/analyse.ts";
import { normalise } from "../../src/lower/normalise.ts";
import { complete, printProgram } from "../../src/print/print.ts";
import type { Program } from "../../src/ir/program.ts";
import { claim } from "../../src/base/claim.ts";
import { rootsOf } from "../../src/ir/roots.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { verify } from "../../src/ir/verify.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

/** The values of inputs. Nested arrays get the element type of the input. */
export type Inputs = Readonly<Record<string, Nested | TensorValue>>;

export interface Derived {
  readonly program: Program;
  readonly warnings: readonly Diagnostic[];
  /** The problems that the verifier of the IR reports. */
  complaints(): readonly string[];
  /** The whole program as source, with literals of any size. */
  printed(): string;
  /** Computes names, with floats in f64 or in their own types. Throws if the run fails. */
  run(
    names: readonly string[],
    inputs: Inputs,
    floats?: "in f64" | "as they are",
  ): ReadonlyMap<string, TensorValue>;
  /**
   * The derivative of a scalar by a scalar input, by forward mode, as a function of the inputs.
   * `undefined` if there is none.
   */
  pushforward(of: string, by: string): ((inputs: Inputs) => number) | undefined;
  /**
   * The adjoint identity of each request that is answered through all steps. Empty if a mode is not
   * available.
   */
  identities(inputs: Inputs): readonly Identity[];
}

export interface Identity {
  readonly of: string;
  readonly wrt: string;
  readonly apart: number | undefined;
}

export class WrongProgram extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(text: string, diagnostics: readonly Diagnostic[]) {
    super(`${diagnostics.map(({ code, title }) => `${code}: ${title}`).join("\n")}\nin\n${text}`);
    this.diagnostics = diagnostics;
  }
}

/**
 * Runs the stages of the compiler up to derivatives and their analysis. Throws `WrongProgram` if
 * the text has errors.
 */
export function derive(text: string): Derived {
  const { module, diagnostics: syntax, damage } = parse({ name: "test.ein", text });
  const { checker, program: typed } = check(module, { damage });
  const program = normalise(checker, typed);
  const answered = answerRequests(program, checker.extents);
  const analysis = analyse(program, checker.extents);
  const all = [...syntax, ...checker.diagnostics, ...answered, ...analysis.diagnostics];
  const wrong = all.filter(({ level }) => level === "error");
  if (wrong.length > 0) throw new WrongProgram(text, wrong);
  const given = (inputs: Inputs): ReadonlyMap<string, TensorValue> =>
    new Map(Object.entries(inputs).map(([name, value]) => [name, tensorOf(program, name, value)]));
  return {
    program,
    warnings: all,
    complaints: () => verify(program),
    printed: () =>
      asFormulas(rootsOf(program), () => {
        for (const definition of reachable(rootsOf(program))) addNeeds(program, definition);
        return printProgram(program, undefined, complete);
      }),
    run(names, inputs, floats = "in f64") {
      // The programs have few cells and run a few times, so the oracle is faster than the
      // compilation of kernels.
      const options = {
        inputs: given(inputs),
        get: names,
        f64: floats === "in f64",
        backend: "interpret",
      } as const;
      const { values, fault } = runProgram(program, analysis, options);
      if (fault) throw new Error(`${fault.code}: ${fault.title}\nin\n${text}`);
      return new Map([...values].map(([name, { value }]) => [name, value]));
    },
    pushforward(of, by) {
      const numerator = program.outputs.get(of)!.definition;
      const denominator = program.inputs.find(({ name }) => name === by)!;
      const names = new Set(program.names);
      const workshop = {
        claim: (wanted: string) => claim(names, wanted),
        known: knownOfSizes(program, checker.extents),
      };
      const unit = newDefinition(
        workshop.claim("direction"),
        denominator.element,
        [],
        [],
        denominator.span,
      );
      const { adjoints, problems } = forward(numerator, denominator, workshop, unit);
      const tangent = adjoints.get(denominator);
      if (!tangent || problems.length > 0) return undefined;
      for (const definition of reachable([tangent])) addNeeds(program, definition);
      const whole = withRoots({ program, analysis, inputs: new Map(), extents: checker.extents }, [
        tangent,
      ]);
      if (whole.analysis.diagnostics.some(({ level }) => level === "error")) return undefined;
      const held = new Map([[unit, fromScalars("f64", [], [1])]]);
      return (inputs) =>
        cellsOf(evaluateAt(whole.program, whole.analysis, given(inputs), held, tangent))[0]!;
    },
    identities: (inputs) =>
      requestsOf(program).flatMap(({ request }) => {
        const { of, wrt, step } = request!;
        if (step !== undefined) return [];
        const setting = withRoots(
          { program, analysis, inputs: given(inputs), extents: checker.extents },
          [of, wrt],
        );
        return [{ of: of.name, wrt: wrt.name, apart: adjointError(setting, of, wrt) }];
      }),
  };
}

/** The value of an input, with floats in f64. */
export function tensorOf(program: Program, name: string, value: Nested | TensorValue): TensorValue {
  if (typeof value === "object" && "dtype" in value) return value;
  const declared = program.inputs.find((input) => input.name === name)?.element ?? "f32";
  const made = fromNested(
    declared === "f32" || declared === "f16" || declared === "bf16" ? "f64" : declared,
    value,
  );
  if (failed(made)) throw new Error(`${name}: ${made.error}`);
  return made;
}

/** The cells of a float tensor as numbers. */
export function cellsOf(value: TensorValue): readonly number[] {
  return Array.from(value.data as ArrayLike<number>, Number);
}

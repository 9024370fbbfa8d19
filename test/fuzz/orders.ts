// Compares derivatives of derivatives of random programs with numbers that no part of the compiler
// computed: every answer on the oracle, some on kernels, and some from the program that `ein grad`
// prints.

import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import type { Backend } from "../../src/backends/results.ts";
import { isStackEnd } from "../../src/diagnostics/stack-end.ts";
import { fromScalars, type TensorValue } from "../../src/scalar/values/value.ts";
import { Unsuited, valuesOf } from "../generate/orders/evaluate.ts";
import { ordersProgram } from "../generate/orders/generate.ts";
import { shapeOf, type Program } from "../generate/orders/program.ts";
import { smallest } from "../generate/orders/smaller.ts";
import { textOf } from "../generate/orders/text.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

export interface OrdersReport extends FuzzReport {
  /** Programs at a kink or with NaN, and the number of compared cells. */
  unsuited: number;
  cells: number;
}

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzOrders(seed: number, count: number): OrdersReport {
  const failures: FuzzFailure[] = [];
  const report: OrdersReport = { programs: count, failures, unsuited: 0, cells: 0 };
  for (let n = 0; n < count; n++) {
    const program = ordersProgram(seed + n);
    const looks = looksOf(seed + n);
    const problem = problemOf(program, looks, report);
    if (!problem) continue;
    // Making a program smaller takes as long as hundreds of programs, so only the first failures
    // are made smaller.
    const kind = kindOf(problem);
    const fails = (each: Program): boolean => {
      const found = problemOf(each, looks);
      return found !== undefined && kindOf(found) === kind;
    };
    const small = failures.length < 3 ? smallest(program, fails) : program;
    failures.push({
      seed: seed + n,
      program: writtenDown(small),
      problem: problemOf(small, looks) ?? problem,
    });
  }
  return report;
}

/** The comparisons besides the oracle, which take longer. */
interface Looks {
  readonly backends: readonly Backend[];
  readonly printed: boolean;
}

export function looksOf(seed: number): Looks {
  return {
    backends: [
      "interpret",
      ...(seed % 4 === 0 ? (["wasm"] as const) : []),
      ...(seed % 8 === 1 ? (["js"] as const) : []),
    ],
    printed: seed % 8 === 2,
  };
}

/** What is wrong with the answers of a program, if anything. */
export function problemOf(
  program: Program,
  looks: Looks,
  report?: OrdersReport,
): string | undefined {
  let expected: ReadonlyMap<string, readonly number[]>;
  try {
    expected = valuesOf(program);
  } catch (thrown) {
    // A program that was made smaller may call itself without end.
    if (!(thrown instanceof Unsuited) && !isStackEnd(thrown)) throw thrown;
    if (report) report.unsuited++;
    return undefined;
  }
  try {
    const text = textOf(program);
    const { program: compiled, diagnostics } = compile({ name: "test.ein", text });
    // Inside of a recursive function, derivatives of the results of derivatives are refused by
    // design.
    if (
      !compiled &&
      diagnostics.every(({ code, level }) => code === "E0709" || level !== "error")
    ) {
      if (report) report.unsuited++;
      return undefined;
    }
    if (!compiled)
      return `refused: ${diagnostics.map(({ code, title }) => `${code} ${title}`).join("; ")}`;
    for (const backend of looks.backends) {
      const problem = differenceOn(compiled, program, expected, backend, report);
      if (problem && isIllConditioned(program, expected)) {
        if (report) report.unsuited++;
        return undefined;
      }
      if (problem) return `on ${backend}: ${problem}`;
    }
    return looks.printed ? printedProblem(compiled, program, expected) : undefined;
  } catch (thrown) {
    return thrown instanceof Error
      ? (thrown.stack ?? thrown.message).replaceAll(/data:[^)\s]+/g, "")
      : String(thrown);
  }
}

/**
 * Whether inputs that differ in their last digits have other answers: the sine of 1e6 is known to
 * no more than ten digits.
 */
function isIllConditioned(
  program: Program,
  expected: ReadonlyMap<string, readonly number[]>,
): boolean {
  const nudged = program.map((statement) =>
    statement.kind === "input"
      ? { ...statement, cells: statement.cells.map((cell, k) => cell * (1 + nudge * (-1) ** k)) }
      : statement,
  );
  try {
    return [...valuesOf(nudged)].some(([name, cells]) =>
      differenceOf(name, cells, expected.get(name)!),
    );
  } catch (thrown) {
    if (thrown instanceof Unsuited) return true;
    throw thrown;
  }
}

/**
 * The kind of a failure, which must stay the same while the program is made smaller: `refused:
 * E0401`, `on wasm`.
 */
function kindOf(problem: string): string {
  return /^(?:refused: )?[^:]*/.exec(problem)![0].replace(/(E\d{4}).*/, "$1");
}

function differenceOn(
  compiled: CompiledProgram,
  program: Program,
  expected: ReadonlyMap<string, readonly number[]>,
  backend: Backend,
  report: OrdersReport | undefined,
): string | undefined {
  const get = [...expected.keys()].filter((name) => compiled.values.includes(name));
  const { values, fault } = compiled.run({ inputs: inputsOf(program), get, backend });
  if (fault) return `${fault.code} ${fault.title}`;
  for (const [name, cells] of expected) {
    const value = values.get(name);
    const problem = differenceOf(name, value && cellsOf(value), cells);
    if (problem) return problem;
    if (report) report.cells += cells.length;
  }
  return undefined;
}

const tolerance = 1e-8;
/** By how much inputs are moved, relative to them: about as much as fifty roundings. */
const nudge = 1e-14;

function differenceOf(
  name: string,
  found: readonly number[] | undefined,
  expected: readonly number[],
): string | undefined {
  if (found?.length !== expected.length)
    return `${name} has ${found?.length} cells, not ${expected.length}`;
  const scale = Math.max(1, ...expected.map(Math.abs));
  const at = expected.findIndex((cell, k) => !(Math.abs(found[k]! - cell) <= tolerance * scale));
  return at < 0 ? undefined : `${name} at ${at} is ${found[at]}, not ${expected[at]}`;
}

/** Compares the derivatives again, as printed programs that are compiled. */
function printedProblem(
  compiled: CompiledProgram,
  program: Program,
  expected: ReadonlyMap<string, readonly number[]>,
): string | undefined {
  for (const statement of program) {
    if (statement.kind !== "request" || statement.ofShape.length > 0 || statement.cell) continue;
    const { name, of, by } = statement;
    const derived = compiled.grad(of, [by]);
    if (!("source" in derived))
      return `printed: @${of} / @${by} is refused: ${derived.diagnostics[0]?.title}`;
    const { program: again, diagnostics } = compile({ name: "test.ein", text: derived.source });
    if (!again)
      return `printed: ${diagnostics[0]!.code} ${diagnostics[0]!.title} in\n${derived.source}`;
    const gradient = derived.derivatives[0]!;
    const known = new Map(
      [...inputsOf(program)].filter(([each]) => again.inputs.some((input) => input.name === each)),
    );
    const { values, fault } = again.run({ inputs: known, get: [gradient], backend: "interpret" });
    if (fault) return `printed: ${fault.code} ${fault.title} in\n${derived.source}`;
    const value = values.get(gradient);
    const problem = differenceOf(name, value && cellsOf(value), expected.get(name)!);
    if (problem) return `printed: ${problem} in\n${derived.source}`;
  }
  return undefined;
}

function cellsOf({ value }: { readonly value: TensorValue }): readonly number[] {
  return Array.from(value.data as ArrayLike<number>, Number);
}

function inputsOf(program: Program): ReadonlyMap<string, TensorValue> {
  const inputs = new Map<string, TensorValue>();
  for (const statement of program) {
    if (statement.kind === "input" && !statement.isLiteral)
      inputs.set(statement.name, fromScalars("f64", statement.shape, statement.cells));
    if (statement.kind === "integers" && !statement.isLiteral)
      inputs.set(statement.name, fromScalars("i32", [statement.cells.length], statement.cells));
  }
  return inputs;
}

/** The text, with the values of its inputs. */
function writtenDown(program: Program): string {
  const given = program.flatMap((statement) =>
    (statement.kind === "input" || statement.kind === "integers") && !statement.isLiteral
      ? [
          `// ${statement.name} = ${JSON.stringify(statement.cells)}, ` +
            `of shape [${(shapeOf(statement) ?? [statement.cells.length]).join()}]`,
        ]
      : [],
  );
  return [...given, textOf(program)].join("\n");
}

// The programs of the suite: all literate cases, the programs that fuzzers found, all examples, and
// the benchmarks. Each is compiled once, and every look (`looks/`) checks the compiled program.

import { readdirSync, readFileSync } from "node:fs";
import type { JsonTensor } from "../../src/host/json.ts";
import type { Given } from "../backends/inputs.ts";
import type { Case } from "../cases/case.ts";
import { collectCases } from "../cases/collect.ts";

export interface SuiteProgram {
  /** Real programs and benchmarks have no inputs here, and are too large for the oracle. */
  readonly kind: "case" | "found" | "example" | "real" | "bench";
  /** Its path without `.ein`, below the folder of its kind: `09-derivatives/exp`. */
  readonly name: string;
  readonly text: string;
  /** The values of its inputs. */
  readonly given: Given;
  /** The expectations in the comments of a case. */
  readonly expected?: Case;
}

/** Whether the program can be run with the values given here. */
export function canRun({ kind }: SuiteProgram): boolean {
  return kind !== "real" && kind !== "bench";
}

/** The programs in the order of kinds and names. `root` is the repository. */
export function suitePrograms(root: string): readonly SuiteProgram[] {
  return [
    ...casesIn("case", `${root}test/cases/`),
    ...casesIn("found", `${root}test/backends/found/`),
    ...examples(root),
    ...textsIn("bench", `${root}bench/programs/`),
  ];
}

function casesIn(kind: "case" | "found", folder: string): readonly SuiteProgram[] {
  return collectCases(folder).map((one) => ({
    kind,
    name: one.name,
    text: one.text,
    given: one.inputs.map(({ name, json }) => [name, JSON.parse(json) as unknown] as const),
    expected: one,
  }));
}

/** Examples in folders of their own are real programs. */
function examples(root: string): readonly SuiteProgram[] {
  const file = `${root}test/examples/expected.json`;
  const expected = JSON.parse(readFileSync(file, "utf8")) as Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, JsonTensor>> }>
  >;
  return textsIn("example", `${root}examples/`).map((one) =>
    one.name.includes("/")
      ? { ...one, kind: "real" }
      : { ...one, given: Object.entries(expected[one.name]?.inputs ?? {}) },
  );
}

function textsIn(kind: SuiteProgram["kind"], folder: string): readonly SuiteProgram[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ein"))
    .sort()
    .map((path) => ({
      kind,
      name: path.slice(0, -".ein".length),
      text: readFileSync(folder + path, "utf8"),
      given: [],
    }));
}

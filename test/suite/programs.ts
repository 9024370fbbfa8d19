// The programs of the suite: all literate cases, the programs that fuzzers have found, all examples,
// and the programs of the benchmark. Each is compiled once, and every look (`looks/`) is at that
// compiled program.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JsonTensor } from "../../src/host/json.ts";
import type { Given } from "../backends/inputs.ts";
import type { Case } from "../cases/case.ts";
import { collectCases } from "../cases/collect.ts";

export interface SuiteProgram {
  /** A real program and one of the benchmark have no inputs at hand, and are too large for the oracle. */
  readonly kind: "case" | "found" | "example" | "real" | "bench";
  /** Its path without `.ein`, below the folder of its kind: `09-derivatives/exp`. */
  readonly name: string;
  readonly text: string;
  /** What its inputs get. */
  readonly given: Given;
  /** What the comments of a case expect. */
  readonly expected?: Case;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const read = (path: string): string => readFileSync(here(path), "utf8");

/** Whether it can be run with what is at hand. */
export function canRun({ kind }: SuiteProgram): boolean {
  return kind !== "real" && kind !== "bench";
}

/** In the order of their kinds and names. */
export function suitePrograms(): readonly SuiteProgram[] {
  return [
    ...casesIn("case", "../cases/"),
    ...casesIn("found", "../backends/found/"),
    ...examples(),
    ...textsIn("bench", "../../bench/programs/"),
  ];
}

function casesIn(kind: "case" | "found", folder: string): readonly SuiteProgram[] {
  return collectCases(here(folder)).map((one) => ({
    kind,
    name: one.name,
    text: one.text,
    given: one.inputs.map(({ name, json }) => [name, JSON.parse(json) as unknown] as const),
    expected: one,
  }));
}

/** Those in folders of their own are real programs. */
function examples(): readonly SuiteProgram[] {
  const expected = JSON.parse(read("../examples/expected.json")) as Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, JsonTensor>> }>
  >;
  return textsIn("example", "../../examples/").map((one) =>
    one.name.includes("/")
      ? { ...one, kind: "real" }
      : { ...one, given: Object.entries(expected[one.name]?.inputs ?? {}) },
  );
}

function textsIn(kind: SuiteProgram["kind"], folder: string): readonly SuiteProgram[] {
  return readdirSync(here(folder), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ein"))
    .sort()
    .map((path) => ({
      kind,
      name: path.slice(0, -".ein".length),
      text: read(folder + path),
      given: [],
    }));
}

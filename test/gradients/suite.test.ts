// Every request of every example and case: against differences, forward mode against reverse mode, and its printed backward program
// against its numbers.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../src/compile.ts";
import { failed } from "../../src/host/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { readCase, type Case } from "../cases/case.ts";
import { collectCases } from "../cases/collect.ts";
import { requestsIn, type FoundRequest } from "./perturb.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A rule that is wrong on purpose, to show that it is the rule that counts. */
const wrongOnPurpose = ["09-derivatives/tangent-rule", "09-derivatives/rule-leaves-out-a-name"];

const examples = readdirSync(folder("../../examples"))
  .filter((file) => file.endsWith(".ein"))
  .map((file) => {
    const text = readFileSync(folder(`../../examples/${file}`), "utf8");
    return readCase(`examples/${file}`, `${text}\n//# 9 Derivatives\n//> nothing is expected here`);
  });
const asking = [...examples, ...collectCases(folder("../cases"))].filter(
  ({ text, messages }) =>
    /@[\w(]/.test(text.replace(/\/\/.*/g, "")) &&
    !messages.some(({ code }) => code.startsWith("E")),
);

function inputsOf({ inputs }: Case, program: CompiledProgram): ReadonlyMap<string, TensorValue> {
  return new Map(
    inputs.map(({ name, json }) => {
      const { dtype } = program.inputs.find((input) => input.name === name)!;
      const value = fromJson(JSON.parse(json), dtype);
      if (failed(value)) throw new Error(value.error);
      return [name, value] as const;
    }),
  );
}

const programs = new Map<Case, CompiledProgram>();

function programOf(one: Case): CompiledProgram {
  let program = programs.get(one);
  if (!program) {
    const compiled = compile({ name: one.name, text: one.text });
    if (!compiled.program)
      throw new Error(compiled.diagnostics.map(({ title }) => title).join("\n"));
    programs.set(one, (program = compiled.program));
  }
  return program;
}

describe("every request of the suite", () => {
  test("there are enough of them", () => expect(asking.length).toBeGreaterThan(30));

  for (const one of asking) {
    test(
      `${one.name}: agrees with differences, forward mode with reverse mode`,
      { timeout: 60_000 },
      () => {
        const program = programOf(one);
        const reports = program.checkGradients(inputsOf(one, program));
        const wrong = reports.filter(({ ok }) => !ok);
        expect(wrong.length > 0).toBe(wrongOnPurpose.includes(one.name));
        if (wrong.length === 0) expect(wrong).toEqual([]);
      },
    );
  }

  for (const one of asking) {
    test(
      `${one.name}: printed, its backward programs give the same numbers`,
      { timeout: 60_000 },
      () => {
        const program = programOf(one);
        for (const request of requestsIn(one.text)) {
          if (!isPlain(one, request, program)) continue;
          expect(printedAgain(one, program, request)).toEqual(gradientOf(one, program, request));
        }
      },
    );
  }
});

/** What a derived line never says: factors of 1 and 0, divisions by 1, powers of 1, differences with 0, two signs, choices between nothing and nothing. */
const idle =
  /(?<![\w.])[01](\.0)? \* |[*/] 1(\.0)?(?![\w.])|\* 0(\.0)?(?![\w.])|\*\* 1(\.0)?(?![\w.])|[+-] 0(\.0)?(?![\w.])|(?<![\w.])0(\.0)? [+-] |- -|-\(-|\{ 0 \} else \{ 0 \}|!!|!\(!/;

/** A scalar numerator and a denominator that can be asked for by name, neither of them given anew later. */
function isPlain(one: Case, { of, wrt }: FoundRequest, program: CompiledProgram): boolean {
  const known = [...program.values, ...program.inputs.map(({ name }) => name)];
  if (!/^@\w+$/.test(of) || !program.values.includes(of.slice(1)) || !known.includes(wrt))
    return false;
  const { values } = program.run({ inputs: inputsOf(one, program), get: [of.slice(1)] });
  return values.get(of.slice(1))?.value.shape.length === 0;
}

function gradientOf(
  one: Case,
  program: CompiledProgram,
  { answer }: FoundRequest,
): readonly number[] {
  const { values, fault } = program.run({
    inputs: inputsOf(one, program),
    get: [answer],
    f64: true,
  });
  if (fault) throw new Error(fault.title);
  return rounded(values.get(answer)!.value);
}

function printedAgain(
  one: Case,
  program: CompiledProgram,
  { of, wrt }: FoundRequest,
): readonly number[] {
  const derived = program.grad(of.slice(1), [wrt]);
  if ("diagnostics" in derived)
    throw new Error(derived.diagnostics.map(({ title }) => title).join("\n"));
  const { source } = derived;
  // What stands behind a point is a member of a tuple.
  expect(source).not.toMatch(
    /(?<![\w.])1(\.0)? \* |\* 1(\.0)?\b(?!\.)|\+ 0(\.0)?[;)]|[(=] 0(\.0)? \+/,
  );
  for (const [line] of source.matchAll(/^let d_.*$/gm)) expect(line).not.toMatch(idle);
  const again = compile({ name: "printed.ein", text: source });
  if (!again.program)
    throw new Error(`${again.diagnostics.map(({ title }) => title).join("\n")}\n${source}`);
  // An adjoint whose name is taken by one of the primal has a number behind it.
  const name =
    [...source.matchAll(new RegExp(`^let (d_${wrt}(?:_\\d+)?)\\b`, "gm"))].at(-1)?.[1] ??
    `d_${wrt}`;
  if (derived.independent.length > 0)
    return gradientOf(
      one,
      program,
      requestsIn(one.text).find((each) => each.wrt === wrt && each.of === of)!,
    );
  for (const [, defined] of source.matchAll(/^let (\w+)/gm)) {
    const uses = [...source.matchAll(new RegExp(`\\b${defined}\\b`, "g"))].length;
    const own = [...source.matchAll(new RegExp(`^let ${defined}\\b`, "gm"))].length;
    expect(uses > own || defined === name, `\`${defined}\` is used in\n${source}`).toBe(true);
  }
  for (const [line, companion] of source.matchAll(/^fn (\w+).*$/gm)) {
    const uses = (name: string, text: string): number =>
      [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length;
    expect(uses(companion!, source), `\`${companion}\` is called in\n${source}`).toBeGreaterThan(1);
    if (companion!.startsWith("d_")) expect(line).not.toMatch(idle);
    for (const [, several, alone] of line.matchAll(/\blet (?:\(([^)]*)\)|(\w+)) =/g))
      for (const name of (several ?? alone!).split(", "))
        if (name !== "_")
          expect(uses(name, line), `\`${name}\` is used in\n${line}`).toBeGreaterThan(1);
  }
  const inputs = new Map(
    [...inputsOf(one, program)].filter(([input]) =>
      again.program!.inputs.some((each) => each.name === input),
    ),
  );
  const { values, fault } = again.program.run({ inputs, get: [name], f64: true });
  if (fault) throw new Error(`${fault.title}\n${source}`);
  return rounded(values.get(name)!.value);
}

function rounded(value: TensorValue): readonly number[] {
  return Array.from(value.data as ArrayLike<number>, (x) => Number(x.toPrecision(10)));
}

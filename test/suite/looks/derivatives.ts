// Every derivative of a program: against differences, forward mode against reverse mode, and its
// printed backward program against its numbers.

import { expect } from "vitest";
import { compile, type CompiledProgram } from "../../../src/driver/compile.ts";
import type { TensorValue } from "../../../src/scalar/values/value.ts";
import { requestsIn, type FoundRequest } from "../../gradients/perturb.ts";
import { canRun, type SuiteProgram } from "../programs.ts";
import type { Subject } from "../subject.ts";
import type { Look } from "./look.ts";

/** A rule that is wrong on purpose, to show that the rule is used. */
const wrongOnPurpose = ["09-derivatives/tangent-rule", "09-derivatives/rule-leaves-out-a-name"];

function asks(one: SuiteProgram): boolean {
  const { kind, text, expected } = one;
  const isWrong = expected?.messages.some(({ code }) => code.startsWith("E")) ?? false;
  return canRun(one) && kind !== "found" && !isWrong && /@[\w(]/.test(text.replace(/\/\/.*/g, ""));
}

export const likeDifferences: Look = {
  name: "its derivatives agree with differences, forward mode with reverse mode",
  applies: asks,
  writes: true,
  look({ name, program, inputs }) {
    const wrong = program!.checkGradients(inputs).filter(({ ok }) => !ok);
    expect(wrong.length > 0).toBe(wrongOnPurpose.includes(name));
    if (wrong.length === 0) expect(wrong).toEqual([]);
  },
};

export const derivedAgain: Look = {
  name: "its printed backward programs give the same numbers",
  applies: asks,
  look(subject) {
    for (const request of requestsIn(subject.text)) {
      if (!isPlain(request, subject.program!)) continue;
      const again = printedAgain(subject, subject.program!, request);
      expect(again).toEqual(gradientOf(subject, subject.program!, request));
    }
  },
};

/**
 * What no derived line contains: factors of 1 and 0, divisions by 1, powers of 1, differences with
 * 0, two signs, choices between 0 and 0.
 */
const idle = new RegExp(
  [
    /(?<![\w.])[01](\.0)? \* |[*/] 1(\.0)?(?![\w.])|\* 0(\.0)?(?![\w.])|\*\* 1(\.0)?(?![\w.])/,
    /[+-] 0(\.0)?(?![\w.])|(?<![\w.])0(\.0)? [+-] |- -|-\(-|\{ 0 \} else \{ 0 \}|!!|!\(!/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** Whether the numerator is a scalar and the denominator can be named. */
function isPlain({ of, wrt }: FoundRequest, program: CompiledProgram): boolean {
  const known = [...program.values, ...program.inputs.map(({ name }) => name)];
  if (!/^@\w+$/.test(of) || !program.values.includes(of.slice(1)) || !known.includes(wrt))
    return false;
  return program.formOf(of.slice(1))?.shape?.length === 0;
}

function gradientOf(
  one: Subject,
  program: CompiledProgram,
  { answer }: FoundRequest,
): readonly number[] {
  const { values, fault } = program.run({
    inputs: one.inputs,
    get: [answer],
    f64: true,
  });
  if (fault) throw new Error(fault.title);
  return rounded(values.get(answer)!.value);
}

function printedAgain(
  one: Subject,
  program: CompiledProgram,
  { of, wrt }: FoundRequest,
): readonly number[] {
  const derived = program.grad(of.slice(1), [wrt]);
  if ("diagnostics" in derived)
    throw new Error(derived.diagnostics.map(({ title }) => title).join("\n"));
  const { source } = derived;
  // A number after a point is a member of a tuple.
  expect(source).not.toMatch(
    /(?<![\w.])1(\.0)? \* |\* 1(\.0)?\b(?!\.)|\+ 0(\.0)?[;)]|[(=] 0(\.0)? \+/,
  );
  for (const [line] of source.matchAll(/^let d_.*$/gm)) expect(line).not.toMatch(idle);
  const again = compile({ name: "printed.ein", text: source });
  if (!again.program)
    throw new Error(`${again.diagnostics.map(({ title }) => title).join("\n")}\n${source}`);
  // An adjoint gets a number after its name if the primal has that name already.
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
    [...one.inputs].filter(([input]) => again.program!.inputs.some((each) => each.name === input)),
  );
  const { values, fault } = again.program.run({ inputs, get: [name], f64: true });
  if (fault) throw new Error(`${fault.title}\n${source}`);
  return rounded(values.get(name)!.value);
}

function rounded(value: TensorValue): readonly number[] {
  return Array.from(value.data as ArrayLike<number>, (x) => Number(x.toPrecision(10)));
}

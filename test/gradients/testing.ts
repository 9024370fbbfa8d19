// Helpers of the gradient tests. A program is right if every request agrees with differences,
// except at kinks.

import { expect } from "vitest";
import { checkGradients, type CheckedRequest, type CheckOptions } from "./check.ts";
import { cellsOf, derive, WrongProgram } from "./derived.ts";

/**
 * Checks that every cell of every request agrees with its difference. Returns the answers by
 * denominator.
 */
export function agrees(text: string, options?: CheckOptions): Record<string, readonly number[]> {
  const requests = checked(text, options);
  expect(
    requests.flatMap(({ of, wrt, skipped }) =>
      skipped.map((cell) => `${of} / @${wrt} at ${cell} was skipped`),
    ),
  ).toEqual([]);
  return Object.fromEntries(requests.map(({ wrt, gradient }) => [wrt, gradient]));
}

/** Like `agrees`, for programs at kinks. The test itself checks those cells. */
export function agreesBesideKinks(
  text: string,
  options?: CheckOptions,
): Record<string, readonly number[]> {
  return Object.fromEntries(checked(text, options).map(({ wrt, gradient }) => [wrt, gradient]));
}

function checked(text: string, options?: CheckOptions): readonly CheckedRequest[] {
  const { requests, problems } = checkGradients(text, options);
  expect(problems.join("\n")).toBe("");
  return requests;
}

/** The value of a name, in f64. */
export function valueOf(text: string, name: string, options: CheckOptions = {}): readonly number[] {
  return cellsOf(
    derive(text)
      .run([name], options.inputs ?? {})
      .get(name)!,
  );
}

/** The messages of a wrong program: code, title, and the texts of the labels. */
export function messagesOf(text: string): readonly { code: string; title: string }[] {
  try {
    derive(text);
  } catch (failure) {
    if (failure instanceof WrongProgram)
      return failure.diagnostics.map(({ code, title }) => ({ code, title }));
    throw failure;
  }
  return [];
}

export function close(actual: readonly number[] | undefined, expected: readonly number[]): void {
  expect(actual?.length).toBe(expected.length);
  for (const [k, x] of expected.entries()) {
    if (Number.isNaN(x)) expect(actual![k]).toBeNaN();
    else expect(actual![k]).toBeCloseTo(x, 9);
  }
}

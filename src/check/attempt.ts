// Elaborates an expression on trial. The checker tries one meaning of an expression, and another
// one if the first is wrong. For example, the calls of a recursive function are written out on
// trial; if that fails, the function becomes an instance. The caller then keeps the messages of the
// trial, or takes back everything that the trial wrote down.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Place } from "./context.ts";
import type { Typed } from "./types/typed.ts";

export interface Attempt {
  readonly isWrong: boolean;
  readonly said: readonly Diagnostic[];
  /** Reports the messages of the trial. */
  readonly keep: () => Typed;
  /** Removes the uses, calls, agreements and effects that the trial recorded. */
  readonly undo: () => void;
}

export function attemptCheck(place: Place, compute: () => Typed): Attempt {
  const { checker, effects, frame } = place;
  const recordLists: readonly unknown[][] = [
    frame.uses,
    frame.reduced,
    checker.agreements,
    effects,
  ];
  const lengthsBefore = recordLists.map((list) => list.length);
  const calls = new Map(frame.calls);
  const { spoiled } = frame;
  const { silenced, diagnostics } = checker;
  checker.diagnostics = [];
  const value = compute();
  const said = checker.diagnostics;
  checker.diagnostics = diagnostics;
  return {
    isWrong: value.kind === "wrong" || said.some(({ level }) => level === "error"),
    said,
    keep: () => {
      checker.diagnostics.push(...said);
      return value;
    },
    undo: () => {
      for (const [k, list] of recordLists.entries()) list.length = lengthsBefore[k]!;
      frame.calls.clear();
      for (const [key, call] of calls) frame.calls.set(key, call);
      frame.spoiled = spoiled;
      if (silenced) checker.silenced = silenced;
      else delete checker.silenced;
    },
  };
}

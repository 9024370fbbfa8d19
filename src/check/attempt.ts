// Checking something that may turn out to be meant differently: what was said and noted on the way
// is kept, or taken back.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Place } from "./context.ts";
import type { Typed } from "./types/typed.ts";

export interface Attempt {
  readonly isWrong: boolean;
  readonly said: readonly Diagnostic[];
  /** Says what was said. */
  readonly keep: () => Typed;
  /** Forgets the uses, calls, agreements and effects that were noted. */
  readonly undo: () => void;
}

export function attempt(place: Place, compute: () => Typed): Attempt {
  const { checker, effects, frame } = place;
  const noted: readonly unknown[][] = [frame.uses, frame.reduced, checker.agreements, effects];
  const before = noted.map((list) => list.length);
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
      for (const [k, list] of noted.entries()) list.length = before[k]!;
      frame.calls.clear();
      for (const [key, call] of calls) frame.calls.set(key, call);
      frame.spoiled = spoiled;
      if (silenced) checker.silenced = silenced;
      else delete checker.silenced;
    },
  };
}

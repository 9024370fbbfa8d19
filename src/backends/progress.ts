// How far a run has come: how many of its units are done, and how many steps of the running loop.

import type { Definition } from "../ir/program.ts";
import { nameInSource } from "../analyse/name-in-source.ts";
import type { Unit, Units } from "./order.ts";

export interface Progress {
  /** From 0 to 1. */
  readonly fraction: number;
  /** The name in the source of what is being computed. */
  readonly name: string;
  /** For a recurrence, how many of its steps are done. */
  readonly steps?: { readonly done: number; readonly of: number };
}

export interface Tracker {
  /** A unit begins; the units before it are done. */
  begin(unit: Unit): void;
  /** Steps of the running loop are done. */
  step(done: number, of: number): void;
}

export function newTracker(
  units: Units,
  roots: Iterable<Definition>,
  report: (progress: Progress) => void,
): Tracker {
  const total = Math.max(1, unitCount(units, roots));
  let begun = 0;
  let name = "";
  const tell = (part: number, steps?: Progress["steps"]): void => {
    const fraction = Math.min(1, (Math.max(0, begun - 1) + part) / total);
    report({ fraction, name, ...(steps ? { steps } : {}) });
  };
  return {
    begin({ definitions }) {
      begun++;
      name = nameInSource(definitions[0]!);
      tell(0);
    },
    step: (done, of) => tell(done / of, { done, of }),
  };
}

/** How many units it takes to compute definitions. Inputs need no computation. */
function unitCount(units: Units, roots: Iterable<Definition>): number {
  const found = new Set([...roots].flatMap((root) => units.of.get(root) ?? []));
  for (const unit of found) for (const before of units.before.get(unit)!) found.add(before);
  return [...found].filter(({ definitions }) => definitions[0]!.origin !== "input").length;
}

// Compresses a recorded run. Steps that repeat with evenly growing numbers become a loop, so that a
// recurrence of a million steps is one line:
//
//   call 3 (100); call 3 (104); call 3 (108)  →  3 times, +4: call 3 (100)

import type { Step } from "../runtime/built.ts";

/** The longest repeated pattern that is looked for. */
const longestPattern = 64;
/** A pattern that repeats less often stays as it is. */
const fewestTurns = 3;

/** The same steps with loops. Inner loops are found first. */
export function rolled(steps: readonly Step[]): readonly Step[] {
  let now = steps;
  for (;;) {
    const next = rolledOnce(now);
    if (next.length === now.length) return now;
    now = next;
  }
}

function rolledOnce(steps: readonly Step[]): readonly Step[] {
  const shapes = steps.map(formOfStep);
  const numbers = steps.map(numbersOf);
  const out: Step[] = [];
  for (let at = 0; at < steps.length;) {
    const found = bestLoop(shapes, numbers, at);
    if (!found) {
      out.push(steps[at]!);
      at++;
      continue;
    }
    const { length, turns, by } = found;
    out.push({ turns, steps: steps.slice(at, at + length), by });
    at += length * turns;
  }
  return out;
}

interface Found {
  readonly length: number;
  readonly turns: number;
  readonly by: readonly number[];
}

/** The pattern that covers the most steps from `at` on. */
function bestLoop(
  shapes: readonly string[],
  numbers: readonly (readonly number[])[],
  at: number,
): Found | undefined {
  let best: Found | undefined;
  for (
    let length = 1;
    length <= longestPattern && at + length * fewestTurns <= shapes.length;
    length++
  ) {
    if (shapes[at] !== shapes[at + length]) continue;
    const by = differences(shapes, numbers, at, at + length, length);
    if (!by) continue;
    let turns = 2;
    while (
      haveEqualNumbers(
        by,
        differences(shapes, numbers, at + (turns - 1) * length, at + turns * length, length),
      )
    )
      turns++;
    if (turns >= fewestTurns && length * turns > (best ? best.length * best.turns : 0))
      best = { length, turns, by };
  }
  return best;
}

/**
 * The differences between the numbers of the steps from `from` on and those from `to` on. Undefined
 * if the shapes of the steps differ.
 */
function differences(
  shapes: readonly string[],
  numbers: readonly (readonly number[])[],
  from: number,
  to: number,
  length: number,
): readonly number[] | undefined {
  const found: number[] = [];
  for (let k = 0; k < length; k++) {
    if (to + k >= shapes.length || shapes[from + k] !== shapes[to + k]) return undefined;
    const [before, after] = [numbers[from + k]!, numbers[to + k]!];
    for (let n = 0; n < before.length; n++) found.push(after[n]! - before[n]!);
  }
  return found;
}

function haveEqualNumbers(a: readonly number[], b: readonly number[] | undefined): boolean {
  return b !== undefined && a.every((number, k) => number === b[k]);
}

/** The part of a step that must be equal in all turns of a loop. */
function formOfStep(step: Step): string {
  if ("turns" in step)
    return `${step.turns}(${step.steps.map(formOfStep).join()})${step.by.join()}`;
  return `${step[0]}/${step.length}${step[0] === 0 ? `#${step[1]}` : ""}`;
}

/** The numbers inside a step, in order. */
function numbersOf(step: Step): readonly number[] {
  return "turns" in step ? step.steps.flatMap(numbersOf) : step.slice(1);
}

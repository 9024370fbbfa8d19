// A numerator as a function of its denominator, for numerical checks: the denominator is moved,
// everything else follows.
//
// The cells of a plain denominator are held at given values. A recurrence carries a change of one
// cell on to later ones, so there a bump is added to what its clauses give, and each cell is moved
// without being cut off from those before it.

import { evaluateAt } from "../../run/run.ts";
import type { Trap } from "../../backends/traps.ts";
import { at, fromScalars, type TensorValue } from "../../scalar/values/value.ts";
import { analyse, type Analysis } from "../../analyse/analyse.ts";
import type { Variable } from "../../affine/term.ts";
import { newDefinition, wholeLoops, readCell } from "../../autodiff/sweep/cells.ts";
import { algebraOf } from "../../autodiff/scalar/products.ts";
import type { Clause, Definition, Program } from "../../ir/program.ts";
import type { FloatType } from "../../scalar/types.ts";

/** A program that can be evaluated at some inputs. */
export interface Setting {
  readonly program: Program;
  readonly analysis: Analysis;
  readonly inputs: ReadonlyMap<string, TensorValue>;
  /** Extents that are known not to be negative. */
  readonly extents: Iterable<Variable>;
  /** What stops a run, if something does. */
  readonly trap?: Trap;
}

export interface Moving {
  readonly shape: readonly number[];
  /** The cells of the denominator where the program has them. */
  readonly point: readonly number[];
  /** The cells of a definition when those of the denominator are moved by some amounts. */
  readonly moved: (by: readonly number[], wanted: Definition) => readonly number[];
}

export function movingBy(setting: Setting, wrt: Definition): Moving {
  const { program, analysis, inputs } = setting;
  const value = evaluateAt(program, analysis, inputs, new Map(), wrt);
  const point = numbersOf(value);
  const { shape } = value;
  if (!isRecurrent(analysis, wrt)) {
    const moved: Moving["moved"] = (by, wanted) => {
      const cells = point.map((x, k) => x + by[k]!);
      return numbersOf(
        evaluateAt(
          program,
          analysis,
          inputs,
          new Map([[wrt, fromScalars("f64", shape, cells)]]),
          wanted,
          setting.trap,
        ),
      );
    };
    return { shape, point, moved };
  }
  const bumped = bumpedBy(setting, wrt);
  const moved: Moving["moved"] = (by, wanted) =>
    bumped((bump, ordered) =>
      numbersOf(
        evaluateAt(
          program,
          ordered,
          inputs,
          new Map([[bump, fromScalars("f64", shape, [...by])]]),
          wanted,
          setting.trap,
        ),
      ),
    );
  return { shape, point, moved };
}

function isRecurrent(analysis: Analysis, definition: Definition): boolean {
  return analysis.schedules.some(
    (schedule) => schedule.recurrent && schedule.definitions.includes(definition),
  );
}

export function numbersOf(value: TensorValue): readonly number[] {
  return Array.from({ length: value.data.length }, (_, k) => at(value, k) as number);
}

/**
 * What can be done with a program in which a bump is added to every cell of a definition; it is as
 * it was afterwards.
 */
type Bumped = <T>(use: (bump: Definition, analysis: Analysis) => T) => T;

function bumpedBy({ program, extents }: Setting, wrt: Definition): Bumped {
  const { clauses, element, axes, span } = wrt;
  const bump = newDefinition("bump", element, axes, [], span);
  const own = newDefinition(`${wrt.name}_own`, element, axes, clauses, span);
  // In the direction in which the recurrence runs.
  const loops = wholeLoops(wrt).map((loop, k) => ({
    ...loop,
    reversed: clauses.some(({ loops: own }) => own[k]!.reversed),
  }));
  const sum = algebraOf(element as FloatType, span).apply(
    "add",
    readCell(own, loops, span),
    readCell(bump, loops, span),
  );
  const raised: readonly Clause[] = [
    { loops, guards: [], body: { kind: "map", value: sum }, span },
  ];
  // The order is that of every bump: it is found once.
  let analysis: Analysis | undefined;
  return (use) => {
    try {
      wrt.clauses = raised;
      analysis ??= analyse(program, extents);
      return use(bump, analysis);
    } finally {
      wrt.clauses = clauses;
    }
  };
}

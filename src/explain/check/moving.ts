// A numerator as a function of its denominator, for numerical checks: the denominator moves, and
// everything else is computed again.
//
// The cells of an ordinary denominator are replaced by given values. A recurrence needs something
// else, because later cells of it depend on earlier ones. So a bump is added to its clauses:
//
//    h[t] = f(h[t - 1])   becomes   h[t] = f(h[t - 1]) + bump[t]

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
  /** The numbers that stop a run, if any do. */
  readonly trap?: Trap;
}

export interface Moving {
  readonly shape: readonly number[];
  /** The cells of the denominator at the inputs. */
  readonly point: readonly number[];
  /** The cells of a definition after the cells of the denominator are moved by some amounts. */
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
 * Calls `use` while a bump is added to every cell of a definition. Afterwards the program is as
 * before.
 */
type Bumped = <T>(use: (bump: Definition, analysis: Analysis) => T) => T;

function bumpedBy({ program, extents }: Setting, wrt: Definition): Bumped {
  const { clauses, element, axes, span } = wrt;
  const bump = newDefinition("bump", element, axes, [], span);
  const own = newDefinition(`${wrt.name}_own`, element, axes, clauses, span);
  // The loops run in the direction of the recurrence.
  const loops = wholeLoops(wrt).map((loop, k) => ({
    ...loop,
    reversed: clauses.some(({ loops: own }) => own[k]!.reversed),
  }));
  const sum = algebraOf(element as FloatType, span).apply(
    "add",
    readCell(own, loops, span),
    readCell(bump, loops, span),
  );
  const bumpedClauses: readonly Clause[] = [
    { loops, guards: [], body: { kind: "map", value: sum }, span },
  ];
  // The order of computation does not depend on the bump, so it is found once.
  let analysis: Analysis | undefined;
  return (use) => {
    try {
      wrt.clauses = bumpedClauses;
      analysis ??= analyse(program, extents);
      return use(bump, analysis);
    } finally {
      wrt.clauses = clauses;
    }
  };
}

// A numerator as a function of its denominator, for numerical checks: the denominator is moved, everything else follows.
//
// The cells of a plain denominator are held at given values. A recurrence carries a change of one cell on to later ones, so there a
// bump is added to what its clauses give, and each cell is moved without being cut off from those before it.

import { evaluateAt } from "../backends/interpret/run.ts";
import { at, fromScalars, type TensorValue } from "../host/value.ts";
import { analyse, type Analysis } from "../ir/analyse.ts";
import type { Variable } from "../ir/affine/term.ts";
import { readCell } from "../autodiff/cells.ts";
import { newDefinition, wholeLoops } from "../autodiff/backward.ts";
import { algebraOf } from "../autodiff/products.ts";
import type { Definition, Program } from "../ir/program.ts";
import type { FloatType } from "../ir/scalar/types.ts";

/** A program that can be evaluated at some inputs. */
export interface Setting {
  readonly program: Program;
  readonly analysis: Analysis;
  readonly inputs: ReadonlyMap<string, TensorValue>;
  /** Extents that are known not to be negative. */
  readonly extents: Iterable<Variable>;
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
        evaluateAt(program, analysis, inputs, new Map([[wrt, fromScalars("f64", shape, cells)]]), wanted),
      );
    };
    return { shape, point, moved };
  }
  const moved: Moving["moved"] = (by, wanted) =>
    withBump(setting, wrt, (bump, bumped) =>
      numbersOf(evaluateAt(program, bumped, inputs, new Map([[bump, fromScalars("f64", shape, [...by])]]), wanted)),
    );
  return { shape, point, moved };
}

export function isRecurrent(analysis: Analysis, definition: Definition): boolean {
  return analysis.schedules.some((schedule) => schedule.recurrent && schedule.definitions.includes(definition));
}

export function numbersOf(value: TensorValue): readonly number[] {
  return Array.from({ length: value.data.length }, (_, k) => at(value, k) as number);
}

/** The program in which a bump is added to every cell of a definition; it is as it was when `use` is done. */
function withBump<T>(
  { program, extents }: Setting,
  wrt: Definition,
  use: (bump: Definition, analysis: Analysis) => T,
): T {
  const bump = newDefinition("bump", wrt.element, wrt.axes, [], wrt.span);
  const own = newDefinition(`${wrt.name}_own`, wrt.element, wrt.axes, wrt.clauses, wrt.span);
  const loops = wholeLoops(wrt);
  const sum = algebraOf(wrt.element as FloatType, wrt.span).apply(
    "add",
    readCell(own, loops, wrt.span),
    readCell(bump, loops, wrt.span),
  );
  const { clauses } = wrt;
  try {
    wrt.clauses = [{ loops, guards: [], body: { kind: "map", value: sum }, span: wrt.span }];
    return use(bump, analyse(program, extents));
  } finally {
    wrt.clauses = clauses;
  }
}

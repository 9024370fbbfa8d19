// Integer arithmetic that wraps around in every run, because all its operands are known when the
// program is compiled.
//
//   let n = 100000; n * n                 each operand is a number
//   sum[i in 0..100000](i)                each term is known, and their number
//   let f[n in 1..21] = f[n - 1] * n;     each step of a short recurrence is known
//
// A value that depends on an input, on a coordinate of the cell, or on a function that the run
// calls, is not examined.

import { attempt, constantOf, type Term, type Variable } from "../../affine/term.ts";
import { evaluate as evaluateTerm, variablesOf } from "../../affine/visit.ts";
import { partsOf } from "../../ir/parts.ts";
import type { Body, Clause, Definition, Local, Loop, Program, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { cast } from "../../scalar/casts.ts";
import { ArithmeticFault } from "../../scalar/fault.ts";
import { operationRow } from "../../scalar/operations.ts";
import { exactResult, fitsInto } from "../../scalar/overflow.ts";
import { isInteger, type IntegerType, type Scalar as Value } from "../../scalar/types.ts";
import { reachable } from "../schedule.ts";
import type { Span } from "../../base/source.ts";

export interface KnownWrap {
  readonly span: Span;
  readonly type: IntegerType;
  /** The result without wrapping. */
  readonly exact: bigint;
  /** In a recurrence: the first step that wraps around, "`n` is 13". */
  readonly step?: Step;
  /** No wrap, but a quotient of integers that is 0. */
  readonly isQuotient?: true;
}

interface Step {
  /** The name of the tensor. */
  readonly of: string;
  /** "`n` is 13" */
  readonly at: string;
}

/** How many points of reductions are tried in a program. A check must not take as long as a run. */
const mostPoints = 2 ** 17;

/** A recurrence with more cells is not computed. */
const mostCells = 2 ** 12;

type Reduction = Extract<Body, { kind: "reduce" }>;
/**
 * The coordinates of the reductions around a scalar, and the values of the locals at this point.
 */
interface Point {
  readonly values: Map<Variable, number>;
  readonly locals: Map<Local, Value | undefined>;
}

export function knownWraps(program: Program): readonly KnownWrap[] {
  const found = new Map<string, KnownWrap>();
  const search = newSearch(program, (wrap) => {
    const { source, start, end } = wrap.span;
    const key = `${source.name} ${start} ${end}`;
    if (!found.has(key)) found.set(key, wrap);
  });
  for (const definition of reachable(rootsOf(program))) search(definition);
  return [...found.values()];
}

/** A function that examines a definition and reports the wraps that it finds. */
function newSearch(
  program: Program,
  note: (wrap: KnownWrap) => void,
): (definition: Definition) => void {
  const known = new Map<Definition, Value | undefined>();
  /** The cells of recurrences that are computed so far. */
  const computed = new Map<Definition, (Value | undefined)[]>();
  let step: Step | undefined;
  let left = mostPoints;

  const valueOfDefinition = (definition: Definition): Value | undefined => {
    if (known.has(definition)) return known.get(definition);
    // A definition that needs its own value has none.
    known.set(definition, undefined);
    const value = search(definition);
    known.set(definition, value);
    return value;
  };

  /** The value of a definition without axes. */
  const search = (definition: Definition): Value | undefined => {
    const { cells, clauses, axes } = definition;
    if (cells) return axes.length === 0 ? cells[0] : undefined;
    if (isShortRecurrence(definition)) return computeCells(definition);
    let value: Value | undefined;
    for (const clause of clauses) {
      const point = newPoint();
      for (const loop of clause.loops) bounds(loop, point);
      const guards = clause.guards.map((guard) => valueOf(guard, point));
      if (guards.includes(false)) continue;
      if (clause.otherwise) valueOf(clause.otherwise, newPoint());
      const { body } = clause;
      const own = body.kind === "map" ? valueOf(body.value, point) : total(body, point);
      const isWhole =
        axes.length === 0 && clauses.length === 1 && guards.every((guard) => guard === true);
      if (isWhole) value = own;
    }
    return value;
  };

  const noted = (type: IntegerType, exact: bigint, span: Span | undefined): undefined => {
    if (span) note({ span, type, exact, ...(step ? { step } : {}) });
  };

  /** Computes the cells of a recurrence one after the other, up to the first that is not known. */
  const computeCells = (definition: Definition): undefined => {
    const { axes, clauses, name } = definition;
    const extents = axes.map(({ extent }) => constantOf(extent)!);
    const cells: (Value | undefined)[] = [];
    computed.set(definition, cells);
    const count = extents.reduce((product, extent) => product * extent, 1);
    const ranges = clauses.map(({ loops }) => loops.map((loop) => bounds(loop, newPoint())));
    for (let cell = 0; cell < count && left-- > 0; cell++) {
      let rest = cell;
      const position = extents.map((_, k) => {
        const inner = extents.slice(k + 1).reduce((product, extent) => product * extent, 1);
        const at = Math.floor(rest / inner);
        rest %= inner;
        return at;
      });
      const owner = clauses.findLastIndex((_, c) =>
        ranges[c]!.every(
          (range, k) => range && range[0] <= position[k]! && position[k]! < range[1],
        ),
      );
      const clause = clauses[owner];
      if (clause?.body.kind !== "map") return undefined;
      const point = newPoint();
      for (const [k, { variable }] of clause.loops.entries())
        point.values.set(variable, position[k]!);
      const places = clause.loops.flatMap(({ fixed, variable }, k) =>
        fixed ? [] : [`\`${variable.name}\` is ${position[k]}`],
      );
      step = places.length === 0 ? undefined : { of: name, at: places.join(" and ") };
      cells[cell] = valueOf(clause.body.value, point);
      step = undefined;
      if (cells[cell] === undefined) return undefined;
    }
    return undefined;
  };

  const bounds = ({ from, to }: Loop, point: Point): readonly [number, number] | undefined => {
    const [first, end] = [valueOf(from, point), valueOf(to, point)];
    return first === undefined || end === undefined ? undefined : [Number(first), Number(end)];
  };

  const integer = (term: Term, point: Point): number | undefined => {
    const valueAt = (v: Variable): number | undefined => {
      const definition = program.scalars.get(v);
      const value = point.values.get(v) ?? (definition && valueOfDefinition(definition));
      return value === undefined ? undefined : Number(value);
    };
    const values = new Map([...variablesOf(term)].map((v) => [v, valueAt(v)]));
    if ([...values.values()].includes(undefined)) return undefined;
    return attempt(() => evaluateTerm(term, (v) => values.get(v)!));
  };

  const valueOf = (scalar: Scalar, point: Point): Value | undefined => {
    switch (scalar.kind) {
      case "constant":
        return scalar.value;
      case "integer": {
        const value = integer(scalar.term, point);
        return value !== undefined && fitsInto("i32", BigInt(value)) ? value : undefined;
      }
      case "local":
        if (!point.locals.has(scalar.local))
          point.locals.set(scalar.local, valueOf(scalar.local.value, point));
        return point.locals.get(scalar.local);
      case "read":
        return cellOf(
          scalar.definition,
          scalar.indices.map((index) => valueOf(index, point)),
        );
      case "select": {
        const condition = valueOf(scalar.condition, point);
        if (condition !== undefined)
          return valueOf(condition ? scalar.then : scalar.otherwise, point);
        valueOf(scalar.then, point);
        valueOf(scalar.otherwise, point);
        return undefined;
      }
      case "cast": {
        const value = valueOf(scalar.operand, point);
        const { type, operand } = scalar;
        if (value === undefined) return undefined;
        const isNarrowing = isInteger(operand.type) && isInteger(type);
        if (isNarrowing && !fitsInto(type, BigInt(value as number | bigint)))
          return noted(type, BigInt(value as number | bigint), scalar.span);
        return cast(operand.type, type, value);
      }
      case "apply":
        return applied(scalar, point);
      default:
        for (const part of partsOf(scalar)) valueOf(part, point);
        return undefined;
    }
  };

  const applied = (scalar: Extract<Scalar, { kind: "apply" }>, point: Point): Value | undefined => {
    const { operation, within, type, span } = scalar;
    const decisive = operation === "and" ? false : operation === "or" ? true : undefined;
    const operands: (Value | undefined)[] = [];
    for (const operand of scalar.operands) {
      operands.push(valueOf(operand, point));
      if (decisive !== undefined && operands.at(-1) === decisive) return decisive;
    }
    // The draw of a random number is not predicted.
    if (operands.includes(undefined) || /^(uniform|normal|randint)$/.test(operation))
      return undefined;
    const exact =
      isInteger(within) && isInteger(type)
        ? resultOf(() => exactResult(operation, operands as number[]))
        : undefined;
    if (exact !== undefined && !fitsInto(type as IntegerType, exact))
      return noted(type as IntegerType, exact, span);
    // `1 / 2` with numbers only. A quotient of positions may well be meant to be 0.
    const isZero = operation === "divide" && exact === 0n && Number(operands[0]) !== 0;
    if (isZero && point.values.size === 0)
      note({ span, type: type as IntegerType, exact: 0n, isQuotient: true });
    return resultOf(() => operationRow(operation).evaluate(within, ...(operands as Value[])));
  };

  const cellOf = (
    definition: Definition,
    indices: readonly (Value | undefined)[],
  ): Value | undefined => {
    if (indices.length === 0) return valueOfDefinition(definition);
    const cells = definition.cells ?? computed.get(definition);
    if (!cells) return undefined;
    let offset = 0;
    for (const [axis, index] of indices.entries()) {
      const extent = constantOf(definition.axes[axis]!.extent);
      if (
        index === undefined ||
        extent === undefined ||
        Number(index) < 0 ||
        Number(index) >= extent
      )
        return undefined;
      offset = offset * extent + Number(index);
    }
    return cells[offset];
  };

  /** The value of an integer sum or product whose terms are all known. */
  const total = (body: Reduction, outer: Point): Value | undefined => {
    const { reduction, loops, guards, value, span } = body;
    const isTotal = reduction === "sum" || reduction === "prod";
    if (!isTotal || !isInteger(value.type)) {
      for (const part of [...loops.flatMap(({ from, to }) => [from, to]), ...guards, value])
        valueOf(part, outer);
      return undefined;
    }
    const type = value.type;
    const exact =
      reduction === "sum"
        ? (affineSum(body, outer) ?? enumeratedTotal(body, outer))
        : enumeratedTotal(body, outer);
    if (exact === undefined) return undefined;
    if (!fitsInto(type, exact)) return noted(type, exact, span);
    return type === "i64" ? exact : Number(exact);
  };

  /**
   * The sum of a linear term over numeric ranges of any length: the mean term times the number of
   * terms.
   */
  const affineSum = ({ loops, guards, value }: Reduction, point: Point): bigint | undefined => {
    if (guards.length > 0 || value.kind !== "integer") return undefined;
    const ranges = loops.map((loop) => bounds(loop, point));
    if (!ranges.every((range) => range !== undefined)) return undefined;
    const sizes = ranges.map(([from, to]) => BigInt(Math.max(0, to - from)));
    const count = sizes.reduce((product, size) => product * size, 1n);
    let twice = 2n * BigInt(value.term.constant) * count;
    for (const { coefficient, factors } of value.term.parts) {
      const [factor, ...others] = factors;
      const at =
        factor?.kind === "variable"
          ? loops.findIndex(({ variable }) => variable === factor.variable)
          : -1;
      if (at < 0 || others.length > 0) return undefined;
      const [from, to] = ranges[at]!;
      twice += BigInt(coefficient) * BigInt(from + to - 1) * count;
    }
    return twice / 2n;
  };

  const enumeratedTotal = (
    { reduction, loops, guards, value }: Reduction,
    outer: Point,
  ): bigint | undefined => {
    const operation = reduction === "sum" ? "add" : "multiply";
    const point: Point = { values: new Map(outer.values), locals: new Map() };
    let exact: bigint | undefined = reduction === "sum" ? 0n : 1n;
    const descend = (depth: number): boolean => {
      const loop = loops[depth];
      if (loop) {
        const range = bounds(loop, point);
        if (!range) return false;
        for (let at = range[0]; at < range[1]; at++) {
          point.values.set(loop.variable, at);
          point.locals.clear();
          if (!descend(depth + 1)) return false;
        }
        return true;
      }
      if (left-- <= 0) return false;
      const outcomes = guards.map((guard) => valueOf(guard, point));
      if (outcomes.includes(undefined)) return false;
      if (outcomes.includes(false)) return true;
      const term = valueOf(value, point);
      if (term === undefined) return false;
      exact = exactResult(operation, [exact!, term as number | bigint])!;
      return true;
    };
    return descend(0) ? exact : undefined;
  };

  return (definition) => void valueOfDefinition(definition);
}

/** A tensor of integers that reads itself, with few enough cells to compute. */
function isShortRecurrence(definition: Definition): boolean {
  const { axes, clauses, element, outer } = definition;
  if (!isInteger(element) || axes.length === 0 || outer > 0 || clauses.length < 2) return false;
  const isPlain = ({ guards, loops, otherwise }: Clause): boolean =>
    guards.length === 0 && !otherwise && loops.every(({ reversed }) => !reversed);
  if (!clauses.every(isPlain)) return false;
  let cells = 1;
  for (const { extent, ragged, rows } of axes)
    cells *= ragged || rows ? Infinity : (constantOf(extent) ?? Infinity);
  return cells <= mostCells && readsOf(definition).has(definition);
}

function newPoint(): Point {
  return { values: new Map(), locals: new Map() };
}

/** Undefined if there is no result, as for a division by 0. */
function resultOf<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (fault) {
    if (fault instanceof ArithmeticFault || fault instanceof RangeError) return undefined;
    throw fault;
  }
}

// Scalar expressions as closures: plain evaluation, one closure for each node, every access checked.

import { isTrapped, TrappedLocal, trappedOperation } from "./trap-values.ts";
import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../base/source.ts";
import { textOf } from "../../base/source.ts";
import type { Atom, Term, Variable } from "../../affine/term.ts";
import { partsOf } from "../../ir/parts.ts";
import type { Definition, Local, RowsPart, Scalar } from "../../ir/program.ts";
import { cast } from "../../scalar/casts.ts";
import { arrayFunction, dataFunction, heldFunction, totalFunction } from "../../scalar/data.ts";
import { ArithmeticFault, faultReasons } from "../../scalar/fault.ts";
import { operationRow } from "../../scalar/operations.ts";
import { roundTo } from "../../scalar/round.ts";
import { shownAs, textRow } from "../../scalar/texts.ts";
import { isFloat, isInteger, zeroOf, type Data, type Scalar as Value } from "../../scalar/types.ts";
import { showScalar } from "../../host/show.ts";
import { compileCall } from "./functions.ts";
import { nameInSource } from "../../ir/name-in-source.ts";
import { cellInSource } from "./blame.ts";
import { stopAt } from "./stops.ts";
import { watchedArithmetic, watchedCast, watchedInteger } from "./wrapping.ts";
import { offsetOf, type Machine, type StepWindow, type Store } from "./machine.ts";

export type Evaluate = () => Value;
export type EvaluateInteger = () => number;

export function compileTerm(machine: Machine, term: Term): EvaluateInteger {
  const parts = term.parts.map((part) => ({
    coefficient: part.coefficient,
    factors: part.factors.map((atom) => compileAtom(machine, atom)),
  }));
  const { constant } = term;
  const [only] = parts;
  if (parts.length === 0) return () => constant;
  if (parts.length === 1 && only!.coefficient === 1 && only!.factors.length === 1) {
    const factor = only!.factors[0]!;
    return constant === 0 ? factor : () => factor() + constant;
  }
  return () => {
    let total = constant;
    for (const part of parts) {
      let product = part.coefficient;
      for (const factor of part.factors) product *= factor();
      total += product;
    }
    return total;
  };
}

function compileAtom(machine: Machine, atom: Atom): EvaluateInteger {
  switch (atom.kind) {
    case "variable":
      return compileVariable(machine, atom.variable);
    case "floor": {
      const dividend = compileTerm(machine, atom.dividend);
      const divisor = compileTerm(machine, atom.divisor);
      return () => Math.floor(dividend() / divisor());
    }
    case "min":
    case "max": {
      const members = atom.members.map((member) => compileTerm(machine, member));
      return atom.kind === "min"
        ? () => members.reduce((least, member) => Math.min(least, member()), Infinity)
        : () => members.reduce((greatest, member) => Math.max(greatest, member()), -Infinity);
    }
    default:
      return atom satisfies never;
  }
}

function compileVariable(machine: Machine, variable: Variable): EvaluateInteger {
  const { values } = machine;
  const slot = machine.slotOf(variable);
  return () => values[slot]!;
}

export function compileInteger(machine: Machine, scalar: Scalar): EvaluateInteger {
  if (scalar.kind === "integer") return compileTerm(machine, scalar.term);
  const value = compile(machine, scalar);
  return scalar.type === "i64" ? () => Number(value()) : (value as EvaluateInteger);
}

export function compile(machine: Machine, scalar: Scalar): Evaluate {
  switch (scalar.kind) {
    case "constant": {
      const type = machine.typeOf(scalar.type);
      const value = isFloat(type) ? roundTo(type, scalar.value as number) : scalar.value;
      return () => value;
    }
    case "integer": {
      // Coordinates and extents are i32 values: arithmetic on them wraps like any other.
      const term = compileTerm(machine, scalar.term);
      return machine.trap === "overflow" ? () => watchedInteger(term()) : () => term() | 0;
    }
    case "read":
      return compileRead(machine, scalar);
    case "apply":
      return machine.trap === "nan" && isFloat(scalar.type)
        ? compileWatched(machine, scalar)
        : compileApply(machine, scalar);
    case "cast":
      return machine.trap === "nan" && isFloat(scalar.type)
        ? compileWatched(machine, scalar)
        : compileCast(machine, scalar);
    case "select": {
      const condition = compile(machine, scalar.condition);
      const then = compile(machine, scalar.then);
      const otherwise = compile(machine, scalar.otherwise);
      return () => (condition() ? then() : otherwise());
    }
    case "local":
      return compileLocal(machine, scalar.local);
    case "text": {
      const operands = scalar.operands.map((operand) => compile(machine, operand));
      const evaluate = textEvaluator(machine, scalar);
      return () => evaluate(...operands.map((operand) => operand()));
    }
    case "data": {
      const operands = scalar.operands.map((operand) => compile(machine, operand));
      const evaluate = dataEvaluator(machine, scalar);
      return () => evaluate(...operands.map((operand) => operand()));
    }
    case "call":
      return compileCall(machine, scalar, (part) => compile(machine, part));
    case "parameter":
      throw new Error(`the parameter \`${scalar.parameter.name}\` stands outside of its function`);
    default:
      return scalar satisfies never;
  }
}

/** A value that its owner looks at under a trap, be it a cell, a term or a local name; what stands inside is looked at where it comes about. */
export function compileWhole(machine: Machine, scalar: Scalar): Evaluate {
  if (scalar.kind === "apply") return compileApply(machine, scalar);
  if (scalar.kind === "cast") return compileCast(machine, scalar);
  if (scalar.kind !== "select") return compile(machine, scalar);
  const condition = compile(machine, scalar.condition);
  const then = compileWhole(machine, scalar.then);
  const otherwise = compileWhole(machine, scalar.otherwise);
  return () => (condition() ? then() : otherwise());
}

/** What makes a value of others. */
type Operation = Extract<Scalar, { kind: "apply" | "cast" }>;

/** Under a trap: an operation inside an expression, looked at as soon as it is computed. */
function compileWatched(machine: Machine, scalar: Operation): Evaluate {
  const operands = partsOf(scalar).map((operand) => compile(machine, operand));
  const evaluate = watchedOperation(machine, scalar);
  return () => evaluate(...operands.map((operand) => operand()));
}

/** A local is evaluated once in each cell (and in each step of a reduction) that asks for it. */
function compileLocal(machine: Machine, local: Local): Evaluate {
  const known = machine.locals.get(local);
  if (known) return known;
  const value = compileWhole(machine, local.value);
  let tick = -1;
  let held: Value = 0;
  const evaluate = (): Value => {
    if (tick !== machine.tick) {
      held = value();
      if (machine.trap === "nan" && isTrapped(held)) throw new TrappedLocal(local, held);
      tick = machine.tick;
    }
    return held;
  };
  machine.locals.set(local, evaluate);
  return evaluate;
}

function compileCast(machine: Machine, scalar: Extract<Scalar, { kind: "cast" }>): Evaluate {
  const operand = compile(machine, scalar.operand);
  const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
  if (from === to) return operand;
  const convert = watchesIntegers(machine, scalar) ? converted(machine, scalar) : undefined;
  return convert ? () => convert(operand()) : () => cast(from, to, operand());
}

function compileApply(machine: Machine, scalar: Extract<Scalar, { kind: "apply" }>): Evaluate {
  const operands = scalar.operands.map((operand) => compile(machine, operand));
  if (watchesIntegers(machine, scalar)) {
    const evaluate = applied(machine, scalar);
    return () => evaluate(...operands.map((operand) => operand()));
  }
  const [a, b] = operands;
  if (scalar.operation === "and") return () => a!() && b!();
  if (scalar.operation === "or") return () => a!() || b!();
  const { evaluate } = operationRow(scalar.operation);
  const within = machine.typeOf(scalar.within);
  const guarded = (compute: Evaluate): Evaluate =>
    isFloat(within) ? compute : checked(scalar, operands, compute);
  switch (operands.length) {
    case 1:
      return guarded(() => evaluate(within, a!()));
    case 2:
      return guarded(() => evaluate(within, a!(), b!()));
    default:
      return guarded(() => evaluate(within, ...operands.map((operand) => operand())));
  }
}

/** Integer arithmetic without a result becomes a diagnostic that shows the operands. */
function checked(
  scalar: Extract<Scalar, { kind: "apply" }>,
  operands: readonly Evaluate[],
  compute: Evaluate,
): Evaluate {
  return () => {
    try {
      return compute();
    } catch (fault) {
      if (!(fault instanceof ArithmeticFault)) throw fault;
      const shown = operands
        .map((operand, k) => showScalar(scalar.operands[k]!.type, operand()))
        .join(" and ");
      throw new Fault(
        error("E0902", `${fault.reason} in \`${textOf(scalar.span)}\``, scalar.span, {
          text: `the operands are ${shown}`,
          help: faultReasons[fault.reason],
        }),
      );
    }
  };
}

/** A function of strings on operands that are there. */
export function textEvaluator(
  machine: Machine,
  { function: name, operands, format }: Extract<Scalar, { kind: "text" }>,
): (...given: Value[]) => Value {
  if (name === "show") return shownAs(machine.typeOf(operands[0]!.type), format);
  const { evaluate } = textRow(name);
  return (text, ...given) => evaluate(String(text ?? ""), ...given);
}

/** What is made of data that is there. A part that nobody has put there is a zero: of the tangent of data that does not move. */
export function dataEvaluator(
  machine: Machine,
  { function: name, layout, member, type, stop }: Extract<Scalar, { kind: "data" }>,
): (...given: Value[]) => Value {
  switch (name) {
    case "box":
      return (...scalars) => scalars;
    case "part": {
      const zero = zeroOf(type);
      return (data) => (data as Data)[member] ?? zero;
    }
    case "same":
    case "show":
      return dataFunction(name, layout, machine.typeOf);
    case "stop":
      return stopAt(stop!);
    case "append":
    case "cell":
    case "slice":
    case "size":
      return arrayFunction(name, type);
    case "add":
    case "total":
    case "put":
    case "join":
    case "shift":
      return totalFunction(name, machine.typeOf(type));
    case "hold":
    case "held":
      return heldFunction(name);
    default:
      return name satisfies never;
  }
}

/** An operation on operands that are there. */
export function applied(
  machine: Machine,
  scalar: Extract<Scalar, { kind: "apply" }>,
): (...given: Value[]) => Value {
  const { evaluate } = operationRow(scalar.operation);
  const within = machine.typeOf(scalar.within);
  if (isFloat(within)) return (...given) => evaluate(within, ...given);
  const compute = (...given: Value[]): Value => {
    const operands = given.map((value) => () => value);
    return checked(scalar, operands, () => evaluate(within, ...given))();
  };
  return watchesIntegers(machine, scalar) ? watchedArithmetic(scalar, compute) : compute;
}

/** Whether a trap looks at an operation because an integer may wrap around in it. */
export function watchesIntegers({ trap }: Machine, scalar: Operation): boolean {
  if (trap !== "overflow") return false;
  return scalar.kind === "apply"
    ? isInteger(scalar.within) && isInteger(scalar.type)
    : isInteger(scalar.operand.type) && isInteger(scalar.type);
}

/** A cast of a value that is there. */
export function converted(
  machine: Machine,
  scalar: Extract<Scalar, { kind: "cast" }>,
): (value?: Value) => Value {
  const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
  const compute = (value?: Value): Value => cast(from, to, value!);
  return watchesIntegers(machine, scalar) ? watchedCast(scalar, compute) : compute;
}

/** Under a trap: an operation on operands that are there, inside an expression. */
export function watchedOperation(
  machine: Machine,
  scalar: Operation,
): (...given: Value[]) => Value {
  const compute = scalar.kind === "cast" ? converted(machine, scalar) : applied(machine, scalar);
  const parts = partsOf(scalar);
  return (...given) => {
    const value = compute(...given);
    if (!isTrapped(value)) return value;
    const operands = given.map((operand, k) => showScalar(parts[k]!.type, operand));
    throw trappedOperation(
      scalar.span ? textOf(scalar.span) : "",
      operands,
      showScalar(scalar.type, value),
      scalar.span,
    );
  };
}

/** A read at indices that are there. */
export function readerOf(
  machine: Machine,
  scalar: Extract<Scalar, { kind: "read" }>,
): (...indices: number[]) => Value {
  let held: Store | undefined;
  return (...indices) => {
    held ??= machine.stores.get(scalar.definition)!;
    if (held.window) return readWindow(held, held.window, scalar, indices);
    let offset = 0;
    for (const [axis, index] of indices.entries()) {
      if (!(index >= 0 && index < held.shape[axis]!))
        throw outOfBounds(scalar, axis, index, held.shape[axis]!);
      offset += index * held.strides[axis]!;
    }
    const { done, shape, strides } = held;
    if (done && !done[offset])
      throw notComputed(scalar.definition, positionOf(shape, strides, offset), scalar.span);
    return held.get(offset);
  };
}

function compileRead(machine: Machine, scalar: Extract<Scalar, { kind: "read" }>): Evaluate {
  const indices = scalar.indices.map((index) => compileInteger(machine, index));
  const { definition, span } = scalar;
  const store = (): Store => machine.stores.get(definition)!;
  let held: Store | undefined;
  return () => {
    held ??= store();
    if (held.window)
      return readWindow(
        held,
        held.window,
        scalar,
        indices.map((index) => index()),
      );
    const { shape, strides, get } = held;
    let offset = 0;
    for (let axis = 0; axis < indices.length; axis++) {
      const index = indices[axis]!();
      if (!(index >= 0 && index < shape[axis]!))
        throw outOfBounds(scalar, axis, index, shape[axis]!);
      offset += index * strides[axis]!;
    }
    if (held.done && !held.done[offset])
      throw absent(definition, positionOf(shape, strides, offset), span);
    return get(offset);
  };
}

/** A cell of which only some steps are there: one that is missing is computed, again or for the first time. */
function readWindow(
  store: Store,
  window: StepWindow,
  scalar: Extract<Scalar, { kind: "read" }>,
  position: readonly number[],
): Value {
  for (const [axis, index] of position.entries())
    if (!(index >= 0 && index < store.shape[axis]!))
      throw outOfBounds(scalar, axis, index, store.shape[axis]!);
  const offset = offsetOf(store, position);
  const step = position[window.axis]!;
  if (window.held[offset] !== step + 1) window.restore?.(step);
  if (window.held[offset] !== step + 1) throw notComputed(scalar.definition, position, scalar.span);
  return store.get(offset);
}

function outOfBounds(
  scalar: Extract<Scalar, { kind: "read" }>,
  axis: number,
  index: number,
  extent: number,
): Fault {
  const { definition } = scalar;
  const { name, rows } = definition.axes[axis] ?? {};
  if (rows) return outOfRows(scalar, rows, index, extent);
  const place = name ? `axis \`${name}\`` : `axis ${axis}`;
  return new Fault(
    error("E0901", `index ${index} is out of bounds in \`${textOf(scalar.span)}\``, scalar.span, {
      text: `${place} of \`${nameInSource(definition)}\` has extent ${extent}`,
      labels: [{ span: definition.span, text: `\`${nameInSource(definition)}\` is declared here` }],
      help: "guard the access: `where` or `if` with the range in which the index is valid",
    }),
  );
}

/** A cell that is not in its row is asked for at its place in the row, behind the cells of all rows. */
function outOfRows(
  { definition, span }: Extract<Scalar, { kind: "read" }>,
  rows: RowsPart,
  index: number,
  extent: number,
): Fault {
  const name = nameInSource(definition);
  const column = index < 0 ? index : index - extent;
  const last =
    rows === "starts"
      ? `\`${name}\` has ${extent === 2 ? "1 row" : `${extent - 1} rows`}`
      : "the row ends before it";
  const [title, text] =
    rows === "cells"
      ? [`index ${column} is out of bounds in \`${textOf(span)}\``, last]
      : [`there is no row \`${textOf(span)}\``, last];
  return new Fault(
    error("E0901", title, span, {
      text: column < 0 && rows === "cells" ? "an index is never negative" : text,
      labels: [{ span: definition.span, text: `\`${name}\` is declared here` }],
      help: "ask first: `len(a)` is the number of rows, `len(a[i])` the length of one",
    }),
  );
}

function positionOf(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): readonly number[] {
  return shape.map((extent, axis) => Math.floor(offset / strides[axis]!) % extent);
}

function absent(definition: Definition, position: readonly number[], span: Span): Fault {
  if (!definition.axes.some((axis) => axis.ragged)) return notComputed(definition, position, span);
  const cell = cellInSource(definition, position) ?? textOf(span);
  return new Fault(
    error("E0901", `\`${textOf(span)}\` reads \`${cell}\`, which is not there`, span, {
      text: "the size depends on the coordinates around, and ends before this cell",
      labels: [{ span: definition.span, text: `\`${nameInSource(definition)}\` is declared here` }],
      help: "guard the access: `where` or `if` with the range in which the index is valid",
    }),
  );
}

function notComputed(definition: Definition, position: readonly number[], span: Span): Fault {
  const { axes } = definition;
  const cell = cellInSource(definition, position) ?? textOf(span);
  const where = axes.map((axis, k) => `${axis.name ?? `axis ${k}`} = ${position[k]}`).join(", ");
  return new Fault(
    error("E0904", `\`${cell}\` is not computed yet`, span, {
      text: `\`${textOf(span)}\` reads ${where}`,
      help: "a recurrence reads cells that come earlier in its order",
    }),
  );
}

// Computes the expected numbers of a program of the derivative fuzzer from its description, without
// any part of the compiler.
//
// Every cell is computed on demand in a view. A view is a set of moved cells, each moved by a small
// step after its equation, y = F(x) + ε. `@f / @y` in a view is the coefficient of one more step,
// by which y is moved.

import * as jets from "./jets.ts";
import type { Jet } from "./jets.ts";
import {
  shapeOf,
  type Binary,
  type Clause,
  type Condition,
  type Expression,
  type Index,
  type Loop,
  type Program,
  type Statement,
  type Unary,
} from "./program.ts";

/** The reason why a program has no expected numbers: it stands at a kink, or a number is NaN. */
export class Unsuited extends Error {}

/** Closer than this to a kink, rounding decides. */
const near = 1e-6;

/** A cell, or the binding of a local name. */
type Place = string | Binding;

interface View {
  readonly moved: ReadonlyMap<Place, readonly number[]>;
  readonly steps: number;
  readonly known: Map<Place, Jet>;
  /** The views in which one more place is moved. */
  readonly further: Map<Place, View>;
}

interface Binding {
  readonly name: string;
  readonly value: Expression;
  /** The scope of the value. */
  readonly around: Scope;
}

interface Scope {
  readonly integers: ReadonlyMap<string, number>;
  readonly locals: readonly Binding[];
}

const outside: Scope = { integers: new Map(), locals: [] };

/** The cells of every tensor of the program, by name. */
export function valuesOf(program: Program): ReadonlyMap<string, readonly number[]> {
  const statements = new Map(program.map((statement) => [statement.name, statement]));
  const view = viewOf(new Map(), 0);
  const found = new Map<string, readonly number[]>();
  for (const statement of program) {
    const shape = shapeOf(statement);
    if (!shape || statement.kind === "input") continue;
    const cells = cellsIn(shape).map((at) => cellOf(statements, statement.name, at, view)[0]!);
    if (!cells.every((cell) => Math.abs(cell) < 1e5))
      throw new Unsuited("a number is too large, or none");
    found.set(statement.name, cells);
  }
  return found;
}

export function cellsIn(shape: readonly number[]): readonly (readonly number[])[] {
  return shape.reduce<readonly (readonly number[])[]>(
    (places, extent) =>
      places.flatMap((place) => Array.from({ length: extent }, (_, k) => [...place, k])),
    [[]],
  );
}

type Statements = ReadonlyMap<string, Statement>;

function viewOf(moved: View["moved"], steps: number): View {
  return { moved, steps, known: new Map(), further: new Map() };
}

/** Each further order of derivatives doubles the coefficients. */
const mostSteps = 5;

function movedBy(view: View, by: Place): View {
  let found = view.further.get(by);
  if (!found) {
    if (view.steps === mostSteps) throw new Unsuited("too many derivatives go through one another");
    const steps = [...(view.moved.get(by) ?? []), view.steps];
    view.further.set(by, (found = viewOf(new Map([...view.moved, [by, steps]]), view.steps + 1)));
  }
  return found;
}

/** A value that is computed once in a view, and moved if its place is moved. */
function once(view: View, place: Place, compute: () => Jet): Jet {
  let jet = view.known.get(place);
  if (!jet) {
    jet = compute();
    for (const step of view.moved.get(place) ?? []) jet = jets.moved(jet, step);
    view.known.set(place, jet);
  }
  return jet;
}

function cellOf(statements: Statements, name: string, at: readonly number[], view: View): Jet {
  const statement = statements.get(name);
  const shape = statement && shapeOf(statement);
  if (!shape || shape.length !== at.length || !at.every((k, axis) => k >= 0 && k < shape[axis]!))
    throw new Unsuited(`${name}[${at.join()}] is not there`);
  return once(view, placeOf(name, at), () => {
    switch (statement.kind) {
      case "input":
        return jets.constantJet(
          statement.cells[at.reduce((k, each, axis) => k * shape[axis]! + each, 0)]!,
          view.steps,
        );
      case "define":
        return ownedBy(statements, statement.clauses, at, view);
      case "request": {
        const { of, by, ofShape, cell, inSteps } = statement;
        const rank = ofShape.length;
        const within = movedBy(view, placeOf(by, inSteps ? at : at.slice(rank)));
        return jets.movesWithLast(cellOf(statements, of, cell ?? at.slice(0, rank), within));
      }
      default:
        throw new Unsuited("no tensor");
    }
  });
}

function placeOf(name: string, at: readonly number[]): string {
  return `${name} ${at.join(" ")}`;
}

/**
 * The last clause whose range and guard contain the cell. Without one, the `else` of the last
 * clause whose range contains it.
 */
function ownedBy(
  statements: Statements,
  clauses: readonly Clause[],
  at: readonly number[],
  view: View,
): Jet {
  let fallback: (() => Jet) | undefined;
  for (const { slots, guard, body, otherwise } of clauses.toReversed()) {
    const integers = new Map<string, number>();
    const isInside = slots.every((slot, axis) => {
      const k = at[axis]!;
      if (typeof slot === "number") return slot === k;
      integers.set(slot.name, k);
      return (
        k >= integerOf(statements, slot.from, outside) &&
        k < integerOf(statements, slot.to, outside)
      );
    });
    if (!isInside) continue;
    const scope: Scope = { integers, locals: [] };
    const value = (expression: Expression): Jet => evaluate(statements, expression, scope, view);
    if (!guard || holds(statements, guard, scope, view)) return value(body);
    fallback ??= () => (otherwise ? value(otherwise) : jets.constantJet(0, view.steps));
  }
  if (!fallback) throw new Unsuited("no clause has the cell");
  return fallback();
}

function integerOf(statements: Statements, index: Index, scope: Scope): number {
  switch (index.kind) {
    case "number":
      return index.value;
    case "coordinate": {
      const value = scope.integers.get(index.name);
      if (value === undefined) throw new Unsuited(`${index.name} is not there`);
      return index.modulo === undefined ? value + index.plus : (value + index.plus) % index.modulo;
    }
    case "lookup": {
      const table = statements.get(index.name);
      const found =
        table?.kind === "integers"
          ? table.cells[integerOf(statements, index.at, scope)]
          : undefined;
      if (found === undefined) throw new Unsuited(`${index.name} is not there`);
      return found;
    }
    default:
      return index satisfies never;
  }
}

function holds(statements: Statements, condition: Condition, scope: Scope, view: View): boolean {
  if (condition.kind === "above")
    return chosen(evaluate(statements, condition.of, scope, view)[0]!, condition.than) > 0;
  const [a, b] = [condition.left, condition.right].map((each) =>
    integerOf(statements, each, scope),
  ) as [number, number];
  switch (condition.operation) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    default:
      return condition.operation satisfies never;
  }
}

/** The sign of the difference of two numbers. Throws if they are too close. */
function chosen(a: number, b: number): number {
  const distance = a - b;
  if (!(Math.abs(distance) > near)) throw new Unsuited("a kink is near");
  return distance;
}

function bindingOf(scope: Scope, name: string): Binding {
  const binding = scope.locals.findLast((each) => each.name === name);
  if (!binding) throw new Unsuited(`${name} is not there`);
  return binding;
}

function localOf(statements: Statements, binding: Binding, view: View): Jet {
  return once(view, binding, () => evaluate(statements, binding.value, binding.around, view));
}

function evaluate(statements: Statements, expression: Expression, scope: Scope, view: View): Jet {
  const value = (each: Expression, within = scope): Jet => evaluate(statements, each, within, view);
  const number = (each: number): Jet => jets.constantJet(each, view.steps);
  switch (expression.kind) {
    case "number":
      return number(expression.value);
    case "position":
      return number(integerOf(statements, expression.index, scope));
    case "read": {
      const at = expression.at.map((index) => integerOf(statements, index, scope));
      return cellOf(statements, expression.name, at, view);
    }
    case "local":
      return localOf(statements, bindingOf(scope, expression.name), view);
    case "unary":
      return unary(expression.operation, value(expression.of));
    case "binary":
      return binary(expression.operation, value(expression.left), value(expression.right));
    case "clamp": {
      const inner = value(expression.of);
      if (chosen(inner[0]!, expression.low) < 0) return number(expression.low);
      return chosen(inner[0]!, expression.high) > 0 ? number(expression.high) : inner;
    }
    case "if":
      return value(
        holds(statements, expression.condition, scope, view)
          ? expression.then
          : expression.otherwise,
      );
    case "let": {
      const binding: Binding = { name: expression.name, value: expression.value, around: scope };
      return value(expression.body, { ...scope, locals: [...scope.locals, binding] });
    }
    case "slope": {
      const within = movedBy(view, bindingOf(scope, expression.by));
      return jets.movesWithLast(localOf(statements, bindingOf(scope, expression.of), within));
    }
    case "call": {
      const called = statements.get(expression.name);
      if (called?.kind !== "function") throw new Unsuited(`${expression.name} is not there`);
      const integers = called.integers.map(
        (name, k) => [name, integerOf(statements, expression.integers[k]!, scope)] as const,
      );
      const locals = called.floats.map((name, k): Binding => ({
        name,
        value: expression.floats[k]!,
        around: scope,
      }));
      return value(called.body, { integers: new Map(integers), locals });
    }
    case "reduce":
      return reduced(expression.operation, elementsOf(statements, expression, scope, view), number);
    default:
      return expression satisfies never;
  }
}

/** The elements of a reduction, in bracket order, without those that its guard filters. */
function elementsOf(
  statements: Statements,
  { along, guard, of }: Extract<Expression, { kind: "reduce" }>,
  scope: Scope,
  view: View,
): readonly Jet[] {
  const walk = ([first, ...others]: readonly Loop[], within: Scope): readonly Jet[] => {
    if (!first) {
      const counts = !guard || holds(statements, guard, within, view);
      return counts ? [evaluate(statements, of, within, view)] : [];
    }
    const [from, to] = [first.from, first.to].map((end) => integerOf(statements, end, within)) as [
      number,
      number,
    ];
    return Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k).flatMap((k) =>
      walk(others, { ...within, integers: new Map([...within.integers, [first.name, k]]) }),
    );
  };
  return walk(along, scope);
}

function reduced(
  operation: Extract<Expression, { kind: "reduce" }>["operation"],
  elements: readonly Jet[],
  number: (value: number) => Jet,
): Jet {
  switch (operation) {
    case "sum":
      return elements.reduce(jets.add, number(0));
    case "prod":
      return elements.reduce(jets.multiply, number(1));
    case "mean":
      if (elements.length === 0) throw new Unsuited("the mean of nothing");
      return jets.scaled(elements.reduce(jets.add, number(0)), 1 / elements.length);
    case "max":
    case "min":
      if (elements.length === 0) throw new Unsuited("the winner of nothing");
      return elements.reduce((a, b) => binary(operation, a, b));
    case "logsumexp": {
      if (elements.length === 0) throw new Unsuited("the logarithm of 0");
      const top = number(Math.max(...elements.map((each) => each[0]!)));
      const scaled = elements.map((each) => jets.exp(jets.subtract(each, top)));
      return jets.add(jets.log(scaled.reduce(jets.add)), top);
    }
    default:
      return operation satisfies never;
  }
}

const elementary = {
  exp: jets.exp,
  log: jets.log,
  sin: jets.sin,
  cos: jets.cos,
  tan: jets.tan,
  tanh: jets.tanh,
  sigmoid: jets.sigmoid,
  erf: jets.erf,
  log1p: jets.log1p,
  expm1: jets.expm1,
} as const;

function unary(operation: Unary, a: Jet): Jet {
  switch (operation) {
    case "negate":
      return jets.scaled(a, -1);
    case "abs":
      return jets.scaled(a, Math.sign(chosen(a[0]!, 0)));
    case "relu":
      return jets.scaled(a, chosen(a[0]!, 0) > 0 ? 1 : 0);
    case "sqrt":
      return jets.power(a, 0.5);
    case "floor":
      chosen(a[0]!, Math.round(a[0]!));
      return a.map((_, at) => (at === 0 ? Math.floor(a[0]!) : 0));
    default:
      return elementary[operation](a);
  }
}

function binary(operation: Binary, a: Jet, b: Jet): Jet {
  switch (operation) {
    case "+":
      return jets.add(a, b);
    case "-":
      return jets.subtract(a, b);
    case "*":
      return jets.multiply(a, b);
    case "/":
      return jets.divide(a, b);
    case "%": {
      const quotient = a[0]! / b[0]!;
      chosen(quotient, Math.round(quotient));
      return jets.subtract(a, jets.scaled(b, Math.trunc(quotient)));
    }
    case "**":
      return b.slice(1).every((each) => each === 0) ? jets.power(a, b[0]!) : jets.powerOf(a, b);
    case "max":
      return chosen(a[0]!, b[0]!) > 0 ? a : b;
    case "min":
      return chosen(a[0]!, b[0]!) > 0 ? b : a;
    default:
      return operation satisfies never;
  }
}

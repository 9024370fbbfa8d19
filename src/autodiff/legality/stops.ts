// This folder decides whether a derivative exists: where it ends, whether rules are linear, and
// what they leave out. It derives nothing.
//
// A derivative ends where a moving float becomes an integer or a bool, and that becomes a number
// again. Conditions and indices only choose among numbers, and `stop(x)` is a constant, so these do
// not count:
//
//    floor(x) as i32 as f32   ends a derivative      if x > 0.0 { x } else { 0.0 }   does not
//
// A function is visited once for each kind of arguments. A recursive call counts as not moving at
// first. The functions are then visited again until nothing changes.

import { constantOf, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { keyOf } from "../../ir/keys.ts";
import type { Definition, Scalar, ScalarFunction } from "../../ir/program.ts";
import type { Layout } from "../../scalar/data.ts";
import { operationRow, type OperationName } from "../../scalar/operations.ts";
import { isFloat, type ElementType } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";
import { algebraOf } from "../scalar/products.ts";

/** The operation at which a derivative ends. */
export interface Stopped {
  readonly operation: string;
  readonly span?: Span;
}

/** How a value depends on moving values. */
export interface Makings {
  /** The value contains a moving float. For an integer: the value carries the tangent of a rule. */
  readonly moves?: boolean;
  /** The reason why the value has no derivative as a number. */
  readonly stopped?: Stopped | undefined;
  /** For data: the makings of its scalars, by the names of their places. */
  readonly parts?: ReadonlyMap<string, Makings>;
}

/** The moving values, and the reasons why integers and bools have no derivative. */
interface Moving {
  readonly isActive?: (definition: Definition) => boolean;
  readonly stops?: (definition: Definition) => Stopped | undefined;
  /** A scalar inside a function that moves by itself. */
  readonly independent?: Scalar;
}

/** A function with the makings of its arguments. */
interface Way {
  readonly of: ScalarFunction;
  readonly given: readonly Makings[];
  results: readonly Makings[];
}

type Apply = Extract<Scalar, { kind: "apply" }>;
type Data = Extract<Scalar, { kind: "data" }>;

/** The suffix of places with scalars that are not floats. */
const otherScalars = "#";

const still: Makings = {};
const moved: Makings = { moves: true };

/** An array of moving floats. */
export const movedCells: Makings = arrayOf(moved);

function arrayOf(floats: Makings, integers = still): Makings {
  const parts = [
    [partKey("[]", "f64"), floats] as const,
    [partKey("[]", "i32"), integers] as const,
  ];
  return { parts: new Map(parts.filter(([, part]) => isTouched(part))) };
}

/** The floats in a value. */
function floatsOf(makings: Makings, type: ElementType): readonly Makings[] {
  if (type !== "data") return isFloat(type) ? [makings] : [];
  return [...(makings.parts ?? [])]
    .filter(([place]) => !place.endsWith(otherScalars))
    .map(([, part]) => part);
}

/** Does the value depend on moving values in any way? */
export function isTouched({ moves, stopped, parts }: Makings): boolean {
  return (
    moves === true ||
    stopped !== undefined ||
    (parts !== undefined && [...parts.values()].some(isTouched))
  );
}

/**
 * Finds the makings of scalars. Inside a function, the makings of its parameters are needed, too.
 */
export function makingsOf({ isActive, stops, independent }: Moving): {
  readonly ofScalar: (scalar: Scalar) => Makings;
  readonly ofCall: (of: ScalarFunction, given: readonly Makings[]) => readonly Makings[];
  /** The makings of a function's parameters, in all calls that were visited. */
  readonly ofParameters: (of: ScalarFunction) => readonly Makings[];
  /** The functions with results that depend on moving values. */
  readonly moving: () => readonly ScalarFunction[];
} {
  const asked = independent && keyOf(independent);
  const ways = new Map<ScalarFunction, Map<string, Way>>();
  /** The calls whose makings may still grow, while an outermost call is being visited. */
  let open: Way[] | undefined;

  const inside = (parameters: ReadonlyMap<Variable, Makings>): ((scalar: Scalar) => Makings) => {
    const known = new Map<Scalar, Makings>();
    const look = (scalar: Scalar): Makings => {
      if (asked !== undefined && keyOf(scalar) === asked) return moved;
      // The slope of a request that is not answered yet moves with its numerator.
      const node =
        scalar.kind === "local" ? (scalar.local.slope?.of ?? scalar.local.value) : scalar;
      let found = known.get(node);
      if (!found) known.set(node, (found = node === scalar ? make(scalar) : look(node)));
      return found;
    };
    const make = (scalar: Scalar): Makings => {
      switch (scalar.kind) {
        case "constant":
        case "text":
          return still;
        case "integer":
          return combined([...variablesOf(scalar.term)].map((v) => parameters.get(v) ?? still));
        case "parameter":
          return parameters.get(scalar.parameter.variable) ?? still;
        case "local":
          return look(scalar.local.value);
        case "read":
          if (isActive?.(scalar.definition)) return moved;
          return isFloat(scalar.type) ? still : ended(stops?.(scalar.definition));
        case "select": {
          const either = combined([look(scalar.then), look(scalar.otherwise)]);
          const { found } = scalar;
          return found && isTouched(look(scalar.condition))
            ? ended({ operation: found.by, span: found.span })
            : either;
        }
        case "cast": {
          const operand = look(scalar.operand);
          if (isFloat(scalar.type) || !isFloat(scalar.operand.type) || !operand.moves)
            return operand;
          const { span, type } = scalar;
          return ended(
            operand.stopped ?? { operation: `the cast to ${type}`, ...(span ? { span } : {}) },
          );
        }
        case "apply":
          return scalar.operation === "stop"
            ? still
            : makingsOfOperation(scalar, scalar.operands.map(look));
        case "data":
          return ofData(scalar, scalar.operands.map(look));
        case "call":
          return called(scalar.invocation.function, scalar.invocation.arguments.map(look))[
            scalar.member
          ]!;
        default:
          return scalar satisfies never;
      }
    };
    return look;
  };

  const called = (of: ScalarFunction, given: readonly Makings[]): readonly Makings[] => {
    if (of.rule) {
      const { moves, stopped } = combined(
        given.flatMap((each, k) => floatsOf(each, of.parameters[k]!.type)),
      );
      const number: Makings = { ...(moves ? { moves } : {}), stopped };
      // An integer has a tangent only as a whole, not inside data.
      const integers: Makings = isTouched(number)
        ? ended(stopped ?? { operation: `\`${of.name}\`` })
        : still;
      return of.rule.results.map(({ type }) =>
        type === "data" ? arrayOf(number, integers) : number,
      );
    }
    const known = ways.get(of) ?? new Map<string, Way>();
    ways.set(of, known);
    const key = given.map(textOfMakings).join();
    let way = known.get(key);
    if (!way) {
      known.set(key, (way = { of, given, results: of.results.map(() => still) }));
      settle(way);
    }
    return way.results;
  };

  const settle = (way: Way): void => {
    if (open) {
      open.push(way);
      grows(way);
      return;
    }
    open = [way];
    for (let more = true; more;) {
      more = false;
      for (const each of open) more = grows(each) || more;
    }
    open = undefined;
  };

  /** Visits a function again. Have its makings grown? */
  const grows = (way: Way): boolean => {
    const { of, given, results: before } = way;
    const look = inside(
      new Map(
        of.parameters.map((each, k) => [
          each.variable,
          withoutIntegerTangent(given[k]!, each.type, each.name),
        ]),
      ),
    );
    way.results = of.results.map((result) =>
      withoutIntegerTangent(look(result), result.type, of.name),
    );
    return way.results.some((result, k) => textOfMakings(result) !== textOfMakings(before[k]!));
  };

  const ofParameters = (of: ScalarFunction): readonly Makings[] =>
    of.parameters.map((_, k) =>
      combined([...(ways.get(of)?.values() ?? [])].map(({ given }) => given[k]!)),
    );
  const moving = (): readonly ScalarFunction[] =>
    [...ways]
      .filter(([, all]) => [...all.values()].some(({ results }) => results.some(isTouched)))
      .map(([of]) => of);
  return { ofScalar: inside(new Map()), ofCall: called, ofParameters, moving };
}

/**
 * Only names and choices pass the tangent of an integer on. Arguments and results of functions and
 * parts of data do not.
 */
function withoutIntegerTangent(makings: Makings, type: ElementType, by: string): Makings {
  return isFloat(type) || !makings.moves
    ? makings
    : ended(makings.stopped ?? { operation: `\`${by}\`` });
}

function makingsOfOperation(scalar: Apply, makings: readonly Makings[]): Makings {
  const { operation, operands, type, span } = scalar;
  const { derivative } = operationRow(operation);
  if (!isFloat(type) || typeof derivative === "string") {
    const { moves, stopped } = combined(makings);
    return stopped || !moves ? ended(stopped) : ended({ operation: symbolOf(operation), span });
  }
  const moves = makings.some(isTouched);
  if (!makings.some(({ stopped }) => stopped)) return moves ? moved : still;
  const slopes = derivative(algebraOf(type, span), operands, scalar);
  return {
    moves,
    stopped: makings.find(({ stopped }, k) => stopped && slopes[k] !== "zero")?.stopped,
  };
}

/** The operation as the user writes it. */
function symbolOf(operation: OperationName): string {
  const { notation } = operationRow(operation);
  return notation.kind === "infix" ? `\`${notation.symbol}\`` : operation;
}

// ── data ────────────────────────────────────────────────────────────────────────────────────────

function ofData(
  { function: called, operands, member, layout, type }: Data,
  makings: readonly Makings[],
): Makings {
  const [first = still, second = still, third = still] = makings;
  const put = (place: string, k: number): Makings => {
    const { type: own } = operands[k]!;
    const each = withoutIntegerTangent(makings[k]!, own, layoutName(layout));
    return each.parts || !isTouched(each)
      ? each
      : { parts: new Map([[partKey(place, own), each]]) };
  };
  const taken = (place: string): Makings =>
    type === "data" ? first : (first.parts?.get(partKey(place, type)) ?? still);
  switch (called) {
    case "box":
      return combined(makings.map((_, k) => put(`${layoutName(layout)}.${k}`, k)));
    case "part":
      return taken(`${layoutName(layout)}.${member}`);
    case "append":
      return combined([first, put("[]", 1)]);
    case "cell":
    case "total":
      return taken("[]");
    case "add":
    case "hold":
      return combined([first, put("[]", 2)]);
    case "held":
      return combined([taken("[]"), third]);
    // The number of each part stands before the part.
    case "put":
      return combined([
        first,
        ...makings.flatMap((_, k) =>
          k > 0 && k % 2 === 0 ? [put(`.${constantIn(operands[k - 1]!)}`, k)] : [],
        ),
      ]);
    case "join":
      return combined([first, second]);
    case "slice":
    case "shift":
      return first;
    case "same":
      return makings.some(isTouched) ? ended({ operation: "`==`" }) : still;
    case "show":
    case "size":
    case "stop":
      return still;
    default:
      return called satisfies never;
  }
}

/** Floats and other scalars have separate places: data with an integer index may still move. */
function partKey(place: string, type: ElementType): string {
  return isFloat(type) ? place : `${place}${otherScalars}`;
}

function layoutName(layout: Layout): string {
  return "name" in layout ? layout.name : "";
}

function constantIn(scalar: Scalar): number | undefined {
  return scalar.kind === "integer" ? constantOf(scalar.term) : undefined;
}

// ── makings ─────────────────────────────────────────────────────────────────────────────────────

function ended(stopped: Stopped | undefined): Makings {
  return stopped ? { stopped } : still;
}

/** The makings of a value that is made of several values. */
function combined(all: readonly Makings[]): Makings {
  const touched = all.filter(isTouched);
  if (touched.length <= 1) return touched[0] ?? still;
  const parts = new Map<string, Makings>();
  for (const each of touched)
    for (const [place, part] of each.parts ?? [])
      parts.set(place, combined([parts.get(place) ?? still, part]));
  return {
    moves: touched.some(({ moves }) => moves),
    stopped: touched.find(({ stopped }) => stopped)?.stopped,
    ...(parts.size > 0 ? { parts } : {}),
  };
}

/** The makings as a text. Different reasons for a stop count as equal. */
function textOfMakings({ moves, stopped, parts }: Makings): string {
  const own = `${moves ? "m" : ""}${stopped ? "s" : ""}`;
  return parts
    ? `${own}{${[...parts]
        .map(([place, part]) => `${place}:${textOfMakings(part)}`)
        .sort()
        .join()}}`
    : own;
}

// Where a derivative ends: a float that moves is turned into an integer or a bool, and that into a
// number again. Conditions and indices only choose among numbers, and what `stop` is given is a
// constant: they do not count.
//
// A function is looked at once for every way in which its arguments are made. Where it calls
// itself, it is taken to give nothing that moves until more is known, and looked at again until
// nothing more is found.

import { constantOf, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { keyOf } from "../../ir/keys.ts";
import type { Definition, Scalar, ScalarFunction } from "../../ir/program.ts";
import type { Layout } from "../../scalar/data.ts";
import { operationRow, type OperationName } from "../../scalar/operations.ts";
import { isFloat, type ElementType } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";
import { algebraOf } from "../scalar/products.ts";

/** What stops a derivative on its path. */
export interface Stopped {
  readonly operation: string;
  readonly span?: Span;
}

/** How a value is made of what moves. */
export interface Makings {
  /** A float that moves is in it; of an integer: it carries the tangent of a rule. */
  readonly moves?: boolean;
  /** As a number it has no derivative, because of this. */
  readonly stopped?: Stopped | undefined;
  /** Of data: the makings of its scalars, by where they stand in whatever has them. */
  readonly parts?: ReadonlyMap<string, Makings>;
}

/** What moves, and what has ended the derivative in other integers and bools. */
interface Moving {
  readonly isActive?: (definition: Definition) => boolean;
  readonly stops?: (definition: Definition) => Stopped | undefined;
  /** A scalar inside a function that moves by itself. */
  readonly independent?: Scalar;
}

/** A way in which a function is called. */
interface Way {
  readonly of: ScalarFunction;
  readonly given: readonly Makings[];
  results: readonly Makings[];
}

type Apply = Extract<Scalar, { kind: "apply" }>;
type Data = Extract<Scalar, { kind: "data" }>;

/** Behind the places of what is no float. */
const others = "#";

const still: Makings = {};
const moved: Makings = { moves: true };

/** An array of floats that move. */
export const movedCells: Makings = cellsOf(moved);

function cellsOf(floats: Makings, integers = still): Makings {
  const parts = [
    [placeOf("[]", "f64"), floats] as const,
    [placeOf("[]", "i32"), integers] as const,
  ];
  return { parts: new Map(parts.filter(([, part]) => isTouched(part))) };
}

/** The floats that a value is or has. */
function floatsOf(made: Makings, type: ElementType): readonly Makings[] {
  if (type !== "data") return isFloat(type) ? [made] : [];
  return [...(made.parts ?? [])]
    .filter(([place]) => !place.endsWith(others))
    .map(([, part]) => part);
}

/** Whether what is made this way has to do with what moves at all. */
export function isTouched({ moves, stopped, parts }: Makings): boolean {
  return (
    moves === true ||
    stopped !== undefined ||
    (parts !== undefined && [...parts.values()].some(isTouched))
  );
}

/** Tells how scalars are made; with the makings of a function's parameters, its own. */
export function makingsOf({ isActive, stops, independent }: Moving): {
  readonly ofScalar: (scalar: Scalar) => Makings;
  readonly ofCall: (of: ScalarFunction, given: readonly Makings[]) => readonly Makings[];
  /** What the parameters of a function are made of, in all the calls that were looked at. */
  readonly ofParameters: (of: ScalarFunction) => readonly Makings[];
  /** The functions that have given something made of what moves. */
  readonly moving: () => readonly ScalarFunction[];
} {
  const asked = independent && keyOf(independent);
  const ways = new Map<ScalarFunction, Map<string, Way>>();
  /** Those that may turn out to give more, while a call is looked at that no function makes. */
  let open: Way[] | undefined;

  const inside = (parameters: ReadonlyMap<Variable, Makings>): ((scalar: Scalar) => Makings) => {
    const known = new Map<Scalar, Makings>();
    const look = (scalar: Scalar): Makings => {
      if (asked !== undefined && keyOf(scalar) === asked) return moved;
      // A derivative that is still to be taken moves with its numerator.
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
          return together([...variablesOf(scalar.term)].map((v) => parameters.get(v) ?? still));
        case "parameter":
          return parameters.get(scalar.parameter.variable) ?? still;
        case "local":
          return look(scalar.local.value);
        case "read":
          if (isActive?.(scalar.definition)) return moved;
          return isFloat(scalar.type) ? still : ended(stops?.(scalar.definition));
        case "select": {
          const either = together([look(scalar.then), look(scalar.otherwise)]);
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
          return scalar.operation === "stop" ? still : applied(scalar, scalar.operands.map(look));
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
      const { moves, stopped } = together(
        given.flatMap((each, k) => floatsOf(each, of.parameters[k]!.type)),
      );
      const number: Makings = { ...(moves ? { moves } : {}), stopped };
      // Only by itself has an integer a tangent.
      const integers: Makings = isTouched(number)
        ? ended(stopped ?? { operation: `\`${of.name}\`` })
        : still;
      return of.rule.results.map(({ type }) =>
        type === "data" ? cellsOf(number, integers) : number,
      );
    }
    const known = ways.get(of) ?? new Map<string, Way>();
    ways.set(of, known);
    const key = given.map(shown).join();
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

  /** Looks at a function once more: is there more than was found before? */
  const grows = (way: Way): boolean => {
    const { of, given, results: before } = way;
    const look = inside(
      new Map(
        of.parameters.map((each, k) => [each.variable, kept(given[k]!, each.type, each.name)]),
      ),
    );
    way.results = of.results.map((result) => kept(look(result), result.type, of.name));
    return way.results.some((result, k) => shown(result) !== shown(before[k]!));
  };

  const ofParameters = (of: ScalarFunction): readonly Makings[] =>
    of.parameters.map((_, k) =>
      together([...(ways.get(of)?.values() ?? [])].map(({ given }) => given[k]!)),
    );
  const moving = (): readonly ScalarFunction[] =>
    [...ways]
      .filter(([, all]) => [...all.values()].some(({ results }) => results.some(isTouched)))
      .map(([of]) => of);
  return { ofScalar: inside(new Map()), ofCall: called, ofParameters, moving };
}

/**
 * Only names and choices hand on the tangent of an integer: what functions are given and give, and
 * data, has none.
 */
function kept(made: Makings, type: ElementType, by: string): Makings {
  return isFloat(type) || !made.moves ? made : ended(made.stopped ?? { operation: `\`${by}\`` });
}

function applied(scalar: Apply, made: readonly Makings[]): Makings {
  const { operation, operands, type, span } = scalar;
  const { derivative } = operationRow(operation);
  if (!isFloat(type) || typeof derivative === "string") {
    const { moves, stopped } = together(made);
    return stopped || !moves ? ended(stopped) : ended({ operation: symbolOf(operation), span });
  }
  const moves = made.some(isTouched);
  if (!made.some(({ stopped }) => stopped)) return moves ? moved : still;
  const slopes = derivative(algebraOf(type, span), operands, scalar);
  return {
    moves,
    stopped: made.find(({ stopped }, k) => stopped && slopes[k] !== "zero")?.stopped,
  };
}

/** An operation as the user writes it. */
function symbolOf(operation: OperationName): string {
  const { notation } = operationRow(operation);
  return notation.kind === "infix" ? `\`${notation.symbol}\`` : operation;
}

// ── data ────────────────────────────────────────────────────────────────────────────────────────

function ofData(
  { function: called, operands, member, layout, type }: Data,
  made: readonly Makings[],
): Makings {
  const [first = still, second = still, third = still] = made;
  const put = (place: string, k: number): Makings => {
    const { type: own } = operands[k]!;
    const each = kept(made[k]!, own, nameOf(layout));
    return each.parts || !isTouched(each)
      ? each
      : { parts: new Map([[placeOf(place, own), each]]) };
  };
  const taken = (place: string): Makings =>
    type === "data" ? first : (first.parts?.get(placeOf(place, type)) ?? still);
  switch (called) {
    case "box":
      return together(made.map((_, k) => put(`${nameOf(layout)}.${k}`, k)));
    case "part":
      return taken(`${nameOf(layout)}.${member}`);
    case "append":
      return together([first, put("[]", 1)]);
    case "cell":
    case "total":
      return taken("[]");
    case "add":
    case "hold":
      return together([first, put("[]", 2)]);
    case "held":
      return together([taken("[]"), third]);
    // The number of a part stands before it.
    case "put":
      return together([
        first,
        ...made.flatMap((_, k) =>
          k > 0 && k % 2 === 0 ? [put(`.${numberOf(operands[k - 1]!)}`, k)] : [],
        ),
      ]);
    case "join":
      return together([first, second]);
    case "slice":
    case "shift":
      return first;
    case "same":
      return made.some(isTouched) ? ended({ operation: "`==`" }) : still;
    case "show":
    case "size":
    case "stop":
      return still;
    default:
      return called satisfies never;
  }
}

/**
 * Floats and others are kept apart: data that has an integer to look something up by may move all
 * the same.
 */
function placeOf(place: string, type: ElementType): string {
  return isFloat(type) ? place : `${place}${others}`;
}

function nameOf(layout: Layout): string {
  return "name" in layout ? layout.name : "";
}

function numberOf(scalar: Scalar): number | undefined {
  return scalar.kind === "integer" ? constantOf(scalar.term) : undefined;
}

// ── makings ─────────────────────────────────────────────────────────────────────────────────────

function ended(stopped: Stopped | undefined): Makings {
  return stopped ? { stopped } : still;
}

/** Those of what is made of several. */
function together(all: readonly Makings[]): Makings {
  const touched = all.filter(isTouched);
  if (touched.length <= 1) return touched[0] ?? still;
  const parts = new Map<string, Makings>();
  for (const each of touched)
    for (const [place, part] of each.parts ?? [])
      parts.set(place, together([parts.get(place) ?? still, part]));
  return {
    moves: touched.some(({ moves }) => moves),
    stopped: touched.find(({ stopped }) => stopped)?.stopped,
    ...(parts.size > 0 ? { parts } : {}),
  };
}

/** The makings as a text: which stop it was does not count. */
function shown({ moves, stopped, parts }: Makings): string {
  const own = `${moves ? "m" : ""}${stopped ? "s" : ""}`;
  return parts
    ? `${own}{${[...parts]
        .map(([place, part]) => `${place}:${shown(part)}`)
        .sort()
        .join()}}`
    : own;
}

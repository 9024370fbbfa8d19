// The operands of a contraction. An operand is a tensor that is read at indices that are sums of
// coordinates; such a read needs no preparation.
//
// Any other operand (an expression, a read under guards, a gather) is computed first, in cells of
// its own. It gets as few coordinates as possible: the window x[i + k - 1] where 0 <= i + k - 1
// depends only on the sum i + k, so its cells are x with a border of zeros.

import {
  constant,
  extremum,
  floorDiv,
  keyOf,
  multiply,
  ofVariable,
  plus,
  scale,
  sum,
} from "../../affine/term.ts";
import type { Atom, Part, Term, Variable } from "../../affine/term.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Scalar } from "../../ir/program.ts";
import type { ElementType } from "../../scalar/types.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { intervalOf, type Interval } from "../regions/intervals.ts";
import {
  freshVariable,
  inBoxes,
  intervalsOfSides,
  type Case,
  type Side,
  type Sized,
} from "../regions/regions.ts";
import { rewriteScalar } from "../rewrite.ts";
import type { Place } from "../regions/simplify.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface Operand {
  /** The read of the operand. Its indices are sums of coordinates. */
  readonly read: Read;
  /** The cells that have to be computed before the contraction, if there are any. */
  readonly made?: Sized;
  /**
   * Whether the operand has zeros that stand for missing terms. There the other operand has to be
   * finite.
   */
  readonly isMasked: boolean;
}

/**
 * Makes an operand over some coordinates; `undefined` where it would need more than `mostCells`
 * cells. An operand that is read in place may also use the coordinates that surrounding loops hold
 * (`held`). Other operands may not, because they would be computed anew in each step.
 */
export function operandOf(
  target: Definition,
  value: Scalar,
  guards: readonly Scalar[],
  coordinates: readonly Side[],
  held: readonly Side[],
  typeOf: Place["typeOf"],
  mostCells: number,
): Operand | undefined {
  if (guards.length === 0 && isPlainRead(value, [...coordinates, ...held]))
    return { read: value, isMasked: false };
  if (held.length > 0) return undefined;
  const forms = fewestCoordinates([value, ...guards], coordinates);
  const cells = forms.reduce(
    (total, { interval: { least, most } }) => total * (most - least + 1),
    1,
  );
  if (cells > mostCells) return undefined;
  const axes = forms.map(({ interval, variable }) => ({
    variable: freshVariable(variable.name),
    first: interval.least,
    extent: interval.most - interval.least + 1,
  }));
  const termOfForm = new Map(
    forms.map(({ key }, k) => [key, plus(ofVariable(axes[k]!.variable), axes[k]!.first)]),
  );
  const inFormCoordinates = (scalar: Scalar): Scalar =>
    rewriteScalar(scalar, (part) =>
      part.kind === "integer"
        ? integerScalar(withSumsReplaced(part.term, coordinates, termOfForm))
        : undefined,
    );
  const zero: Case = {
    guards: [],
    reductions: [],
    value: { kind: "constant", type: value.type, value: 0 },
  };
  const cases: readonly Case[] = [
    { guards: guards.map(inFormCoordinates), reductions: [], value: inFormCoordinates(value) },
    ...(guards.length > 0 ? [zero] : []),
  ];
  const definition: Definition = {
    ...target,
    name: `${target.name}_operand`,
    element: value.type,
    axes: axes.map(({ extent }) => ({ extent: constant(extent) })),
    origin: "helper",
    clauses: [],
  };
  const sides = axes.map(({ variable, extent }): Side => ({ variable, from: 0, to: extent }));
  const made = inBoxes(definition, value.type, { sides, cases }, typeOf);
  const indices = forms.map(({ form }, k) => integerScalar(plus(form, -axes[k]!.first)));
  const read: Read = { kind: "read", type: value.type, definition, indices, span: target.span };
  return { read, made, isMasked: guards.length > 0 };
}

function isPlainRead(value: Scalar, coordinates: readonly Side[]): value is Read {
  return (
    value.kind === "read" &&
    value.indices.every(
      (index) =>
        index.kind === "integer" && index.term.parts.every((part) => isLinear(part, coordinates)),
    )
  );
}

function isLinear({ factors }: Part, coordinates: readonly Side[]): boolean {
  const [only, ...more] = factors;
  return (
    more.length === 0 &&
    only?.kind === "variable" &&
    coordinates.some(({ variable }) => variable === only.variable)
  );
}

/** A sum of coordinates that occurs in indices and comparisons, and its interval. */
interface Form {
  readonly key: string;
  readonly form: Term;
  readonly variable: Variable;
  readonly interval: Interval;
}

/**
 * The forms that an operand needs as axes. These are the sums of coordinates that occur, or the
 * coordinates themselves if those have fewer positions.
 */
function fewestCoordinates(
  scalars: readonly Scalar[],
  coordinates: readonly Side[],
): readonly Form[] {
  const known = intervalsOfSides(coordinates);
  const formOf = (form: Term): Form => {
    const [first] = form.parts;
    const [atom] = first!.factors as [Extract<Atom, { kind: "variable" }>];
    return { key: keyOf(form), form, variable: atom.variable, interval: intervalOf(form, known) };
  };
  const sums = new Map<string, Form>();
  const collect = (term: Term): void => {
    const linear = linearPart(term, coordinates);
    if (linear.parts.length > 0) {
      const form = formOf(
        signOfFirstCoordinate(linear, coordinates) < 0 ? scale(linear, -1) : linear,
      );
      sums.set(form.key, form);
    }
    for (const part of term.parts) {
      if (isLinear(part, coordinates)) continue;
      for (const atom of part.factors) eachTermIn(atom, collect);
    }
  };
  for (const scalar of scalars)
    eachScalar(scalar, (part) => {
      if (part.kind === "integer") collect(part.term);
    });
  const alone = coordinates.map(({ variable }) => formOf(ofVariable(variable)));
  const cellsOf = (forms: readonly Form[]): number =>
    forms.reduce((total, { interval: { least, most } }) => total * (most - least + 1), 1);
  return cellsOf([...sums.values()]) <= cellsOf(alone) ? [...sums.values()] : alone;
}

function eachTermIn(atom: Atom, visit: (term: Term) => void): void {
  switch (atom.kind) {
    case "variable":
      return visit(ofVariable(atom.variable));
    case "floor":
      visit(atom.dividend);
      return visit(atom.divisor);
    case "min":
    case "max":
      return atom.members.forEach(visit);
    default:
      atom satisfies never;
  }
}

function linearPart(term: Term, coordinates: readonly Side[]): Term {
  return { constant: 0, parts: term.parts.filter((part) => isLinear(part, coordinates)) };
}

/**
 * The sign of the coordinate that comes first in `coordinates`. The coordinates of the result come
 * before the summed ones, so that neighbouring cells of the result read neighbouring cells.
 */
function signOfFirstCoordinate({ parts }: Term, coordinates: readonly Side[]): number {
  const positionOf = ({ factors: [atom] }: Part): number =>
    coordinates.findIndex(
      ({ variable }) => atom?.kind === "variable" && atom.variable === variable,
    );
  return Math.sign(parts.reduce((a, b) => (positionOf(b) < positionOf(a) ? b : a)).coefficient);
}

/**
 * Replaces the sums of coordinates in a term by the axes that stand for them, or each coordinate by
 * its own axis.
 */
function withSumsReplaced(
  term: Term,
  coordinates: readonly Side[],
  places: ReadonlyMap<string, Term>,
): Term {
  const replace = (inner: Term): Term => withSumsReplaced(inner, coordinates, places);
  const linear = linearPart(term, coordinates);
  const terms: Term[] = [constant(term.constant)];
  if (linear.parts.length > 0) {
    const sign = signOfFirstCoordinate(linear, coordinates);
    const place = places.get(keyOf(sign < 0 ? scale(linear, -1) : linear));
    if (place) terms.push(scale(place, sign));
    else
      for (const part of linear.parts)
        terms.push(
          scale(
            places.get(keyOf({ constant: 0, parts: [{ ...part, coefficient: 1 }] }))!,
            part.coefficient,
          ),
        );
  }
  for (const part of term.parts) {
    if (isLinear(part, coordinates)) continue;
    const factors = part.factors.map((atom): Term => {
      switch (atom.kind) {
        case "variable": {
          const alone = ofVariable(atom.variable);
          return places.get(keyOf(alone)) ?? alone;
        }
        case "floor":
          return floorDiv(replace(atom.dividend), replace(atom.divisor));
        case "min":
        case "max":
          return extremum(atom.kind, atom.members.map(replace));
        default:
          return atom satisfies never;
      }
    });
    terms.push(scale(factors.reduce(multiply), part.coefficient));
  }
  return sum(terms);
}

/** Whether the matrix product supports the element type. */
export function isMultiplied(type: ElementType): type is "f32" | "f64" {
  return type === "f32" || type === "f64";
}

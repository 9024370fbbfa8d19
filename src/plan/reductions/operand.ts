// What a contraction multiplies: cells of a tensor at indices that are sums of its coordinates,
// read as they lie.
//
// Anything else (an expression, a read under guards, a lookup) is computed first, in cells of its
// own, over as few coordinates as it has: a window  x[i + k - 1] where 0 <= i + k - 1  depends on i
// and k by their sum alone, so what is made is x with a border of zeros.

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
import { freshVariable, inBoxes, type Case, type Side, type Sized } from "../regions/regions.ts";
import { rewriteScalar } from "../rewrite.ts";
import type { Place } from "../regions/simplify.ts";

type Read = Extract<Scalar, { kind: "read" }>;

export interface Operand {
  /** Its indices are sums of coordinates. */
  readonly read: Read;
  /** What has to be computed before, in cells of its own. */
  readonly made?: Sized;
  /** Whether it has zeros where there is no term: the other operand has to be finite there. */
  readonly isMasked: boolean;
}

/**
 * An operand over some coordinates; nothing where it would take more than `mostCells`. Indices of
 * what is read as it lies may also have the coordinates that loops around hold; nothing is made
 * anew in every step.
 */
export function operandOf(
  of: Definition,
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
  const by = fewestCoordinates([value, ...guards], coordinates);
  const cells = by.reduce((total, { interval: { least, most } }) => total * (most - least + 1), 1);
  if (cells > mostCells) return undefined;
  const axes = by.map(({ interval, variable }) => ({
    variable: freshVariable(variable.name),
    first: interval.least,
    extent: interval.most - interval.least + 1,
  }));
  const places = new Map(
    by.map(({ key }, k) => [key, plus(ofVariable(axes[k]!.variable), axes[k]!.first)]),
  );
  const again = (scalar: Scalar): Scalar =>
    rewriteScalar(scalar, (part) =>
      part.kind === "integer" ? integerScalar(written(part.term, coordinates, places)) : undefined,
    );
  const zero: Case = {
    guards: [],
    reductions: [],
    value: { kind: "constant", type: value.type, value: 0 },
  };
  const cases: readonly Case[] = [
    { guards: guards.map(again), reductions: [], value: again(value) },
    ...(guards.length > 0 ? [zero] : []),
  ];
  const definition: Definition = {
    ...of,
    name: `${of.name}_operand`,
    element: value.type,
    axes: axes.map(({ extent }) => ({ extent: constant(extent) })),
    origin: "helper",
    clauses: [],
  };
  const sides = axes.map(({ variable, extent }): Side => ({ variable, from: 0, to: extent }));
  const made = inBoxes(definition, value.type, { sides, cases }, typeOf);
  const indices = by.map(({ form }, k) => integerScalar(plus(form, -axes[k]!.first)));
  const read: Read = { kind: "read", type: value.type, definition, indices, span: of.span };
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

/** A sum of coordinates that stands in indices and comparisons, and the values that it takes. */
interface Form {
  readonly key: string;
  readonly form: Term;
  readonly variable: Variable;
  readonly interval: Interval;
}

/**
 * The coordinates themselves, or the sums of them in which everything can be said, if those take
 * fewer values.
 */
function fewestCoordinates(
  scalars: readonly Scalar[],
  coordinates: readonly Side[],
): readonly Form[] {
  const known = new Map(
    coordinates.map(({ variable, from, to }) => [variable, { least: from, most: to - 1 }]),
  );
  const formOf = (form: Term): Form => {
    const [first] = form.parts;
    const [atom] = first!.factors as [Extract<Atom, { kind: "variable" }>];
    return { key: keyOf(form), form, variable: atom.variable, interval: intervalOf(form, known) };
  };
  const sums = new Map<string, Form>();
  const collect = (term: Term): void => {
    const linear = linearPart(term, coordinates);
    if (linear.parts.length > 0) {
      const form = formOf(signOf(linear, coordinates) < 0 ? scale(linear, -1) : linear);
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
  const size = (forms: readonly Form[]): number =>
    forms.reduce((total, { interval: { least, most } }) => total * (most - least + 1), 1);
  return size([...sums.values()]) <= size(alone) ? [...sums.values()] : alone;
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
 * The sign of the coordinate that comes first: the result's own come before those that are summed,
 * and neighbours among them stay neighbours.
 */
function signOf({ parts }: Term, coordinates: readonly Side[]): number {
  const placeOf = ({ factors: [atom] }: Part): number =>
    coordinates.findIndex(
      ({ variable }) => atom?.kind === "variable" && atom.variable === variable,
    );
  return Math.sign(parts.reduce((a, b) => (placeOf(b) < placeOf(a) ? b : a)).coefficient);
}

/**
 * A term with its sums of coordinates replaced by what stands for them; coordinates that stand
 * alone, one by one.
 */
function written(
  term: Term,
  coordinates: readonly Side[],
  places: ReadonlyMap<string, Term>,
): Term {
  const again = (inner: Term): Term => written(inner, coordinates, places);
  const linear = linearPart(term, coordinates);
  const terms: Term[] = [constant(term.constant)];
  if (linear.parts.length > 0) {
    const sign = signOf(linear, coordinates);
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
          return floorDiv(again(atom.dividend), again(atom.divisor));
        case "min":
        case "max":
          return extremum(atom.kind, atom.members.map(again));
        default:
          return atom satisfies never;
      }
    });
    terms.push(scale(factors.reduce(multiply), part.coefficient));
  }
  return sum(terms);
}

/** The element types in which panels are multiplied. */
export function isMultiplied(type: ElementType): type is "f32" | "f64" {
  return type === "f32" || type === "f64";
}

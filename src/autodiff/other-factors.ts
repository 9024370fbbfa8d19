// The rule of `prod`: the coefficient of one factor is the product of all others, by what stands before it and what stands behind it. No
// factor is divided by, so the rule is exact with any number of zeros, and its own derivatives are.

import {
  add,
  constant,
  maximum,
  minimum,
  ofVariable,
  plus,
  variable,
  zero,
  type Term as Integer,
} from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import type { FloatType } from "../ir/scalar/types.ts";
import { boxed, flattened, type Flattened, type Reduction } from "./box.ts";
import { everywhere, freshLoops, UnsupportedRule, type Define } from "./cells.ts";
import { algebraOf } from "./products.ts";

/** The product of all factors but one: what stands before it times what stands behind it. */
export function othersOf(
  definition: Definition,
  clause: Clause,
  written: Reduction,
  define: Define,
): readonly Scalar[] {
  const { body, flat } = walkOf(clause, written);
  const type = definition.element;
  const number = (value: number): Scalar => ({ kind: "constant", type, value });
  const axes: readonly Axis[] = [...definition.axes, { name: body.loops[0]!.variable.name, extent: flat.size }];
  const loopOver = (from: Integer, to: Integer, name: string, reversed: boolean): Loop => ({
    variable: variable(name),
    from: integerScalar(from),
    to: integerScalar(to),
    reversed,
  });

  // A plain read needs no definition of its own: the scans read it where it stands.
  const isPlain = body.value.kind === "read" && clause.guards.length === 0 && body.guards.length === 0;
  const factors = isPlain ? undefined : factorsOf(definition, clause, body, define, axes, flat);
  const factorAt = (loops: readonly Loop[], q: Integer): Scalar => {
    const here = loops.map((each) => integerScalar(ofVariable(each.variable)));
    if (factors) {
      const indices = [...here, integerScalar(q)];
      return { kind: "read", type, definition: factors, indices, span: body.span };
    }
    const by = new Map<Loop["variable"], Scalar>(clause.loops.map((loop, k) => [loop.variable, here[k]!]));
    for (const [k, position] of flat.at(q).entries())
      by.set(body.loops[k]!.variable, instantiate(integerScalar(position), by));
    return instantiate(body.value, by);
  };

  // before[q] = before[q - 1]·f[q - 1], and the same from the other end.
  const scan = (name: string, reversed: boolean): Definition => {
    const made = define(name, type, axes, [], body.span);
    const step = reversed ? 1 : -1;
    // A range of its own, because there may be no factor at all.
    const base = reversed
      ? loopOver(maximum(plus(flat.size, -1), zero), flat.size, "at", false)
      : loopOver(zero, minimum(constant(1), flat.size), "at", false);
    const walked = reversed
      ? loopOver(zero, plus(flat.size, -1), "q", true)
      : loopOver(constant(1), flat.size, "q", false);
    const clauseOf = (loop: Loop, value: (loops: readonly Loop[]) => Scalar): Clause => {
      const loops = freshLoops(clause.loops, new Map());
      return { loops: [...loops, loop], guards: [], body: { kind: "map", value: value(loops) }, span: body.span };
    };
    const algebra = algebraOf(type as FloatType, body.span);
    made.clauses = everywhere(definition, axes, [
      clauseOf(base, () => number(1)),
      clauseOf(walked, (loops) => {
        const before = plus(ofVariable(walked.variable), step);
        const indices = [...loops.map((each) => integerScalar(ofVariable(each.variable))), integerScalar(before)];
        const last: Scalar = { kind: "read", type, definition: made, indices, span: body.span };
        return algebra.apply("multiply", last, factorAt(loops, before));
      }),
    ], number(1)); // prettier-ignore
    return made;
  };
  const position = flat.of.reduce((a, b) => add(a, b));
  const here = [...clause.loops.map((loop) => integerScalar(ofVariable(loop.variable))), integerScalar(position)];
  return [scan(`${definition.name}_before`, false), scan(`${definition.name}_behind`, true)].map((made): Scalar => ({
    kind: "read",
    type,
    definition: made,
    indices: here,
    span: body.span,
  }));
}

/** Every factor of a product, 1 where a guard filters it. */
function factorsOf(
  definition: Definition,
  clause: Clause,
  body: Reduction,
  define: Define,
  axes: readonly Axis[],
  flat: Flattened,
): Definition {
  const unit: Scalar = { kind: "constant", type: definition.element, value: 1 };
  const by = new Map<Loop["variable"], Scalar>();
  const outer = freshLoops(clause.loops, by);
  const walk: Loop = {
    variable: variable(body.loops[0]!.variable.name),
    from: integerScalar(zero),
    to: integerScalar(flat.size),
    reversed: false,
  };
  for (const [k, position] of flat.at(ofVariable(walk.variable)).entries())
    by.set(body.loops[k]!.variable, instantiate(integerScalar(position), by));
  const own: Clause = {
    loops: [...outer, walk],
    guards: [...clause.guards, ...body.guards].map((guard) => instantiate(guard, by)),
    body: { kind: "map", value: instantiate(body.value, by) },
    otherwise: unit,
    span: body.span,
  };
  return define(
    `${definition.name}_factor`,
    definition.element,
    axes,
    everywhere(definition, axes, [own], unit),
    body.span,
  );
}

/** The reduction along one coordinate whose range is the same for every cell. */
function walkOf(clause: Clause, written: Reduction): { readonly body: Reduction; readonly flat: Flattened } {
  const own = new Set(clause.loops.map((loop) => loop.variable));
  const isFixed = (flat: Flattened | undefined): flat is Flattened =>
    flat !== undefined && ![flat.size, ...flat.of].some((term) => [...variablesOf(term)].some((v) => own.has(v)));
  const plain = flattened(written.loops);
  if (isFixed(plain)) return { body: written, flat: plain };
  const body = boxed(clause.loops, written);
  const flat = body && flattened(body.loops);
  if (!body || !isFixed(flat)) throw new UnsupportedRule("a product over positions that nothing bounds", written.span);
  return { body, flat };
}

// The rule of `prod`: the coefficient of one factor is the product of all others, by what stands before it and what stands behind it.
//
//   before[q] = prod[k in 0..q](f(k))      behind[q] = prod[k in q + 1..n](f(k))      dy = Σ before[q]·behind[q]·df(q)
//
// No factor is divided by, so that the rule is exact with any number of zeros, whatever over- or underflows elsewhere, and so are its own
// derivatives. Both are running products. The whole is the last of `before`, which is computed once for the value and its derivatives, and the
// gradient that comes in is one more factor behind the last: five times the work of the product alone.

import { add, ofVariable, plus, renewed, variable, zero, type Term as Integer } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { readsOf, type Axis, type Clause, type Definition, type Loop, type Scalar } from "../ir/program.ts";
import { reachable } from "../ir/schedule.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { isFloat, type FloatType } from "../ir/scalar/types.ts";
import { boxed, flattened, type Flattened, type Reduction } from "./box.ts";
import { asType, everywhere, freshLoops, UnsupportedRule, type Define } from "./cells.ts";
import { algebraOf } from "./products.ts";
import { runningOf } from "./running.ts";

/** The factors of a product in a row, and the products of those that stand before each, the last of which is the whole. */
interface Row {
  readonly clause: Clause;
  readonly body: Reduction;
  readonly flat: Flattened;
  readonly factorAt: (loops: readonly Loop[], q: Integer) => Scalar;
  readonly before: Definition;
}

/** Rows of clauses that read the whole product from them. */
const rows = new WeakMap<Clause, Row>();

/** Products that are differentiated are read from the products of their beginnings: the clauses are rewritten in place. */
export function shareProducts(definition: Definition, define: Define): void {
  if (!isFloat(definition.element) || runningOf(definition)) return;
  definition.clauses = definition.clauses.map((clause) => {
    const { body, loops } = clause;
    if (body.kind !== "reduce" || body.reduction !== "prod" || !isFixed(clause, flattened(body.loops))) return clause;
    // A part of a recurrence would have to join it.
    if (reachable([...readsOf(definition)]).includes(definition)) return clause;
    const row = rowOf(definition, clause, body, define);
    const indices = [...loops.map((loop) => integerScalar(ofVariable(loop.variable))), integerScalar(row.flat.size)];
    const { element } = row.before;
    const whole: Scalar = { kind: "read", type: element, definition: row.before, indices, span: body.span };
    const shared: Clause = { ...clause, body: { kind: "map", value: asType(whole, definition.element) } };
    rows.set(shared, row);
    return shared;
  });
}

/** The clause as it was written, where its product is read from a row. */
export function unshared(clause: Clause): Clause {
  return rows.get(clause)?.clause ?? clause;
}

export interface Others {
  /** The product of all factors but one. */
  readonly others: readonly Scalar[];
  /** The same, times the gradient that comes in. */
  readonly times: (incoming: Scalar, name: string) => readonly Scalar[];
}

export function othersOf(definition: Definition, clause: Clause, written: Reduction, define: Define): Others {
  const row = rows.get(clause) ?? rowOf(definition, clause, written, define);
  const { body, flat, before } = row;
  const position = flat.of.reduce((a, b) => add(a, b));
  const here = [...clause.loops.map((loop) => integerScalar(ofVariable(loop.variable))), integerScalar(position)];
  const at = (made: Definition): Scalar =>
    asType({ kind: "read", type: made.element, definition: made, indices: here, span: body.span }, definition.element);
  return {
    others: [at(before), at(behindOf(definition, row, define))],
    times: (incoming, name) => [at(behindOf(definition, row, define, { incoming, name })), at(before)],
  };
}

function rowOf(definition: Definition, clause: Clause, written: Reduction, define: Define): Row {
  const { body, flat } = walkOf(clause, written);
  const axes: readonly Axis[] = [...definition.axes, { name: body.loops[0]!.variable.name, extent: flat.size }];
  // A plain read needs no definition of its own: the products read it where it stands.
  const isPlain = body.value.kind === "read" && clause.guards.length === 0 && body.guards.length === 0;
  const factors = isPlain ? undefined : factorsOf(definition, clause, body, define, axes, flat);
  const factorAt = (loops: readonly Loop[], q: Integer): Scalar => {
    const here = loops.map((each) => integerScalar(ofVariable(each.variable)));
    const type = typeOf(definition);
    if (factors) {
      const indices = [...here, integerScalar(q)];
      return asType({ kind: "read", type: factors.element, definition: factors, indices, span: body.span }, type);
    }
    const by = new Map<Loop["variable"], Scalar>(clause.loops.map((loop, k) => [loop.variable, here[k]!]));
    for (const [k, place] of flat.at(q).entries())
      by.set(body.loops[k]!.variable, instantiate(integerScalar(place), by));
    return asType(instantiate(body.value, by), type);
  };
  const before = runningProduct(definition, { clause, body, flat, factorAt }, define, {
    name: `${definition.name}_before`,
    cells: plus(flat.size, 1),
    range: (q) => [zero, q],
    factor: factorAt,
  });
  return { clause, body, flat, factorAt, before };
}

/** Half floats are multiplied in f32, as their products are. */
function typeOf({ element }: Definition): FloatType {
  return element === "f16" || element === "bf16" ? "f32" : (element as FloatType);
}

/** What stands behind each factor; the gradient that comes in stands behind the last. */
function behindOf(
  definition: Definition,
  row: Omit<Row, "before">,
  define: Define,
  last?: { readonly incoming: Scalar; readonly name: string },
): Definition {
  const { clause, body, flat, factorAt } = row;
  const { size } = flat;
  const type = typeOf(definition);
  return runningProduct(definition, row, define, {
    name: `${last?.name ?? definition.name}_behind`,
    cells: size,
    range: (q) => [plus(q, 1), last ? plus(size, 1) : size],
    factor: (loops, k) => {
      if (!last) return factorAt(loops, k);
      const by = new Map(
        clause.loops.map((loop, n) => [loop.variable, integerScalar(ofVariable(loops[n]!.variable))] as const),
      );
      const operands = [integerScalar(k), integerScalar(size)];
      const isFactor: Scalar = {
        kind: "apply",
        type: "bool",
        within: "i32",
        operation: "less",
        operands,
        span: body.span,
      };
      const incoming = asType(instantiate(last.incoming, by), type);
      return { kind: "select", type, condition: isFactor, then: factorAt(loops, k), otherwise: incoming };
    },
  });
}

interface Products {
  readonly name: string;
  readonly cells: Integer;
  readonly range: (q: Integer) => readonly [Integer, Integer];
  readonly factor: (loops: readonly Loop[], k: Integer) => Scalar;
}

/** A product for each cell of the definition and each position in a row. */
function runningProduct(
  definition: Definition,
  { clause, body }: Omit<Row, "before">,
  define: Define,
  { name, cells, range, factor }: Products,
): Definition {
  const type = typeOf(definition);
  const { span } = body;
  const [along] = body.loops;
  const axes: readonly Axis[] = [...definition.axes, { name: along!.variable.name, extent: cells }];
  const loopOver = (v: Loop["variable"], from: Integer, to: Integer): Loop => {
    return { variable: v, from: integerScalar(from), to: integerScalar(to), reversed: false };
  };
  const loops = freshLoops(clause.loops, new Map());
  const q = loopOver(variable("q"), zero, cells);
  const k = loopOver(renewed(along!.variable), ...range(ofVariable(q.variable)));
  const value = factor(loops, ofVariable(k.variable));
  const own: Clause = {
    loops: [...loops, q],
    guards: [],
    body: { kind: "reduce", reduction: "prod", loops: [k], guards: [], value, span },
    span,
  };
  const unit = algebraOf(type, span).number(1);
  return define(name, type, axes, everywhere(definition, axes, [own], unit), span);
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
  const plain = flattened(written.loops);
  if (isFixed(clause, plain)) return { body: written, flat: plain };
  const body = boxed(clause.loops, written);
  const flat = body && flattened(body.loops);
  if (!body || !isFixed(clause, flat))
    throw new UnsupportedRule("a product over positions that nothing bounds", written.span);
  return { body, flat };
}

function isFixed({ loops }: Clause, flat: Flattened | undefined): flat is Flattened {
  const own = new Set(loops.map((loop) => loop.variable));
  return flat !== undefined && ![flat.size, ...flat.of].some((term) => [...variablesOf(term)].some((v) => own.has(v)));
}

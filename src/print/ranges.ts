// Which coordinates of a printed clause need a written range: those for which inference finds
// another range, or none.
//
//   let y[i] = x[i];            inferred: the extent of `x`
//   let y[i in 0..3] = x[i];    written, if `x` is longer than that
//
// The checker's own inference is run, with the reads of the clause as the uses of its coordinates.
// Every coordinate starts out open. A coordinate whose inferred range is wrong is closed, and the
// others are inferred again, because a written range changes what joint uses say about the others.
// Reads of the clause's own recurrence never decide a range here: how much of their extent is known
// when the clause is checked depends on the clauses before it.

import { newChecker, placeIn, type Use } from "../check/context.ts";
import { elaborators } from "../check/elaborator-table.ts";
import { newBinder } from "../check/ranges/coordinates.ts";
import { inferRanges, rangeOfBinder } from "../check/ranges/ranges.ts";
import { scopeInside } from "../check/names/scope.ts";
import type { Binder, Typed } from "../check/types/typed.ts";
import { scalar as scalarType } from "../check/types/types.ts";
import {
  constantOf,
  add,
  attempt,
  constant,
  keyOf,
  maximum,
  minimum,
  multiply,
  negate,
  ofVariable,
  subtract,
  variable,
  zero,
  type Term,
  type Variable,
} from "../affine/term.ts";
import { asVariable } from "../affine/agreeing.ts";
import { eachAtom, substitute, variablesOf } from "../affine/visit.ts";
import type { Naming } from "./names.ts";
import type { Clause, Definition, Local, Loop, Scalar } from "../ir/program.ts";
import { isInteger } from "../scalar/types.ts";

/** One index of a read, as the checker sees it. */
interface IndexUse {
  readonly term: Term;
  readonly definition: Definition;
  readonly axis: number;
  readonly guarded: ReadonlySet<Variable>;
}

/**
 * What is known about extents: they are not negative, and those with one representative are equal.
 */
type Sizes = Pick<Naming, "extents" | "representative" | "data">;

/** The coordinates of a clause whose range inference finds. `group` is the clause's recurrence. */
export function inferable(
  clause: Clause,
  group: ReadonlySet<Definition>,
  sizes: Sizes,
): ReadonlySet<Variable> {
  const loops = [...clause.loops, ...(clause.body.kind === "reduce" ? clause.body.loops : [])];
  // Data that a run makes has no cells in the source: its positions are arguments of a function.
  const uses = usesOf(clause).filter(
    ({ definition }) => !sizes.data || definition.element !== "data",
  );
  const open = new Set(
    loops
      .filter(
        (loop) => !loop.reversed && loop.from.kind === "integer" && loop.to.kind === "integer",
      )
      .map((loop) => loop.variable),
  );
  // A sum that does not begin at 0 always writes its range, even if a shifted index implies it. The
  // reader need not work it out.
  if (clause.body.kind === "reduce") {
    for (const loop of clause.body.loops)
      if (loop.from.kind === "integer" && constantOf(loop.from.term) !== 0)
        open.delete(loop.variable);
  }
  for (const v of undecidable(uses, group, open, sizes)) open.delete(v);
  // Inference does not look into a quotient in a bound, so the range of each coordinate in it is
  // written.
  for (const bound of loops.flatMap((loop) => [loop.from, loop.to]))
    if (bound.kind === "integer" && divides(bound.term))
      for (const v of variablesOf(bound.term)) open.delete(v);
  const outside = uses.filter((use) => !group.has(use.definition));
  for (;;) {
    const wrong = [...wronglyInferred(clause, loops, outside, open, sizes)];
    if (wrong.length === 0) return open;
    for (const v of wrong) open.delete(v);
  }
}

/**
 * Coordinates whose range inference cannot decide: bare uses disagree about it, or the coordinate
 * indexes its own recurrence otherwise than along a whole axis.
 */
function* undecidable(
  uses: readonly IndexUse[],
  group: ReadonlySet<Definition>,
  open: ReadonlySet<Variable>,
  sizes: Sizes,
): Generator<Variable> {
  const extents = new Map<Variable, string>();
  for (const use of uses) {
    const bare = asVariable(use.term);
    const inside = group.has(use.definition);
    if (inside && (!bare || !growsAtOnce(use.definition, use.axis))) {
      for (const v of variablesOf(use.term)) if (open.has(v)) yield v;
    }
    if (!bare)
      for (const v of variablesOf(use.term))
        if (open.has(v) && hidesExtent(use.term, v) && !isBareIn(uses, v)) yield v;
    if (!bare || !open.has(bare)) continue;
    const extent = keyOf(representedExtent(use, sizes));
    if ((extents.get(bare) ?? extent) !== extent) yield bare;
    extents.set(bare, extent);
  }
}

function representedExtent({ definition, axis }: IndexUse, sizes: Sizes): Term {
  return represented(definition.axes[axis]!.extent, sizes);
}

/** A size in terms of representatives. */
function represented(term: Term, { representative }: Sizes): Term {
  return substitute(
    term,
    new Map([...variablesOf(term)].map((v) => [v, ofVariable(representative(v))])),
  );
}

/**
 * Whether a term mentions an extent that has the name of a coordinate: `extent(n)` would then mean
 * the coordinate's own extent.
 */
function hidesExtent(term: Term, v: Variable): boolean {
  return [...variablesOf(term)].some((other) => other !== v && other.name === v.name);
}

function isBareIn(uses: readonly IndexUse[], v: Variable): boolean {
  return uses.some((use) => asVariable(use.term) === v);
}

/** Whether the first clause gives an axis its whole extent. */
function growsAtOnce(definition: Definition, axis: number): boolean {
  const to = definition.clauses[0]?.loops[axis]?.to;
  return to?.kind === "integer" && keyOf(to.term) === keyOf(definition.axes[axis]!.extent);
}

function* wronglyInferred(
  clause: Clause,
  loops: readonly Loop[],
  uses: readonly IndexUse[],
  open: ReadonlySet<Variable>,
  sizes: Sizes,
): Generator<Variable> {
  const checker = newChecker(elaborators);
  for (const v of sizes.extents) checker.extents.add(v);
  const place = placeIn(checker, scopeInside());
  const { frame } = place;
  const typed = (term: Term): Typed => ({
    kind: "integer",
    term,
    type: scalarType("i32"),
    span: clause.span,
  });
  const binders = new Map<Variable, Binder>();
  const renamed = new Map<Variable, Term>();
  const inside = (term: Term): Term => substitute(represented(term, sizes), renamed);
  for (const loop of loops) {
    const binder = newBinder(loop.variable.name, clause.span, !open.has(loop.variable));
    binders.set(loop.variable, binder);
    (clause.loops.includes(loop) ? frame.left : frame.reduced).push(binder);
    if (binder.explicit && loop.from.kind === "integer" && loop.to.kind === "integer") {
      binder.from = typed(inside(loop.from.term));
      binder.to = typed(inside(loop.to.term));
    }
    renamed.set(loop.variable, ofVariable(binder.variable));
  }
  for (const use of uses) {
    const term = inside(use.term);
    for (const v of variablesOf(term)) if (standIns.has(v)) checker.opaqueValue.set(v, typed(zero));
    const extent = representedExtent(use, sizes);
    const guarded = new Set([...use.guarded].map((v) => binders.get(v)?.variable ?? v));
    const checkerUse: Use = {
      index: typed(term),
      term,
      axis: () => ({ extent }),
      tensor: use.definition.name,
      span: clause.span,
      guarded,
      growing: false,
    };
    frame.uses.push(checkerUse);
  }
  inferRanges(place, frame, "y");
  for (const loop of loops) {
    if (!open.has(loop.variable) || loop.from.kind !== "integer" || loop.to.kind !== "integer")
      continue;
    const found = rangeOfBinder(checker, binders.get(loop.variable)!);
    const same = (a: Term, b: Term): boolean => keyOf(a) === keyOf(inside(b));
    if (!found || !same(found.from, loop.from.term) || !same(found.to, loop.to.term))
      yield loop.variable;
  }
}

// ── uses ────────────────────────────────────────────────────────────────────────────────────────

function usesOf(clause: Clause): readonly IndexUse[] {
  const uses: IndexUse[] = [];
  const none: ReadonlySet<Variable> = new Set();
  const met = new Set<Local>();
  /** In the order of the checker, which visits bindings before it visits their uses. */
  let [bound, own]: [IndexUse[], IndexUse[]] = [[], []];
  const flush = (): void => {
    uses.push(...bound, ...own);
    [bound, own] = [[], []];
  };
  /**
   * Bindings that a guard uses come before all guards. The others come behind the guards of their
   * bracket.
   */
  let behind = none;
  const visit = (scalar: Scalar, guarded: ReadonlySet<Variable>): void => {
    switch (scalar.kind) {
      case "constant":
      case "integer":
        return;
      case "read":
        for (const [axis, index] of scalar.indices.entries()) {
          visit(index, guarded);
          own.push({ term: termAsChecked(index), definition: scalar.definition, axis, guarded });
        }
        return;
      case "apply": {
        const [left, right] = scalar.operands;
        if (scalar.operation === "and") {
          visit(left!, guarded);
          visit(right!, withComparedIn(left!, guarded));
        } else for (const operand of scalar.operands) visit(operand, guarded);
        return;
      }
      case "cast":
        visit(scalar.operand, guarded);
        return;
      case "select": {
        visit(scalar.condition, guarded);
        const inside = withComparedIn(scalar.condition, guarded);
        visit(scalar.then, inside);
        visit(scalar.otherwise, inside);
        return;
      }
      case "local": {
        if (met.has(scalar.local)) return;
        met.add(scalar.local);
        const around = own;
        own = [];
        visit(scalar.local.value, behind);
        bound.push(...own);
        own = around;
        return;
      }
      case "call":
        for (const argument of scalar.invocation.arguments) visit(argument, guarded);
        return;
      case "text":
      case "data":
        for (const operand of scalar.operands) visit(operand, guarded);
        return;
      case "parameter":
        return;
      default:
        scalar satisfies never;
    }
  };
  const enter = (
    loops: readonly Loop[],
    guards: readonly Scalar[],
    guarded: ReadonlySet<Variable>,
  ): ReadonlySet<Variable> => {
    for (const loop of loops) for (const bound of [loop.from, loop.to]) visit(bound, guarded);
    let inside = guarded;
    for (const guard of guards) {
      visit(guard, inside);
      inside = withComparedIn(guard, inside);
    }
    flush();
    return inside;
  };
  const cell = enter(clause.loops, clause.guards, none);
  const { body } = clause;
  const inside = body.kind === "map" ? cell : enter(body.loops, body.guards, cell);
  behind = inside;
  visit(body.value, inside);
  flush();
  // The bindings of an `else` value are written out where they are used.
  behind = cell;
  if (clause.otherwise) visit(clause.otherwise, cell);
  flush();
  return uses;
}

/**
 * Adds the coordinates that an integer condition mentions: under the condition, affine uses of them
 * do not restrict their range.
 */
function withComparedIn(condition: Scalar, guarded: ReadonlySet<Variable>): ReadonlySet<Variable> {
  const mentioned = new Set(guarded);
  const collect = (part: Scalar): void => {
    if (part.kind !== "apply") return;
    if (part.operation === "and" || part.operation === "or" || part.operation === "not")
      part.operands.forEach(collect);
    else if (part.type === "bool" && part.operands.every((operand) => isInteger(operand.type))) {
      for (const operand of part.operands) for (const v of comparedIn(operand)) mentioned.add(v);
    }
  };
  collect(condition);
  return mentioned;
}

/** The coordinates that a compared integer mentions, but not those inside a lookup. */
function comparedIn(operand: Scalar): readonly Variable[] {
  switch (operand.kind) {
    case "integer":
      return [...variablesOf(operand.term)];
    case "local":
      return comparedIn(operand.local.value);
    case "apply":
      return operand.operands.flatMap(comparedIn);
    default:
      return [];
  }
}

/**
 * An index as the checker reads its text. Divisions by coordinates, lookups and the like become
 * opaque variables.
 */
function termAsChecked(scalar: Scalar): Term {
  return attempt(() => termAsCheckedOrThrow(scalar)) ?? newOpaqueTerm();
}

/** Opaque variables: the checker does not look into them, and they decide no range. */
const standIns = new WeakSet<Variable>();

function newOpaqueTerm(): Term {
  const opaqueVariable = variable("opaque");
  standIns.add(opaqueVariable);
  return ofVariable(opaqueVariable);
}

function divides(term: Term): boolean {
  let found = false;
  eachAtom(term, (atom) => (found ||= atom.kind === "floor"));
  return found;
}

function termAsCheckedOrThrow(scalar: Scalar): Term {
  switch (scalar.kind) {
    case "integer":
      return divides(scalar.term) ? newOpaqueTerm() : scalar.term;
    case "constant":
      return typeof scalar.value === "number" && Number.isSafeInteger(scalar.value)
        ? constant(scalar.value)
        : newOpaqueTerm();
    case "local":
      return termAsCheckedOrThrow(scalar.local.value);
    case "apply": {
      if (!isInteger(scalar.type)) return newOpaqueTerm();
      const [a = zero, b = zero] = scalar.operands.map(termAsCheckedOrThrow);
      switch (scalar.operation) {
        case "add":
          return add(a, b);
        case "subtract":
          return subtract(a, b);
        case "multiply":
          return multiply(a, b);
        case "negate":
          return negate(a);
        case "max":
          return maximum(a, b);
        case "min":
          return minimum(a, b);
        default:
          return newOpaqueTerm();
      }
    }
    default:
      return newOpaqueTerm();
  }
}

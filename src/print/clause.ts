// One clause as an indexed `let`, or as a plain one if its definition is a scalar.
//
// The source can say less than the IR: a range on the left may not depend on another coordinate on
// the left, and every cell from 0 on needs a clause. Such a range becomes the whole axis with
// guards; the cells that the guards leave out are never read.
//
//   j in 0..i + 1   on the left becomes   j in 0..extent(n) … where j < i + 1

import type { Text } from "./constant.ts";
import { claim, isKeyword, type Naming } from "./names.ts";
import { inferable } from "./ranges.ts";
import { lateLocals, withBranches } from "./branches.ts";
import { packsOf } from "./packs.ts";
import { scalarText, termText, parenthesised, type Names, type Pack } from "./scalar.ts";
import { loopFacts, newOpaque } from "../analyse/facts.ts";
import { nonNegative, type Fact } from "../affine/prove.ts";
import { constantOf, keyOf, ofVariable, zero, type Term, type Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { eachScalar, scalarsOf, isAnywhere, allLoops } from "../ir/parts.ts";
import type { Clause, Definition, Local, Loop, Scalar } from "../ir/program.ts";
import { strengths } from "../syntax/tree/strength.ts";
import { zeroOf } from "../scalar/types.ts";
import { integerScalar, coordinateScalar } from "../ir/substitute.ts";
import { compared } from "../ir/integers.ts";

export function clauseText(naming: Naming, definition: Definition, written: Clause): string {
  const clause = widened(definition, written);
  const found = inferable(clause, naming.groups.get(definition) ?? new Set(), naming);
  const locals = localsOf(definition, clause);
  const names = namesInClause(naming, definition, clause, found, locals);
  const name = naming.definitions.get(definition)!;
  if (definition.axes.length === 0)
    return `let ${name} = ${scalarClause(names, definition, clause, found, locals)};`;
  const slots = clause.loops.flatMap((loop, axis) =>
    isFixed(definition, clause, axis)
      ? [termText(names, lower(loop)!).text]
      : slotText(names, loop, found),
  );
  return (
    `let ${name}[${slots.join(", ")}] = ` +
    `${bodyText(names, clause, found, locals).text}${whereText(names, clause, locals)};`
  );
}

/** The names in the text of a clause. */
export function clauseNames(naming: Naming, definition: Definition, written: Clause): Names {
  const clause = widened(definition, written);
  const found = inferable(clause, naming.groups.get(definition) ?? new Set(), naming);
  return namesInClause(naming, definition, clause, found, localsOf(definition, clause));
}

// ── what the source can say ─────────────────────────────────────────────────────────────────────

function lower(loop: Loop): Term | undefined {
  return loop.from.kind === "integer" ? loop.from.term : undefined;
}

function upper(loop: Loop): Term | undefined {
  return loop.to.kind === "integer" ? loop.to.term : undefined;
}

function widened(definition: Definition, clause: Clause): Clause {
  const guards: Scalar[] = [];
  const loops = clause.loops.map((loop, axis): Loop => {
    const lifted =
      (definition.origin === "helper" || axis < definition.outer) &&
      !isFixed(definition, clause, axis);
    if (!lifted && !dependsOnCoordinates(clause, loop)) return loop;
    const { extent } = definition.axes[axis]!;
    const at = coordinateScalar(loop);
    const guard = (operation: "greaterEqual" | "less", bound: Scalar): void => {
      guards.push(compared(operation, at, bound, clause.span));
    };
    if (keyOrNone(lower(loop)) !== keyOf(zero)) guard("greaterEqual", loop.from);
    if (keyOrNone(upper(loop)) !== keyOf(extent)) guard("less", loop.to);
    return { ...loop, from: integerScalar(zero), to: integerScalar(extent) };
  });
  return { ...clause, loops, guards: [...guards, ...clause.guards] };
}

function keyOrNone(term: Term | undefined): string | undefined {
  return term && keyOf(term);
}

function dependsOnCoordinates(clause: Clause, loop: Loop): boolean {
  const own = new Set(clause.loops.map((other) => other.variable));
  return [loop.from, loop.to].some((bound) => mentionsVariable(bound, (v) => own.has(v)));
}

function mentionsVariable(scalar: Scalar, wanted: (v: Variable) => boolean): boolean {
  return isAnywhere(
    scalar,
    (part) => part.kind === "integer" && [...variablesOf(part.term)].some(wanted),
  );
}

/**
 * Whether a slot is written as an integer: the axis has one position, and nothing mentions its
 * coordinate, which is not the name of the axis either.
 */
function isFixed(definition: Definition, clause: Clause, axis: number): boolean {
  const loop = clause.loops[axis]!;
  const [from, to] = [lower(loop), upper(loop)].map((term) => term && constantOf(term));
  if (
    from === undefined ||
    to !== from + 1 ||
    loop.reversed ||
    definition.axes[axis]!.name === loop.variable.name
  )
    return false;
  return !scalarsOf(clause).some((scalar) => mentionsVariable(scalar, (v) => v === loop.variable));
}

// ── names inside a clause ───────────────────────────────────────────────────────────────────────

/** The locals of a clause, those of its reduction, and those that branches bind. */
interface Locals {
  readonly outer: readonly Local[];
  readonly inner: readonly Local[];
  readonly late: ReadonlySet<Local>;
}

/**
 * Locals in an order in which each comes after those that it uses. A plain `let`, an `else`, and a
 * range of a reduction that depends on another of its coordinates cannot bind locals, so the locals
 * are written out there.
 */
function localsOf(definition: Definition, clause: Clause): Locals {
  const { body } = clause;
  const outer = new Set<Local>();
  const inner = new Set<Local>();
  const gather = (scalars: readonly Scalar[], into: Set<Local>): void => {
    for (const scalar of scalars) {
      eachScalar(scalar, (part) => {
        if (part.kind !== "local" || outer.has(part.local) || into.has(part.local)) return;
        gather([part.local.value], into);
        into.add(part.local);
      });
    }
  };
  if (definition.axes.length > 0)
    gather([...clause.guards, ...(body.kind === "map" ? [body.value] : boundsAround(body))], outer);
  if (body.kind === "reduce") gather([...body.guards, body.value], inner);
  const loops = allLoops(clause);
  const late = lateLocals(scalarsOf(clause), new Set(loops.map((loop) => loop.variable)));
  return {
    outer: [...outer].filter((each) => !late.has(each)),
    inner: [...inner].filter((each) => !late.has(each)),
    late,
  };
}

/** The bounds of a reduction that do not depend on its coordinates. */
function boundsAround({ loops }: Extract<Clause["body"], { kind: "reduce" }>): readonly Scalar[] {
  const own = new Set(loops.map((loop) => loop.variable));
  return loops
    .flatMap((loop) => [loop.from, loop.to])
    .filter((bound) => !mentionsVariable(bound, (v) => own.has(v)));
}

interface ClauseNames extends Names {
  pack(v: Variable): Pack | undefined;
  /**
   * The facts that hold where the range of a loop is written. That the range is not empty is only
   * known inside the loop.
   */
  factsBefore(loop: Loop): readonly Fact[];
}

function namesInClause(
  naming: Naming,
  definition: Definition,
  clause: Clause,
  found: ReadonlySet<Variable>,
  locals: Locals,
): ClauseNames {
  const loops = allLoops(clause);
  const taken = namesBeside(naming, definition, clause, loops, found);
  const coordinates = new Map(
    loops.map((loop) => [
      loop.variable,
      claim(taken, isKeyword(loop.variable.name) ? `${loop.variable.name}_` : loop.variable.name),
    ]),
  );
  const all = [...locals.outer, ...locals.inner, ...locals.late];
  const bound = new Map(all.map((local) => [local, claim(taken, local.name)]));
  const packs = packsOf(clause, found);
  const known: Fact[] = [...naming.extents].map((v) => nonNegative(ofVariable(v)));
  const names: ClauseNames = {
    definition: (other) => naming.definitions.get(other) ?? other.name,
    variable: (v) => coordinates.get(v) ?? naming.outside.get(v)?.text ?? v.name,
    local: (local) => bound.get(local),
    data: naming.data,
    function: (other) => naming.functions.get(other) ?? other.name,
    pack: (v) => packs.get(v),
    untold: (other) => naming.untold.has(other),
    facts: [...known, ...loopFacts(newOpaque(), loops, known)],
    factsBefore: (loop) => [
      ...known,
      ...loopFacts(newOpaque(), loops.slice(0, loops.indexOf(loop)), known),
    ],
  };
  return withBranches(names, locals.late);
}

/** Names in the text of a clause that are not names of its coordinates. */
function namesBeside(
  naming: Naming,
  definition: Definition,
  clause: Clause,
  loops: readonly Loop[],
  found: ReadonlySet<Variable>,
): Set<string> {
  const taken = new Set<string>([naming.definitions.get(definition)!]);
  const silent = new Set(
    loops.filter((loop) => found.has(loop.variable)).flatMap((loop) => [loop.from, loop.to]),
  );
  const isOnlyOne = ({ variable: { name } }: Loop): boolean =>
    clause.loops.filter((other) => other.variable.name === name).length === 1;
  const own = new Map(
    clause.loops
      .filter(isOnlyOne)
      .flatMap((loop) => [loop.from, loop.to].map((bound) => [bound, loop.variable.name])),
  );
  // A coordinate that walks a whole dimension may have the dimension's name: its extent is the
  // same, so `extent(n)` means the same.
  const isWalked = (name: string, v: Variable): boolean =>
    naming.outside.get(v)?.text === `extent(${name})` &&
    loops.some((loop) => loop.variable.name === name && !loop.fixed && walksAll(loop, v));
  const bounds = new Set(loops.flatMap((loop) => [loop.from, loop.to]));
  for (const scalar of scalarsOf(clause)) {
    if (silent.has(scalar)) continue;
    // In `let y[n in 0..extent(n)]`, `n` is not yet in scope in its own range. In the range of
    // another coordinate it is.
    const take = (name: string): void => void (own.get(scalar) === name || taken.add(name));
    eachScalar(scalar, (part) => {
      if (part.kind === "read")
        take(naming.definitions.get(part.definition) ?? part.definition.name);
      if (part.kind === "call")
        take(naming.functions.get(part.invocation.function) ?? part.invocation.function.name);
      if (part.kind !== "integer") return;
      for (const v of variablesOf(part.term)) {
        const outside = naming.outside.get(v);
        if (outside && (bounds.has(scalar) || !isWalked(outside.name, v))) take(outside.name);
      }
    });
  }
  return taken;
}

function walksAll(loop: Loop, dimension: Variable): boolean {
  const [from, to] = [lower(loop), upper(loop)];
  return (
    from !== undefined &&
    to !== undefined &&
    constantOf(from) === 0 &&
    keyOf(to) === keyOf(ofVariable(dimension))
  );
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

/** Empty for a coordinate whose pack is written at an earlier coordinate. */
function slotText(names: ClauseNames, loop: Loop, found: ReadonlySet<Variable>): readonly string[] {
  const pack = names.pack(loop.variable);
  if (pack) return pack.variables[0] === loop.variable ? [pack.text] : [];
  const name = names.variable(loop.variable);
  if (found.has(loop.variable)) return [name];
  const before: Names = { ...names, facts: names.factsBefore(loop) };
  const [from, to] = [loop.from, loop.to].map((bound) =>
    parenthesised(scalarText(before, bound, "alone"), strengths.range + 1),
  );
  return [`${name} in ${loop.reversed ? `rev(${from}..${to})` : `${from}..${to}`}`];
}

function bodyText(
  names: ClauseNames,
  clause: Clause,
  found: ReadonlySet<Variable>,
  locals: Locals,
): Text {
  const { body } = clause;
  if (body.kind === "map") return scalarText(names, body.value, "alone");
  const local: Names["local"] = (each) =>
    locals.inner.includes(each) ? undefined : names.local(each);
  const bracket = (loops: readonly Loop[], inferred = found): string =>
    loops.flatMap((loop) => slotText({ ...names, local }, loop, inferred)).join(", ");
  const items = itemTexts(names, locals.inner, body.guards);
  const where = items.length > 0 ? ` where ${items.join(", ")}` : "";
  const value = `${scalarText(names, body.value, "alone").text}${where}`;
  const { reduction, loops } = body;
  const [first, ...others] = loops;
  if (others.length === 0 || (reduction !== "argmax" && reduction !== "argmin"))
    return { text: `${reduction}[${bracket(loops)}](${value})`, strength: strengths.atom };
  // The position is along the first of several coordinates: the first position for which some
  // position of the others gives the best value.
  const best = `${reduction === "argmax" ? "max" : "min"}[${bracket(others)}](${value})`;
  const some = `any[${bracket(others, new Set())}](true${where})`;
  return {
    text: `${reduction}[${bracket([first!], new Set())}](${best} where ${some})`,
    strength: strengths.atom,
  };
}

/**
 * Bindings that guards use, then the guards, then all other bindings, so that values that a guard
 * filters out are not computed.
 */
function itemTexts(
  names: Names,
  locals: readonly Local[],
  guards: readonly Scalar[],
): readonly string[] {
  const early = new Set<Local>();
  for (const guard of guards)
    eachScalar(guard, (part) => void (part.kind === "local" && early.add(part.local)));
  return [
    ...locals.filter((local) => early.has(local)).map((local) => bindingText(names, local)),
    ...guards.map((guard) => guardText(names, guard)),
    ...locals.filter((local) => !early.has(local)).map((local) => bindingText(names, local)),
  ];
}

function bindingText(names: Names, local: Local): string {
  return `${names.local(local)!} = ${scalarText(names, local.value, "alone").text}`;
}

function guardText(names: Names, guard: Scalar): string {
  return scalarText(names, guard, "alone").text;
}

function whereText(names: Names, clause: Clause, locals: Locals): string {
  const items = itemTexts(names, locals.outer, clause.guards);
  if (items.length === 0) return "";
  const otherwise =
    clause.otherwise && clause.guards.length > 0
      ? ` else ${otherwiseText(names, clause.otherwise)}`
      : "";
  return ` where ${items.join(", ")}${otherwise}`;
}

/** The bindings of a `where` are not in scope in its `else`. */
function otherwiseText(names: Names, otherwise: Scalar): string {
  return scalarText({ ...names, local: () => undefined }, otherwise, "alone").text;
}

/** A plain `let` cannot have guards: they become an `if`. */
function scalarClause(
  names: ClauseNames,
  definition: Definition,
  clause: Clause,
  found: ReadonlySet<Variable>,
  locals: Locals,
): string {
  const body = bodyText(names, clause, found, locals);
  if (clause.guards.length === 0) return body.text;
  const condition = clause.guards
    .map((guard) => parenthesised(scalarText(names, guard, "alone"), strengths.and + 1))
    .join(" && ");
  const nothing: Scalar = {
    kind: "constant",
    type: definition.element,
    value: zeroOf(definition.element),
  };
  return (
    `if ${condition} { ${body.text} } else ` +
    `{ ${otherwiseText(names, clause.otherwise ?? nothing)} }`
  );
}

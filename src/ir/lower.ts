// Lowering: from typed trees to definitions. Tensor-valued expressions are given indices; every reduction that is not the
// whole body of a clause gets a definition of its own, over the enclosing coordinates that it mentions.

import type { Checker } from "../check/context.ts";
import { termOf } from "../check/integers.ts";
import { rangeOf } from "../check/ranges.ts";
import type { Binder, Clause as TypedClause, Item, TensorBinding, Typed, ValueBinding } from "../check/typed.ts";
import { extentFacts } from "../check/agree.ts";
import { decided, scalar as scalarType, type TensorType, type Type } from "../check/types.ts";
import type { Span } from "../syntax/source.ts";
import {
  add,
  constant,
  constantOf,
  ofVariable,
  plus,
  subtract,
  variable,
  zero,
  type Term,
  type Variable,
} from "./affine/term.ts";
import { holds, nonNegative } from "./affine/prove.ts";
import { image, type Range } from "./affine/range.ts";
import { substitute, variablesOf } from "./affine/visit.ts";
import type { Axis, Body, Clause, Definition, Local, Loop, Scalar } from "./program.ts";
import { claim } from "./program.ts";
import { operations } from "./scalar/operations.ts";
import { isFloat, type ElementType, type Scalar as Value } from "./scalar/types.ts";
import { outerVariables } from "./outer-variables.ts";
import { callAt, parameterOf } from "./calls.ts";

/** One program's lowering under way. */
export interface Lowering {
  readonly checker: Checker;
  /** Definitions by the binding they come from, with the enclosing coordinates in front of their own axes. */
  readonly lowered: Map<ValueBinding | TensorBinding, Lowered>;
  readonly binders: Map<Variable, Binder>;
  readonly scalars: Map<Variable, Definition>;
  /** Names of definitions. */
  readonly taken: Set<string>;
  /** Top-level bindings have their names before anything is lowered. */
  readonly named: Map<ValueBinding | TensorBinding, string>;
  /** Requests that have their definition: one may be met several times. */
  readonly requests: Map<Typed, Lowered>;
  /** Intervals that hold the positions of enclosing coordinates. */
  readonly hulls: Map<Variable, Range>;
  /** Where local names were bound: they are lowered there, whatever conditions stand around their uses. */
  readonly declaredAt: Map<ValueBinding | TensorBinding, Site>;
}

interface Lowered {
  readonly definition: Definition;
  readonly outer: readonly Variable[];
}

/** Where a scalar is being lowered: the clause's coordinates, under the names they have there, and the conditions around it. */
export interface Site {
  readonly lowering: Lowering;
  /** Coordinates of the source to coordinates of the definition being built. */
  readonly here: ReadonlyMap<Variable, Term>;
  readonly conditions: readonly Condition[];
  readonly locals: Map<ValueBinding, Local>;
  /** What names of helper definitions begin with. */
  readonly owner: string;
  /** Scalars that the definition being built uses by value. */
  readonly needs: Set<Definition>;
  /** Inside a recursive function: what does not depend on its parameters is made outside of it. */
  readonly inFunction?: boolean;
}

interface Condition {
  readonly value: Typed;
  readonly holds: boolean;
}

/** A definition that holds the whole of a top-level expression. */
export function whole(site: Site, value: Typed): Definition {
  if (value.kind === "reference" && value.type.kind === "tensor") return define(site, value.binding).definition;
  return materialise(site, value, value.span, claim(site.lowering.taken, site.owner)).definition;
}

// ── definitions ─────────────────────────────────────────────────────────────────────────────────

function nameOf(lowering: Lowering, binding: ValueBinding | TensorBinding): string {
  return lowering.named.get(binding) ?? claim(lowering.taken, binding.name);
}

/** The definition of a binding, lowered when it is first asked for. */
export function define(site: Site, binding: ValueBinding | TensorBinding): Lowered {
  const { lowering } = site;
  const known = lowering.lowered.get(binding);
  if (known) return known;
  const declared = lowering.declaredAt.get(binding) ?? topOf(lowering);
  if (binding.kind === "tensor") return defineTensor(declared, binding);
  if (!binding.value) {
    const type = binding.type as TensorType;
    const definition = newDefinition(declared, nameOf(lowering, binding), type, [], "input", binding.span);
    return remember(lowering, binding, { definition, outer: [] });
  }
  return remember(lowering, binding, materialise(declared, binding.value, binding.span, nameOf(lowering, binding)));
}

/** Outside of everything. */
export function topOf(lowering: Lowering): Site {
  return { lowering, here: new Map(), conditions: [], locals: new Map(), owner: "value", needs: new Set() };
}

/** Remembers where names are bound. A condition may be lowered again elsewhere; the first place is as good as any. */
export function declare(site: Site, bindings: readonly (ValueBinding | TensorBinding)[]): void {
  const at = site.inFunction ? topOf(site.lowering) : site;
  for (const binding of bindings) if (!site.lowering.declaredAt.has(binding)) site.lowering.declaredAt.set(binding, at);
}

/** Names bound by `where`, each under the guards before it. */
function declareItems(site: Site, items: readonly Item[]): void {
  let conditions = site.conditions;
  for (const item of items) {
    if (item.kind === "guard") conditions = [...conditions, { value: item.condition, holds: true }];
    else declare({ ...site, conditions }, [item.binding]);
  }
}

function remember(lowering: Lowering, binding: ValueBinding | TensorBinding, lowered: Lowered): Lowered {
  lowering.lowered.set(binding, lowered);
  return lowered;
}

function newDefinition(
  site: Site,
  name: string,
  type: TensorType,
  outer: readonly Variable[],
  origin: Definition["origin"],
  span: Span,
  cells?: readonly Value[],
): Definition {
  const own = type.axes.map((axis): Axis => ({
    ...(axis.name ? { name: axis.name } : {}),
    extent: axis.extent ?? zero,
  }));
  const around = outer.map((v): Axis => {
    const { from, to } = hull(site.lowering, v);
    return { name: site.lowering.binders.get(v)!.name, extent: subtract(to, from) };
  });
  const axes = [...around, ...own];
  const needs = new Set<Definition>();
  for (const axis of axes) needScalars({ ...site, needs }, axis.extent);
  return {
    name,
    element: decided(type.element),
    axes,
    origin,
    outer: outer.length,
    clauses: [],
    needs,
    span,
    ...(cells ? { cells } : {}),
  };
}

/** The integer scalars that a term uses by value are computed first. */
function needScalars(site: Site, term: Term): void {
  const { lowering } = site;
  for (const v of variablesOf(term)) {
    let definition = lowering.scalars.get(v);
    if (!definition) {
      const binding = lowering.checker.scalars.get(v);
      const value = lowering.checker.opaqueValue.get(v);
      const top: Site = {
        ...site,
        here: new Map(),
        conditions: [],
        locals: new Map(),
        owner: "extent",
        needs: new Set(),
      };
      if (binding) definition = define(top, binding).definition;
      else if (value) definition = materialise(top, value, value.span, claim(lowering.taken, "extent")).definition;
      else continue;
      lowering.scalars.set(v, definition);
    }
    site.needs.add(definition);
  }
}

/** A definition for a tensor-valued (or scalar) expression: its enclosing coordinates, then its own axes. */
function materialise(site: Site, value: Typed, span: Span, name: string): Lowered {
  if (value.kind === "request") return requestDefinition(site, value, name);
  if (value.kind === "ruled") return ruledDefinition(site, value, name);
  if (value.kind === "array" || value.kind === "abstract") return literalTensor(site, value, name);
  const outer = outerOf(site, value);
  return { definition: materialiseOver(site, value, span, name, outer), outer };
}

/** A definition for an expression over the given enclosing coordinates. */
function materialiseOver(site: Site, value: Typed, span: Span, name: string, outer: readonly Variable[]): Definition {
  const type = value.type as TensorType;
  const definition = newDefinition(site, name, type, outer, "helper", span);
  const { loops, inside } = enter(site, outer, definition);
  const own = loopsOver(type, 0);
  const guards = conditionsOf(inside, site.conditions);
  definition.clauses = [{ loops: [...loops, ...own], guards, body: bodyAt(inside, value, indicesOf(own)), span }];
  return definition;
}

/** A call with a rule: the value and the tangent over the same coordinates, and a stand-in for each parameter's tangent. */
function ruledDefinition(site: Site, value: Extract<Typed, { kind: "ruled" }>, name: string): Lowered {
  const { lowering } = site;
  declare(site, value.value.bindings);
  const outer = outerOf(site, value);
  const parameters = value.parameters.map(({ primal, tangent }) => {
    const lowered = define(site, primal);
    const standIn = newDefinition(
      site,
      claim(lowering.taken, tangent.name),
      primal.type as TensorType,
      lowered.outer,
      "helper",
      primal.span,
    );
    remember(lowering, tangent, { definition: standIn, outer: lowered.outer });
    return { primal: lowered.definition, tangent: standIn };
  });
  const definition = materialiseOver(site, value.value, value.span, name, outer);
  const tangent = materialiseOver(site, value.tangent, value.span, claim(lowering.taken, `${name}_tangent`), outer);
  return { definition: { ...definition, rule: { parameters, tangent, surrogate: value.surrogate } }, outer };
}

function defineTensor(site: Site, binding: TensorBinding): Lowered {
  const { lowering } = site;
  const outer = outerOf(site, binding);
  const definition = newDefinition(site, nameOf(lowering, binding), binding.type, outer, "declared", binding.span);
  // Remembered before its clauses are lowered, because they may read it.
  const lowered = remember(lowering, binding, { definition, outer });
  definition.clauses = binding.clauses.map((clause) => clauseOf(site, clause, outer, definition));
  return lowered;
}

function clauseOf(site: Site, clause: TypedClause, outer: readonly Variable[], definition: Definition): Clause {
  const { loops, inside } = enter(site, outer, definition);
  const own: Loop[] = [];
  const here = new Map(inside.here);
  for (const slot of clause.slots) {
    if (slot.kind === "fixed") {
      own.push({
        variable: variable("at"),
        from: integer(slot.at),
        to: integer(plus(slot.at, 1)),
        reversed: false,
        fixed: true,
      });
      continue;
    }
    own.push(loopOf({ ...inside, here }, slot.binder, here));
  }
  const site_: Site = { ...inside, here };
  declareItems({ ...site_, conditions: site.conditions }, clause.items);
  const guards = [...conditionsOf(site_, site.conditions), ...guardsOf(site_, clause.items)];
  const conditioned: Site = { ...site_, conditions: [...site.conditions, ...conditionItems(clause.items)] };
  return {
    loops: [...loops, ...own],
    guards,
    body: bodyAt(conditioned, clause.body, []),
    ...(clause.otherwise ? { otherwise: lower(site_, clause.otherwise) } : {}),
    span: clause.span,
  };
}

function conditionItems(items: readonly Item[]): readonly Condition[] {
  return items.flatMap((item) => (item.kind === "guard" ? [{ value: item.condition, holds: true }] : []));
}

/** The coordinates around a site, as the source knows them. */
function enclosing(site: Site): ReadonlySet<Variable> {
  return new Set(site.here.keys());
}

/** Loops over enclosing coordinates for a definition of their own, under fresh names. */
function enter(
  site: Site,
  outer: readonly Variable[],
  definition: Definition,
): { readonly loops: readonly Loop[]; readonly inside: Site } {
  const here = new Map<Variable, Term>();
  const inside: Site = {
    ...site,
    here,
    conditions: [],
    locals: new Map(),
    owner: definition.name,
    needs: definition.needs,
  };
  const loops = outer.map((v) => outerLoop(inside, v, here));
  return { loops, inside: { ...inside, conditions: site.conditions } };
}

/** An enclosing coordinate as a coordinate of a definition: cells count from 0, so a range that starts below is shifted. */
function outerLoop(site: Site, v: Variable, here: Map<Variable, Term>): Loop {
  const loop = loopOf(site, site.lowering.binders.get(v)!, here);
  const start = hull(site.lowering, v).from;
  if (isZero(start)) return loop;
  here.set(v, add(ofVariable(loop.variable), start));
  const shift = (bound: Scalar): Scalar => minus(bound, start, site.lowering.binders.get(v)!.span);
  return { ...loop, from: shift(loop.from), to: shift(loop.to) };
}

function minus(bound: Scalar, by: Term, span: Span): Scalar {
  if (bound.kind === "integer") return integer(subtract(bound.term, by));
  return { kind: "apply", type: "i32", within: "i32", operation: "subtract", operands: [bound, integer(by)], span };
}

/** The enclosing coordinates as indices of a definition over them. */
function outerIndices(site: Site, outer: readonly Variable[]): readonly Scalar[] {
  return outer.map((v) => integer(subtract(site.here.get(v)!, hull(site.lowering, v).from)));
}

function isZero(term: Term): boolean {
  return constantOf(term) === 0;
}

function loopOf(site: Site, binder: Binder, here: Map<Variable, Term>): Loop {
  site.lowering.binders.set(binder.variable, binder);
  const from = boundOf(site, binder.from!);
  const to = boundOf(site, binder.to!);
  const walked = variable(binder.name);
  here.set(binder.variable, ofVariable(walked));
  return { variable: walked, from, to, reversed: binder.reversed };
}

/** A bound as the solver knows it, where that can be evaluated as it stands: a lookup by coordinates cannot. */
function boundOf(site: Site, bound: Typed): Scalar {
  const { checker } = site.lowering;
  const term = termOf(checker, bound);
  return evaluable(site, term) ? integer(moved(site, term)) : lower(site, bound);
}

/** Whether what the solver does not understand in a term is the same for all coordinates. */
function evaluable(site: Site, term: Term): boolean {
  return [...variablesOf(term)].every((v) => {
    const value = site.lowering.checker.opaqueValue.get(v);
    return !value || outerVariables([value], enclosing(site)).length === 0;
  });
}

/** The interval that holds every position of a coordinate whose own bounds may depend on further ones, from 0 or below. */
function hull(lowering: Lowering, v: Variable): Range {
  const known = lowering.hulls.get(v);
  if (known) return known;
  const binder = lowering.binders.get(v)!;
  const { from, to } = rangeOf(lowering.checker, binder)!;
  const least = extreme(lowering, from, "from");
  const most = extreme(lowering, to, "to") ?? greatestBound(lowering, binder);
  const facts = extentFacts(lowering.checker, least ? [least] : []);
  const start = least && !holds(nonNegative(least), facts) ? least : zero;
  const found: Range = { from: start, to: most };
  lowering.hulls.set(v, found);
  return found;
}

/** The least or greatest value of a bound over the coordinates it mentions; nothing where only a run can tell. */
function extreme(lowering: Lowering, bound: Term, side: "from" | "to"): Term | undefined {
  let term = bound;
  for (let round = 0; round <= lowering.binders.size; round++) {
    if (dependsOnLookup(lowering, term)) return undefined;
    if (![...variablesOf(term)].some((part) => lowering.binders.has(part))) return term;
    const held = image(term, (part) => {
      const around = lowering.binders.get(part);
      return around && rangeOf(lowering.checker, around);
    });
    if (!held) return undefined;
    term = side === "from" ? held.from : plus(held.to, -1);
  }
  return undefined;
}

function dependsOnLookup(lowering: Lowering, term: Term): boolean {
  return [...variablesOf(term)].some((v) => {
    const value = lowering.checker.opaqueValue.get(v);
    return value !== undefined && outerVariables([value], new Set(lowering.binders.keys())).length > 0;
  });
}

/** A bound that is looked up: its greatest value is a scalar of its own, computed first. As a float, so that nothing is -∞. */
function greatestBound(lowering: Lowering, binder: Binder): Term {
  const bound = binder.to!;
  const around = closure(lowering, [bound], new Set(lowering.binders.keys()));
  const asFloat: Typed = { kind: "cast", operand: bound, type: scalarType("f64"), span: bound.span };
  const greatest: Typed = {
    kind: "reduce",
    reduction: "max",
    binders: around.map((v) => lowering.binders.get(v)!),
    items: [],
    body: asFloat,
    type: scalarType("f64"),
    span: bound.span,
  };
  const whole_: Typed = { kind: "cast", operand: greatest, type: scalarType("i32"), span: bound.span };
  const stand = variable("extent");
  lowering.scalars.set(
    stand,
    materialise(topOf(lowering), whole_, bound.span, claim(lowering.taken, "extent")).definition,
  );
  return ofVariable(stand);
}

/** The enclosing coordinates that expressions mention, and those that the bounds of these mention in turn. */
function closure(
  lowering: Lowering,
  nodes: readonly (Typed | TensorBinding)[],
  among: ReadonlySet<Variable>,
): readonly Variable[] {
  let found = outerVariables(nodes, among);
  for (;;) {
    const bounds = found.flatMap((v) => {
      const { from, to } = lowering.binders.get(v)!;
      return [from!, to!];
    });
    const more = outerVariables([...nodes, ...bounds], among);
    if (more.length === found.length) return found;
    found = more;
  }
}

/** What a definition made here has to be a definition over: what it mentions itself, and what decides whether it is needed. */
function outerOf(site: Site, node: Typed | TensorBinding): readonly Variable[] {
  return closure(site.lowering, [node, ...site.conditions.map((condition) => condition.value)], enclosing(site));
}

// ── scalars ─────────────────────────────────────────────────────────────────────────────────────

export function integer(term: Term): Scalar {
  return { kind: "integer", type: "i32", term };
}

function conditionsOf(site: Site, conditions: readonly Condition[]): readonly Scalar[] {
  const bare: Site = { ...site, conditions: [] };
  return conditions.map((condition) =>
    condition.holds ? lower(bare, condition.value) : negated(lower(bare, condition.value), condition.value.span),
  );
}

function negated(scalar: Scalar, span: Span): Scalar {
  return { kind: "apply", type: "bool", within: "bool", operation: "not", operands: [scalar], span };
}

function guardsOf(site: Site, items: readonly Item[]): readonly Scalar[] {
  return items.flatMap((item) => (item.kind === "guard" ? [lower(site, item.condition)] : []));
}

/** The body of a clause: a reduction that is all of it stays whole. */
function bodyAt(site: Site, value: Typed, indices: readonly Scalar[]): Body {
  if (value.kind === "block") {
    declare(site, value.bindings);
    return bodyAt(site, value.value, indices);
  }
  if (value.kind === "reduce") return reduction(site, value, indices);
  return { kind: "map", value: at(site, value, indices) };
}

function reduction(site: Site, value: Extract<Typed, { kind: "reduce" }>, indices: readonly Scalar[]): Body {
  const here = new Map(site.here);
  const inside: Site = { ...site, here };
  const loops = value.binders.map((binder) => loopOf(inside, binder, here));
  const filters = value.binders
    .flatMap((binder) => binder.filters ?? [])
    .map((condition): Item => ({ kind: "guard", condition }));
  const items = [...filters, ...value.items];
  declareItems(inside, items);
  const guards = guardsOf(inside, items);
  const conditioned: Site = { ...inside, conditions: [...site.conditions, ...conditionItems(items)] };
  return {
    kind: "reduce",
    reduction: value.reduction,
    loops,
    guards,
    value: at(conditioned, value.body, indices),
    span: value.span,
  };
}

function lower(site: Site, value: Typed): Scalar {
  return at(site, value, []);
}

/** One cell of an expression of rank r, at r indices. */
function at(site: Site, value: Typed, indices: readonly Scalar[]): Scalar {
  switch (value.kind) {
    case "constant":
      return literal(value.value, decided(value.type.element));
    case "integer":
      return integer(moved(site, value.term));
    case "reference":
      return reference(site, value.binding, indices, value.span);
    case "read": {
      const whole = [...value.indices.map((index) => lower(site, index)), ...indices];
      // The place of an access is all of `x[i, j]`, not `x` alone.
      return value.base.kind === "reference"
        ? reference(site, value.base.binding, whole, value.span)
        : at(site, value.base, whole);
    }
    case "apply":
      return application(site, value, indices);
    case "cast":
      return {
        kind: "cast",
        type: decided(value.type.element),
        operand: at(site, value.operand, cells(value.operand, indices)),
      };
    case "select": {
      const condition = lower(site, value.condition);
      const when = (holds: boolean): Site => ({
        ...site,
        conditions: [...site.conditions, { value: value.condition, holds }],
      });
      return {
        kind: "select",
        type: decided((value.type as TensorType).element),
        condition,
        then: at(when(true), value.then, indices),
        otherwise: at(when(false), value.otherwise, indices),
      };
    }
    case "block":
      declare(site, value.bindings);
      return at(site, value.value, indices);
    case "reduce":
    case "abstract":
    case "array":
    case "request":
    case "ruled":
      return helper(site, value, indices);
    case "call":
      return callAt(site, value, lower);
    case "text":
    case "tuple":
    case "closure":
    case "absent":
    case "range":
    case "wrong":
      throw new Error(`a ${value.kind} cannot be lowered to a scalar`);
    default:
      return value satisfies never;
  }
}

/** The indices of an operand: a scalar beside a tensor is the same in every cell. */
function cells(operand: Typed, indices: readonly Scalar[]): readonly Scalar[] {
  return (operand.type as TensorType).axes.length === 0 ? [] : indices;
}

function application(site: Site, value: Extract<Typed, { kind: "apply" }>, indices: readonly Scalar[]): Scalar {
  const { signature } = operations[value.operation];
  const slot = signature.operands.indexOf("T");
  const first = value.operands[Math.max(slot, 0)]!;
  const [left, right] = value.operands;
  // The right side of `&&` and `||` is evaluated only where the left side leaves the answer open.
  const sites = value.operands.map((_, k): Site => {
    if (k === 0 || (value.operation !== "and" && value.operation !== "or") || !left || !right) return site;
    return { ...site, conditions: [...site.conditions, { value: left, holds: value.operation === "and" }] };
  });
  return {
    kind: "apply",
    operation: value.operation,
    type: decided(value.type.element),
    within: decided((first.type as TensorType).element),
    operands: value.operands.map((operand, k) => at(sites[k]!, operand, cells(operand, indices))),
    span: value.span,
  };
}

/** A term in the coordinates of the definition that is being built. */
function moved(site: Site, term: Term): Term {
  const values = new Map<Variable, Term>();
  for (const v of variablesOf(term)) {
    const here = site.here.get(v);
    if (here) values.set(v, here);
  }
  needScalars(site, term);
  return values.size === 0 ? term : substitute(term, values);
}

function literal(value: Value, type: ElementType): Scalar {
  if (type === "bool" || type === "str") return { kind: "constant", type, value };
  const number = isFloat(type) ? Number(value) : type === "i64" ? BigInt.asIntN(64, BigInt(value)) : Number(value);
  return { kind: "constant", type, value: number };
}

function reference(site: Site, binding: ValueBinding | TensorBinding, indices: readonly Scalar[], span: Span): Scalar {
  if (binding.kind === "value" && binding.parameter && !isI32(binding.type)) return parameterOf(binding);
  const isRuled = binding.kind === "value" && binding.value?.kind === "ruled";
  if (binding.kind === "value" && !isRuled && binding.term && isI32(binding.type) && evaluable(site, binding.term)) {
    return integer(moved(site, binding.term));
  }
  // A float that has a name at the top of the file keeps it: it may be a parameter, and gradients are read by name.
  if (
    binding.kind === "value" &&
    binding.value &&
    !binding.global &&
    !site.lowering.checker.denominators.has(binding)
  ) {
    const { value } = binding;
    if (isPlain(value)) return at(site, value, indices);
    const scalar = (binding.type as TensorType).axes.length === 0;
    if (
      scalar &&
      site.here.size > 0 &&
      !site.lowering.lowered.has(binding) &&
      outerVariables([value], enclosing(site)).length > 0
    ) {
      let local = site.locals.get(binding);
      if (!local) {
        const { conditions } = site.lowering.declaredAt.get(binding) ?? site;
        site.locals.set(binding, (local = { name: binding.name, value: lower({ ...site, conditions }, value) }));
      }
      return { kind: "local", type: decided((binding.type as TensorType).element), local };
    }
  }
  const { definition, outer } = define(site, binding);
  return {
    kind: "read",
    type: definition.element,
    definition,
    indices: [...outerIndices(site, outer), ...indices],
    span,
  };
}

function isI32(type: Type): boolean {
  return type.kind === "tensor" && decided(type.element) === "i32";
}

/** Another name for something that is there already. */
function isPlain(value: Typed): boolean {
  switch (value.kind) {
    case "constant":
    case "integer":
      return true;
    case "reference":
      return true;
    case "read":
      return isPlain(value.base) && value.indices.every(isPlain);
    default:
      return false;
  }
}

/** A definition for a part that cannot stand inside a scalar. */
function helper(
  site: Site,
  value: Extract<Typed, { kind: "reduce" | "abstract" | "array" | "request" | "ruled" }>,
  indices: readonly Scalar[],
): Scalar {
  const around = site.inFunction ? topOf(site.lowering) : site;
  const { definition, outer } = materialise(around, value, value.span, claim(site.lowering.taken, site.owner));
  return {
    kind: "read",
    type: definition.element,
    definition,
    indices: [...outerIndices(site, outer), ...indices],
    span: value.span,
  };
}

/** Abstractions and array literals: a clause for the whole, or one for each element. */
function literalTensor(site: Site, value: Extract<Typed, { kind: "abstract" | "array" }>, name: string): Lowered {
  const leaves = value.kind === "array" ? [...leavesOf(value, [])] : [];
  const outer = outerOf(site, value);
  const cellsOfLiteral = constantCells(leaves, value);
  if (cellsOfLiteral)
    return {
      definition: newDefinition(site, name, value.type, [], "literal", value.span, cellsOfLiteral),
      outer: [],
    };
  const definition = newDefinition(site, name, value.type, outer, "helper", value.span);
  if (value.kind === "abstract") {
    const { loops, inside } = enter(site, outer, definition);
    const guards = conditionsOf(inside, site.conditions);
    const here = new Map(inside.here);
    const own = value.binders.map((binder) => loopOf({ ...inside, here }, binder, here));
    const rest = loopsOver(value.type, own.length);
    definition.clauses = [
      {
        loops: [...loops, ...own, ...rest],
        guards,
        body: bodyAt({ ...inside, here }, value.body, indicesOf(rest)),
        span: value.span,
      },
    ];
  } else {
    definition.clauses = leaves.map(({ path, leaf }): Clause => {
      const { loops, inside } = enter(site, outer, definition);
      const guards = conditionsOf(inside, site.conditions);
      const fixed = path.map((k): Loop => {
        return { variable: variable("at"), from: integer(constant(k)), to: integer(constant(k + 1)), reversed: false };
      });
      const rest = loopsOver(value.type, path.length);
      return {
        loops: [...loops, ...fixed, ...rest],
        guards,
        body: { kind: "map", value: at(inside, leaf, indicesOf(rest)) },
        span: leaf.span,
      };
    });
  }
  return { definition, outer };
}

/** A request stands for its answer until autodiff has found it. */
function requestDefinition(site: Site, value: Extract<Typed, { kind: "request" }>, name: string): Lowered {
  const { lowering } = site;
  const known = lowering.requests.get(value);
  if (known) return known;
  const wrt = define(site, value.denominator);
  const numerator = value.numerator;
  const of =
    numerator.kind === "reference"
      ? define(site, numerator.binding)
      : materialise(site, numerator, numerator.span, claim(lowering.taken, "numerator"));
  const { outer } = of;
  const made = newDefinition(site, name, value.type, outer, "helper", value.span);
  const step = value.step === undefined ? {} : { step: value.step };
  // Inside a recurrence the denominator may have grown since the request was checked.
  const axes = value.step === undefined ? made.axes : wrt.definition.axes;
  const definition: Definition = {
    ...made,
    axes,
    request: { of: of.definition, wrt: wrt.definition, ...step, ...(value.jacobian ? { jacobian: true } : {}) },
  };
  const lowered = { definition, outer };
  lowering.requests.set(value, lowered);
  return lowered;
}

/** Loops over the axes of a type from the k-th on. */
function loopsOver(type: TensorType, k: number): readonly Loop[] {
  return type.axes.slice(k).map((axis, n): Loop => {
    const walked = variable(axis.name ?? "ijklmnpq"[k + n] ?? `i${k + n}`);
    return { variable: walked, from: integer(zero), to: integer(axis.extent ?? zero), reversed: false };
  });
}

function indicesOf(loops: readonly Loop[]): readonly Scalar[] {
  return loops.map((loop) => integer(ofVariable(loop.variable)));
}

interface Leaf {
  readonly path: readonly number[];
  readonly leaf: Typed;
}

/** The elements of nested array literals with their positions. */
function* leavesOf(value: Extract<Typed, { kind: "array" }>, path: readonly number[]): Generator<Leaf> {
  for (const [k, item] of value.elements.entries()) {
    if (item.kind === "array") yield* leavesOf(item, [...path, k]);
    else yield { path: [...path, k], leaf: item };
  }
}

/** The numbers of a literal that has nothing else in it. */
function constantCells(leaves: readonly Leaf[], value: Typed): readonly Value[] | undefined {
  if (value.kind !== "array") return undefined;
  const type = decided(value.type.element);
  const found: Value[] = [];
  for (const { leaf } of leaves) {
    if (leaf.kind !== "constant") return undefined;
    found.push((literal(leaf.value, type) as Extract<Scalar, { kind: "constant" }>).value);
  }
  return found;
}

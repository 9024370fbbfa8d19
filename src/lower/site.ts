// Where something is lowered: the coordinates, conditions and names around it.

import type { Checker } from "../check/context.ts";
import type { Binder, Item, TensorBinding, Typed, ValueBinding } from "../check/types/typed.ts";
import type { Range } from "../affine/range.ts";
import type { Term, Variable } from "../affine/term.ts";
import type { Span } from "../base/source.ts";
import type { Definition, Local, Parameter, Scalar, ScalarFunction } from "../ir/program.ts";

/**
 * What every part of lowering asks for, whatever form it lowers: through this table no two files
 * have to import each other. `normalise.ts` makes it, and `lower/forms.ts` asks it.
 */
export interface Forms {
  /** One cell of an expression of rank r, at r indices. */
  readonly at: (site: Site, value: Typed, indices: readonly Scalar[]) => Scalar;
  /** The definition of a binding, lowered when it is first asked for. */
  readonly define: (site: Site, binding: ValueBinding | TensorBinding) => Lowered;
  /**
   * A definition for a tensor-valued (or scalar) expression: its enclosing coordinates, then its
   * own axes.
   */
  readonly materialise: (site: Site, value: Typed, span: Span, name: string) => Lowered;
}

/** One program's lowering under way. */
export interface Lowering {
  readonly checker: Checker;
  readonly forms: Forms;
  /**
   * Definitions by the binding they come from, with the enclosing coordinates in front of their own
   * axes.
   */
  readonly lowered: Map<ValueBinding | TensorBinding, Lowered>;
  readonly binders: Map<Variable, Binder>;
  /** The conditions around the places where coordinates were bound. */
  readonly boundUnder: Map<Variable, readonly Condition[]>;
  /** The reductions that bind coordinates. */
  readonly reductions: Map<Variable, Typed>;
  readonly scalars: Map<Variable, Definition>;
  /** Names of definitions. */
  readonly taken: Set<string>;
  /** Top-level bindings have their names before anything is lowered. */
  readonly named: Map<ValueBinding | TensorBinding, string>;
  /**
   * Requests that have their definition, and the numerators of these that have no name: one may be
   * met several times.
   */
  readonly requests: Map<Typed, Answered>;
  /** Intervals that hold the positions of enclosing coordinates. */
  readonly hulls: Map<Variable, Range>;
  /**
   * The greatest of the sizes that an axis has at the positions of the coordinates around it, by
   * its size.
   */
  readonly longest: Map<string, Term>;
  /**
   * Where local names were bound: they are lowered there, whatever conditions stand around their
   * uses.
   */
  readonly declaredAt: Map<ValueBinding | TensorBinding, Site>;
}

export interface Lowered {
  readonly definition: Definition;
  readonly outer: readonly Variable[];
}

/**
 * What was lowered of a request, with all that it was made from: where that is made anew, so is the
 * request.
 */
export interface Answered extends Lowered {
  readonly from: readonly (Definition | Condition[keyof Condition])[];
}

/**
 * Where a scalar is being lowered: the clause's coordinates, under the names they have there, and
 * the conditions around it.
 */
export interface Site {
  readonly lowering: Lowering;
  /** Coordinates of the source to coordinates of the definition being built. */
  readonly here: ReadonlyMap<Variable, Term>;
  readonly conditions: readonly Condition[];
  readonly locals: Map<ValueBinding | TensorBinding, Local>;
  /** What names of helper definitions begin with. */
  readonly owner: string;
  /** Scalars that the definition being built uses by value. */
  readonly needs: Set<Definition>;
  /** The function whose value this is part of. */
  readonly function?: FunctionSite;
  /** A tensor that a function makes cell by cell, and its cells so far. */
  readonly making?: { readonly binding: TensorBinding; readonly cells: Scalar };
  /** Inside a function that lowering makes within another one: a loop, or a body at an index. */
  readonly within?: WithinSite;
  /** In the library: the call in the program that led here. */
  readonly call?: Span;
}

/** A site inside a value: where that is a call of the library, its parts are of that call. */
export function siteInCall(site: Site, value: Typed): Site {
  return value.kind === "block" && value.call ? { ...site, call: value.call } : site;
}

/** A function that is made within another one, and what it takes from around it. */
export interface WithinSite {
  readonly around: Site;
  readonly parameters: readonly Parameter[];
  /** Names that are bound inside of it. */
  readonly own: Set<ValueBinding | TensorBinding>;
  /** Names from around it that it takes as parameters, with their values there. */
  readonly taken: Map<
    ValueBinding | TensorBinding,
    { readonly parameter: Parameter; readonly value: Scalar }
  >;
}

/** A function that is being lowered. */
export interface FunctionSite {
  readonly made: ScalarFunction;
  /** The coordinates from around it that it takes as parameters. */
  readonly coordinates: readonly Variable[];
  /** The floats from around it that it takes as parameters. */
  readonly captured: Map<Definition, Parameter>;
  /** Names that are bound in it. */
  readonly own: Set<ValueBinding | TensorBinding>;
  /** Where what does not depend on its own parameters is made. */
  readonly outside: Site;
}

export interface Condition {
  readonly value: Typed;
  readonly holds: boolean;
}

/** Outside of everything. */
export function topOf(lowering: Lowering): Site {
  return {
    lowering,
    here: new Map(),
    conditions: [],
    locals: new Map(),
    owner: "value",
    needs: new Set(),
  };
}

type Bindings = readonly (ValueBinding | TensorBinding)[];

/**
 * Remembers where names are bound, and those inside of their values: a length may be asked for
 * before the value is. What is met again under other conditions counts under those that both places
 * have, and is made anew where it was made under more.
 */
export function declare(site: Site, bindings: Bindings): void {
  const at = site.function?.outside ?? site;
  own(site, bindings);
  const { declaredAt, lowered } = site.lowering;
  const met = new Set<Bindings>([bindings]);
  const remember = (binding: ValueBinding | TensorBinding): void => {
    const before = declaredAt.get(binding);
    const conditions = before ? inCommon(before.conditions, at.conditions) : at.conditions;
    if (before?.conditions.length === conditions.length) return;
    if (before) {
      lowered.delete(binding);
      site.locals.delete(binding);
    }
    declaredAt.set(binding, { ...(before ?? at), conditions });
    eachBlock(binding, (inside) => {
      // The parts of one value share its blocks.
      if (met.has(inside)) return;
      met.add(inside);
      inside.forEach(remember);
    });
  };
  bindings.forEach(remember);
}

/** The conditions that stand around two places. */
export function inCommon(
  first: readonly Condition[],
  second: readonly Condition[],
): readonly Condition[] {
  const isSame = (a: Condition, b: Condition | undefined): boolean =>
    a.value === b?.value && a.holds === b.holds;
  const end = first.findIndex((each, k) => !isSame(each, second[k]));
  return end < 0 ? first : first.slice(0, end);
}

/** Names of a function. */
function own(site: Site, bindings: Bindings): void {
  const names = site.within?.own ?? site.function?.own;
  if (!names) return;
  for (const binding of bindings) {
    if (names.has(binding) || isAround(site, binding)) continue;
    names.add(binding);
    eachBlock(binding, (inside) => own(site, inside));
  }
}

/** Goes through the names that a name's value binds, whatever else happens. */
function eachBlock(
  binding: ValueBinding | TensorBinding,
  visit: (bindings: Bindings) => void,
): void {
  const within = (value: Typed): void => {
    if (value.kind === "tuple") value.members.forEach(within);
    if (value.kind !== "block") return;
    visit(value.bindings);
    within(value.value);
  };
  if (binding.kind === "value" && binding.value) within(binding.value);
}

/** Whether a name is bound further out in the function around a site. */
export function isAround({ within }: Site, binding: ValueBinding | TensorBinding): boolean {
  if (!within) return false;
  const { around } = within;
  const own = around.within?.own ?? around.function?.own;
  return (own?.has(binding) ?? false) || isAround(around, binding);
}

/** Names bound by `where`, each under the guards before it. */
export function declareItems(site: Site, items: readonly Item[]): void {
  let conditions = site.conditions;
  for (const item of items) {
    if (item.kind === "guard") conditions = [...conditions, { value: item.condition, holds: true }];
    else declare({ ...site, conditions }, [item.binding]);
  }
}

export function conditionItems(items: readonly Item[]): readonly Condition[] {
  return items.flatMap((item) =>
    item.kind === "guard" ? [{ value: item.condition, holds: true }] : [],
  );
}

/** The coordinates around a site, as the source knows them. */
export function enclosing(site: Site): ReadonlySet<Variable> {
  return new Set(site.here.keys());
}

// The site of lowering: the coordinates, conditions and names around a place in the program.

import type { Checker } from "../check/context.ts";
import type { Binder, Item, TensorBinding, Typed, ValueBinding } from "../check/types/typed.ts";
import type { Range } from "../affine/range.ts";
import type { Term, Variable } from "../affine/term.ts";
import type { Span } from "../base/source.ts";
import type { Definition, Local, Parameter, Scalar, ScalarFunction } from "../ir/program.ts";

/**
 * The functions that every part of lowering calls, whatever form it lowers. Through this table, no
 * two files need to import each other. `normalise.ts` makes it, and `lower/forms.ts` calls it.
 */
interface Forms {
  /** One cell of an expression of rank r, at r indices. */
  readonly at: (site: Site, value: Typed, indices: readonly Scalar[]) => Scalar;
  /** The definition of a binding. It is lowered when it is first asked for. */
  readonly define: (site: Site, binding: ValueBinding | TensorBinding) => Lowered;
  /**
   * A definition for an expression, tensor or scalar. Its axes are the enclosing coordinates, then
   * the expression's own axes.
   */
  readonly materialise: (site: Site, value: Typed, span: Span, name: string) => Lowered;
}

/** The lowering of one program. */
export interface Lowering {
  readonly checker: Checker;
  readonly forms: Forms;
  /** Definitions by their bindings, with the enclosing coordinates that are their outer axes. */
  readonly lowered: Map<ValueBinding | TensorBinding, Lowered>;
  readonly binders: Map<Variable, Binder>;
  /** The conditions around the places where coordinates are bound. */
  readonly boundUnder: Map<Variable, readonly Condition[]>;
  /** The reductions that bind coordinates. */
  readonly reductions: Map<Variable, Typed>;
  readonly scalars: Map<Variable, Definition>;
  /** The names of all definitions. */
  readonly taken: Set<string>;
  /** Top-level bindings get their names before anything is lowered. */
  readonly named: Map<ValueBinding | TensorBinding, string>;
  /**
   * The definitions of requests, and those of their unnamed numerators. A request may be met
   * several times.
   */
  readonly requests: Map<Typed, Answered>;
  /** Intervals that contain all positions of enclosing coordinates. */
  readonly hulls: Map<Variable, Range>;
  /**
   * For an axis whose size depends on the coordinates around it: its greatest size, by the text of
   * the size.
   */
  readonly longest: Map<string, Term>;
  /**
   * Where local names were bound. They are lowered there, whatever conditions are around their
   * uses.
   */
  readonly declaredAt: Map<ValueBinding | TensorBinding, Site>;
}

export interface Lowered {
  readonly definition: Definition;
  readonly outer: readonly Variable[];
}

/**
 * The definition of a request, with everything that it was made from. If any of that is made anew,
 * so is the definition.
 */
export interface Answered extends Lowered {
  readonly from: readonly (Definition | Condition[keyof Condition])[];
}

/**
 * Where a scalar is lowered: the coordinates of the clause, and the conditions around the place.
 */
export interface Site {
  readonly lowering: Lowering;
  /** The coordinates of the source, in terms of the coordinates of the definition. */
  readonly here: ReadonlyMap<Variable, Term>;
  readonly conditions: readonly Condition[];
  readonly locals: Map<ValueBinding | TensorBinding, Local>;
  /** The names of helper definitions begin with this. */
  readonly owner: string;
  /** Scalars that the definition uses by value. */
  readonly needs: Set<Definition>;
  /** The function around the place. */
  readonly function?: FunctionSite;
  /** A tensor that a function makes cell by cell, and its cells so far. */
  readonly making?: { readonly binding: TensorBinding; readonly cells: Scalar };
  /** Inside a function that lowering makes within another one: a loop, or a body at an index. */
  readonly within?: WithinSite;
  /** Inside the library: the call in the program that led there. */
  readonly call?: Span;
}

/** A site inside a value. Inside a call of the library, the site remembers the call. */
export function siteInCall(site: Site, value: Typed): Site {
  return value.kind === "block" && value.call ? { ...site, call: value.call } : site;
}

/** A function that is made within another one, and what it captures. */
export interface WithinSite {
  readonly around: Site;
  readonly parameters: readonly Parameter[];
  /** Names that are bound inside it. */
  readonly own: Set<ValueBinding | TensorBinding>;
  /** Names from around it that it takes as parameters, with their values there. */
  readonly taken: Map<
    ValueBinding | TensorBinding,
    { readonly parameter: Parameter; readonly value: Scalar }
  >;
}

/** A function that is being lowered. */
export interface FunctionSite {
  readonly scalarFunction: ScalarFunction;
  /** The captured coordinates, which are parameters. */
  readonly coordinates: readonly Variable[];
  /** The captured floats, which are parameters. */
  readonly captured: Map<Definition, Parameter>;
  /** Names that are bound in it. */
  readonly own: Set<ValueBinding | TensorBinding>;
  /** The site of values that do not depend on its parameters. */
  readonly outside: Site;
}

export interface Condition {
  readonly value: Typed;
  readonly holds: boolean;
}

/** The site outside of everything. */
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
 * Remembers where names are bound, and the names inside their values, because a length may be asked
 * for before its value. A binding may be met again under other conditions. Then only the common
 * conditions count, and if it was lowered under more, it is lowered anew.
 */
export function declare(site: Site, bindings: Bindings): void {
  const at = site.function?.outside ?? site;
  addOwnNames(site, bindings);
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

/** The conditions that are around both of two places. */
export function inCommon(
  first: readonly Condition[],
  second: readonly Condition[],
): readonly Condition[] {
  const areEqual = (a: Condition, b: Condition | undefined): boolean =>
    a.value === b?.value && a.holds === b.holds;
  const end = first.findIndex((each, k) => !areEqual(each, second[k]));
  return end < 0 ? first : first.slice(0, end);
}

/** Records names as names of the function around a site. */
function addOwnNames(site: Site, bindings: Bindings): void {
  const names = site.within?.own ?? site.function?.own;
  if (!names) return;
  for (const binding of bindings) {
    if (names.has(binding) || isAround(site, binding)) continue;
    names.add(binding);
    eachBlock(binding, (inside) => addOwnNames(site, inside));
  }
}

/** Visits the blocks of bindings inside the value of a binding. */
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

/** Declares the names of a `where`, each under the guards before it. */
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

/** The coordinates around a site, as variables of the source. */
export function enclosing(site: Site): ReadonlySet<Variable> {
  return new Set(site.here.keys());
}

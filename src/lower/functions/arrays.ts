// Arrays that a function makes while it runs. A tensor that depends on the parameters of a function
// has no definition. One cell of it is its expression at the indices, and a reduction over it is a
// loop (folds.ts). If the tensor has a name, is passed on or is returned, its cells are kept, row
// after row, in one value of type `data`.
//
//   fn f(n: i32) -> f32 {
//     let t[k in 0..n] = 1.0 / (k + 1) as f32;               the cells of `t` are kept
//     if n == 0 { 0.0 } else { sum[k](t[k]) + f(n - 1) }     the sum is a loop
//   }

import { integerTerm } from "../../check/types/integers.ts";
import type {
  Accepted,
  ArrayOf,
  Abstract,
  Binder,
  Cells,
  Clause,
  Item,
  Read,
  Reduce,
} from "../../check/types/typed.ts";
import type { TensorBinding, Typed, ValueBinding } from "../../check/types/typed.ts";
import { decided, type Axis, type TensorType } from "../../check/types/types.ts";
import { textOf, type Span } from "../../base/source.ts";
import { constantOf, ofVariable, zero, type Term, type Variable } from "../../affine/term.ts";
import { foldingOf } from "./fold-reductions.ts";
import { fold, makeWithin, takenAlong } from "./folds.ts";
import { compared } from "../../ir/integers.ts";
import { appendCells, cellOf, noCells, plusAt, timesAt } from "./cells.ts";
import { guardsOf } from "../conditions.ts";
import { lowerAt, lower } from "../forms.ts";
import { isMade, stopped } from "./made.ts";
import { keptSlopes } from "./slopes.ts";
import { declare, declareItems, isAround, type Site } from "../site.ts";
import { evaluable, extentAt, termHere } from "../terms.ts";
import type { Scalar } from "../../ir/program.ts";
import { newParameter, zeroScalar, applied, dataCall } from "../../ir/simple-scalars.ts";
import { integerScalar } from "../../ir/substitute.ts";
import type { ElementType } from "../../scalar/types.ts";

/** One cell of a tensor that a function makes. */
export function madeAt(
  site: Site,
  value: Reduce | Abstract | ArrayOf,
  indices: readonly Scalar[],
): Scalar {
  switch (value.kind) {
    case "reduce":
      return reducedAt(site, value, indices);
    case "abstract":
      return atTerms(site, indices, decided(value.type.element), value.span, (inside, terms) => {
        const rest = terms.slice(value.binders.length).map(integerScalar);
        const here = new Map(inside.here);
        for (const [k, binder] of value.binders.entries()) here.set(binder.variable, terms[k]!);
        const body = { ...inside, here };
        const { window } = value;
        // A window needs no check of its indices: its length has been compared with the array's.
        if (!window) return lowerAt(body, value.body, rest);
        const [{ variable }] = value.binders as readonly [Binder];
        const index = plusAt(
          indexAt(body, window.from),
          integerScalar(here.get(variable)!),
          value.span,
        );
        return lowerAt(body, window.base, [index, ...rest]);
      });
    case "array": {
      const [first, ...rest] = indices;
      const k = first?.kind === "integer" ? constantOf(first.term) : undefined;
      const element = k === undefined ? undefined : value.elements[k];
      if (element) return lowerAt(site, element, rest);
      return cellOf(site, keptAt(site, value), value.type, indices, value.span);
    }
    default:
      return value satisfies never;
  }
}

function reducedAt(site: Site, value: Reduce, indices: readonly Scalar[]): Scalar {
  const type = decided((value.body.type as TensorType).element);
  const folding = foldingOf(value.reduction, type, value.span);
  const filters = value.binders
    .flatMap((binder) => binder.filters ?? [])
    .map((condition): Item => ({ kind: "guard", condition }));
  return atTerms(site, indices, decided(value.type.element), value.span, (around, terms) => {
    const carried = fold(
      around,
      value.binders,
      [...filters, ...value.items],
      folding.initial,
      (inside, before) => {
        const position = integerScalar(inside.here.get(value.binders[0]!.variable)!);
        return folding.step(
          before,
          lowerAt(inside, value.body, terms.map(integerScalar)),
          position,
        );
      },
      value.span,
    );
    return folding.finish(carried);
  });
}

/** `base[i, j]` of a tensor that a function makes. An index out of bounds ends the run. */
export function readMade(site: Site, value: Read, behind: readonly Scalar[]): Scalar {
  declareAround(site, value.base);
  const own = value.indices.map((index) => indexAt(site, index));
  const { base } = value;
  // The type of the binding counts, because a tensor may have grown since it was read.
  const { axes } =
    base.kind === "reference" ? (base.binding.type as TensorType) : (base.type as TensorType);
  return atTerms(
    site,
    [...own, ...behind],
    decided(value.type.element),
    value.span,
    (inside, terms) => {
      const cell = lowerAt(inside, value.base, terms.map(integerScalar));
      return own.reduceRight<Scalar>((then, _, k) => {
        const [index, extent] = [
          integerScalar(terms[k]!),
          extentAt(inside, axes[k]!.extent ?? zero),
        ];
        if (isKnownInside(terms[k]!, extent)) return then;
        const isAbove = compared("lessEqual", integerScalar(zero), index, value.span);
        const isBelow = compared("less", index, extent, value.span);
        const condition = applied("and", [isAbove, isBelow], value.span);
        const otherwise = stopped(
          {
            kind: "bounds",
            of: textOf(value.base.span),
            axis: nameOfAxis(axes[k]!, k),
            span: value.span,
          },
          [index, extent],
          then.type,
        );
        return { kind: "select", type: then.type, condition, then, otherwise };
      }, cell);
    },
  );
}

function isKnownInside(index: Term, extent: Scalar): boolean {
  const [at, end] = [
    constantOf(index),
    extent.kind === "integer" ? constantOf(extent.term) : undefined,
  ];
  return at !== undefined && end !== undefined && at >= 0 && at < end;
}

function nameOfAxis({ name }: Axis, k: number): string {
  return name === undefined ? `axis ${k}` : `axis \`${name}\``;
}

/** An index as a term if it has one that can be evaluated here, else as a scalar. */
function indexAt(site: Site, index: Typed): Scalar {
  const term = integerTerm(site.lowering.checker, index);
  return evaluable(site, term) ? integerScalar(termHere(site, term)) : lower(site, index);
}

/** Uses indices as terms. Indices without a term are passed to a new function, as parameters. */
function atTerms(
  site: Site,
  indices: readonly Scalar[],
  type: ElementType,
  span: Span,
  use: (inside: Site, terms: readonly Term[]) => Scalar,
): Scalar {
  const parameters = indices.map((index) =>
    index.kind === "integer" ? undefined : newParameter("at", "i32"),
  );
  const terms = indices.map((index, k) =>
    index.kind === "integer" ? index.term : ofVariable(parameters[k]!.variable),
  );
  const own = parameters.flatMap((parameter) => parameter ?? []);
  if (own.length === 0) return use(site, terms);
  const given = indices.flatMap((index): readonly Scalar[] =>
    index.kind === "integer"
      ? []
      : [index.type === "i32" ? index : { kind: "cast", type: "i32", operand: index }],
  );
  const [made] = makeWithin(site, own, given, (inside) => [use(inside, terms)], span);
  return { ...made!, type } as Scalar;
}

// ── kept cells ──────────────────────────────────────────────────────────────────────────────────

/** One cell of a tensor whose cells are kept. */
export function cellsAt(site: Site, value: Cells, indices: readonly Scalar[]): Scalar {
  return cellOf(site, lower(site, value.box), value.type, indices, value.span);
}

/** All cells of a tensor, as one value. */
export function keptAt(site: Site, value: Typed): Scalar {
  switch (value.kind) {
    case "cells":
      return lower(site, value.box);
    case "block":
      declare(site, value.bindings);
      return keptAt(site, value.value);
    case "select":
      return {
        kind: "select",
        type: "data",
        condition: lower(site, value.condition),
        then: keptAt(site, value.then),
        otherwise: keptAt(site, value.otherwise),
      };
    case "reference": {
      const { binding } = value;
      if (binding.kind === "value" && isView(site, binding)) return keptAt(site, binding.value!);
      return isMade(site, value) ? keptName(site, binding) : copiedCells(site, value);
    }
    case "array": {
      const rows = (value.type.axes.length > 1 ? value.elements : []).map((row) => [row] as const);
      if (rows.length > 0)
        return rows.reduce<Scalar>((before, [row]) => copiedCells(site, row, before), noCells);
      return value.elements.reduce<Scalar>(
        (before, element) => dataCall("append", [before, lower(site, element)], "data"),
        noCells,
      );
    }
    case "abstract": {
      const { window, type, span } = value;
      if (!window || !isMade(site, window.base)) return copiedCells(site, value);
      const row = type.axes
        .slice(1)
        .map((axis) => extentAt(site, axis.extent ?? zero))
        .reduce<Scalar | undefined>(
          (size, extent) => (size ? timesAt(size, extent, span) : extent),
          undefined,
        );
      const cells = (count: Typed): Scalar =>
        row ? timesAt(indexAt(site, count), row, span) : indexAt(site, count);
      return dataCall(
        "slice",
        [keptAt(site, window.base), cells(window.from), cells(window.length)],
        "data",
      );
    }
    case "request":
      return isMade(site, value) ? keptSlopes(site, value) : copiedCells(site, value);
    default:
      return copiedCells(site, value);
  }
}

/** The positions where a test holds. */
export function acceptedAt(site: Site, { binder, test, span }: Accepted): Scalar {
  const items: readonly Item[] = [{ kind: "guard", condition: test }];
  const append = (inside: Site, [cells]: readonly Scalar[]): readonly Scalar[] => [
    dataCall("append", [cells!, integerScalar(inside.here.get(binder.variable)!)], "data"),
  ];
  return fold(site, [binder], items, [noCells], append, span)[0]!;
}

/** Declares the names inside a tensor's expression once for all of its cells. */
function declareAround(site: Site, value: Typed): void {
  switch (value.kind) {
    case "block":
      declare(site, value.bindings);
      declareAround(site, value.value);
      return;
    case "apply":
      for (const operand of value.operands) declareAround(site, operand);
      return;
    case "cast":
      declareAround(site, value.operand);
      return;
    case "read":
      declareAround(site, value.base);
      return;
    default:
  }
}

/** Appends the cells of a tensor, one after another, to the cells in `before`. */
function copiedCells(site: Site, value: Typed, before: Scalar = noCells): Scalar {
  const type = value.type as TensorType;
  declareAround(site, value);
  return appendCells(site, type, value.span, before, (inside, indices) =>
    lowerAt(inside, value, indices),
  );
}

// ── names ───────────────────────────────────────────────────────────────────────────────────────

/** A cell of a tensor that has a name in a function. */
export function namedCell(
  site: Site,
  binding: ValueBinding | TensorBinding,
  indices: readonly Scalar[],
  span: Span,
): Scalar {
  if (binding.kind === "value" && isView(site, binding))
    return lowerAt(site, binding.value!, indices);
  if (binding.kind === "tensor" && site.making?.binding === binding)
    return cellSoFar(site.making.cells, site, binding, indices, span);
  if (binding.kind === "tensor" && binding.type.axes.length === 0)
    return namedNumber(site, binding);
  return cellOf(site, keptName(site, binding), binding.type as TensorType, indices, span);
}

/** A cell of a tensor that is being made. Reading a cell that comes later ends the run. */
function cellSoFar(
  cells: Scalar,
  site: Site,
  { name, type }: TensorBinding,
  indices: readonly Scalar[],
  span: Span,
): Scalar {
  const then = cellOf(site, cells, type, indices, span) as Extract<Scalar, { kind: "data" }>;
  const condition = compared("less", then.operands[1]!, dataCall("size", [cells], "i32"), span);
  const otherwise = stopped({ kind: "early", of: name, span }, indices, then.type);
  return { kind: "select", type: then.type, condition, then, otherwise };
}

/**
 * Whether a name is only another view of cells that are kept already, so that there is no need to
 * keep them once more. The denominator of a derivative needs cells of its own.
 */
function isView(site: Site, binding: ValueBinding): boolean {
  const { value } = binding;
  if (!value || site.lowering.checker.denominators.has(binding)) return false;
  return (
    value.kind === "cells" ||
    value.kind === "reference" ||
    (value.kind === "abstract" && value.window !== undefined)
  );
}

/** A tensor without coordinates, as an empty pack leaves one: its cell is a number. */
function namedNumber(site: Site, binding: TensorBinding): Scalar {
  const type = decided(binding.type.element);
  const taken = takenAlong(site, binding, type, (around) => namedNumber(around, binding));
  if (taken) return taken;
  let local = site.locals.get(binding);
  if (!local)
    site.locals.set(
      binding,
      (local = { name: binding.name, value: cellOfClauses(site, binding, []) }),
    );
  return { kind: "local", type, local };
}

function isNameOfFunction(site: Site, binding: ValueBinding | TensorBinding): boolean {
  return (site.within?.own ?? site.function?.own)?.has(binding) || isAround(site, binding);
}

/** The cells of a tensor that has a name. They are kept when they are first asked for. */
function keptName(site: Site, binding: ValueBinding | TensorBinding): Scalar {
  // A parameter that is a denominator is one name in the whole function, in its loops too.
  if (site.lowering.checker.denominators.has(binding) && !isNameOfFunction(site, binding))
    site.function?.own.add(binding);
  const taken = takenAlong(site, binding, "data", (around) => keptName(around, binding));
  if (taken) return taken;
  let local = site.locals.get(binding);
  if (!local) {
    const value =
      binding.kind === "value"
        ? keptAt(site, binding.value!)
        : appendCells(site, binding.type, binding.span, noCells, (inside, indices, cells) =>
            cellOfClauses({ ...inside, making: { binding, cells } }, binding, indices),
          );
    site.locals.set(binding, (local = { name: binding.name, value }));
  }
  return { kind: "local", type: "data", local };
}

/**
 * The cell of the last clause that defines it. If no clause does, the cell is the `else` value of
 * the last guarded clause whose range contains it, or 0.
 */
function cellOfClauses(site: Site, binding: TensorBinding, indices: readonly Scalar[]): Scalar {
  const { span, name } = binding;
  const type = decided(binding.type.element);
  const terms = indices.map((index) => (index as Extract<Scalar, { kind: "integer" }>).term);
  const clauses = binding.clauses.map((clause) => clauseAt(site, clause, terms));
  const either = (condition: Scalar, then: Scalar, otherwise: Scalar): Scalar => {
    return condition === always ? then : { kind: "select", type, condition, then, otherwise };
  };
  const unowned = clauses.reduce<Scalar>(
    (before, { range, guards, otherwise }) =>
      guards ? either(range, otherwise ?? zeroScalar(type), before) : before,
    stopped({ kind: "undefined", of: name, span }, indices, type),
  );
  return clauses.reduce<Scalar>(
    (before, { range, guards, value }) =>
      either(guards ? applied("and", [range, guards], span) : range, value, before),
    unowned,
  );
}

/** The range of a clause without coordinates. */
const always: Scalar = { kind: "constant", type: "bool", value: true };

interface ClauseAt {
  readonly range: Scalar;
  readonly guards?: Scalar;
  readonly value: Scalar;
  readonly otherwise?: Scalar;
}

function clauseAt(site: Site, clause: Clause, terms: readonly Term[]): ClauseAt {
  const { span } = clause;
  const here = new Map<Variable, Term>(site.here);
  const inside: Site = { ...site, here };
  const inRange = clause.slots.flatMap((slot, k): readonly Scalar[] => {
    const index = integerScalar(terms[k]!);
    if (slot.kind === "fixed")
      return [compared("equal", index, integerScalar(termHere(site, slot.at)), span)];
    const [from, to] = [lower(inside, slot.binder.from!), lower(inside, slot.binder.to!)];
    here.set(slot.binder.variable, terms[k]!);
    return [compared("lessEqual", from, index, span), compared("less", index, to, span)];
  });
  declareItems(inside, clause.items);
  const guards = guardsOf(inside, clause.items);
  const all = (list: readonly Scalar[]): Scalar =>
    list.reduce((a, b) => applied("and", [a, b], span));
  return {
    range: inRange.length > 0 ? all(inRange) : always,
    ...(guards.length > 0 ? { guards: all(guards) } : {}),
    value: lowerAt(inside, clause.body, []),
    ...(clause.otherwise ? { otherwise: lower(inside, clause.otherwise) } : {}),
  };
}

// Ragged rows, comprehensions and windows are made in this folder; lists of data are in `lists.ts`.
//
// Ragged rows. All rows lie one after another in `flat`. `starts` has the position of the first
// cell of each row, and the end of the last row:
//
//   [[1, 2], [3]]      starts = [0, 2, 3],  flat = [1, 2, 3]
//
// If the rows are ragged themselves, there are starts for each level. An entry of one level is a
// position in the next level.

import type * as ast from "../../../syntax/tree/ast.ts";
import { nowhere, type Span } from "../../../base/source.ts";
import {
  add,
  constant,
  floorDiv,
  mod,
  multiply,
  ofVariable,
  plus,
  subtract,
  zero,
  type Term,
} from "../../../affine/term.ts";
import type { RowsPart } from "../../../scalar/types.ts";
import { howMany, newTensor, newRangeBinder } from "./accepted-positions.ts";
import { annotation } from "../../types/annotations.ts";
import { divisor, rectangular } from "./comprehensions.ts";
import { refuse, wrongAt, type Place } from "../../context.ts";
import { patternNames } from "../../names/free-names.ts";
import { valueBinding } from "../../types/integers.ts";
import { lookUp, scopeInside } from "../../names/scope.ts";
import { share, type Shared } from "../../values/share.ts";
import { integerValue } from "../../values/integer-value.ts";
import { membersOf } from "../../values/tuples.ts";
import type { Binder, Clause, TensorBinding, Typed, ValueBinding } from "../../types/typed.ts";
import {
  element,
  scalar,
  settle,
  showType,
  tensor,
  unify,
  type Element,
  type TensorType,
} from "../../types/types.ts";
import { expression } from "../../elaborate.ts";

/**
 * A value where ragged rows are declared: a literal, a comprehension of rows, or a value that has
 * ragged rows already.
 */
export function jaggedOf(
  place: Place,
  e: ast.Expression,
  type: Extract<ast.Type, { kind: "jagged" }>,
): Typed {
  const declared = annotation(place, type);
  if (declared.kind !== "jagged") return wrongAt(e.span);
  const { element: cell, levels } = declared;
  if (e.kind === "array") return rowsOf(place, e, cell, levels);
  const value =
    e.kind === "comprehension" ? comprehendedRows(place, e, cell) : expression(place, e);
  if (value.kind === "wrong") return value;
  const ragged = isTensorOf(value, levels + 1) ? raggedOf(place, value) : value;
  if (
    ragged.type.kind !== "jagged" ||
    ragged.type.levels !== levels ||
    !unify(ragged.type.element, cell)
  ) {
    return refuse(
      place,
      "E0411",
      `this is ${showType(value.type)}, declared as ${showType(declared)}`,
      value.span,
      {
        labels: [{ span: type.span, text: "declared here" }],
        help:
          ragged.type.kind === "jagged" && ragged.type.levels !== levels
            ? `declare it as \`${showType(ragged.type)}\``
            : "ragged rows are written `[[1, 2], [3]]`, or made by a comprehension of rows",
      },
    );
  }
  return ragged;
}

function isTensorOf({ type }: Typed, rank: number): boolean {
  return type.kind === "tensor" && type.axes.length === rank;
}

/** `[[1, 2], [3]]`. All levels above the last one must be written out in brackets. */
function rowsOf(place: Place, e: ast.ArrayLiteral, cell: Element, levels: number): Typed {
  const { span } = e;
  const above: Typed[] = [];
  let written: readonly ast.Expression[] = e.elements;
  for (let level = 1; level < levels; level++) {
    const starts = [0];
    for (const item of written) {
      if (item.kind !== "array") {
        return refuse(
          place,
          "E0411",
          "rows of ragged rows are written out in brackets",
          item.span,
          {
            help:
              "write `[[[1, 2], [3]], [[4]]]`, or make them by a comprehension: " +
              "`[[[… | k in 0..j] | j in 0..i] | i in 0..n]`",
          },
        );
      }
      starts.push(starts.at(-1)! + item.elements.length);
    }
    above.push(integersOf(starts.map(constant), span));
    written = written.flatMap((item) => (item as ast.ArrayLiteral).elements);
  }
  const rows = written.map((item) => expression(place, item));
  const starts: Term[] = [zero];
  for (const row of rows) {
    if (row.kind === "wrong") return wrongAt(span);
    if (
      row.type.kind !== "tensor" ||
      row.type.axes.length !== 1 ||
      !unify(row.type.element, cell)
    ) {
      const wanted = showType(tensor(cell, [{}]));
      return refuse(
        place,
        "E0411",
        `a row here is ${wanted}, this is ${showType(row.type)}`,
        row.span,
      );
    }
    starts.push(add(starts.at(-1)!, row.type.axes[0]!.extent ?? zero));
  }
  const flat = concatenated(place, rows, starts, cell, span);
  const value = raggedFrom(
    [...above, integersOf(starts, span)],
    referenceTo(flat, span),
    cell,
    span,
  );
  return { kind: "block", bindings: [flat], value, type: value.type, span };
}

function integersOf(terms: readonly Term[], span: Span): Typed {
  const axis = {
    extent: constant(terms.length),
    origin: { span, text: "one more than there are rows" },
  };
  const elements = terms.map((term): Typed => integerValue(term, span));
  return { kind: "array", elements, type: tensor(element("i32"), [axis]), span };
}

/**
 * A tensor as ragged rows of one length. Row p of a level whose rows have n entries begins at n *
 * p.
 */
function raggedOf(place: Place, value: Typed): Typed {
  const { span } = value;
  const { element: cell, axes } = value.type as TensorType;
  const shared = share(place, { text: "rows", span }, value);
  const extents = axes.map((axis) => axis.extent ?? zero);
  const bindings: TensorBinding[] = [];
  const starts = extents.slice(1).map((length, level): Typed => {
    const rows = extents.slice(0, level + 1).reduce(multiply, constant(1));
    const madeTensor = newTensor(place, "starts", element("i32"), span, () => {
      const p = newRangeBinder(
        "p",
        integerValue(zero, span),
        integerValue(plus(rows, 1), span),
        span,
      );
      const body = integerValue(multiply(ofVariable(p.variable), length), span);
      return [{ slots: [{ kind: "binder", binder: p }], items: [], body, span }];
    });
    bindings.push(madeTensor);
    return referenceTo(madeTensor, span);
  });
  const flat = newTensor(place, "flat", cell, span, () => {
    const total = extents.reduce(multiply, constant(1));
    const p = newRangeBinder("p", integerValue(zero, span), integerValue(total, span), span);
    const indices = extents.map((extent, k): Typed => {
      const inner = extents.slice(k + 1).reduce(multiply, constant(1));
      const outer = floorDiv(ofVariable(p.variable), divisor(inner));
      return integerValue(k === 0 ? outer : mod(outer, divisor(extent)), span);
    });
    const body: Typed = { kind: "read", base: shared.value, indices, type: scalar(cell), span };
    return [{ slots: [{ kind: "binder", binder: p }], items: [], body, span }];
  });
  bindings.push(flat);
  const ragged = raggedFrom(starts, referenceTo(flat, span), cell, span);
  return {
    kind: "block",
    bindings: [...shared.bindings, ...bindings],
    value: ragged,
    type: ragged.type,
    span,
  };
}

/** The rows one after another: a tensor with a clause for each row. */
function concatenated(
  place: Place,
  rows: readonly Typed[],
  starts: readonly Term[],
  cell: Element,
  span: Span,
): TensorBinding {
  return newTensor(place, "flat", cell, span, () => {
    const clauses = rows.map((row, k): Clause => {
      const binder = newRangeBinder(
        "p",
        integerValue(starts[k]!, span),
        integerValue(starts[k + 1]!, span),
        row.span,
      );
      const index = integerValue(subtract(ofVariable(binder.variable), starts[k]!), row.span);
      const body: Typed = {
        kind: "read",
        base: row,
        indices: [index],
        type: scalar(cell),
        span: row.span,
      };
      return { slots: [{ kind: "binder", binder }], items: [], body, span: row.span };
    });
    if (clauses.length > 0) return clauses;
    const none = newRangeBinder("p", integerValue(zero, span), integerValue(zero, span), span);
    const nothing: Typed = { kind: "constant", value: 0, type: scalar(cell), span };
    return [{ slots: [{ kind: "binder", binder: none }], items: [], body: nothing, span }];
  });
}

/**
 * `[row | clauses]`, where the rows have different lengths. Three comprehensions compute it:
 *
 * - `entries` keeps the values of the generators, one entry for each row.
 * - `elements` has the cells of all rows. Its generators are the entries and the row's own clauses.
 * - `owner` has the position of the row for each cell.
 *
 * If the cells are rows of different lengths again, `elements` is ragged, and its levels are the
 * levels below this one.
 */
export function comprehendedRows(place: Place, e: ast.Comprehension, cell: Element): Typed {
  const { span } = e;
  const level = levelBelow(place);
  const newName = (text: string): ast.Name => madeName(text, level, span);
  const outer = e.clauses.flatMap((clause, k) =>
    byPosition(clause, (text) => newName(isAgain(e, k) ? `${text} ${k}` : text)),
  );
  const names = [...new Set(outer.flatMap(generated))].map((text): ast.Name => ({ text, span }));
  const none = zeroAt(span);
  // A tuple has at least two members.
  const entry: ast.Expression = {
    kind: "tuple",
    members: [...names.map(pathTo), none, none],
    span,
  };
  const entries = rectangular(place, { ...e, clauses: outer, element: entry });
  if (entries.kind === "wrong") return entries;
  const scope = scopeInside(place.scope);
  const inside: Place = { ...place, scope };
  const kept = valueBinding(place, "part", newName("entries"), entries);
  scope.names.set(newName("entries").text, kept);

  const row = e.element;
  const inner: readonly ast.ComprehensionClause[] =
    row.kind === "comprehension" ? row.clauses : [generator(newName("cell"), row, span)];
  const cellOf = row.kind === "comprehension" ? row.element : pathTo(newName("cell"));
  const clauses = [
    ...unpacked(outer, names, pathTo(newName("entries")), newName("position")),
    ...inner,
  ];
  const elements = expression(inside, {
    kind: "comprehension",
    element: cellOf,
    clauses,
    span,
  });
  const owner = rectangular(inside, {
    kind: "comprehension",
    element: pathTo(newName("position")),
    clauses,
    span,
  });
  if (elements.kind === "wrong" || owner.kind === "wrong") return wrongAt(span);
  const { type } = elements;
  if ((type.kind !== "tensor" && type.kind !== "jagged") || !unify(type.element, cell))
    return refuse(place, "E0411", `a row here is ${showType(tensor(cell, [{}]))}`, row.span);
  settle(owner.type);
  const owners = valueBinding(place, "part", { text: "row", span }, owner);
  const counts = countsOf(place, owners, entries, span);
  const starts = startsOf(place, counts, span);
  const below = nameElements(place, elements);
  const levels = below.value.type.kind === "jagged" ? membersOf(below.value)! : [below.value];
  const value = raggedFrom(
    [referenceTo(starts, span), ...levels.slice(0, -1)],
    levels.at(-1)!,
    cell,
    span,
  );
  const bindings = [kept, owners, ...below.bindings, counts, starts];
  return { kind: "block", bindings, value, type: value.type, span };
}

/** The cells of all rows. If they are rows themselves, the levels below. */
function nameElements(place: Place, elements: Typed): Shared {
  const name: ast.Name = { text: "flat", span: elements.span };
  if (!isTensorOf(elements, 1))
    return share(
      place,
      name,
      elements.type.kind === "tensor" ? raggedOf(place, elements) : elements,
    );
  const binding = valueBinding(place, "part", name, asPart(elements, "cells"));
  return { bindings: [binding], value: referenceTo(binding, elements.span) };
}

/** The number of comprehensions of rows around this one. It keeps their names apart. */
function levelBelow({ scope }: Place): number {
  let level = 0;
  while (lookUp(scope, madeName("entries", level, nowhere).text)) level++;
  return level;
}

/** A name that no program can contain, because it has a blank in it. */
function madeName(text: string, level: number, span: Span): ast.Name {
  return { text: `rows ${text}${level === 0 ? "" : ` ${level}`}`, span };
}

function pathTo(name: ast.Name): ast.Path {
  return { kind: "path", segments: [name], span: name.span };
}

function zeroAt(span: Span): ast.Expression {
  return { kind: "number", text: "0", float: false, span };
}

function generator(name: ast.Name, source: ast.Expression, span: Span): ast.ComprehensionClause {
  return { kind: "generator", pattern: { kind: "name", name, span }, source, span };
}

/** `0..len(x)` */
function rangeOfPositions(x: ast.Expression, span: Span): ast.Expression {
  const length: ast.Call = {
    kind: "call",
    callee: pathTo({ text: "len", span }),
    arguments: [{ value: x, span }],
    span,
  };
  return { kind: "range", from: zeroAt(span), to: length, inclusive: false, span };
}

function elementAtPosition(base: ast.Expression, position: ast.Name, span: Span): ast.Index {
  return {
    kind: "index",
    base,
    items: [{ kind: "expression", value: pathTo(position), span }],
    span,
  };
}

/**
 * A generator over positions, `k in 0..len(rows), row = rows[k]`, in place of `row in rows`. Rows
 * of different lengths cannot be kept in a list of entries.
 */
function byPosition(
  clause: ast.ComprehensionClause,
  made: (text: string) => ast.Name,
): readonly ast.ComprehensionClause[] {
  if (
    clause.kind !== "generator" ||
    clause.pattern.kind !== "name" ||
    !isNameOrElement(clause.source)
  )
    return [clause];
  const { pattern, source, span } = clause;
  const position = made(`of ${pattern.name.text}`);
  const value = elementAtPosition(source, position, source.span);
  return [
    generator(position, rangeOfPositions(source, span), span),
    { kind: "binding", name: pattern.name, value, span },
  ];
}

/** Whether a generator binds a name that an earlier generator binds. */
function isAgain({ clauses }: ast.Comprehension, k: number): boolean {
  const own = generated(clauses[k]!);
  return clauses.slice(0, k).some((clause) => generated(clause).some((name) => own.includes(name)));
}

/** Whether an expression is a name or an element of one, so that it may be written twice. */
function isNameOrElement(e: ast.Expression): boolean {
  return e.kind === "path" || (e.kind === "index" && isNameOrElement(e.base));
}

/**
 * The names that the entries have to keep. Values that are computed from them are computed again.
 */
function generated(clause: ast.ComprehensionClause): readonly string[] {
  return clause.kind === "generator" ? patternNames(clause.pattern) : [];
}

/**
 * The clauses for the cells: the names of the generators are bound from the entries. The filters
 * are left out.
 */
function unpacked(
  outer: readonly ast.ComprehensionClause[],
  names: readonly ast.Name[],
  entries: ast.Path,
  position: ast.Name,
): readonly ast.ComprehensionClause[] {
  const { span } = entries;
  const clauses = outer.flatMap((clause): readonly ast.ComprehensionClause[] => {
    if (clause.kind === "binding") return [clause];
    return generated(clause).map((text): ast.ComprehensionClause => {
      const k = names.findIndex((each) => each.text === text);
      const base = elementAtPosition(entries, position, span);
      const value: ast.Member = { kind: "member", base, name: { text: String(k), span }, span };
      return { kind: "binding", name: names[k]!, value, span };
    });
  });
  return [generator(position, rangeOfPositions(entries, span), span), ...clauses];
}

/** counts[p] is the number of cells of row p: a scatter. */
function countsOf(place: Place, owners: ValueBinding, entries: Typed, span: Span): TensorBinding {
  const rows = entries.type.kind === "list" ? entries.type.axes[0]!.extent! : zero;
  const total = (owners.type as TensorType).axes[0]!.extent!;
  return newTensor(place, "counts", element("i32"), span, () => {
    const p = newRangeBinder("p", integerValue(zero, span), integerValue(rows, span), span);
    const k = newRangeBinder("k", integerValue(zero, span), integerValue(total, span), span);
    const owner = cellAtBinder(referenceTo(owners, span), k, element("i32"), span);
    const operands = [owner, integerValue(ofVariable(p.variable), span)];
    const condition: Typed = {
      kind: "apply",
      operation: "equal",
      operands,
      type: scalar("bool"),
      span,
    };
    return [
      {
        slots: [{ kind: "binder", binder: p }],
        items: [],
        body: howMany(k, condition, span),
        span,
      },
    ];
  });
}

/** starts[0] = 0,  starts[p] = starts[p - 1] + counts[p - 1] */
function startsOf(place: Place, counts: TensorBinding, span: Span): TensorBinding {
  const rows = counts.type.axes[0]!.extent!;
  return newTensor(place, "starts", element("i32"), span, (self) => {
    const p = newRangeBinder(
      "p",
      integerValue(constant(1), span),
      integerValue(plus(rows, 1), span),
      span,
    );
    const previous = integerValue(plus(ofVariable(p.variable), -1), span);
    const at = (of: TensorBinding): Typed => ({
      kind: "read",
      base: referenceTo(of, span),
      indices: [previous],
      type: scalar("i32"),
      span,
    });
    const body: Typed = {
      kind: "apply",
      operation: "add",
      operands: [at(self), at(counts)],
      type: scalar("i32"),
      span,
    };
    const none: Typed = { kind: "constant", value: 0, type: scalar("i32"), span };
    return [
      { slots: [{ kind: "fixed", at: zero, span }], items: [], body: none, span },
      { slots: [{ kind: "binder", binder: p }], items: [], body, span },
    ];
  });
}

function raggedFrom(starts: readonly Typed[], flat: Typed, cell: Element, span: Span): Typed {
  const members = [
    ...starts.map((each, level) => asPart(each, level === 0 ? "starts" : "inner")),
    asPart(flat, "cells"),
  ];
  return {
    kind: "tuple",
    members,
    type: { kind: "jagged", element: cell, levels: starts.length },
    span,
  };
}

/** Marks a tensor as a part of ragged rows. Messages then speak of rows. */
function asPart(value: Typed, rows: RowsPart): Typed {
  const { element: cell, axes } = value.type as TensorType;
  const type = tensor(
    cell,
    axes.map((axis) => ({ ...axis, rows })),
  );
  if (value.kind === "reference" && value.binding.kind === "tensor") value.binding.type = type;
  return { ...value, type };
}

function referenceTo(binding: ValueBinding | TensorBinding, span: Span): Typed {
  return { kind: "reference", binding, type: binding.type, span };
}

function cellAtBinder(base: Typed, binder: Binder, cell: Element, span: Span): Typed {
  return {
    kind: "read",
    base,
    indices: [integerValue(ofVariable(binder.variable), span)],
    type: scalar(cell),
    span,
  };
}

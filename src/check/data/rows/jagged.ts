// Ragged rows: all of them one after another in `flat`, and where each begins in `starts`, which
// has one entry more than there are rows. Rows that are ragged themselves have starts of their own,
// level after level: an entry of one level is a position in the next.

import type * as ast from "../../../syntax/tree/ast.ts";
import { nowhere, type Span } from "../../../base/source.ts";
import {
  add,
  constant,
  constantOf,
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
import { howMany, tensorOf, walking } from "./accepted-positions.ts";
import { annotation } from "../../types/annotations.ts";
import { rectangular } from "./comprehensions.ts";
import { refuse, wrongAt, type Place } from "../../context.ts";
import { patternNames } from "../../names/free-names.ts";
import { valueBinding } from "../../types/integers.ts";
import { lookUp, scopeInside } from "../../names/scope.ts";
import { share, type Shared } from "../../values/share.ts";
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
 * A value where ragged rows are declared: a literal or comprehension of rows, or ragged rows that
 * are there already.
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

/** `[[1, 2], [3]]`; the levels above the last one are brackets that are written out. */
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
  const elements = terms.map((term): Typed => integer(term, span));
  return { kind: "array", elements, type: tensor(element("i32"), [axis]), span };
}

/**
 * The rows of a tensor, which happen to have one length: row p of a level of rows with n entries
 * begins at n * p.
 */
function raggedOf(place: Place, value: Typed): Typed {
  const { span } = value;
  const { element: cell, axes } = value.type as TensorType;
  const shared = share(place, { text: "rows", span }, value);
  const extents = axes.map((axis) => axis.extent ?? zero);
  const bindings: TensorBinding[] = [];
  const starts = extents.slice(1).map((length, level): Typed => {
    const rows = extents.slice(0, level + 1).reduce(multiply, constant(1));
    const made = tensorOf(place, "starts", element("i32"), span, () => {
      const p = walking("p", integer(zero, span), integer(plus(rows, 1), span), span);
      const body = integer(multiply(ofVariable(p.variable), length), span);
      return [{ slots: [{ kind: "binder", binder: p }], items: [], body, span }];
    });
    bindings.push(made);
    return referenceTo(made, span);
  });
  const flat = tensorOf(place, "flat", cell, span, () => {
    const total = extents.reduce(multiply, constant(1));
    const p = walking("p", integer(zero, span), integer(total, span), span);
    const indices = extents.map((extent, k): Typed => {
      const inner = extents.slice(k + 1).reduce(multiply, constant(1));
      const outer = floorDiv(ofVariable(p.variable), divisor(inner));
      return integer(k === 0 ? outer : mod(outer, divisor(extent)), span);
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

/** Where an extent is 0 there are no positions, so what they are divided by does not matter. */
function divisor(length: Term): Term {
  return constantOf(length) === 0 ? constant(1) : length;
}

/** The rows one after another, a clause for each. */
function concatenated(
  place: Place,
  rows: readonly Typed[],
  starts: readonly Term[],
  cell: Element,
  span: Span,
): TensorBinding {
  return tensorOf(place, "flat", cell, span, () => {
    const clauses = rows.map((row, k): Clause => {
      const binder = walking(
        "p",
        integer(starts[k]!, span),
        integer(starts[k + 1]!, span),
        row.span,
      );
      const index = integer(subtract(ofVariable(binder.variable), starts[k]!), row.span);
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
    const none = walking("p", integer(zero, span), integer(zero, span), span);
    const nothing: Typed = { kind: "constant", value: 0, type: scalar(cell), span };
    return [{ slots: [{ kind: "binder", binder: none }], items: [], body: nothing, span }];
  });
}

/**
 * `[row | clauses]`: what the generators bind is kept as a list, one entry for each row. The
 * elements of all rows are then one comprehension over the entries and the row's own clauses, and a
 * second one says which row each belongs to. Where the elements are rows of different lengths
 * again, that comprehension is ragged itself, and its levels are the next ones.
 */
export function comprehendedRows(place: Place, e: ast.Comprehension, cell: Element): Typed {
  const { span } = e;
  const level = levelBelow(place);
  const made = (text: string): ast.Name => madeName(text, level, span);
  const outer = e.clauses.flatMap((clause, k) =>
    byPosition(clause, (text) => made(isAgain(e, k) ? `${text} ${k}` : text)),
  );
  const names = [...new Set(outer.flatMap(generated))].map((text): ast.Name => ({ text, span }));
  const none = numeral(0, span);
  // A tuple has two members at least.
  const entry: ast.Expression = {
    kind: "tuple",
    members: [...names.map(pathTo), none, none],
    span,
  };
  const entries = rectangular(place, { ...e, clauses: outer, element: entry });
  if (entries.kind === "wrong") return entries;
  const scope = scopeInside(place.scope);
  const inside: Place = { ...place, scope };
  const kept = valueBinding(place, "part", made("entries"), entries);
  scope.names.set(made("entries").text, kept);

  const row = e.element;
  const inner: readonly ast.ComprehensionClause[] =
    row.kind === "comprehension" ? row.clauses : [generator(made("cell"), row, span)];
  const cellOf = row.kind === "comprehension" ? row.element : pathTo(made("cell"));
  const clauses = [...unpacked(outer, names, pathTo(made("entries")), made("position")), ...inner];
  const elements = expression(inside, {
    kind: "comprehension",
    element: cellOf,
    clauses,
    span,
  });
  const owner = rectangular(inside, {
    kind: "comprehension",
    element: pathTo(made("position")),
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
  const below = named(place, elements);
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

/** The elements of all rows, or the levels below where they are rows themselves. */
function named(place: Place, elements: Typed): Shared {
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

/** Rows that are made inside of others have names of their own. */
function levelBelow({ scope }: Place): number {
  let level = 0;
  while (lookUp(scope, madeName("entries", level, nowhere).text)) level++;
  return level;
}

/** A name of our own: no source name has a blank in it. */
function madeName(text: string, level: number, span: Span): ast.Name {
  return { text: `rows ${text}${level === 0 ? "" : ` ${level}`}`, span };
}

function pathTo(name: ast.Name): ast.Path {
  return { kind: "path", segments: [name], span: name.span };
}

function numeral(value: number, span: Span): ast.Expression {
  return { kind: "number", text: String(value), float: false, span };
}

function generator(name: ast.Name, source: ast.Expression, span: Span): ast.ComprehensionClause {
  return { kind: "generator", pattern: { kind: "name", name, span }, source, span };
}

/** `0..len(x)` */
function positionsOf(x: ast.Expression, span: Span): ast.Expression {
  const length: ast.Call = {
    kind: "call",
    callee: pathTo({ text: "len", span }),
    arguments: [{ value: x, span }],
    span,
  };
  return { kind: "range", from: numeral(0, span), to: length, inclusive: false, span };
}

function elementOf(base: ast.Expression, position: ast.Name, span: Span): ast.Index {
  return {
    kind: "index",
    base,
    items: [{ kind: "expression", value: pathTo(position), span }],
    span,
  };
}

/**
 * `row in rows` by positions, because rows of different lengths cannot be kept in a list: `k in
 * 0..len(rows), row = rows[k]`.
 */
function byPosition(
  clause: ast.ComprehensionClause,
  made: (text: string) => ast.Name,
): readonly ast.ComprehensionClause[] {
  if (clause.kind !== "generator" || clause.pattern.kind !== "name" || !isNamed(clause.source))
    return [clause];
  const { pattern, source, span } = clause;
  const position = made(`of ${pattern.name.text}`);
  const value = elementOf(source, position, source.span);
  return [
    generator(position, positionsOf(source, span), span),
    { kind: "binding", name: pattern.name, value, span },
  ];
}

/** Whether a generator has the name of one before it. */
function isAgain({ clauses }: ast.Comprehension, k: number): boolean {
  const own = generated(clauses[k]!);
  return clauses.slice(0, k).some((clause) => generated(clause).some((name) => own.includes(name)));
}

/** A name, or what stands at a position of one: costs nothing to write twice. */
function isNamed(e: ast.Expression): boolean {
  return e.kind === "path" || (e.kind === "index" && isNamed(e.base));
}

/** The names that a clause has to keep; what it computes from them is computed again. */
function generated(clause: ast.ComprehensionClause): readonly string[] {
  return clause.kind === "generator" ? patternNames(clause.pattern) : [];
}

/**
 * The clauses again, for the rows that were kept: their names from the entries, without the
 * filters.
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
      const base = elementOf(entries, position, span);
      const value: ast.Member = { kind: "member", base, name: { text: String(k), span }, span };
      return { kind: "binding", name: names[k]!, value, span };
    });
  });
  return [generator(position, positionsOf(entries, span), span), ...clauses];
}

/** counts[p] = how many elements belong to row p: a scatter. */
function countsOf(place: Place, owners: ValueBinding, entries: Typed, span: Span): TensorBinding {
  const rows = entries.type.kind === "list" ? entries.type.axes[0]!.extent! : zero;
  const total = (owners.type as TensorType).axes[0]!.extent!;
  return tensorOf(place, "counts", element("i32"), span, () => {
    const p = walking("p", integer(zero, span), integer(rows, span), span);
    const k = walking("k", integer(zero, span), integer(total, span), span);
    const owner = cellAt(referenceTo(owners, span), k, element("i32"), span);
    const operands = [owner, integer(ofVariable(p.variable), span)];
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

/** starts[0] = 0, starts[p] = starts[p - 1] + counts[p - 1] */
function startsOf(place: Place, counts: TensorBinding, span: Span): TensorBinding {
  const rows = counts.type.axes[0]!.extent!;
  return tensorOf(place, "starts", element("i32"), span, (self) => {
    const p = walking("p", integer(constant(1), span), integer(plus(rows, 1), span), span);
    const previous = integer(plus(ofVariable(p.variable), -1), span);
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

/** Says which part of ragged rows a tensor is, so that messages about it speak of rows. */
function asPart(value: Typed, rows: RowsPart): Typed {
  const { element: cell, axes } = value.type as TensorType;
  const type = tensor(
    cell,
    axes.map((axis) => ({ ...axis, rows })),
  );
  if (value.kind === "reference" && value.binding.kind === "tensor") value.binding.type = type;
  return { ...value, type };
}

function integer(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

function referenceTo(binding: ValueBinding | TensorBinding, span: Span): Typed {
  return { kind: "reference", binding, type: binding.type, span };
}

function cellAt(base: Typed, binder: Binder, cell: Element, span: Span): Typed {
  return {
    kind: "read",
    base,
    indices: [integer(ofVariable(binder.variable), span)],
    type: scalar(cell),
    span,
  };
}

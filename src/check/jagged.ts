// Ragged rows: all of them one after another in `flat`, and where each begins in `starts`, which has one entry more than there are rows.

import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { add, constant, ofVariable, plus, subtract, zero, type Term } from "../ir/affine/term.ts";
import type { RowsPart } from "../ir/program.ts";
import { tensorOf, walking } from "./accepted-positions.ts";
import { readAt } from "./access.ts";
import { annotation } from "./annotations.ts";
import { rectangular } from "./comprehensions.ts";
import { refuse, wrongAt, type Place } from "./context.ts";
import { patternNames } from "./damaged.ts";
import { expression } from "./expressions.ts";
import { termOf, valueBinding } from "./integers.ts";
import { apply } from "./operators.ts";
import { scopeInside } from "./scope.ts";
import { membersOf } from "./tuples.ts";
import type { Abstract, Binder, Clause, TensorBinding, Typed, ValueBinding, Window } from "./typed.ts";
import { element, scalar, settle, showType, tensor, unify, type Element, type TensorType } from "./types.ts";
import { windowOf, windowOver } from "./windows.ts";

/** A value where ragged rows are declared: a literal or comprehension of rows, or ragged rows that are there already. */
export function jaggedOf(place: Place, e: ast.Expression, type: Extract<ast.Type, { kind: "jagged" }>): Typed {
  const declared = annotation(place, type);
  if (declared.kind !== "jagged") return wrongAt(e.span);
  if (e.kind === "array") return rowsOf(place, e, declared.element);
  if (e.kind === "comprehension") return comprehendedRows(place, e, declared.element);
  const value = expression(place, e);
  if (value.kind === "wrong") return value;
  if (value.type.kind !== "jagged" || !unify(value.type.element, declared.element)) {
    return refuse(place, "E0411", `this is ${showType(value.type)}, declared as ${showType(declared)}`, value.span, {
      labels: [{ span: type.span, text: "declared here" }],
      help: "ragged rows are written `[[1, 2], [3]]`, or made by a comprehension of rows",
    });
  }
  return value;
}

/** `[[1, 2], [3]]` */
function rowsOf(place: Place, e: ast.ArrayLiteral, cell: Element): Typed {
  const { span } = e;
  const rows = e.elements.map((item) => expression(place, item));
  const starts: Term[] = [zero];
  for (const row of rows) {
    if (row.kind === "wrong") return wrongAt(span);
    if (row.type.kind !== "tensor" || row.type.axes.length !== 1 || !unify(row.type.element, cell)) {
      const wanted = showType(tensor(cell, [{}]));
      return refuse(place, "E0411", `a row here is ${wanted}, this is ${showType(row.type)}`, row.span);
    }
    starts.push(add(starts.at(-1)!, row.type.axes[0]!.extent ?? zero));
  }
  const entries = starts.map((term): Typed => integer(term, span));
  const axis = { extent: constant(entries.length), origin: { span, text: "one more than there are rows" } };
  const begins: Typed = { kind: "array", elements: entries, type: tensor(element("i32"), [axis]), span };
  const flat = concatenated(place, rows, starts, cell, span);
  const value = raggedFrom(begins, referenceTo(flat, span), cell, span);
  return { kind: "block", bindings: [flat], value, type: value.type, span };
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
      const binder = walking("p", integer(starts[k]!, span), integer(starts[k + 1]!, span), row.span);
      const index = integer(subtract(ofVariable(binder.variable), starts[k]!), row.span);
      const body: Typed = { kind: "read", base: row, indices: [index], type: scalar(cell), span: row.span };
      return { slots: [{ kind: "binder", binder }], items: [], body, span: row.span };
    });
    if (clauses.length > 0) return clauses;
    const none = walking("p", integer(zero, span), integer(zero, span), span);
    const nothing: Typed = { kind: "constant", value: 0, type: scalar(cell), span };
    return [{ slots: [{ kind: "binder", binder: none }], items: [], body: nothing, span }];
  });
}

/**
 * `[row | clauses]`: what the generators bind is kept as a list, one entry for each row. The elements of all rows are then one
 * comprehension over the entries and the row's own clauses, and a second one says which row each belongs to.
 */
export function comprehendedRows(place: Place, e: ast.Comprehension, cell: Element): Typed {
  const { span } = e;
  const outer = e.clauses.flatMap(byPosition);
  const names = [...new Set(outer.flatMap(generated))].map((text): ast.Name => ({ text, span }));
  const none = numeral(0, span);
  // A tuple has two members at least.
  const entry: ast.Expression = { kind: "tuple", members: [...names.map(pathTo), none, none], span };
  const entries = rectangular(place, { ...e, clauses: outer, element: entry });
  if (entries.kind === "wrong") return entries;
  const scope = scopeInside(place.scope);
  const inside: Place = { ...place, scope };
  const kept = valueBinding(place, "part", made("entries", span), entries);
  scope.names.set(made("entries", span).text, kept);

  const row = e.element;
  const inner: readonly ast.ComprehensionClause[] =
    row.kind === "comprehension" ? row.clauses : [generator(made("cell", span), row, span)];
  const cellOf = row.kind === "comprehension" ? row.element : pathTo(made("cell", span));
  const clauses = [...unpacked(outer, names, span), ...inner];
  const flat = rectangular(inside, { kind: "comprehension", element: cellOf, clauses, span });
  const owner = rectangular(inside, {
    kind: "comprehension",
    element: pathTo(made("position", span)),
    clauses,
    span,
  });
  if (flat.kind === "wrong" || owner.kind === "wrong") return wrongAt(span);
  if (flat.type.kind !== "tensor" || flat.type.axes.length !== 1 || !unify(flat.type.element, cell))
    return refuse(place, "E0411", `a row here is ${showType(tensor(cell, [{}]))}`, row.span);
  settle(owner.type);
  const owners = valueBinding(place, "part", { text: "row", span }, owner);
  const counts = countsOf(place, owners, entries, span);
  const starts = startsOf(place, counts, span);
  const cells = valueBinding(place, "part", { text: "flat", span }, asPart(flat, "cells"));
  const value = raggedFrom(referenceTo(starts, span), referenceTo(cells, span), cell, span);
  return { kind: "block", bindings: [kept, owners, cells, counts, starts], value, type: value.type, span };
}

/** A name of our own: no source name has a blank in it. */
function made(text: string, span: Span): ast.Name {
  return { text: `rows ${text}`, span };
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
  return { kind: "index", base, items: [{ kind: "expression", value: pathTo(position), span }], span };
}

/** `row in rows` by positions, because rows of different lengths cannot be kept in a list: `k in 0..len(rows), row = rows[k]`. */
function byPosition(clause: ast.ComprehensionClause): readonly ast.ComprehensionClause[] {
  if (clause.kind !== "generator" || clause.pattern.kind !== "name" || clause.source.kind !== "path") return [clause];
  const { pattern, source, span } = clause;
  const position = made(`of ${pattern.name.text}`, span);
  const value = elementOf(source, position, source.span);
  return [generator(position, positionsOf(source, span), span), { kind: "binding", name: pattern.name, value, span }];
}

/** The names that a clause has to keep; what it computes from them is computed again. */
function generated(clause: ast.ComprehensionClause): readonly string[] {
  return clause.kind === "generator" ? patternNames(clause.pattern) : [];
}

/** The clauses again, for the rows that were kept: their names from the entries, without the filters. */
function unpacked(
  outer: readonly ast.ComprehensionClause[],
  names: readonly ast.Name[],
  span: Span,
): readonly ast.ComprehensionClause[] {
  const [entries, position] = [pathTo(made("entries", span)), made("position", span)];
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
    const condition: Typed = { kind: "apply", operation: "equal", operands, type: scalar("bool"), span };
    const body: Typed = {
      kind: "reduce",
      reduction: "sum",
      binders: [k],
      items: [{ kind: "guard", condition }],
      body: { kind: "constant", value: 1, type: scalar("i32"), span },
      type: scalar("i32"),
      span,
    };
    return [{ slots: [{ kind: "binder", binder: p }], items: [], body, span }];
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

// ── reading ─────────────────────────────────────────────────────────────────────────────────────

/** How many rows there are. */
export function rowCount(value: Typed): Term {
  const starts = membersOf(value)![0]!.type as TensorType;
  return plus(starts.axes[0]!.extent!, -1);
}

/** `a[i]`, a row as a tensor of its own, or `a[i][j]` written as `a[i, j]`, which is refused. */
export function rowAt(place: Place, base: Typed, indices: readonly Typed[], span: Span, spans: readonly Span[]): Typed {
  const [index] = indices;
  if (indices.length !== 1) {
    return refuse(place, "E0402", "ragged rows are read one index at a time", span, {
      help: `write \`${textOf(base.span)}[i][j]\``,
    });
  }
  const { element: cell } = base.type as Extract<typeof base.type, { kind: "jagged" }>;
  const [starts, flat] = membersOf(base)!.map((member): Typed => ({ ...member, span: base.span }));
  const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span };
  const next = apply(place, "add", [index!, one], span);
  const from = readAt(place, starts!, [index!], span, spans);
  const to = readAt(place, starts!, [next], span, spans);
  const length = apply(place, "subtract", [to, from], span);
  const extent = termOf(place.checker, length);
  const axis = { extent, origin: { span, text: "the length of this row" } };
  const row = windowOver(
    { base: { ...flat!, type: tensor(cell, (flat!.type as TensorType).axes) }, from, length },
    axis,
    span,
  );
  rows.add((row as Abstract).window!);
  return row;
}

/** The windows that are rows of ragged values. */
const rows = new WeakSet<Window>();

export function isRow(value: Typed): boolean {
  const window = windowOf(value);
  return window !== undefined && rows.has(window);
}

function raggedFrom(starts: Typed, flat: Typed, cell: Element, span: Span): Typed {
  const members = [asPart(starts, "starts"), asPart(flat, "cells")];
  return { kind: "tuple", members, type: { kind: "jagged", element: cell }, span };
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
  return { kind: "read", base, indices: [integer(ofVariable(binder.variable), span)], type: scalar(cell), span };
}

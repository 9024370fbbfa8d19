// In NumPy, `x[x > 0.0]` chooses cells by a mask. Here the guard of a reduction or a comprehension
// chooses them. This file writes the help:
//
//   sum(x[x > 0.0])         `sum[i](x[i] where x[i] > 0.0)`
//   sum[i](x[x[i] > 0.0])   the same
//   x[x > 0.0]              `[x[i] | i in 0..len(x), x[i] > 0.0]`

import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { operationOfFunction } from "../../scalar/operations.ts";
import type { Place } from "../context.ts";
import { cellOfValue, cellText, coordinatesInSight } from "../expressions/condition-help.ts";
import { typeOnTrial } from "../type-on-trial.ts";
import { decided, isText } from "../types/types.ts";
import { callsIn, indexNodes, nodesAt, pathsIn } from "./free-names.ts";
import { freshNames, indexable } from "./fresh-names.ts";
import { lookUp } from "./scope.ts";

/** A read that a mask chooses: `x[x > 0.0]`. */
interface MaskedRead {
  readonly node: ast.Index;
  readonly mask: ast.Expression;
  /** The axes of the base. */
  readonly rank: number;
  /** The axes of the mask. A mask that is written for one cell, `x[i] > 0.0`, has none. */
  readonly maskRank: number;
}

/** A value whose reads are chosen by masks, to be reduced. */
export interface Masked {
  readonly rank: number;
  /** How many of the first axes a mask chooses among. */
  readonly chosen: number;
  /** The unbound coordinates that the first mask is written with. */
  readonly written: readonly string[];
  /** The value without masks, and the masks as guards: `x[i] where x[i] > 0.0`. */
  readonly cell: (names: readonly string[]) => string;
  /** False if the value reads other tensors, too: `cell` then is that of the first read. */
  readonly isWhole: boolean;
  /** False if a call in the value may hold masks of its own. */
  readonly isExact: boolean;
}

/** The masked reads of a value outside of calls that are not elementwise. */
export function maskedValue(place: Place, e: ast.Expression): Masked | undefined {
  const reads = masksIn(place, e);
  const [first] = reads;
  if (!first) return undefined;
  const { rank } = first;
  const chosen = Math.max(1, first.maskRank || rank);
  const texts = new Set(reads.map(({ mask }) => textOf(mask.span)));
  const isWhole =
    texts.size === 1 && reads.every((read) => read.rank === rank) && !readsMore(place, e, reads);
  return {
    rank,
    chosen,
    written: coordinatesIn(first, (name) => lookUp(place.scope, name) === undefined),
    isWhole,
    isExact: isWhole && callsIn(e).every(isCellwise),
    cell: (names) =>
      isWhole
        ? withGuards(unmasked(place, e, reads, names), guardsOf(place, reads, names))
        : withGuards(unmasked(place, first.node, [first], names), guardsOf(place, [first], names)),
  };
}

/** The repair of a mask inside a reduction with coordinates: its guard. */
export function asGuard(place: Place, node: ast.Index): Repair | undefined {
  const call = place.reduction;
  const value = call?.arguments[0]?.value;
  if (!call || !value || !isDirectlyIn(call, node.span)) return undefined;
  const body = value.kind === "guarded" ? value.value : value;
  const reads = masksIn(place, body);
  const first = reads.find((read) => read.node === node);
  const bracket = call.bracket?.flatMap((item) => (item.kind === "coordinate" ? [item] : [])) ?? [];
  if (!first || bracket.length !== call.bracket?.length) return undefined;
  const fitting = reads.filter((read) => read.rank === first.rank);
  const around = [textOf(call.span), ...coordinatesInSight(place.scope)].join(" ");
  const added = freshNames(Math.max(0, first.rank - bracket.length), around);
  const names = coordinatesFor(first, [...bracket.map(({ name }) => name.text), ...added]);
  if (!names) return undefined;
  const guards = value.kind === "guarded" ? value.where.items.map(({ span }) => textOf(span)) : [];
  const cell = withGuards(unmasked(place, body, fitting, names), [
    ...guards,
    ...guardsOf(place, fitting, names),
  ]);
  const coordinates = [...bracket.map(({ span }) => textOf(span)), ...added].join(", ");
  const text = `${textOf(call.callee.span)}[${coordinates}](${cell})`;
  return {
    help: `a mask is a guard of the reduction: \`${text}\``,
    ...fixed(`write \`${text}\``, replace(call.span, text)),
  };
}

/** The repair of a mask that stands outside of a reduction: a comprehension. */
export function asComprehension(place: Place, node: ast.Index): Repair | undefined {
  const text = textOf(node.base.span);
  const around = [textOf(node.span), ...coordinatesInSight(place.scope)].join(" ");
  if (node.items.length > 1) return besideIndices(place, node, text, freshNames(1, around)[0]!);
  const read = maskedRead(place, node);
  if (!read) return undefined;
  const written = coordinatesIn(read, () => true);
  if (read.maskRank === 0 && written.length !== read.rank) return undefined;
  const names = read.maskRank === 0 ? written : freshNames(read.rank, around, "ijkmn");
  const own = names.slice(0, read.maskRank || read.rank);
  const ranges = own.map((name, axis) => {
    const extent = axis === 0 ? `len(${text})` : `${text}.shape[${axis}]`;
    return `${name} in 0..${extent}`;
  });
  const chosen = unmasked(place, node, [read], own);
  const clauses = [...ranges, guardOf(place, read, own)].join(", ");
  const help = `[${chosen} | ${clauses}]`;
  if (read.maskRank === 0)
    return { help: `to choose cells by a condition, write \`let r = ${help};\`` };
  return {
    help: `write \`${help}\``,
    ...fixed("choose the elements", replace(node.span, help)),
  };
}

/** The comprehension for a mask beside other indices: `A[m, 0]`. */
function besideIndices(
  place: Place,
  node: ast.Index,
  text: string,
  name: string,
): Repair | undefined {
  const masks = node.items.flatMap((item, axis) =>
    item.kind === "expression" && typeOnTrial(place, item.value)?.axes.length === 1
      ? [{ mask: item.value, axis }]
      : [],
  );
  const [only] = masks;
  if (!only || masks.length > 1) return undefined;
  const { mask, axis } = only;
  const indices = node.items.map(({ span }, k) => (k === axis ? name : textOf(span))).join(", ");
  const extent = axis === 0 ? `len(${text})` : `${text}.shape[${axis}]`;
  const guard = cellText(place, mask, 1, [name]);
  return { help: `write \`[${text}[${indices}] | ${name} in 0..${extent}, ${guard}]\`` };
}

/** Which of the coordinates of a reduction read the base of a mask. */
function coordinatesFor(
  { mask, rank, maskRank }: MaskedRead,
  names: readonly string[],
): readonly string[] | undefined {
  if (names.length === rank) return names;
  const words = new Set(textOf(mask.span).match(/\w+/g));
  const own = maskRank === 0 ? names.filter((name) => words.has(name)) : [];
  return own.length === rank ? own : undefined;
}

/** Whether a reduction walks what stands at a span, and no comprehension or call between does. */
function isDirectlyIn(call: ast.Call, span: Span): boolean {
  if (call.span.source !== span.source) return false;
  const around = nodesAt(call, span);
  return (
    around[0] === call &&
    around
      .slice(1)
      .every((node) => node.kind !== "comprehension" && node.kind !== "lambda" && isCellwise(node))
  );
}

/** False for a call of a function that is not known to work cell by cell. */
export function isCellwise(node: ast.Expression): boolean {
  if (node.kind !== "call") return true;
  const name = /\w+$/.exec(textOf(node.callee.span))?.[0] ?? "";
  return (
    !node.bracket &&
    operationOfFunction.has(name) &&
    (node.arguments.length > 1 || !/^(?:max|min)$/.test(name))
  );
}

function masksIn(place: Place, e: ast.Expression): readonly MaskedRead[] {
  const found: MaskedRead[] = [];
  for (const node of indexNodes(e)) {
    const around = nodesAt(e, node.span);
    const isInside = around.some((outer) => found.some((read) => read.node === outer));
    if (isInside || !around.every(isCellwise)) continue;
    const read = maskedRead(place, node);
    if (read) found.push(read);
  }
  return found.sort((a, b) => a.node.span.start - b.node.span.start);
}

function maskedRead(place: Place, node: ast.Index): MaskedRead | undefined {
  const [item] = node.items;
  if (item?.kind !== "expression" || node.items.length > 1) return undefined;
  const mask = item.value;
  if (mask.kind === "number" || isCoordinate(place, mask)) return undefined;
  const base = typeOnTrial(place, node.base);
  if (!base || isText(base) || base.axes.length === 0) return undefined;
  const rank = base.axes.length;
  const type = typeOnTrial(place, mask);
  // The coordinates of `x[i] > 0.0` may be bound nowhere. A comparison is a bool in any case.
  if (!type) return isCondition(mask) ? { node, mask, rank, maskRank: 0 } : undefined;
  const maskRank = type.axes.length;
  if (decided(type.element) !== "bool" || maskRank > rank) return undefined;
  return { node, mask, rank, maskRank };
}

function isCoordinate({ scope }: Place, e: ast.Expression): boolean {
  if (e.kind !== "path" || e.segments.length > 1) return false;
  const kind = lookUp(scope, e.segments[0]!.text)?.kind;
  return kind !== "value" && kind !== "tensor" && kind !== "const";
}

function isCondition(e: ast.Expression): boolean {
  if (e.kind === "unary") return e.operator === "!";
  return e.kind === "binary" && /^(?:[=!<>]=|[<>]|&&|\|\||in)$/.test(e.operator);
}

/** The names that a mask of one cell is indexed with: `i` of `x[i] > 0.0`. */
function coordinatesIn(
  { mask, maskRank }: MaskedRead,
  isWanted: (name: string) => boolean,
): readonly string[] {
  if (maskRank > 0) return [];
  const names = indexNodes(mask)
    .flatMap(({ items }) => items.flatMap((item) => pathsIn(item)))
    .flatMap(({ segments }) => (segments.length === 1 ? [segments[0]!.text] : []))
    .filter(isWanted);
  return [...new Set(names)];
}

/** Whether a value reads a whole tensor beside its masked reads. */
function readsMore(place: Place, e: ast.Expression, reads: readonly MaskedRead[]): boolean {
  return pathsIn(e).some((path) => {
    const around = nodesAt(e, path.span);
    if (around.some((node) => reads.some((read) => read.node === node))) return false;
    if (!around.every(isCellwise)) return false;
    const binding = lookUp(place.scope, path.segments[0]!.text);
    const type = binding?.kind === "value" || binding?.kind === "tensor" ? binding.type : undefined;
    return type?.kind === "tensor" && type.axes.length > 0;
  });
}

/** The text of a value with a cell in the place of each masked read. */
function unmasked(
  place: Place,
  e: ast.Expression,
  reads: readonly MaskedRead[],
  names: readonly string[],
): string {
  const { start } = e.span;
  return [...reads]
    .sort((a, b) => b.node.span.start - a.node.span.start)
    .reduce((text, { node }) => {
      const cell =
        node.base.kind === "path"
          ? `${textOf(node.base.span)}[${names.join(", ")}]`
          : cellOfValue(place, node.base, names.length, names);
      return text.slice(0, node.span.start - start) + cell + text.slice(node.span.end - start);
    }, textOf(e.span));
}

function guardOf(place: Place, { mask, maskRank }: MaskedRead, names: readonly string[]): string {
  if (maskRank === 0) return textOf(mask.span);
  const own = names.slice(0, maskRank);
  if (mask.kind === "index") return cellOfValue(place, mask, maskRank, own);
  const isCompared = mask.kind === "binary" || mask.kind === "unary";
  return isCompared
    ? cellText(place, mask, maskRank, own)
    : `${indexable(mask)}[${own.join(", ")}]`;
}

function guardsOf(
  place: Place,
  reads: readonly MaskedRead[],
  names: readonly string[],
): readonly string[] {
  return [...new Set(reads.map((read) => guardOf(place, read, names)))];
}

function withGuards(cell: string, guards: readonly string[]): string {
  return `${cell} where ${guards.join(", ")}`;
}

// Suggests a range for a coordinate that nothing determines. The examples stand with the range that
// is suggested, and with the source of the suggestion:
//
//   let c[0, q in 0..k] = 0.0;   let c[t in 1..9, q] = 1.0;   // q in 0..k: another clause
//   let c[i] = sum[k in 0..i+1](d[i - k]);                    // i in 0..len(d): the indexed axis
//   let ones[i] = 1.0;                                        // i in 0..…: unknown

import type { Term, Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { sameExtent } from "../statements/agree.ts";
import type { Frame, Place, Use } from "../context.ts";
import { sizeText } from "../types/extents.ts";
import { indexNodes, namesReadIn } from "../names/free-names.ts";
import { integerTerm } from "../types/integers.ts";
import { dimensionNamed, lookUp, type Scope } from "../names/scope.ts";
import type { Binder } from "../types/typed.ts";
import { isIntegerScalar, type Axis } from "../types/types.ts";

/** The left side with a range for one coordinate. */
export function slotsWith(
  { statement }: Place,
  { left }: Frame,
  binder: Binder,
  ranged: string,
): string {
  const isOwn = (slot: ast.Slot): boolean => slot.span.start === binder.span.start;
  const written = statement?.slots ?? [];
  const slots = written.some(isOwn)
    ? written.map((slot) => (isOwn(slot) ? ranged : textOf(slot.span)))
    : left.map((slot) => (slot === binder ? ranged : slot.name));
  return slots.join(", ");
}

/** Whether a name is an integer of the program. A coordinate of that name is passed over. */
export function isIntegerName(scope: Scope | undefined, name: string): boolean {
  for (let at = scope; at; at = at.parent) {
    const binding = at.names.get(name);
    if (binding?.kind === "value") return isIntegerScalar(binding.type);
    if (binding?.kind === "const") return /^\d[\d_]*$/.test(textOf(binding.value.span));
    if (binding && binding.kind !== "coordinate") return false;
  }
  return false;
}

/** The suggested range. `undefined` if the program has no name for its end. */
export function rangeToWrite(
  place: Place,
  frame: Frame,
  binder: Binder,
  use: Use | undefined,
): string | undefined {
  if (isDimension(place.scope, binder.name)) return `0..extent(${binder.name})`;
  return (
    (frame.left.includes(binder) ? rangeFromOtherClauses(place, binder) : undefined) ??
    rangeOfIndexedAxis(place, use)
  );
}

/** Whether a coordinate has the name of a dimension, which it then is meant to walk. */
function isDimension(scope: Scope | undefined, name: string): boolean {
  return (
    scope !== undefined &&
    (dimensionNamed(scope, name) !== undefined || isDimension(scope.parent, name))
  );
}

/**
 * The range of the same axis in another clause of the tensor: as that clause writes it, as it was
 * inferred there, or as the reads of that clause determine it.
 */
function rangeFromOtherClauses(place: Place, binder: Binder): string | undefined {
  const { statement, scope, checker } = place;
  const binding = statement && lookUp(scope, statement.name.text);
  if (binding?.kind !== "tensor" || !statement) return undefined;
  const axis = statement.slots.findIndex((slot) => slot.span.start === binder.span.start);
  const isAlike = ({ slots }: ast.IndexedLet): boolean =>
    slots.length === statement.slots.length && slots.every(({ kind }) => kind !== "pack");
  const others = (binding.declared ?? []).filter((other) => other !== statement && isAlike(other));
  const slotNames = new Set(binding.declared?.flatMap(({ slots }) => slots.flatMap(nameOfSlot)));
  for (const { slots } of others) {
    const slot = slots[axis];
    if (slot?.kind !== "coordinate" || !slot.range) continue;
    const isClear = [...namesReadIn(slot.range)].every(
      (name) => !slotNames.has(name) && hasOneMeaning(place, name),
    );
    if (isClear) return textOf(slot.range.span);
  }
  for (const clause of binding.clauses) {
    const slot = clause?.slots[axis];
    if (slot?.kind !== "binder" || !slot.binder.from || !slot.binder.to) continue;
    const bounds = [slot.binder.from, slot.binder.to].map((bound) =>
      sizeText(checker, integerTerm(checker, bound)),
    );
    if (!bounds.includes(undefined)) return bounds.join("..");
  }
  for (const other of others) {
    const slot = other.slots[axis];
    const size =
      slot?.kind === "coordinate" ? sizeOfReads(place, other, slot.name.text) : undefined;
    if (size !== undefined) return `0..${size}`;
  }
  return undefined;
}

function nameOfSlot(slot: ast.Slot): readonly string[] {
  return slot.kind === "coordinate" ? [slot.name.text] : [];
}

/** Whether a name has the same meaning in every clause of the tensor. */
function hasOneMeaning({ scope, statement }: Place, name: string): boolean {
  const known = lookUp(scope, name);
  const tensor = lookUp(scope, statement!.name.text);
  return known !== undefined && tensor !== undefined && known.span.start < tensor.span.start;
}

/**
 * The size that the reads of a clause give a left coordinate: `W[i, j]` gives `i` the length of
 * `W`.
 */
function sizeOfReads(place: Place, clause: ast.IndexedLet, name: string): string | undefined {
  for (const { base, items } of indexNodes({ value: clause.value, where: clause.where })) {
    if (base.kind !== "path" || base.segments.length !== 1) continue;
    const axis = items.findIndex(
      (item) =>
        item.kind === "expression" &&
        item.value.kind === "path" &&
        item.value.segments.length === 1 &&
        item.value.segments[0]!.text === name,
    );
    if (axis < 0 || items.slice(0, axis).some((item) => item.kind === "pack")) continue;
    const size = writtenLength(place, base.segments[0]!.text, axis);
    if (size !== undefined) return size;
  }
  return undefined;
}

/** For `d[i - k]`: a coordinate with coefficient 1 or -1 probably walks the whole axis. */
function rangeOfIndexedAxis(place: Place, use: Use | undefined): string | undefined {
  const extent = use?.axis().extent;
  if (!use || !extent || use.growing) return undefined;
  const size = writtenLength(place, use.tensor, 0, extent) ?? sizeInSight(place, extent);
  return size === undefined ? undefined : `0..${size}`;
}

/**
 * The length of an axis of a named tensor, as a program writes it. For the first axis it is
 * `len(d)`.
 */
function writtenLength(
  place: Place,
  name: string,
  axis: number,
  extent?: Axis["extent"],
): string | undefined {
  const { scope, checker, group } = place;
  const binding = lookUp(scope, name);
  if (binding?.kind !== "value" && binding?.kind !== "tensor") return undefined;
  // The sizes of a tensor in the same recurrence depend on the very range that is wanted.
  if (binding.kind === "tensor" && (!binding.complete || group?.has(binding))) return undefined;
  if (binding.type.kind !== "tensor") return undefined;
  const found = binding.type.axes[axis]?.extent;
  if (!found || (extent && sameExtent(checker, extent, found) !== "true")) return undefined;
  if (axis === 0) return `len(${name})`;
  return sizeInSight(place, found) ?? `${name}.shape[${axis}]`;
}

/**
 * The text of a size, if all its names can be written at this place. Sizes known only at run time
 * have no names.
 */
function sizeInSight({ scope, checker }: Place, size: Term): string | undefined {
  const isNamed = (v: Variable): boolean =>
    checker.extents.has(v)
      ? dimensionNamed(scope, v.name) !== undefined
      : lookUp(scope, v.name) !== undefined;
  return [...variablesOf(size)].every(isNamed) ? sizeText(checker, size) : undefined;
}

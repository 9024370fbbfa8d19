// The message for a coordinate whose range nothing determines, with the range that was likely meant.
//
//   let c[0, q in 0..k] = 0.0;   let c[t in 1..9, q] = 1.0;    `q in 0..k`: another clause says so
//   let c[i] = sum[k in 0..i+1](d[i - k]);                     `i in 0..len(d)`: the axis that it indexes
//   let ones[i] = 1.0;                                         `i in 0..…`: nothing is known

import { fixed, replace } from "../diagnostics/fixes.ts";
import type * as ast from "../syntax/ast.ts";
import { textOf } from "../syntax/source.ts";
import { constantOf, type Term } from "../ir/affine/term.ts";
import { coefficientOf, mentions, variablesOf } from "../ir/affine/visit.ts";
import { show } from "../ir/affine/show.ts";
import { writtenSize } from "../ir/written-size.ts";
import { report, type Checker, type Frame, type Place, type Use } from "./context.ts";
import { indexNodes, namesIn } from "./free-names.ts";
import { termOf } from "./integers.ts";
import { dimensionNamed, lookUp, type Scope } from "./scope.ts";
import type { Binder } from "./typed.ts";

/** Reports a coordinate that has no range; `statement` is the name of what is declared. */
export function undetermined(place: Place, frame: Frame, binder: Binder, statement: string): void {
  const joint = frame.uses.find((use) => mentions(use.term, binder.variable));
  const all = [...frame.left, ...frame.reduced];
  const partner =
    joint &&
    [...variablesOf(joint.term)]
      .map((v) => all.find((other) => other.variable === v))
      .find((other) => other && other !== binder && !other.from);
  // The pair is one mistake: the message stands at the first of the two.
  if (partner && all.indexOf(partner) < all.indexOf(binder)) return;
  const range = rangeToWrite(place, frame, binder, partner ? undefined : joint);
  const ranged = `${binder.name} in ${range ?? "0..…"}`;
  const slots = slotsWith(place, frame, binder, ranged);
  const where = frame.left.includes(binder) ? `let ${statement}[${slots}]` : `[${ranged}]`;
  const hole = range === undefined ? `, with the number of its positions for \`…\`` : "";
  const edits = range === undefined || binder.pack ? [] : [replace(binder.span, ranged)];
  const fixes = fixed(`write \`${ranged}\``, ...edits);
  if (joint && partner) {
    report(
      place,
      "E0306",
      `\`${binder.name}\` and \`${partner.name}\` are known only through ` +
        `\`${joint.tensor}[… ${show(joint.term)} …]\``,
      joint.span,
      {
        labels: [
          { span: binder.span, text: "this range is open" },
          { span: partner.span, text: "and so is this one" },
        ],
        help: `declare the range of one: \`${where}\`${hole}`,
        ...fixes,
      },
    );
    return;
  }
  report(place, "E0302", `nothing determines the range of \`${binder.name}\``, binder.span, {
    labels: joint ? [{ span: joint.span, text: "this use does not determine it" }] : [],
    help: `declare its range: \`${where}\`${hole}`,
    ...fixes,
  });
}

/** The left side as it stands, with a range for one coordinate. */
function slotsWith({ statement }: Place, { left }: Frame, binder: Binder, ranged: string): string {
  const isOwn = (slot: ast.Slot): boolean => slot.span.start === binder.span.start;
  const written = statement?.slots ?? [];
  const slots = written.some(isOwn)
    ? written.map((slot) => (isOwn(slot) ? ranged : textOf(slot.span)))
    : left.map((slot) => (slot === binder ? ranged : slot.name));
  return slots.join(", ");
}

/** The range that was likely meant; nothing where only a made-up name could end it. */
function rangeToWrite(place: Place, frame: Frame, binder: Binder, use: Use | undefined): string | undefined {
  if (isDimension(place.scope, binder.name)) return `0..extent(${binder.name})`;
  return (frame.left.includes(binder) ? inOtherClauses(place, binder) : undefined) ?? asLongAs(place, binder, use);
}

/** Whether a coordinate has the name of a dimension: it is meant to walk that. */
function isDimension(scope: Scope | undefined, name: string): boolean {
  return scope !== undefined && (dimensionNamed(scope, name) !== undefined || isDimension(scope.parent, name));
}

/** The range of the same axis in another clause of the tensor: as written there, as found there, or as its reads say. */
function inOtherClauses(place: Place, binder: Binder): string | undefined {
  const { statement, scope, checker } = place;
  const binding = statement && lookUp(scope, statement.name.text);
  if (binding?.kind !== "tensor" || !statement) return undefined;
  const axis = statement.slots.findIndex((slot) => slot.span.start === binder.span.start);
  const isAlike = ({ slots }: ast.IndexedLet): boolean =>
    slots.length === statement.slots.length && slots.every(({ kind }) => kind !== "pack");
  const others = (binding.declared ?? []).filter((other) => other !== statement && isAlike(other));
  const own = new Set(binding.declared?.flatMap(({ slots }) => slots.flatMap(nameOfSlot)));
  for (const { slots } of others) {
    const slot = slots[axis];
    if (slot?.kind !== "coordinate" || !slot.range) continue;
    const isClear = [...namesIn(slot.range)].every((name) => !own.has(name) && isBefore(place, name));
    if (isClear) return textOf(slot.range.span);
  }
  for (const clause of binding.clauses) {
    const slot = clause?.slots[axis];
    if (slot?.kind !== "binder" || !slot.binder.from || !slot.binder.to) continue;
    const bounds = [slot.binder.from, slot.binder.to].map((bound) => sizeText(checker, termOf(checker, bound)));
    if (!bounds.includes(undefined)) return bounds.join("..");
  }
  for (const other of others) {
    const slot = other.slots[axis];
    const size = slot?.kind === "coordinate" ? sizeOfReads(place, other, slot.name.text) : undefined;
    if (size !== undefined) return `0..${size}`;
  }
  return undefined;
}

function nameOfSlot(slot: ast.Slot): readonly string[] {
  return slot.kind === "coordinate" ? [slot.name.text] : [];
}

/** Whether a name means what it means now in every clause of the tensor. */
function isBefore({ scope, statement }: Place, name: string): boolean {
  const known = lookUp(scope, name);
  const tensor = lookUp(scope, statement!.name.text);
  return known !== undefined && tensor !== undefined && known.span.start < tensor.span.start;
}

/** `W[i, j]` in a clause with `i` on its left: as many as `W` has rows. */
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

/** `d[i - k]`: where the coordinate is counted one by one, it likely walks the whole axis. */
function asLongAs(place: Place, { variable }: Binder, use: Use | undefined): string | undefined {
  const extent = use?.axis().extent;
  if (!use || !extent || use.growing) return undefined;
  const steps = constantOf(coefficientOf(use.term, variable) ?? use.term);
  if (steps !== 1 && steps !== -1) return undefined;
  const size = writtenLength(place, use.tensor, 0, extent) ?? sizeText(place.checker, extent);
  return size === undefined ? undefined : `0..${size}`;
}

/** How long an axis of a name is, as a program writes it; of the first one, `len(d)`. */
function writtenLength(
  { scope, checker, group }: Place,
  name: string,
  axis: number,
  extent?: Term,
): string | undefined {
  const binding = lookUp(scope, name);
  if (binding?.kind !== "value" && binding?.kind !== "tensor") return undefined;
  // A tensor of the same recurrence has its own sizes from these very ranges.
  if (binding.kind === "tensor" && (!binding.complete || group?.has(binding))) return undefined;
  if (binding.type.kind !== "tensor") return undefined;
  const found = binding.type.axes[axis]?.extent;
  if (!found || (extent && show(extent) !== show(found))) return undefined;
  if (axis === 0) return `len(${name})`;
  return sizeText(checker, found) ?? `${name}.shape[${axis}]`;
}

/** A size in words that mean the same everywhere: numbers, dimensions, scalars at the top. */
function sizeText({ extents, scalars }: Checker, size: Term): string | undefined {
  const isNamed = [...variablesOf(size)].every((v) => extents.has(v) || scalars.has(v));
  return isNamed ? writtenSize(extents, size) : undefined;
}

// This folder finds the range of each coordinate and the coordinates that an expression depends on;
// it checks no bounds of reads. This file infers ranges.
//
// For a coordinate i without an explicit range, over all uses in one statement:
//
// - A bare use `x[i]` sets the range to 0..extent. All bare uses must agree in extent.
// - An affine use of i alone, `x[a * i + c]`, restricts the range to the i with 0 <= a * i + c <
//   extent.
// - A joint use `x[i + k]` restricts a coordinate without a bare use, so that the read stays inside
//   for the whole range of the others. A left coordinate is restricted before a reduced one.
//
// An affine use under a condition on i does not restrict i; its bounds are only checked. Divisions,
// remainders and gathers never restrict, because the solver sees them as opaque variables.
//
//   let y[i] = x[i + 1] - x[i];   // i in 0..n for x[i], and 0 <= i + 1 < n: i in 0..n - 1

import { constantOf, equal, ofVariable, type Term, type Variable } from "../../affine/term.ts";
import { coefficientOf, mentions, variablesOf, withoutVariable } from "../../affine/visit.ts";
import { image, intersect, preimage, single, upTo, type Range } from "../../affine/range.ts";
import { atMost, holds } from "../../affine/prove.ts";
import { show } from "../../affine/show.ts";
import { freeVariables } from "./outer-variables.ts";
import { writtenSize } from "../types/written-size.ts";
import { fix, fixed, repair, replace, type Repair } from "../../diagnostics/fixes.ts";
import { textOf, type Span } from "../../base/source.ts";
import { agreeLater, extentFacts, sameExtent, warnOfNames } from "../statements/agree.ts";
import {
  lint,
  report,
  type Checker,
  type Frame,
  type Place,
  type Use,
  type Within,
} from "../context.ts";
import { integerTerm } from "../types/integers.ts";
import { withRenamedCoordinate } from "../names/rename.ts";
import { sizesOnLeft } from "./size-on-left.ts";
import { idleReduction } from "./idle-coordinates.ts";
import { awaitsSize } from "../types/sizes.ts";
import { dimensionNamed } from "../names/scope.ts";
import { firstCell, leftOut, swapsThatFit, otherIndexThatFits } from "./swapped-indices.ts";
import type { Binder, Typed } from "../types/typed.ts";
import { mergeDomains, sameDomain, scalar, type Axis } from "../types/types.ts";
import { readsOnlyOwn, recurrenceToWrite, warnOfOwnRange } from "./own-cells.ts";
import { isIntegerName, rangeToWrite, slotsWith } from "./undetermined.ts";
import { asVariable } from "../../affine/agreeing.ts";
import { integerValue } from "../values/integer-value.ts";
import { newBinder } from "./coordinates.ts";

/**
 * Finds the ranges of a statement's coordinates. A coordinate whose range stays unknown is
 * reported.
 */
export function inferRanges(place: Place, frame: Frame, statement: string): void {
  const open = new Map<Variable, Binder>();
  for (const binder of [...frame.left, ...frame.reduced])
    if (!binder.explicit && !binder.from) open.set(binder.variable, binder);
  if (open.size === 0) return;

  const coordinates = new Map<Variable, Binder>();
  for (const binder of [...frame.left, ...frame.reduced]) coordinates.set(binder.variable, binder);
  const bare = new Map<Variable, Use>();
  const failed = new Set<Binder>();

  for (const use of frame.uses) {
    const v = asVariable(use.term);
    const binder = v && open.get(v);
    if (!binder) continue;
    const axis = use.axis();
    if (!axis.extent || extentVaries(place.checker, axis.extent, frame, binder)) continue;
    shareDomain(place, frame.within.get(binder) ?? place, binder, axis, use);
    const first = bare.get(binder.variable);
    if (!first) {
      bare.set(binder.variable, use);
      setRange(binder, upTo(axis.extent));
    } else if (!failed.has(binder) && !agree(place, binder, first, use)) {
      failed.add(binder);
    }
  }

  for (const use of frame.uses) restrictByOwnUse(place, frame, use, open, coordinates);
  settleJointUses(place, frame, open, coordinates, bare);

  if (frame.spoiled) return;
  const undetermined = [...open.values()].filter((each) => !each.from && !failed.has(each));
  const stepped = undetermined.find((each) => recurrenceToWrite(place, frame, each) !== undefined);
  for (const binder of undetermined) {
    // The clauses of the first cells give the other axes of a recurrence their ranges, too.
    if (stepped && binder !== stepped && readsOnlyOwn(frame, binder)) continue;
    reportUndetermined(place, frame, binder, statement);
  }
  for (const binder of open.values()) warnOfOwnRange(place, frame, binder);
}

/**
 * Whether the extent of an axis differs at each position of a coordinate, as the length of a ragged
 * row does. Such an axis cannot end the range of the coordinate. The cells of a tensor on the left
 * form a box, so an axis that varies along one left coordinate bounds no other left coordinate
 * either.
 */
function extentVaries(
  { opaqueValue }: Checker,
  extent: Term,
  { left }: Frame,
  binder: Binder,
): boolean {
  if (![...variablesOf(extent)].some((each) => opaqueValue.has(each))) return false;
  const length = integerValue(extent, binder.span);
  const free = freeVariables([length], opaqueValue);
  return (left.includes(binder) ? left : [binder]).some((each) => free.has(each.variable));
}

/**
 * Puts all axes that a bare coordinate walks into one domain. The domains of a signature stay
 * separate.
 */
function shareDomain(place: Place, within: Within, binder: Binder, axis: Axis, use: Use): void {
  if (!axis.domain) return;
  const own = within.signature?.get(binder.name);
  if (own && (isOtherOfSignature(within, binder, axis) || !sameDomain(own, axis.domain))) {
    reportOther(place, binder, use);
    return;
  }
  if (binder.domain) mergeDomains(binder.domain, axis.domain);
  else binder.domain = axis.domain;
  restrictDomain(within, binder, axis);
}

/**
 * Whether the signature has the axis under another name. One argument may serve two dimensions, and
 * they still count as two.
 */
function isOtherOfSignature({ signature }: Within, { name }: Binder, axis: Axis): boolean {
  return axis.name !== undefined && axis.name !== name && signature?.has(axis.name) === true;
}

function reportOther(place: Place, { name }: Binder, { tensor, span }: Use): void {
  report(
    place,
    "E0504",
    `\`${name}\` is a dimension of the signature and cannot walk another axis of \`${tensor}\``,
    span,
    { help: "use a coordinate with a name of its own" },
  );
}

/**
 * Checks the final expression of a function against the coordinates of its declared result. Each
 * walks no other named dimension, and the axes that it walks have its extent. `declared` gives each
 * declared axis as the first use of its coordinate.
 */
export function checkLayout(place: Place, frame: Frame, declared: ReadonlyMap<Binder, Use>): void {
  const binders = new Map([...declared.keys()].map((binder) => [binder.variable, binder]));
  const failed = new Set<Binder>();
  for (const use of frame.uses) {
    const v = asVariable(use.term);
    const binder = v && binders.get(v);
    if (!binder || failed.has(binder)) continue;
    const axis = use.axis();
    const other = axis.name === undefined ? undefined : dimensionNamed(place.scope, axis.name);
    const isOther =
      isOtherOfSignature(place, binder, axis) ||
      (sameDomain(other?.domain, axis.domain) && !sameDomain(binder.domain, axis.domain));
    if (place.signature?.has(binder.name) && isOther) reportOther(place, binder, use);
    else if (agree(place, binder, declared.get(binder)!, use)) continue;
    failed.add(binder);
  }
}

/** Applies the guards of the enclosing calls to a coordinate of their domain. */
export function restrictDomain(within: Within, binder: Binder, axis: Axis): void {
  const filters = within.filters.filter((filter) => sameDomain(filter.domain, axis.domain));
  if (filters.length === 0 || binder.filters) return;
  binder.filters = filters.map((filter) =>
    withRenamedCoordinate(filter.condition, filter.binder.variable, binder.variable),
  );
}

/** Sets the range of a binder to a whole axis. */
export function extentRange(binder: Binder, axis: Axis): void {
  if (axis.extent) setRange(binder, upTo(axis.extent));
}

/** A coordinate of our own that walks a whole axis. */
export function binderAlong(axis: Axis, span: Span, name = axis.name ?? "i"): Binder {
  const binder = newBinder(name, span, true);
  extentRange(binder, axis);
  return binder;
}

/** The range of a binder as terms of the solver. */
export function rangeOfBinder(checker: Checker, binder: Binder): Range | undefined {
  if (!binder.from || !binder.to) return undefined;
  return { from: integerTerm(checker, binder.from), to: integerTerm(checker, binder.to) };
}

function setRange(binder: Binder, range: Range): void {
  const bound = (term: Term): Typed => ({
    kind: "integer",
    term,
    type: scalar("i32"),
    span: binder.span,
  });
  binder.from = bound(range.from);
  binder.to = bound(range.to);
}

/** Checks that two bare uses of one coordinate have the same extent. */
function agree(place: Place, binder: Binder, first: Use, second: Use): boolean {
  const [a, b] = [first.axis(), second.axis()];
  if (!a.extent || !b.extent) return true;
  switch (sameExtent(place.checker, a.extent, b.extent)) {
    case "true":
      return true;
    case "unknown":
      agreeLater(
        place,
        a.extent,
        b.extent,
        `\`${binder.name}\` in \`${first.tensor}\` and \`${second.tensor}\``,
        second.span,
      );
      if (place.arrays)
        binder.agreements = [...(binder.agreements ?? []), place.checker.agreements.at(-1)!];
      warnOfNames(
        place,
        a,
        b,
        (own, other) => `\`${binder.name}\` walks the dimensions \`${own}\` and \`${other}\``,
        second.span,
        [{ span: first.span, text: `\`${a.name}\` here` }],
        meantIndex(place, [first, second]),
      );
      return true;
    case "false": {
      const origins = [a.origin, b.origin].flatMap((origin) =>
        origin ? [{ span: origin.span, text: origin.text }] : [],
      );
      report(
        place,
        "E0304",
        `\`${binder.name}\` has extent ${show(a.extent)} in \`${first.tensor}\` ` +
          `and ${show(b.extent)} in \`${second.tensor}\``,
        second.span,
        {
          text: `${show(b.extent)} here`,
          labels: [{ span: first.span, text: `${show(a.extent)} here` }, ...origins],
          ...repairExtents(place, binder, [first, second]),
        },
      );
      return false;
    }
  }
}

/**
 * The indices with which all extents agree, or else the range that fits both, where it is
 * known which is the shorter.
 */
function repairExtents(
  { checker, frame }: Place,
  { name }: Binder,
  both: readonly [Use, Use],
): Repair {
  const single = both.find((use) => constantOf(use.axis().extent!) === 1);
  if (single)
    return {
      help:
        `nothing is stretched: to repeat the one cell along \`${name}\`, ` +
        `write ${firstCell(single)}`,
      ...fixed("read its one cell", replace(single.span, "0")),
    };
  const same = (a: Term, b: Term): boolean => sameExtent(checker, a, b) === "true";
  // What changes the tensor with fewer axes comes first.
  const index = otherIndexThatFits(frame.uses, both, same);
  const ways = [...(index ? [index] : []), ...swapsThatFit(frame.uses, both, same)];
  const common = commonPart(checker, name, both);
  const [way, another] = ways;
  if (!way) {
    const apart = "to combine all cells of both, give one of the two a coordinate of its own";
    return { help: common ? `${apart}; for what both have, declare the range: ${common}` : apart };
  }
  const others = [
    ...(another ? [`\`${another.text}\`, which ${another.meaning}`] : []),
    ...(common ? [`the range ${common}`] : []),
  ];
  const also = others.length > 0 ? `. Also possible: ${others.join("; or ")}` : "";
  return {
    help: `write \`${way.text}\`: ${way.because}${also}`,
    fixes: ways.map(({ text, edits }) => fix(`write \`${text}\``, ...edits)),
  };
}

/** Of two axes with different names: the index with which the names agree, if there is one. */
function meantIndex({ checker, frame }: Place, both: readonly [Use, Use]): Repair {
  const same = (a: Term, b: Term): boolean => sameExtent(checker, a, b) === "true";
  const index = otherIndexThatFits(frame.uses, both, same);
  if (!index) return {};
  const { because, text, edits } = index;
  return {
    help: `${because}: did you mean \`${text}\`?`,
    ...fixed(`write \`${text}\``, ...edits),
  };
}

/** The range common to both axes, and the cells that it leaves out. */
function commonPart(
  checker: Checker,
  name: string,
  [first, second]: readonly [Use, Use],
): string | undefined {
  const [a, b] = [first.axis().extent!, second.axis().extent!];
  const facts = extentFacts(checker, [a, b]);
  const isFirst = holds(atMost(a, b), facts);
  if (!isFirst && !holds(atMost(b, a), facts)) return undefined;
  const [shorter, longer] = isFirst ? [a, second] : [b, first];
  const size = writtenSize(checker.extents, shorter);
  if (size === undefined) return undefined;
  return `\`${name} in 0..${size}\`, which leaves out ${leftOut(longer, shorter)}`;
}

/** Restricts a coordinate by a use in which no other coordinate stands. */
function restrictByOwnUse(
  place: Place,
  frame: Frame,
  use: Use,
  open: ReadonlyMap<Variable, Binder>,
  coordinates: ReadonlyMap<Variable, Binder>,
): void {
  const involved = [...variablesOf(use.term)].filter((v) => coordinates.has(v));
  if (involved.length !== 1) return;
  const [v] = involved;
  const binder = open.get(v!);
  if (!binder || asVariable(use.term) === v || use.guarded.has(v!)) return;
  const before = rangeOfBinder(place.checker, binder);
  restrict(place, frame, binder, use, () => undefined);
  const after = rangeOfBinder(place.checker, binder);
  const reached = use.axis().extent;
  // A lint only if the tensor is still being declared and is shorter than the other axes that the
  // coordinate walks. Otherwise the restriction is the intended border of a stencil.
  if (
    !use.growing ||
    readsOnlyOwn(frame, binder) ||
    !before ||
    !after ||
    !reached ||
    equal(before.to, after.to) ||
    equal(before.to, reached)
  )
    return;
  const whole = [after.from, before.to].map((bound) => writtenSize(place.checker.extents, bound));
  lint(
    place,
    "W0302",
    `\`${binder.name}\` stops at ${show(after.to)}, ` +
      `because \`${use.tensor}\` reaches no further before this clause`,
    use.span,
    {
      labels: [{ span: binder.span, text: `without this read it would run to ${show(before.to)}` }],
      ...(whole.includes(undefined)
        ? {}
        : repairRange(binder.span, `${binder.name} in ${whole.join("..")}`)),
    },
  );
}

/** The repair that declares a range. The edit is left out if the slot has a range already. */
function repairRange(slot: Span, text: string): Repair {
  const help = `declare its range: \`${text}\``;
  return /^\w+$/.test(textOf(slot)) ? repair(help, replace(slot, text)) : { help };
}

/**
 * Narrows a binder to the positions at which a use stays inside for all values of the other
 * coordinates. For `x[i + k]` with k in 0..3 and n cells: 0 <= i and i + 2 < n.
 */
function restrict(
  place: Place,
  frame: Frame,
  binder: Binder,
  use: Use,
  others: (v: Variable) => Range | undefined,
): boolean {
  const extent = use.axis().extent;
  const coefficient = constantOf(
    coefficientOf(use.term, binder.variable) ?? ofVariable(binder.variable),
  );
  if (!extent || !coefficient || extentVaries(place.checker, extent, frame, binder)) return false;
  const rest = withoutVariable(use.term, binder.variable);
  if (awaitsSize(rest) || [...variablesOf(rest)].some((v) => place.checker.opaqueValue.has(v)))
    return false;
  const offsets = image(rest, others) ?? (variablesOf(rest).size === 0 ? single(rest) : undefined);
  if (!offsets) return false;
  const allowed = preimage(coefficient, offsets, upTo(extent));
  // The ranges of the others may depend on this coordinate. The use is then only checked.
  if (mentions(allowed.from, binder.variable) || mentions(allowed.to, binder.variable))
    return false;
  const known = rangeOfBinder(place.checker, binder);
  setRange(
    binder,
    simplifyRange(
      place.checker,
      known
        ? intersect(known, allowed)
        : intersect(allowed, { from: upTo(extent).from, to: allowed.to }),
    ),
  );
  return true;
}

/**
 * Simplifies bounds such as `max(0, -1)` and `min(n, n - 1)`, using that extents are not negative.
 */
function simplifyRange(checker: Checker, range: Range): Range {
  return { from: simplifyBound(checker, range.from), to: simplifyBound(checker, range.to) };
}

function simplifyBound(checker: Checker, term: Term): Term {
  const [part] = term.parts;
  if (
    term.parts.length !== 1 ||
    term.constant !== 0 ||
    part!.coefficient !== 1 ||
    part!.factors.length !== 1
  )
    return term;
  const atom = part!.factors[0]!;
  if (atom.kind !== "min" && atom.kind !== "max") return term;
  const facts = extentFacts(checker, atom.members);
  const chosen = atom.members.find((member) =>
    atom.members.every((other) =>
      holds(atom.kind === "min" ? atMost(member, other) : atMost(other, member), facts),
    ),
  );
  return chosen ?? term;
}

/** Restricts coordinates by joint uses, one at a time, until nothing changes. */
function settleJointUses(
  place: Place,
  frame: Frame,
  open: ReadonlyMap<Variable, Binder>,
  coordinates: ReadonlyMap<Variable, Binder>,
  bare: ReadonlyMap<Variable, Use>,
): void {
  const pending = frame.uses.filter(
    (use) => [...variablesOf(use.term)].filter((v) => coordinates.has(v)).length > 1,
  );
  for (let progress = true; progress;) {
    progress = false;
    for (const [k, use] of pending.entries()) {
      const restricted = coordinateToRestrict(frame, use, open, coordinates, bare);
      if (!restricted) continue;
      const others = (v: Variable): Range | undefined => {
        const other = coordinates.get(v);
        return other && other !== restricted ? rangeOfBinder(place.checker, other) : undefined;
      };
      if (restrict(place, frame, restricted, use, others)) {
        pending.splice(k, 1);
        progress = true;
        break;
      }
    }
  }
}

/**
 * The coordinate that a joint use restricts: it has no explicit range and no bare use, and all
 * others are known. A left coordinate comes before a reduced one.
 */
function coordinateToRestrict(
  frame: Frame,
  use: Use,
  open: ReadonlyMap<Variable, Binder>,
  coordinates: ReadonlyMap<Variable, Binder>,
  bare: ReadonlyMap<Variable, Use>,
): Binder | undefined {
  const involved = [...variablesOf(use.term)].flatMap((v) => coordinates.get(v) ?? []);
  const candidates = involved.filter(
    (b) => open.has(b.variable) && !bare.has(b.variable) && !use.guarded.has(b.variable),
  );
  const unknown = involved.filter((binder) => !binder.from);
  if (unknown.length > 1) return undefined;
  const choice =
    unknown[0] ?? candidates.find((binder) => frame.left.includes(binder)) ?? candidates[0];
  return choice && candidates.includes(choice) ? choice : undefined;
}

/** Reports a coordinate without a range. `statement` is the name of the declared tensor. */
function reportUndetermined(place: Place, frame: Frame, binder: Binder, statement: string): void {
  const joint = frame.uses.find((use) => mentions(use.term, binder.variable));
  const all = [...frame.left, ...frame.reduced];
  const partner =
    joint &&
    [...variablesOf(joint.term)]
      .map((v) => all.find((other) => other.variable === v))
      .find((other) => other && other !== binder && !other.from);
  // Two open coordinates in one use are one mistake, which is reported for the first.
  if (partner && all.indexOf(partner) < all.indexOf(binder)) return;
  const isCounted =
    joint && !partner && Math.abs(stepsPerPosition(joint.term, binder.variable)) === 1;
  const range = rangeToWrite(place, frame, binder, isCounted ? joint : undefined);
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
  const sizes =
    place.statement && frame.left.includes(binder)
      ? sizesOnLeft(place.statement, (name) => isIntegerName(place.scope, name))
      : undefined;
  const clauses = recurrenceToWrite(place, frame, binder);
  const recurrence =
    clauses === undefined
      ? undefined
      : {
          help:
            `a recurrence needs first cells, and a range behind them: \`${clauses}\`, ` +
            `with the number of cells for the \`…\` behind \`..\``,
        };
  const idle = joint ? undefined : idleReduction(frame, place.statement, binder);
  // One message for all sizes that stand there.
  if (sizes && frame.left.some((each) => frame.reported.has(`size ${each.name}`))) return;
  if (sizes) frame.reported.add(`size ${binder.name}`);
  report(place, "E0302", `nothing determines the range of \`${binder.name}\``, binder.span, {
    labels: joint ? [{ span: joint.span, text: "this use does not determine it" }] : [],
    ...(sizes ??
      recurrence ??
      idle ?? { help: `declare its range: \`${where}\`${hole}`, ...fixes }),
  });
}

/** The coefficient of a coordinate in an index; 0 if it is not a number. */
function stepsPerPosition(term: Term, v: Variable): number {
  return constantOf(coefficientOf(term, v) ?? term) ?? 0;
}

// A coordinate that only reads cells of the tensor on the left. Such reads say how far back a step
// needs cells. They do not say how many steps there are.
//
//   let f[i] = f[i - 1] + f[i - 2];     needs f[0], f[1], and a range that starts at 2

import { constantOf } from "../../affine/term.ts";
import { coefficientOf, mentions, withoutVariable } from "../../affine/visit.ts";
import { atMost, holds } from "../../affine/prove.ts";
import { show } from "../../affine/show.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { lint, type Frame, type Place, type Use } from "../context.ts";
import { lookUp } from "../names/scope.ts";
import { extentFacts } from "../statements/agree.ts";
import { integerTerm } from "../types/integers.ts";
import type { Binder } from "../types/typed.ts";
import { writtenSize } from "../types/written-size.ts";

/** The longest right side that a help repeats. */
const longest = 100;

/** The clauses that a recurrence along a coordinate needs, if the coordinate has no range. */
export function recurrenceToWrite(
  { statement, scope }: Place,
  { left, uses }: Frame,
  binder: Binder,
): string | undefined {
  if (!statement || !left.includes(binder)) return undefined;
  const axis = statement.slots.findIndex((slot) => slot.span.start === binder.span.start);
  const back = Math.max(0, ...uses.map((use) => stepsBack(use, statement, binder)));
  if (axis < 0 || back === 0) return undefined;
  const { text: name } = statement.name;
  const slotsWith = (own: string, other: (slot: ast.Slot) => string): string =>
    statement.slots.map((slot, k) => (k === axis ? own : other(slot))).join(", ");
  const binding = lookUp(scope, name);
  const declared = binding?.kind === "tensor" ? (binding.declared ?? []) : [];
  const there = new Set(declared.map(({ slots }) => slots[axis] && textOf(slots[axis].span)));
  const positions = [...Array(back).keys()].map(String).filter((at) => !there.has(at));
  const isLong = positions.length > 2 && positions.length === back;
  const firsts = isLong ? [`${binder.name} in 0..${back}`] : positions;
  const isOpen = (slot: ast.Slot): boolean => slot.kind === "coordinate" && !slot.range;
  const bases = firsts.map((at) => {
    const slots = slotsWith(at, (slot) => textOf(slot.span) + (isOpen(slot) ? " in 0..…" : ""));
    return `let ${name}[${slots}] = …;`;
  });
  const step = slotsWith(`${binder.name} in ${back}..…`, ({ span }) => textOf(span));
  return [...bases, `let ${name}[${step}] = ${rightSide(statement)};`].join(" ");
}

/** For `f[i - 2]`: 2. For any other read: 0. */
function stepsBack({ term, growing, tensor }: Use, { name }: ast.IndexedLet, { variable }: Binder) {
  if (!growing || tensor !== name.text || !mentions(term, variable)) return 0;
  const coefficient = coefficientOf(term, variable);
  if (!coefficient || constantOf(coefficient) !== 1) return 0;
  return -(constantOf(withoutVariable(term, variable)) ?? 0);
}

function rightSide({ value, where }: ast.IndexedLet): string {
  const text = `${textOf(value.span)}${where ? ` ${textOf(where.span)}` : ""}`;
  return text.length <= longest && !text.includes("\n") ? text : "…";
}

/** Whether all reads along a coordinate are of tensors that are still being declared. */
export function readsOnlyOwn({ uses }: Frame, { variable }: Binder): boolean {
  const own = uses.filter(
    ({ term, guarded }) => mentions(term, variable) && !guarded.has(variable),
  );
  return own.length > 0 && own.every(({ growing }) => growing);
}

/** Warns of a range that only the tensor itself gave, and that makes the tensor longer. */
export function warnOfOwnRange(place: Place, frame: Frame, binder: Binder): void {
  const { checker } = place;
  if (!binder.from || !binder.to || !frame.left.includes(binder)) return;
  if (!readsOnlyOwn(frame, binder)) return;
  const use = frame.uses.find(({ term }) => mentions(term, binder.variable))!;
  const extent = use.axis().extent;
  const [from, to] = [binder.from, binder.to].map((bound) => integerTerm(checker, bound));
  if (!extent || !from || !to || holds(atMost(to, extent), extentFacts(checker, [to, extent])))
    return;
  const start = writtenSize(checker.extents, from);
  const range = `${binder.name} in ${start ?? "…"}..…`;
  const end = start === undefined ? "the last `…`" : "`…`";
  lint(
    place,
    "W0302",
    `\`${binder.name}\` stops at ${show(to)}, ` +
      `because only \`${use.tensor}\` itself is read along it`,
    binder.span,
    {
      labels: [
        { span: use.span, text: `\`${use.tensor}\` reaches to ${show(extent)} before this clause` },
      ],
      help: `declare its range: \`${range}\`, with the number of cells for ${end}`,
    },
  );
}

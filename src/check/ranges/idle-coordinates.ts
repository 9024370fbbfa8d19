// A coordinate of a reduction that stands in no index: `sum[j](X[i, k])`. One of two names is
// meant for the other.
//
//   let r[i] = sum[j](X[i, k]);       `X[i, j]`, or `sum[k](X[i, k])`: nothing else binds `k`
//   let r[i, k] = sum[j](X[i, k]);    `let r[i] = sum[j](X[i, j]);`: what is summed over does not
//                                     survive on the left

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import type { Edit, Fix } from "../../diagnostics/diagnostic.ts";
import { fix, nearest, replace, type Repair } from "../../diagnostics/fixes.ts";
import { statementsOf } from "../lints/allow.ts";
import type { Frame } from "../context.ts";
import { indexNodes, namesReadIn, nodesAt, occurrences } from "../names/free-names.ts";
import { usesAsIndex } from "./summed-line.ts";
import { lookUp, type Scope } from "../names/scope.ts";
import type { Binder } from "../types/typed.ts";

/** For a name that nothing binds: the coordinate of a reduction around it that is used nowhere. */
export function idleCoordinate(
  scope: Scope,
  { left }: Frame,
  { text: name, span }: ast.Name,
  coordinates: readonly string[],
): (Repair & { readonly binder: Binder }) | undefined {
  const around = statementAround(span);
  if (!around) return undefined;
  const used = namesReadIn(around);
  const idle = coordinates.flatMap((each) => {
    const binding = lookUp(scope, each);
    const isIdle =
      binding?.kind === "coordinate" && !left.includes(binding.binder) && !used.has(each);
    return isIdle ? [binding.binder] : [];
  });
  const [binder, ...others] = idle;
  if (!binder) return undefined;
  const near = nearest(
    binder.span,
    name,
    idle.map((each) => each.name),
  );
  if (near || others.length > 0) {
    const meant = idle.find((each) => near?.help?.includes(`\`${each.name}\``));
    return meant && { ...nearest(meant.span, meant.name, [name]), binder: meant };
  }
  const reduction = reductionOf(around, binder);
  const uses = usesAsIndex(around, name).filter((use) => standsInside(use, reduction?.span));
  const read = indexNodes(around).find(({ items }) =>
    items.some((item) => item.span.start === span.start),
  );
  if (!reduction || !read) return undefined;
  const edits = uses.map((use) => replace(use, binder.name));
  const index = way(changed(uses.length > 1 ? reduction.span : read.span, edits), edits);
  const bracket = way(reductionText(reduction, binder, name), [replace(binder.span, name)]);
  const [first, second] = uses.length > 1 ? [bracket, index] : [index, bracket];
  return {
    binder,
    help: `did you mean \`${first.text}\`? \`${second.text}\` fits too`,
    fixes: [first.fix, second.fix],
  };
}

/** For a coordinate of a reduction that stands in no index, where everything else is bound. */
export function idleReduction(
  { left, reduced }: Frame,
  statement: ast.IndexedLet | undefined,
  binder: Binder,
): Repair | undefined {
  if (!statement || !reduced.includes(binder) || namesReadIn(statement).has(binder.name))
    return undefined;
  const reduction = reductionOf(statement, binder);
  if (!reduction) return undefined;
  const [read] = indexNodes(reduction.arguments);
  const walked = read?.items.filter(({ span }) => left.some(({ name }) => name === textOf(span)));
  if (!walked || walked.length === 0) return undefined;
  const ways = [...walked].reverse().map(({ span }) => {
    const name = textOf(span);
    const edits = usesAsIndex(reduction, name).map((use) => replace(use, binder.name));
    // Where nothing else has the coordinate, it does not survive.
    const isGone = occurrences(statement, name) === edits.length;
    const slot = statement.slots.find((each) => textOf(each.span) === name);
    if (!isGone || !slot) return way(changed(read!.span, edits), edits);
    const slots = statement.slots.filter((each) => each !== slot).map((each) => textOf(each.span));
    const [from, to] = [statement.slots[0]!.span, statement.slots.at(-1)!.span];
    const whole: Span = { ...from, end: to.end };
    // The last coordinate leaves a number.
    const place =
      slots.length > 0 ? whole : { ...whole, start: whole.start - 1, end: whole.end + 1 };
    const all = [replace(place, slots.join(", ")), ...edits];
    return way(changed(statement.span, all), all);
  });
  const [first, second] = ways;
  const also = second ? ` Over another axis it is \`${second.text}\`` : "";
  return {
    help: `did you mean \`${first!.text}\`?${also}`,
    fixes: ways.slice(0, 2).map((each) => each.fix),
  };
}

function way(text: string, edits: readonly Edit[]): { readonly text: string; readonly fix: Fix } {
  return { text, fix: fix(`write \`${text}\``, ...edits) };
}

/** The text of a place with edits in it made. */
function changed({ source, start, end }: Span, edits: readonly Edit[]): string {
  const inside = edits.filter(({ span }) => start <= span.start && span.end <= end);
  const last = inside.sort((a, b) => b.span.start - a.span.start);
  return last
    .reduce(
      (text, { span, text: by }) =>
        text.slice(0, span.start - start) + by + text.slice(span.end - start),
      source.text.slice(start, end),
    )
    .replaceAll(/\s+/g, " ");
}

/** `sum[k](X[i, k])`, with a long operand left out. */
function reductionText(reduction: ast.Call, binder: Binder, name: string): string {
  const text = changed(reduction.span, [replace(binder.span, name)]);
  return text.length <= 60 ? text : `${text.slice(0, text.indexOf("]") + 1)}(…)`;
}

function reductionOf(around: object, binder: Binder): ast.Call | undefined {
  return nodesAt(around, binder.span).find(
    (node): node is ast.Call =>
      node.kind === "call" &&
      node.bracket?.some(({ span }) => span.start === binder.span.start) === true,
  );
}

function statementAround({ source, start, end }: Span): ast.Statement | undefined {
  return statementsOf(source).findLast(({ span }) => span.start <= start && end <= span.end);
}

function standsInside({ start, end }: Span, around: Span | undefined): boolean {
  return around !== undefined && around.start <= start && end <= around.end;
}

// `np.where(c, a, b)` and `a.where(c, b)` of other libraries. Here a choice is an `if` for each
// cell:
//
//   let y = np.where(x > 0.0, x, 0.0);     `let y[i] = if x[i] > 0.0 { x[i] } else { 0.0 };`

import { fix } from "../../diagnostics/fixes.ts";
import { adviceOnUse, replacing, type Advice } from "../../diagnostics/foreign/advice.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { refuse, type Place } from "../context.ts";
import { cellOfValue, cellText, coordinatesInSight } from "../expressions/condition-help.ts";
import { typeOnTrial } from "../type-on-trial.ts";
import type { Typed } from "../types/typed.ts";
import { asDeclaration } from "./as-declaration.ts";
import { namesOf, nodesAt } from "./free-names.ts";
import { freshNames } from "./fresh-names.ts";
import { isCellwise } from "./masks.ts";
import { lookUp } from "./scope.ts";

/** The three parts of a choice. */
type Parts = readonly [ast.Expression, ast.Expression, ast.Expression];

/** Refuses a call of `where`. A method has its value before the dot: `a.where(c, b)`. */
export function refuseWhere(
  place: Place,
  name: ast.Name,
  e: ast.Call,
  receiver?: ast.Expression,
): Typed {
  const given = e.arguments.map(({ value }) => value);
  const [first, second, third] = receiver ? [given[0], receiver, given[1]] : given;
  const isFull = first && second && third && e.arguments.every((each) => !each.name);
  const advice = isFull
    ? choice(place, e, [first, second, third])
    : first && e.arguments.length === 1 && !receiver
      ? positions(place, e, first)
      : undefined;
  return refuse(place, "E0114", "`where` is a keyword and no function", name.span, {
    ...(advice ?? { help: adviceOnUse("where") }),
  });
}

/** `np.where(x > 0.0)`: the positions at which a condition holds. */
function positions(place: Place, e: ast.Call, condition: ast.Expression): Advice | undefined {
  const [walked] = tensorsIn(place, condition);
  if (walked?.rank !== 1 || typeOnTrial(place, condition)?.axes.length !== 1) return undefined;
  const [name = "i"] = coordinatesFor(place, e, 1);
  const tested = withIndices(condition, tensorsIn(place, condition), [name]);
  const way = `[${name} | ${name} in 0..len(${walked.text}), ${tested}]`;
  return { help: `the positions are \`${way}\``, fixes: [replacing(e.span, way)] };
}

/** Coordinates with names that a repair of a call can use. */
function coordinatesFor({ scope }: Place, { span }: ast.Call, count: number): readonly string[] {
  const [, bound = ""] = /\blet\s+(\w+)\s*=\s*$/.exec(span.source.text.slice(0, span.start)) ?? [];
  return freshNames(count, [textOf(span), bound, ...coordinatesInSight(scope)].join(" "));
}

function choice(place: Place, e: ast.Call, parts: Parts): Advice {
  const ranks = parts.map((part) => typeOnTrial(place, part)?.axes.length);
  const inside = parts.map((part, k) => (ranks[k] === undefined ? tensorsIn(place, part) : []));
  const rank = Math.max(
    0,
    ...ranks.map((each) => each ?? 0),
    ...inside.flat().map((at) => at.rank),
  );
  const isKnown = rank > 0 || ranks.every((each) => each !== undefined);
  const names = coordinatesFor(place, e, isKnown ? rank : 1);
  // A tensor with fewer axes meets the last axes of the others.
  const cells = parts.map((part, k): string => {
    const own = ranks[k];
    if (!isKnown) return withIndices(part, unknownIn(place, part), names);
    if (own === undefined) return withIndices(part, inside[k]!, names);
    if (own === 0) return textOf(part.span);
    const last = names.slice(rank - own);
    return part.kind === "binary" || part.kind === "unary"
      ? cellText(place, part, own, last)
      : cellOfValue(place, part, own, last);
  });
  const way = `if ${cells[0]!} { ${cells[1]!} } else { ${cells[2]!} }`;
  if (names.length === 0)
    return { help: `a choice is an \`if\`: \`${way}\``, fixes: [replacing(e.span, way)] };
  const { text, edits } = asDeclaration(place, e.span, names, way);
  const isExact = ranks.every((each) => each !== undefined) && edits.length > 0;
  const open = parts.flatMap((part) => unknownIn(place, part))[0]?.text ?? textOf(parts[0].span);
  const note = isKnown
    ? ""
    : `, with a coordinate for each axis; how many axes \`${open}\` has is not known here`;
  return {
    help: `a choice is an \`if\` for each cell: \`${text}\`${note}`,
    fixes: isExact ? [fix(`write \`${text}\``, ...edits)] : [],
  };
}

/** A name in an expression, and how many axes its tensor has. */
interface Named {
  readonly text: string;
  readonly end: number;
  readonly rank: number;
}

/** The tensors that an expression reads cell by cell. */
function tensorsIn({ scope }: Place, e: ast.Expression): readonly Named[] {
  return namesOf(e).read.flatMap(({ text, span: at }) => {
    const { end, source } = at;
    if (!nodesAt(e, at).every((node) => isCellwise(node) || isWhere(node))) return [];
    const binding = lookUp(scope, text);
    const type = binding?.kind === "value" || binding?.kind === "tensor" ? binding.type : undefined;
    const isIndexed = /^\s*[[(]/.test(source.text.slice(end));
    return type?.kind === "tensor" && type.axes.length > 0 && !isIndexed
      ? [{ text, end, rank: type.axes.length }]
      : [];
  });
}

function isWhere(node: ast.Expression): boolean {
  return node.kind === "call" && /\bwhere$/.test(textOf(node.callee.span));
}

/** The names of an expression that are no scalars, as tensors of one axis. */
function unknownIn({ scope }: Place, e: ast.Expression): readonly Named[] {
  return namesOf(e).read.flatMap(({ text, span: { end, source } }) => {
    const binding = lookUp(scope, text);
    const isOpen = binding === undefined || binding.kind === "wrong";
    return isOpen && !/^\s*[[(.]/.test(source.text.slice(end)) ? [{ text, end, rank: 1 }] : [];
  });
}

function withIndices(e: ast.Expression, at: readonly Named[], names: readonly string[]): string {
  const { start } = e.span;
  return [...at]
    .sort((a, b) => b.end - a.end)
    .reduce((text, { end, rank }) => {
      const index = `[${names.slice(names.length - rank).join(", ")}]`;
      return text.slice(0, end - start) + index + text.slice(end - start);
    }, textOf(e.span));
}

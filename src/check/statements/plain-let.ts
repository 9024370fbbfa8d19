// A plain `let`: its value under its guards and its declared type, taken apart by its pattern into
// names.

import { before, fixed } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { clashes, spoilName, type Block } from "./block.ts";
import { counted } from "../lints/count.ts";
import { knownTruth } from "../expressions/conditions.ts";
import { notBuilt, refuse, report, wrongAt, type Place } from "../context.ts";
import { bindDifferential } from "../derivatives/differentials.ts";
import { isDamaged } from "./damaged.ts";
import { patternNames } from "../names/free-names.ts";
import { uncovered } from "../data/patterns/exhaustive.ts";
import { namesIn } from "../names/free-names.ts";
import { valueBinding } from "../types/integers.ts";
import { declaredValue } from "../types/declared-value.ts";
import { forAllMembers } from "../data/patterns/pattern-help.ts";
import { constructorsOf, matchPattern, newPatterns } from "../data/patterns/patterns.ts";
import { keepForFunctions, lookUp } from "../names/scope.ts";
import { ascribed } from "../types/shapes.ts";
import { share } from "../values/share.ts";
import { membersOf } from "../values/tuples.ts";
import type { Action, Item, Typed, ValueBinding } from "../types/typed.ts";
import { isScalar, settle, showType, unit, isCompound } from "../types/types.ts";
import { distribute, otherwiseOf, whereItems } from "./where.ts";

export function letOf(
  place: Place,
  statement: ast.Let,
  block: Block,
): readonly Action[] | undefined {
  const { pattern } = statement;
  if (pattern.kind === "missing") {
    refusePattern(place, pattern);
    return undefined;
  }
  if (isNameless(place, statement)) return undefined;
  if (bindDifferential(place, statement, block)) return undefined;
  const moved = distribute(place, statement.value, statement.where);
  const where = whereItems(place, moved.where?.items ?? []);
  const plain = declaredValue(where.place, moved.value, statement.type);
  const written = guardedValue(where.place, where.items, plain, moved.where);
  const value = statement.type ? ascribed(place, written, statement.type) : written;
  const whole =
    where.items.length > 0 && value.kind !== "wrong" ? inBlock(where.items, value) : value;
  return destructure(place, pattern, whole, block);
}

/** `let [i, j] = x[i, j];`: coordinates whose tensor has no name. */
function isNameless(place: Place, { pattern, value, where }: ast.Let): boolean {
  if (pattern.kind !== "array") return false;
  const read = namesIn({ value, where });
  const coordinates = patternNames(pattern).filter(
    (name) => read.has(name) && !lookUp(place.scope, name),
  );
  if (coordinates.length === 0) return false;
  const shown = coordinates.map((name) => `\`${name}\``).join(", ");
  report(
    place,
    "E0301",
    `${shown} cannot be bound here: the tensor on the left has no name`,
    pattern.span,
    {
      help: `name it before its coordinates: \`let y${textOf(pattern.span)} = …;\``,
      ...fixed("name it `y`", before(pattern.span, "y")),
    },
  );
  for (const name of patternNames(pattern)) spoilName(place, name, pattern.span);
  return true;
}

/**
 * A plain `let` is a tensor of one cell: where its guards do not hold, it is the `else` value, or
 * 0.
 */
function guardedValue(
  place: Place,
  items: readonly Item[],
  value: Typed,
  where: ast.Where | undefined,
): Typed {
  const guards = items.flatMap((item) => (item.kind === "guard" ? [item.condition] : []));
  if (guards.length === 0 || value.kind === "wrong") return value;
  if (value.type.kind !== "tensor" || !isScalar(value.type)) {
    return refuse(
      place,
      "E0308",
      "a guard on a whole tensor has no coordinates to hold for",
      where!.span,
      {
        help: "give the tensor coordinates: `let y[i] = x[i] where …;`",
      },
    );
  }
  const otherwise = otherwiseOf(place, where, value.type, value.span);
  if (otherwise.kind === "wrong") return otherwise;
  return guards.reduceRight<Typed>(
    (then, condition) => ({
      kind: "select",
      condition,
      then,
      otherwise,
      type: value.type,
      span: value.span,
    }),
    value,
  );
}

function inBlock(items: readonly { kind: string; binding?: ValueBinding }[], value: Typed): Typed {
  const bindings = items.flatMap((item) => item.binding ?? []);
  return { kind: "block", bindings, value, type: value.type, span: value.span };
}

function destructure(
  place: Place,
  pattern: ast.Pattern,
  value: Typed,
  block: Block,
): readonly Action[] | undefined {
  switch (pattern.kind) {
    case "name":
      return bindName(place, pattern.name, value, block);
    case "wildcard":
      return [];
    case "tuple": {
      const names = patternNames(pattern);
      const twice = names.find((name, k) => names.indexOf(name) < k);
      if (twice !== undefined && value.kind !== "wrong") {
        report(place, "E0413", `\`${twice}\` stands twice in one pattern`, pattern.span, {
          help: "use two names",
        });
        return destructure(place, pattern, wrongAt(value.span), block);
      }
      if (value.kind === "wrong") {
        for (const member of pattern.members) destructure(place, member, value, block);
        return undefined;
      }
      const members = membersOf(value);
      if (members?.length !== pattern.members.length) {
        report(
          place,
          "E0402",
          `${counted(pattern.members.length, "name")} for ${showType(value.type)}`,
          pattern.span,
          forAllMembers(pattern, value),
        );
        for (const member of pattern.members)
          destructure(place, member, wrongAt(value.span), block);
        return undefined;
      }
      return pattern.members.flatMap(
        (member, k) => destructure(place, member, members[k]!, block) ?? [],
      );
    }
    case "missing":
      refusePattern(place, pattern);
      return undefined;
    default:
      return takeApart(place, pattern, value, block);
  }
}

/** A pattern that always matches gives its names; one that may not belongs in a `match`. */
function takeApart(
  place: Place,
  pattern: ast.Pattern,
  value: Typed,
  block: Block,
): readonly Action[] | undefined {
  const spoilAll = (): undefined => {
    for (const name of patternNames(pattern)) spoilName(place, name, pattern.span);
    return undefined;
  };
  if (value.kind === "wrong") return spoilAll();
  const shared = share(place, { text: "whole", span: pattern.span }, value);
  const patterns = newPatterns(place);
  const { condition, names } = matchPattern(patterns, pattern, shared.value);
  if (condition.kind === "wrong") return spoilAll();
  const missing = uncovered([pattern], constructorsOf(patterns));
  if (missing !== undefined || knownTruth(condition) !== true) {
    report(
      place,
      "E0412",
      `this \`let\` may fail: it does not match \`${missing ?? "_"}\``,
      pattern.span,
      {
        help: `take the value apart with \`match\`, which has an arm for each case`,
      },
    );
    return spoilAll();
  }
  const parts = shared.bindings.map((binding): Action => ({ kind: "bind", binding }));
  return [
    ...parts,
    ...[...names.values()].flatMap((one) => bindName(place, one.name, one.value, block) ?? []),
  ];
}

function refusePattern(place: Place, pattern: ast.Pattern): void {
  for (const name of patternNames(pattern)) spoilName(place, name, pattern.span);
  if (pattern.kind === "missing") return;
  const help =
    pattern.kind === "array"
      ? `a tensor has a name before its coordinates: \`let y${textOf(pattern.span)} = …;\``
      : undefined;
  notBuilt(place, "this pattern in a `let`", pattern.span, help);
}

function bindName(
  place: Place,
  name: ast.Name,
  value: Typed,
  block: Block,
): readonly Action[] | undefined {
  // A plain `let` shadows a finished tensor; a clause further down would redefine the plain
  // binding.
  if (!block.tensors.get(name.text)?.complete && clashes(place, name, block)) return undefined;
  keepForFunctions(place.scope, name);
  const { start, end } = value.span;
  if (value.type === unit && !isDamaged(place.checker, { start, end: end + 1 }))
    report(place, "E0505", "this gives no value", value.span);
  if (value.kind === "wrong" || value.type === unit) {
    place.scope.names.set(name.text, { kind: "wrong", name: name.text, span: name.span });
    return undefined;
  }
  settle(value.type);
  const parts = isCompound(value.type) ? share(place, name, value) : { bindings: [], value };
  const binding = valueBinding(place, "let", name, parts.value);
  place.scope.names.set(name.text, binding);
  return [...parts.bindings, binding].map((bound): Action => ({ kind: "bind", binding: bound }));
}

// A plain `let`, as in `let (a, b) = f(x) where x > 0.0;`. Its value gets its guards and its
// declared type, and its pattern takes the value apart into names.

import { before, fixed } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { reportClash, spoilName, type Block } from "./block.ts";
import { counted } from "../lints/count.ts";
import { knownTruth } from "../expressions/conditions.ts";
import { notBuilt, refuse, report, wrongAt, type Place } from "../context.ts";
import { bindDifferential } from "../derivatives/differentials.ts";
import { isDamaged } from "./damaged.ts";
import { patternNames } from "../names/free-names.ts";
import { uncovered } from "../data/patterns/exhaustive.ts";
import { namesReadIn } from "../names/free-names.ts";
import { valueBinding } from "../types/integers.ts";
import { declaredValue } from "../types/declared-value.ts";
import { forAllMembers } from "../data/patterns/pattern-help.ts";
import { constructorsOf, matchPattern, newPatterns } from "../data/patterns/patterns.ts";
import { keepForFunctions, lookUp } from "../names/scope.ts";
import { underDeclaredType } from "../types/shapes.ts";
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
  if (reportNamelessTensor(place, statement)) return undefined;
  if (bindDifferential(place, statement, block)) return undefined;
  const distributed = distribute(place, statement.value, statement.where);
  const where = whereItems(place, distributed.where?.items ?? []);
  const plain = declaredValue(where.place, distributed.value, statement.type);
  const written = guardedValue(where.place, where.items, plain, distributed.where);
  const value = statement.type ? underDeclaredType(place, written, statement.type) : written;
  const whole =
    where.items.length > 0 && value.kind !== "wrong" ? inBlock(where.items, value) : value;
  return destructure(place, pattern, whole, block);
}

/** Reports `let [i, j] = x[i, j];`: a tensor is declared by its coordinates and has no name. */
function reportNamelessTensor(place: Place, { pattern, value, where }: ast.Let): boolean {
  if (pattern.kind !== "array") return false;
  const read = namesReadIn({ value, where });
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
 * The value under its guards. A plain `let` is like a tensor of one cell: if a guard fails, the
 * value is that of `else`, or 0.
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

/**
 * Binds the names of a pattern that always matches. A pattern that may fail is reported; it belongs
 * in a `match`.
 */
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
    ...[...names.values()].flatMap(
      (captured) => bindName(place, captured.name, captured.value, block) ?? [],
    ),
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
  // A plain `let` may hide a finished tensor. It may not bind a name that later clauses declare.
  if (!block.tensors.get(name.text)?.complete && reportClash(place, name, block)) return undefined;
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

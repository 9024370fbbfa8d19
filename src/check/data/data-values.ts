// Makes values of structs and enums, and reads their fields. `data.ts` looks up their declarations.

import { textOf, type Span } from "../../base/source.ts";
import { nearest } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import type { Bound } from "../calls/bound.ts";
import { completed, isOpen } from "../types/completed.ts";
import { errorCount, refuse, silent, wrongAt, type Place } from "../context.ts";
import { areCount, counted } from "../lints/count.ts";
import { isDamaged } from "../statements/damaged.ts";
import { dataAt } from "./data-at.ts";
import { fieldsAre, isEnum, isStruct, noField, unknownType, type VariantOf } from "./data.ts";
import { declaredType } from "../types/declared-types.ts";
import { fieldValue } from "../types/declared-value.ts";
import { withDeclaredAxisNames } from "../types/relabelled.ts";
import type { DataBinding } from "../names/scope.ts";
import { functionsLast, matchParameter } from "../calls/signatures.ts";
import { membersOf } from "../values/tuples.ts";
import type { Typed } from "../types/typed.ts";
import { scalar, type DataType, type Type } from "../types/types.ts";
import { expression } from "../elaborate.ts";

/** `Shape::Dot`, or `Shape::Circle(2.0)` with its arguments. */
export function variantValue(
  place: Place,
  { of, index }: VariantOf,
  call: ast.Call | undefined,
  span: Span,
): Typed {
  const variant = of.declaration.variants[index]!;
  const title = `\`${of.name}::${variant.name.text}\``;
  const given = call?.arguments ?? [];
  if (!call && variant.fields.length > 0) {
    return refuse(
      place,
      "E0501",
      `${title} takes ${counted(variant.fields.length, "argument")}`,
      span,
      {
        labels: [{ span: variant.span, text: "declared here" }],
        help: `write \`${textOf(span)}(…)\``,
      },
    );
  }
  const values: (Typed | undefined)[] = variant.fields.map(() => undefined);
  let position = 0;
  for (const argument of given) {
    const k = argument.name
      ? variant.fields.findIndex((field) => field.name?.text === argument.name!.text)
      : position++;
    if (k < 0) {
      const names = variant.fields.flatMap((field) => field.name?.text ?? []);
      return refuse(
        place,
        "E0502",
        `${title} has no field \`${argument.name!.text}\``,
        argument.name!.span,
        {
          labels: [{ span: variant.span, text: "declared here" }],
          ...(nearest(argument.name!.span, argument.name!.text, names) ?? {
            help: howToGive(variant, names),
          }),
        },
      );
    }
    if (k >= values.length || values[k]) {
      const takes = `${title} takes ${counted(values.length, "argument")}`;
      return refuse(place, "E0501", `${takes}, here ${areCount(given.length)}`, argument.span, {
        labels: [{ span: variant.span, text: "declared here" }],
      });
    }
    values[k] = fieldValue(place, of, argument.value, variant.fields[k]!.type);
  }
  if (values.some((value) => !value)) {
    const takes = `${title} takes ${counted(values.length, "argument")}`;
    return refuse(place, "E0501", `${takes}, here ${areCount(given.length)}`, span, {
      labels: [{ span: variant.span, text: "declared here" }],
    });
  }
  const fields = variant.fields.map((field, k) => ({
    type: field.type,
    value: values[k]!,
    what: field.name ? `\`${field.name.text}\` of ${title}` : `the payload of ${title}`,
  }));
  const built = fieldsOf(place, of, fields);
  if (!built) return wrongAt(span);
  const tag: Typed = { kind: "constant", value: index, type: scalar("i32"), span };
  const members: Typed[] = [tag];
  for (const [n, other] of of.declaration.variants.entries()) {
    if (n === index) members.push(...built.values);
    else
      members.push(
        ...other.fields.map((): Typed => ({ kind: "absent", type: { kind: "absent" }, span })),
      );
  }
  return { kind: "tuple", members, type: built.type, span };
}

function howToGive({ name, fields }: ast.Variant, names: readonly string[]): string {
  if (names.length > 0) return fieldsAre(names);
  return fields.length > 0
    ? "its arguments go by position"
    : `write \`${name.text}\` without arguments`;
}

/** `Point { x: 1.0, y: 2.0 }` */
export function structValue(place: Place, e: ast.StructLiteral): Typed {
  const { path } = e;
  const of = dataAt(place, path);
  const values = new Map<string, Typed>();
  for (const { name, value } of e.fields) {
    const declared = of && of !== "wrong" && isStruct(of) ? of.declaration.fields : [];
    const type = declared.find((field) => field.name.text === name.text)?.type;
    values.set(
      name.text,
      of && of !== "wrong" ? fieldValue(place, of, value, type) : expression(place, value),
    );
  }
  if (of === "wrong") return wrongAt(e.span);
  if (!of) return unknownType(place, path);
  if (isEnum(of)) {
    return refuse(
      place,
      "E0414",
      `\`${of.name}\` is an enum and has no fields of its own`,
      path.span,
      {
        labels: [{ span: of.span, text: "declared here" }],
        help: `name a variant: \`${of.name}::${of.declaration.variants[0]?.name.text ?? "…"}\``,
      },
    );
  }
  if (!isStruct(of)) return unknownType(place, path);
  const declared = of.declaration.fields.map((field) => field.name.text);
  for (const [k, { name }] of e.fields.entries()) {
    if (!declared.includes(name.text)) return noField(place, of, name);
    if (e.fields.slice(0, k).some((other) => other.name.text === name.text))
      return refuse(place, "E0414", `\`${name.text}\` is given twice`, name.span);
  }
  const missing = declared.filter((name) => !values.has(name));
  if (missing.length > 0 && isDamaged(place.checker, of.declaration.span))
    return silent(place, e.span);
  if (missing.length > 0) {
    return refuse(
      place,
      "E0414",
      `\`${of.name}\` needs ${missing.map((name) => `\`${name}\``).join(", ")} too`,
      e.span,
      {
        labels: [{ span: of.span, text: "declared here" }],
      },
    );
  }
  const fields = of.declaration.fields.map((field) => ({
    type: field.type,
    value: values.get(field.name.text)!,
    what: `\`${field.name.text}\` of \`${of.name}\``,
  }));
  const built = fieldsOf(place, of, fields);
  return built
    ? { kind: "tuple", members: built.values, type: built.type, span: e.span }
    : wrongAt(e.span);
}

/** `p.x` */
export function fieldOf(place: Place, base: Typed, type: DataType, name: ast.Name): Typed {
  const { of } = type;
  if (!isStruct(of)) {
    return refuse(
      place,
      "E0410",
      `the enum \`${of.name}\` has no member \`${name.text}\``,
      name.span,
      {
        help: "take it apart with `match`",
      },
    );
  }
  const k = of.declaration.fields.findIndex((field) => field.name.text === name.text);
  const member = k < 0 ? undefined : membersOf(base)?.[k];
  return member ? { ...member, span: base.span } : noField(place, of, name);
}

interface Field {
  readonly type: ast.Type;
  readonly value: Typed;
  readonly what: string;
}

/**
 * Matches the values of fields with their types. A dimension name or type parameter has one meaning
 * in all fields.
 */
function fieldsOf(
  place: Place,
  of: DataBinding,
  fields: readonly Field[],
): { readonly values: readonly Typed[]; readonly type: DataType } | undefined {
  if (fields.some(({ value }) => value.kind === "wrong")) return undefined;
  const generics = new Map<string, Type>(
    of.declaration.generics.map((name) => [name.text, { kind: "absent" }]),
  );
  const bound: Bound = {
    axes: new Map(),
    packs: new Map(),
    words: new Map(),
    named: new Map(),
    generics,
  };
  const inside: Place = { ...place, scope: of.scope };
  const said = errorCount(place);
  for (const [, { type, value, what }] of functionsLast(fields))
    matchParameter(inside, bound, type, value, what);
  if (errorCount(place) > said) return undefined;
  const values = fields.map(({ type, value }) => {
    const own = withDeclaredAxisNames(inside, type, value, bound);
    return isOpen(own.type) ? completed(place, own, declaredType(inside, type, generics)) : own;
  });
  return { values, type: { kind: "data", of, arguments: [...generics.values()] } };
}

// Structs, enums, lists and ragged rows are checked in this folder; the types of other values are
// in `types/`. This file looks up the variants and fields that names mean, and reports unknown
// ones. `data-declarations.ts` checks declarations, and `data-values.ts` makes values.
//
// A struct is the list of its fields. An enum is its tag and the payloads of all its variants. Both
// exist only while compiling; the IR has only scalars and tensors.

import { nearest } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { elementTypes } from "../../scalar/types.ts";
import { refuse, report, silent, type Place } from "../context.ts";
import { areCount, counted } from "../lints/count.ts";
import { isDamaged } from "../statements/damaged.ts";
import { hasNameless, type DataBinding } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";

export interface EnumBinding extends DataBinding {
  readonly declaration: ast.Enum;
}

export interface StructBinding extends DataBinding {
  readonly declaration: ast.Struct;
}

/** A variant, by its position in the enum. */
export interface VariantOf {
  readonly of: EnumBinding;
  readonly index: number;
}

export function isEnum(of: DataBinding): of is EnumBinding {
  return of.declaration.kind === "enum";
}

export function isStruct(of: DataBinding): of is StructBinding {
  return of.declaration.kind === "struct";
}

/** Whether a type has as many type arguments as its struct or enum declares; reported if not. */
export function checkTypeArguments(
  place: Place,
  of: DataBinding,
  { arguments: given, span }: Extract<ast.Type, { kind: "named" }>,
): boolean {
  const { generics } = of.declaration;
  if (generics.length === given.length) return true;
  const title =
    `\`${of.name}\` has ${counted(generics.length, "type argument")}, ` +
    `here ${areCount(given.length)}`;
  report(place, "E0404", title, span, { labels: [{ span: of.span, text: "declared here" }] });
  return false;
}

/** The variant with a name. An unknown variant is reported. */
export function variantOf(place: Place, of: DataBinding, variant: ast.Name): VariantOf | "wrong" {
  if (!isEnum(of)) {
    report(place, "E0414", `\`${of.name}\` is a struct and has no variants`, variant.span, {
      labels: [{ span: of.span, text: "declared here" }],
      help: `write \`${of.name} { … }\``,
    });
    return "wrong";
  }
  const { variants } = of.declaration;
  const index = variants.findIndex((each) => each.name.text === variant.text);
  if (index >= 0) return { of, index };
  if (isDamaged(place.checker, of.declaration.span)) return "wrong";
  const names = variants.map((each) => each.name.text);
  report(place, "E0414", `\`${of.name}\` has no variant \`${variant.text}\``, variant.span, {
    labels: [{ span: of.span, text: "declared here" }],
    ...(nearest(variant.span, variant.text, names) ?? {
      help: `its variants are ${names.map((each) => `\`${each}\``).join(", ")}`,
    }),
  });
  return "wrong";
}

/** The position of the first field of a variant among the members of an enum value. */
export function payloadAt({ declaration }: EnumBinding, index: number): number {
  return declaration.variants
    .slice(0, index)
    .reduce((at, variant) => at + variant.fields.length, 1);
}

export function fieldsAre(names: readonly string[]): string {
  const listed = names.map((each) => `\`${each}\``).join(", ");
  return names.length === 1 ? `its field is ${listed}` : `its fields are ${listed}`;
}

export function unknownType(place: Place, { segments, span }: ast.Path): Typed {
  if (hasNameless(place.scope)) return silent(place, span);
  const name = segments.map((segment) => segment.text).join("::");
  const names: string[] = [...elementTypes];
  for (let around: Place["scope"] | undefined = place.scope; around; around = around.parent)
    names.push(...around.types.keys());
  const last = segments.length === 1 ? nearest(span, name, names) : undefined;
  return refuse(place, "E0404", `there is no struct or enum \`${name}\``, span, last ?? {});
}

export function noField(place: Place, of: StructBinding, name: ast.Name): Typed {
  if (isDamaged(place.checker, of.declaration.span)) return silent(place, name.span);
  const names = of.declaration.fields.map((field) => field.name.text);
  return refuse(place, "E0414", `\`${of.name}\` has no field \`${name.text}\``, name.span, {
    labels: [{ span: of.span, text: "declared here" }],
    ...(nearest(name.span, name.text, names) ?? { help: fieldsAre(names) }),
  });
}

// Structs and enums. A struct is the list of its fields, an enum its tag and the payloads of all its variants: both live at
// compile time, so that what reaches the IR is scalars and tensors.

import { nearest } from "../diagnostics/fixes.ts";
import type * as ast from "../syntax/ast.ts";
import { completed, isOpen } from "./completed.ts";
import { declaredType } from "./declared-types.ts";
import { textOf, type Span } from "../base/source.ts";
import { elementTypes, isElementType } from "../scalar/types.ts";
import { dataAt, type VariantOf } from "./data-at.ts";
import { errorCount, refuse, report, silent, wrongAt, type Place } from "./context.ts";
import { areCount, counted } from "./count.ts";
import { isDamaged } from "./damaged.ts";
import { expression } from "./expressions.ts";
import { fieldValue } from "./declared-value.ts";
import { relabelled } from "./functions.ts";
import { hasNameless, type DataBinding } from "./scope.ts";
import { functionsLast, matchParameter, type Bound } from "./signatures.ts";
import { membersOf } from "./tuples.ts";
import type { Typed } from "./typed.ts";
import { scalar, type DataType, type Type } from "./types.ts";

export interface EnumBinding extends DataBinding {
  readonly declaration: ast.Enum;
}

export interface StructBinding extends DataBinding {
  readonly declaration: ast.Struct;
}

export function isEnum(of: DataBinding): of is EnumBinding {
  return of.declaration.kind === "enum";
}

export function isStruct(of: DataBinding): of is StructBinding {
  return of.declaration.kind === "struct";
}

/** Puts the enums and structs of a block in sight, wherever they stand in it. */
export function declareData(place: Place, list: readonly ast.Statement[]): void {
  for (const declaration of list) {
    if (declaration.kind !== "enum" && declaration.kind !== "struct") continue;
    const { name } = declaration;
    if (isElementType(name.text) || isWord(name.text)) {
      report(place, "E0203", `\`${name.text}\` is a type of the language`, name.span, {
        help: "take another name",
      });
      continue;
    }
    const known = place.scope.types.get(name.text);
    if (known) {
      report(place, "E0203", `\`${name.text}\` is defined twice`, name.span, {
        labels: [{ span: known.span, text: "first defined here" }],
      });
      continue;
    }
    place.scope.types.set(name.text, {
      kind: "data",
      name: name.text,
      span: name.span,
      declaration,
      scope: place.scope,
    });
    const parts = declaration.kind === "enum" ? declaration.variants : declaration.fields;
    for (const [k, part] of parts.entries()) {
      const first = parts.slice(0, k).find((other) => other.name.text === part.name.text);
      if (!first) continue;
      report(
        place,
        "E0203",
        `\`${name.text}\` has two members \`${part.name.text}\``,
        part.name.span,
        {
          labels: [{ span: first.name.span, text: "the first" }],
        },
      );
    }
  }
}

/** Whether a type names an enum or struct with as many type arguments as that has. */
export function checkTypeArguments(
  place: Place,
  of: DataBinding,
  { arguments: given, span }: Extract<ast.Type, { kind: "named" }>,
): boolean {
  const { generics } = of.declaration;
  if (generics.length === given.length) return true;
  const title = `\`${of.name}\` has ${counted(generics.length, "type argument")}, here ${areCount(given.length)}`;
  report(place, "E0404", title, span, { labels: [{ span: of.span, text: "declared here" }] });
  return false;
}

/** Types in declarations are there, whether or not a value is ever made. */
export function checkFieldTypes(
  place: Place,
  { generics, ...declaration }: ast.Enum | ast.Struct,
): void {
  const fields =
    declaration.kind === "enum"
      ? declaration.variants.flatMap((each) => each.fields)
      : declaration.fields;
  const own = new Set(generics.map((name) => name.text));
  const visit = (type: ast.Type): void => {
    switch (type.kind) {
      case "named": {
        type.arguments.forEach(visit);
        const [name] = type.path;
        if (
          type.path.length === 1 &&
          (own.has(name!.text) || isElementType(name!.text) || isWord(name!.text))
        )
          return;
        const path: ast.Path = { kind: "path", segments: type.path, span: type.span };
        const of = dataAt(place, path);
        if (!of) unknownType(place, path);
        else if (of !== "wrong") checkTypeArguments(place, of, type);
        return;
      }
      case "tensor":
        return visit(type.element);
      case "tuple":
        return type.members.forEach(visit);
      case "function":
        return [...type.parameters, type.result].forEach(visit);
      case "jagged":
        return visit(type.element);
      case "missing":
        return;
      default:
        return type satisfies never;
    }
  };
  for (const field of fields) visit(field.type);
  if (declaration.kind === "struct") refuseEndless(place, declaration.name, fields);
  else refuseEmpty(place, declaration);
}

/** An enum each of whose variants holds one of its own kind has no value that ends. */
function refuseEmpty(place: Place, { name, variants }: Omit<ast.Enum, "generics">): void {
  const isEnding = (at: Place, type: ast.Type, open: readonly ast.Name[]): boolean => {
    if (type.kind === "tuple") return type.members.every((member) => isEnding(at, member, open));
    if (type.kind !== "named") return true;
    const of = dataAt(at, { kind: "path", segments: type.path, span: type.span });
    if (!of || of === "wrong") return true;
    const { declaration } = of;
    if (open.includes(declaration.name)) return false;
    const inside: Place = { ...at, scope: of.scope };
    const all = (fields: readonly { readonly type: ast.Type }[]): boolean =>
      fields.every((field) => isEnding(inside, field.type, [...open, declaration.name]));
    return declaration.kind === "struct"
      ? all(declaration.fields)
      : declaration.variants.some(({ fields }) => all(fields));
  };
  const [first] = variants;
  if (
    !first ||
    variants.some(({ fields }) => fields.every((field) => isEnding(place, field.type, [name])))
  )
    return;
  const holder = first.fields.find((field) => !isEnding(place, field.type, [name]))!;
  report(
    place,
    "E0404",
    `every variant of \`${name.text}\` holds a \`${name.text}\`, so that no value of it ends`,
    holder.type.span,
    {
      labels: [{ span: name.span, text: "this type" }],
      help: "add a variant that ends it: `enum List { End, More(i32, List) }`",
    },
  );
}

/** A struct that holds one of its own kind has no end. */
function refuseEndless(
  place: Place,
  name: ast.Name,
  fields: readonly { readonly type: ast.Type }[],
): void {
  const seen = new Set<ast.Struct>();
  const holder = (at: Place, list: readonly { readonly type: ast.Type }[]): ast.Type | undefined =>
    list.map(({ type }) => type).find((type) => holds(at, type));
  const holds = (at: Place, type: ast.Type): boolean => {
    if (type.kind === "tuple") return type.members.some((member) => holds(at, member));
    if (type.kind !== "named") return false;
    const of = dataAt(at, { kind: "path", segments: type.path, span: type.span });
    if (!of || of === "wrong" || !isStruct(of)) return false;
    if (of.declaration.name.span === name.span) return true;
    if (seen.has(of.declaration)) return false;
    seen.add(of.declaration);
    return holder({ ...at, scope: of.scope }, of.declaration.fields) !== undefined;
  };
  const type = holder(place, fields);
  if (!type) return;
  report(place, "E0404", `\`${name.text}\` holds a \`${name.text}\`, which has no end`, type.span, {
    help: `let an enum end it: \`enum List { End, More(i32, List) }\``,
  });
}

function isWord(name: string): boolean {
  return name === "float" || name === "int" || name === "num";
}

// ── variants ────────────────────────────────────────────────────────────────────────────────────

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

/** Where the payload of a variant begins among the members of an enum value. */
export function payloadAt({ declaration }: EnumBinding, index: number): number {
  return declaration.variants
    .slice(0, index)
    .reduce((at, variant) => at + variant.fields.length, 1);
}

function fieldsAre(names: readonly string[]): string {
  const listed = names.map((each) => `\`${each}\``).join(", ");
  return names.length === 1 ? `its field is ${listed}` : `its fields are ${listed}`;
}

function howToGive({ name, fields }: ast.Variant, names: readonly string[]): string {
  if (names.length > 0) return fieldsAre(names);
  return fields.length > 0
    ? "its arguments go by position"
    : `write \`${name.text}\` without arguments`;
}

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
      const takes = `${title} takes ${counted(values.length, "argument")}, here ${areCount(given.length)}`;
      return refuse(place, "E0501", takes, argument.span, {
        labels: [{ span: variant.span, text: "declared here" }],
      });
    }
    values[k] = fieldValue(place, of, argument.value, variant.fields[k]!.type);
  }
  if (values.some((value) => !value)) {
    const takes = `${title} takes ${counted(values.length, "argument")}, here ${areCount(given.length)}`;
    return refuse(place, "E0501", takes, span, {
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

// ── structs ─────────────────────────────────────────────────────────────────────────────────────

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

export function unknownType(place: Place, { segments, span }: ast.Path): Typed {
  if (hasNameless(place.scope)) return silent(place, span);
  const name = segments.map((segment) => segment.text).join("::");
  const names: string[] = [...elementTypes];
  for (let at: Place["scope"] | undefined = place.scope; at; at = at.parent)
    names.push(...at.types.keys());
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

// ── fields ──────────────────────────────────────────────────────────────────────────────────────

interface Field {
  readonly type: ast.Type;
  readonly value: Typed;
  readonly what: string;
}

/** Holds values to the types of their fields; dimension names and type parameters mean one thing throughout. */
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
    const own = relabelled(inside, type, value, bound);
    return isOpen(own.type) ? completed(place, own, declaredType(inside, type, generics)) : own;
  });
  return { values, type: { kind: "data", of, arguments: [...generics.values()] } };
}

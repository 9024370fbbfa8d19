// Declarations of structs and enums. Their types are checked even if no value is ever made.
// `data-values.ts` makes values.

import { isElementType } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { report, type Place } from "../context.ts";
import { dataAt } from "./data-at.ts";
import { checkTypeArguments, isStruct, unknownType } from "./data.ts";
import { isGenericWord } from "../calls/signatures.ts";

/** Declares the enums and structs of a block. They are visible in the whole block. */
export function declareData(place: Place, list: readonly ast.Statement[]): void {
  for (const declaration of list) {
    if (declaration.kind !== "enum" && declaration.kind !== "struct") continue;
    const { name } = declaration;
    if (isElementType(name.text) || isGenericWord(name.text)) {
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

/** Checks the types of the fields of a declaration. */
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
          (own.has(name!.text) || isElementType(name!.text) || isGenericWord(name!.text))
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

/** Refuses an enum whose variants all hold a value of the same enum: no value of it ends. */
function refuseEmpty(place: Place, { name, variants }: Omit<ast.Enum, "generics">): void {
  const isEnding = (around: Place, type: ast.Type, open: readonly ast.Name[]): boolean => {
    if (type.kind === "tuple")
      return type.members.every((member) => isEnding(around, member, open));
    if (type.kind !== "named") return true;
    const of = dataAt(around, { kind: "path", segments: type.path, span: type.span });
    if (!of || of === "wrong") return true;
    const { declaration } = of;
    if (open.includes(declaration.name)) return false;
    const inside: Place = { ...around, scope: of.scope };
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
  const findHolder = first.fields.find((field) => !isEnding(place, field.type, [name]))!;
  report(
    place,
    "E0404",
    `every variant of \`${name.text}\` holds a \`${name.text}\`, so that no value of it ends`,
    findHolder.type.span,
    {
      labels: [{ span: name.span, text: "this type" }],
      help: "add a variant that ends it: `enum List { End, More(i32, List) }`",
    },
  );
}

/** Refuses a struct that holds a value of its own type: it has no end. */
function refuseEndless(
  place: Place,
  name: ast.Name,
  fields: readonly { readonly type: ast.Type }[],
): void {
  const seen = new Set<ast.Struct>();
  const findHolder = (
    around: Place,
    list: readonly { readonly type: ast.Type }[],
  ): ast.Type | undefined => list.map(({ type }) => type).find((type) => holds(around, type));
  const holds = (around: Place, type: ast.Type): boolean => {
    if (type.kind === "tuple") return type.members.some((member) => holds(around, member));
    if (type.kind !== "named") return false;
    const of = dataAt(around, { kind: "path", segments: type.path, span: type.span });
    if (!of || of === "wrong" || !isStruct(of)) return false;
    if (of.declaration.name.span === name.span) return true;
    if (seen.has(of.declaration)) return false;
    seen.add(of.declaration);
    return findHolder({ ...around, scope: of.scope }, of.declaration.fields) !== undefined;
  };
  const type = findHolder(place, fields);
  if (!type) return;
  report(place, "E0404", `\`${name.text}\` holds a \`${name.text}\`, which has no end`, type.span, {
    help: `let an enum end it: \`enum List { End, More(i32, List) }\``,
  });
}

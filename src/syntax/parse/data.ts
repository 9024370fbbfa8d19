// Parses enums and structs.

import { fix, replace } from "../../diagnostics/fixes.ts";
import type { Enum, Name, Struct, Variant } from "../tree/ast.ts";
import {
  advance,
  atName,
  bracketed,
  expect,
  expectName,
  list,
  openBrace,
  peek,
  report,
  spanFrom,
  spanOf,
  type Cursor,
} from "./cursor.ts";
import type { Lead } from "./marks.ts";
import { parseType, typeArguments } from "./types.ts";

function parseGenerics(p: Cursor): Name[] {
  return p.kind === "<"
    ? typeArguments(p, (q) => expectName(q, "the name of a type parameter"))
    : [];
}

export function parseEnum(p: Cursor, lead: Lead): Enum {
  advance(p);
  const name = expectName(p, "the name of the enum");
  const generics = parseGenerics(p);
  const variants = braced(p, "and the variants", parseVariant);
  const { allow, public: exported } = lead;
  return {
    kind: "enum",
    allow,
    public: exported,
    name,
    generics,
    variants,
    span: spanFrom(p, lead.start),
  };
}

function braced<T>(p: Cursor, what: string, item: (p: Cursor) => T): T[] {
  const opener = openBrace(p, what);
  return opener === undefined ? [] : list(p, opener, "}", item);
}

function parseVariant(p: Cursor): Variant {
  const name = expectName(p, "the name of a variant");
  if (p.kind === "{") {
    const help = "the fields of a variant stand in parentheses: `Box(w: f32, h: f32)`";
    const close = p.tokens[p.brackets.partner[p.at]!];
    const place = spanOf(p, p.token);
    const round = close && [
      fix("write `(…)`", replace(place, "("), replace(spanOf(p, close), ")")),
    ];
    report(p, "E0110", "expected `(`, found `{`", place, { help, fixes: round });
    return {
      name,
      fields: bracketed(p, "}", parseVariantField),
      span: spanFrom(p, name.span.start),
    };
  }
  const fields = p.kind === "(" ? bracketed(p, ")", parseVariantField) : [];
  return { name, fields, span: spanFrom(p, name.span.start) };
}

function parseVariantField(p: Cursor): Variant["fields"][number] {
  if (!atName(p) || peek(p, 1) !== ":") return { type: parseType(p) };
  const name = expectName(p, "the name of a field");
  advance(p);
  return { name, type: parseType(p) };
}

export function parseStruct(p: Cursor, lead: Lead): Struct {
  advance(p);
  const name = expectName(p, "the name of the struct");
  const generics = parseGenerics(p);
  const fields = braced(p, "and the fields", parseStructField);
  const { allow, public: exported } = lead;
  return {
    kind: "struct",
    allow,
    public: exported,
    name,
    generics,
    fields,
    span: spanFrom(p, lead.start),
  };
}

function parseStructField(p: Cursor): Struct["fields"][number] {
  const name = expectName(p, "the name of a field");
  expect(p, ":", "`:` and the type of the field", "write `x: f32`");
  return { name, type: parseType(p) };
}

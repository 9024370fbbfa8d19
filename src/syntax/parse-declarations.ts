// Functions, imports, modules, enums and structs.

import type {
  Block,
  CoordinateParameter,
  Enum,
  Fn,
  Mod,
  Name,
  Parameter,
  Struct,
  Type,
  Use,
  UseTree,
  Variant,
} from "./ast.ts";
import {
  advance,
  atName,
  closeBracket,
  eat,
  expect,
  expected,
  expectName,
  gap,
  list,
  missing,
  nested,
  openBrace,
  peek,
  report,
  spanFrom,
  spanOf,
  type Cursor,
} from "./cursor.ts";
import { parseExpression } from "./parse-expressions.ts";
import { expectBlock, startsExpression } from "./parse-primary.ts";
import type { Lead } from "./parse-marks.ts";
import { endStatement, parseStatements } from "./parse-statements.ts";
import { parseType, typeArguments } from "./parse-types.ts";

// ── functions ───────────────────────────────────────────────────────────────────────────────────

export function parseFn(p: Cursor, lead: Lead): Fn {
  advance(p);
  const name = expectName(p, "the name of the function");
  if (p.kind === "<") skipGenerics(p);
  if (atName(p) && (peek(p, 1) === "(" || peek(p, 1) === "[")) {
    expected(p, "`(` and the parameters", "a function has one name");
    advance(p);
  }
  const coordinates = p.kind === "[" ? bracketed(p, "]", parseCoordinate) : [];
  let parameters: Parameter[] = [];
  if (p.kind === "(") parameters = bracketed(p, ")", parseParameter);
  else expected(p, "`(` and the parameters", "for example `fn f(x, y: f32) { … }`");
  const result = parseResult(p);
  const body = parseBody(p);
  const { allow, public: exported } = lead;
  const signature = { name, coordinates, parameters, ...(result ? { result } : {}) };
  return { kind: "fn", allow, public: exported, ...signature, body, span: spanFrom(p, lead.start) };
}

/** `fn f<T>(…)`: parameters without a type are generic already. */
function skipGenerics(p: Cursor): void {
  const help = "leave out `<…>`: parameters without a type are generic";
  report(p, "E0110", "functions have no type parameters", spanOf(p, p.token), { help });
  typeArguments(p, parseType);
}

/** A list in the brackets at hand. */
function bracketed<T>(p: Cursor, close: ")" | "]" | "}", item: (p: Cursor) => T): T[] {
  const opener = p.at;
  advance(p);
  return list(p, opener, close, item);
}

function parseCoordinate(p: Cursor): CoordinateParameter {
  const { start } = p.token;
  const pack = eat(p, "..");
  const name = expectName(p, "the name of a coordinate");
  return { name, pack, span: spanFrom(p, pack ? start : name.span.start) };
}

function parseParameter(p: Cursor): Parameter {
  const name = expectName(p, "the name of a parameter");
  if (p.kind === "->") expected(p, "`:` before the type", `write \`${name.text}: f32\``);
  const type = eat(p, ":") || eat(p, "->") ? parseType(p) : undefined;
  const value = eat(p, "=") ? parseExpression(p) : undefined;
  return { name, ...(type ? { type } : {}), ...(value ? { default: value } : {}), span: spanFrom(p, name.span.start) };
}

function parseResult(p: Cursor): Type | undefined {
  if (p.kind === ":" || p.kind === "=>") {
    report(p, "E0110", `expected \`->\` before the result type, found \`${p.kind}\``, spanOf(p, p.token), {
      help: "write `fn f(x) -> f32 { … }`",
    });
    advance(p);
    return parseType(p);
  }
  return eat(p, "->") ? parseType(p) : undefined;
}

function parseBody(p: Cursor): Block {
  if (p.kind !== "=") {
    const body = expectBlock(p, "and the body of the function");
    if (p.damaged && p.kind === ";") eat(p, ";");
    return body;
  }
  report(p, "E0110", "the body of a function is a block", spanOf(p, p.token), { help: "write `fn f(x) { x + 1 }`" });
  const { start } = advance(p);
  const value = startsExpression(p.kind) ? parseExpression(p) : missing(p);
  const body: Block = { kind: "block", statements: [], value, span: spanFrom(p, start) };
  eat(p, ";");
  return body;
}

// ── use and mod ─────────────────────────────────────────────────────────────────────────────────

export function parseUse(p: Cursor, lead: Lead, opener: number): Use {
  advance(p);
  const tree = parseUseTree(p);
  if (p.kind === ".") expected(p, "`::`", "the parts of a path are joined by `::`, as in `std::math`");
  endStatement(p, opener);
  return { kind: "use", allow: lead.allow, public: lead.public, tree, span: spanFrom(p, lead.start) };
}

function parseUseTree(p: Cursor): UseTree {
  return nested(
    p,
    () => readUseTree(p),
    () => ({ kind: "name", path: [], span: gap(p) }),
  );
}

/** In a group, `*` alone is everything of the module in front of it. */
function parseUseMember(p: Cursor): UseTree {
  const { start } = p.token;
  return eat(p, "*") ? { kind: "all", path: [], span: spanFrom(p, start) } : parseUseTree(p);
}

function readUseTree(p: Cursor): UseTree {
  const first = expectName(p, "the name of a module");
  const { start } = first.span;
  const path: Name[] = [first];
  while (eat(p, "::")) {
    if (eat(p, "*")) return { kind: "all", path, span: spanFrom(p, start) };
    if (p.kind === "{") {
      return { kind: "group", path, members: bracketed(p, "}", parseUseMember), span: spanFrom(p, start) };
    }
    path.push(expectName(p, "a name, `*` or `{…}` after `::`"));
  }
  const as = eat(p, "as") ? expectName(p, "the new name") : undefined;
  return { kind: "name", path, ...(as ? { as } : {}), span: spanFrom(p, start) };
}

export function parseMod(p: Cursor, lead: Lead, opener: number): Mod {
  advance(p);
  const name = expectName(
    p,
    "the name of the module",
    "`mod m;` reads the file `m.ein` beside this one; a module in another folder has to be moved there",
  );
  const { allow, public: exported } = lead;
  // Without a brace it is `mod m;`, unless a closing brace somewhere tells that one was meant.
  if (p.kind === ";" || (p.kind !== "{" && p.brackets.orphanBraces === p.sparedBraces)) {
    endStatement(p, opener);
    return { kind: "mod", allow, public: exported, name, span: spanFrom(p, lead.start) };
  }
  const brace = openBrace(p, "and the contents of the module");
  const statements = nested(
    p,
    () => {
      if (brace === undefined) return [];
      const inner = parseStatements(p, brace);
      closeBracket(p, brace, "}");
      return inner;
    },
    () => [],
  );
  return { kind: "mod", allow, public: exported, name, statements, span: spanFrom(p, lead.start) };
}

// ── enums and structs ───────────────────────────────────────────────────────────────────────────

function parseGenerics(p: Cursor): Name[] {
  return p.kind === "<" ? typeArguments(p, (q) => expectName(q, "the name of a type parameter")) : [];
}

export function parseEnum(p: Cursor, lead: Lead): Enum {
  advance(p);
  const name = expectName(p, "the name of the enum");
  const generics = parseGenerics(p);
  const variants = braced(p, "and the variants", parseVariant);
  const { allow, public: exported } = lead;
  return { kind: "enum", allow, public: exported, name, generics, variants, span: spanFrom(p, lead.start) };
}

function braced<T>(p: Cursor, what: string, item: (p: Cursor) => T): T[] {
  const opener = openBrace(p, what);
  return opener === undefined ? [] : list(p, opener, "}", item);
}

function parseVariant(p: Cursor): Variant {
  const name = expectName(p, "the name of a variant");
  if (p.kind === "{") {
    const help = "the fields of a variant stand in parentheses: `Box(w: f32, h: f32)`";
    report(p, "E0110", "expected `(`, found `{`", spanOf(p, p.token), { help });
    return { name, fields: bracketed(p, "}", parseVariantField), span: spanFrom(p, name.span.start) };
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
  return { kind: "struct", allow, public: exported, name, generics, fields, span: spanFrom(p, lead.start) };
}

function parseStructField(p: Cursor): Struct["fields"][number] {
  const name = expectName(p, "the name of a field");
  expect(p, ":", "`:` and the type of the field", "write `x: f32`");
  return { name, type: parseType(p) };
}

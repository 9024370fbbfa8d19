// Prints statements.

import type {
  Const,
  Enum,
  Fn,
  IndexedLet,
  Let,
  Mod,
  Statement,
  Struct,
  TangentFn,
  Type,
  UseTree,
} from "../tree/ast.ts";
import { printBlock, printBound } from "./blocks.ts";
import type { CommentCursor, Item } from "./comments.ts";
import {
  behindClosing,
  braces,
  list,
  originalText,
  parentheses,
  sequence,
  squareBrackets,
  suffixesBefore,
} from "./comments.ts";
import { printWhere } from "./expressions.ts";
import { printStanding, printExpression } from "./operands.ts";
import { printPattern } from "./patterns.ts";
import { bracketItem } from "./postfix.ts";
import { printGenerics, printPath, printType } from "./types.ts";
import type { Doc } from "./layout.ts";
import { closingHardline, concat, concatAll, group, hardline, indent } from "./layout.ts";

export function printStatement(cursor: CommentCursor, statement: Statement): Doc {
  if (statement.kind === "missing") return originalText(cursor, statement.span);
  const lints = statement.allow.map((lint) => lint.text).join(", ");
  const allow = statement.allow.length > 0 ? `allow(${lints}) ` : "";
  return concat(allow, statement.public ? "pub " : "", printUnmarked(cursor, statement));
}

type Written = Exclude<Statement, { kind: "missing" }>;

function printUnmarked(cursor: CommentCursor, statement: Written): Doc {
  switch (statement.kind) {
    case "let":
      return printLet(cursor, concat("let ", printPattern(cursor, statement.pattern)), statement);
    case "indexed-let": {
      const { name, slots, span } = statement;
      const close = behindClosing(span.source.text, slots.at(-1)?.span.end ?? name.span.end, "]");
      const bracket = list(
        cursor,
        squareBrackets,
        slots.map(bracketItem(cursor)),
        name.span.end,
        close,
      );
      return printLet(
        cursor,
        concat(statement.checkpoint ? "checkpoint " : "", `let ${name.text}`, bracket),
        statement,
      );
    }
    case "const":
      return printLet(cursor, `const ${statement.name.text}`, statement);
    case "input":
      return concat(`input ${statement.name.text}: `, printType(cursor, statement.type), ";");
    case "fn":
      return printFn(cursor, "fn", statement);
    case "tangent-fn":
      return printFn(cursor, statement.surrogate ? "surrogate @fn" : "@fn", statement);
    case "use":
      return concat("use ", printUse(cursor, statement.tree), ";");
    case "mod":
      return printMod(cursor, statement);
    case "enum":
      return printEnum(cursor, statement);
    case "struct":
      return printStruct(cursor, statement);
    case "expression":
      return concat(printStanding(cursor, statement.value), ";");
    default:
      return statement satisfies never;
  }
}

function printLet(cursor: CommentCursor, left: Doc, statement: Let | IndexedLet | Const): Doc {
  const head = concat(left, typeMark(cursor, statement.type), " =");
  const whole = printBound(cursor, head, statement.value);
  const where = statement.kind === "const" ? undefined : statement.where;
  if (!where) return concat(whole, ";");
  const body = concat(whole, suffixesBefore(cursor, statement.value.span.end));
  return concat(printWhere(cursor, body, where), ";");
}

function typeMark(cursor: CommentCursor, type: Type | undefined): Doc {
  return type ? concat(": ", printType(cursor, type)) : "";
}

function printFn(cursor: CommentCursor, keyword: string, fn: Fn | TangentFn): Doc {
  const { text } = fn.span.source;
  const parts: Doc[] = [`${keyword} ${fn.name.text}`];
  let from = fn.name.span.end;
  if (fn.coordinates.length > 0) {
    const close = behindClosing(text, fn.coordinates.at(-1)!.span.end, "]");
    const items = fn.coordinates.map((coordinate): Item => ({
      start: coordinate.span.start,
      end: coordinate.span.end,
      print: () => (coordinate.pack ? ".." : "") + coordinate.name.text,
    }));
    parts.push(list(cursor, squareBrackets, items, from, close));
    from = close;
  }
  const items = fn.parameters.map((parameter): Item => ({
    start: parameter.span.start,
    end: parameter.span.end,
    print: () =>
      concat(
        parameter.name.text,
        typeMark(cursor, parameter.type),
        parameter.default ? concat(" = ", printExpression(cursor, parameter.default)) : "",
      ),
  }));
  const close = behindClosing(text, fn.parameters.at(-1)?.span.end ?? from, ")");
  parts.push(list(cursor, parentheses, items, from, close));
  if (fn.result) parts.push(" -> ", printType(cursor, fn.result));
  parts.push(" ", group(printBlock(cursor, fn.body)));
  return concatAll(parts);
}

function printUse(cursor: CommentCursor, tree: UseTree): Doc {
  const path = printPath(tree.path);
  switch (tree.kind) {
    case "name":
      return tree.as ? `${path} as ${tree.as.text}` : path;
    case "all":
      return path === "" ? "*" : `${path}::*`;
    case "group": {
      const items = tree.members.map((member): Item => ({
        start: member.span.start,
        end: member.span.end,
        print: () => printUse(cursor, member),
      }));
      const brackets = { ...parentheses, open: "{", close: "}" };
      const from = tree.path.at(-1)?.span.end ?? tree.span.start;
      return concat(
        path === "" ? "" : `${path}::`,
        list(cursor, brackets, items, from, tree.span.end),
      );
    }
    default:
      return tree satisfies never;
  }
}

function printMod(cursor: CommentCursor, mod: Mod): Doc {
  if (!mod.statements) return `mod ${mod.name.text};`;
  const before = suffixesBefore(cursor, mod.name.span.end);
  const items = mod.statements.map((statement) => statementItem(cursor, statement));
  const { opening, lines, commented } = sequence(cursor, items, mod.span.source.text, mod.span.end);
  const head = concat(before, `mod ${mod.name.text} {`, opening);
  if (lines.length === 0) return concat(head, commented ? closingHardline : "", "}");
  return concat(head, indent(hardline, concatAll(lines)), closingHardline, "}");
}

export function statementItem(cursor: CommentCursor, statement: Statement): Item {
  return {
    start: statement.span.start,
    end: statement.span.end,
    print: () => printStatement(cursor, statement),
  };
}

function printEnum(cursor: CommentCursor, statement: Enum): Doc {
  const { name, generics, variants, span } = statement;
  const items = variants.map((variant): Item => ({
    start: variant.span.start,
    end: variant.span.end,
    print: () => {
      if (variant.fields.length === 0) return variant.name.text;
      const fields = variant.fields.map((field): Item => ({
        start: field.name?.span.start ?? field.type.span.start,
        end: field.type.span.end,
        print: () =>
          concat(field.name ? `${field.name.text}: ` : "", printType(cursor, field.type)),
      }));
      return concat(
        variant.name.text,
        list(cursor, parentheses, fields, variant.name.span.end, variant.span.end),
      );
    },
  }));
  const from = (generics.at(-1) ?? name).span.end;
  return concat(
    `enum ${name.text}${printGenerics(generics)} `,
    list(cursor, braces, items, from, span.end),
  );
}

function printStruct(cursor: CommentCursor, statement: Struct): Doc {
  const { name, generics, fields, span } = statement;
  const items = fields.map((field): Item => ({
    start: field.name.span.start,
    end: field.type.span.end,
    print: () => concat(`${field.name.text}: `, printType(cursor, field.type)),
  }));
  const from = (generics.at(-1) ?? name).span.end;
  return concat(
    `struct ${name.text}${printGenerics(generics)} `,
    list(cursor, braces, items, from, span.end),
  );
}

// Rewrites a program with requests so that it can be perturbed: the denominator becomes an input or
// gets an input added to it, and the numerator gets a name.

import type * as ast from "../../src/syntax/tree/ast.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

/** A request `let g = N / @x;` at the top level of a program. */
export interface FoundRequest {
  readonly answer: string;
  readonly of: string;
  readonly wrt: string;
  /** The numerator as source, without its `@`. */
  readonly numerator: string;
  readonly statement: ast.Statement;
}

export function requestsIn(text: string): readonly FoundRequest[] {
  return parse({ name: "test.ein", text }).module.statements.flatMap(
    (statement): FoundRequest[] => {
      if (statement.kind !== "let" || statement.pattern.kind !== "name") return [];
      const { value } = statement;
      if (value.kind !== "binary" || value.operator !== "/") return [];
      const { left, right } = value;
      if (right.kind !== "unary" || right.operator !== "@" || right.operand.kind !== "path")
        return [];
      const of = text.slice(left.span.start, left.span.end);
      const wrt = right.operand.segments[0]!.text;
      return [
        {
          answer: statement.pattern.name.text,
          of,
          wrt,
          numerator: withoutMarks(text, left),
          statement,
        },
      ];
    },
  );
}

/** The text of a numerator without its outer `@`. A request inside of it keeps its `@`. */
function withoutMarks(text: string, e: ast.Expression): string {
  const own = (inner: ast.Expression): string => text.slice(inner.span.start, inner.span.end);
  switch (e.kind) {
    case "unary":
      return e.operator === "@"
        ? `(${own(e.operand)})`
        : `(${e.operator}${withoutMarks(text, e.operand)})`;
    case "binary":
      return `(${withoutMarks(text, e.left)} ${e.operator} ${withoutMarks(text, e.right)})`;
    default:
      return `(${own(e)})`;
  }
}

export const numeratorName = "the_numerator";

/**
 * The program in which the denominator is an input of this type. The numerator is named
 * `the_numerator`.
 */
export function openedAt(text: string, request: FoundRequest, type: string): string {
  let declared = false;
  return rewritten(text, request, (statement, own) => {
    if (statement.kind === "input" || !declares(statement, request.wrt)) return [own];
    if (declared) return [];
    declared = true;
    return [`input ${request.wrt}: ${type};`];
  });
}

export const bumpName = "the_bump";

/**
 * The program in which an input of this type, `the_bump`, is added to each clause of the
 * denominator.
 */
export function bumpedAt(text: string, request: FoundRequest, type: string): string {
  const lines = rewritten(text, request, (statement, own) =>
    statement.kind === "indexed-let" && declares(statement, request.wrt)
      ? [raisedBy(text, statement, (cell) => `${bumpName}${cell}`)]
      : [own],
  );
  return `input ${bumpName}: ${type};\n${lines}`;
}

/**
 * A denominator that is moved together with others, and the type of the input with the directions
 * of its cells.
 */
export interface Moved {
  readonly name: string;
  readonly way: string;
  readonly type: string;
}

export const stepName = "the_step";

/**
 * The program in which all denominators move along their directions by an input `the_step`. The
 * numerator is that of the request.
 */
export function movedAlong(text: string, request: FoundRequest, all: readonly Moved[]): string {
  const lines = rewritten(text, request, (statement, own) => {
    const moved = all.find(({ name }) => declares(statement, name));
    if (!moved) return [own];
    const by = (cell: string): string => `${stepName} * ${moved.way}${cell}`;
    if (statement.kind === "indexed-let") return [raisedBy(text, statement, by)];
    if (statement.kind !== "let") return [own];
    const { start, end } = statement.value.span;
    return [`${text.slice(statement.span.start, start)}(${text.slice(start, end)}) + ${by("")};`];
  });
  const ways = all.map(({ way, type }) => `input ${way}: ${type};\n`);
  return `input ${stepName}: f32;\n${ways.join("")}${lines}`;
}

/** A clause with a term added to each of its cells. The term depends on the indices of the cell. */
function raisedBy(
  text: string,
  statement: Extract<ast.Statement, { kind: "indexed-let" }>,
  by: (cell: string) => string,
): string {
  const [from, to] = [statement.value.span.start, statement.value.span.end];
  const slots = statement.slots.map((slot) =>
    slot.kind === "coordinate" ? slot.name.text : text.slice(slot.span.start, slot.span.end),
  );
  const bump = by(`[${slots.join(", ")}]`);
  const raised = (part: ast.Expression): string =>
    `(${text.slice(part.span.start, part.span.end)}) + ${bump}`;
  const head = `${text.slice(statement.span.start, from)}${raised(statement.value)}`;
  const { where } = statement;
  if (!where) return `${head};`;
  // A cell without a clause has the `else` value, and can be moved too.
  const items = text.slice(to, where.otherwise ? where.otherwise.span.start : where.span.end);
  const otherwise = where.otherwise ? raised(where.otherwise) : ` else ${bump}`;
  return `${head}${items}${otherwise};`;
}

function rewritten(
  text: string,
  request: FoundRequest,
  rewrite: (statement: ast.Statement, own: string) => readonly string[],
): string {
  const { statements } = parse({ name: "test.ein", text }).module;
  const atRequest = statements.find(
    (statement) => statement.span.start === request.statement.span.start,
  );
  const read = new Set(
    [...text.matchAll(/\w+/g)]
      .map(([word]) => word)
      .filter((word, at, all) => all.indexOf(word) !== at),
  );
  const parts = statements.flatMap((statement): string[] => {
    // Requests that nothing reads only cost time.
    if (statement !== atRequest && isUnread(statement, read)) return [];
    const own = text.slice(statement.span.start, statement.span.end).replace(/;?\s*$/, ";");
    if (statement === atRequest)
      return [
        `let ${numeratorName} = ${request.numerator};`,
        ...(isUnread(statement, read) ? [] : [own]),
      ];
    return [...rewrite(statement, own)];
  });
  return parts.join("\n");
}

function declares(statement: ast.Statement, name: string): boolean {
  if (statement.kind === "indexed-let") return statement.name.text === name;
  return (
    statement.kind === "let" &&
    statement.pattern.kind === "name" &&
    statement.pattern.name.text === name
  );
}

function isUnread(statement: ast.Statement, read: ReadonlySet<string>): boolean {
  return (
    statement.kind === "let" &&
    statement.pattern.kind === "name" &&
    !read.has(statement.pattern.name.text) &&
    statement.value.kind === "binary" &&
    statement.value.operator === "/" &&
    statement.value.right.kind === "unary"
  );
}

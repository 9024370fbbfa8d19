// Parses the patterns of `match`, `let` and generators.

import type { Expression, Name, Path, Pattern } from "../tree/ast.ts";
import {
  advance,
  atName,
  eat,
  expected,
  expectName,
  gap,
  isNameKind,
  list,
  missing,
  nested,
  peek,
  report,
  keywordsAsNames,
  reportKeyword,
  skipRepeatedKeyword,
  spanFrom,
  takeName,
  type Cursor,
} from "./cursor.ts";
import { parseNumber, parseString } from "./literals.ts";
import { parsePath } from "./paths.ts";
import { isKeyword } from "../lex/tokens.ts";

export function parsePattern(p: Cursor): Pattern {
  return nested(
    p,
    () => orPattern(p),
    () => missingPattern(p),
  );
}

function missingPattern(p: Cursor): Pattern {
  return { kind: "missing", span: gap(p) };
}

function orPattern(p: Cursor): Pattern {
  const start = p.token.start;
  const leading = eat(p, "|");
  const first = singlePattern(p);
  if (p.kind !== "|") return first;
  const alternatives = [first];
  while (eat(p, "|")) alternatives.push(singlePattern(p));
  return { kind: "or", alternatives, span: spanFrom(p, leading ? start : first.span.start) };
}

function singlePattern(p: Cursor): Pattern {
  const start = p.token.start;
  switch (p.kind) {
    case "number":
    case "-":
      return literalOrRange(p, patternNumber(p));
    case "string":
      return { kind: "literal", value: parseString(p), span: spanFrom(p, start) };
    case "true":
    case "false": {
      const value = advance(p).kind === "true";
      return {
        kind: "literal",
        value: { kind: "bool", value, span: spanFrom(p, start) },
        span: spanFrom(p, start),
      };
    }
    case "(":
      return tuplePattern(p);
    case "[":
      return arrayPattern(p);
    case "name":
    case "in":
      return namePattern(p);
    default:
      return strayPattern(p);
  }
}

function strayPattern(p: Cursor): Pattern {
  skipRepeatedKeyword(p);
  if (atName(p)) return namePattern(p);
  const next = peek(p, 1);
  // A `where` or `else` that is not bound by `=`, `:` or `[` belongs to the form after it.
  const bound =
    next === "=" || next === ":" || next === "[" || (p.kind !== "where" && p.kind !== "else");
  if (isKeyword(p.kind) && !p.token.fresh && bound) {
    reportKeyword(p, keywordsAsNames(p));
    const name = takeName(p);
    return { kind: "name", name, span: name.span };
  }
  expected(p, "a name or a pattern");
  return missingPattern(p);
}

function patternNumber(p: Cursor): Expression {
  const start = p.token.start;
  if (!eat(p, "-")) return parseNumber(p);
  if (p.kind !== "number") expected(p, "a number after `-`");
  const operand = p.kind === "number" ? parseNumber(p) : missing(p);
  return { kind: "unary", operator: "-", operand, span: spanFrom(p, start) };
}

/** A literal `1`, or a range `1..n` that begins with it. */
function literalOrRange(p: Cursor, from: Expression): Pattern {
  if (p.kind !== ".." && p.kind !== "..=") return { kind: "literal", value: from, span: from.span };
  const inclusive = advance(p).kind === "..=";
  return { kind: "range", from, to: rangeEnd(p), inclusive, span: spanFrom(p, from.span.start) };
}

function rangeEnd(p: Cursor): Expression {
  if (p.kind === "number" || p.kind === "-") return patternNumber(p);
  if (atName(p)) return parsePath(p);
  expected(p, "the end of the range", "a range pattern has both ends, for example `1..=9`");
  return missing(p);
}

function tuplePattern(p: Cursor): Pattern {
  const opener = p.at;
  const { start } = advance(p);
  const members = list(p, opener, ")", parsePattern);
  if (members.length === 1) return members[0]!;
  if (members.length === 0) {
    const help = "write `_` for a value that does not matter";
    report(p, "E0110", "a tuple pattern has two or more members", spanFrom(p, start), { help });
    return { kind: "missing", span: spanFrom(p, start) };
  }
  return { kind: "tuple", members, span: spanFrom(p, start) };
}

type Rest = { readonly kind: "rest"; readonly name?: Name; readonly span: Pattern["span"] };

function patternOrRest(p: Cursor): Pattern | Rest {
  const start = p.token.start;
  if (!eat(p, "..")) return parsePattern(p);
  const name = atName(p) ? takeName(p) : undefined;
  return { kind: "rest", ...(name ? { name } : {}), span: spanFrom(p, start) };
}

function arrayPattern(p: Cursor): Pattern {
  const opener = p.at;
  const { start } = advance(p);
  const members = list(p, opener, "]", patternOrRest);
  const before: Pattern[] = [];
  const after: Pattern[] = [];
  let rest: Rest | undefined;
  for (const member of members) {
    if (member.kind !== "rest") (rest ? after : before).push(member);
    else if (!rest) rest = member;
    else
      report(p, "E0110", "an array pattern has at most one rest", member.span, {
        help: "keep one of the `..`",
      });
  }
  const kept = rest && { ...(rest.name ? { name: rest.name } : {}), span: rest.span };
  return {
    kind: "array",
    before,
    ...(kept ? { rest: kept } : {}),
    after,
    span: spanFrom(p, start),
  };
}

function namePattern(p: Cursor): Pattern {
  const start = p.token.start;
  if (p.token.text === "_") {
    advance(p);
    return { kind: "wildcard", span: spanFrom(p, start) };
  }
  const path = parsePath(p);
  if (p.kind === ".." || p.kind === "..=") return literalOrRange(p, path);
  if (p.kind === "(") return variantPattern(p, path);
  if (p.kind === "{") return structPattern(p, path);
  if (path.segments.length > 1) return { kind: "variant", path, fields: [], span: path.span };
  const name = path.segments[0]!;
  if (!eat(p, "@")) return { kind: "name", name, span: name.span };
  return { kind: "at", name, pattern: nestedSingle(p), span: spanFrom(p, start) };
}

/** The pattern after `n @`, which binds tighter than `|`: `n @ 1 | 2` is `(n @ 1) | 2`. */
function nestedSingle(p: Cursor): Pattern {
  return nested(
    p,
    () => singlePattern(p),
    () => missingPattern(p),
  );
}

function variantPattern(p: Cursor, path: Path): Pattern {
  const opener = p.at;
  advance(p);
  const fields = list(p, opener, ")", variantField);
  return { kind: "variant", path, fields, span: spanFrom(p, path.span.start) };
}

function variantField(p: Cursor): { name?: Name; pattern: Pattern } {
  if (!atName(p) || peek(p, 1) !== "=") return { pattern: parsePattern(p) };
  const name = takeName(p);
  advance(p);
  return { name, pattern: parsePattern(p) };
}

function structPattern(p: Cursor, path: Path): Pattern {
  const opener = p.at;
  advance(p);
  const fields = list(p, opener, "}", structField);
  const named = fields.filter((field) => field !== "rest");
  return {
    kind: "struct",
    path,
    fields: named,
    rest: named.length < fields.length,
    span: spanFrom(p, path.span.start),
  };
}

function structField(p: Cursor): { name: Name; pattern: Pattern } | "rest" {
  if (eat(p, "..")) return "rest";
  const name = expectName(p, "the name of a field");
  if (eat(p, ":")) return { name, pattern: parsePattern(p) };
  return { name, pattern: { kind: "name", name, span: name.span } };
}

/** Whether a generator begins here: `x in`, `(…) in`, `[…] in`, `Some(…) in` or `Point {…} in`. */
export function atGenerator(p: Cursor): boolean {
  let index = p.at;
  if (isNameKind(p.kind) && peek(p, 1) === "in") return true;
  if (isNameKind(p.kind)) {
    while (p.tokens[index + 1]?.kind === "::") index += 2;
    const word = p.tokens[index]?.text ?? "";
    const opens = p.tokens[index + 1]?.kind;
    // Variants and structs have capital letters. `f(x) in 0..n` is a guard.
    if (!/^[A-Z]/.test(word) || (opens !== "(" && opens !== "{")) return false;
    index++;
  }
  const kind = p.tokens[index]?.kind;
  if (kind !== "(" && kind !== "[" && kind !== "{") return false;
  const close = p.brackets.partner[index]!;
  if (close < 0 || p.tokens[close + 1]?.kind !== "in") return false;
  for (let i = index + 1; i < close; i++) {
    if (!patternKinds.has(p.tokens[i]!.kind) && !atNegativeNumber(p, i)) return false;
  }
  return true;
}

/**
 * Whether the `-` at an index is the sign of a number such as `-1`. After an operand it subtracts,
 * and no pattern subtracts.
 */
function atNegativeNumber(p: Cursor, index: number): boolean {
  if (p.tokens[index]!.kind !== "-" || p.tokens[index + 1]!.kind !== "number") return false;
  return beforeLiteral.has(p.tokens[index - 1]!.kind);
}

const patternKinds: ReadonlySet<string> = new Set(
  "name in number string true false ( ) [ ] { } , .. ..= | @ : :: =".split(" "),
);

const beforeLiteral: ReadonlySet<string> = new Set("( [ { , .. ..= | @ : =".split(" "));

// Parses types: scalars, tensors, tuples, functions, jagged arrays and types of the user.

import type { Dim, Name, Type } from "../tree/ast.ts";
import { axesEnd } from "./brackets.ts";
import {
  advance,
  atName,
  eat,
  expect,
  expected,
  expectName,
  gap,
  isInBracket,
  isAt,
  list,
  moveTo,
  nested,
  peek,
  report,
  spanFrom,
  spanOf,
  splitSign,
  takeName,
  type Cursor,
} from "./cursor.ts";
import { fixed, replace } from "../../diagnostics/fixes.ts";
import { scalarTypes } from "../lex/tokens.ts";

export function parseType(p: Cursor): Type {
  return nested(
    p,
    () => readType(p),
    () => missingType(p),
  );
}

function missingType(p: Cursor): Type {
  return { kind: "missing", span: gap(p) };
}

function readType(p: Cursor): Type {
  const type = readClosedType(p);
  const close = p.kind === ";" ? axesEnd(p.tokens, p.at) : -1;
  return close >= 0 && p.brackets.partner[close] === -1 ? unopenedTensor(p, type, close) : type;
}

/** Reads `f32; 2, 3]`, a tensor type whose `[` is missing. `close` is the index of the `]`. */
function unopenedTensor(p: Cursor, element: Type, close: number): Type {
  const end = p.tokens[close]!;
  const text = p.source.text.slice(element.span.start, end.end);
  report(p, "E0113", "this `]` closes nothing", spanOf(p, end), {
    labels: [{ span: element.span, text: "the type of an element" }],
    help: `write \`[${text}\``,
  });
  const dims: Dim[] = [];
  while (p.at < close) {
    advance(p);
    if (p.at < close) dims.push(parseDim(p));
    if (p.kind !== "," && p.at < close) moveTo(p, close);
  }
  advance(p);
  return { kind: "tensor", element, dims, span: spanFrom(p, element.span.start) };
}

function readClosedType(p: Cursor): Type {
  if (p.kind === "[") return tensorType(p);
  if (p.kind === "(") return tupleOrFunction(p);
  if (atName(p)) return namedType(p);
  expected(p, "a type", "for example `f32`, `[f32; batch, feature]` or `(f32, i32)`");
  return missingType(p);
}

function tensorType(p: Cursor): Type {
  const opener = p.at;
  const { start } = advance(p);
  const element = parseType(p);
  if (p.kind !== ";" && p.kind !== "]" && isInBracket(p, opener))
    expected(
      p,
      "`;` after the element type",
      "write `[f32; 2, 3]`: the element type, `;`, then the axes",
    );
  // The axes are read even if a comma stands in place of the semicolon, or neither.
  const hasDims = eat(p, ";") || eat(p, ",");
  const dims = list(p, opener, "]", parseDim);
  const any = dims.find((dim) => dim.kind === "any-rank");
  if (any && dims.length > 1) {
    report(p, "E0110", "`*` stands for all axes and has no others beside it", any.span, {
      help: "write `[f32; *]`",
    });
  }
  return { kind: "tensor", element, ...(hasDims ? { dims } : {}), span: spanFrom(p, start) };
}

function parseDim(p: Cursor): Dim {
  const start = p.token.start;
  if (p.kind === "number" && /^[\d_]+$/.test(p.token.text)) {
    return {
      kind: "number",
      value: Number(advance(p).text.replaceAll("_", "")),
      span: spanFrom(p, start),
    };
  }
  if (eat(p, ".."))
    return { kind: "pack", name: expectName(p, "the name of a pack"), span: spanFrom(p, start) };
  if (eat(p, "?")) return { kind: "unknown", span: spanFrom(p, start) };
  if (eat(p, "*")) return { kind: "any-rank", span: spanFrom(p, start) };
  if (atName(p)) return { kind: "name", name: takeName(p), span: spanFrom(p, start) };
  expected(p, "an axis", "an axis is a number, a name, a pack such as `..left`, or `?`");
  return { kind: "missing", span: gap(p) };
}

function tupleOrFunction(p: Cursor): Type {
  const opener = p.at;
  const { start } = advance(p);
  const members = list(p, opener, ")", parseType);
  if (eat(p, "->")) {
    const result = parseType(p);
    return { kind: "function", parameters: members, result, span: spanFrom(p, start) };
  }
  if (members.length > 1) return { kind: "tuple", members, span: spanFrom(p, start) };
  if (members.length === 0) {
    report(p, "E0110", "a tuple type has two or more members", spanFrom(p, start), {
      help: "for example `(f32, i32)`",
    });
  }
  return members[0] ?? { kind: "missing", span: spanFrom(p, start) };
}

function namedType(p: Cursor): Type {
  const start = p.token.start;
  if (p.token.text === "jagged" && peek(p, 1) === "[") {
    advance(p);
    const opener = p.at;
    advance(p);
    const [element] = list(p, opener, "]", parseType);
    const whole = spanFrom(p, start);
    if (!element)
      report(p, "E0110", "`jagged[…]` names the type of its cells", whole, {
        help: "for example `jagged[f32]`",
      });
    return { kind: "jagged", element: element ?? missingType(p), span: whole };
  }
  const path: Name[] = [takeName(p)];
  while (eat(p, "::")) path.push(expectName(p, "a name after `::`"));
  const scalar = path.length === 1 && scalarTypes.has(path[0]!.text);
  const word = path.length === 1 ? (elementWords[path[0]!.text] ?? path[0]!.text) : "";
  if ((scalar || scalarTypes.has(word)) && p.kind === "[" && !p.token.fresh)
    return axesBehind(p, word, start);
  // After a scalar type `<` can only be a comparison: `x as i32 < y`.
  const generic = p.kind === "<" && !scalar;
  return {
    kind: "named",
    path,
    arguments: generic ? typeArguments(p, parseType) : [],
    span: spanFrom(p, start),
  };
}

/** The names of element types in NumPy and PyTorch. */
const elementWords: Readonly<Record<string, string>> = {
  float: "f32",
  float32: "f32",
  double: "f64",
  float64: "f64",
  int: "i32",
  int8: "i8",
  int32: "i32",
  int64: "i64",
};

/** Reads `f32[n, m]` and `float32[n]`, which mean `[f32; n, m]`. */
function axesBehind(p: Cursor, word: string, start: number): Type {
  const place = spanOf(p, p.token);
  const close = p.brackets.partner[p.at]!;
  const end = close >= 0 ? p.tokens[close]!.end : place.end;
  const axes = p.source.text.slice(place.end, Math.max(place.end, end - 1)).trim();
  const way = axes === "" || scalarTypes.has(axes) ? undefined : `[${word}; ${axes}]`;
  const whole = { source: p.source, start, end };
  report(p, "E0110", "a tensor type has its element type inside the brackets", place, {
    help: `write \`${way ?? `[${word}; …]`}\`${way ? "" : " with the axes behind the semicolon"}`,
    ...(way ? fixed(`write \`${way}\``, replace(whole, way)) : {}),
  });
  const opener = p.at;
  const element: Type = {
    kind: "named",
    path: [{ text: word, span: { ...whole, end: place.start } }],
    arguments: [],
    span: { ...whole, end: place.start },
  };
  advance(p);
  const dims = list(p, opener, "]", parseDim);
  return { kind: "tensor", element, dims, span: spanFrom(p, start) };
}

/** Reads `<item, item>`: type arguments and generic parameters. */
export function typeArguments<T>(p: Cursor, item: (p: Cursor) => T): T[] {
  advance(p);
  const items: T[] = [];
  while (p.kind !== ">" && p.kind !== ">=" && p.kind !== "end") {
    const before = p.at;
    items.push(item(p));
    if (eat(p, ",") && p.at > before) continue;
    if (isAt(p, ">") || isAt(p, ">=")) break;
    expected(p, "`,` or `>`");
    while (p.kind === "," || atName(p)) advance(p);
    break;
  }
  if (p.kind === ">=") splitSign(p, "=");
  else expect(p, ">", "`>`");
  return items;
}

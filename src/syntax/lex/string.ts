// Reads strings: text, escapes, and interpolations such as `{value:format}`.

import { fix, fixed, replace } from "../../diagnostics/fixes.ts";
import { span } from "../../base/source.ts";
import { failed } from "../../base/failure.ts";
import { parseFormatSpec } from "../../base/format-spec.ts";
import { endToken, lineEnd, report, type Lexer } from "./cursor.ts";
import type { Token, TokenPart } from "./tokens.ts";

/** How deeply strings may nest in interpolations of strings. Deeper nesting is unreadable. */
const maximalNesting = 32;

/** Returns the parts of the string at the lexer's place, and moves behind its closing quote. */
export function lexString(lexer: Lexer): TokenPart[] {
  const start = lexer.at;
  const before = lexer.diagnostics.length;
  if (start >= lexer.plainUntil) {
    lexer.nesting++;
    const parts = readParts(lexer);
    lexer.nesting--;
    if (parts) return parts;
    // Only the outermost string is repaired. The innermost failure has moved to the end of the
    // line.
    if (lexer.nesting > 0) return [];
  }
  return repair(lexer, start, before);
}

/** Returns `undefined` if the line ends before the string is closed. */
function readParts(lexer: Lexer): TokenPart[] | undefined {
  const { text } = lexer;
  const parts: TokenPart[] = [];
  let piece = "";
  let pieceStart = lexer.at + 1;
  const flush = (end: number) => {
    if (end > pieceStart) parts.push({ kind: "text", text: piece, start: pieceStart, end });
    piece = "";
  };
  lexer.at++;
  for (;;) {
    const run = plainEnd(text, lexer.at);
    piece += text.slice(lexer.at, run);
    lexer.at = run;
    const char = text[run];
    if (char === undefined || char === "\n") return undefined;
    if (char === '"') {
      flush(run);
      lexer.at++;
      return parts;
    }
    if (char === "\\") piece += readEscape(lexer);
    else if (text[run + 1] === char) {
      piece += char;
      lexer.at += 2;
    } else if (char === "}") {
      report(lexer, "E0104", "this `}` closes nothing", run, run + 1, {
        help: "write `}}` for a brace in the text",
        ...fixed("write `}}`", replace(span(lexer.source, run, run + 1), "}}")),
      });
      piece += char;
      lexer.at++;
    } else {
      flush(run);
      const value = readInterpolation(lexer);
      if (!value) {
        lexer.at = lineEnd(text, lexer.at);
        return undefined;
      }
      parts.push(value);
      pieceStart = lexer.at;
    }
  }
}

/** The first offset at or after `from` where plain text of the string ends. */
function plainEnd(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end++) {
    const char = text.charCodeAt(end);
    if (char === 34 || char === 92 || char === 123 || char === 125 || char === 10) break;
  }
  return end;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["0", "\0"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
  ["{", "{"],
  ["}", "}"],
]);

const unicodeEscape = /\\u\{([0-9a-fA-F]{1,6})\}/y;

function readEscape(lexer: Lexer): string {
  const { text, at } = lexer;
  const letter = text[at + 1] ?? "\n";
  const simple = escapes.get(letter);
  if (simple !== undefined) {
    lexer.at += 2;
    return simple;
  }
  unicodeEscape.lastIndex = at;
  const match = unicodeEscape.exec(text);
  const value = match ? Number.parseInt(match[1]!, 16) : Infinity;
  if (match && value <= 0x10ffff) {
    lexer.at += match[0].length;
    return String.fromCodePoint(value);
  }
  if (letter === "\n") {
    lexer.at++;
    return "";
  }
  const end = at + (match ? match[0].length : 2);
  const help =
    'the escapes are `\\n` `\\t` `\\r` `\\0` `\\\\` `\\"` and `\\u{1F600}`; ' +
    "write `\\\\` for a backslash";
  const backslash = fixed(
    "write `\\\\` for a backslash",
    replace(span(lexer.source, at, at + 1), "\\\\"),
  );
  report(lexer, "E0104", `\`${text.slice(at, end)}\` is not an escape`, at, end, {
    help,
    ...backslash,
  });
  lexer.at = end;
  return text.slice(at, end);
}

function readInterpolation(lexer: Lexer): TokenPart | undefined {
  const { text, at: start } = lexer;
  if (lexer.nesting > maximalNesting) return undefined;
  lexer.at++;
  const tokens = readTokens(lexer);
  if (!tokens) return undefined;
  const valueEnd = lexer.at;
  let format: string | undefined;
  if (text[valueEnd] === ":") {
    const close = text.indexOf("}", valueEnd);
    if (close < 0 || close > lineEnd(text, valueEnd)) return undefined;
    format = text.slice(valueEnd + 1, close);
    const spec = parseFormatSpec(format);
    if (failed(spec)) {
      const help = "a format is written like `.4f`, `8d`, `>10`, `+.2e`, `,` or `%`";
      report(lexer, "E0104", spec.error, valueEnd + 1, close, { help });
    }
    lexer.at = close;
  }
  lexer.at++;
  tokens.push(endToken(valueEnd));
  return { kind: "value", tokens, format, start, end: lexer.at };
}

/**
 * The tokens of an interpolation. The `}` or `:` that ends the value stays unread. Returns
 * `undefined` if the line ends first.
 */
function readTokens(lexer: Lexer): Token[] | undefined {
  const tokens: Token[] = [];
  const { text } = lexer;
  let depth = 0;
  for (;;) {
    while (text[lexer.at] === " " || text[lexer.at] === "\t") lexer.at++;
    const here = text[lexer.at];
    if (here === undefined || here === "\n" || text.startsWith("//", lexer.at)) return undefined;
    if (depth === 0 && (here === "}" || (here === ":" && beginsFormat(text, lexer.at))))
      return tokens;
    if (here === "(" || here === "[" || here === "{") depth++;
    if (here === ")" || here === "]" || here === "}") depth = Math.max(0, depth - 1);
    lexer.readToken(lexer, tokens);
  }
}

/**
 * Whether the `:` at an offset begins a format. The first `:` of a path `a::b` does not; in
 * `{x::>8}` it does, and the second `:` is the fill character.
 */
function beginsFormat(text: string, at: number): boolean {
  return text[at + 1] !== ":" || /[<^>]/.test(text[at + 2] ?? "");
}

/**
 * Reads a string that is not closed on its line. If a quote closes the string once braces count as
 * text, an interpolation is broken. Otherwise the string ends with its line, without the closing
 * brackets there: `print("abc);` leaves `);`.
 */
function repair(lexer: Lexer, start: number, before: number): TokenPart[] {
  const { text } = lexer;
  const limit = lineEnd(text, start);
  const silent = start < lexer.plainUntil;
  if (!silent) lexer.diagnostics.length = before;
  lexer.plainUntil = limit;
  let end = start + 1;
  while (end < limit && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  if (end < limit) {
    if (!silent) {
      const brace = Math.max(start, text.lastIndexOf("{", end));
      const help = "close it with `}`, or write `{{` for a brace in the text";
      const { source } = lexer;
      const fixes = [
        fix("write `{{` for a brace in the text", replace(span(source, brace, brace + 1), "{{")),
      ];
      // After a name, an index or a number, as in `"{x[0]"`, the `}` was probably forgotten.
      if (/^\{[\w.[\]]+$/.test(text.slice(brace, end)))
        fixes.unshift(fix("close it with `}`", replace(span(source, end, end), "}")));
      report(lexer, "E0104", "this interpolation is not closed", brace, end, { help, fixes });
    }
    lexer.at = end + 1;
    return [{ kind: "text", text: text.slice(start + 1, end), start: start + 1, end }];
  }
  end = limit;
  while (end > start + 1 && ");]}, \t\r".includes(text[end - 1]!)) end--;
  if (!silent) {
    const help = 'close it with `"` before the end of the line; `\\n` stands for a line break';
    const closing = fixed('close it with `"`', replace(span(lexer.source, end, end), '"'));
    report(lexer, "E0102", "this string is not closed", start, end, { help, ...closing });
  }
  lexer.at = end;
  return end > start + 1
    ? [{ kind: "text", text: text.slice(start + 1, end), start: start + 1, end }]
    : [];
}

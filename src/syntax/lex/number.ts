// Reads numbers: `42`, `1_000`, `3.14`, `1e-5`, `.5`, and with suffixes `42i64`.

import { closest } from "../../diagnostics/suggest.ts";
import { fixed, replace, write } from "../../diagnostics/fixes.ts";
import { span } from "../../base/source.ts";
import type { Suffix } from "../tree/ast.ts";
import { isDigit, isWordStart, report, wordEnd, type Lexer } from "./cursor.ts";

export const suffixes: readonly Suffix[] = ["i8", "i32", "i64", "f16", "bf16", "f32", "f64"];

/**
 * Returns the end of the number at the lexer's place. A malformed number is reported and read as a
 * whole.
 */
export function lexNumber(lexer: Lexer): number {
  const { text, at } = lexer;
  if (text[at] === "0" && /[xXbBoO]/.test(text[at + 1] ?? "") && !text.startsWith("bf16", at + 1))
    return basedNumberEnd(lexer);
  let end = digitsEnd(text, at);
  let float = false;
  if (text[end] === "." && isDigit(text.charCodeAt(end + 1))) {
    float = true;
    end = digitsEnd(text, end + 1);
  } else if (text[end] === "." && text[end + 1] !== "." && !isWordStart(text.charCodeAt(end + 1))) {
    const written = text.slice(at, end);
    const place = span(lexer.source, at, end + 1);
    report(
      lexer,
      "E0103",
      "a number does not end with a point",
      at,
      end + 1,
      write(place, `${written}.0`),
    );
    return end + 1;
  }
  const exponent = exponentEnd(text, end);
  if (exponent > end) {
    float = true;
    end = exponent;
  }
  if (text[end - 1] === "_" || text[at] === "_" || text.slice(at, end).includes("_.")) {
    const help = "put `_` between digits, as in `1_000`";
    report(
      lexer,
      "E0103",
      "`_` may stand only between the digits of a number",
      at,
      wordEnd(text, end),
      { help },
    );
    return wordEnd(text, end);
  }
  return suffixEnd(lexer, end, float);
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end)) || text[end] === "_") end++;
  return end;
}

/** The end of an exponent such as `e-5`; `from` if no exponent stands there. */
function exponentEnd(text: string, from: number): number {
  if (text[from] !== "e" && text[from] !== "E") return from;
  const sign = text[from + 1] === "+" || text[from + 1] === "-" ? 1 : 0;
  const start = from + 1 + sign;
  return isDigit(text.charCodeAt(start)) ? digitsEnd(text, start) : from;
}

function suffixEnd(lexer: Lexer, from: number, float: boolean): number {
  const { text, at } = lexer;
  const end = wordEnd(text, from);
  const suffix = text.slice(from, end);
  if (suffix === "") return end;
  const written = text.slice(at, from);
  const known = (suffixes as readonly string[]).includes(suffix);
  if (!known && /^[eE]$/.test(suffix)) {
    const stop = text[end] === "+" || text[end] === "-" ? end + 1 : end;
    const help = `write \`${written}e5\`, or \`${written}\` alone`;
    const alone = fixed(`write \`${written}\``, replace(span(lexer.source, at, stop), written));
    report(lexer, "E0103", "the exponent of this number has no digits", at, stop, {
      help,
      ...alone,
    });
    return stop;
  }
  if (!known) {
    const product = isWordStart(suffix.charCodeAt(0))
      ? `; for a product write \`${written} * ${suffix}\``
      : "";
    const help = `the suffixes are ${suffixes.map((one) => `\`${one}\``).join(" ")}${product}`;
    const meant = closest(suffix, suffixes);
    const place = span(lexer.source, from, end);
    const parts = meant
      ? {
          help: `did you mean \`${written}${meant}\`? ${help}`,
          ...fixed(`write \`${written}${meant}\``, replace(place, meant)),
        }
      : { help };
    report(lexer, "E0103", `\`${suffix}\` is not a suffix of numbers`, at, end, parts);
  } else if (float && suffix.startsWith("i")) {
    const help = `write \`${written}\`, or \`${written} as ${suffix}\` to truncate`;
    const plain = fixed(`write \`${written}\``, replace(span(lexer.source, at, end), written));
    report(
      lexer,
      "E0103",
      `a number with a fraction or exponent cannot be \`${suffix}\``,
      at,
      end,
      { help, ...plain },
    );
  }
  return end;
}

function basedNumberEnd(lexer: Lexer): number {
  const { text, at } = lexer;
  const end = wordEnd(text, at);
  const value = Number(text.slice(at, end).replaceAll("_", ""));
  const isKnown = Number.isSafeInteger(value) && end > at + 2;
  const parts = isKnown ? write(span(lexer.source, at, end), String(value)) : {};
  report(lexer, "E0103", "numbers are written in decimal digits", at, end, parts);
  return end;
}

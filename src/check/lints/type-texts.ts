// `typeof(x) == "rectangular"`: a comparison with a text that is no type is false for every `x`.

import { fixed, replace } from "../../diagnostics/fixes.ts";
import { closest } from "../../diagnostics/suggest.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { parse } from "../../syntax/parse/parser.ts";
import { textOf, type Span } from "../../base/source.ts";
import { elementWords } from "../../syntax/lex/tokens.ts";
import { lint, type Place } from "../context.ts";
import { lookUpType } from "../names/scope.ts";
import type { Typed } from "../types/typed.ts";

/** A side of a comparison, with its characters if they are known. */
export interface Side {
  readonly value: Typed;
  readonly text: string | undefined;
}

/** Reports a comparison in which one side is a `typeof` and the other is a text that is no type. */
export function lintTypeText(place: Place, left: Side, right: Side, span: Span): void {
  const isType = isTypeText(left.value);
  if (isType === isTypeText(right.value)) return;
  const { value, text } = isType ? right : left;
  if (text === undefined || namesType(place, text)) return;
  const word = closest(text, elementWords);
  const near = word === undefined ? undefined : `"${word}"`;
  lint(
    place,
    "W0404",
    `no type is called "${text}": this comparison has one outcome for every value`,
    value.span,
    {
      labels: [{ span, text: "never the same text" }],
      help: near
        ? `did you mean \`${near}\`?`
        : 'types are written as in `"f32"` and `"[f32; 2, 3]"`; ' +
          "the number of axes is `len(shape(x))`",
      ...(near && textOf(value.span) === `"${text}"`
        ? fixed(`write \`${near}\``, replace(value.span, near))
        : {}),
    },
  );
}

function isTypeText(value: Typed): boolean {
  if (value.kind === "text") return value.isType === true;
  if (value.kind !== "reference" || value.binding.kind !== "value" || !value.binding.value)
    return false;
  return isTypeText(value.binding.value);
}

/**
 * The answers of `typeof` that are no types: for ranges, for calls that only print, and for
 * functions without a declared type.
 */
const inWords = /^(range|nothing|a function of \d+ arguments?)$/;

/**
 * Whether a text reads as a type whose names exist. An extent may be any term: `"[f32; n + 1]"`.
 */
function namesType(place: Place, text: string): boolean {
  if (inWords.test(text)) return true;
  const anySize = text.replace(/;[^\]]+\]/g, "; ?]");
  const { module, diagnostics } = parse({ name: "type", text: `input x: ${anySize};` });
  const [only, ...others] = module.statements;
  if (diagnostics.length > 0 || others.length > 0 || only?.kind !== "input") return false;
  return isKnown(place, only.type);
}

function isKnown(place: Place, type: ast.Type): boolean {
  switch (type.kind) {
    case "named": {
      const [name, ...further] = type.path;
      const isElement = (elementWords as readonly string[]).includes(name!.text);
      if (further.length > 0 || !(isElement || isData(place, name!.text))) return false;
      return type.arguments.every((inner) => isKnown(place, inner));
    }
    case "tensor":
      // `typeof` writes the axes of a tensor: no type is called "[f32]".
      return type.dims !== undefined && isKnown(place, type.element);
    case "tuple":
      return type.members.every((inner) => isKnown(place, inner));
    default:
      return true;
  }
}

/** A type of this scope or of a module. A value may have a type that has no name in this scope. */
function isData({ scope, checker }: Place, name: string): boolean {
  return (
    lookUpType(scope, name) !== undefined ||
    checker.modules.some((module) => module.scope.types.get(name))
  );
}

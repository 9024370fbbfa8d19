// Texts: joined, compared and asked by methods. What is known while compiling is answered then, the
// rest when the program runs.
//
//   "ab".upper()      is the constant "AB"
//   s.upper()         of an input is a call of the run

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { decidedBy, knownNumber, truth } from "./conditions.ts";
import { notBuilt, refuse, wrongAt, type Place } from "../context.ts";
import { areCount, counted } from "../lints/count.ts";
import type { OperationName } from "../../scalar/operations.ts";
import { isTextMethod, textRow, type TextMethod } from "../../scalar/texts.ts";
import { arrayBehind, keptCells, shownArray } from "../data/arrays.ts";
import { inBlock, share } from "../values/share.ts";
import { methodHelp } from "../values/text-help.ts";
import { layoutOf } from "../data/references.ts";
import { apply } from "./operators.ts";
import type { Typed } from "../types/typed.ts";
import {
  element,
  isScalar,
  known,
  scalar,
  showType,
  unify,
  type Type,
  isText,
} from "../types/types.ts";
import { formOf } from "../data/form-of.ts";
import { hasFixed } from "../data/forms.ts";
import { scalarsOfValue } from "../calls/instances/spread.ts";
import { expression } from "../elaborate.ts";

/** The characters of a text that is known while compiling. */
export function knownText(value: Typed): string | undefined {
  switch (value.kind) {
    case "text": {
      const parts = value.parts.map((part) =>
        typeof part === "string" ? part : "value" in part ? textOfPart(part) : undefined,
      );
      return parts.some((part) => part === undefined) ? undefined : parts.join("");
    }
    case "block":
      return knownText(value.value);
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? knownText(value.binding.value)
        : undefined;
    default:
      return undefined;
  }
}

function textOfPart({
  value,
  format,
}: {
  readonly value: Typed;
  readonly format?: string;
}): string | undefined {
  return format === undefined && isText(value.type) ? knownText(value) : undefined;
}

function plainText(text: string, span: Span): Typed {
  return { kind: "text", parts: [text], type: scalar("str"), span };
}

/** `a + b` of two texts. */
export function joinTexts(left: Typed, right: Typed, span: Span): Typed {
  return { kind: "text", parts: [{ value: left }, { value: right }], type: scalar("str"), span };
}

/** `a == b` of two texts. */
export function sameText(place: Place, left: Typed, right: Typed, span: Span): Typed {
  const equal = askKnownTexts(left, (a) => askKnownTexts(right, (b) => truth(a === b, span)));
  if (equal) return equal;
  if (!canBeCell(place, left) || !canBeCell(place, right)) return wrongAt(span);
  return { kind: "apply", operation: "equal", operands: [left, right], type: scalar("bool"), span };
}

/** `a < b` of two texts, by code points: `a.compare(b) < 0`. */
export function orderedTexts(
  place: Place,
  operation: OperationName,
  left: Typed,
  right: Typed,
  span: Span,
): Typed {
  const compared = callTextMethod(place, "compare", [left, right], span);
  const zero: Typed = { kind: "constant", value: 0, type: scalar("i32"), span };
  return apply(place, operation, [compared, zero], span);
}

/**
 * Whether a text can be a cell. A text that contains a function, say, can only be printed; that is
 * reported.
 */
export function canBeCell(place: Place, value: Typed): boolean {
  const whole = shownByPrintIn(value, new Set());
  if (!whole) return true;
  notBuilt(
    place,
    `a text with ${showType(whole.type)} in it anywhere but in \`print\``,
    whole.span,
  );
  return false;
}

function shownByPrintIn(value: Typed, seen: Set<Typed>): Typed | undefined {
  if (seen.has(value)) return undefined;
  seen.add(value);
  const first = (parts: readonly Typed[]): Typed | undefined => {
    for (const part of parts) {
      const found = shownByPrintIn(part, seen);
      if (found) return found;
    }
    return undefined;
  };
  switch (value.kind) {
    case "text":
      return first(
        value.parts.flatMap((part) =>
          typeof part !== "string" && "value" in part ? [part.whole ?? part.value] : [],
        ),
      );
    case "text-call":
      return first(value.operands);
    case "block":
      return shownByPrintIn(value.value, seen);
    case "select":
      return first([value.then, value.otherwise]);
    case "reference":
      if (isText(value.type))
        return value.binding.kind === "value" && value.binding.value
          ? shownByPrintIn(value.binding.value, seen)
          : undefined;
      break;
    default:
  }
  return isScalar(value.type) ? undefined : value;
}

/**
 * The text of a value that is no scalar: a tensor, a list, ragged rows, a struct, enum or tuple.
 * The format applies to each cell of a tensor, and to the whole text of any other value.
 */
export function wholeText(place: Place, value: Typed, format?: string): Typed | undefined {
  const { type, span } = value;
  if (value.kind === "wrong" || isScalar(type)) return undefined;
  if (type.kind === "tensor") return shownArray(value, format);
  const whole = textOfData({ ...place, arrays: true }, value);
  return whole && format
    ? { kind: "text", parts: [{ value: whole, format }], type: scalar("str"), span }
    : whole;
}

/**
 * Answers a question about a text while compiling. If the text is a choice of known texts, both are
 * asked. Undefined if a text is unknown.
 */
function askKnownTexts(
  value: Typed,
  answer: (text: string) => Typed | undefined,
): Typed | undefined {
  const whole = knownText(value);
  if (whole !== undefined) return answer(whole);
  switch (value.kind) {
    case "block": {
      const inside = askKnownTexts(value.value, answer);
      return inside && { ...value, value: inside, type: inside.type };
    }
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? askKnownTexts(value.binding.value, answer)
        : undefined;
    case "select": {
      const [then, otherwise] = [
        askKnownTexts(value.then, answer),
        askKnownTexts(value.otherwise, answer),
      ];
      if (!then || !otherwise) return undefined;
      if (then.type.kind === "tensor" && known(then.type.element) === "bool")
        return decidedBy(value.condition, then, otherwise);
      return { ...value, then, otherwise, type: then.type };
    }
    default:
      return undefined;
  }
}

/** `s.upper()` */
export function textMethod(place: Place, base: Typed, name: ast.Name, e: ast.Call): Typed {
  const method = name.text;
  if (!isTextMethod(method)) {
    return refuse(place, "E0410", `a text has no method \`${method}\``, name.span, {
      ...methodHelp((e.callee as ast.Member).base, (e.callee as ast.Member).name, e.span),
    });
  }
  const { operands } = textRow(method);
  if (e.arguments.length !== operands.length) {
    const takes =
      `\`${method}\` takes ${counted(operands.length, "argument")}, ` +
      `here ${areCount(e.arguments.length)}`;
    return refuse(place, "E0501", takes, e.span);
  }
  const given: Typed[] = [];
  for (const [k, argument] of e.arguments.entries()) {
    const value = expression(place, argument.value);
    if (value.kind === "wrong") return wrongAt(e.span);
    if (operands[k] === "data" && isArrayOfTexts(value.type)) {
      given.push(keptCells(value));
      continue;
    }
    if (!isScalar(value.type) || !unify(value.type.element, element(operands[k]!))) {
      const wanted =
        operands[k] === "str"
          ? "a text"
          : operands[k] === "data"
            ? "an array of texts"
            : "an integer";
      const have = `\`${textOf(argument.span)}\` is ${showType(value.type)}`;
      return refuse(place, "E0401", `\`${method}\` wants ${wanted}, ${have}`, argument.span);
    }
    given.push(value);
  }
  return textRow(method).result === "data"
    ? piecesOf(place, method, [base, ...given], e.span)
    : callTextMethod(place, method, [base, ...given], e.span);
}

function isArrayOfTexts(type: Type): boolean {
  return type.kind === "tensor" && type.axes.length === 1 && unify(type.element, element("str"));
}

/** `s.split(",")`: an array whose length only the run knows. */
function piecesOf(place: Place, method: TextMethod, operands: readonly Typed[], span: Span): Typed {
  if (!operands.every((operand) => canBeCell(place, operand))) return wrongAt(span);
  const pieces: Typed = { kind: "text-call", method, operands, type: scalar("data"), span };
  const box = share(place, { text: "pieces", span }, pieces);
  return inBlock(box.bindings, arrayBehind(place.checker, box.value, element("str"), [], span));
}

/** `len(s)` */
export function textLength(place: Place, value: Typed, span: Span): Typed {
  return callTextMethod(place, "len", [value], span);
}

function callTextMethod(
  place: Place,
  method: TextMethod,
  operands: readonly Typed[],
  span: Span,
): Typed {
  const { evaluate, result } = textRow(method);
  const [base, ...given] = operands;
  const known = given.map((value) =>
    isText(value.type) ? knownText(value) : knownNumber(place.checker, value),
  );
  if (known.every((value) => value !== undefined)) {
    const answer = askKnownTexts(base!, (text) =>
      constantOf(evaluate(text, ...known) as string | number | boolean, span),
    );
    if (answer) return answer;
  }
  if (!operands.every((operand) => canBeCell(place, operand))) return wrongAt(span);
  return { kind: "text-call", method, operands, type: scalar(result), span };
}

function constantOf(value: string | number | boolean, span: Span): Typed {
  if (typeof value === "string") return plainText(value, span);
  if (typeof value === "boolean") return truth(value, span);
  return { kind: "constant", value, type: scalar("i32"), span };
}

/** The text of a struct, enum or tuple that is made of scalars. */
function textOfData(place: Place, value: Typed): Typed | undefined {
  const form = formOf(place, value);
  if (!form || hasFixed(form)) return undefined;
  const { span } = value;
  const layout = layoutOf(form);
  const box: Typed = {
    kind: "data",
    function: "box",
    operands: scalarsOfValue(value, form),
    member: 0,
    layout,
    type: scalar("data"),
    span,
  };
  return {
    kind: "data",
    function: "show",
    operands: [box],
    member: 0,
    layout,
    type: scalar("str"),
    span,
  };
}

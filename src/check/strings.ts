// Text at compile time: joining, comparing, and the methods that make sense before the program runs.

import type * as ast from "../syntax/ast.ts";
import { textOf, type Span } from "../syntax/source.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { decidedBy, knownNumber, truth } from "./conditions.ts";
import { notBuilt, refuse, wrongAt, type Place } from "./context.ts";
import { areCount, counted } from "./count.ts";
import { expression } from "./expressions.ts";
import type { Typed } from "./typed.ts";
import { known, scalar, type Type } from "./types.ts";

export function isText(type: Type): boolean {
  return type.kind === "tensor" && type.axes.length === 0 && known(type.element) === "str";
}

/** The characters of a text that does not wait for the run. */
export function knownText(value: Typed): string | undefined {
  switch (value.kind) {
    case "text": {
      const parts = value.parts.map((part) =>
        typeof part === "string" ? part : "value" in part ? inText(part) : undefined,
      );
      return parts.some((part) => part === undefined) ? undefined : parts.join("");
    }
    case "block":
      return knownText(value.value);
    case "reference":
      return value.binding.kind === "value" && value.binding.value ? knownText(value.binding.value) : undefined;
    default:
      return undefined;
  }
}

function inText({ value, format }: { readonly value: Typed; readonly format?: string }): string | undefined {
  return format === undefined && isText(value.type) ? knownText(value) : undefined;
}

export function plainText(text: string, span: Span): Typed {
  return { kind: "text", parts: [text], type: scalar("str"), span };
}

/** `a + b` of two texts. */
export function joinTexts(left: Typed, right: Typed, span: Span): Typed {
  return { kind: "text", parts: [{ value: left }, { value: right }], type: scalar("str"), span };
}

/** `a == b` of two texts. */
export function sameText(place: Place, left: Typed, right: Typed, span: Span): Typed {
  const equal = onKnown(left, (a) => onKnown(right, (b) => truth(a === b, span)));
  return equal ?? unknownText(place, span);
}

function unknownText(place: Place, span: Span): Typed {
  return notBuilt(
    place,
    "looking into a text that is only made when the program runs",
    span,
    "compare the numbers in it",
  );
}

/** A question about a text, asked of every text that it may turn out to be. */
function onKnown(value: Typed, answer: (text: string) => Typed | undefined): Typed | undefined {
  const whole = knownText(value);
  if (whole !== undefined) return answer(whole);
  switch (value.kind) {
    case "block": {
      const inside = onKnown(value.value, answer);
      return inside && { ...value, value: inside, type: inside.type };
    }
    case "reference":
      return value.binding.kind === "value" && value.binding.value ? onKnown(value.binding.value, answer) : undefined;
    case "select": {
      const [then, otherwise] = [onKnown(value.then, answer), onKnown(value.otherwise, answer)];
      if (!then || !otherwise) return undefined;
      if (then.type.kind === "tensor" && known(then.type.element) === "bool")
        return decidedBy(value.condition, then, otherwise);
      return { ...value, then, otherwise, type: then.type };
    }
    default:
      return undefined;
  }
}

type Method = {
  readonly arity: number;
  readonly of: (text: string, given: readonly (string | number)[]) => string | number | boolean;
};

const methods: Readonly<Record<string, Method>> = {
  len: { arity: 0, of: (text) => [...text].length },
  upper: { arity: 0, of: (text) => text.toUpperCase() },
  lower: { arity: 0, of: (text) => text.toLowerCase() },
  trim: { arity: 0, of: (text) => text.trim() },
  contains: { arity: 1, of: (text, [part]) => text.includes(String(part)) },
  starts_with: { arity: 1, of: (text, [part]) => text.startsWith(String(part)) },
  ends_with: { arity: 1, of: (text, [part]) => text.endsWith(String(part)) },
  replace: { arity: 2, of: (text, [from, to]) => text.replaceAll(String(from), String(to)) },
  repeat: { arity: 1, of: (text, [count]) => text.repeat(Math.max(0, Number(count))) },
};

/** `s.upper()` */
export function textMethod(place: Place, base: Typed, name: ast.Name, e: ast.Call): Typed {
  const method = Object.hasOwn(methods, name.text) ? methods[name.text]! : undefined;
  if (!method) {
    const names = Object.keys(methods);
    return refuse(place, "E0410", `a text has no method \`${name.text}\``, name.span, {
      help: didYouMean(name.text, names) ?? `it has ${names.map((each) => `\`${each}\``).join(", ")}`,
    });
  }
  if (e.arguments.length !== method.arity) {
    const takes = `\`${name.text}\` takes ${counted(method.arity, "argument")}, here ${areCount(e.arguments.length)}`;
    return refuse(place, "E0501", takes, e.span);
  }
  const given: (string | number)[] = [];
  for (const argument of e.arguments) {
    const value = expression(place, argument.value);
    if (value.kind === "wrong") return wrongAt(e.span);
    const found = name.text === "repeat" ? knownNumber(place.checker, value) : knownText(value);
    if (found === undefined) {
      const wanted = name.text === "repeat" ? "an integer" : "a text";
      return refuse(
        place,
        "E0401",
        `\`${textOf(argument.span)}\` must be ${wanted} that is known when compiling`,
        argument.span,
      );
    }
    given.push(found);
  }
  const answer = onKnown(base, (text) => literal(method.of(text, given), e.span));
  return answer ?? unknownText(place, e.span);
}

/** `len(s)` */
export function textLength(place: Place, value: Typed, span: Span): Typed {
  return onKnown(value, (text) => literal([...text].length, span)) ?? unknownText(place, span);
}

function literal(value: string | number | boolean, span: Span): Typed {
  if (typeof value === "string") return plainText(value, span);
  if (typeof value === "boolean") return truth(value, span);
  return { kind: "constant", value, type: scalar("i32"), span };
}

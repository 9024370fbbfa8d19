// The cast that makes a value fit a type: `a as i64`, with brackets where `as` would take less than
// the value. A cast of an integer that a division or a search has made keeps a wrong number:
//
//   let avg = total / 3;  avg * 0.5      the division is to be mended: `total as f32 / 3.0`
//   let k = argmax[i](s[i]);  2.0 * k    a position; the value there is `s[k]`

import { fixed, replace, write, type Repair } from "../diagnostics/fixes.ts";
import type { Label } from "../diagnostics/diagnostic.ts";
import { castAllowed } from "../scalar/casts.ts";
import type { OperationName } from "../scalar/operations.ts";
import { isFloat, isInteger, type ElementType } from "../scalar/types.ts";
import { isInLibrary, textOf } from "../base/source.ts";
import type { Apply, Reduce, Typed } from "./typed.ts";
import { decided, known, type Element } from "./types.ts";

/** A repair, with the places that say why. */
export type CastRepair = Repair & { readonly labels?: readonly Label[] };

/** No help where there is no such cast, or where the type is still open. */
export function castRepair(value: Typed, to: Element, declared: Label): CastRepair {
  const only = { labels: [declared] };
  if (value.type.kind !== "tensor" || known(to) === undefined) return only;
  const [from, type] = [decided(value.type.element), decided(to)];
  if (!castAllowed(from, type)) return only;
  const cast = `${asOperand(value)} as ${type}`;
  const way: CastRepair = ofOrigin(value, type, cast) ?? write(value.span, cast);
  return { ...way, labels: [declared, ...(way.labels ?? [])] };
}

/** The text of a value as what a cast can follow: `(a + b) as f32`. */
function asOperand({ kind, span }: Typed): string {
  const text = textOf(span);
  const isOpen = (kind === "apply" || kind === "integer" || kind === "select") && /\s/.test(text);
  return isOpen && !/^\([^()]*\)$/.test(text) ? `(${text})` : text;
}

/** What to write where an integer that is cast to a float is a quotient or a position. */
export function ofOrigin(value: Typed, to: ElementType, cast: string): CastRepair | undefined {
  if (!isFloat(to)) return undefined;
  const origin = originOf(value);
  if (!origin || isInLibrary(origin.span)) return undefined;
  const isHere = origin === value;
  const name = textOf(value.span);
  const written = textOf(origin.span);
  const isInBrackets = written.startsWith("(") && origin.kind === "apply";
  const whole = isInBrackets ? written.slice(1, -1) : written;
  if (whole.includes("\n")) return undefined;
  if (origin.kind === "reduce") {
    const greatest = origin.reduction === "argmax";
    const own = `${greatest ? "max" : "min"}${whole.slice(origin.reduction.length)}`;
    const said = `\`${name}\` is a position: for the ${greatest ? "largest" : "least"} value`;
    return {
      help: `${said} write \`${own}\`; for the number of the position \`${cast}\``,
      fixes: write(value.span, cast).fixes!,
      ...(isHere ? {} : { labels: [{ span: origin.span, text: "the position is found here" }] }),
    };
  }
  const [left, right] = origin.operands;
  const quotient = `${asFloat(left!, to)} / ${asFloat(right!, to)}`;
  const drops = `\`${whole}\` divides integers and drops the remainder`;
  const type = decided(origin.type.element);
  const because = isHere ? drops : `\`${name}\` is ${type} because ${drops}`;
  const way = `for a fraction write \`${quotient}\``;
  const otherwise = `where the remainder is to be dropped, write \`${cast}\``;
  return {
    help: `${because}: ${way}; ${otherwise}`,
    ...fixed(
      `write \`${quotient}\``,
      replace(origin.span, isInBrackets ? `(${quotient})` : quotient),
    ),
    ...(isHere ? {} : { labels: [{ span: origin.span, text: "integers are divided here" }] }),
  };
}

/** So many names and operations are looked through. */
const farthest = 40;

/** The division or the search that an integer is the outcome of, through the names that it has. */
function originOf(value: Typed, depth = 0): Apply | Reduce | undefined {
  if (depth > farthest) return undefined;
  switch (value.kind) {
    case "reference": {
      const { binding } = value;
      if (binding.kind === "value")
        return binding.role === "let" && binding.value
          ? originOf(binding.value, depth + 1)
          : undefined;
      const [only, ...others] = binding.clauses;
      return only && others.length === 0 ? originOf(only.body, depth + 1) : undefined;
    }
    case "read":
      return originOf(value.base, depth + 1);
    case "apply":
      if (!isInteger(decided(value.type.element))) return undefined;
      if (value.operation === "divide") return value;
      return keepsFractions.has(value.operation) ? divisionIn(value.operands, depth) : undefined;
    case "reduce":
      if (/^arg(?:max|min)$/.test(value.reduction)) return value;
      return value.reduction === "count" ? undefined : divisionIn([value.body], depth);
    default:
      return undefined;
  }
}

/** What has lost the remainder of a division, and would have kept its fraction. */
const keepsFractions: ReadonlySet<OperationName> = new Set([
  "add",
  "subtract",
  "multiply",
  "negate",
]);

function divisionIn(parts: readonly Typed[], depth: number): Apply | undefined {
  for (const part of parts) {
    const origin = originOf(part, depth + 1);
    if (origin?.kind === "apply") return origin;
  }
  return undefined;
}

/** `3` as `3.0`, `n` as `n as f32`. */
function asFloat(operand: Typed, to: ElementType): string {
  const text = textOf(operand.span);
  return /^\d[\d_]*$/.test(text) ? `${text}.0` : `${asOperand(operand)} as ${to}`;
}

// The cast that makes a value fit a type: `a as i64`, with parentheses where `as` would bind to
// less than the value. A cast to a float is often wrong for an integer that a division or a search
// made:
//
//   let avg = total / 3;  avg * 0.5      // wrong is the division: `total as f32 / 3.0`
//   let k = argmax[i](s[i]);  2.0 * k    // `k` is a position; the value there is `s[k]`

import { fixed, replace, write, type Repair } from "../../diagnostics/fixes.ts";
import type { Label } from "../../diagnostics/diagnostic.ts";
import { castAllowed } from "../../scalar/casts.ts";
import { isFloat, isInteger, type ElementType } from "../../scalar/types.ts";
import { isInLibrary, textOf } from "../../base/source.ts";
import type { OperationName } from "../../scalar/operations.ts";
import type { Apply, Reduce, Typed } from "./typed.ts";
import { decided, known, type Element } from "./types.ts";

/** A repair, with labels that give the reason. */
export type CastRepair = Repair & { readonly labels?: readonly Label[] };

/**
 * The repair that casts a value to an element type. Only the label if no cast exists or the type is
 * still open.
 */
export function castRepair(value: Typed, to: Element, declared: Label): CastRepair {
  const only = { labels: [declared] };
  if (value.type.kind !== "tensor" || known(to) === undefined) return only;
  const [from, type] = [decided(value.type.element), decided(to)];
  if (!castAllowed(from, type)) return only;
  const cast = `${asOperand(value)} as ${type}`;
  const way: CastRepair = repairOfOrigin(value, type, cast) ?? write(value.span, cast);
  return { ...way, labels: [declared, ...(way.labels ?? [])] };
}

/** The text of a value in a form that `as` can follow: `(a + b)` for `a + b`. */
function asOperand({ kind, span }: Typed): string {
  const text = textOf(span);
  const isOpen = (kind === "apply" || kind === "integer" || kind === "select") && /\s/.test(text);
  return isOpen && !/^\([^()]*\)$/.test(text) ? `(${text})` : text;
}

/** The repair for an integer that is cast to a float and that a division or a search made. */
export function repairOfOrigin(
  value: Typed,
  to: ElementType,
  cast: string,
): CastRepair | undefined {
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
    const isPosition = `\`${name}\` is a position: for the ${greatest ? "largest" : "least"} value`;
    return {
      help: `${isPosition} write \`${own}\`; for the number of the position \`${cast}\``,
      fixes: write(value.span, cast).fixes!,
      ...(isHere ? {} : { labels: [{ span: origin.span, text: "the position is found here" }] }),
    };
  }
  const [left, right] = origin.operands;
  const quotient = `${asFloatText(left!, to)} / ${asFloatText(right!, to)}`;
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
function asFloatText(operand: Typed, to: ElementType): string {
  const text = textOf(operand.span);
  return /^\d[\d_]*$/.test(text) ? `${text}.0` : `${asOperand(operand)} as ${to}`;
}

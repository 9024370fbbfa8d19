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

/** The division or search that made an integer. Follows names to their values. */
function originOf(value: Typed): Apply | Reduce | undefined {
  switch (value.kind) {
    case "reference": {
      const { binding } = value;
      if (binding.kind === "value")
        return binding.role === "let" && binding.value ? originOf(binding.value) : undefined;
      const [only, ...others] = binding.clauses;
      return only && others.length === 0 ? originOf(only.body) : undefined;
    }
    case "read":
      return originOf(value.base);
    case "apply":
      return value.operation === "divide" && isInteger(decided(value.type.element))
        ? value
        : undefined;
    case "reduce":
      return /^arg(?:max|min)$/.test(value.reduction) ? value : undefined;
    default:
      return undefined;
  }
}

/** An integer operand as a float: `3` gives `3.0`, `n` gives `n as f32`. */
function asFloatText(operand: Typed, to: ElementType): string {
  const text = textOf(operand.span);
  return /^\d[\d_]*$/.test(text) ? `${text}.0` : `${asOperand(operand)} as ${to}`;
}

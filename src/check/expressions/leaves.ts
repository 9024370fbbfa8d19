// The leaves of expressions: literals and names.

import type * as ast from "../../syntax/tree/ast.ts";
import { ofVariable } from "../../affine/term.ts";
import { textOf, type Span } from "../../base/source.ts";
import { failed } from "../../base/failure.ts";
import { operationOfFunction } from "../../scalar/operations.ts";
import { formatProblem } from "../../scalar/values/format-problem.ts";
import { parseFormatSpec } from "../../base/format-spec.ts";
import { constructorValue, functionValue } from "../calls/held/closures.ts";
import { notBuilt, refuse, report, silent, wrongAt, type Place } from "../context.ts";
import { variantAt } from "../data/data-at.ts";
import { carries, spelledOut } from "../derivatives/differentials.ts";
import { throughModules } from "../names/module-paths.ts";
import { packAsValue, undefinedName, unknownPath } from "../names/names.ts";
import { builtinName, lookUp, lookUpFunction } from "../names/scope.ts";
import { underDeclaredType } from "../types/shapes.ts";
import { canBeCell, wholeText } from "./strings.ts";
import type { TensorBinding, Typed } from "../types/typed.ts";
import { decided, element, literalElement, scalar, showType } from "../types/types.ts";
import { asFloat } from "../types/literals.ts";
import { variantValue } from "../data/data-values.ts";
import { partWithValue, expression, dimensionAsNumber } from "../elaborate.ts";
import { integerValue } from "../values/integer-value.ts";

export function numberLiteral(place: Place, e: ast.NumberLiteral): Typed {
  const digits = e.text.replaceAll("_", "");
  if (e.float || (e.suffix && e.suffix.includes("f"))) {
    const cell = e.suffix ? element(e.suffix) : literalElement("float");
    // A fraction with the suffix of an integer has been reported already.
    if (!e.suffix?.startsWith("i"))
      place.checker.literals.push({ value: Number(digits), element: cell, span: e.span });
    return { kind: "constant", value: Number(digits), type: scalar(cell), span: e.span };
  }
  const big = BigInt(digits);
  const value = big <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(big) : big;
  if (big > 9223372036854775808n) {
    report(place, "E0407", `${e.text} is too large for any integer type`, e.span, asFloat(e.span));
  }
  const cell = e.suffix ? element(e.suffix) : literalElement("integer");
  place.checker.literals.push({ value, element: cell, span: e.span });
  return { kind: "constant", value, type: scalar(cell), span: e.span };
}

export function boolLiteral(_: Place, { value, span }: ast.BoolLiteral): Typed {
  return { kind: "constant", value, type: scalar("bool"), span };
}

/** An expression that could not be parsed has been reported already. */
export function missingValue(place: Place, { span }: ast.MissingExpression): Typed {
  return silent(place, span);
}

export function stringLiteral(place: Place, e: ast.StringLiteral): Typed {
  const parts = e.parts.map((part) => {
    if (part.kind === "text") return part.text;
    const value = partWithValue(place, part.value);
    const whole = wholeText(place, value, part.format);
    return { value, ...(part.format ? { format: part.format } : {}), ...(whole ? { whole } : {}) };
  });
  if (parts.some((part) => typeof part !== "string" && part.value.kind === "wrong"))
    return wrongAt(e.span);
  const fits = e.parts.map((part, k) => {
    const shown = parts[k]!;
    return (
      part.kind === "text" || typeof shown === "string" || formatFits(place, part, shown.value)
    );
  });
  if (fits.includes(false)) return wrongAt(e.span);
  const text: Typed = { kind: "text", parts, type: scalar("str"), span: e.span };
  return place.indexed && !canBeCell(place, text) ? wrongAt(e.span) : text;
}

/** Whether the format of an interpolation suits its value; otherwise this is reported. */
function formatFits(
  place: Place,
  { format, span }: Extract<ast.StringPart, { kind: "value" }>,
  value: Typed,
): boolean {
  const spec = format ? parseFormatSpec(format) : undefined;
  if (spec === undefined || failed(spec)) return true;
  const { type } = value;
  const problem = formatProblem(spec, type.kind === "tensor" ? decided(type.element) : "str");
  if (!problem) return true;
  // The format stands before the closing brace.
  const end = span.end - 1;
  const at = { ...span, start: end - format!.length, end };
  const title =
    `the format \`${format}\` ${problem.why}, ` +
    `and \`${textOf(value.span)}\` is ${showType(type)}`;
  report(place, "E0401", title, at, { help: problem.help });
  return false;
}

function isFunctionName({ scope }: Place, name: string): boolean {
  return (
    lookUpFunction(scope, name) !== undefined || operationOfFunction.has(builtinName(scope, name))
  );
}

export function pathOf(place: Place, e: ast.Path): Typed {
  if (e.segments.length > 1 && lookUp(place.scope, e.segments[0]!.text)?.kind === "wrong")
    return silent(place, e.span);
  const found = throughModules(place, e);
  if (found) return found === "wrong" ? silent(place, e.span) : pathOf(found.place, found.path);
  const variant = variantAt(place, e);
  if (variant === "wrong") return wrongAt(e.span);
  if (variant) {
    const { fields } = variant.of.declaration.variants[variant.index]!;
    return fields.length > 0
      ? constructorValue(place, e, fields.length)
      : variantValue(place, variant, undefined, e.span);
  }
  if (e.segments.length > 1) return unknownPath(place, e);
  const name = e.segments[0]!.text;
  const binding = lookUp(place.scope, name);
  if (!binding)
    return (
      (isFunctionName(place, name) && functionValue(place, e)) ||
      undefinedName(place, e.segments[0]!)
    );
  switch (binding.kind) {
    case "tensor": {
      const fault = mistakeOfRead(place, binding, e.span);
      if (fault) return fault;
      return { kind: "reference", binding, type: binding.type, span: e.span };
    }
    case "value":
      if (binding.type.kind === "error") return silent(place, e.span);
      // A range is no tensor. A name that is bound to a range stands for the range.
      if (binding.type.kind === "range" && binding.value) return { ...binding.value, span: e.span };
      if (binding.once && binding.value) return binding.value;
      return { kind: "reference", binding, type: binding.type, span: e.span };
    case "coordinate":
      return integerValue(ofVariable(binding.binder.variable), e.span);
    case "const": {
      const spelled = place.checker.differentials.has(name) ? spelledOut(place, e) : undefined;
      const isShown = spelled?.kind === "unary" && spelled.operator === "@";
      if (spelled && carries(spelled))
        return refuse(
          place,
          "E0707",
          `\`${name}\` is a differential, which has no number of its own`,
          e.span,
          {
            labels: [{ span: binding.span, text: "declared here" }],
            help:
              `ask for a quotient, \`${name} / ` +
              `@x\`${isShown ? `, or show it with \`print(${name})\`` : ""}`,
          },
        );
      const value = expression({ ...place, scope: binding.scope }, binding.value);
      const typed = binding.type ? underDeclaredType(place, value, binding.type) : value;
      return { ...typed, span: e.span };
    }
    case "dimension":
      return dimensionAsNumber(place, name, e.span);
    case "pack":
    case "signature-pack":
      return packAsValue(place, name, e.span);
    case "function":
      return notBuilt(
        place,
        `the function \`${name}\` as a value`,
        e.span,
        `call it: \`${name}(…)\``,
      );
    case "wrong":
      return silent(place, e.span);
    default:
      return binding satisfies never;
  }
}

/**
 * The mistake of reading a tensor before it is finished. Inside its own recurrence it may be read
 * at any time.
 */
function mistakeOfRead(place: Place, binding: TensorBinding, span: Span): Typed | undefined {
  if (binding.broken) return silent(place, span);
  if (!binding.complete && !place.group?.has(binding)) {
    if (binding.clauses.length === 0) {
      return refuse(place, "E0204", `\`${binding.name}\` is declared further down`, span, {
        labels: [{ span: binding.span, text: "declared here" }],
        help: `move its declaration up`,
      });
    }
    binding.readAt ??= span;
  }
  return undefined;
}

// The lint for integers that are known to wrap around, with the wider type to compute in:
// `100000 * 100000` is 1410065408, and `100000i64 * 100000i64` is right.

import { warning, type Diagnostic, type Edit } from "../../diagnostics/diagnostic.ts";
import { fix, replace } from "../../diagnostics/fixes.ts";
import { knownWraps, type KnownWrap } from "./known-wraps.ts";
import type { Program } from "../../ir/program.ts";
import { showExact, widerType } from "../../scalar/overflow.ts";
import { integerBounds } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { textOf, type Span } from "../../base/source.ts";
import { namesReadIn, nodesAt } from "../../check/names/free-names.ts";

/**
 * The lints of a program without errors. A reader cannot change the library, so it has no lints.
 */
export function wrapLints(module: ast.Module, program: Program): readonly Diagnostic[] {
  const own = knownWraps(program).filter(
    ({ span: at }) => at.end > at.start && !at.source.name.startsWith("std/"),
  );
  return own.filter((wrap) => !isPosition(module, wrap)).map((wrap) => lintOf(module, wrap));
}

function lintOf(module: ast.Module, wrap: KnownWrap): Diagnostic {
  const { span: at, type, exact, step, isQuotient } = wrap;
  if (isQuotient) return quotientLint(module, at);
  const bits = { i8: 8, i32: 32, i64: 64 }[type];
  const nodes = at.source === module.source ? nodesAt(module.statements, at) : [];
  const node = nodes.find((each) => each.span.start === at.start && each.span.end === at.end);
  const wider = widerType(exact);
  const stepped = step && wider ? widerRecurrence(module, step.of, wider) : undefined;
  const edit = node && wider && !step ? computedIn(node, wider) : undefined;
  const where = step ? `where ${step.at}, ` : "";
  const cast = `cast what its clauses are made of, \`as ${wider}\``;
  const way = !wider
    ? "no integer type holds it: compute in `f64`, or with smaller numbers"
    : step
      ? `compute \`${step.of}\` in ${wider}: ${stepped?.help ?? cast}`
      : edit
        ? `compute in ${wider}: \`${edit.text}\``
        : `compute in ${wider}: cast what it is made of, \`as ${wider}\``;
  const isFree = edit && standsFree(module, nodes, at);
  const { least, greatest } = integerBounds[type];
  return warning("W0405", `\`${textOf(at)}\` wraps around to ${BigInt.asIntN(bits, exact)}`, at, {
    text: `${where}it is ${showExact(exact)}, and ${type} goes from ${least} to ${greatest}`,
    help: `${way}; where wrapping is meant, write \`allow(W0405)\` before the statement`,
    ...(isFree ? { fixes: [fix(`compute in ${wider}`, edit)] } : {}),
    ...(stepped ? { fixes: [fix(`compute in ${wider}`, ...stepped.edits)] } : {}),
  });
}

/**
 * The edit that computes an expression with operands of a wider type. The span of an expression
 * includes the brackets around it.
 */
function computedIn(node: ast.Expression, type: "i32" | "i64" | "i8"): Edit | undefined {
  const whole = (from: Span, text: string, to = from): Edit => {
    const { source, start, end } = node.span;
    return replace(
      node.span,
      source.text.slice(start, from.start) + text + source.text.slice(to.end, end),
    );
  };
  switch (node.kind) {
    case "binary": {
      const [left, right] = [textOf(node.left.span), textOf(node.right.span)];
      const isPower = node.operator === "**";
      // A literal beside an operand that has a type takes that type.
      const second = /^-?[\d_]+$/.test(right) ? right : operandIn(right, type, isPower);
      const text = `${operandIn(left, type, isPower)} ${node.operator} ${second}`;
      return whole(node.left.span, text, node.right.span);
    }
    case "unary":
      if (node.operator !== "-") return undefined;
      return whole(node.operand.span, `(${operandIn(textOf(node.operand.span), type, false)})`);
    case "cast":
      return whole(node.type.span, type);
    case "call": {
      const [only, ...others] = node.arguments;
      if (!only || others.length > 0 || only.name) return undefined;
      const value = only.value.kind === "guarded" ? only.value.value : only.value;
      return whole(value.span, operandIn(textOf(value.span), type, false));
    }
    default:
      return undefined;
  }
}

/** A quotient in an index, or at the end of a range, is meant to be an integer. */
function isPosition(
  { source, statements }: ast.Module,
  { span: at, isQuotient }: KnownWrap,
): boolean {
  if (!isQuotient || at.source !== source) return false;
  return nodesAt(statements, at).some(
    ({ kind, span }) => (kind === "index" || kind === "range") && span.start <= at.start,
  );
}

/** The lint for a quotient of two known numbers that is 0: `1 / 2`. */
function quotientLint(module: ast.Module, at: Span): Diagnostic {
  const nodes = at.source === module.source ? nodesAt(module.statements, at) : [];
  const node = nodes.find((each) => each.span.start === at.start && each.span.end === at.end);
  const isDivision = node?.kind === "binary" && node.operator === "/";
  const asFloat = (text: string): string =>
    /^[\d_]+$/.test(text) ? `${text}.0` : operandIn(text, "f32", false);
  const way = isDivision
    ? `${asFloat(textOf(node.left.span))} / ${asFloat(textOf(node.right.span))}`
    : undefined;
  const help = way === undefined ? "divide floats" : `write \`${way}\``;
  const edit = way !== undefined && !textOf(at).startsWith("(") && standsFree(module, nodes, at);
  return warning("W0406", `\`${textOf(at)}\` is 0`, at, {
    text: "integers are divided, and the remainder is dropped",
    help: `for a fraction ${help}; where 0 is meant, write \`allow(W0406)\` before the statement`,
    ...(edit ? { fixes: [fix(`write \`${way}\``, replace(at, way))] } : {}),
  });
}

/** A recurrence in a wider type: "start from `1i64` and write `f[n - 1] * n as i64`". */
function widerRecurrence(
  { statements }: ast.Module,
  name: string,
  type: "i32" | "i64" | "i8",
): { readonly help: string; readonly edits: readonly Edit[] } | undefined {
  const clauses = statements.filter(
    (each): each is ast.IndexedLet => each.kind === "indexed-let" && each.name.text === name,
  );
  const reads = (e: ast.Expression): boolean => namesReadIn(e).has(name);
  const widened = (e: ast.Expression): string | undefined => {
    const text = textOf(e.span);
    if (!reads(e)) return /^[\d_]+$/.test(text) ? text : operandIn(text, type, false);
    if (e.kind === "index") return text;
    if (e.kind !== "binary" || !/^[-+*/%]$/.test(e.operator)) return undefined;
    const [left, right] = [widened(e.left), widened(e.right)];
    if (left === undefined || right === undefined) return undefined;
    const { source, start, end } = e.span;
    const around = [
      source.text.slice(start, e.left.span.start),
      source.text.slice(e.right.span.end, end),
    ];
    return `${around[0]}${left} ${e.operator} ${right}${around[1]}`;
  };
  const own = clauses.map(({ value, type: declared, where }) => {
    if (declared || where) return undefined;
    const isStep = reads(value);
    const text = isStep ? widened(value) : operandIn(textOf(value.span), type, false);
    return text === undefined ? undefined : { isStep, text, edit: replace(value.span, text) };
  });
  const found = own.filter((each) => each !== undefined);
  if (found.length === 0 || found.length < own.length) return undefined;
  const listed = (isStep: boolean): string =>
    found.flatMap((each) => (each.isStep === isStep ? [`\`${each.text}\``] : [])).join(", ");
  return {
    help: `start from ${listed(false)} and write ${listed(true)}`,
    edits: found.map(({ edit }) => edit),
  };
}

/** `100000i64`, `n as i64`, `(n + 1) as i64`. */
function operandIn(text: string, type: string, isOfPower: boolean): string {
  const [, number] = /^(-?[\d_]+)(?:i8|i32|i64)?$/.exec(text) ?? [];
  if (number !== undefined) return `${number}${type}`;
  const isSimple = /^[\w.:]+(?:\[[^[\]]*\]|\([^()]*\))?$/.test(text) || /^\([^()]*\)$/.test(text);
  const cast = isSimple ? `${text} as ${type}` : `(${text}) as ${type}`;
  return isOfPower ? `(${cast})` : cast;
}

/**
 * Whether nothing around an expression requires its type: at the top of the file, as an argument of
 * `print`, or inside a string.
 */
function standsFree(
  { statements }: ast.Module,
  around: readonly ast.Expression[],
  at: Span,
): boolean {
  const statement = statements.find(
    (each) => each.span.start <= at.start && at.end <= each.span.end,
  );
  if (statement?.kind !== "expression") return false;
  const hasSpan = (one: ast.Expression): boolean =>
    one.span.start === at.start && one.span.end === at.end;
  const { value } = statement;
  if (hasSpan(value)) return true;
  const [outermost] = around;
  if (
    outermost?.kind !== "call" ||
    outermost !== value ||
    textOf(outermost.callee.span) !== "print"
  )
    return false;
  return (
    outermost.arguments.some((argument) => hasSpan(argument.value)) || isInText(around, hasSpan)
  );
}

function isInText(
  around: readonly ast.Expression[],
  hasSpan: (one: ast.Expression) => boolean,
): boolean {
  return around.some(
    (each) =>
      each.kind === "string" &&
      each.parts.some((part) => part.kind === "value" && hasSpan(part.value)),
  );
}

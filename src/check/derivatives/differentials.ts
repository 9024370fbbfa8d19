// Differentials with a name. `let dy = 2.0 * @y;` binds no number: in a quotient or a print, `dy`
// stands for `2.0 * @y`.

import type * as ast from "../../syntax/tree/ast.ts";
import { isFloat } from "../../scalar/types.ts";
import { reportClash, spoilName, type Block } from "../statements/block.ts";
import { refuse, report, type Place } from "../context.ts";
import { namesReadIn } from "../names/free-names.ts";
import { snapshotOfScope, keepForFunctions, lookUp } from "../names/scope.ts";
import { decided, showType } from "../types/types.ts";
import { expression } from "../elaborate.ts";

/** Whether an expression is a quotient by a differential: `… / @x`. */
export function isRequest(e: ast.Expression): boolean {
  return e.kind === "binary" && e.operator === "/" && isDifferential(e.right);
}

function isDifferential(e: ast.Expression): boolean {
  return e.kind === "unary" && e.operator === "@";
}

/** Whether an expression contains a differential outside of a quotient. */
export function carries(e: ast.Expression): boolean {
  if (isRequest(e)) return false;
  if (e.kind === "unary") return e.operator === "@" || carries(e.operand);
  return e.kind === "binary" && (carries(e.left) || carries(e.right));
}

/**
 * The quotient by a differential that an expression is, once the names of differentials are
 * replaced by their expressions: `dy / @x` is `(2.0 * @y) / @x`.
 */
export function findRequest(place: Place, e: ast.Expression): ast.Binary | undefined {
  if (e.kind !== "binary" || e.operator !== "/") return undefined;
  const right = e.right.kind === "path" ? spelledOut(place, e.right) : e.right;
  return isDifferential(right) ? { ...e, left: spelledOut(place, e.left), right } : undefined;
}

/**
 * A linear combination of differentials with the names of differentials replaced by their
 * expressions.
 */
export function spelledOut(place: Place, e: ast.Expression): ast.Expression {
  if (place.checker.differentials.size === 0) return e;
  switch (e.kind) {
    case "path": {
      const [name, more] = e.segments;
      const isKnown = !more && place.checker.differentials.has(name!.text);
      const binding = isKnown ? lookUp(place.scope, name!.text) : undefined;
      if (binding?.kind !== "const") return e;
      const meant = spelledOut({ ...place, scope: binding.scope }, binding.value);
      if (!carries(meant)) return e;
      const changed = [...namesReadIn(meant)].find(
        (name) => lookUp(place.scope, name) !== lookUp(binding.scope, name),
      );
      if (changed === undefined) return meant;
      report(
        place,
        "E0707",
        `\`${binding.name}\` stands for a differential of another \`${changed}\``,
        e.span,
        {
          labels: [{ span: binding.span, text: `\`${changed}\` is given anew below this` }],
          help: `ask for the quotient before \`${changed}\` is given anew, or choose another name`,
        },
      );
      return meant;
    }
    case "unary":
      return isSign(e.operator) ? { ...e, operand: spelledOut(place, e.operand) } : e;
    case "binary":
      if (findRequest(place, e) || !["+", "-", "*", "/"].includes(e.operator)) return e;
      return { ...e, left: spelledOut(place, e.left), right: spelledOut(place, e.right) };
    default:
      return e;
  }
}

/**
 * Whether an expression contains a differential, itself or by name. The walk keeps a stack of its
 * own, because a chain of operators may be too long to recurse into.
 */
function mentionsDifferential({ checker }: Place, e: ast.Expression): boolean {
  const open = [e];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.kind === "binary") open.push(at.left, at.right);
    else if (at.kind === "unary" && at.operator === "@") return true;
    else if (at.kind === "unary") open.push(at.operand);
    else if (at.kind === "path" && checker.differentials.has(at.segments[0]!.text)) return true;
  }
  return false;
}

/**
 * Binds `let dy = 2.0 * @y;` and answers true. Inside a rule `@y` is a tensor, and the `let` is an
 * ordinary one.
 */
export function bindDifferential(place: Place, statement: ast.Let, block: Block): boolean {
  const { pattern, value, type, where } = statement;
  if (
    place.tangents ||
    pattern.kind !== "name" ||
    type ||
    where ||
    !mentionsDifferential(place, value)
  )
    return false;
  const meant = spelledOut(place, value);
  if (!isLinear(meant)) return false;
  const { name } = pattern;
  if (reportClash(place, name, block)) return true;
  if (!differentialsIn(meant).every((differential) => isOfFloats(place, differential))) {
    spoilName(place, name.text, name.span);
    return true;
  }
  keepForFunctions(place.scope, name);
  place.checker.differentials.add(name.text);
  const scope = snapshotOfScope(place.scope);
  place.scope.names.set(name.text, {
    kind: "const",
    name: name.text,
    span: name.span,
    value,
    scope,
  });
  return true;
}

/** `-@y` and `+@y` are multiples of `@y`. */
export function isSign(operator: ast.UnaryOperator): boolean {
  return operator === "-" || operator === "+";
}

/**
 * Whether an expression is a differential, a sum or difference of differentials, or a multiple of
 * one.
 */
function isLinear(e: ast.Expression): boolean {
  if (isRequest(e)) return false;
  if (e.kind === "unary") return e.operator === "@" || (isSign(e.operator) && isLinear(e.operand));
  if (e.kind !== "binary") return false;
  const [left, right] = [carries(e.left), carries(e.right)];
  switch (e.operator) {
    case "+":
    case "-":
      return isLinear(e.left) && isLinear(e.right);
    case "*":
      return left !== right && isLinear(left ? e.left : e.right);
    case "/":
      return left && !right && isLinear(e.left);
    default:
      return false;
  }
}

function differentialsIn(e: ast.Expression): readonly ast.Unary[] {
  if (isRequest(e)) return [];
  if (e.kind === "unary") return e.operator === "@" ? [e] : differentialsIn(e.operand);
  return e.kind === "binary" ? [...differentialsIn(e.left), ...differentialsIn(e.right)] : [];
}

function isOfFloats(place: Place, e: ast.Unary): boolean {
  const operand = expression(place, e.operand);
  if (operand.kind === "wrong") return false;
  if (operand.type.kind === "tensor" && isFloat(decided(operand.type.element))) return true;
  refuse(
    place,
    "E0704",
    `this is ${showType(operand.type)}, and differentials are of floats`,
    e.span,
  );
  return false;
}

// Differentials under a name: `let dy = 2.0 * @y;` is no number, and stands for its expression in
// quotients and prints.

import type * as ast from "../../syntax/tree/ast.ts";
import { isFloat } from "../../scalar/types.ts";
import { reportClash, spoilName, type Block } from "../statements/block.ts";
import { refuse, report, type Place } from "../context.ts";
import { namesReadIn } from "../names/free-names.ts";
import { snapshotOfScope, keepForFunctions, lookUp } from "../names/scope.ts";
import { decided, showType } from "../types/types.ts";
import { expression } from "../elaborate.ts";

/** Is this a quotient by a differential? */
export function isRequest(e: ast.Expression): boolean {
  return e.kind === "binary" && e.operator === "/" && isDifferential(e.right);
}

function isDifferential(e: ast.Expression): boolean {
  return e.kind === "unary" && e.operator === "@";
}

/** Has a differential in it that is not already part of a quotient. */
export function carries(e: ast.Expression): boolean {
  if (isRequest(e)) return false;
  if (e.kind === "unary") return e.operator === "@" || carries(e.operand);
  return e.kind === "binary" && (carries(e.left) || carries(e.right));
}

/** The quotient that an expression is once names of differentials are what they stand for. */
export function requestIn(place: Place, e: ast.Expression): ast.Binary | undefined {
  if (e.kind !== "binary" || e.operator !== "/") return undefined;
  const right = e.right.kind === "path" ? spelledOut(place, e.right) : e.right;
  return isDifferential(right) ? { ...e, left: spelledOut(place, e.left), right } : undefined;
}

/** A linear combination of differentials with each name for one replaced by what it stands for. */
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
      if (requestIn(place, e) || !["+", "-", "*", "/"].includes(e.operator)) return e;
      return { ...e, left: spelledOut(place, e.left), right: spelledOut(place, e.right) };
    default:
      return e;
  }
}

/**
 * Whether a differential stands anywhere in an expression, by itself or by a name. A chain may be
 * too long to recurse into.
 */
function mentionsSome({ checker }: Place, e: ast.Expression): boolean {
  const open = [e];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.kind === "binary") open.push(at.left, at.right);
    else if (at.kind === "unary" && at.operator === "@") return true;
    else if (at.kind === "unary") open.push(at.operand);
    else if (at.kind === "path" && checker.differentials.has(at.segments[0]!.text)) return true;
  }
  return false;
}

/** A plain `let` of a differential, outside of rules, where differentials are tensors. */
export function bindDifferential(place: Place, statement: ast.Let, block: Block): boolean {
  const { pattern, value, type, where } = statement;
  if (place.tangents || pattern.kind !== "name" || type || where || !mentionsSome(place, value))
    return false;
  const meant = spelledOut(place, value);
  if (!isLinear(meant)) return false;
  const { name } = pattern;
  if (reportClash(place, name, block)) return true;
  if (!differentialsIn(meant).every((each) => isOfFloats(place, each))) {
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

/** A differential, or a sum, a difference or a multiple of such. */
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
  const of = expression(place, e.operand);
  if (of.kind === "wrong") return false;
  if (of.type.kind === "tensor" && isFloat(decided(of.type.element))) return true;
  refuse(place, "E0704", `this is ${showType(of.type)}, and differentials are of floats`, e.span);
  return false;
}

// Checking expressions: one case for each form of the syntax, each giving a typed node.

import { interpolated, fixed, replace, write, type Repair } from "../diagnostics/fixes.ts";
import type * as ast from "../syntax/ast.ts";
import type { Variable } from "../affine/term.ts";
import { variablesOf } from "../affine/visit.ts";
import { castAllowed, castHelp } from "../scalar/casts.ts";
import type { OperationName } from "../scalar/operations.ts";
import { isFloat, isInteger, isNumeric, type ElementType } from "../scalar/types.ts";
import { textOf, type Span } from "../base/source.ts";
import { accessOf } from "./access.ts";
import { annotationFor, sameShape } from "./annotations.ts";
import { attempt } from "./attempt.ts";
import { callOf } from "./calls.ts";
import { callValue } from "./closures.ts";
import { choose } from "./choose.ts";
import { lambdaOf } from "./closures.ts";
import { conditionHelp } from "./condition-help.ts";
import { foldedTruth, negation } from "./conditions.ts";
import { amongPositions, refuse, silent, wrongAt, type Checker, type Place } from "./context.ts";
import { hasDamagedEnd, isDamaged } from "./damaged.ts";
import { fieldOf, structValue } from "./data.ts";
import { callFunction } from "./functions.ts";
import { termOf } from "./integers.ts";
import { dimensionAsNumber, nameOf, numberLiteral, stringLiteral } from "./leaves.ts";
import { adviceForMember, fromOtherLibrary } from "./foreign.ts";
import { throughModules } from "./module-paths.ts";
import { apply } from "./operators.ts";
import { requestOf } from "./requests.ts";
import { isUnbound, lookUp, lookUpFunction, scopeInside } from "./scope.ts";
import { effectIn, isRecursive } from "./call-graph.ts";
import { arrayOf, shapeOf } from "./shapes.ts";
import { statements } from "./statements.ts";
import { joinTexts, knownText, orderedTexts, sameText } from "./strings.ts";
import { methodHelp } from "./text-help.ts";
import { lintTypeText, type Side } from "./type-texts.ts";
import { requestIn } from "./differentials.ts";
import { membersOf } from "./tuples.ts";
import type { Typed } from "./typed.ts";
import {
  decided,
  element,
  isScalar,
  known,
  mayBe,
  scalar,
  showType,
  tensor,
  unify,
  unit,
  type TensorType,
  type Type,
  isText,
  isCompound,
} from "./types.ts";
import { distribute } from "./where.ts";
import { comprehensionOf } from "./comprehensions.ts";
import { sameParts } from "./equality.ts";
import { matchOf } from "./match.ts";
import { differential } from "./tangents.ts";
import { freshNames, indexable } from "./fresh-names.ts";

const infix: Record<Exclude<ast.BinaryOperator, "|>" | "in">, OperationName> = {
  "||": "or",
  "&&": "and",
  "==": "equal",
  "!=": "notEqual",
  "<": "less",
  "<=": "lessEqual",
  ">": "greater",
  ">=": "greaterEqual",
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "remainder",
  "**": "power",
};

const comparing: ReadonlySet<ast.BinaryOperator> = new Set<ast.BinaryOperator>([
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
]);

/** A part of something else: it has a value, which what only prints has not. */
export function partOf(place: Place, e: ast.Expression): Typed {
  const value = expression(place, e);
  if (value.type !== unit) return value;
  const { start, end } = value.span;
  if (isDamaged(place.checker, { start, end: end + 1 })) return silent(place, e.span);
  const { title, help } = withoutValue(place, e);
  return refuse(place, "E0505", title, e.span, { help });
}

/** Why something has no value: it prints, or a function does nothing but call itself. */
function withoutValue(
  { scope }: Place,
  e: ast.Expression,
): { readonly title: string; readonly help: string } {
  const name = e.kind === "call" && e.callee.kind === "path" ? e.callee.segments.at(-1)!.text : "";
  const callee = lookUpFunction(scope, name);
  // A function that it is given may be what prints.
  const isGiven =
    e.kind === "call" &&
    e.arguments.some(({ value: { kind } }) => kind === "lambda" || kind === "path");
  if (callee && isRecursive(callee) && !isGiven && !effectIn(callee, [])) {
    const help = "let a condition end it: `if n == 0 { … } else { … }`";
    return { title: `\`${name}\` does nothing but call itself, and comes to no value`, help };
  }
  if (callee && !isGiven && !isRecursive(callee) && !effectIn(callee, [])) {
    const help = `the last expression of a function is its value: leave out the \`;\` behind that of \`${name}\``;
    return { title: "this gives no value", help };
  }
  const help = `it prints or asserts: write it as a statement of its own, \`${textOf(e.span)};\``;
  return { title: "this gives no value", help };
}

export function expression(place: Place, e: ast.Expression): Typed {
  switch (e.kind) {
    case "number":
      return numberLiteral(place, e);
    case "bool":
      return { kind: "constant", value: e.value, type: scalar("bool"), span: e.span };
    case "string":
      return stringLiteral(place, e);
    case "path":
      return nameOf(place, e);
    case "unary":
      return unaryOf(place, e);
    case "binary":
      return binaryOf(place, e);
    case "range":
      return rangeOf(place, e);
    case "cast":
      return castOf(place, e);
    case "index":
      return accessOf(place, e);
    case "call":
      return callOf(place, e);
    case "member":
      return memberOf(place, e);
    case "if":
      return ifOf(place, e);
    case "block":
      return blockOf(place, e);
    case "array":
      return arrayOf(place, e);
    case "tuple": {
      const members = e.members.map((member) => partOf(place, member));
      if (members.some((member) => member.kind === "wrong")) return wrongAt(e.span);
      return {
        kind: "tuple",
        members,
        type: { kind: "tuple", members: members.map((m) => m.type) },
        span: e.span,
      };
    }
    case "match":
      return matchOf(place, e);
    case "lambda":
      return lambdaOf(place, e);
    case "comprehension":
      return comprehensionOf(place, e);
    case "struct-literal":
      return structValue(place, e);
    case "guarded": {
      const callee =
        e.value.kind === "call" && e.value.bracket && e.value.callee.kind === "path"
          ? e.value.callee.segments
          : undefined;
      const found = callee && throughModules(place, (e.value as ast.Call).callee as ast.Path);
      const at = found && found !== "wrong" ? found : undefined;
      const [name] = at?.path.segments ?? callee ?? [];
      const own =
        name && (at ?? callee?.length === 1)
          ? lookUpFunction((at?.place ?? place).scope, name.text)
          : undefined;
      if (own) return callFunction(place, own, e.value as ast.Call, e.where);
      const moved = distribute(place, e.value, e.where);
      if (!moved.where) return expression(place, moved.value);
      return refuse(
        place,
        "E0308",
        "`where` here belongs to no reduction and no declaration",
        e.where.span,
        {
          help: "write it inside the reduction, `sum[i](x[i] where x[i] > 0)`, or at the end of the `let`",
        },
      );
    }
    case "missing":
      return silent(place, e.span);
    default:
      return e satisfies never;
  }
}

/** A scalar of element type bool. */
export function conditionOf(place: Place, e: ast.Expression, what: string): Typed {
  return heldToBool(place, e, expression(place, e), what);
}

/** The same for an expression whose value is there. */
export function heldToBool(place: Place, e: ast.Expression, value: Typed, what: string): Typed {
  if (value.kind === "wrong") return value;
  if (!isScalar(value.type) || !unify(value.type.element, element("bool"))) {
    const title = `${what} must be a bool, this is ${showType(value.type)}`;
    return refuse(place, "E0406", title, e.span, conditionHelp(place, e, value.type));
  }
  return value;
}

/** A scalar integer: an index, a range bound. */
export function integerOf(place: Place, e: ast.Expression, what: string): Typed {
  if (e.kind === "path" && e.segments.length === 1) {
    const binding = lookUp(place.scope, e.segments[0]!.text);
    if (binding?.kind === "dimension") return dimensionAsNumber(place, binding.name, e.span);
  }
  const value = expression(place, e);
  if (value.kind === "wrong") return value;
  if (!isScalar(value.type))
    return refuse(
      place,
      "E0402",
      `${what} must be a scalar, this is ${showType(value.type)}`,
      e.span,
    );
  const cell = value.type.element;
  const type = known(cell);
  if (type ? !isInteger(type) : decided(cell) !== "i32") {
    return refuse(place, "E0401", `${what} must be an integer, this is ${decided(cell)}`, e.span, {
      ...write(e.span, `${asText(e)} as i32`),
    });
  }
  if (!type) unify(cell, element("i32"));
  return value;
}

function asText(e: ast.Expression): string {
  const text = textOf(e.span);
  return e.kind === "binary" || e.kind === "range" ? `(${text})` : text;
}

function unaryOf(place: Place, e: ast.Unary): Typed {
  if (e.operator === "@") return differential(place, e);
  // `-128i8` and `-9223372036854775808` are literals, though their digits alone are out of range.
  if (e.operator === "-" && e.operand.kind === "number") {
    const literal = expression(place, e.operand);
    if (literal.kind === "constant") {
      const value = -(literal.value as number);
      const last = place.checker.literals.at(-1);
      if (last && last.span === e.operand.span) last.value = value;
      return { ...literal, value, span: e.span };
    }
  }
  if (e.operator === "+") return plusOf(place, e);
  return apply(
    place,
    e.operator === "-" ? "negate" : "not",
    [expression(place, e.operand)],
    e.span,
  );
}

/** `!x > 3`, where `x > 3` is what is denied: `!` takes `x` alone. */
function denied(place: Place, e: ast.Unary, spine: readonly ast.Binary[]): Typed {
  const operand = expression(place, e.operand);
  const compared = spine.findLast(({ operator }) => comparing.has(operator));
  const { type } = operand;
  if (!compared || type.kind !== "tensor" || mayBe(type.element, (cell) => cell === "bool"))
    return apply(place, "not", [operand], e.span);
  const title = `\`!\` wants bool, this is ${showType(type)}`;
  const { source, start } = e.operand.span;
  const way = `!(${textOf({ source, start, end: compared.span.end })})`;
  const help = `\`!\` binds tighter than \`${compared.operator}\`: write \`${way}\``;
  const whole = { source, start: e.span.start, end: compared.span.end };
  return refuse(place, "E0401", title, e.operand.span, {
    help,
    ...fixed(`write \`${way}\``, replace(whole, way)),
  });
}

/** `+x` is `x`, of numbers only. */
function plusOf(place: Place, e: ast.Unary): Typed {
  const value = expression(place, e.operand);
  if (value.kind === "wrong") return value;
  if (value.type.kind === "tensor" && mayBe(value.type.element, isNumeric)) return value;
  return refuse(
    place,
    "E0401",
    `\`+\` works on numbers, this is ${showType(value.type)}`,
    e.operand.span,
  );
}

function binaryOf(place: Place, e: ast.Binary): Typed {
  const request = requestIn(place, e);
  if (request) return requestOf(place, request);
  switch (e.operator) {
    case "|>":
      return pipeline(place, e);
    case "in":
      return membership(place, e);
    case "&&":
    case "||": {
      const left = expression(place, e.left);
      const holds = e.operator === "&&";
      const inside = holds ? underCondition(place, left) : place;
      // What the right side prints happens only where it decides.
      const when = isScalar(left.type) ? [...place.when, { condition: left, holds }] : place.when;
      const right = expression({ ...inside, when }, e.right);
      return apply(place, infix[e.operator], [left, right], e.span);
    }
    default:
      return chain(place, e);
  }
}

/** Left-leaning chains can be very long, so they are walked and not recursed into. */
function chain(place: Place, e: ast.Binary): Typed {
  const spine: ast.Binary[] = [];
  let at: ast.Expression = e;
  while (
    at.kind === "binary" &&
    at.operator !== "|>" &&
    at.operator !== "in" &&
    at.operator !== "&&" &&
    at.operator !== "||" &&
    !requestIn(place, at)
  ) {
    spine.push(at);
    at = at.left;
  }
  // A comparison binds loosest: all of the chain stands in it.
  const inside = spine.some(({ operator }) => comparing.has(operator))
    ? amongPositions(place)
    : place;
  let value =
    at.kind === "unary" && at.operator === "!" ? denied(inside, at, spine) : expression(inside, at);
  for (let k = spine.length - 1; k >= 0; k--) {
    const link = spine[k]!;
    const operator = link.operator as keyof typeof infix;
    value = infixOf(inside, operator, value, expression(inside, link.right), link.span);
  }
  return value;
}

function isOrder(operator: string): boolean {
  return operator === "<" || operator === "<=" || operator === ">" || operator === ">=";
}

/** Texts are joined and compared while compiling; everything else is an operation. */
function infixOf(
  place: Place,
  operator: keyof typeof infix,
  left: Typed,
  right: Typed,
  span: Span,
): Typed {
  if (isText(left.type) && isText(right.type)) {
    if (operator === "+") return joinTexts(left, right, span);
    if (operator === "==" || operator === "!=")
      lintTypeText(place, sideOf(left), sideOf(right), span);
    if (operator === "==") return sameText(place, left, right, span);
    if (operator === "!=") return negation(sameText(place, left, right, span));
    if (isOrder(operator)) return orderedTexts(place, infix[operator], left, right, span);
  }
  if (
    operator === "+" &&
    isText(left.type) !== isText(right.type) &&
    right.kind !== "wrong" &&
    left.kind !== "wrong"
  ) {
    const odd = isText(left.type) ? right : left;
    return refuse(
      place,
      "E0401",
      `a text is joined with a text, this is ${showType(odd.type)}`,
      odd.span,
      {
        ...interpolated("", odd.span),
        help: `write it into the text: \`"… {${textOf(odd.span)}}"\``,
      },
    );
  }
  if ((operator === "==" || operator === "!=") && comparesParts(left.type, right.type)) {
    const equal = sameParts(place, left, right, span);
    return operator === "==" ? equal : negation(equal);
  }
  return apply(place, infix[operator], [left, right], span);
}

function sideOf(value: Typed): Side {
  return { value, text: knownText(value) };
}

function comparesParts(left: Type, right: Type): boolean {
  return (
    (isCompound(left) && isCompound(right)) ||
    (left.kind === "function" && right.kind === "function")
  );
}

/** `x |> f` is `f(x)`, also where `f` is a call that gives a function; `x |> f(a)` with any other call is `f(x, a)`. */
function pipeline(place: Place, e: ast.Binary): Typed {
  const first: ast.Argument = { value: e.left, span: e.left.span };
  const call: ast.Call = { kind: "call", callee: e.right, arguments: [first], span: e.span };
  if (e.right.kind !== "call") return callOf(place, call);
  const { right } = e;
  let given: Typed | undefined;
  const step = attempt(place, () => (given = callOf(place, right)));
  if (!step.isWrong && given?.type.kind === "function") return callValue(place, step.keep(), call);
  step.undo();
  const filled: ast.Call = { ...right, arguments: [first, ...right.arguments], span: e.span };
  const whole = attempt(place, () => callOf(place, filled));
  // What is wrong with the step itself is told as it stands.
  const isStepWrong =
    step.isWrong && step.said.length > 0 && step.said.every(({ code }) => code !== "E0501");
  if (!whole.isWrong || !isStepWrong) return whole.keep();
  whole.undo();
  return step.keep();
}

/** `v in a..b` is `a <= v && v < b`. */
function membership(place: Place, e: ast.Binary): Typed {
  const value = expression(amongPositions(place), e.left);
  const range = expression(place, e.right);
  if (value.kind === "wrong" || range.kind === "wrong") return wrongAt(e.span);
  if (range.kind !== "range") {
    return refuse(
      place,
      "E0401",
      `the right side of \`in\` must be a range, this is ${showType(range.type)}`,
      e.right.span,
      {
        ...(isText(range.type)
          ? write(e.span, `${textOf(e.right.span)}.contains(${textOf(e.left.span)})`)
          : range.type.kind === "tensor"
            ? amongElements(e, value, range.type)
            : { help: "write `a..b`" }),
      },
    );
  }
  const low = apply(place, "lessEqual", [range.from, value], e.span);
  const high = apply(place, "less", [value, range.to], e.span);
  return apply(place, "and", [low, high], e.span);
}

function rangeOf(around: Place, e: ast.Range): Typed {
  const place = amongPositions(around);
  const from = integerOf(place, e.from, "the start of a range");
  const to = integerOf(place, e.to, "the end of a range");
  if (from.kind === "wrong" || to.kind === "wrong") return wrongAt(e.span);
  const one: Typed = { kind: "constant", value: 1, type: scalar("i32"), span: e.to.span };
  const end = e.inclusive ? apply(place, "add", [to, one], e.to.span) : to;
  return { kind: "range", from, to: end, reversed: false, type: { kind: "range" }, span: e.span };
}

/** Every element, or every row, is asked: by coordinates that occur in neither operand. */
function amongElements(e: ast.Binary, value: Typed, { axes }: TensorType): Repair {
  const own = value.type.kind === "tensor" ? value.type.axes.length : 0;
  if (axes.length <= own) return { help: "the right side holds no elements of this shape" };
  const left = own > 0 ? indexable(e.left) : asText(e.left);
  const right = indexable(e.right);
  const names = freshNames(axes.length, `${left} ${right}`);
  const rows = names.slice(0, axes.length - own);
  const cells = names.slice(axes.length - own);
  const item = `${right}[${names.join(", ")}] == ${left}${own > 0 ? `[${cells.join(", ")}]` : ""}`;
  const equal = own > 0 ? `all[${cells.join(", ")}](${item})` : item;
  const text = `any[${rows.join(", ")}](${equal})`;
  const help = `ask every ${own > 0 ? "row" : "element"}: \`${text}\``;
  return { help, ...fixed(`write \`${text}\``, replace(e.span, text)) };
}

function castOf(place: Place, e: ast.Cast): Typed {
  const operand = expression(place, e.operand);
  if (operand.kind === "wrong") return operand;
  const target = annotationFor(place, e.type, operand);
  if (target.kind === "error") return wrongAt(e.span);
  if (operand.type.kind !== "tensor" || target.kind !== "tensor") {
    return refuse(
      place,
      "E0405",
      `${showType(operand.type)} cannot be cast to ${showType(target)}`,
      e.span,
    );
  }
  const to = decided(target.element);
  // `3 as f64` makes the literal itself an f64, and so does `(2.0 * pi) as f64`; `2.7 as i32` truncates.
  // An integer literal that is cast to a narrower type wraps like any other i32.
  const isOpen = !known(operand.type.element);
  const isFloats = isFloat(to) && isFloat(decided(operand.type.element));
  if (isOpen && (isFloats || (operand.kind === "constant" && to !== "i8")))
    unify(operand.type.element, target.element);
  const from = decided(operand.type.element);
  if (!castAllowed(from, to)) {
    return refuse(place, "E0405", `${from} cannot be cast to ${to}`, e.span, {
      ...castFix(from, to, e),
      help: castHelp(from, to, asText(e.operand)),
    });
  }
  const axes =
    target.axes.length > 0 ? sameShape(place, operand, target, e.type.span) : operand.type.axes;
  if (!axes) return wrongAt(e.span);
  return { kind: "cast", operand, type: tensor(element(to), axes), span: e.span };
}

/** What to write in the place of a cast that there is not: a comparison, or a text. */
function castFix(from: ElementType, to: ElementType, { operand, span }: ast.Cast): Repair {
  if (to === "str" && from !== "str") {
    const text = `"{${textOf(operand.span)}}"`;
    const isPlain = !/["{}:]/.test(textOf(operand.span));
    return isPlain ? fixed(`write \`${text}\``, replace(span, text)) : {};
  }
  if (to !== "bool" || !isNumeric(from)) return {};
  const text = `${asText(operand)} != ${isFloat(from) ? "0.0" : "0"}`;
  return fixed(`write \`${text}\``, replace(span, `(${text})`));
}

function memberOf(place: Place, e: ast.Member): Typed {
  const foreign = isUnbound(place.scope, e) ? fromOtherLibrary(place, e) : undefined;
  if (foreign) return foreign;
  const base = expression(place, e.base);
  if (base.kind === "wrong") return base;
  if (e.name.text === "shape" && (base.type.kind === "tensor" || base.type.kind === "list"))
    return shapeOf(place.checker, base.type.axes, e.span);
  if (base.type.kind === "data") return fieldOf(place, base, base.type, e.name);
  if (base.type.kind === "jagged") {
    const rows = textOf(e.base.span);
    return refuse(
      place,
      "E0410",
      `${showType(base.type)} has no member \`${e.name.text}\``,
      e.name.span,
      {
        help: `\`len(${rows})\` is the number of its rows, \`${rows}[i]\` is one of them`,
      },
    );
  }
  const members = membersOf(base);
  if (members && /^\d+$/.test(e.name.text)) {
    const member = members[Number(e.name.text)];
    if (member) return member;
    return refuse(
      place,
      "E0402",
      `a tuple of ${members.length} has no member ${e.name.text}`,
      e.name.span,
    );
  }
  if (base.type.kind === "tensor") {
    const advice = isText(base.type) ? methodHelp(e.base, e.name) : adviceForMember(e, base.type);
    return refuse(
      place,
      "E0410",
      `${showType(base.type)} has no member \`${e.name.text}\``,
      e.name.span,
      advice,
    );
  }
  return refuse(
    place,
    "E0410",
    `${showType(base.type)} has no member \`${e.name.text}\``,
    e.name.span,
    {
      help: members ? `its members are \`.0\` to \`.${members.length - 1}\`` : undefined,
    },
  );
}

function ifOf(place: Place, e: ast.If): Typed {
  const condition = conditionOf(place, e.condition, "the condition of `if`");
  const known =
    isSettled(place, condition) && e.otherwise ? foldedTruth(place.checker, condition) : undefined;
  if (known === true) return blockOf(place, e.then);
  if (known === false)
    return e.otherwise!.kind === "if" ? ifOf(place, e.otherwise!) : blockOf(place, e.otherwise!);
  const inside = underCondition(place, condition);
  const branch = (holds: boolean): Place => ({
    ...inside,
    when: [...place.when, { condition, holds }],
  });
  const then = blockOf(branch(true), e.then);
  if (!e.otherwise) {
    if (then.type === unit) return { kind: "tuple", members: [], type: unit, span: e.span };
    return refuse(place, "E0401", "an `if` that gives a value needs an `else`", e.span, {
      help: "add `else { … }`",
    });
  }
  const otherwise =
    e.otherwise.kind === "if"
      ? ifOf(branch(false), e.otherwise)
      : blockOf(branch(false), e.otherwise);
  return choose(place, condition, then, otherwise, e.span, "branches of `if`");
}

/**
 * Whether the other branch is of no concern where the outcome is known: in the body of a recursive function, be it replaced or kept,
 * what is compared and known is a rank or a length, which differs from call to call.
 */
function isSettled(place: Place, condition: Typed): boolean {
  return place.unrolled === true || (place.recursion !== undefined && condition.kind === "apply");
}

/** Inside an integer condition, affine uses of the coordinates it mentions do not restrict their ranges. */
export function underCondition(place: Place, condition: Typed): Place {
  const mentioned = new Set(place.guarded);
  collect(place, condition, mentioned);
  return { ...place, guarded: mentioned };
}

/** The variables of an integer expression, those in quotients, remainders and powers included; a lookup is not looked into. */
function variablesIn(checker: Checker, operand: Typed): readonly Variable[] {
  return [...variablesOf(termOf(checker, operand))].flatMap((v) => {
    const value = checker.opaqueValue.get(v);
    return value?.kind === "apply"
      ? value.operands.flatMap((part) => variablesIn(checker, part))
      : [v];
  });
}

function collect(place: Place, condition: Typed, into: Set<Variable>): void {
  if (condition.kind !== "apply") return;
  switch (condition.operation) {
    case "and":
    case "or":
    case "not":
      for (const operand of condition.operands) collect(place, operand, into);
      return;
    case "equal":
    case "notEqual":
    case "less":
    case "lessEqual":
    case "greater":
    case "greaterEqual":
      for (const operand of condition.operands) {
        if (operand.type.kind !== "tensor" || !isInteger(decided(operand.type.element))) return;
      }
      for (const operand of condition.operands) {
        for (const v of variablesIn(place.checker, operand)) into.add(v);
      }
      return;
    default:
      return;
  }
}

export function blockOf(place: Place, e: ast.Block): Typed {
  const inside: Place = { ...place, scope: scopeInside(place.scope), inner: true };
  const bindings = statements(inside, e.statements).flatMap((action) =>
    action.kind === "bind" ? [action.binding] : [],
  );
  if (hasDamagedEnd(place.checker, e)) return silent(place, e.span);
  if (!e.value) {
    const last = e.statements.at(-1);
    if (last?.kind === "expression" && last.value.kind === "missing") return wrongAt(e.span);
    return {
      kind: "block",
      bindings,
      value: { kind: "tuple", members: [], type: unit, span: e.span },
      type: unit,
      span: e.span,
    };
  }
  const value = expression(inside, e.value);
  if (value.kind === "wrong") return value;
  return bindings.length === 0
    ? value
    : { kind: "block", bindings, value, type: value.type, span: e.span };
}

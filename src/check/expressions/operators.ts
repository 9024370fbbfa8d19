// Expressions of the language are elaborated in this folder, a file for each kind; calls, data and
// derivatives have folders of their own.
//
// This file applies an operation to checked operands. The operation's signature unifies the element
// types, and tensors of one shape are combined cell by cell.

import { interpolated, fix, replace, write } from "../../diagnostics/fixes.ts";
import { repairOfOrigin, type CastRepair } from "../types/cast-repair.ts";
import { indexedForm } from "./indexed-form.ts";
import { operations, type OperationName } from "../../scalar/operations.ts";
import {
  belongsTo,
  classNames,
  isFloat,
  type ElementClass,
  type ElementType,
} from "../../scalar/types.ts";
import { show } from "../../affine/show.ts";
import { equal, ofVariable } from "../../affine/term.ts";
import { textOf, type Span } from "../../base/source.ts";
import { refuse, report, wrongAt, type Place } from "../context.ts";
import { mustAgree } from "../statements/agree.ts";
import { percentHelp } from "../values/text-help.ts";
import type { Typed } from "../types/typed.ts";
import {
  decided,
  element,
  isIntegerScalar,
  isText,
  known,
  literalElement,
  mayBe,
  showElement,
  showType,
  tensor,
  unify,
  type Axis,
  type Element,
  type TensorType,
} from "../types/types.ts";

const comparisons: ReadonlySet<OperationName> = new Set<OperationName>([
  "equal",
  "notEqual",
  "less",
  "lessEqual",
  "greater",
  "greaterEqual",
]);

export function apply(
  place: Place,
  operation: OperationName,
  operands: readonly Typed[],
  span: Span,
): Typed {
  if (operands.some((operand) => operand.kind === "wrong")) return wrongAt(span);
  const { signature } = operations[operation];
  const types: TensorType[] = [];
  const [formatted, values] = operands;
  if (operation === "remainder" && formatted && values && isText(formatted.type))
    return refuse(
      place,
      "E0401",
      `${quotedName(operation)} works on numbers, this is str`,
      formatted.span,
      percentHelp(formatted.span, values.span),
    );
  for (const operand of operands) {
    if (operand.type.kind !== "tensor") {
      return refuse(
        place,
        "E0401",
        `${quotedName(operation)} works on numbers, this is ${showType(operand.type)}`,
        operand.span,
        operand.type.kind === "function" ? { help: `call it: \`${textOf(operand.span)}(…)\`` } : {},
      );
    }
    types.push(operand.type);
  }

  const position = arithmetic.has(operation)
    ? operands.find((operand) => isFreeCoordinate(place, operand))
    : undefined;
  if (position) return positionAsNumber(place, position, decidedAmong(types));

  const text = operands.find((_, k) => known(types[k]!.element) === "str");
  const isOfTexts = types.every((type) => known(type.element) === "str");
  if (isOfTexts && (operation === "equal" || operation === "notEqual")) {
    const axes = axesOfElementwise(place, operation, operands, types, span);
    return axes
      ? { kind: "apply", operation, operands, type: tensor(element("bool"), axes), span }
      : wrongAt(span);
  }
  if (text && comparisons.has(operation)) {
    const other =
      operands.find(
        (each) => each !== text && known((each.type as TensorType).element) !== "str",
      ) ?? text;
    return refuse(
      place,
      "E0401",
      `a text is compared with a text, this is ${showType(other.type)}`,
      other.span,
      {
        ...(other === text ? {} : interpolated("make a text of it", other.span)),
      },
    );
  }
  if (text) {
    const count = operands.find((each) => isIntegerScalar(each.type));
    return refuse(
      place,
      "E0401",
      `${quotedName(operation)} works on numbers, this is ${showType(text.type)}`,
      text.span,
      {
        ...(operation === "multiply" && count
          ? write(span, `${textOf(text.span)}.repeat(${textOf(count.span)})`)
          : {}),
      },
    );
  }

  const cells = new Map<string, { cell: Element; operand: Typed }>();
  for (const [k, wanted] of signature.operands.entries()) {
    const operand = operands[k]!;
    const cell = types[k]!.element;
    const held = cells.get(wanted);
    if (!held) {
      const accepts = signature.accepts[wanted as "T"];
      if (accepts) {
        if (!constrain(cell, accepts))
          return doesNotAccept(place, operation, operand, accepts, span);
      } else if (!unify(cell, element(wanted as "bool"))) {
        return refuse(
          place,
          "E0401",
          `${quotedName(operation)} wants ${wanted} here, this is ${showElement(cell)}`,
          operand.span,
        );
      }
      cells.set(wanted, { cell, operand });
    } else if (!unify(held.cell, cell)) {
      return doNotMix(place, operation, held.operand, operand, span);
    }
  }

  const since = place.checker.agreements.length;
  const axes = axesOfElementwise(place, operation, operands, types, span);
  if (!axes) return wrongAt(span);
  const met = place.arrays ? place.checker.agreements.slice(since) : [];
  const result = signature.result === "T" ? cells.get("T")!.cell : element(signature.result);
  const agreements = met.length > 0 ? { agreements: met } : {};
  return { kind: "apply", operation, operands, ...agreements, type: tensor(result, axes), span };
}

const arithmetic: ReadonlySet<OperationName> = new Set<OperationName>([
  "add",
  "subtract",
  "multiply",
  "divide",
  "remainder",
  "power",
  "negate",
]);

/** Whether an operand is a free coordinate of the signature. */
function isFreeCoordinate({ standing }: Place, operand: Typed): boolean {
  if (!standing || operand.kind !== "integer") return false;
  return [...standing].some((v) => equal(operand.term, ofVariable(v)));
}

/** The element type that the other operands ask for. */
function decidedAmong(types: readonly TensorType[]): string {
  const asked = types
    .map((type) => known(type.element))
    .find((type) => type !== undefined && type !== "i32");
  return asked ?? "i32";
}

function positionAsNumber(place: Place, { span }: Typed, type: string): Typed {
  const name = textOf(span);
  return refuse(
    place,
    "E0311",
    `\`${name}\` is a coordinate of the signature, not a number`,
    span,
    {
      help: `write \`extent(${name})\` for its size, \`${name} as ${type}\` for the position`,
      fixes: [
        fix(`write \`extent(${name})\``, replace(span, `extent(${name})`)),
        fix(`write \`${name} as ${type}\``, replace(span, `(${name} as ${type})`)),
      ],
    },
  );
}

/**
 * Restricts an element type to a class. An integer literal becomes a float where the class is
 * float.
 */
export function constrain(cell: Element, accepts: ElementClass): boolean {
  if (!mayBe(cell, (type) => belongsTo(type, accepts))) return false;
  if (known(cell)) return true;
  if (accepts === "float") return unify(cell, literalElement("float"));
  if (accepts === "bool") return unify(cell, element("bool"));
  return true;
}

function doesNotAccept(
  place: Place,
  operation: OperationName,
  operand: Typed,
  accepts: ElementClass,
  span: Span,
): Typed {
  const have = showElement((operand.type as TensorType).element);
  const isInteger = belongsTo(decided((operand.type as TensorType).element), "integer");
  const text = castTextOf(operand, "f32");
  const { labels = [], ...cast }: CastRepair =
    accepts === "float" && isInteger
      ? (repairOfOrigin(operand, "f32", text) ?? write(operand.span, text))
      : {};
  return refuse(
    place,
    "E0401",
    `${quotedName(operation)} wants ${classNames[accepts]}, this is ${have}`,
    operand.span,
    {
      labels: [...(operand.span === span ? [] : [{ span, text: "for this operation" }]), ...labels],
      ...cast,
    },
  );
}

function doNotMix(
  place: Place,
  operation: OperationName,
  left: Typed,
  right: Typed,
  span: Span,
): Typed {
  const a = (left.type as TensorType).element;
  const b = (right.type as TensorType).element;
  const [narrow, wide] = castsLeft(a, b) ? [left, b] : [right, a];
  const { labels = [], ...cast } = castRepairOf(narrow, wide, operation, [left, right]);
  return refuse(
    place,
    "E0401",
    `${quotedName(operation)} cannot mix ${showElement(a)} and ${showElement(b)}`,
    span,
    {
      labels: [
        { span: left.span, text: `this is ${showElement(a)}` },
        { span: right.span, text: `this is ${showElement(b)}` },
        ...labels,
      ],
      ...cast,
    },
  );
}

/**
 * Whether a cast of the left operand is the usual repair. Integers are cast to floats, and f32 to
 * f64.
 */
function castsLeft(left: Element, right: Element): boolean {
  const [a, b] = [decided(left), decided(right)];
  if (isFloat(a) !== isFloat(b)) return isFloat(b);
  return b === "f64" || b === "i64";
}

function castRepairOf(
  operand: Typed,
  to: Element,
  within: OperationName,
  both: readonly Typed[],
): CastRepair {
  const type = decided(to);
  if (within === "and" || within === "or") return asCondition(both);
  if (type === "bool" || type === "str" || decided((operand.type as TensorType).element) === "str")
    return {};
  const cast = castTextOf(operand, type);
  const origin = repairOfOrigin(operand, type, cast);
  if (origin) return origin;
  // `**` binds tighter than `as`.
  if (within === "power") return write(operand.span, `(${cast})`);
  const { notation } = operations[within];
  const repair = write(operand.span, cast);
  if (notation.kind !== "infix" || !/^[*/%]$/.test(notation.symbol)) return repair;
  const texts = both.map((each) => (each === operand ? cast : textOf(each.span)));
  const whole = texts.join(` ${notation.symbol} `);
  const isShort = whole.length <= longest && !whole.includes("\n");
  const help = isShort ? `write \`${whole}\`` : repair.help!;
  return { ...repair, help: `${help}: \`as\` binds tighter than \`${notation.symbol}\`` };
}

/**
 * The repair for a number in `&&` or `||`: `x[0] != 0`. In other languages any number but 0 is
 * true.
 */
function asCondition(both: readonly Typed[]): CastRepair {
  const elementOf = (each: Typed): ElementType => decided((each.type as TensorType).element);
  const number = both.find((each) => elementOf(each) !== "bool" && elementOf(each) !== "str");
  if (!number) return {};
  const isClosed = number.kind !== "apply" || isInBrackets(textOf(number.span));
  const text = isClosed ? textOf(number.span) : `(${textOf(number.span)})`;
  return write(number.span, `${text} != ${isFloat(elementOf(number)) ? "0.0" : "0"}`);
}

/** The longest expression that a help text repeats. */
const longest = 60;

function castTextOf(operand: Typed, type: string): string {
  const text = textOf(operand.span);
  const compound =
    operand.kind === "apply" && operations[operand.operation].notation.kind !== "call";
  return compound && !isInBrackets(text) ? `(${text}) as ${type}` : `${text} as ${type}`;
}

/** Whether one pair of brackets encloses a text. */
function isInBrackets(text: string): boolean {
  let open = 0;
  const closes = [...text].findIndex((sign) => {
    if (sign === "(") open++;
    if (sign === ")") open--;
    return open === 0;
  });
  return text.startsWith("(") && closes === text.length - 1;
}

function quotedName(operation: OperationName): string {
  const { notation } = operations[operation];
  return notation.kind === "if"
    ? "`if`"
    : `\`${notation.kind === "call" ? notation.name : notation.symbol}\``;
}

/** A part of an expression with the indices that it lacks: `soft[k](a[k])[k]`. */
export function indexedPart(value: Typed, fallback: readonly string[] = []): string {
  let at = value;
  for (let inner: Typed | undefined = at; inner?.kind === "apply";) {
    inner = inner.operands.find(
      (operand) => operand.type.kind === "tensor" && operand.type.axes.length > 0,
    );
    if (inner) at = inner;
  }
  const axes = at.type.kind === "tensor" ? at.type.axes : [];
  const text = textOf(at.span);
  const names = axes.map((axis, k) => axis.name ?? fallback[k] ?? "ijklmnpq"[k] ?? "i").join(", ");
  return `\`${/^[\w[\]().,: ]+$/.test(text) ? text : `(${text})`}[${names}]\``;
}

/**
 * The axes of an elementwise operation: tensors of one shape, and scalars at every cell. Different
 * shapes are reported.
 */
function axesOfElementwise(
  place: Place,
  operation: OperationName,
  operands: readonly Typed[],
  types: readonly TensorType[],
  span: Span,
): readonly Axis[] | undefined {
  let axes: readonly Axis[] = [];
  let first: Typed | undefined;
  for (const [k, type] of types.entries()) {
    if (type.axes.length === 0) continue;
    if (!first) {
      axes = type.axes;
      first = operands[k]!;
    } else if (axes.length !== type.axes.length) {
      report(
        place,
        "E0403",
        `${quotedName(operation)} of a rank-${axes.length} and a rank-${type.axes.length} tensor ` +
          "needs indices",
        span,
        {
          labels: [shapeLabel(first, axes), shapeLabel(operands[k]!, type.axes)],
          ...indexedForm(operation, operands, types, span),
        },
      );
      return undefined;
    } else {
      const other = operands[k]!;
      const held = first;
      const agree = axes.every((axis, n) =>
        mustAgree(place, axis, type.axes[n]!, span, () => {
          report(place, "E0403", `${quotedName(operation)} of tensors of different shapes`, span, {
            labels: [shapeLabel(held, axes), shapeLabel(other, type.axes)],
            ...indexedForm(operation, operands, types, span),
          });
        }),
      );
      if (!agree) return undefined;
      axes = withCommonNames(axes, type.axes);
    }
  }
  return axes;
}

/** The axes of the result. An axis keeps its name if both operands agree about it. */
function withCommonNames(a: readonly Axis[], b: readonly Axis[]): readonly Axis[] {
  return a.map((axis, k) => (axis.name === b[k]!.name ? axis : { ...axis, name: undefined }));
}

function shapeLabel(operand: Typed, axes: readonly Axis[]): { span: Span; text: string } {
  return {
    span: operand.span,
    text: `shape [${axes.map((a) => (a.extent ? show(a.extent) : "?")).join(", ")}]`,
  };
}

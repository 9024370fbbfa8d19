// Converts between values and the scalars that they are made of. Arguments and results of instances
// are passed as scalars while the program runs:
//
//   (1.5, [2.0, 3.0])      two scalars: 1.5, and a reference to the cells of the array

import { zero, type Term } from "../../../affine/term.ts";
import { integerValue } from "../../values/integer-value.ts";
import { arrayBehind, keptCells } from "../../data/arrays.ts";
import { type Checker, wrongAt } from "../../context.ts";
import { boxedIn, functionsIn, membersOf, windowOf } from "../../values/tuples.ts";
import type { Typed } from "../../types/typed.ts";
import {
  decided,
  element,
  scalar,
  tensor,
  type Axis,
  type Element,
  type ListType,
  type TensorType,
  type Type,
} from "../../types/types.ts";
import { windowOver } from "../../data/rows/windows.ts";
import { elementsOf } from "../../data/forms.ts";
import { inReferences, emptyBox } from "../../data/references.ts";
import type { Form, BoxedForm } from "../../data/form.ts";

/** The scalars of a value, in the order of its form. */
export function scalarsOfValue(value: Typed, form: Form): readonly Typed[] {
  switch (form.kind) {
    case "fixed":
      return [];
    case "scalar":
      if (value.type.kind !== "absent") return [value];
      return [unusedScalar(form.element, value)];
    case "boxed":
      return [boxOf(value, form)];
    case "functions":
      return functionsIn(value)!.codes.flatMap((code, k) => scalarsOfValue(code, form.codes[k]!));
    case "array":
    case "references": {
      if (value.type.kind === "absent")
        return elementsOf(form).map((cell) => unusedScalar(cell, value));
      const cells = form.kind === "array" ? value : boxedIn(form.of.completed(value))!.box;
      const { axes } = cells.type as TensorType;
      const extents =
        form.rank === 1 ? [] : axes.map((axis) => integerValue(axis.extent ?? zero, value.span));
      return [keptCells(cells), ...extents];
    }
    case "window": {
      const { from, length } = windowOf(value)!;
      return [from, length];
    }
    case "parts": {
      const members =
        value.type.kind === "absent" ? form.members.map(() => value) : membersOf(value)!;
      const { type } = value;
      return form.members.flatMap((member, k) =>
        scalarsOfValue(
          type.kind === "list" ? asLongAsList(members[k]!, member, type.axes) : members[k]!,
          member,
        ),
      );
    }
    default:
      return form satisfies never;
  }
}

/** A payload that no element of a list has: an array of empty values, as long as the list. */
function asLongAsList(value: Typed, form: Form, axes: readonly Axis[]): Typed {
  if (value.type.kind !== "absent") return value;
  const { span } = value;
  if (form.kind === "parts")
    return {
      kind: "tuple",
      members: form.members.map((member) => asLongAsList(value, member, axes)),
      type: form.type,
      span,
    };
  if (form.kind === "references")
    return inReferences(form.of, { ...emptyBox(span), type: tensor(element("data"), axes) }, span);
  if (form.kind !== "array") return value;
  const extentsBehind = Array.from({ length: form.rank - axes.length }, (): Axis => ({
    extent: zero,
  }));
  const cell = decided(form.element);
  const type = tensor(form.element, [...axes, ...extentsBehind]);
  return cell === "str"
    ? { kind: "text", parts: [], type, span }
    : { kind: "constant", value: cell === "bool" ? false : 0, type, span };
}

/** A scalar for the payload of another variant. It is never read. */
function unusedScalar(cell: Element, { span }: Typed): Typed {
  const type = decided(cell);
  if (type === "data") return emptyBox(span);
  if (type === "str") return { kind: "text", parts: [], type: scalar("str"), span };
  return { kind: "constant", value: type === "bool" ? false : 0, type: scalar(cell), span };
}

/** The value that is made of some scalars; the inverse of `scalarsOfValue`. */
export function valueOfScalars(
  checker: Checker,
  form: Form,
  scalars: readonly Typed[],
  span: Typed["span"],
): Typed {
  let position = 0;
  const nextValue = (inner: Form): Typed => {
    switch (inner.kind) {
      case "scalar":
        return scalars[position++]!;
      case "boxed":
        return { kind: "boxed", box: scalars[position++]!, form: inner, type: inner.type, span };
      case "array": {
        const box = scalars[position++]!;
        const extents = inner.rank === 1 ? [] : scalars.slice(position, (position += inner.rank));
        return arrayBehind(checker, box, inner.element, extents, span);
      }
      case "references": {
        const box = scalars[position++]!;
        const extents = inner.rank === 1 ? [] : scalars.slice(position, (position += inner.rank));
        return inReferences(
          inner.of,
          arrayBehind(checker, box, element("data"), extents, span),
          span,
        );
      }
      case "window": {
        const [from, length] = [scalars[position++]!, scalars[position++]!];
        return windowOver(
          { base: inner.base, from, length },
          { extent: termOfParameter(length) },
          span,
        );
      }
      case "functions": {
        const codes = inner.codes.map(nextValue);
        return { ...inner.of, codes, type: ofOwnLength(inner.of.type, codes), span };
      }
      case "fixed":
        return { ...inner.value, span };
      case "parts": {
        const members = inner.members.map(nextValue);
        return { kind: "tuple", members, type: ofOwnLength(inner.type, members), span };
      }
      default:
        return inner satisfies never;
    }
  };
  return nextValue(form);
}

/** The type of a list, with the length of the arrays that hold its parts. */
export function ofOwnLength(type: Type, members: readonly Typed[]): Type {
  if (type.kind !== "list") return type;
  const first = members.find(
    (member) => member.type.kind === "tensor" || member.type.kind === "list",
  );
  const { axes } = (first?.type ?? type) as TensorType | ListType;
  return { ...type, axes: axes.slice(0, type.axes.length) };
}

function termOfParameter(value: Typed): Term {
  return value.kind === "reference" && value.binding.kind === "value" && value.binding.term
    ? value.binding.term
    : zero;
}

/** A reference to a value. A value that is a reference already keeps it. */
export function boxOf(value: Typed, form: BoxedForm): Typed {
  const { span } = value;
  if (value.type.kind === "absent") return emptyBox(span);
  const boxed = boxedIn(form.completed(value));
  if (boxed) return boxed.box;
  const inside = form.inside();
  if (!inside) return wrongAt(span);
  const operands = scalarsOfValue(value, inside);
  const { layout } = form;
  const box: Typed = {
    kind: "data",
    function: "box",
    operands,
    member: 0,
    layout,
    type: scalar("data"),
    span,
  };
  valuesBehind.set(box, value);
  return box;
}

const valuesBehind = new WeakMap<Typed, Typed>();

/** The value that a reference was made of, if it was made here. */
export function valueBehind(box: Typed): Typed | undefined {
  return valuesBehind.get(box);
}

// Between values and the scalars that they are made of: how arguments and results are passed while
// the program runs. A value by reference is one scalar, its box.

import { zero, type Term } from "../../../affine/term.ts";
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

/** The scalars of a value, in order. */
export function spread(value: Typed, form: Form): readonly Typed[] {
  switch (form.kind) {
    case "fixed":
      return [];
    case "scalar":
      if (value.type.kind !== "absent") return [value];
      return [none(form.element, value)];
    case "boxed":
      return [boxOf(value, form)];
    case "functions":
      return functionsIn(value)!.codes.flatMap((code, k) => spread(code, form.codes[k]!));
    case "array":
    case "references": {
      if (value.type.kind === "absent") return elementsOf(form).map((cell) => none(cell, value));
      const cells = form.kind === "array" ? value : boxedIn(form.of.completed(value))!.box;
      const { axes } = cells.type as TensorType;
      const extents =
        form.rank === 1 ? [] : axes.map((axis) => integer(axis.extent ?? zero, value));
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
        spread(type.kind === "list" ? filled(members[k]!, member, type.axes) : members[k]!, member),
      );
    }
    default:
      return form satisfies never;
  }
}

/** A payload that no element of a list has is as long as the list. */
function filled(value: Typed, form: Form, axes: readonly Axis[]): Typed {
  if (value.type.kind !== "absent") return value;
  const { span } = value;
  if (form.kind === "parts")
    return {
      kind: "tuple",
      members: form.members.map((member) => filled(value, member, axes)),
      type: form.type,
      span,
    };
  if (form.kind === "references")
    return inReferences(form.of, { ...emptyBox(span), type: tensor(element("data"), axes) }, span);
  if (form.kind !== "array") return value;
  const behind = Array.from({ length: form.rank - axes.length }, (): Axis => ({ extent: zero }));
  const cell = decided(form.element);
  const type = tensor(form.element, [...axes, ...behind]);
  return cell === "str"
    ? { kind: "text", parts: [], type, span }
    : { kind: "constant", value: cell === "bool" ? false : 0, type, span };
}

/** Stands where a variant has no payload; nothing looks at it. */
function none(cell: Element, { span }: Typed): Typed {
  const type = decided(cell);
  if (type === "data") return emptyBox(span);
  if (type === "str") return { kind: "text", parts: [], type: scalar("str"), span };
  return { kind: "constant", value: type === "bool" ? false : 0, type: scalar(cell), span };
}

function integer(term: Term, { span }: Typed): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}

/** The value that scalars stand for. */
export function gathered(
  checker: Checker,
  form: Form,
  scalars: readonly Typed[],
  span: Typed["span"],
): Typed {
  let at = 0;
  const next = (inner: Form): Typed => {
    switch (inner.kind) {
      case "scalar":
        return scalars[at++]!;
      case "boxed":
        return { kind: "boxed", box: scalars[at++]!, form: inner, type: inner.type, span };
      case "array": {
        const box = scalars[at++]!;
        const extents = inner.rank === 1 ? [] : scalars.slice(at, (at += inner.rank));
        return arrayBehind(checker, box, inner.element, extents, span);
      }
      case "references": {
        const box = scalars[at++]!;
        const extents = inner.rank === 1 ? [] : scalars.slice(at, (at += inner.rank));
        return inReferences(
          inner.of,
          arrayBehind(checker, box, element("data"), extents, span),
          span,
        );
      }
      case "window": {
        const [from, length] = [scalars[at++]!, scalars[at++]!];
        return windowOver(
          { base: inner.base, from, length },
          { extent: termOfParameter(length) },
          span,
        );
      }
      case "functions": {
        const codes = inner.codes.map(next);
        return { ...inner.of, codes, type: ofOwnLength(inner.of.type, codes), span };
      }
      case "fixed":
        return { ...inner.value, span };
      case "parts": {
        const members = inner.members.map(next);
        return { kind: "tuple", members, type: ofOwnLength(inner.type, members), span };
      }
      default:
        return inner satisfies never;
    }
  };
  return next(form);
}

/** A list is as long as the arrays of its parts. */
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

/** The reference to a value: its own, or one to its parts. */
export function boxOf(value: Typed, form: BoxedForm): Typed {
  const { span } = value;
  if (value.type.kind === "absent") return emptyBox(span);
  const boxed = boxedIn(form.completed(value));
  if (boxed) return boxed.box;
  const inside = form.inside();
  if (!inside) return wrongAt(span);
  const operands = spread(value, inside);
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
  behind.set(box, value);
  return box;
}

const behind = new WeakMap<Typed, Typed>();

/** What a reference was made of, where it is made here. */
export function valueBehind(box: Typed): Typed | undefined {
  return behind.get(box);
}

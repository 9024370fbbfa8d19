// The pieces of printed text: text, values of definitions, formatted groups, and choices between
// pieces.

import { knownTruth } from "../check/expressions/conditions.ts";
import { choicesIn } from "../check/data/patterns/is-variant.ts";
import { boxedIn, functionsIn, membersOf } from "../check/values/tuples.ts";
import type { Boxed, Typed } from "../check/types/typed.ts";
import {
  decided,
  element,
  scalar,
  tensor,
  type DataType,
  type ListType,
} from "../check/types/types.ts";
import { textOf } from "../base/source.ts";
import { declare, type Site } from "./site.ts";
import { define } from "./forms.ts";
import { whole } from "./lower.ts";
import type { Definition, HostPart } from "../ir/program.ts";

/** The pieces of a value. `walked` says how many axes of the lists around it are walked already. */
export function hostParts(site: Site, value: Typed, walked = 0): readonly HostPart[] {
  const { type } = value;
  const boxed = boxedIn(value);
  if (boxed) return boxedParts(site, boxed, walked);
  // Such a payload exists in no value, and the choice that would show it is never taken.
  if (type.kind === "absent") return [];
  if (type.kind === "function") return [text(functionText(value))];
  if (type.kind === "tuple") return inBrackets(site, "(", membersOf(value)!, walked);
  if (type.kind === "data") return dataParts(site, type, membersOf(value)!, walked);
  if (type.kind === "list") return listParts(site, value, type, walked);
  if (type.kind === "jagged") {
    const parts = membersOf(value)!.map((member) => whole({ ...site, owner: "printed" }, member));
    return [{ kind: "rows", starts: parts.slice(0, -1), flat: parts.at(-1)! }];
  }
  switch (value.kind) {
    case "text":
      return value.parts.flatMap((part): readonly HostPart[] => {
        if (typeof part === "string") return [text(part)];
        if ("derivation" in part) {
          const { of, wrt, names } = part.derivation;
          const by = wrt ? { wrt: define(site, wrt).definition } : {};
          return [{ kind: "derivation", of: whole(site, of), ...by, ...(names ? { names } : {}) }];
        }
        const parts = hostParts(site, part.value);
        return part.format === undefined
          ? parts
          : [{ kind: "formatted", parts, format: part.format }];
      });
    case "tuple":
      return inBrackets(site, "(", value.members, walked);
    case "block":
      declare(site, value.bindings);
      return isText(value.value) ? hostParts(site, value.value) : numbers(site, value);
    case "reference":
      if (value.binding.kind === "value" && value.binding.value && isText(value.binding.value))
        return hostParts(site, value.binding.value);
      return numbers(site, value);
    case "select":
      if (!isText(value.then)) return numbers(site, value);
      return choice(
        site,
        value.condition,
        () => hostParts(site, value.then),
        () => hostParts(site, value.otherwise),
      );
    default:
      return numbers(site, value);
  }
}

/** The text of a value behind a reference. A list of references has a text for each. */
function boxedParts(
  site: Site,
  { box, form, type, span }: Boxed,
  walked: number,
): readonly HostPart[] {
  const axes = box.type.kind === "tensor" ? box.type.axes : [];
  const { layout } = form;
  const shown: Typed = {
    kind: "data",
    function: "show",
    operands: [box],
    member: 0,
    layout,
    type: tensor(element("str"), axes),
    span,
  };
  const parts = numbers(site, shown);
  if (type.kind !== "list") return parts;
  const over = whole({ ...site, owner: "printed" }, box);
  return eachAlong(over, type.axes.length - walked, parts);
}

function text(content: string): HostPart {
  return { kind: "text", text: content };
}

/** Quotes a text that is a part of something, so that its ends can be seen. */
function memberParts(site: Site, member: Typed, walked: number): readonly HostPart[] {
  const parts = hostParts(site, member, walked);
  return member.type.kind === "tensor" && isText(member) ? [{ kind: "quoted", parts }] : parts;
}

function inBrackets(
  site: Site,
  open: string,
  members: readonly Typed[],
  walked: number,
): readonly HostPart[] {
  const inside = members.flatMap((member, k) => [
    ...(k === 0 ? [] : [text(", ")]),
    ...memberParts(site, member, walked),
  ]);
  return [text(open), ...inside, text(")")];
}

/** The pieces of an element, once for each position of the list's axes. */
function listParts(site: Site, value: Typed, type: ListType, walked: number): readonly HostPart[] {
  const functions = functionsIn(value);
  if (functions) return [text(textOf(functions.span))];
  const members = membersOf(value)!;
  const leaf = firstTensor(value);
  if (!leaf) return [text("[]")];
  const over = whole({ ...site, owner: "printed" }, leaf);
  // A position of a list of references holds one reference.
  const parts = members.map((member): Typed => {
    const boxed = boxedIn(member);
    if (functionsIn(member))
      return { ...member, kind: "absent", type: { kind: "function", arity: 0 } };
    return boxed ? { ...boxed, type: boxed.form.type } : member;
  });
  const { length } = type.axes;
  const cells =
    type.of.kind === "data"
      ? dataParts(site, type.of, parts, length)
      : inBrackets(site, "(", parts, length);
  return eachAlong(over, length - walked, cells);
}

/** The pieces of an element, repeated along so many axes. */
function eachAlong(
  over: Definition,
  axes: number,
  parts: readonly HostPart[],
): readonly HostPart[] {
  return axes <= 0 ? parts : [{ kind: "each", over, parts: eachAlong(over, axes - 1, parts) }];
}

function firstTensor(value: Typed): Typed | undefined {
  if (value.type.kind === "tensor") return value;
  const boxed = boxedIn(value);
  if (boxed) return boxed.box;
  const functions = functionsIn(value);
  if (functions) return functions.codes[0];
  for (const member of membersOf(value) ?? []) {
    const found = firstTensor(member);
    if (found) return found;
  }
  return undefined;
}

/** A struct or enum as a program writes it. */
function dataParts(
  site: Site,
  type: DataType,
  members: readonly Typed[],
  walked: number,
): readonly HostPart[] {
  const { of } = type;
  if (of.declaration.kind === "struct") {
    const inside = of.declaration.fields.flatMap(({ name }, k) => [
      text(`${k === 0 ? "" : ", "}${name.text}: `),
      ...memberParts(site, members[k]!, walked),
    ]);
    return [text(`${of.name} { `), ...inside, text(" }")];
  }
  const { variants } = of.declaration;
  const from = (index: number): number =>
    variants.slice(0, index).reduce((at, { fields }) => at + fields.length, 1);
  const shown = (index: number): readonly HostPart[] => {
    const { name, fields } = variants[index]!;
    const title = `${of.name}::${name.text}`;
    const payload = members.slice(from(index), from(index) + fields.length);
    return fields.length === 0 ? [text(title)] : inBrackets(site, `${title}(`, payload, walked);
  };
  const among = (tag: Typed): readonly HostPart[] => {
    // Each variant is shown in one place, whichever choices lead to it.
    if (choicesIn(tag) >= variants.length) return variantsFrom(0, tag);
    switch (tag.kind) {
      case "select":
        return choice(
          site,
          tag.condition,
          () => among(tag.then),
          () => among(tag.otherwise),
        );
      case "block":
        declare(site, tag.bindings);
        return among(tag.value);
      case "reference":
        if (tag.binding.kind === "value" && tag.binding.value) return among(tag.binding.value);
        return variantsFrom(0, tag);
      case "constant":
        return shown(Number(tag.value));
      default:
        return variantsFrom(0, tag);
    }
  };
  const variantsFrom = (index: number, tag: Typed): readonly HostPart[] =>
    index === variants.length - 1
      ? shown(index)
      : choice(
          site,
          isTag(tag, index),
          () => shown(index),
          () => variantsFrom(index + 1, tag),
        );
  return among(members[0]!);
}

function isTag(tag: Typed, index: number): Typed {
  const wanted: Typed = { kind: "constant", value: index, type: scalar("i32"), span: tag.span };
  const axes = tag.type.kind === "tensor" ? tag.type.axes : [];
  return {
    kind: "apply",
    operation: "equal",
    operands: [tag, wanted],
    type: tensor(element("bool"), axes),
    span: tag.span,
  };
}

type Parts = () => readonly HostPart[];

function choice(site: Site, condition: Typed, then: Parts, otherwise: Parts): readonly HostPart[] {
  const known = knownTruth(condition);
  if (known !== undefined) return known ? then() : otherwise();
  const definition = whole({ ...site, owner: "branch" }, condition);
  return [{ kind: "choice", condition: definition, then: then(), otherwise: otherwise() }];
}

/** A function as the program writes it. */
function functionText(value: Typed): string {
  switch (value.kind) {
    case "closure":
      return typeof value.callee === "string" ? value.callee : value.callee.name;
    case "block":
      return functionText(value.value);
    case "reference":
      return value.binding.kind === "value" && value.binding.value
        ? functionText(value.binding.value)
        : "a function";
    default:
      return "a function";
  }
}

function numbers(site: Site, value: Typed): readonly HostPart[] {
  return [{ kind: "value", definition: whole({ ...site, owner: "printed" }, value) }];
}

/** Whether a value is text, which lives outside of the definitions. */
function isText({ type }: Typed): boolean {
  return type.kind !== "tensor" || decided(type.element) === "str";
}

// Types as a session shows them. Every axis has its name and its extent, as in
// `[f32; row: 3, out: 2]`. A function is shown by its head.

import type { FunctionBinding } from "../check/names/scope.ts";
import {
  decided,
  showRagged,
  showType,
  type Axis,
  type DataType,
  type Type,
} from "../check/types/types.ts";
import { show } from "../affine/show.ts";
import { textOf } from "../base/source.ts";

export function typeText(type: Type): string {
  switch (type.kind) {
    case "tensor": {
      const element = decided(type.element);
      return type.axes.length === 0
        ? element
        : `[${element}; ${type.axes.map(axisText).join(", ")}]`;
    }
    case "tuple":
      return `(${type.members.map(typeText).join(", ")})`;
    case "data":
      return dataText(type);
    case "list":
      return `[${typeText(type.of)}; ${type.axes.map(axisText).join(", ")}]`;
    case "jagged":
      return showRagged(type);
    case "function":
      return showType(type);
    case "range":
      return "a range";
    case "unit":
      return "nothing";
    case "absent":
    case "error":
      return "_";
    default:
      return type satisfies never;
  }
}

/** `row: 3`, or only the name if the extent is known by the same name. */
function axisText({ name, extent }: Axis): string {
  const size = extent ? show(extent) : "?";
  return name === undefined || name === size ? size : `${name}: ${size}`;
}

function dataText({ of, arguments: given }: DataType): string {
  return given.length === 0 ? of.name : `${of.name}<${given.map(typeText).join(", ")}>`;
}

/** The declaration of the function, up to its body. */
export function functionHead({ declaration }: FunctionBinding): string {
  const { span, body } = declaration;
  return textOf({ ...span, end: body.span.start })
    .replaceAll(/\s+/g, " ")
    .trim();
}

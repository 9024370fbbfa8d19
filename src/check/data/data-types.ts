// Matches values with declared types that are no tensors: type parameters, enums and structs,
// tuples, functions, lists and ragged rows.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import { annotation } from "../types/annotations.ts";
import { report, type Place } from "../context.ts";
import { dataAt } from "./data-at.ts";
import { matchAxes, matchParameter } from "../calls/signatures.ts";
import { holdsFunctions, membersOf } from "../values/tuples.ts";
import type { Typed } from "../types/typed.ts";
import { scalar, showType, type Type } from "../types/types.ts";
import { elementAt } from "./lists.ts";
import { newUnknown } from "../calls/stand-ins.ts";
import {
  fitsDeclared,
  fitsFields,
  fitsFunction,
  fitsFunctions,
} from "../calls/held/fitting-functions.ts";
import type { Bound } from "../calls/bound.ts";
import { sameType, mergedType } from "../types/same-type.ts";

/**
 * Whether a value fits a declared type; a mistake is reported. Undefined if the type is for tensors
 * and scalars.
 */
export function matchData(
  place: Place,
  bound: Bound,
  type: ast.Type,
  value: Typed,
  what: string,
): boolean | undefined {
  if (value.type.kind === "absent") return true;
  const refuseType = (declared: string): false => {
    report(
      place,
      "E0411",
      `${what} is ${showType(value.type)}, ${declared} is declared`,
      value.span,
      {
        labels: [{ span: type.span, text: "declared here" }],
      },
    );
    return false;
  };
  switch (type.kind) {
    case "named": {
      const name = type.path.at(-1)!.text;
      const parameter = type.path.length === 1 ? bound.generics?.get(name) : undefined;
      if (parameter) {
        if (!sameType(place, parameter, value.type))
          return refuseType(`${showType(parameter)} for \`${name}\``);
        if (parameter.kind === "function" && parameter.declared && value.type.kind === "function")
          return fitsDeclared(place, parameter.declared, value);
        bound.generics!.set(name, mergedType(parameter, value.type));
        return true;
      }
      const of = dataAt(place, { kind: "path", segments: type.path, span: type.span });
      if (of === "wrong") return false;
      if (!of) return undefined;
      if (value.type.kind !== "data" || value.type.of.declaration !== of.declaration)
        return refuseType(`\`${name}\``);
      const own = value.type.arguments;
      const fits = type.arguments.every((argument, k) =>
        own[k]
          ? matchParameter(place, bound, argument, absentOf(value, own[k]), `a part of ${what}`)
          : true,
      );
      if (!fits || type.arguments.length === 0 || !holdsFunctions(value)) return fits;
      return fitsFields(place, bound, type, of, value);
    }
    case "tuple": {
      const { members } = type;
      if (value.type.kind !== "tuple" || value.type.members.length !== members.length)
        return refuseType("a tuple");
      const own = membersOf(value) ?? value.type.members.map((member) => absentOf(value, member));
      return members.every((member, k) =>
        matchParameter(place, bound, member, own[k]!, `member ${k} of ${what}`),
      );
    }
    case "function":
      if (value.type.kind !== "function") return refuseType(`\`${textOf(type.span)}\``);
      return fitsFunction(place, bound, type, value);
    case "jagged": {
      const declared = annotation(place, type);
      if (declared.kind !== "jagged") return false;
      return sameType(place, value.type, declared) || refuseType(showType(declared));
    }
    case "tensor":
      if (value.type.kind !== "list") {
        const { element } = type;
        if (element.kind === "function") return refuseType(`\`${textOf(type.span)}\``);
        const of =
          element.kind === "named" &&
          dataAt(place, { kind: "path", segments: element.path, span: element.span });
        return of && of !== "wrong" ? refuseType(`an array of ${of.name}`) : undefined;
      }
      return (
        matchElements(place, bound, type, value, value.type.of, what) &&
        matchAxes(
          place,
          bound,
          type.dims ?? [{ kind: "unknown", span: type.span }],
          value,
          value.type.axes,
          what,
          type.span,
        )
      );
    case "missing":
      return undefined;
    default:
      return type satisfies never;
  }
}

/**
 * Whether the elements of a list fit. Functions are checked one by one, because their type does not
 * say what they take and give.
 */
function matchElements(
  place: Place,
  bound: Bound,
  type: Extract<ast.Type, { kind: "tensor" }>,
  value: Typed,
  of: Type,
  what: string,
): boolean {
  const { element } = type;
  if (element.kind === "function" && of.kind === "function")
    return fitsFunctions(place, bound, element, value);
  const members = element.kind === "tuple" && holdsFunctions(value) ? membersOf(value) : undefined;
  if (element.kind === "tuple" && members && element.members.length === members.length)
    return element.members.every((member, k) =>
      matchParameter(
        place,
        bound,
        { ...type, element: member },
        members[k]!,
        `member ${k} of ${what}`,
      ),
    );
  const anyElement =
    element.kind === "named" && holdsFunctions(value)
      ? someElement(place, value)
      : absentOf(value, of);
  return matchParameter(place, bound, element, anyElement, `an element of ${what}`);
}

/** Any element of an array. Its functions are all functions that some element has. */
function someElement(place: Place, value: Typed): Typed {
  const axes = value.type.kind === "list" ? value.type.axes : [];
  const indices = axes.map(() => newUnknown(scalar("i32"), value.span));
  return elementAt(
    place,
    value,
    indices,
    value.span,
    axes.map(() => value.span),
  );
}

/** A stand-in for a value of some type. */
function absentOf(value: Typed, type: Typed["type"]): Typed {
  return { kind: "absent", type, span: value.span };
}

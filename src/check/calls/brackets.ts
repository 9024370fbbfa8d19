// The bracket of a call, `f[class](x[b, class])`: it decides which axes of the arguments the
// coordinate parameters take, and how the axes of the result are called outside.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import type { Call } from "./arguments.ts";
import { report, type Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";
import { tensor, type Axis, type TensorType, type Type } from "../types/types.ts";
import type { Bound } from "./bound.ts";
import { withDeclaredAxisNames } from "../types/relabelled.ts";

/** The parts of a call that are written in the program. */
export type Bracketed = Pick<Call, "callee" | "named" | "e">;

/** The meaning of the names of a signature before any argument is matched. */
export function newBound(call: Bracketed): Omit<Bound, "words"> {
  const coordinates = new Set(call.callee.declaration.coordinates.map(({ name }) => name.text));
  return {
    axes: new Map(),
    packs: new Map(),
    named: call.named,
    coordinates,
    call: call.e,
    ...(call.callee.declaration.result ? { result: call.callee.declaration.result } : {}),
    ...fullCall(call),
  };
}

/** The text of a help if the call names only some of the coordinate parameters. */
function fullCall({ callee, e }: Bracketed): Pick<Bound, "fully"> {
  const { coordinates } = callee.declaration;
  const given = e.bracket ?? [];
  if (given.length === 0 || given.length === coordinates.length) return {};
  const taken = coordinates.map(({ name, pack }) => `${pack ? ".." : ""}${name.text}`).join(", ");
  const named = given.map((item) => textOf(item.span)).join(", ");
  return { fully: `\`${callee.name}\` takes \`[${taken}]\`, and \`[${named}]\` is given` };
}

/**
 * Gives each coordinate parameter that no parameter type mentions an axis: the axis of an argument
 * with the name that the bracket passes.
 */
export function groundCoordinates(
  place: Place,
  call: Bracketed,
  bound: Bound,
  values: readonly Typed[],
): boolean {
  for (const coordinate of call.callee.declaration.coordinates) {
    const name = coordinate.name.text;
    if (bound.axes.has(name) || bound.packs.has(name)) continue;
    const [caller] = call.named.get(name) ?? [];
    const axis = values
      .flatMap((value) => (value.type.kind === "tensor" ? value.type.axes : []))
      .find((each) => each.name === caller);
    if (!axis) {
      report(
        place,
        "E0503",
        `nothing grounds the coordinate \`${caller ?? name}\` of \`${call.callee.name}\``,
        call.e.span,
        {
          labels: [{ span: coordinate.span, text: "declared here" }],
          help:
            "pass it in the bracket and index an argument with it: " +
            `\`${call.callee.name}[${caller ?? name}](x[…, ${caller ?? name}])\``,
        },
      );
      return false;
    }
    bound.axes.set(name, axis.domain ? axis : { ...axis, domain: {} });
  }
  return true;
}

/**
 * The value with the axis names of the caller. Inside the function its axes have the names of the
 * signature.
 */
export function withCallerNames(value: Typed, type: TensorType, bound: Bound): Typed {
  const axes = type.axes.map((axis): Axis => {
    const [caller] = axis.name ? (bound.named.get(axis.name) ?? []) : [];
    const known = axis.name ? bound.axes.get(axis.name) : undefined;
    const name = caller ?? known?.name;
    return name === undefined ? axis : { ...axis, name };
  });
  return { ...value, type: tensor(type.element, axes) };
}

/** The result of a coordinate function with the axis names of the caller. */
export function resultWithCallerNames(
  place: Place,
  result: ast.Type | undefined,
  value: Typed,
  bound: Bound,
): Typed {
  if (bound.coordinates!.size === 0 || value.type.kind !== "tensor") return value;
  const labelled = withDeclaredAxisNames(place, result, value, bound);
  return withCallerNames(labelled, labelled.type as TensorType, bound);
}

/**
 * A text that is equal for two calls if their brackets mean the same axes. Each such text has an
 * instance of its own.
 */
export function bracketKey({ named }: Bracketed, values: readonly Typed[]): string {
  if (named.size === 0) return "";
  const names = values.map(({ type }) =>
    type.kind === "tensor" ? type.axes.map((axis) => axis.name ?? "") : [],
  );
  return (
    `${[...named.values()].map((group) => group.join()).join("; ")} of ` +
    names.map(String).join("; ")
  );
}

/**
 * The type of an argument with the axis names that the argument has in the call. The bracket refers
 * to these names.
 */
export function withNamesOfArgument({ named }: Bracketed, type: Type, given: Type): Type {
  if (named.size === 0 || type.kind !== "tensor" || given.kind !== "tensor") return type;
  return tensor(
    type.element,
    type.axes.map((axis, k): Axis => {
      const { name } = given.axes[k]!;
      return name === undefined ? axis : { ...axis, name };
    }),
  );
}

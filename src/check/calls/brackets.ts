// What the bracket of a call says, `f[class](x[b, class])`: which axes of the arguments the
// coordinate parameters take, and the names that the result has where the call stands.

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";
import type { Call } from "./arguments.ts";
import { report, type Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";
import { tensor, type Axis, type TensorType, type Type } from "../types/types.ts";
import type { Bound } from "./bound.ts";
import { withDeclaredAxisNames } from "../types/relabelled.ts";

/** A call as it is written. */
export type Bracketed = Pick<Call, "callee" | "named" | "e">;

/** What the names of a signature stand for, before any argument has been matched. */
export function boundBy(call: Bracketed): Omit<Bound, "words"> {
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

/** What the function takes beside what the call gives, where names are missing. */
function fullCall({ callee, e }: Bracketed): Pick<Bound, "fully"> {
  const { coordinates } = callee.declaration;
  const given = e.bracket ?? [];
  if (given.length === 0 || given.length === coordinates.length) return {};
  const taken = coordinates.map(({ name, pack }) => `${pack ? ".." : ""}${name.text}`).join(", ");
  const named = given.map((item) => textOf(item.span)).join(", ");
  return { fully: `\`${callee.name}\` takes \`[${taken}]\`, and \`[${named}]\` is given` };
}

/**
 * A coordinate parameter that no type mentions takes the axis of its name in an untyped argument.
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

/** Outside, the result's axes have the names that the caller used. */
export function callerNames(value: Typed, type: TensorType, bound: Bound): Typed {
  const axes = type.axes.map((axis): Axis => {
    const [caller] = axis.name ? (bound.named.get(axis.name) ?? []) : [];
    const known = axis.name ? bound.axes.get(axis.name) : undefined;
    const name = caller ?? known?.name;
    return name === undefined ? axis : { ...axis, name };
  });
  return { ...value, type: tensor(type.element, axes) };
}

/** What a coordinate function gives has the names that its call uses. */
export function underCallerNames(
  place: Place,
  result: ast.Type | undefined,
  value: Typed,
  bound: Bound,
): Typed {
  if (bound.coordinates!.size === 0 || value.type.kind !== "tensor") return value;
  const labelled = withDeclaredAxisNames(place, result, value, bound);
  return callerNames(labelled, labelled.type as TensorType, bound);
}

/**
 * The bracket of a call says by their names which axes are meant: there is an instance for each way
 * to say it.
 */
export function bracketKey({ named }: Bracketed, values: readonly Typed[]): string {
  if (named.size === 0) return "";
  const names = values.map(({ type }) =>
    type.kind === "tensor" ? type.axes.map((axis) => axis.name ?? "") : [],
  );
  return (
    `${[...named.values()].map((group) => group.join()).join("; ")} of ` +
    `${names.map(String).join("; ")}`
  );
}

/**
 * An array under the names that its axes have where the function is called, for the bracket to find
 * them.
 */
export function underNames({ named }: Bracketed, type: Type, given: Type): Type {
  if (named.size === 0 || type.kind !== "tensor" || given.kind !== "tensor") return type;
  return tensor(
    type.element,
    type.axes.map((axis, k): Axis => {
      const { name } = given.axes[k]!;
      return name === undefined ? axis : { ...axis, name };
    }),
  );
}

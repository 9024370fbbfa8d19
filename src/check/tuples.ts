// The members of a tuple-valued expression, as expressions of their own.

import type { Typed } from "./typed.ts";

/** Nothing where the value is no tuple. */
export function membersOf(value: Typed): readonly Typed[] | undefined {
  switch (value.kind) {
    case "tuple":
      return value.members;
    case "block": {
      const { bindings } = value;
      return membersOf(value.value)?.map((member) => ({
        kind: "block",
        bindings,
        value: member,
        type: member.type,
        span: member.span,
      }));
    }
    case "reference":
      return value.binding.kind === "value" && value.binding.value ? membersOf(value.binding.value) : undefined;
    case "select": {
      const [then, otherwise] = [membersOf(value.then), membersOf(value.otherwise)];
      if (!then || !otherwise) return undefined;
      return then.map((member, k) => ({ ...value, then: member, otherwise: otherwise[k]!, type: member.type }));
    }
    default:
      return undefined;
  }
}

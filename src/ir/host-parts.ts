// What a `print` shows, as pieces: text, values of definitions, formatted groups, and texts that depend on a condition.

import type { Typed } from "../check/typed.ts";
import { declare, define, whole, type Site } from "./lower.ts";
import type { HostPart } from "./program.ts";

export function hostParts(site: Site, value: Typed): readonly HostPart[] {
  switch (value.kind) {
    case "text":
      return value.parts.flatMap((part): readonly HostPart[] => {
        if (typeof part === "string") return [{ kind: "text", text: part }];
        if ("derivation" in part) {
          const { of, wrt } = part.derivation;
          return [{ kind: "derivation", of: whole(site, of), ...(wrt ? { wrt: define(site, wrt).definition } : {}) }];
        }
        const parts = hostParts(site, part.value);
        return part.format === undefined ? parts : [{ kind: "formatted", parts, format: part.format }];
      });
    case "tuple": {
      const members = value.members.flatMap((member, k): HostPart[] => [
        { kind: "text", text: k === 0 ? "(" : ", " },
        ...hostParts(site, member),
      ]);
      return [...members, { kind: "text", text: ")" }];
    }
    case "block":
      declare(site, value.bindings);
      return isText(value.value) ? hostParts(site, value.value) : numbers(site, value);
    case "reference":
      if (value.binding.kind === "value" && value.binding.value && isText(value.binding.value))
        return hostParts(site, value.binding.value);
      return numbers(site, value);
    case "select":
      if (!isText(value.then)) return numbers(site, value);
      return [
        {
          kind: "choice",
          condition: whole({ ...site, owner: "branch" }, value.condition),
          then: hostParts(site, value.then),
          otherwise: hostParts(site, value.otherwise),
        },
      ];
    default:
      return numbers(site, value);
  }
}

function numbers(site: Site, value: Typed): readonly HostPart[] {
  return [{ kind: "value", definition: whole({ ...site, owner: "printed" }, value) }];
}

/** Made of strings or tuples, which live outside of the definitions. */
function isText(value: Typed): boolean {
  switch (value.kind) {
    case "text":
    case "tuple":
      return true;
    case "block":
      return isText(value.value);
    case "select":
      return isText(value.then);
    case "reference":
      return value.binding.kind === "value" && value.binding.value !== undefined && isText(value.binding.value);
    default:
      return false;
  }
}

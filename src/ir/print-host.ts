// Prints and assertions of a program as statements, under the branches in which they happen.

import { escaped, stringText } from "./print-constant.ts";
import type { Definition, HostAction, HostPart } from "./program.ts";

type NameOf = (definition: Definition) => string;

export function actionText(nameOf: NameOf, action: HostAction): string {
  const call = callText(nameOf, action);
  // The conditions are tested in order, so the last one stands innermost.
  return action.when.reduceRight(
    (inside, { condition, holds }) => `if ${holds ? "" : "!"}${nameOf(condition)} { ${inside} }`,
    call,
  );
}

function callText(nameOf: NameOf, action: HostAction): string {
  switch (action.kind) {
    case "print":
      return `print(${action.parts.map((parts) => partsText(nameOf, parts)).join(", ")});`;
    case "assert": {
      const message = action.message.length > 0 ? `, ${partsText(nameOf, action.message)}` : "";
      return `assert(${nameOf(action.condition)}${message});`;
    }
    default:
      return action satisfies never;
  }
}

/** One argument: a value by its name, or a string with values in it. */
export function partsText(nameOf: NameOf, parts: readonly HostPart[]): string {
  const [only] = parts;
  if (parts.length === 1 && only!.kind !== "formatted") return partText(nameOf, only!);
  const pieces = parts.map((part) => {
    if (part.kind === "text") return escaped(part.text);
    if (part.kind === "formatted") return `{${partsText(nameOf, part.parts)}:${part.format}}`;
    return `{${partText(nameOf, part)}}`;
  });
  return `"${pieces.join("")}"`;
}

function partText(nameOf: NameOf, part: Exclude<HostPart, { kind: "formatted" }>): string {
  switch (part.kind) {
    case "text":
      return stringText(part.text);
    case "value":
      return nameOf(part.definition);
    case "derivation":
      return part.wrt ? `@${nameOf(part.of)} / @${nameOf(part.wrt)}` : `@${nameOf(part.of)}`;
    case "each":
      return `[${partsText(nameOf, part.parts)} | …]`;
    case "rows":
      return nameOf(part.flat);
    case "choice":
      return `if ${nameOf(part.condition)} { ${partsText(nameOf, part.then)} } else { ${partsText(nameOf, part.otherwise)} }`;
    default:
      return part satisfies never;
  }
}

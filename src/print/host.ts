// Prints and assertions of a program as statements, inside the branches in which they take place.

import { escapeText, quoted } from "../syntax/lex/escape.ts";
import type { Definition, HostAction, HostPart } from "../ir/program.ts";

type NameOf = (definition: Definition) => string;

export function actionText(nameOf: NameOf, action: HostAction): string {
  const call = callText(nameOf, action);
  // The conditions are tested in order, so the last one is innermost.
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
    case "call":
      return `${action.function.name}(${action.arguments.map(nameOf).join(", ")});`;
    default:
      return action satisfies never;
  }
}

/** One argument: a value by its name, or a string with interpolated values. */
export function partsText(nameOf: NameOf, parts: readonly HostPart[], depth = 0): string {
  const [only] = parts;
  if (parts.length === 1 && only!.kind !== "formatted") return partText(nameOf, only!, depth);
  const pieces = parts.map((part) => {
    if (part.kind === "text") return escapeText(part.text);
    if (part.kind === "formatted")
      return `{${partsText(nameOf, part.parts, depth)}:${part.format}}`;
    return `{${partText(nameOf, part, depth)}}`;
  });
  return `"${pieces.join("")}"`;
}

function partText(
  nameOf: NameOf,
  part: Exclude<HostPart, { kind: "formatted" }>,
  depth: number,
): string {
  switch (part.kind) {
    case "text":
      return quoted(part.text);
    case "value":
      return nameOf(part.definition);
    case "derivation":
      return part.wrt ? `@${nameOf(part.of)} / @${nameOf(part.wrt)}` : `@${nameOf(part.of)}`;
    case "each": {
      // The definitions know no structs: the text of a struct is put together at each position.
      const at = `p${depth}`;
      const inside: NameOf = (definition) => `${nameOf(definition)}[${at}]`;
      const text = partsText(inside, part.parts, depth + 1);
      return `[${text} | ${at} in 0..len(${nameOf(part.over)})]`;
    }
    case "rows":
      return rowsText(part.starts.map(nameOf), nameOf(part.flat), depth);
    case "quoted":
      return `"\\"{${partsText(nameOf, part.parts, depth)}}\\""`;
    case "choice":
      return (
        `if ${nameOf(part.condition)} { ${partsText(nameOf, part.then, depth)} } else ` +
        `{ ${partsText(nameOf, part.otherwise, depth)} }`
      );
    default:
      return part satisfies never;
  }
}

/** Ragged rows as a comprehension that cuts the cells where each row begins, level after level. */
function rowsText(starts: readonly string[], flat: string, depth: number): string {
  const position = (level: number): string => `p${depth + level}`;
  const row = (level: number): string => {
    const at = position(level);
    const range =
      level === 0
        ? `0..len(${starts[0]!}) - 1`
        : `${starts[level - 1]!}[${position(level - 1)}]..` +
          `${starts[level - 1]!}[${position(level - 1)} + 1]`;
    return `[${level === starts.length ? `${flat}[${at}]` : row(level + 1)} | ${at} in ${range}]`;
  };
  return row(0);
}

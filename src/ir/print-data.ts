// Data that a run makes, as source: one enum for all of it, and functions that take its values apart. What the structs, enums and arrays of the program
// are, a list of their scalars is here, as it is in the run.

import { constantText } from "./print-constant.ts";
import { claim } from "./print-names.ts";
import type { Scalar } from "./program.ts";
import { zeroOf, type ElementType } from "./scalar/types.ts";

/** How data is written in some lines; what they use is gathered as they are written. */
export interface DataWords {
  readonly type: (type: ElementType) => string;
  /** Data without parts, which is also the tangent of data that stays where it is. */
  readonly nothing: () => string;
  readonly scalar: (scalar: DataScalar, text: (operand: Scalar) => string) => string;
  /** The lines of what was used. */
  readonly lines: () => readonly string[];
}

type DataScalar = Extract<Scalar, { kind: "data" }>;

/** Functions of data that only pullbacks have: what is read has formulas in their place. */
const ofPullbacks: ReadonlySet<string> = new Set(["add", "total", "put", "join", "shift", "hold", "held", "show"]);

export function isWrittenData({ function: called }: DataScalar): boolean {
  return !ofPullbacks.has(called);
}

/** The name of the variant for a part of some type, with the parts behind it. */
function variantOf(type: ElementType): string {
  return type === "data" ? "Data" : `${type[0]!.toUpperCase()}${type.slice(1)}`;
}

export function dataWords(taken: ReadonlySet<string>): DataWords {
  const names = new Set(taken);
  const data = claim(names, "Data");
  const end = `${data}::End`;
  const types = new Set<ElementType>();
  const functions = new Map<string, { readonly name: string; readonly line: (name: string) => string }>();
  const typeText = (type: ElementType): string => (type === "data" ? data : type);
  const zeroText = (type: ElementType): string =>
    type === "data" ? end : constantText(type, zeroOf(type), "forced").text;
  const before = (type: ElementType, part: string, rest: string): string => {
    types.add(type);
    return `${data}::${variantOf(type)}(${part}, ${rest})`;
  };
  /** The name of a function; its line is written when all types of parts are known. */
  const used = (wanted: string, line: (name: string) => string): string => {
    let found = functions.get(wanted);
    if (!found) functions.set(wanted, (found = { name: claim(names, wanted), line }));
    return found.name;
  };
  /** Branches for the end of a list and for each type of its first part. */
  const taking = (atEnd: string, at: (type: ElementType) => string): string => {
    const branches = [...types].map((type) => `${before(type, "v", "rest")} => ${at(type)}`);
    return `match d { ${[`${end} => ${atEnd}`, ...branches].join(", ")} }`;
  };
  const part = (wanted: ElementType): string => {
    types.add(wanted);
    return used(wanted === "data" ? "part" : `part_${wanted}`, (name) => {
      const zero = zeroText(wanted);
      const body = taking(zero, (type) => `if k > 0 { ${name}(rest, k - 1) } else { ${type === wanted ? "v" : zero} }`);
      return `fn ${name}(d: ${data}, k: i32) -> ${typeText(wanted)} { ${body} }`;
    });
  };
  const size = (): string =>
    used("size", (name) => `fn ${name}(d: ${data}, n: i32) -> i32 { ${taking("n", () => `${name}(rest, n + 1)`)} }`);
  /** Tangents of cells that stay where they are may be missing before the one that is put there. */
  const append = (): string => {
    types.add("data");
    return used("append", (name) => {
      const missing = before("data", end, `${name}(d, last, at - 1)`);
      const body = taking(`if at > 0 { ${missing} } else { last }`, (type) =>
        before(type, "v", `${name}(rest, last, at - 1)`),
      );
      return `fn ${name}(d: ${data}, last: ${data}, at: i32) -> ${data} { ${body} }`;
    });
  };
  const slice = (): string =>
    used("slice", (name) => {
      const body = taking(
        end,
        (type) =>
          `if from > 0 { ${name}(rest, from - 1, n) } else if n > 0 { ${before(type, "v", `${name}(rest, 0, n - 1)`)} } else { ${end} }`,
      );
      return `fn ${name}(d: ${data}, from: i32, n: i32) -> ${data} { ${body} }`;
    });
  /** A cell that is not there ends the run. */
  const missing = (type: ElementType): string =>
    used(`cell_of_${type}`, (name) => `fn ${name}(at: i32, n: i32) -> ${typeText(type)} { [${zeroText(type)} | k in 0..n][at] }`); // prettier-ignore
  return {
    type: typeText,
    nothing: () => end,
    scalar: ({ function: called, operands, type, member, stop }, text) => {
      const given = operands.map(text);
      const [first, second, third] = given;
      switch (called) {
        case "box":
          return operands.reduceRight((rest, operand, k) => before(operand.type, given[k]!, rest), end);
        case "part":
          return `${part(type)}(${first}, ${member})`;
        case "cell":
          return `${part(type)}(${first}, ${second})`;
        case "same":
          return `(${first} == ${second})`;
        case "size":
          return `${size()}(${first}, 0)`;
        case "slice":
          return `${slice()}(${given.join(", ")})`;
        case "append":
          return `${append()}(${first}, ${before(operands[1]!.type, second!, end)}, ${third ?? 0})`;
        case "stop":
          return `${missing(type)}(${stop?.kind === "bounds" ? given.join(", ") : "0, 0"})`;
        case "show":
        case "add":
        case "total":
        case "put":
        case "join":
        case "shift":
        case "hold":
        case "held":
          throw new Error(`\`${called}\` has no notation`);
        default:
          return called satisfies never;
      }
    },
    lines: () => {
      const written = [...functions.values()].map(({ name, line }) => line(name));
      if (types.size === 0) return [];
      const variants = [...types].map((type) => `, ${variantOf(type)}(${typeText(type)}, ${data})`).join("");
      return [`enum ${data} { End${variants} }`, ...written];
    },
  };
}

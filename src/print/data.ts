// Data that a run makes, as source: one enum for all data, and functions that take its values
// apart. The structs, enums and arrays of the program become lists of their scalars, as in the run.
// The totals of a pullback become lists of addresses, each with the value that was added there.
//
//   enum Data { End, F32(f32, Data), Data(Data, Data) }

import { constantText } from "./constant.ts";
import { claim } from "./names.ts";
import type { Scalar } from "../ir/program.ts";
import { isNumeric, zeroOf, type ElementType } from "../scalar/types.ts";

/** How data is written in some lines. The functions that the lines use are collected meanwhile. */
export interface DataWords {
  readonly type: (type: ElementType) => string;
  /** Data without parts. It is also the tangent of data that does not move. */
  readonly nothing: () => string;
  readonly scalar: (scalar: DataScalar, text: (operand: Scalar) => string) => string;
  /** The lines of the enum and the functions that were used. */
  readonly lines: () => readonly string[];
}

type DataScalar = Extract<Scalar, { kind: "data" }>;

/**
 * Whether a function of data has a notation. `show` has none, because the names of the type are
 * lost.
 */
export function isWrittenData({ function: called }: DataScalar): boolean {
  return called !== "show";
}

/** The name of the variant for a list that begins with a part of some type. */
function variantOf(type: ElementType): string {
  return type === "data" ? "Data" : `${type[0]!.toUpperCase()}${type.slice(1)}`;
}

export function dataWords(taken: ReadonlySet<string>): DataWords {
  const names = new Set(taken);
  const data = claim(names, "Data");
  const end = `${data}::End`;
  const types = new Set<ElementType>();
  let hasPlaces = false;
  const functions = new Map<
    string,
    { readonly name: string; readonly line: (name: string) => string }
  >();
  const typeText = (type: ElementType): string => (type === "data" ? data : type);
  const zeroText = (type: ElementType): string =>
    type === "data" ? end : constantText(type, zeroOf(type), "forced").text;
  const before = (type: ElementType, part: string, rest: string): string => {
    types.add(type);
    return `${data}::${variantOf(type)}(${part}, ${rest})`;
  };
  /** The name of a function. Its line is written when all types of parts are known. */
  const used = (wanted: string, line: (name: string) => string): string => {
    let found = functions.get(wanted);
    if (!found) functions.set(wanted, (found = { name: claim(names, wanted), line }));
    return found.name;
  };
  /** A value at an address, and the list of the others. */
  const placed = (place: string, one: string, rest: string): string => {
    hasPlaces = true;
    return `${data}::At(${place}, ${one}, ${rest})`;
  };
  /** The branches for the end of a list and for each type of its first part. */
  const taking = (atEnd: string, at: (type: ElementType) => string): string => {
    const branches = [...types].map((type) => `${before(type, "v", "rest")} => ${at(type)}`);
    const others = hasPlaces ? [`_ => ${atEnd}`] : [];
    return `match d { ${[`${end} => ${atEnd}`, ...branches, ...others].join(", ")} }`;
  };
  const part = (wanted: ElementType): string => {
    types.add(wanted);
    return used(wanted === "data" ? "part" : `part_${wanted}`, (name) => {
      const zero = zeroText(wanted);
      const body = taking(
        zero,
        (type) => `if k > 0 { ${name}(rest, k - 1) } else { ${type === wanted ? "v" : zero} }`,
      );
      return `fn ${name}(d: ${data}, k: i32) -> ${typeText(wanted)} { ${body} }`;
    });
  };
  const size = (): string =>
    used(
      "size",
      (name) =>
        `fn ${name}(d: ${data}, n: i32) -> i32 { ${taking("n", () => `${name}(rest, n + 1)`)} }`,
    );
  /** Appends at a position. Tangents that are 0 may be missing before the position. */
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
          `if from > 0 { ${name}(rest, from - 1, n) } else if n > 0 ` +
          `{ ${before(type, "v", `${name}(rest, 0, n - 1)`)} } else { ${end} }`,
      );
      return `fn ${name}(d: ${data}, from: i32, n: i32) -> ${data} { ${body} }`;
    });
  /** Joins two lists part by part. A list of addresses is followed by the other list. */
  const join = (): string =>
    used("join", (name) => {
      const both = (type: ElementType, other: ElementType): string => {
        const rest = `${name}(rest, more)`;
        if (type !== other)
          return type === "data" ? before(other, "w", rest) : before(type, "v", rest);
        return before(
          type,
          type === "data" ? `${name}(v, w)` : isNumeric(type) ? "v + w" : "v",
          rest,
        );
      };
      const branches = [...types].map((type) => {
        const inner = [...types].map(
          (other) => `${before(other, "w", "more")} => ${both(type, other)}`,
        );
        return `${before(type, "v", "rest")} => match e { ${[...inner, "_ => d"].join(", ")} }`;
      });
      const places = hasPlaces
        ? [`${placed("k", "v", "rest")} => ${placed("k", "v", `${name}(rest, e)`)}`]
        : [];
      return (
        `fn ${name}(d: ${data}, e: ${data}) -> ${data} ` +
        `{ match d { ${[`${end} => e`, ...places, ...branches].join(", ")} } }`
      );
    });
  /** A part behind missing parts. */
  const behind = (): string => {
    types.add("data");
    return used("behind", (name) => {
      const missing = before("data", end, `${name}(one, k - 1)`);
      return `fn ${name}(one: ${data}, k: i32) -> ${data} { if k > 0 { ${missing} } else { one } }`;
    });
  };
  const shift = (): string => {
    hasPlaces = true;
    return used("shift", (name) => {
      const moved = placed("k + by", "v", `${name}(rest, by)`);
      return (
        `fn ${name}(d: ${data}, by: i32) -> ${data} ` +
        `{ match d { ${placed("k", "v", "rest")} => ${moved}, _ => ${end} } }`
      );
    });
  };
  /** The total at an address. */
  const total = (type: ElementType): string => {
    hasPlaces = true;
    const [one, together] = [part(type), type === "data" ? join() : undefined];
    return used(type === "data" ? "total" : `total_${type}`, (name) => {
      const value = `${one}(v, 0)`;
      const sum = together ? `${together}(sum, ${value})` : `sum + ${value}`;
      const further = `${name}(rest, at, if k == at { ${sum} } else { sum })`;
      return (
        `fn ${name}(d: ${data}, at: i32, sum: ` +
        `${typeText(type)}) -> ${typeText(type)} ` +
        `{ match d { ${placed("k", "v", "rest")} => ${further}, _ => sum } }`
      );
    });
  };
  /** The value that was put at an address last. */
  const held = (type: ElementType): string => {
    hasPlaces = true;
    const one = part(type);
    return used(`held_${type}`, (name) => {
      const found = `if k == at { ${one}(v, 0) } else { ${name}(rest, at, otherwise) }`;
      return (
        `fn ${name}(d: ${data}, at: i32, otherwise: ` +
        `${typeText(type)}) -> ${typeText(type)} ` +
        `{ match d { ${placed("k", "v", "rest")} => ${found}, _ => otherwise } }`
      );
    });
  };
  /** A cell that does not exist: reading it ends the run. */
  const missing = (type: ElementType): string =>
    used(
      `cell_of_${type}`,
      (name) =>
        `fn ${name}(at: i32, n: i32) -> ${typeText(type)} { [${zeroText(type)} | k in 0..n][at] }`,
    );
  const putText = (
    [, ...more]: readonly Scalar[],
    [parts, ...given]: readonly string[],
  ): string => {
    let text = parts!;
    for (let k = 0; k < more.length; k += 2) {
      const one = before(more[k + 1]!.type, given[k + 1]!, end);
      text = `${join()}(${text}, ${behind()}(${one}, ${given[k]}))`;
    }
    return text;
  };
  return {
    type: typeText,
    nothing: () => end,
    scalar: ({ function: called, operands, type, member, stop }, text) => {
      const given = operands.map(text);
      const [first, second, third] = given;
      switch (called) {
        case "box":
          return operands.reduceRight(
            (rest, operand, k) => before(operand.type, given[k]!, rest),
            end,
          );
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
        case "add":
        case "hold":
          return placed(second!, before(operands[2]!.type, third!, end), first!);
        case "total":
          return `${total(type)}(${given.join(", ")}, ${zeroText(type)})`;
        case "held":
          return `${held(type)}(${given.join(", ")})`;
        case "shift":
          return `${shift()}(${given.join(", ")})`;
        case "join":
          return `${join()}(${given.join(", ")})`;
        case "put":
          return putText(operands, given);
        case "show":
          throw new Error(`\`${called}\` has no notation`);
        default:
          return called satisfies never;
      }
    },
    lines: () => {
      const written = [...functions.values()].map(({ name, line }) => line(name));
      if (types.size === 0) return [];
      const variants = [...types]
        .map((type) => `, ${variantOf(type)}(${typeText(type)}, ${data})`)
        .join("");
      const places = hasPlaces ? `, At(i32, ${data}, ${data})` : "";
      return [`enum ${data} { End${variants}${places} }`, ...written];
    },
  };
}

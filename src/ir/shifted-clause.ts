// Rewrites a clause that begins behind the first cell as one that begins at 0, for a message.
//
//   let d[i] = (x[i + 1] - x[i - 1]) / 2.0;               `i` runs over 1..4
//   let d[i in 0..3] = (x[i + 2] - x[i]) / 2.0;           the same cells, counted from 0

/** One axis of a clause: by how much its coordinate is shifted, and how many cells the axis has. */
export interface Shift {
  readonly name: string;
  readonly by: number;
  /** The extent as a program writes it. */
  readonly size: string;
}

/** The longest statement that a message repeats. */
const longest = 140;

/**
 * The rewritten statement. Undefined if its text leaves open which of its names is the coordinate.
 */
export function shiftedClause(statement: string, shifts: readonly Shift[]): string | undefined {
  const [, head, left, rest] =
    /^(let\s+\w+)\[([^[\]]*)\](\s*(?::[^=]*)?=[^=][^]*)$/.exec(statement) ?? [];
  if (head === undefined || left === undefined || rest === undefined) return undefined;
  const slots = left.split(",").map((slot) => slot.trim());
  let value = rest;
  for (const { name, by, size } of shifts) {
    const at = slots.findIndex((slot) => slot.split(/\s/)[0] === name);
    // There is no shifted text for a statement with a string, with a `|` (a comprehension or a
    // lambda), or with a bracket that binds the name again.
    const isBoundAgain = new RegExp(`\\w\\[[^\\[\\]]*\\b${name}\\b[^\\[\\]]*\\]\\s*\\(`).test(
      value,
    );
    if (at < 0 || isBoundAgain || /["|]/.test(value)) return undefined;
    slots[at] = `${name} in 0..${size}`;
    value = withShiftedUses(value, name, by);
  }
  // A value that does not mention the coordinate fills only a part of the intended cells.
  if (value === rest) return undefined;
  const whole = `${head}[${slots.join(", ")}]${value}`;
  return whole.length <= longest && !whole.includes("\n") ? whole : undefined;
}

/** With `by` = 1: `x[i + 1]` as `x[i + 2]`, `x[i - 1]` as `x[i]`, `i * n` as `(i + 1) * n`. */
function withShiftedUses(text: string, name: string, by: number): string {
  const use = new RegExp(`(?<![\\w.])${name}\\b(?!\\s*::)(\\s*[-+]\\s*\\d+(?![\\w.]))?`, "g");
  return text.replace(use, (found: string, added: string | undefined, at: number) => {
    const before = text.slice(0, at).trimEnd().at(-1) ?? "";
    const after = text.slice(at + found.length).trimStart();
    const isSum = /[[(,+=]/.test(before) && !/^(?:[*/%]|as\b)/.test(after);
    const total = isSum && added !== undefined ? Number(added.replaceAll(/\s/g, "")) + by : by;
    const own = total === 0 ? name : `${name} ${total < 0 ? "-" : "+"} ${Math.abs(total)}`;
    if (isSum) return own;
    return `(${name} + ${by})${added ?? ""}`;
  });
}

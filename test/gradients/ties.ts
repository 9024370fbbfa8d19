// Detects ties without a derivative. Of several greatest or least numbers the first is the winner.
// In max(x·min(y, x), x·x) with y = x there are two ties: the function equals x·x everywhere near,
// but the two winners together give no derivative of any function. Differences cannot show this,
// because there is no kink. The answer shows it: it changes when the numbers come in another order.

/**
 * The position that replaces a coordinate of a range, so that the last position comes first, or the
 * second position.
 */
export const orders = {
  backwards: (name: string, from: string, to: string) => `((${from}) + (${to}) - 1 - ${name})`,
  onward: (name: string, from: string, to: string) =>
    `((${name} - (${from}) + 1) % ((${to}) - (${from})) + (${from}))`,
} as const;
type Order = keyof typeof orders;

/**
 * The program with the operands of every `max` and `min` in the other order, and with another order
 * of the elements of `max[k in a..b]` and `min[k in a..b]`.
 */
export function inOrder(order: Order, text: string): string {
  const call = /\b(?:max|min)[([]/g;
  let written = "";
  let from = 0;
  for (let found = call.exec(text); found; found = call.exec(text)) {
    const start = call.lastIndex;
    const parts = partsFrom(text, start);
    const end = start + parts.join(",").length;
    const [head, tail] = found[0].endsWith("(")
      ? [swapped(order, parts), end]
      : reduced(order, text, parts, end);
    written += text.slice(from, start) + head;
    call.lastIndex = from = tail;
  }
  return written + text.slice(from);
}

function swapped(order: Order, operands: readonly string[]): string {
  const turned = operands.map((operand) => inOrder(order, operand));
  return (turned.length === 2 ? turned.toReversed() : turned).join(",");
}

/**
 * Rewrites a reduction from the coordinates in its bracket to the end of its body. Returns also the
 * offset of that end.
 */
function reduced(
  order: Order,
  text: string,
  coordinates: readonly string[],
  end: number,
): readonly [string, number] {
  const bracket = `${coordinates.join(",")}](`;
  const start = end + 2;
  const body = partsFrom(text, start).join(",");
  let turned = inOrder(order, body);
  for (const coordinate of coordinates) {
    const [, name, first, last] = /^\s*(\w+) in (.+)\.\.(.+)$/.exec(coordinate) ?? [];
    if (name)
      turned = turned.replaceAll(
        new RegExp(`\\b${name}\\b`, "g"),
        orders[order](name, first!, last!),
      );
  }
  return [bracket + turned, start + body.length];
}

/**
 * The parts between an opening bracket and its partner, separated by commas outside of inner
 * brackets.
 */
function partsFrom(text: string, start: number): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, start];
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character) && depth-- === 0) return [...parts, text.slice(from, at)];
    if (character === "," && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

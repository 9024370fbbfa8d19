// Where two operands of `max` or `min` are equal, the first counts as the winner. In max(x·min(y, x), x·x) with y = x both are equal twice over: the function
// is x·x all around, and the winners together are nobody's derivative. Differences cannot show it, since there is no kink; the answer
// shows it itself, as it is another one when the operands change places.

/** The program with the two operands of every `max` and `min` in the other order. */
export function withOperandsSwapped(text: string): string {
  const call = /\b(?:max|min)\(/g;
  let written = "";
  let from = 0;
  for (let found = call.exec(text); found; found = call.exec(text)) {
    const operands = operandsFrom(text, call.lastIndex);
    const swapped = operands.map(withOperandsSwapped).toReversed();
    const end = call.lastIndex + operands.join(",").length;
    written += `${text.slice(from, call.lastIndex)}${(operands.length === 2 ? swapped : swapped.toReversed()).join(", ")}`;
    call.lastIndex = from = end;
  }
  return written + text.slice(from);
}

/** What stands between an opening parenthesis and its closing one, parted at the commas that are in no brackets of their own. */
function operandsFrom(text: string, start: number): readonly string[] {
  const operands: string[] = [];
  let [depth, from] = [0, start];
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character) && depth-- === 0) return [...operands, text.slice(from, at)];
    if (character === "," && depth === 0) {
      operands.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return operands;
}

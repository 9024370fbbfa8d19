// Makes a failing program smaller while it still fails: removes statements, then replaces
// expressions by parts of themselves.

/** The number of tries is bounded, because each try compiles and runs the program. */
const mostTries = 400;

export function shrink(text: string, fails: (text: string) => boolean): string {
  let tries = 0;
  let smallest = text;
  const accepts = (candidate: string): boolean => {
    if (candidate === smallest || tries >= mostTries) return false;
    tries++;
    if (!fails(candidate)) return false;
    smallest = candidate;
    return true;
  };
  const leavesOut = (): boolean => {
    const before = smallest;
    for (let at = smallest.split("\n").length - 1; at >= 0; at--)
      accepts(
        smallest
          .split("\n")
          .filter((_, line) => line !== at)
          .join("\n"),
      );
    return smallest !== before;
  };
  const replaces = (): boolean => {
    for (const candidate of simpler(smallest)) if (accepts(candidate)) return true;
    return false;
  };
  while (leavesOut() || replaces());
  return smallest;
}

/** The text with one bracketed piece, and the name before it, replaced by a shorter text. */
function* simpler(text: string): Generator<string> {
  for (const [open, close] of pairsOf(text)) {
    const inside = text.slice(open + 1, close);
    const name = /[\w.]*(?:\[[^[\]]*\])?$/.exec(text.slice(0, open))![0];
    const [before, after] = [text.slice(0, open - name.length), text.slice(close + 1)];
    for (const piece of [...partsOf(inside), "1.0", "1"]) {
      const candidate = before + piece + after;
      if (candidate.length < text.length) yield candidate;
    }
  }
  for (const match of text.matchAll(/ where [^;]*?(?=[;)])/g))
    yield text.slice(0, match.index) + text.slice(match.index + match[0].length);
}

/** The pairs of round brackets, the widest first. */
function pairsOf(text: string): readonly (readonly [number, number])[] {
  const open: number[] = [];
  const found: (readonly [number, number])[] = [];
  for (const [at, character] of [...text].entries()) {
    if (character === "(") open.push(at);
    if (character === ")" && open.length > 0) found.push([open.pop()!, at]);
  }
  return found.sort(([a, b], [c, d]) => d - c - (b - a));
}

/** The texts between the commas and operators of a piece, at its own level. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (const [at, character] of [...text].entries()) {
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character)) depth--;
    if (depth > 0 || !",+-*/".includes(character)) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts.length > 1 ? [...parts.map((part) => part.trim()).filter(Boolean), text] : [text];
}

// Programs against their bars: one line for each, with what came out and how long it took.

const widths = [24, 42, 30];
const line = (cells) => cells.map((cell, k) => cell.padEnd(widths[k] ?? 0)).join("  ");

/**
 * @param {readonly { name: string, bar: Record<"small" | "full", { text: string, holds: (value: number) => boolean }>, measure: (how: object) => Promise<{ value: number, shown: string }> }[]} programs
 * @param {{ full: boolean, write: (line: string) => void, pathOf?: (name: string) => string | undefined }} options
 * @returns {Promise<number>} how many missed their bar
 */
export async function hold(programs, { full, write, pathOf = () => undefined }) {
  write(line(["program", "bar", "value", "seconds"]));
  let missed = 0;
  for (const { name, bar, measure } of programs) {
    const { text, holds } = full ? bar.full : bar.small;
    const begun = performance.now();
    const { value, shown } = await measure({ full, path: pathOf(name) });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const met = holds(value);
    if (!met) missed++;
    write(line([name, text, `${shown}${met ? "" : " MISSED"}`, seconds]));
  }
  return missed;
}

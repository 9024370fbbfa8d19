// `--profile` as a table: the cost of each source line, the most expensive first.

import type { ProfileLine } from "../../backends/profile.ts";
import type { Source } from "../../base/source.ts";

/** A longer text is cut to this many characters. */
const longestLine = 60;

export function profileText(lines: readonly ProfileLine[], source: Source): string {
  const written = source.text.split("\n");
  const rows = lines.map(({ file, line, ms, bytes, flops }) => {
    const own = file === source.name;
    const text = own ? (written[line - 1] ?? "").trim() : "";
    return [
      ms.toFixed(3),
      bytes.toLocaleString("en"),
      ms > 0 ? (flops / ms / 1e6).toFixed(2) : "-",
      own ? String(line) : `${file}:${line}`,
      text.length > longestLine ? `${text.slice(0, longestLine)}…` : text,
    ];
  });
  const all = [["ms", "bytes", "GFLOP/s", "line", ""], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      [...widths.map((width, column) => row[column]!.padStart(width)), row[4]!]
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

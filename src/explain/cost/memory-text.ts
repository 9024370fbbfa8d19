// Prints a memory report for a terminal.

import type { MemoryReport } from "./memory.ts";

export function memoryText(report: MemoryReport): string {
  const { of, wrt, saved, released, recomputed, recurrences, plannedBytes, wholeBytes, peakBytes } =
    report;
  const rolled =
    wholeBytes > plannedBytes ? `; ${bytesText(wholeBytes)} if every cell were kept` : "";
  return [
    `Memory for @${of} / ${wrt.map((name) => `@${name}`).join(", ")}`,
    "",
    "Saved for the backward pass",
    ...listed(
      saved.map(({ value, bytes, readBy }) => [value, bytes, `read by ${readBy.join(", ")}`]),
    ),
    "",
    "Not needed by it",
    ...listed(released.map(({ value, bytes }) => [value, bytes, ""])),
    "",
    "Computed for it alone, beside the gradients",
    ...listed(recomputed.map(({ value, bytes }) => [value, bytes, ""])),
    ...(recurrences.length > 0 ? ["", "Recurrences"] : []),
    ...recurrences.flatMap(({ value, along, steps, keeps, why, bytes, checkpointedBytes }) => [
      `  ${value} keeps ${keeps} of ${steps} steps along ${along}, ${bytesText(bytes)}: ${why}`,
      ...(checkpointedBytes === undefined || checkpointedBytes >= plannedBytes
        ? []
        : [
            `    \`checkpoint let ${value}[…]\` would save ` +
              `${bytesText(plannedBytes - checkpointedBytes)}, and compute the steps between again`,
          ]),
    ]),
    "",
    `Kept in all, with the gradients: ${bytesText(plannedBytes)} beside the inputs${rolled}`,
    `Peak of a run, which gives back what nobody reads any more: ${bytesText(peakBytes)}`,
    "",
  ].join("\n");
}

function listed(rows: readonly (readonly [string, number, string])[]): readonly string[] {
  if (rows.length === 0) return ["  nothing"];
  const name = Math.max(...rows.map(([value]) => value.length));
  const size = Math.max(...rows.map(([, bytes]) => bytesText(bytes).length));
  return rows.map(([value, bytes, why]) =>
    `  ${value.padEnd(name)}  ${bytesText(bytes).padStart(size)}  ${why}`.trimEnd(),
  );
}

function bytesText(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes.toLocaleString("en-US")} bytes`;
}

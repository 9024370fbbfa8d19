// Prints an audit for a terminal: the broadcasts of each declaration, then the shared parameters.

import type { Audit, Broadcast } from "./audit.ts";
import { plain, type Style } from "../ledger/text.ts";

export function auditText({ broadcasts, shared }: Audit, style: Style = plain): string {
  const lines: string[] = [];
  for (const [statement, group] of grouped(broadcasts)) {
    lines.push(`${style.code(statement)}${style.faint(`  // line ${group[0]!.line}`)}`, "");
    const rows = group.map(
      ({ term, omits, backward }) => [`${term} omits ${omits.join(", ")}`, backward] as const,
    );
    const width = Math.max(...rows.map(([omission]) => omission.length));
    for (const [omission, backward] of rows) {
      const [first = "", ...rest] = backward.split("\n");
      lines.push(`  ${omission.padEnd(width)}  answered by  ${style.code(first)}`);
      for (const more of rest)
        lines.push(`  ${" ".repeat(width)}               ${style.code(more)}`);
    }
    lines.push("");
  }
  for (const { parameter, over } of shared) {
    const along = over.map(
      ({ coordinate, in: places }) => `${coordinate} (in ${places.join(", ")})`,
    );
    lines.push(`${parameter} is shared over ${along.join(", ")}`);
  }
  if (broadcasts.length === 0) lines.push("no term is broadcast");
  return `${lines.join("\n").trimEnd()}\n`;
}

function grouped(broadcasts: readonly Broadcast[]): ReadonlyMap<string, readonly Broadcast[]> {
  const groups = new Map<string, Broadcast[]>();
  for (const each of broadcasts)
    groups.set(each.statement, [...(groups.get(each.statement) ?? []), each]);
  return groups;
}

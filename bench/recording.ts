// Records the checksums of the peers for tiny data, so that tests can check the programs of Einlang
// without any peer.

import type { Checksum } from "./checksum.ts";
import type { Contest } from "./contest.ts";

export interface Recording {
  readonly versions: Readonly<Record<string, string>>;
  /** For each row, the checksums of its outputs by peer. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, readonly Checksum[]>>>>;
}

export function recording({ lines, versions, present }: Contest): string {
  const peers = present
    .filter(({ family }) => family !== "ours" && family !== "eager")
    .map(({ name }) => name);
  const rows = lines.map(({ row, outcomes }) => {
    const computed = peers.flatMap((name) => {
      const outcome = outcomes.get(name);
      return outcome?.kind === "timed" ? [[name, outcome.checksums]] : [];
    });
    return [row.id, Object.fromEntries(computed)];
  });
  const recorded = { versions, rows: Object.fromEntries(rows) } satisfies Recording;
  return `${JSON.stringify(recorded, undefined, 2)}\n`;
}

// The difference between two states of a session. A copy of the session in another thread follows
// with it, so that the whole session need not be sent again.

import type { TensorValue } from "../scalar/values/value.ts";
import type { Key } from "./check-entries.ts";
import type { Entry } from "./entry.ts";
import type { Session } from "./session.ts";

export interface Changes {
  /** The number of leading entries that stay. */
  readonly common: number;
  readonly entries: readonly Entry[];
  readonly kept: readonly (readonly [Key, TensorValue])[];
  readonly forgotten: readonly Key[];
  readonly warned: Session["warned"];
  readonly texts: Session["texts"];
}

export function changesBetween(before: Session, after: Session): Changes {
  let common = 0;
  while (common < before.entries.length && before.entries[common] === after.entries[common])
    common++;
  return {
    common,
    entries: after.entries.slice(common),
    kept: [...after.kept].filter(([key, value]) => before.kept.get(key) !== value),
    forgotten: [...before.kept.keys()].filter((key) => !after.kept.has(key)),
    warned: after.warned,
    texts: after.texts,
  };
}

export function changed(session: Session, changes: Changes): Session {
  const kept = new Map(session.kept);
  for (const key of changes.forgotten) kept.delete(key);
  for (const [key, value] of changes.kept) kept.set(key, value);
  const entries = [...session.entries.slice(0, changes.common), ...changes.entries];
  return { entries, kept, warned: changes.warned, texts: changes.texts };
}

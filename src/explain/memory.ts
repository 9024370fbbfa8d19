// What a program with its gradient keeps in memory, and why: what the backward pass reads of the forward one, what it computes
// anew, what recurrences keep of their history, what a checkpoint would save.

import type { Probe } from "../backends/interpret/probe.ts";
import type { Analysis } from "../ir/analyse.ts";
import { constantOf } from "../ir/affine/term.ts";
import { lookbacks, type Lookback } from "../ir/plan.ts";
import type { Kept as Stored } from "../ir/storage.ts";
import { readsOf, type Definition, type Program } from "../ir/program.ts";
import { bytesOf, isUnsized } from "../ir/scalar/types.ts";
import { integerScalar } from "../ir/substitute.ts";
import { reachable } from "../ir/schedule.ts";
import type { Derivation } from "./derived-source.ts";

export interface MemoryReport {
  readonly of: string;
  readonly wrt: readonly string[];
  /** Values of the forward pass that the backward pass reads, and who reads them. */
  readonly saved: readonly { readonly value: string; readonly bytes: number; readonly readBy: readonly string[] }[];
  /** Values of the forward pass that it can do without. */
  readonly released: readonly { readonly value: string; readonly bytes: number }[];
  /** What only the backward pass needs beside gradients: winners, counts, products of the others. */
  readonly recomputed: readonly { readonly value: string; readonly bytes: number }[];
  readonly recurrences: readonly Kept[];
  /** Everything that is computed, each cell kept. */
  readonly peakBytes: number;
  /** The same with recurrences rolled where nobody looks further back. */
  readonly rolledBytes: number;
}

/** What is kept of a recurrence. */
export interface Kept {
  readonly value: string;
  readonly along: string;
  readonly steps: number;
  /** The steps that are kept: as far as it is read back, or all of them. */
  readonly keeps: number;
  readonly why: string;
  readonly bytes: number;
  /** What `checkpoint` would keep of a history that only the gradient reads. */
  readonly checkpointBytes?: number;
}

export function memoryOf(
  { numerator, denominators, swept, seed }: Derivation,
  program: Program,
  analysis: Analysis,
  running: Probe,
): MemoryReport {
  const bytes = (definition: Definition): number =>
    definition.axes.reduce((total, { extent }) => total * extentAt(running, extent), widthOf(definition));
  const answers = denominators.flatMap((denominator) => swept.adjoints.get(denominator) ?? []);
  const forward = new Set(reachable([numerator]));
  const backward = reachable(answers).filter((definition) => !forward.has(definition) && definition !== seed);
  const gradients = new Set([...swept.trace.adjoints.values(), ...swept.trace.parts.values()]);
  const readers = (definition: Definition): readonly string[] =>
    backward.filter((other) => readsOf(other).has(definition)).map(({ name }) => name);
  const computed = [...forward].filter(({ origin }) => origin !== "input");
  const outputs = new Map(answers.map((definition) => [definition.name, { definition }]));
  const kept = lookbacks({ ...program, outputs }, analysis.schedules);
  const recurrences = kept.map((each) =>
    keptOf(each, running, bytes(each.definition), forward.has(each.definition) ? gradients : new Set()),
  );
  const all = [...computed, ...backward].filter(({ origin }) => origin !== "input");
  const peakBytes = all.reduce((total, definition) => total + bytes(definition), 0);
  const saving = recurrences.reduce((total, each, k) => total + bytes(kept[k]!.definition) - each.bytes, 0);
  return {
    of: numerator.name,
    wrt: denominators.map(({ name }) => name),
    saved: computed.flatMap((definition) => {
      const readBy = readers(definition);
      return readBy.length > 0 ? [{ value: definition.name, bytes: bytes(definition), readBy }] : [];
    }),
    released: computed
      .filter((definition) => readers(definition).length === 0)
      .map((definition) => ({ value: definition.name, bytes: bytes(definition) })),
    recomputed: backward
      .filter((definition) => !gradients.has(definition))
      .map((definition) => ({ value: definition.name, bytes: bytes(definition) })),
    recurrences,
    peakBytes,
    rolledBytes: peakBytes - saving,
  };
}

/** Bytes of one cell. */
function widthOf({ element }: Definition): number {
  return isUnsized(element) ? 8 : bytesOf(element);
}

function extentAt(running: Probe, extent: Definition["axes"][number]["extent"]): number {
  return constantOf(extent) ?? Number(running.evaluator(integerScalar(extent))(new Map()));
}

function reasonOf({ kind }: Stored, distance: number): string {
  switch (kind) {
    case "window":
      return `read ${distance} back, and only its last step afterwards`;
    case "by step":
      return "computed when the loop that reads it gets there";
    case "checkpoints":
      return "its state at every √T-th step, and one segment that is computed again";
    default:
      return kind satisfies never;
  }
}

function keptOf(
  { definition, axis, distance, keeps }: Lookback,
  running: Probe,
  whole: number,
  gradients: ReadonlySet<Definition>,
): Kept {
  const steps = extentAt(running, definition.axes[axis]!.extent);
  const common = { value: definition.name, along: definition.axes[axis]!.name ?? `axis ${axis}`, steps };
  const row = steps === 0 ? 0 : whole / steps;
  if ("kind" in keeps) {
    const kept = Math.min(keeps.steps + (keeps.kind === "checkpoints" ? 2 * Math.ceil(Math.sqrt(steps)) : 0), steps);
    return { ...common, keeps: kept, why: reasonOf(keeps, distance ?? 0), bytes: row * kept };
  }
  const readers = keeps.readers.map(({ name }) => name);
  const why = [...(keeps.observed ? ["asked for by name"] : []), ...readers.map((name) => `read by ${name}`)].join(
    ", ",
  );
  const onlyGradients = !keeps.observed && keeps.readers.every((reader) => gradients.has(reader));
  return {
    ...common,
    keeps: steps,
    why,
    bytes: whole,
    ...(onlyGradients ? { checkpointBytes: row * Math.min(steps, 2 * Math.ceil(Math.sqrt(steps))) } : {}),
  };
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

export function memoryText(report: MemoryReport): string {
  const { of, wrt, saved, released, recomputed, recurrences, peakBytes, rolledBytes } = report;
  const list = (rows: readonly (readonly [string, number, string])[], none: string): readonly string[] => {
    if (rows.length === 0) return [`  ${none}`];
    const [name, size] = [0, 1].map((k) => Math.max(...rows.map((row) => (k === 0 ? row[0] : count(row[1])).length)));
    return rows.map(([value, bytes, why]) =>
      `  ${value.padEnd(name!)}  ${count(bytes).padStart(size!)}  ${why}`.trimEnd(),
    );
  };
  return [
    `Memory for @${of} / ${wrt.map((name) => `@${name}`).join(", ")}`,
    "",
    "Saved for the backward pass",
    ...list(
      saved.map(({ value, bytes, readBy }) => [value, bytes, `read by ${readBy.join(", ")}`] as const),
      "nothing",
    ),
    "",
    "Not needed by it",
    ...list(
      released.map(({ value, bytes }) => [value, bytes, ""] as const),
      "nothing",
    ),
    "",
    "Computed for it alone, beside the gradients",
    ...list(
      recomputed.map(({ value, bytes }) => [value, bytes, ""] as const),
      "nothing",
    ),
    ...(recurrences.length > 0 ? ["", "Recurrences"] : []),
    ...recurrences.flatMap(({ value, along, steps, keeps, why, bytes, checkpointBytes }) => [
      `  ${value} keeps ${keeps} of ${steps} steps along ${along}, ${count(bytes)}: ${why}`,
      ...(checkpointBytes === undefined || checkpointBytes >= bytes
        ? []
        : [
            `    \`checkpoint let ${value}[…]\` would keep ${count(checkpointBytes)}, and compute the steps between again`,
          ]),
    ]),
    "",
    `Peak: ${count(peakBytes)} with every cell kept${rolledBytes < peakBytes ? `, ${count(rolledBytes)} with recurrences rolled` : ""}`,
    "",
  ].join("\n");
}

function count(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes.toLocaleString("en-US")} bytes`;
}

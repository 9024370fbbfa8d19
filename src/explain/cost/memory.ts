// What a program with its gradient keeps in memory, and why: what the backward pass reads of the
// forward one, what it computes anew, what recurrences keep of their history, what a checkpoint
// would save. The numbers are those of the plan that a run follows.

import type { Probe } from "../../run/probe.ts";
import { kernelAbilities } from "../../backends/wasm/engine.ts";
import type { Group } from "../../plan/along.ts";
import type { Analysis } from "../../analyse/analyse.ts";
import { constantOf } from "../../affine/term.ts";
import {
  segmentsOf,
  storageOf,
  wantedOf,
  type Kept as Plan,
  type Storage,
} from "../../plan/storage.ts";
import type { Definition, Program } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { bytesOf, isUnsized } from "../../scalar/types.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { reachable } from "../../analyse/schedule.ts";
import { nameInSource } from "../../analyse/name-in-source.ts";
import type { Derivation } from "../source/derived-source.ts";
import { isNamed } from "../source/uses.ts";

export interface MemoryReport {
  readonly of: string;
  readonly wrt: readonly string[];
  /**
   * Values of the forward pass that the backward pass reads, what is kept of them, and who reads
   * them.
   */
  readonly saved: readonly {
    readonly value: string;
    readonly bytes: number;
    readonly readBy: readonly string[];
  }[];
  /** Values of the forward pass that it can do without. */
  readonly released: readonly { readonly value: string; readonly bytes: number }[];
  /**
   * What only the backward pass needs beside gradients: winners, counts, products of the others.
   */
  readonly recomputed: readonly { readonly value: string; readonly bytes: number }[];
  /** What runs in the loop of a recurrence, and what is kept of it. */
  readonly recurrences: readonly Kept[];
  /**
   * The bytes of all that the plan keeps, beside inputs: what is in use at the end where nothing is
   * given back on the way.
   */
  readonly plannedBytes: number;
  /** The same if every cell of everything were kept. */
  readonly wholeBytes: number;
  /**
   * The most bytes that a run for the value and its gradients has in use at once: copies of inputs
   * come in, and what nobody reads any more goes.
   */
  readonly peakBytes: number;
}

/** What is kept of something that runs along a recurrence. */
interface Kept {
  readonly value: string;
  readonly along: string;
  readonly steps: number;
  /**
   * The steps that are kept: as far as it is read back, saved states and a segment, or all of them.
   */
  readonly keeps: number;
  readonly why: string;
  readonly bytes: number;
  /** The bytes of the plan with `checkpoint` before a history that only the gradient reads. */
  readonly checkpointedBytes?: number;
}

export function memoryOf(
  { numerator, denominators, swept, seed }: Derivation,
  program: Program,
  { schedules }: Analysis,
  running: Probe,
  peakBytes: number,
): MemoryReport {
  const answers = denominators.flatMap((denominator) => swept.adjoints.get(denominator) ?? []);
  const forward = new Set(reachable([numerator]));
  const isComputed = ({ origin }: Definition): boolean =>
    origin !== "input" && origin !== "literal";
  const computed = [...forward].filter(isComputed);
  const backward = reachable(answers).filter(
    (definition) => !forward.has(definition) && definition !== seed && isComputed(definition),
  );
  const all = [...computed, ...backward];
  const gradients = new Set([...swept.trace.adjoints.values(), ...swept.trace.parts.values()]);
  const outputs = asOutputs([numerator, ...answers]);
  const wanted = wantedOf({ ...program, outputs });
  const storage = storageOf(schedules, wanted, kernelAbilities());
  const bytes = sizesIn(storage, running);
  const readers = (definition: Definition): readonly string[] =>
    backward.filter((other) => readsOf(other).has(definition)).map(labelOf);
  const row = (definition: Definition): { readonly value: string; readonly bytes: number } => ({
    value: labelOf(definition),
    bytes: bytes(definition),
  });
  return {
    of: labelOf(numerator),
    wrt: denominators.map(labelOf),
    saved: computed.flatMap((definition) => {
      const readBy = readers(definition);
      return readBy.length > 0 ? [{ ...row(definition), readBy }] : [];
    }),
    released: computed.filter((definition) => readers(definition).length === 0).map(row),
    recomputed: backward.filter((definition) => !gradients.has(definition)).map(row),
    recurrences: historiesOf(storage, running, bytes).map(({ definition, kept }) => {
      const group = storage.groups.find(({ loop }) => loop.axes.has(definition));
      if (!group || !forward.has(definition) || storage.kept.has(definition)) return kept;
      const checkpointed = checkpointing(group, () =>
        storageOf(schedules, wanted, kernelAbilities()),
      );
      if (checkpointed.kept.get(definition)?.kind !== "checkpoints") return kept;
      return { ...kept, checkpointedBytes: total(all, sizesIn(checkpointed, running)) };
    }),
    plannedBytes: total(all, bytes),
    wholeBytes: total(all, (definition) => wholeOf(running, definition)),
    peakBytes,
  };
}

/**
 * Its name, or the expression that it holds the value of; a gradient goes by the name that its line
 * gives it.
 */
function labelOf(definition: Definition): string {
  return isNamed(definition) || definition.name.startsWith("d_")
    ? definition.name
    : nameInSource(definition);
}

function total(
  definitions: readonly Definition[],
  bytes: (definition: Definition) => number,
): number {
  return definitions.reduce((sum, definition) => sum + bytes(definition), 0);
}

/** The plan if a recurrence were declared with `checkpoint`; it is as it was afterwards. */
function checkpointing(group: Group, plan: () => Storage): Storage {
  const members: { checkpoint?: true }[] = [...group.loop.axes.keys()].filter(
    ({ checkpoint }) => !checkpoint,
  );
  try {
    for (const member of members) member.checkpoint = true;
    return plan();
  } finally {
    for (const member of members) delete member.checkpoint;
  }
}

// ── sizes ───────────────────────────────────────────────────────────────────────────────────────

/** The bytes that a run reserves for a definition. */
function sizesIn(storage: Storage, running: Probe): (definition: Definition) => number {
  return (definition) => {
    const how = storage.kept.get(definition);
    const whole = wholeOf(running, definition);
    if (!how) return whole;
    const steps = extentAt(running, definition.axes[how.axis]!.extent);
    if (steps === 0) return 0;
    const { window, saved } = placesOf(storage, definition, how, steps);
    return (whole / steps) * (window + saved);
  };
}

/** How many steps a window has room for, and how many saved states stand beside it. */
function placesOf(
  { groups }: Storage,
  definition: Definition,
  { kind, steps: back }: Plan,
  steps: number,
): { readonly window: number; readonly saved: number } {
  if (kind !== "checkpoints") return { window: Math.min(back, steps), saved: 0 };
  const lookback =
    groups.find(({ loop }) => loop.axes.has(definition))?.lookback.get(definition) ?? 0;
  const segment = segmentsOf(steps);
  let saved = 0;
  for (let k = 0; k < segment.count; k++) saved += Math.min(k * segment.length, lookback);
  return { window: Math.min(segment.length + back + lookback, steps), saved };
}

function wholeOf(running: Probe, definition: Definition): number {
  return definition.axes.reduce(
    (size, { extent }) => size * extentAt(running, extent),
    widthOf(definition),
  );
}

/** Bytes of one cell. */
function widthOf({ element }: Definition): number {
  return isUnsized(element) ? 8 : bytesOf(element);
}

function extentAt(running: Probe, extent: Definition["axes"][number]["extent"]): number {
  return Math.max(
    0,
    constantOf(extent) ?? Number(running.evaluator(integerScalar(extent))(new Map())),
  );
}

// ── histories ───────────────────────────────────────────────────────────────────────────────────

interface History {
  readonly definition: Definition;
  readonly kept: Kept;
}

/** The members of recurrences, and what else is not kept whole. */
function historiesOf(
  storage: Storage,
  running: Probe,
  bytes: (definition: Definition) => number,
): readonly History[] {
  const { groups, kept, reasons } = storage;
  const members = groups.flatMap(({ loop }) => [...loop.axes]);
  const others = [...kept].filter(
    ([definition]) => !members.some(([member]) => member === definition),
  );
  const rows = [...members, ...others.map(([definition, { axis }]) => [definition, axis] as const)];
  return rows.flatMap(([definition, axis]): readonly History[] => {
    const how = kept.get(definition);
    const why = reasons.get(definition);
    const steps = extentAt(running, definition.axes[axis]!.extent);
    const common = {
      value: labelOf(definition),
      along: definition.axes[axis]!.name ?? `axis ${axis}`,
      steps,
      bytes: bytes(definition),
    };
    if (how) {
      const { window, saved } = placesOf(storage, definition, how, steps);
      return [
        {
          definition,
          kept: { ...common, keeps: window + saved, why: reasonOf(how, window, saved) },
        },
      ];
    }
    if (!why) return [];
    const readBy = why.readers.map((reader) => `read by ${labelOf(reader)}`);
    const said = [...(why.observed ? ["asked for by name"] : []), ...readBy].join(", ");
    return [{ definition, kept: { ...common, keeps: steps, why: said } }];
  });
}

function reasonOf({ kind, steps }: Plan, window: number, saved: number): string {
  switch (kind) {
    case "window":
      return steps > 1
        ? `read ${steps - 1} back, and only its last steps afterwards`
        : "only its last step is read";
    case "by step":
      return "computed when the loop that reads it gets there";
    case "checkpoints":
      return (
        `${saved} saved ${saved === 1 ? "state" : "states"}, and room for ${window} steps, ` +
        "a segment of which is computed again"
      );
    default:
      return kind satisfies never;
  }
}

/** Definitions as the outputs of a program of their own. */
export function asOutputs(definitions: readonly Definition[]): Program["outputs"] {
  return new Map(definitions.map((definition, k) => [String(k), { definition }]));
}

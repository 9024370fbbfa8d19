// Reports what a program with its gradients keeps in memory, and why: the forward values that the
// backward pass reads, the values that it computes again, the steps that recurrences keep, and what
// a checkpoint would save. The numbers come from the storage plan that a run follows.

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
   * The forward values that the backward pass reads, the bytes that are kept of them, and their
   * readers.
   */
  readonly saved: readonly {
    readonly value: string;
    readonly bytes: number;
    readonly readBy: readonly string[];
  }[];
  /** The forward values that the backward pass does not read. */
  readonly released: readonly { readonly value: string; readonly bytes: number }[];
  /**
   * Values other than gradients that only the backward pass needs: the positions of winners,
   * counts, products of the other factors.
   */
  readonly recomputed: readonly { readonly value: string; readonly bytes: number }[];
  /**
   * The values that the loop of a recurrence computes, and how many of their steps are kept.
   */
  readonly recurrences: readonly Kept[];
  /**
   * The bytes of everything that the plan keeps, without the inputs. A run that released nothing
   * would use them at its end.
   */
  readonly plannedBytes: number;
  /** The bytes if every cell of every value were kept. */
  readonly wholeBytes: number;
  /**
   * The most bytes that a run for the value and its gradients uses at one time. Copies of inputs
   * count. Values that nothing reads any longer do not.
   */
  readonly peakBytes: number;
}

/** What is kept of a value that is computed along a recurrence. */
interface Kept {
  readonly value: string;
  readonly along: string;
  readonly steps: number;
  /**
   * The number of steps that are kept: as many as are read back, or saved states and a segment, or
   * all steps.
   */
  readonly keeps: number;
  readonly why: string;
  readonly bytes: number;
  /**
   * The bytes of the plan if the recurrence were declared with `checkpoint`. Only for histories
   * that nothing but the gradient reads.
   */
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
      const checkpointed = planWithCheckpoints(group, () =>
        storageOf(schedules, wanted, kernelAbilities()),
      );
      if (checkpointed.kept.get(definition)?.kind !== "checkpoints") return kept;
      return { ...kept, checkpointedBytes: total(all, sizesIn(checkpointed, running)) };
    }),
    plannedBytes: total(all, bytes),
    wholeBytes: total(all, (definition) => wholeBytesOf(running, definition)),
    peakBytes,
  };
}

/**
 * The name of a definition, or the expression that it stands for. A gradient has the name of its
 * line.
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

/**
 * The plan if a recurrence were declared with `checkpoint`. Afterwards the declaration is as
 * before.
 */
function planWithCheckpoints(group: Group, plan: () => Storage): Storage {
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
    const plan = storage.kept.get(definition);
    const whole = wholeBytesOf(running, definition);
    if (!plan) return whole;
    const steps = extentAt(running, definition.axes[plan.axis]!.extent);
    if (steps === 0) return 0;
    const { window, saved } = stepsKept(storage, definition, plan, steps);
    return (whole / steps) * (window + saved);
  };
}

/** The number of steps in the window, and the number of saved states beside it. */
function stepsKept(
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

function wholeBytesOf(running: Probe, definition: Definition): number {
  return definition.axes.reduce(
    (size, { extent }) => size * extentAt(running, extent),
    bytesPerCell(definition),
  );
}

/** The bytes of one cell. */
function bytesPerCell({ element }: Definition): number {
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

/** The members of recurrences, and other definitions of which not every step is kept. */
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
    const plan = kept.get(definition);
    const why = reasons.get(definition);
    const steps = extentAt(running, definition.axes[axis]!.extent);
    const common = {
      value: labelOf(definition),
      along: definition.axes[axis]!.name ?? `axis ${axis}`,
      steps,
      bytes: bytes(definition),
    };
    if (plan) {
      const { window, saved } = stepsKept(storage, definition, plan, steps);
      return [
        {
          definition,
          kept: { ...common, keeps: window + saved, why: reasonOf(plan, window, saved) },
        },
      ];
    }
    if (!why) return [];
    const readBy = why.readers.map((reader) => `read by ${labelOf(reader)}`);
    const reason = [...(why.observed ? ["asked for by name"] : []), ...readBy].join(", ");
    return [{ definition, kept: { ...common, keeps: steps, why: reason } }];
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

// This folder decides how a run computes a program: what it keeps of each definition and, once
// sizes are numbers, how it computes the cells; it emits no code (`backends/`) and does not change
// what a program means.
//
// This file describes in words what a run computes and keeps: the definitions in order, the loops
// of recurrences, how far back each member is read, and what is computed along with the loops. A
// line looks like this:
//
//   recurrence h: f32 [t = 9]; loop t upward; lookback 1 along t; tail 4; buffer of 4

import { nameAll, type Naming } from "../print/names.ts";
import { termText, type Names } from "../print/scalar.ts";
import {
  storageOf,
  wantedOf,
  type Abilities,
  type Kept,
  type Reasons,
  type Storage,
} from "./storage.ts";
import type { Definition, Program } from "../ir/program.ts";
import type { Schedule } from "../analyse/schedule.ts";

/** How a member of a recurrence is read along the axis of the recurrence's outermost loop. */
interface Lookback {
  readonly definition: Definition;
  readonly axis: number;
  /**
   * How many steps back the recurrence itself reads the member at most; `undefined` where that is
   * not a constant.
   */
  readonly distance: number | undefined;
  /** Which steps of the member are kept, or the reasons why all of them are. */
  readonly keeps: Kept | Reasons;
}

/** The lookback of every member of every recurrence. */
export function lookbacksOf({ groups, kept, reasons }: Storage): readonly Lookback[] {
  return groups.flatMap(({ loop, lookback }) =>
    [...loop.axes].flatMap(([definition, axis]): readonly Lookback[] => {
      const keeps = kept.get(definition) ?? reasons.get(definition);
      return keeps ? [{ definition, axis, distance: lookback.get(definition), keeps }] : [];
    }),
  );
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

/** One line for each definition, in the order of computation. */
export function describePlan(
  program: Program,
  schedules: readonly Schedule[],
  asked?: readonly string[],
  can?: Abilities,
): string {
  const wanted = wantedOf(program, asked);
  const storage = storageOf(schedules, wanted, can);
  const naming = nameAll(
    schedules.map((schedule) => schedule.definitions),
    program,
  );
  const found = new Map(lookbacksOf(storage).map((lookback) => [lookback.definition, lookback]));
  const lines = schedules.flatMap((schedule) =>
    schedule.definitions
      .filter((definition) => wanted.needed.has(definition))
      .map((definition) => {
        const head =
          `${kindText(schedule, definition)} ${naming.definitions.get(definition)!}: ` +
          shapeText(naming, definition);
        const back = found.get(definition);
        if (!back) return [head, ...ridingText(naming, storage, definition)].join("; ");
        return [
          head,
          loopsText(schedule, definition),
          lookbackText(back),
          keptText(naming, back),
        ].join("; ");
      }),
  );
  return lines.join("\n");
}

/** For a definition that is computed along with a loop, the words that say so. */
function ridingText(
  naming: Naming,
  { driven, kept }: Storage,
  definition: Definition,
): readonly string[] {
  const loopText = ({ loop }: Storage["groups"][number]): string => {
    const [[first, axis]] = [...loop.axes] as [[Definition, number]];
    return `${axisName(first, axis)} of ${naming.definitions.get(first) ?? first.name}`;
  };
  const steps = kept.get(definition);
  if (steps?.kind === "by step")
    return [
      `computed by the step along ${[...steps.loops.keys()].map(loopText).join(" and ")}`,
      `buffer of ${steps.steps}`,
    ];
  const rider = driven.find((each) => each.definition === definition);
  if (!rider) return [];
  return [
    `${rider.along.kind === "sum" ? "summed up" : "computed"} along ${loopText(rider.group)}`,
    ...(steps?.kind === "window" ? [...tailText(steps.tail), `buffer of ${steps.steps}`] : []),
  ];
}

function kindText(schedule: Schedule, definition: Definition): string {
  if (definition.origin === "input" || definition.origin === "literal") return definition.origin;
  if (schedule.recurrent) return "recurrence";
  return definition.clauses.some((clause) => clause.body.kind === "reduce") ? "reduction" : "map";
}

function axisName(definition: Definition, axis: number): string {
  return definition.axes[axis]!.name ?? `axis ${axis}`;
}

function shapeText(naming: Naming, definition: Definition): string {
  const names: Names = {
    definition: (other) => naming.definitions.get(other) ?? other.name,
    variable: (v) => naming.outside.get(v)?.text ?? v.name,
    local: () => undefined,
    function: (other) => other.name,
    facts: [],
  };
  const axes = definition.axes.map(({ name, extent }) => {
    const { text } = termText(names, extent);
    if (!name) return text;
    return text === `extent(${name})` ? name : `${name} = ${text}`;
  });
  return axes.length === 0 ? definition.element : `${definition.element} [${axes.join(", ")}]`;
}

/** The loops around the cells of a definition, outermost first. */
function loopsText(schedule: Schedule, definition: Definition): string {
  const loops: string[] = [];
  const descend = (inside: Schedule): void => {
    for (const step of inside.steps) {
      if (step.kind !== "loop" || !step.axes.has(definition)) continue;
      loops.push(
        `${axisName(definition, step.axes.get(definition)!)} ` +
          (step.reversed ? "downward" : "upward"),
      );
      descend(step.body);
    }
  };
  descend(schedule);
  return `loop${loops.length === 1 ? "" : "s"} ${loops.join(", ")}`;
}

function lookbackText({ definition, axis, distance }: Lookback): string {
  const along = `along ${axisName(definition, axis)}`;
  return distance === undefined ? `whole history read ${along}` : `lookback ${distance} ${along}`;
}

function keptText(naming: Naming, { definition, axis, keeps }: Lookback): string {
  if (!("kind" in keeps)) {
    const reasons = [
      ...(keeps.observed ? ["observed by name"] : []),
      ...keeps.readers.map((reader) => `read by ${naming.definitions.get(reader) ?? reader.name}`),
    ];
    return `full history (${reasons.join(", ")})`;
  }
  switch (keeps.kind) {
    case "window":
      return [...tailText(keeps.tail), `buffer of ${keeps.steps}`].join("; ");
    case "by step":
      return `buffer of ${keeps.steps}`;
    case "checkpoints": {
      const name = axisName(definition, axis);
      return `checkpoints (√${name} saved states, a segment of √${name} steps computed again)`;
    }
    default:
      return keeps satisfies never;
  }
}

/** How many of the last steps are read after the loop. */
function tailText(tail: number): readonly string[] {
  return tail > 0 ? [`tail ${tail}`] : [];
}

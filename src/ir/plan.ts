// What a run computes and keeps: the definitions in order, the loops of recurrences, and how far back each one is read.
//
// A member of a recurrence over t that is read at most L steps back inside the recurrence, and outside of it only at its last
// steps, fits into a buffer of L + 1 steps. Everything else keeps its full history: what is observed by name, what is read
// elsewhere, and what is read at a distance that only the data or the position decides.

import { rootsOf } from "./roots.ts";
import { nameAll, type Naming } from "./print-names.ts";
import { termText, type Names } from "./print-scalar.ts";
import { accessesOf, isOpaque, newOpaque, termOf, type Opaque } from "./facts.ts";
import { holds, nonNegative, sameValue, type Fact } from "./affine/prove.ts";
import { constant, constantOf, ofVariable, plus, subtract, zero, type Term, type Variable } from "./affine/term.ts";
import { substitute } from "./affine/visit.ts";
import { readsOf, type Clause, type Definition, type Program } from "./program.ts";
import { reachable, type Schedule, type Step } from "./schedule.ts";

type LoopStep = Extract<Step, { kind: "loop" }>;

/** How one member of a recurrence is read along the axis of the recurrence's outermost loop. */
export interface Lookback {
  readonly definition: Definition;
  readonly axis: number;
  readonly reversed: boolean;
  /** The most steps back that the recurrence itself reads; absent where that is not a constant. */
  readonly distance?: number;
  readonly keeps: Kept;
}

export type Kept =
  | { readonly kind: "buffer"; readonly steps: number }
  /** Observed by name, or read otherwise than at a constant distance by some definitions. */
  | { readonly kind: "history"; readonly observed: boolean; readonly readers: readonly Definition[] };

/** For every member of every recurrence. `asked` are the values that are observed by name; absent: all of them. */
export function lookbacks(
  program: Program,
  schedules: readonly Schedule[],
  asked?: readonly string[],
): readonly Lookback[] {
  const opaque = newOpaque();
  const { observed, needed } = wanted(program, asked);
  return schedules.flatMap((schedule) => {
    const loop = schedule.recurrent ? outermost(schedule) : undefined;
    if (!loop) return [];
    const members = [...loop.axes.keys()].filter((definition) => needed.has(definition));
    return members.map((definition) => lookback(opaque, loop, definition, observed.has(definition), needed));
  });
}

interface Wanted {
  readonly observed: ReadonlySet<Definition>;
  readonly needed: ReadonlySet<Definition>;
}

/** What is asked for, printed or asserted, and all that it takes. */
function wanted(program: Program, asked: readonly string[] = [...program.outputs.keys()]): Wanted {
  const outputs = new Map([...program.outputs].filter(([name]) => asked.includes(name)));
  const observed = new Set(rootsOf({ ...program, outputs, scalars: new Map() }));
  return { observed, needed: new Set(reachable([...observed])) };
}

function outermost(schedule: Schedule): LoopStep | undefined {
  return schedule.steps.find((step) => step.kind === "loop");
}

function lookback(
  opaque: Opaque,
  loop: LoopStep,
  definition: Definition,
  observed: boolean,
  needed: ReadonlySet<Definition>,
): Lookback {
  const axis = loop.axes.get(definition)!;
  const place = { definition, axis, reversed: loop.reversed };
  let inside: number | undefined = 0;
  let kept = 1;
  const readers = new Set<Definition>();
  for (const reader of needed) {
    for (const distance of distances(opaque, loop, reader, definition, axis)) {
      if (distance === undefined) readers.add(reader);
      if (loop.axes.has(reader))
        inside = inside === undefined || distance === undefined ? undefined : Math.max(inside, distance);
      kept = Math.max(kept, (distance ?? 0) + 1);
    }
  }
  const known = inside === undefined ? {} : { distance: inside };
  if (observed || readers.size > 0)
    return { ...place, ...known, keeps: { kind: "history", observed, readers: [...readers] } };
  return { ...place, ...known, keeps: { kind: "buffer", steps: kept } };
}

/**
 * How many steps back each read of a definition lies: for a member of the recurrence counted from its own step, for another
 * definition from the last one. Absent where that is no constant.
 */
function* distances(
  opaque: Opaque,
  loop: LoopStep,
  reader: Definition,
  definition: Definition,
  axis: number,
): Generator<number | undefined> {
  if (!readsOf(reader).has(definition)) return;
  const own = loop.axes.get(reader);
  const last = loop.reversed ? zero : plus(definition.axes[axis]!.extent, -1);
  for (const clause of reader.clauses) {
    const single = singlePositions(clause);
    for (const { read, facts } of accessesOf(opaque, clause, [])) {
      if (read.definition !== definition) continue;
      const index = substitute(termOf(opaque, read.indices[axis]!, facts), single);
      const from = own === undefined ? last : substitute(ofVariable(clause.loops[own]!.variable), single);
      const back = loop.reversed ? subtract(index, from) : subtract(from, index);
      yield isOpaque(opaque, index) ? undefined : steps(back, [...facts, nonNegative(index)]);
    }
  }
}

/** Distances that are looked for where a term is not a number at sight, as `max(n, 1) - n` for a positive n. */
const tried = [0, 1, 2, 3, 4];

/** A distance as a number that is not negative. */
function steps(back: Term, known: readonly Fact[]): number | undefined {
  const fixed = constantOf(back);
  if (fixed !== undefined) return fixed >= 0 ? fixed : undefined;
  return tried.find((distance) => holds(sameValue(back, constant(distance)), known));
}

/** Coordinates that stand at one number: those of fixed slots. */
function singlePositions(clause: Clause): ReadonlyMap<Variable, Term> {
  const found = new Map<Variable, Term>();
  for (const { variable, from, to } of clause.loops) {
    if (from.kind !== "integer" || to.kind !== "integer") continue;
    if (constantOf(subtract(to.term, from.term)) === 1) found.set(variable, from.term);
  }
  return found;
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

/** One line for each definition, in the order of computation. */
export function describePlan(program: Program, schedules: readonly Schedule[], asked?: readonly string[]): string {
  const { needed } = wanted(program, asked);
  const naming = nameAll(
    schedules.map((schedule) => schedule.definitions),
    program,
  );
  const found = new Map(lookbacks(program, schedules, asked).map((one) => [one.definition, one]));
  const lines = schedules.flatMap((schedule) =>
    schedule.definitions
      .filter((definition) => needed.has(definition))
      .map((definition) => {
        const head = `${kindOf(schedule, definition)} ${naming.definitions.get(definition)!}: ${shapeText(naming, definition)}`;
        const back = found.get(definition);
        return back
          ? `${head}; ${loopsText(schedule, definition)}; ${lookbackText(back)}; ${keptText(naming, back.keeps)}`
          : head;
      }),
  );
  return lines.join("\n");
}

function kindOf(schedule: Schedule, definition: Definition): string {
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

/** The loops around a definition's cells, outermost first. */
function loopsText(schedule: Schedule, definition: Definition): string {
  const loops: string[] = [];
  const descend = (inside: Schedule): void => {
    for (const step of inside.steps) {
      if (step.kind !== "loop" || !step.axes.has(definition)) continue;
      loops.push(`${axisName(definition, step.axes.get(definition)!)} ${step.reversed ? "downward" : "upward"}`);
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

function keptText(naming: Naming, keeps: Kept): string {
  if (keeps.kind === "buffer") return `buffer of ${keeps.steps}`;
  const reasons = [
    ...(keeps.observed ? ["observed by name"] : []),
    ...keeps.readers.map((reader) => `read by ${naming.definitions.get(reader) ?? reader.name}`),
  ];
  return `full history (${reasons.join(", ")})`;
}
